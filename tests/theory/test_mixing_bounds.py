"""The bounds I1 to I3 on the mistakes of partitions, on random counts and on runs of the reference."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.theory import bounds
from novikoff.theory.mixing_bounds import simultaneous_partitions, total_mistakes, weighted_mistakes
from reference.mixing import mixing, one_pass

COUNTS = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 50))


@given(COUNTS)
def test_I3_all_mistakes_are_at_most_the_weighted_ones_times_the_partitions(counts):
    weighted, total = weighted_mistakes(counts), Fraction(int(counts.sum()))
    factor = simultaneous_partitions(counts)
    assert total <= weighted * Fraction(factor)
    assert factor <= np.count_nonzero(counts.any(axis=0)) <= counts.shape[1]
    assert np.count_nonzero(counts.any(axis=1)) <= weighted <= total


@given(COUNTS)
def test_I3_shares_in_proportion_to_mistakes_use_up_more_of_the_bound_than_equal_ones(counts):
    equal = sum(Fraction(int(own.sum()), max(1, np.count_nonzero(own))) for own in counts)
    assert weighted_mistakes(counts) >= equal


def test_weighted_mistakes_are_those_of_the_formula():
    assert weighted_mistakes(np.array([[2.5, 0.0, 1.5]])) == Fraction(25 + 9, 16)
    assert weighted_mistakes(np.zeros((3, 2))) == 0
    assert simultaneous_partitions(np.zeros((3, 2))) == 0
    assert simultaneous_partitions(np.full((2, 7), 3.0)) == 7
    assert total_mistakes(bound=2.5, partitions=4) == 10


@pytest.mark.parametrize(
    ("variant", "bound"),
    [
        ("perceptron", bounds.novikoff),
        ("PA", bounds.novikoff),
        ("PA-I", lambda R, margin: bounds.passive_aggressive_I(R, margin, 0.25)),
        ("PA-II", lambda R, margin: bounds.passive_aggressive_II(R, margin, 0.25)),
    ],
)
def test_I1_I2_runs_of_the_reference_stay_within_the_bounds(variant, bound):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=3)
        w /= np.linalg.norm(w)
        U = rng.normal(size=(24, 3))
        y = np.where(U @ w > 0, 1, -1)
        U += 0.1 * np.outer(y, w)
        parts = list(zip(np.split(U, [3, 10]), np.split(y, [3, 10]), strict=True))
        _, counts, _ = mixing(parts, 30, variant, C=0.25)
        radius, margin = float(np.linalg.norm(U, axis=1).max()), float(np.min(y * (U @ w)))
        assert 0 < weighted_mistakes(counts) <= bound(radius, margin)


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
def test_I2_the_bounds_with_losses_hold_for_every_comparator(variant):
    """Rows that overlap: the weighted losses of a comparator at the updates pay for the mistakes."""
    C = 0.25
    for seed in range(8):
        rng = np.random.default_rng(seed)
        U, y = rng.normal(size=(20, 3)), rng.choice([-1, 1], size=20)
        w = rng.normal(size=3)
        v, weighted, losses, squares = np.zeros(3), 0.0, 0.0, 0.0
        for _ in range(6):
            ends = []
            for rows, signs in ((U[:8], y[:8]), (U[8:], y[8:])):
                at, mistakes, own = v, 0, []
                for u, sign in zip(rows, signs, strict=True):
                    after, mistake, update, _ = one_pass([u], [sign], at, variant, C)
                    own += [max(0.0, 1 - sign * (w @ u))] * update
                    at, mistakes = after, mistakes + mistake
                ends.append((at, mistakes, sum(own), sum(loss * loss for loss in own)))
            shares = np.array([mistakes for _, mistakes, _, _ in ends], dtype=float)
            shares = shares / shares.sum() if shares.any() else np.array([0.5, 0.5])
            v = sum(share * at for share, (at, *_) in zip(shares, ends, strict=True))
            weighted += sum(share * mistakes for share, (_, mistakes, _, _) in zip(shares, ends, strict=True))
            losses += sum(share * loss for share, (_, _, loss, _) in zip(shares, ends, strict=True))
            squares += sum(share * square for share, (*_, square) in zip(shares, ends, strict=True))
        radius2 = float((U * U).sum(axis=1).max())
        most = max(radius2, 1 / C) * (w @ w + 2 * C * losses)
        if variant == "PA-II":
            most = (radius2 + 1 / (2 * C)) * (w @ w + 2 * C * squares)
        assert weighted <= most
