"""novikoff fit --on with the methods that fit in rounds: the model is that of novikoff.distributed.fit."""

import re

import numpy as np
import pytest
from command import done

import novikoff as nk
from novikoff.cli import _distributed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)).round(3)
Y = np.where(X @ [1.0, -2.0, 0.5] + RNG.normal(size=120) > 0, "yes", "no")


@pytest.fixture
def rows(tmp_path):
    """Three files, of which each is a partition."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for number, part in enumerate(np.array_split(np.arange(120), 3)):
        lines = [",".join([*map(repr, X[row].tolist()), Y[row]]) for row in part]
        (folder / f"part-{number}.csv").write_text("\n".join(["a,b,c,label", *lines, ""]))
    return folder


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_model_is_that_of_python(rows, tmp_path, loss):
    run = done("fit", rows, "--on", "local:2", "--loss", loss, "--C", "0.5", "-o", tmp_path / "m.nvk")
    assert re.search(r"^rounds +\d+ rounds on local, [\d,]+ bytes sent$", run.out, re.MULTILINE)
    expected = nk.distributed.fit(nk.LinearSVM(loss=loss, C=0.5), rows, on="local:1")
    found = nk.load(tmp_path / "m.nvk")
    assert found.coef_.tobytes() == expected.coef_.tobytes()
    assert done("predict", tmp_path / "m.nvk", rows / "part-1.csv").out.split() == expected.predict(X[40:80]).tolist()


def test_a_checkpoint_is_written_as_often_as_is_wanted(rows, tmp_path, monkeypatch):
    given, whole = [], _distributed.fit_outcome
    monkeypatch.setattr(_distributed, "fit_outcome", lambda *data, **own: given.append(own) or whole(*data, **own))
    words = ("fit", rows, "--on", "local", "--checkpoint", tmp_path / "state")
    done(*words, "--checkpoint-every", "2")
    done(*words)
    assert [own.get("checkpoint_every") for own in given] == [2, None]
    assert list((tmp_path / "state").iterdir()) == []
