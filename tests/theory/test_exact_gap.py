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


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_machine_is_verified_exactly_and_a_false_claim_is_refuted(loss, intercept, class_weight):
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 4))
    y = np.where(X[:, 0] + random.standard_normal(60) > 0, "up", "down")
    options = {"fit_intercept": intercept != "none", "penalized_intercept": intercept == "penalized"}
    model = nk.LinearSVM(C=2.0, loss=loss, class_weight=class_weight, tol=1e-6, **options).fit(X, y)
    certificate = model.certificate_
    assert certificate.verify(X, y, exact=True)
    for wrong in (
        dataclasses.replace(certificate, dual=certificate.dual * (1 + 1e-7)),
        dataclasses.replace(certificate, primal=certificate.primal * (1 - 1e-7)),
    ):
        assert wrong.verify(X, y, exact=True).failures
    flipped = np.where(np.arange(60) == 7, np.where(y == "up", "down", "up"), y)
    assert certificate.verify(X, flipped, exact=True).failures


def test_values_beyond_all_floats_are_refused():
    X, y = np.array([[1e200], [-1e200]]), [1, -1]
    model = nk.LinearSVM().fit(X / 1e200, y)
    inflated = dataclasses.replace(model.certificate_.model, weights=np.array([-1e200]))
    certificate = dataclasses.replace(model.certificate_, model=inflated)
    assert certificate.verify(X, y, exact=True).failures


@pytest.mark.parametrize("layout", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_explicit_zeros_stay_where_they_are_and_rows_may_be_read_only(layout, dtype, read_only, multi_class):
    X = layout(np.array([[1, 2, 0], [0, 1, 3], [2, 2, 0], [0, 3, 1]], dtype=dtype))
    X.data[[1, 4]] = 0
    y = [0, 1, 0, 1]
    model = nk.LinearSVM(C=1.0, loss="hinge", multi_class=multi_class).fit(X.toarray().astype(float), y)
    before = [X.data.copy(), X.indices.copy(), X.indptr.copy()]
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = not read_only
    for exact in (False, True):
        assert model.certificate_.verify(X, y, exact=exact)
        assert nk.verify(model, X, y, exact=exact)
    for array, same in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(array, same)


def test_a_claim_is_compared_with_the_fraction_itself():
    """The exact objective is 2^-60 above the claim, which is the float nearest to it."""
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    model = SvmModel(np.array([1.0]), 2.0**-58, 1, Duals(np.zeros(0, np.int64), np.zeros(0)))
    certificate = GapCertificate("hinge", "free", 0.25, 1.0, 0.5, 0.0, 1, 2, model)
    found = {check.claim: check.status for check in certificate.verify(X, y, exact=True).checks}
    assert found["primal"] == "fails"
    above = dataclasses.replace(certificate, primal=np.nextafter(0.5, 1.0))
    assert above.verify(X, y, exact=True)
