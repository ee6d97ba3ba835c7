import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.plane_margins import Plane, Planes, measured
from novikoff.distributed.survey import survey
from novikoff.distributed.working_rows import Frame, open_working_set
from working_sets import cut


def margins_of(X, y, planes, weights=None, most=5, threads=2):
    """The margins of planes over partitions."""
    engine = LocalEngine(threads)
    with engine.open(engine.data("test", X, y, weights)) as rounds:
        found = survey("test", rounds)
        frame = Frame.of(found, found.classes("test")[0])
        opened = open_working_set(rounds, found, frame)
        return opened.working.numbers, measured(rounds, frame, planes, most, found.is_sparse)


def exact_margins(X, y, plane):
    """y f(x) of all rows in fractions."""
    weights = [Fraction(w) for w in np.asarray(plane.weights).tolist()]
    return [
        (1 if label == plane.positive else -1)
        * (sum(w * Fraction(x) for w, x in zip(weights, row, strict=True)) + Fraction(plane.bias))
        for row, label in zip(np.asarray(X).tolist(), y.tolist(), strict=True)
    ]


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_smallest_margin_of_all_rows_is_enclosed(scale, is_sparse):
    rng = np.random.default_rng(1)
    X, y = scale * rng.normal(size=(80, 4)), rng.integers(0, 2, 80)
    planes = [Plane(rng.normal(size=4) / scale, 0.3, 1), Plane(rng.normal(size=4), -1e3 * scale, 0)]
    _, found = margins_of(*cut(sp.csr_matrix(X) if is_sparse else X, y, at=[0, 30, 31]), planes)
    for place, plane in enumerate(planes):
        exact = min(exact_margins(X, y, plane))
        enclosure = found.smallest(place)
        assert enclosure.low <= exact <= enclosure.high
        assert enclosure.high - enclosure.low <= abs(exact) * Fraction(1, 10**9)


def test_rows_below_the_limit_are_sent_nearest_first():
    X, y = np.arange(1.0, 2001.0)[:, None], np.ones(2000, dtype=int)
    y[0] = 0
    first, found = margins_of(*cut(X, y, at=[500]), [Plane(np.ones(1), 0.0, 1, limit=100.5)], most=3)
    new = [x for x in range(100) if x not in first]
    assert found.wanted.tolist() == [len(new)]
    assert found.working.numbers.tolist() == [x for x in new if x != 0][:3]
    assert found.sides.tolist() == [[2.0, -1.0]]
    assert (found.smallest(0).low, found.smallest(0).high) <= (-1, -1)


def test_nothing_is_sent_without_a_limit():
    X, y = np.arange(300.0)[:, None], np.arange(300) % 2
    _, found = margins_of(*cut(X, y, at=[100]), [Plane(np.ones(1), 0.0, 1)])
    assert len(found.working) == found.wanted[0] == 0


def test_rows_of_weight_zero_have_no_margin():
    X, y, weights = np.array([[1.0], [-9.0], [-2.0]]), np.array([1, 1, 0]), np.array([1.0, 0.0, 1.0])
    _, found = margins_of(*cut(X, y, at=[1]), [Plane(np.ones(1), 0.0, 1)], [weights[:1], weights[1:]])
    assert found.smallest(0).low <= 1 <= found.smallest(0).high


def test_the_number_of_threads_does_not_change_a_bit():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    planes = [Plane(rng.normal(size=5), 0.1, 1, limit=0.2)]
    parts = cut(X, y, at=[17, 90, 91, 250])
    (_, one), (_, two) = (margins_of(*parts, planes, threads=threads) for threads in (1, 3))
    assert (one.low.tobytes(), one.sides.tobytes()) == (two.low.tobytes(), two.sides.tobytes())
    assert one.working.numbers.tolist() == two.working.numbers.tolist()


def test_the_weights_of_far_more_columns_than_entries_are_sent_compactly():
    width = 1 << 31
    X = [sp.csr_matrix(([2.0], ([0], [column])), shape=(1, width)) for column in (5, width - 1)]
    weights = sp.csr_matrix(([3.0], ([0], [5])), shape=(1, width))
    plane = Plane(np.array([3.0]), 1.0, 1)
    command = Planes(Frame([0, 1], width, [0, 1], 2.0), weights.indices.astype(np.int64), [plane], 1)
    for rows, expected in zip(X, [6.0, 0.0], strict=True):
        part, (w,) = command.fitting(rows)
        assert (part @ w).tolist() == [expected]


@pytest.mark.parametrize("is_penalized", [False, True])
def test_the_norm_of_a_plane(is_penalized):
    norm = Plane(np.array([3.0, 0.0, 4.0]), 2.0, 1).squared_norm(is_penalized)
    exact = 25 + 4 * is_penalized
    assert norm.low <= exact <= norm.high
    assert math.isclose(norm.low, exact)
