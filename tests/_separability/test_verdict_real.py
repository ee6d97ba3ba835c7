"""Verdicts on real data, each proven; and on millions of rows in little memory."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

import novikoff as nk
from memory import run_alone
from novikoff.theory.balance import balance
from novikoff.theory.exact import Examples
from random_designs import dummies
from real_data import two_classes

SEPARABLE = ("mushrooms", pytest.param("pcmac", marks=pytest.mark.slow), "colon")


@pytest.mark.parametrize("name", [pytest.param("a9a", marks=pytest.mark.slow), "ijcnn1"])
def test_the_hard_margin_refuses_what_cannot_be_separated_and_proves_it(name):
    X, y = two_classes(name)
    with pytest.raises(nk.NotSeparableError) as refused:
        nk.HardMarginSVM().fit(X, y)
    signs = np.where(y > 0, 1.0, -1.0)
    assert refused.value.witness.weights.sum() == pytest.approx(1.0)
    assert balance(Examples(X, signs, fit_intercept=True), refused.value.witness) is not None


@pytest.mark.parametrize("name", SEPARABLE)
def test_separable_sets(name):
    X, y = two_classes(name)
    found = nk.separability(X, y)
    assert found.kind == "complete"
    assert 0 < found.margin_lower_bound <= found.margin_upper_bound
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)


@pytest.mark.slow
def test_a9a_is_quasi_complete():
    """Some rare indicators occur in one class only."""
    X, y = two_classes("a9a")
    found = nk.separability(X, y)
    assert found.kind == "quasi-complete"
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)
    counts = [np.unique(y[X[:, [j]].toarray().ravel() != 0]) for j in range(X.shape[1])]
    one_class = [j for j, labels in enumerate(counts) if len(labels) == 1]
    assert len(one_class) == 5
    right = {1: {"+infinity", "aliased"}, -1: {"-infinity", "aliased"}}
    assert all(found.status[j] in right[int(counts[j][0])] for j in one_class)
    assert "undecided" not in found.status


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["overlap", "quasi-complete"])
def test_dummies_are_decided_and_verified_in_three_times_the_time_of_a_linear_program(kind):
    """20,000 rows of 213 indicators, as best of three interleaved rounds."""
    X, y = dummies(kind)
    times = np.array([seconds_of_dummies(X, y, kind) for _ in range(4)])[1:]  # the first round imports
    program, decided, verified, exactly = times.min(axis=0)
    assert decided + verified < 3 * program
    assert decided + exactly < 3 * program


def seconds_of_dummies(X, y, kind):
    """The time of the linear program, of the verdict, and of both ways to verify it."""
    start = time.perf_counter()
    z = sp.csr_array(np.column_stack([X, np.ones(len(X))]) * np.where(y == 1, 1.0, -1.0)[:, None])
    linprog(-np.asarray(z.sum(axis=0)).ravel(), A_ub=-z, b_ub=np.zeros(z.shape[0]), bounds=(-1, 1), method="highs")
    solved = time.perf_counter()
    found = nk.separability(X, y)
    decided = time.perf_counter()
    verification = found.verify(X, y)
    verified = time.perf_counter()
    exactly = found.verify(X, y, exact=True)
    end = time.perf_counter()
    assert found.kind == kind
    assert "undecided" not in found.status
    assert verification
    assert exactly
    return solved - start, decided - solved, verified - decided, end - verified


def test_ijcnn1_overlaps():
    X, y = two_classes("ijcnn1")
    found = nk.separability(X, y)
    assert found.kind == "overlap"
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)


@pytest.mark.slow
def test_covtype_is_not_complete():
    X, y = two_classes("covtype")
    found = nk.separability(X, y)
    assert found.kind == "quasi-complete"  # some kinds of soil occur with one class only
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)


def test_texts_are_peeled_down_to_those_that_say_the_same():
    X, y = two_classes("spam_stream")
    found = nk.separability(X, y)
    assert found.kind == "quasi-complete"
    assert len(found.boundary) < 100
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)


MILLIONS = """
import sys
import numpy as np
import novikoff as nk
rng = np.random.default_rng(0)
X = rng.normal(size=(2_000_000, 20))
y = X @ rng.normal(size=20) + 0.1 > 0
y[: int(sys.argv[1])] ^= True
nk.separability(X[:1000], y[:1000])
before = peak()
found = nk.separability(X, y)
print(["complete", "overlap"].index(found.kind), (peak() - before) / X.nbytes, bool(found.verify(X, y, exact=True)) + 0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [0, 1])
def test_millions_of_rows_need_little_memory(wrong):
    verdict, beyond, proven = run_alone(MILLIONS, wrong)
    assert verdict == wrong
    assert beyond < 0.5
    assert proven
