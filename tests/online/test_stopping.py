"""The decision to end a fit: one that can converge is left alone, and any other ends soon and says why."""

import pytest

from novikoff.online import stopped_in_words
from novikoff.online._stopping import FREE_WORK, INSEPARABLE, NO_PROGRESS, REASONS, SMALL_PASS_WORK, Stopping, Trial

FOREVER = [5] * 999
BETTER_UNTIL_LATELY = [*range(100, 60, -1), *[99] * 10]


def stopping(answer=None, patience=3, max_iter=1000, work=0.0, pass_work=1.0):
    asked = []
    trial = Trial(lambda allowance: asked.append(allowance) or answer, work, pass_work)
    return Stopping(patience, max_iter, trial), asked


# whether the rows are separable and what the test costs, mistakes, the pass after which it stops and why, tests
DECISIONS = {
    "fewer mistakes, so no test": ({"answer": False}, range(900, 0, -1), None, 0),
    "inseparable rows": ({"answer": False}, [9, 7, 5, 6, 8, 5, 4], (6, INSEPARABLE), 1),
    "separable rows are never given up": ({"answer": True}, [1] * 999, None, 1),
    "if it is not known, patience grows": ({}, FOREVER, (13, NO_PROGRESS), 1),
    "the more, the more passes": ({}, [*range(105, 5, -1), *[6] * 800], (162, NO_PROGRESS), 1),
    "a cheap test before giving up": (
        {"answer": False, "work": 100.0, "pass_work": 5.0},
        FOREVER,
        (13, INSEPARABLE),
        1,
    ),
    "as soon as passes have cost as much": (
        {"answer": False, "work": 8 * FREE_WORK, "pass_work": FREE_WORK},
        FOREVER,
        (8, INSEPARABLE),
        1,
    ),
    "a test that costs too much": (
        {"answer": False, "work": 100 * FREE_WORK, "pass_work": FREE_WORK},
        FOREVER,
        (13, NO_PROGRESS),
        0,
    ),
    "it may save as much": ({"answer": False, "max_iter": 10, "work": 5.0}, [5] * 10, (5, INSEPARABLE), 1),
    "it could save no passes": ({"answer": False, "max_iter": 10, "work": 6.0}, [5] * 10, None, 0),
    "only to say how it ended": ({"answer": False, "max_iter": 50, "work": 100.0}, [5] * 50, (50, INSEPARABLE), 1),
    "which it cannot": ({"max_iter": 50, "work": 100.0}, [5] * 50, None, 1),
    "progress until lately": ({"answer": False, "max_iter": 50, "work": 100.0}, BETTER_UNTIL_LATELY, None, 0),
    "None never stops": ({"answer": False, "patience": None}, FOREVER, None, 0),
}


@pytest.mark.parametrize(("options", "mistakes", "end", "tests"), DECISIONS.values(), ids=DECISIONS.keys())
def test_passes_end_when_progress_is_doubted(options, mistakes, end, tests):
    stop, asked = stopping(**options)
    ends = ((passes, stop.reason_to_stop(passes, count)) for passes, count in enumerate(mistakes, start=1))
    assert next((found for found in ends if found[1]), None) == end
    assert len(asked) == tests


@pytest.mark.parametrize(
    ("passes", "options", "promises", "is_tested"),
    [
        (10, {"work": 10.0}, False, True),  # it costs no more than the passes
        (10, {"work": 11.0}, False, False),
        (12, {"work": 1e6}, False, True),  # they were many
        (12, {"work": 2 * FREE_WORK}, False, False),
        (1000, {"patience": None}, False, False),
        (2, {"work": 1e6, "pass_work": SMALL_PASS_WORK}, True, True),  # the rows are few, and a reason is due
        (2, {"work": 1e6, "pass_work": SMALL_PASS_WORK}, False, False),
        (2, {"work": 1e6, "pass_work": SMALL_PASS_WORK + 1}, True, False),
    ],
)
def test_at_the_end_it_is_tested_if_that_is_cheap_or_due(passes, options, promises, is_tested):
    stop, asked = stopping(answer=False, **options)
    stop.promises_to_halt = promises
    assert stop.is_inseparable_after(passes) is is_tested
    assert len(asked) == is_tested


def test_the_end_is_told_in_words():
    assert stopped_in_words(1200, INSEPARABLE) == (
        "1,200; no plane separates the rows by the margin that is needed, so they would never end"
    )
    found = stopped_in_words(7, ["converged", INSEPARABLE, "converged"])
    assert found == "at most 7 per class; converged: 2, inseparable: 1"
    assert set(REASONS) == {"converged", "inseparable", "no progress", "max_iter"}
