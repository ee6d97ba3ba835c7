"""Planes in floating point near exact ones."""

from fractions import Fraction

import numpy as np
import pytest

from novikoff.solvers import float_planes
from novikoff.solvers.float_planes import nearby_float_plane


def exactly(table):
    return [[Fraction(entry) for entry in row] for row in table]


def scores(rows, v):
    return [sum(a * Fraction(b) for a, b in zip(row, v.tolist(), strict=True)) for row in rows]


def test_a_direction_that_survives_rounding_is_only_rounded():
    assert nearby_float_plane(exactly([[1.0, 0.5], [-0.5, 1.0]]), [Fraction(1), Fraction(2, 3)]).tolist() == [
        1.0,
        2 / 3,
    ]


@pytest.mark.parametrize("seed", range(20))
def test_margins_of_a_few_units_in_the_last_place_are_kept(seed):
    rng = np.random.default_rng(seed)
    v = [Fraction(int(entry), 3**20) for entry in rng.integers(3**19, 3**20, 3)]
    rows = []
    for _ in range(6):  # each row is nearly orthogonal to v, on its right side
        a, b = (Fraction(float(entry)) for entry in rng.normal(size=2))
        exact = -(a * v[0] + b * v[1]) / v[2]
        c = float(exact)
        while a * v[0] + b * v[1] + Fraction(c) * v[2] <= 0:
            c = float(np.nextafter(c, np.inf))
        rows.append([a, b, Fraction(c)])
    assert min(sum(a * b for a, b in zip(row, v, strict=True)) for row in rows) > 0
    found = nearby_float_plane(rows, v)
    assert found is None or min(scores(rows, found)) > 0


def test_other_factors_and_entries_are_tried():
    third = Fraction(1, 3)
    rows = [[Fraction(3), Fraction(-1, 3**40)], [Fraction(-3) + Fraction(1, 2**56), Fraction(1)]]
    found = nearby_float_plane(rows, [third / 3, third])
    assert min(scores(rows, found)) > 0


def test_weights_that_overflow_are_no_plane():
    assert nearby_float_plane(exactly([[1.0]]), [Fraction(2) ** 1100]) is None


def test_the_work_is_limited(monkeypatch):
    monkeypatch.setattr(float_planes, "MAX_TRIED_ENTRIES", 0)
    assert nearby_float_plane(exactly([[1.0], [2.0]]), [Fraction(1, 3)]) is not None  # one factor is always tried
