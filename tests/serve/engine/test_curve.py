import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.engine.curve import MAX_POINTS, Curve

BATCHES = st.lists(st.one_of(st.integers(0, 5), st.integers(0, 10**6), st.floats(0.0, 1e9)), max_size=1500)


def added(sizes, curve=None, start=0):
    """Add one point per batch, with counts that follow from the number of examples."""
    curve = Curve() if curve is None else curve
    total = start
    for size in sizes:
        total += size
        curve.add(total, total / 8, total / 4, total / 2)
    return curve, total


def test_a_new_curve_has_no_points():
    assert Curve().points() == []
    assert Curve.from_state(Curve().state()).points() == []


def test_few_points_are_all_kept():
    curve, _ = added([1] * 399)
    assert [point[0] for point in curve.points()] == list(range(1, 400))
    assert curve.points()[7] == (8, 1, 2, 4)


def test_the_first_point_may_have_any_number_of_examples():
    for size in (0, 0.25, 1, 10**6):
        assert added([size])[0].points() == [(size, size / 8, size / 4, size / 2)]


@given(BATCHES)
def test_points_are_few_in_order_and_end_with_the_latest(sizes):
    curve, total = added(sizes)
    points = curve.points()
    assert len(points) <= MAX_POINTS
    assert points == sorted(points)
    assert len(set(points)) == len(points)
    if sizes:
        assert points[0][0] == sizes[0]
        assert points[-1] == (total, total / 8, total / 4, total / 2)


@given(BATCHES)
def test_each_interval_keeps_its_first_point(sizes):
    curve, _ = added(sizes)
    step, totals, total = curve.state()["step"], [], 0
    for size in sizes:
        total += size
        totals.append(total)
    first = {}
    for total in totals:
        first.setdefault(total // step, total)
    assert [point[0] for point in curve.state()["kept"]] == list(first.values())


def test_points_of_equal_batches_are_evenly_spaced_and_fill_half_of_the_limit():
    for count in (10**3, 10**4, 10**5):
        points = added([1] * count)[0].points()
        assert MAX_POINTS / 2 - 1 <= len(points) <= MAX_POINTS
        gaps = {after[0] - before[0] for before, after in pairwise(points[1:-1])}
        assert len(gaps) == 1  # evenly spaced


@given(BATCHES, st.integers(0, 1500))
def test_a_restored_curve_continues_as_the_saved_one(sizes, cut):
    whole, _ = added(sizes)
    part, total = added(sizes[:cut])
    restored = Curve.from_state(json.loads(json.dumps(part.state())))
    assert restored.points() == part.points()
    added(sizes[cut:], restored, total)
    assert restored.points() == whole.points()
    assert restored.state() == whole.state()


@pytest.mark.parametrize("state", [{}, {"step": 1, "kept": [[1, 2]], "latest": None}, {"step": "x"}, [], None])
def test_another_state_is_refused(state):
    with pytest.raises(ValueError, match="not the saved state of a curve"):
        Curve.from_state(state)


def test_weights_without_limit_do_not_hang():
    curve = Curve()
    for value in [*(2.0**power for power in range(-1000, 1000)), math.inf, math.inf, math.nan]:
        curve.add(value, 0, 0, 0)
    assert len(curve.points()) <= MAX_POINTS


@given(st.integers(1, 10**5), BATCHES)
def test_the_ends_of_parts_are_few_and_in_order(count, sizes):
    curve, _ = added(sizes)
    ends = curve.ends(count)
    assert ends[-1] == count
    assert len(ends) <= 16
    assert all(after - before >= min(count, 32) for before, after in pairwise([0, *ends]))
