"""Progress of several binary problems as one."""

import pytest

from novikoff._progress import Progress


def listener():
    heard = []
    return heard, lambda *message: heard.append(message)


def test_the_messages_of_a_single_problem_come_as_they_are():
    heard, say = listener()
    with Progress(say, ["class yes"]).problem(0) as report:
        report("gap 0.1", 0.25)
        report("gap 0.2", 0.125)
        report("no number", None)
    assert heard == [("gap 0.1", 0.25), ("gap 0.2", 0.25), ("no number", None)]


def test_of_several_problems_the_first_that_is_not_done_is_named_and_the_fraction_is_that_of_all():
    heard, say = listener()
    progress = Progress(say, ["class a", "class b"])
    with progress.problem(1) as second:
        with progress.problem(0) as first:
            second("gap 0.5", 0.25)
            first("gap 0.1", 0.5)
        second("gap 0.2", 0.75)
    assert heard == [
        ("0 of 2 done; class a: gap 0.1", 0.375),
        ("1 of 2 done", 0.625),
        ("1 of 2 done; class b: gap 0.2", 0.875),
        ("2 of 2 done", 1.0),
    ]


def test_without_a_listener_nothing_is_said():
    with Progress(None, ["class a", "class b"]).problem(1) as report:
        assert report is None


def test_a_problem_that_failed_is_not_done():
    heard, say = listener()
    progress = Progress(say, ["class a", "class b"])
    with pytest.raises(ZeroDivisionError), progress.problem(0):
        raise ZeroDivisionError
    assert heard == []
