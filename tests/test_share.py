"""Which cases of a test ``make test`` runs."""

from share import QUICK_CASES, beyond_the_quick_cases

FEW = [f"tests/a.py::test_few[{number}]" for number in range(QUICK_CASES)]
MANY = [f"tests/a.py::test_many[{number}]" for number in range(50)]


def test_of_many_cases_some_are_quick_and_of_few_all():
    slow = beyond_the_quick_cases([*FEW, "tests/a.py::test_one", *MANY])
    assert slow < set(MANY)
    assert len(slow) == len(MANY) - QUICK_CASES


def test_the_quick_cases_come_from_all_parts_and_do_not_depend_on_the_order():
    quick = set(MANY) - beyond_the_quick_cases(MANY)
    places = sorted(map(MANY.index, quick))
    assert places[0] < 15
    assert places[-1] > 35
    assert beyond_the_quick_cases(MANY[::-1]) == set(MANY) - quick
