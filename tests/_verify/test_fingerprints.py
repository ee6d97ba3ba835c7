"""Rows that a model was not learned from are called so, before any claim is called false."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

import novikoff as nk
from novikoff._verify import verdict_on_data

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

ROWS = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 0.5], [0.5, -3.0], [1.5, -2.0]])
LABELS = np.array(["yes", "yes", "no", "no", "no", "no"])
LEARNERS = [nk.Perceptron(), nk.LinearSVM(), nk.HardMarginSVM(), nk.LinearSVMPath(Cs=[0.1, 1.0]), nk.MarginPerceptron()]


@pytest.fixture(params=LEARNERS, ids=lambda learner: type(learner).__name__)
def signed(request, tmp_path):
    """A model that was saved with the fingerprint of its rows, and loaded."""
    model = request.param.fit(ROWS, LABELS)
    nk.save(model, tmp_path / "model.nvk", fingerprint=nk.fingerprint(ROWS, LABELS))
    return nk.load(tmp_path / "model.nvk")


def test_the_rows_of_the_model_are_known(signed):
    found = nk.verify(signed, ROWS, LABELS)
    assert found
    assert str(found.checks[0]) == "   holds  data: these are the rows that the model was learned from"


def test_other_rows_are_not_a_false_claim(signed):
    others = [(ROWS[::-1], LABELS[::-1], None), (ROWS * 2, LABELS, None), (ROWS, LABELS, np.full(6, 2.0))]
    for rows, labels, weights in others:
        (check,) = nk.verify(signed, rows, labels, weights).checks
        assert (check.claim, check.status) == ("data", "fails")
        assert check.detail.startswith("other data")


def test_a_model_that_is_saved_again_keeps_it(signed, tmp_path):
    signed.save(tmp_path / "again.nvk")
    assert nk.load(tmp_path / "again.nvk").fingerprint_ == nk.fingerprint(ROWS, LABELS)


def test_a_model_that_learns_on_forgets_it(signed):
    if hasattr(signed, "partial_fit"):
        signed.partial_fit(ROWS, LABELS)
        assert signed.record_.fingerprint is None
    signed.fit(ROWS[::-1], LABELS[::-1])
    assert not hasattr(signed, "fingerprint_")
    assert nk.verify(signed, ROWS[::-1], LABELS[::-1])


def test_one_example_more_is_other_data(tmp_path):
    nk.save(nk.Perceptron().fit(ROWS, LABELS), tmp_path / "m.nvk", fingerprint=nk.fingerprint(ROWS, LABELS))
    model = nk.load(tmp_path / "m.nvk")
    model.learn_one([1.0, 1.0], "yes")
    assert not hasattr(model, "fingerprint_")


def test_a_model_without_one_says_nothing_about_the_rows():
    found = nk.verify(nk.LinearSVM().fit(ROWS, LABELS), ROWS, LABELS)
    assert "these are the rows" not in str(found)


def test_a_fingerprint_that_is_not_one_is_refused(tmp_path):
    with pytest.raises(nk.InvalidInputError, match="not a SHA-256 hash"):
        nk.save(nk.LinearSVM().fit(ROWS, LABELS), tmp_path / "model.nvk", fingerprint="md5:0")


def test_a_false_claim_about_known_rows_does_not_blame_the_rows():
    model = nk.LinearSVM().fit(ROWS, LABELS)
    false = dataclasses.replace(model.certificate_, primal=model.certificate_.primal / 2)
    record = dataclasses.replace(
        model.record_, problems=(dataclasses.replace(model.record_.problems[0], certificate=false),)
    )
    known = dataclasses.replace(record, fingerprint=nk.fingerprint(ROWS, LABELS))
    for one, words in ((record, "these are not the data, or not the order"), (known, "or more: the claim is false")):
        found = nk.verify(SimpleNamespace(record_=one), ROWS, LABELS)
        detail = next(check.detail for check in found.failures if check.claim == "primal")
        assert words in detail
        assert ("not the data" in str(found)) == (one is record)


def test_an_encoder_may_have_been_altered():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": [0.0, 1.0, 0.0, 3.0]})
    y = ["no", "no", "yes", "yes"]
    model = Pipeline([("encoder", nk.TableEncoder()), ("model", nk.LinearSVM())]).fit(table, y)
    encoder, learner = (step for _, step in model.steps)
    learner.fingerprint_ = nk.fingerprint(encoder.transform(table), np.array(y))
    assert nk.verify(model, table, y)
    assert verdict_on_data(nk.verify(model, table, y).checks) is None
    others = table.assign(a=[1.0, 2.0, 3.0, 6.0])
    assert verdict_on_data(nk.verify(model, others, y).checks) == "other data, or an altered encoder"
