"""novikoff fit --on: the same model as without, what it prints, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sets
from command import PLAIN, assert_refused, done, novikoff

import novikoff as nk
from gathered_fits import gathering
from novikoff.cli import _distributed
from novikoff.cli._distributed import match_labels
from novikoff.distributed.files import files_data

AROW = ("--learner", "arow", "--on", "local:2")
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(90, 2)).round(3)
JOBS = [f"job {k}" for k in RNG.integers(0, 4, 90)]
LABELS = np.where(NUMBERS @ [1.0, -2.0] > 0, "yes", "no")


@pytest.fixture(autouse=True)
def plan():
    with gathering():
        yield


@pytest.fixture
def clicks(tmp_path):
    """Four files of Parquet with one column of strings, in a folder of their own."""
    folder = tmp_path / "clicks"
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(90), 4)):
        columns = {"age": NUMBERS[rows, 0], "height": NUMBERS[rows, 1], "job": [JOBS[row] for row in rows]}
        pq.write_table(
            pa.table(columns | {"label": LABELS[rows]}), folder / f"part-{number}.parquet", row_group_size=10
        )
    return folder


def test_model_of_a_pattern_is_that_of_all_rows(clicks, tmp_path):
    run = done("fit", f"{clicks}/*.parquet", *AROW, "--exclude", "job", "-o", tmp_path / "m.nvk")
    expected = nk.AROW().fit(NUMBERS, LABELS)
    assert nk.load(tmp_path / "m.nvk").coef_.tobytes() == expected.coef_.tobytes()
    assert re.search(r"^data .*\*\.parquet: 90 rows, 2 columns, 12 partitions$", run.out, re.MULTILINE)
    assert re.search(r"^rounds +14 rounds on local, [\d,]+ bytes sent$", run.out, re.MULTILINE)
    assert re.search(r"^held out +nothing: with --on, the accuracy is measured with --test DATA only$", run.out, re.M)
    assert "accuracy  " not in run.out
    assert done("predict", tmp_path / "m.nvk", clicks / "part-1.parquet").out.split() == (
        expected.predict(NUMBERS[23:46]).tolist()
    )


def test_directory_and_hashed_strings_are_read(clicks, tmp_path):
    result = done("fit", clicks, *AROW, "--hash-bits", "10", "--json", "-o", tmp_path / "m.nvk").json
    assert (result["rows"], result["columns"], result["partitions"], result["rounds"]) == (90, 1024, 12, 14)
    assert result["classes"] == [{"label": label, "rows": int((label == LABELS).sum())} for label in ("no", "yes")]
    paths = [str(path) for path in sorted(clicks.iterdir())]
    expected = nk.AROW().fit(*nk.read(paths, hashing=nk.data.hashing.Hashing(n_bits=10)))
    assert np.asarray(nk.load(tmp_path / "m.nvk").coef_).tobytes() == np.asarray(expected.coef_).tobytes()
    assert len(done("predict", tmp_path / "m.nvk", paths[0]).out.split()) == 23


def test_accuracy_is_measured_on_test_rows(clicks, tmp_path):
    words = ("fit", clicks, *AROW, "--exclude", "job", "--test", clicks / "part-0.parquet")
    expected = nk.AROW().fit(NUMBERS, LABELS).score(NUMBERS[:23], LABELS[:23])
    assert done(*words, "--json").json["test_accuracy"] == expected
    out = done(*words).out
    assert re.search(rf"^accuracy +{100 * expected:.2f}% on 23 rows of .*part-0\.parquet \(always", out, re.MULTILINE)
    assert "by class" in out
    assert "held out" not in out
    assert_refused(novikoff(*words[:-1], tmp_path / "gone.parquet", "-o", tmp_path / "m.nvk"), "gone.parquet")
    assert not (tmp_path / "m.nvk").exists()


def test_svmlight_file_and_single_files_can_be_certified(tmp_path):
    (tmp_path / "two.svm").write_bytes(sets.svmlight(sets.X, sets.TWO))
    out = done("fit", tmp_path / "two.svm", *AROW, "-o", tmp_path / "m.nvk").out
    command = re.search(r"check it with: novikoff (certify .*)$", out, re.MULTILINE)[1].split()
    assert novikoff(*command).code == 0


def test_weights_and_class_weights_are_used(tmp_path):
    text = "x,w,y\n" + "".join(f"{x},{1 + k % 3},{k % 2}\n" for k, x in enumerate(NUMBERS[:40, 0]))
    (tmp_path / "a.csv").write_text(text)
    result = done("fit", tmp_path / "a.csv", *AROW, "--weight", "w", "--json").json
    assert [entry["weight"] for entry in result["classes"]] == [
        sum(1 + k % 3 for k in range(40) if k % 2 == label) for label in (0, 1)
    ]
    model = nk.LinearSVM(class_weight={"0": 2.0, "1": 3.0})
    match_labels(model, files_data("test", tmp_path / "a.csv", exclude="w"))
    assert model.class_weight == {0: 2.0, 1: 3.0}


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_model_that_is_fitted_in_rounds_is_that_of_python(tmp_path, loss, monkeypatch):
    nk.write((NUMBERS, LABELS), tmp_path / "rows.csv")
    given, whole = [], _distributed.fit_outcome
    monkeypatch.setattr(_distributed, "fit_outcome", lambda *data, **own: given.append(own) or whole(*data, **own))
    words = ("fit", tmp_path / "rows.csv", "--on", "local:2", "--loss", loss, "--C", "0.5", "-o", tmp_path / "m.nvk")
    done(*words, "--checkpoint", tmp_path / "state", "--checkpoint-every", "2")
    run = done(*words, "--checkpoint", tmp_path / "state")
    assert [own.get("checkpoint_every") for own in given] == [2, None]
    assert list((tmp_path / "state").iterdir()) == []
    assert re.search(r"^rounds +\d+ rounds on local, [\d,]+ bytes sent$", run.out, re.MULTILINE)
    expected = nk.distributed.fit(nk.LinearSVM(loss=loss, C=0.5), tmp_path / "rows.csv", on="local:1")
    assert nk.load(tmp_path / "m.nvk").coef_.tobytes() == expected.coef_.tobytes()


# ---- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--checkpoint-every", "3"), ("--checkpoint-every: this needs a directory. Use --checkpoint DIR",)),
        (("--cv", "3"), ("--cv: this cannot be combined with --on",)),
        (("--Cs", "3"), ("--Cs: this cannot be combined with --on",)),
        (("--holdout", "0.2"), ("--holdout: this cannot be combined with --on",)),
        (("--attach", "a=b"), ("--attach: this cannot be combined with --on",)),
        (("--scale", "standard"), ("--scale: this needs a pass over all rows",)),
        (("--idf",), ("--idf: this needs a pass over all rows",)),
        (("--missing", "mean"), ("--missing: with --on, it must be error, zero or indicator",)),
        (("--exclude", "job", "--on", "nowhere"), ("--on must be", "'nowhere'")),
        (("--exclude", "job", "--on", "local:0"), ("--on local:0 must have a number of threads from 1 to 1024",)),
        (("--learner", "voted-perceptron"), ("--learner: with --on, it must be one of", "linear-svm")),
        (("--target", "nothing"), ("there is no column 'nothing'",)),
        ((), ("column 'job' holds strings", "Use --hash-bits 20, or --exclude job.")),
    ],
)
def test_options_that_do_not_fit_are_refused(clicks, words, said):
    run = novikoff("fit", f"{clicks}/*.parquet", *AROW, *words)
    assert_refused(run)
    assert all(sentence in run.err for sentence in said), run.err


@pytest.mark.parametrize(("data", "said"), [("-", "standard input"), ("SELECT 1 AS y", "a query")])
def test_sources_that_cannot_be_divided_are_refused(data, said):
    assert_refused(novikoff("fit", data, *AROW), f"{said} cannot be divided into partitions. Use files.")


def test_checkpoint_needs_rounds(clicks, tmp_path):
    assert_refused(novikoff("fit", clicks, "--checkpoint", tmp_path), "--checkpoint", "Use --on with it")


def test_bad_rows_are_refused_with_their_place(clicks):
    table = pq.read_table(clicks / "part-2.parquet").drop_columns("job")
    ages = [None if row == 12 else age for row, age in enumerate(table["age"].to_pylist())]
    pq.write_table(table.set_column(0, "age", [ages]), clicks / "part-2.parquet", row_group_size=10)
    run = novikoff("fit", clicks, *AROW, "--features", "age", "--features", "height")
    assert_refused(run, "part-2.parquet, row group 1, row 2: column 'age' has no value. Use --missing zero or")


def test_output_that_would_replace_a_file_of_data_is_refused(clicks):
    assert_refused(novikoff("fit", clicks, *AROW, "-o", clicks / "part-1.parquet"), "would replace an input")


# ---- progress, checkpoints and interrupts --------------------------------------------------------------------------


def test_progress_shows_rounds_and_the_gap(clicks):
    run = novikoff("fit", clicks, *AROW, "--exclude", "job", terminal=("err",))
    assert run.code == 0
    assert "round 12, gap 0" in run.err
    assert novikoff("fit", clicks, *AROW, "--exclude", "job", "-q", terminal=("err",)).err == ""


SLOW = """
import os, time
from gathered_fits import descend
from novikoff.cli import main
from novikoff.distributed.plan import PLANS

def plan(fit):
    descend(fit.rounds)
    os.write(2, b"ready\\n")  # not print, which may write again what it had in its buffer when it was interrupted
    time.sleep(600)

PLANS.register("AROW", plan)
main()
"""


def started(*words):
    """Start the command in a process of its own, where the plan waits after its rounds."""
    path = os.pathsep.join([os.path.dirname(os.path.dirname(__file__)), *sys.path])
    command = [sys.executable, "-c", SLOW, *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=os.environ | PLAIN | {"PYTHONPATH": path}, **pipes)


@pytest.mark.slow
def test_interrupt_leaves_no_thread_and_a_checkpoint_goes_on(clicks, tmp_path):
    words = ("fit", clicks, *AROW, "--exclude", "job", "--checkpoint", tmp_path / "kept", "-o", tmp_path / "m.nvk")
    process = started(*words)
    first = process.stderr.readline()
    assert first == b"ready\n", process.communicate(timeout=60)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 30
    assert (process.returncode, out, err) == (130, b"", b"novikoff: interrupted\n")
    names = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert [name for name in names if name.endswith("states")] == [
        f"novikoff-checkpoint-{count:08d}.states" for count in (5, 10)
    ]
    assert not (tmp_path / "m.nvk").exists()
    done(*words)
    assert nk.load(tmp_path / "m.nvk").coef_.tobytes() == nk.AROW().fit(NUMBERS, LABELS).coef_.tobytes()
    assert list((tmp_path / "kept").iterdir()) == []
