"""The record of a solver, and when it must stop."""

import math
import time

import pytest

from novikoff.distributed.soft_margin.progress import Options, Record


def options(**changed):
    return Options(**{"tol": 1e-2, "max_iter": 10, "threads": 1, "seed": 0, "partitions": 2, **changed})


def test_entries_are_in_the_units_of_the_user():
    record = Record(C=5.0, method="Newton", rounds=3)
    assert not record.add(2.0, 1.0, options())
    (entry,) = record.history
    assert (entry.step, entry.primal, entry.dual, entry.gap, entry.method) == (3, 10.0, 5.0, 0.5, "Newton")


def test_it_stops_by_the_gap_the_rounds_or_the_time():
    record = Record(1.0)
    assert record.add(1.0, 0.991, options())
    assert not record.add(1.0, 0.5, options())
    record.rounds = 10
    assert record.add(1.0, 0.5, options())
    assert record.is_over(options())
    assert not record.is_over(options(max_iter=11))
    assert record.is_over(options(max_iter=11, deadline=time.perf_counter()))
    assert not record.is_over(options(max_iter=11, deadline=time.perf_counter() + 1e3))


def test_without_a_dual_point_the_gap_is_1():
    record = Record(1.0)
    assert record.gap_of(3.0, -math.inf) == 1.0
    record.add(3.0, -math.inf, options())
    assert record.history[0].dual == 0.0


def test_messages_have_the_gap_and_the_share_of_digits():
    said = []
    record = Record(1.0, lambda *words: said.append(words), "sample", 4)
    record.add(1.0, 0.9, options())
    record.add(1.0, 0.995, options())
    record.add(1.0, -5.0, options())
    assert said[0][0] == "round 4, gap 0.1, 0.01 wanted, sample"
    assert [fraction for _, fraction in said] == pytest.approx([0.5, 1.0, 0.0])
