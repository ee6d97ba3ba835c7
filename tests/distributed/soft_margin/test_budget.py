"""The number of problems that advance together is bounded by the memory of the driver."""

import pytest

from novikoff.distributed.soft_margin.budget import MAX_HELD, problems_at_a_time
from novikoff.distributed.soft_margin.setup import Setup
from novikoff.distributed.survey import Survey

MANY = 1_000_000


def problems(width, pairs, rows=MANY, elements=MANY * 100, **changed):
    survey = Survey([rows], width, {}, None, 1.0, elements, True, {}, False)
    setup = Setup((), None, ((0, -1),) * pairs, None, width, (0,), 1.0, "hinge", "free", 1.0, 1.0)
    return problems_at_a_time(setup, survey, **changed)


def test_few_small_problems_advance_together():
    assert problems(54, 7) == 7
    assert problems(54, 1) == problems(3000, 1) == problems(10_000_000, 1) == 1


@pytest.mark.parametrize("width", [10, 100, 1000, 3000])
def test_the_matrices_and_the_rows_of_problems_that_advance_together_fit_into_memory(width):
    most = problems(width, MANY)
    assert most * 8 * width * (1.5 * width + 20_000) <= MAX_HELD
    assert (most + 1) * 8 * (width + 1) * (1.5 * (width + 2) + 20_000) > MAX_HELD


def test_wide_rows_are_gathered_for_as_many_problems_as_the_driver_can_hold():
    elements = MAX_HELD // 12 // 3
    assert problems(4000, 10, elements=elements) == 3
    assert problems(4000, 10, elements=4 * elements) == 10  # by coordinate descent
    assert problems(MANY, 1000, elements=4 * elements) == MAX_HELD // (6 * 8 * (MANY + 1))


def test_a_driver_without_memory_advances_one_problem_at_a_time():
    assert problems(5, 3, held=0) == problems(5000, 3, held=0) == 1
