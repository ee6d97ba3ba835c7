"""What an evaluation has counted: numbers that no evaluation has are refused, and the field is named."""

from dataclasses import replace

import pytest

import novikoff as nk
from novikoff.data.evaluation_state import DriftState, EvaluationState, WindowState

WINDOW = WindowState(known=(1, 0), labels=(1, 0), right=(True, False), last_right=(False, False))
DRIFT = DriftState(3, (0, 1), (1, 2), (1.0, 0.5), (1.0, 0.25), ((3.0, 1.0, 0.0, 1.0),))
STATE = EvaluationState(
    names=("a", 2, "c"),
    labels=(0, 1),
    seen=(2, 3),
    right=(1, 3),
    frequent=(1, 0),
    counts=(3, 1),
    guess_right=2,
    last_right=1,
    last=2,
    recorded=4,
    recorded_mistakes=1,
    recorded_drifts=1,
    mistakes_at_learning=2,
    updates_before=0,
    window=WINDOW,
    drift=DRIFT,
)


def test_examples_and_mistakes_are_sums():
    assert (STATE.examples, STATE.mistakes) == (5, 1)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("names", [("a", "a", "c"), (1, True, "c")]),
        ("labels", [(0,), (0, 3), (0, -1), (0, 0)]),
        ("seen", [(0, 3), (-1, 3)]),
        ("right", [(3, 3), (-1, 3)]),
        ("frequent", [(1, 7), (0, 0), (0,)]),
        ("counts", [(0, 1)]),
        ("guess_right", [-1, 6]),
        ("last_right", [-1, 6]),
        ("last", [3, -1]),
        ("recorded", [-1, 0]),
        ("recorded_mistakes", [-1, 2]),
        ("recorded_drifts", [-1, 2]),
        ("mistakes_at_learning", [-1]),
        ("updates_before", [-1]),
        ("window", [replace(WINDOW, labels=(1,)), replace(WINDOW, labels=(2, 1)), replace(WINDOW, known=(1, 1, 0))]),
        ("window", [replace(WINDOW, known=(1, 9)), replace(WINDOW, right=())]),
        ("drift", [replace(DRIFT, seen=2), replace(DRIFT, levels=(0, 2)), replace(DRIFT, sizes=(1, 3))]),
        (
            "drift",
            [replace(DRIFT, totals=(2.0, 0.5)), replace(DRIFT, squares=(-1.0, 0.0)), replace(DRIFT, levels=(0,))],
        ),
        ("drift", [replace(DRIFT, drifts=((1.0, 2.0),)), replace(DRIFT, levels=(1, 1))]),
    ],
)
def test_a_state_that_no_evaluation_has_is_refused(field, values):
    for value in values:
        with pytest.raises(nk.InvalidInputError, match=r"^evaluation\.\w+: these numbers cannot be"):
            replace(STATE, **{field: value})
