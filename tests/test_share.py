"""Which cases of a test ``make test`` runs, and which ``make test-slow`` with a share."""

import pytest

import share
from share import MIN_SLOW_CASES, QUICK_CASES, beyond_the_quick_cases, beyond_the_share

FEW = [f"tests/a.py::test_few[{number}]" for number in range(QUICK_CASES)]
MANY = [f"tests/a.py::test_many[{number}]" for number in range(50)]


def test_of_many_cases_some_are_quick_and_of_few_all():
    slow = beyond_the_quick_cases([*FEW, "tests/a.py::test_one", *MANY])
    assert slow < set(MANY)
    assert len(slow) == len(MANY) - QUICK_CASES


def test_the_quick_cases_come_from_all_parts_and_do_not_depend_on_the_order():
    quick = set(MANY) - beyond_the_quick_cases(MANY)
    others = [case.replace("many", f"other_{number}") for case in MANY for number in range(20)]
    places = [int(case.partition("[")[2][:-1]) for case in set(others) - beyond_the_quick_cases(others)]
    assert len(places) == 20 * QUICK_CASES
    assert min(places) < len(MANY) / 4
    assert max(places) > len(MANY) * 3 / 4
    assert beyond_the_quick_cases(MANY[::-1]) == set(MANY) - quick


@pytest.mark.parametrize(("fraction", "run"), [(1.0, 50), (0.5, 25), (0.2, 10), (0.05, MIN_SLOW_CASES)])
def test_of_slow_cases_a_share_is_run_and_some_at_least(monkeypatch, fraction, run):
    monkeypatch.setattr(share, "SHARE", fraction)
    left_out = beyond_the_share([*MANY, *FEW])
    assert left_out <= set(MANY)
    assert len(left_out) == len(MANY) - run
