"""Running the checks of a contract."""

import pytest

from novikoff.testing._runner import named, require, run


def check_first(subject):
    require(subject > 0, "it is not positive")


def check_second(subject):
    require(subject < 10, "it is too large")


CHECKS = named([check_first, check_second])


def test_names_are_those_of_the_functions():
    assert [name for name, _ in CHECKS] == ["first", "second"]


def test_the_failed_check_is_named_in_a_note():
    run("five", CHECKS, (), 5)
    with pytest.raises(AssertionError, match="too large") as caught:
        run("fifty", CHECKS, (), 50)
    assert caught.value.__notes__ == ["fifty failed the check 'second'."]


def test_checks_can_be_left_out_by_name():
    run("fifty", CHECKS, ["second"], 50)
    with pytest.raises(ValueError, match="no check named 'third'; known: first, second"):
        run("five", CHECKS, ["third"], 5)
