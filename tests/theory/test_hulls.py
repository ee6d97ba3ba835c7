"""Certificates of the largest margin, docs/theory.md E: true ones are accepted, and no claim can be bettered."""

import dataclasses
import json
import tracemalloc
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from certified import OTHER_DATA, separable_data
from novikoff.theory import HullCertificate, MarginCertificate, geometry, hulls
from novikoff.theory.certificate import Duals
from reference import hard_margin
from strategies import LAYOUTS, laid_out, make_separable, seeds

INTERCEPTS = {"free": {}, "penalized": {"penalized_intercept": True}, "none": {"fit_intercept": False}}
each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def data_for(intercept, seed=0, **parameters):
    if intercept != "none":
        return separable_data(seed, **parameters)
    data = make_separable(np.random.default_rng(seed), 50, 4, 0.1, intercept=False)
    return data.X, data.y


def certify(intercept, X, y, **parameters):
    return nk.HardMarginSVM(**INTERCEPTS[intercept], **parameters).fit(X, y).certificate_


def change(certificate, **fields):
    """The certificate with other claims; those of its model are named by a leading underscore."""
    model = {name[1:]: value for name, value in fields.items() if name.startswith("_")}
    own = {name: value for name, value in fields.items() if not name.startswith("_")}
    return dataclasses.replace(certificate, model=dataclasses.replace(certificate.model, **model), **own)


def other_duals(certificate, weights=None, rows=None):
    duals = certificate.model.duals
    return Duals(duals.rows if rows is None else rows, duals.weights if weights is None else weights)


LIES = {
    "a larger lower bound": lambda c: change(c, margin_lower_bound=c.margin_lower_bound * (1 + 1e-9)),
    "a smaller upper bound": lambda c: change(c, margin_upper_bound=c.margin_upper_bound * (1 - 1e-9)),
    "a lower above the upper bound": lambda c: change(c, margin_lower_bound=c.margin_upper_bound * (1 + 1e-9)),
    "other weights": lambda c: change(c, _weights=c.model.weights + 1e-3 * np.abs(c.model.weights).max()),
    "no weights": lambda c: change(c, _weights=0 * c.model.weights),
    "weights that are NaN": lambda c: change(c, _weights=np.nan * c.model.weights),
    "another bias": lambda c: change(c, _bias=c.model.bias + 1e-3),
    "an infinite bias": lambda c: change(c, _bias=np.inf),
    "the other label": lambda c: change(c, _positive=-1.0),
    "a smaller radius": lambda c: change(c, radius=c.radius * 0.9),
    "fewer examples": lambda c: change(c, examples=c.examples - 1),
    "no duals": lambda c: change(c, _duals=Duals(np.array([], int), np.array([]))),
    "a dual below 0": lambda c: change(c, _duals=other_duals(c, -c.model.duals.weights)),
    "a dual that is NaN": lambda c: change(c, _duals=other_duals(c, np.nan * c.model.duals.weights)),
    "one dual more": lambda c: change(
        c, _duals=other_duals(c, c.model.duals.weights * np.linspace(0.9, 1.1, len(c.model.duals.rows)))
    ),
    "duals of rows that are not there": lambda c: change(c, _duals=other_duals(c, rows=c.model.duals.rows + 100)),
    "duals of other rows": lambda c: change(c, _duals=other_duals(c, rows=(c.model.duals.rows + 1) % 49)),
    "a row named twice": lambda c: change(c, _duals=other_duals(c, rows=np.full_like(c.model.duals.rows, 3))),
    "an intercept of another kind": lambda c: change(c, intercept="none" if c.intercept != "none" else "some"),
}


@each_intercept
@pytest.mark.parametrize("lie", LIES)
def test_verify_refuses_a_changed_certificate(lie, intercept):
    X, y = data_for(intercept)
    certificate = certify(intercept, X, y, tol=1e-9)
    assert certificate.verify(X, y), str(certificate.verify(X, y))
    verification = LIES[lie](certificate).verify(X, y)
    assert not verification
    assert verification.failures, str(verification)


@each_intercept
@pytest.mark.parametrize("other", OTHER_DATA)
def test_a_certificate_on_the_wrong_data_says_so(other, intercept):
    X, y = data_for(intercept)
    assert not certify(intercept, X, y).verify(*OTHER_DATA[other](X, y))


@each_intercept
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_the_data_makes_no_difference(layout, dtype, intercept):
    X, y = data_for(intercept)
    X = X.astype(np.float32).astype(np.float64)
    verification = certify(intercept, X, y).verify(laid_out(X, layout, dtype), y)
    assert verification, str(verification)


@each_intercept
@given(seed=seeds, rows=st.integers(4, 30), scale=st.sampled_from([1e-90, 1e-3, 1.0, 1e90]))
def test_the_bounds_hold_the_largest_margin_between_them(intercept, seed, rows, scale):
    if intercept == "penalized":
        scale = 1.0  # (x, 1) is another thing in other units
    data = make_separable(np.random.default_rng(seed), rows, 3, 0.05, intercept=intercept != "none")
    best = hard_margin.margin(data.X, data.y, intercept) * scale
    certificate = certify(intercept, scale * data.X, data.y)
    assert certificate.margin_lower_bound <= best * (1 + 1e-10)
    assert certificate.margin_upper_bound >= best * (1 - 1e-10)
    verification = certificate.verify(scale * data.X, data.y)
    assert verification, str(verification)


def test_duals_of_either_class_may_be_scaled():
    """The bound is of the duals with the heavier class scaled down, so that both classes have the same sum."""
    X, y = data_for("free")
    certificate = certify("free", X + 50.0, y)  # far away, so that what is out of balance would count
    for factor in (1 - 1e-10, 1 - 1e-6, 1e-3, 1e200, 1e-200):
        tip = np.where(y[certificate.model.duals.rows] > 0, 1.0, factor)
        tipped = change(certificate, _duals=other_duals(certificate, tip * certificate.model.duals.weights))
        verification = tipped.verify(X + 50.0, y)
        assert verification, str(verification)
        less = change(tipped, margin_upper_bound=tipped.margin_upper_bound * (1 - 1e-6))
        assert "upper bound" in [check.claim for check in less.verify(X + 50.0, y).failures]


def test_a_check_that_rounding_leaves_open_is_not_held(monkeypatch):
    monkeypatch.setattr(hulls, "SMALL_WORK", 0)
    X, y = data_for("none")
    certificate = certify("none", X, y)
    w = certificate.model.weights
    exact = float((y * (X @ w)).min() / np.linalg.norm(w))
    verification = change(certificate, margin_lower_bound=exact).verify(X, y)
    assert not verification
    assert [check.status for check in verification.checks if check.claim == "lower bound"] == ["open"]


@cache
def large_table():
    X = np.random.default_rng(0).normal(size=(15_000, 100)).astype(np.float32)
    X[np.abs(X[:, 0]) < 2, 0] += 2
    y = np.where(X[:, 0] > 0, 1, -1)
    return X, y, nk.HardMarginSVM(tol=0.5).fit(X, y).certificate_


@pytest.mark.parametrize("sparse", [False, True])
def test_a_check_does_not_copy_a_large_table(sparse, monkeypatch):
    monkeypatch.setattr(geometry, "BLOCK_ENTRIES", 1 << 20)  # as if the table were four times as large
    X, y, certificate = large_table()
    table = sp.csr_array(X) if sparse else X
    whole = geometry.BLOCK_ENTRIES * 8 if not sparse else 3 * geometry.BLOCK_ENTRIES * 8
    tracemalloc.start()
    assert certificate.verify(table, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.6 * whole + 10 * 8 * len(y)


def test_it_is_a_margin_certificate_that_can_be_read_and_written():
    X, y = data_for("free")
    certificate = certify("free", X, y)
    assert isinstance(certificate, HullCertificate)
    assert isinstance(certificate, MarginCertificate)
    read = json.loads(certificate.to_json())
    assert read["kind"] == "HullCertificate"
    assert read["margin_lower_bound"] == certificate.margin_lower_bound
    assert read["model"]["duals"]["rows"] == certificate.model.duals.rows.tolist()
    assert "margin at least" in str(certificate)
    assert len(str(certificate)) < 300
    assert certificate._repr_html_().count("<tr>") == len(certificate.claims())
    assert 1 - 1e-6 <= certificate.ratio <= 1


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_bounds_that_rounding_leaves_open_are_decided_exactly(intercept):
    """A claim of just what is found is open to floating point; in whole numbers it is true or it is not."""
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(20, 3)) + 4, rng.normal(size=(20, 3)) - 4])
    y = np.repeat([1, 0], 20)
    options = {"free": {}, "penalized": {"penalized_intercept": True}, "none": {"fit_intercept": False}}
    certificate = nk.HardMarginSVM(**options[intercept]).fit(X, y).certificate_
    assert certificate.verify(X, y, exact=True)
    lower, upper = certificate.margin_lower_bound, certificate.margin_upper_bound
    seen = set()
    for step in np.concatenate([np.arange(-40, 41) * 2.0**-52, [1e-3]]):
        tight = dataclasses.replace(certificate, margin_lower_bound=lower * (1 + 1e-15 + step))
        checks = {check.claim: check.status for check in tight.verify(X, y, exact=True).checks}
        assert checks["lower bound"] in ("holds", "fails")
        seen.add(checks["lower bound"])
        tight = dataclasses.replace(certificate, margin_upper_bound=upper * (1 - 1e-15 - step))
        checks = {check.claim: check.status for check in tight.verify(X, y, exact=True).checks}
        assert checks["upper bound"] in ("holds", "fails")
        seen.add(checks["upper bound"])
    assert seen == {"holds", "fails"}
