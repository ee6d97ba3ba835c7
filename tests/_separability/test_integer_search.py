"""The partition of the rows, computed in integers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff._separability import integer_search
from novikoff._separability.integer_search import search_in_integers
from novikoff.theory.exact import Examples
from reference import separability as reference
from separable_cases import small_case


@settings(max_examples=15)
@given(seed=st.integers(0, 10**9))
def test_it_agrees_with_the_enumeration(seed):
    X, y, fit_intercept = small_case(seed)
    examples = Examples(X, y.astype(float), fit_intercept)
    found = search_in_integers(examples, np.arange(len(y)))
    right = np.array(reference.right_side(X, y, fit_intercept))
    sides = np.zeros(len(y)) if found.sides is None else found.sides
    assert sides.tolist() == right.astype(int).tolist()


def test_a_working_set_grows_until_it_decides_all_rows(monkeypatch):
    monkeypatch.setattr(integer_search, "SMALL_PROBLEM_ENTRIES", 0)
    X = np.arange(40.0)[:, None]
    signs = np.where(np.arange(40) < 23, -1.0, 1.0)
    found = search_in_integers(Examples(X, signs, fit_intercept=True), np.array([0, 39]))
    assert found.sides.tolist() == [1] * 40


def test_it_gives_up_on_large_working_sets(monkeypatch):
    monkeypatch.setattr(integer_search, "MAX_INTEGER_ENTRIES", 3)
    examples = Examples(np.arange(4.0)[:, None], np.array([-1.0, -1.0, 1.0, 1.0]), fit_intercept=True)
    assert search_in_integers(examples, np.arange(4)) is None


def test_faces_are_balanced_one_after_the_other():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 3.0], [0.0, 1.0]])
    found = search_in_integers(Examples(X, np.array([1.0, -1.0, 1.0, -1.0]), fit_intercept=False), np.arange(4))
    assert found.witness.rows.tolist() == [0, 1, 2, 3]
    assert found.sides is None
