"""The parameters ``forget`` and ``half_life``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._validation import check_number
from novikoff.errors import input_error
from novikoff.theory.forgetting import LARGEST_WEIGHT, LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE, Forgetting
from novikoff.theory.rules import Rule

NO_FORGETTING = Forgetting()


def check_forgetting(where: str, forget: Any, half_life: Any) -> Forgetting:
    """Return how a learner forgets, by its parameters.

    Parameters
    ----------
    where : str
        The class of the learner, for error messages.
    forget, half_life : object
        The parameters.
    """
    fraction = 0.0 if forget == 0 else check_number(where, "forget", forget, above=0, at_most=1, other="0")
    if fraction == 1:
        raise input_error(where, "forget must be below 1, because 1 would forget all at each update.")
    if half_life is None:
        return Forgetting(fraction) if fraction else NO_FORGETTING
    number = check_number(where, "half_life", half_life, above=0, at_most=LONGEST_HALF_LIFE, other="None")
    if number < SHORTEST_HALF_LIFE:
        raise input_error(where, f"half_life must be at least 1 example, but it is {number:g}.")
    return Forgetting(fraction, number)


def check_large_weights(where: str, rule: Rule, weights: NDArray[np.float64] | float | None) -> None:
    """Refuse weights that are so large that to fade by each copy would take too long."""
    if rule.forgetting.half_life is None or weights is None:
        return
    largest = float(np.max(weights, initial=0.0))
    if largest > LARGEST_WEIGHT:
        limit = f"at most {LARGEST_WEIGHT:,.0f} with half_life, because every copy of an example fades the weights"
        raise input_error(where, f"weights may be {limit}, but one is {largest:g}.")
