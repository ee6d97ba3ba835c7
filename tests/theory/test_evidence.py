"""The model that a certificate of an online learner is about."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import Geometry
from novikoff.theory import evidence as evidence_module
from novikoff.theory.certificate import Duals
from novikoff.theory.running_scale import ColumnScale

X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 0.5], [-2.0, -1.5]])
Y = np.array([1, 1, 0, 0])
EVIDENCE = nk.Perceptron().fit(X, Y).certificate_.evidence


def test_a_model_fits_its_own_data():
    assert EVIDENCE.fits(X, Y, None) is None
    assert EVIDENCE.misfit(np.ones(len(Y))) is None


@pytest.mark.parametrize(
    "other",
    [
        {"weights": np.array([np.nan, 1.0])},
        {"intercept": np.inf},
        {"geometry": Geometry(fit_intercept=False), "intercept": 1.0},
        {"duals": Duals(EVIDENCE.duals.rows + 100, EVIDENCE.duals.weights)},
        {"duals": Duals(EVIDENCE.duals.rows, -EVIDENCE.duals.weights)},
        {"duals": Duals(EVIDENCE.duals.rows, EVIDENCE.duals.weights * np.nan)},
        {"duals": Duals(np.array([-1]), np.ones(1))},
        {"duals": Duals(np.array([1, 1]), np.ones(2))},
        {"duals": Duals(np.array([0, 1]), np.ones(3))},
        {"duals": Duals(np.array([4]), np.ones(1))},
    ],
)
def test_impossible_numbers_are_refused(other):
    assert dataclasses.replace(EVIDENCE, **other).misfit(np.ones(len(Y))).status == "fails"


@pytest.mark.parametrize("weights", [np.zeros(4), np.array([1.0, -1.0, 1.0, 1.0]), np.full(4, np.inf), np.ones(3)])
def test_impossible_weights_of_rows_are_refused(weights):
    assert EVIDENCE.fits(X, Y, weights).status == "fails"


def test_more_copies_than_fit_into_memory_are_refused():
    private = dataclasses.replace(EVIDENCE, geometry=Geometry(slack_feature=1.0))
    assert private.fits(X, Y, np.full(4, 1e12)).status == "fails"


def test_each_copy_of_a_row_has_its_own_private_feature():
    private = dataclasses.replace(EVIDENCE, geometry=Geometry(slack_feature=1.0))
    rows, signs, copies = private.examples(X, Y, np.array([2.5, 1.0, 0.0, 1.0]))
    assert copies.tolist() == [1.0, 1.0, 0.5, 1.0, 0.0, 1.0]
    assert rows.tolist() == X[[0, 0, 0, 1, 2, 3]].tolist()
    assert signs.tolist() == [1, 1, 1, 1, -1, -1]


def test_private_features_count_in_the_length():
    evidence = nk.Perceptron(slack_feature=2.0).fit(X, Y).certificate_.evidence
    a = evidence.duals.dense(len(Y))
    plain = evidence.weights @ evidence.weights + evidence.intercept**2
    assert evidence.length() == pytest.approx(np.sqrt(plain + 4.0 * a @ a))


@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e200, 1e308])
def test_the_length_neither_overflows_nor_underflows(scale):
    evidence = dataclasses.replace(EVIDENCE, weights=np.array([scale, 0.0]), intercept=0.0)
    assert scale <= evidence.length() <= scale * (1 + 1e-12) + 1e-323


def test_numbers_at_the_limits_of_what_is_possible_are_accepted():
    for other in (
        {"duals": None},
        {"duals": Duals(np.array([3, 0]), np.array([0.0, 1e308]))},
        {"geometry": Geometry(fit_intercept=False), "intercept": 0.0},
    ):
        assert dataclasses.replace(EVIDENCE, **other).misfit(np.ones(4)) is None
    one = dataclasses.replace(EVIDENCE, duals=Duals(np.array([0, 1]), np.array([0.0, 1.0])))
    assert one.misfit(np.array([0.0, 0.5, 1.0, 1.0])) is None  # the row of weight 0 has no part in the sum
    assert one.misfit(np.array([1.0, 0.0, 1.0, 1.0])).detail.endswith("some have the weight 0")
    assert dataclasses.replace(EVIDENCE, duals=Duals(np.array([0]), np.array([np.inf]))).misfit(np.ones(4)) is not None


def test_private_features_are_finite_and_not_negative():
    for delta, fits in ((0.0, True), (1e300, True), (np.inf, False), (-1.0, False), (np.nan, False)):
        found = dataclasses.replace(EVIDENCE, geometry=Geometry(slack_feature=delta)).fits(X, Y, None)
        assert (found is None) == fits


def test_so_many_copies_and_no_more_are_laid_out(monkeypatch):
    monkeypatch.setattr(evidence_module, "MAX_PRIVATE_COPIES", 6)
    private = dataclasses.replace(EVIDENCE, geometry=Geometry(slack_feature=1.0))
    assert private.fits(X, Y, np.array([2.5, 1.0, 1.0, 0.5])) is None  # 3 + 1 + 1 + 1
    assert private.fits(X, Y, np.array([2.5, 1.0, 1.0, 1.5])).status == "fails"
    assert EVIDENCE.fits(X, Y, np.full(4, 5.0)) is None


def test_a_scale_is_that_of_the_geometry():
    running, centred, fixed = (ColumnScale(kind, np.ones(2)) for kind in ("running", "centred", "fixed"))
    centred = dataclasses.replace(centred, shifts=np.zeros(2))
    for scale, name, fits in (
        (None, None, True),
        (running, "running", True),
        (fixed, "running", True),
        (centred, "centred", True),
        (running, "centred", False),
        (centred, "running", False),
        (running, None, False),
        (None, "running", False),
        (running, "other", False),
    ):
        found = dataclasses.replace(EVIDENCE, scale=scale, geometry=Geometry(scale=name)).fits(X, Y, None)
        assert (found is None) == fits
    mixed = dataclasses.replace(EVIDENCE, scale=ColumnScale("mixed", np.ones(2)))
    assert not mixed.has_known_rows
    assert EVIDENCE.has_known_rows
    assert dataclasses.replace(EVIDENCE, scale=fixed).has_known_rows


def test_copies_are_laid_out_for_scales_of_streams_only():
    weights = np.array([2.0, 1.0, 1.0, 0.5])
    for kind, rows in (("running", 5), ("fixed", 4)):
        scaled = dataclasses.replace(EVIDENCE, scale=ColumnScale(kind, np.ones(2)), geometry=Geometry(scale="running"))
        assert len(scaled.examples(X, Y, weights)[0]) == rows
        assert len(scaled.examples(X, Y, None)[0]) == 4
        assert scaled.plane()[0].tolist() == EVIDENCE.weights.tolist()
