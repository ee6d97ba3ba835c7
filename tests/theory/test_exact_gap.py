"""The exact check of a duality gap: fractions, compared with fractions that are added up one by one."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory import GapCertificate, SvmModel
from novikoff.theory.certificate import Duals
from novikoff.theory.exact_gap import ExactTable

LOSSES = ("hinge", "squared_hinge")
INTERCEPTS = ("free", "penalized", "none")
numbers = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-1e150, 1e150, allow_subnormal=False), st.floats(-1.0, 1.0)
)


@st.composite
def cases(draw):
    rows, columns = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    lists = lambda size, of: st.lists(of, min_size=size, max_size=size)  # noqa: E731  # it is named where it is used
    X = np.array(draw(lists(rows, lists(columns, numbers))))
    signs = np.array([1.0, -1.0, *draw(lists(rows - 2, st.sampled_from([1.0, -1.0])))])
    costs = np.array(draw(lists(rows, st.sampled_from([0.1, 1.0, 3.0, 1e-8]))))
    a = np.array(draw(lists(rows, st.floats(0.0, 1.0)))) * costs
    weights, bias = np.array(draw(lists(columns, numbers))), draw(numbers)
    return X, signs, costs, a, weights, bias


def reference(X, signs, costs, a, weights, bias, intercept, squared):
    """P(w, b) and D(a) by their definitions, in fractions."""
    x = [[Fraction(entry) for entry in row] for row in X.tolist()]
    y, C, a, w = ([Fraction(entry) for entry in values.tolist()] for values in (signs, costs, a, weights))
    b = Fraction(bias)
    if intercept == "free":
        sums = {side: sum(ai for ai, yi in zip(a, y, strict=True) if yi == side) for side in (1, -1)}
        least = min(sums.values())
        a = [ai * least / sums[yi] if sums[yi] else ai for ai, yi in zip(a, y, strict=True)]
    xi = [max(0, 1 - yi * (sum(p * q for p, q in zip(w, row, strict=True)) + b)) for yi, row in zip(y, x, strict=True)]
    power = 2 if squared else 1
    penalty = b * b if intercept == "penalized" else 0
    primal = (sum(entry * entry for entry in w) + penalty) / 2 + sum(c * e**power for c, e in zip(C, xi, strict=True))
    v = [sum(ai * yi * row[j] for ai, yi, row in zip(a, y, x, strict=True)) for j in range(len(w))]
    tilt = sum(ai * yi for ai, yi in zip(a, y, strict=True)) ** 2 if intercept == "penalized" else 0
    ridge = sum(ai * ai / (4 * c) for ai, c in zip(a, C, strict=True)) if squared else 0
    return primal, sum(a) - (sum(entry * entry for entry in v) + tilt) / 2 - ridge


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("squared", [False, True])
@settings(max_examples=10)
@given(case=cases())
def test_both_values_are_those_of_the_definition(case, intercept, squared):
    X, signs, costs, a, weights, bias = case
    primal, dual = reference(X, signs, costs, a, weights, bias, intercept, squared)
    for matrix in (X, sp.csr_array(X)):
        table = ExactTable.of(matrix, signs, costs)
        assert table.primal(weights, bias, intercept == "penalized", squared) == primal
        assert table.dual(a, intercept, squared) == dual


def test_values_beyond_all_floats_are_refused():
    X, y = np.array([[1e200], [-1e200]]), [1, -1]
    model = nk.LinearSVM().fit(X / 1e200, y)
    inflated = dataclasses.replace(model.certificate_.model, weights=np.array([-1e200]))
    certificate = dataclasses.replace(model.certificate_, model=inflated)
    assert certificate.verify(X, y, exact=True).failures


def test_a_claim_is_compared_with_the_fraction_itself():
    """The exact objective is 2^-60 above the claim, which is the float nearest to it."""
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    model = SvmModel(np.array([1.0]), 2.0**-58, 1, Duals(np.zeros(0, np.int64), np.zeros(0)))
    certificate = GapCertificate("hinge", "free", 0.25, 1.0, 0.5, 0.0, 1, 2, model)
    found = {check.claim: check.status for check in certificate.verify(X, y, exact=True).checks}
    assert found["primal"] == "fails"
    above = dataclasses.replace(certificate, primal=np.nextafter(0.5, 1.0))
    assert above.verify(X, y, exact=True)
