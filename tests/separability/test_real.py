"""Verdicts on real data, each proven; and on millions of rows in little memory."""

import numpy as np
import pytest

import novikoff as nk
from real_data import two_classes

SEPARABLE = ("mushrooms", "pcmac", "colon")


@pytest.mark.parametrize("name", SEPARABLE)
def test_separable_sets(name):
    X, y = two_classes(name)
    found = nk.separability(X, y)
    assert found.kind == "complete"
    assert 0 < found.margin_lower_bound <= found.margin_upper_bound
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)


def test_a9a_is_quasi_complete():
    """Some rare indicators occur in one class only."""
    X, y = two_classes("a9a")
    found = nk.separability(X, y)
    assert found.kind == "quasi-complete"
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)
    counts = [np.unique(y[X[:, [j]].toarray().ravel() != 0]) for j in range(X.shape[1])]
    one_class = [j for j, labels in enumerate(counts) if len(labels) == 1]
    assert all(found.divergence[j] == counts[j][0] for j in one_class)


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
    assert found.kind in ("overlap", "quasi-complete")
    assert found.verify(X, y)
    assert found.verify(X, y, exact=True)
