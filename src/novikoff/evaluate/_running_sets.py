"""Adaptive conformal sets of a stream, given how little its labels conform to it.

The level of docs/theory.md T1 is kept as an integer multiple of a power of 2, so that it is exact. The rounds that a
set is compared with are kept in ascending order: a round costs a binary search, whatever came before.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._validation import check_integer
from novikoff.errors import input_error, quote
from novikoff.theory.conformal import SetCertificate, SetState
from novikoff.theory.geometry import Floats

MAX_FLOAT = float(np.finfo(np.float64).max)


class RunningSets:
    """The level of adaptive sets, the latest rounds, and counts.

    Parameters
    ----------
    state : SetState
        What it starts with.
    """

    def __init__(self, state: SetState) -> None:
        counts = state.certificate
        self._parameters, self.window, self.skipped = counts, state.window, state.skipped
        self.rounds, self.errors = counts.rounds, counts.errors
        self.empty, self.single, self.labels = counts.empty, counts.single, counts.labels
        self._recent, self._ascending = deque(state.recent), sorted(state.recent)
        rate, step, start = (Fraction(value) for value in (counts.error_rate, counts.step, counts.start))
        parts = (start, step * rate, step)
        self._one = max(part.denominator for part in parts)  # powers of 2, as of all floats
        level, self._up, self._down = (int(part * self._one) for part in parts)
        self._level = level + self.rounds * self._up - self.errors * self._down

    @property
    def level(self) -> float:
        """The present level."""
        return self._level / self._one

    def limit(self) -> float:
        """Return the largest nonconformity of a label in a set now; inf for all labels, and -inf for none."""
        known = len(self._ascending)
        k = -((self._level - self._one) * (known + 1) // self._one)
        return math.inf if k > known else -math.inf if k < 1 else self._ascending[k - 1]

    def add(self, size: int, own: float, is_error: bool) -> None:
        """Count a set of so many labels, whose label has this nonconformity."""
        self.rounds += 1
        self.labels += size
        self.empty += size == 0
        self.single += size == 1
        self._level += self._up
        if is_error:
            self.errors += 1
            self._level -= self._down
        if len(self._recent) == self.window:
            del self._ascending[bisect_left(self._ascending, self._recent.popleft())]
        self._recent.append(own)
        insort(self._ascending, own)

    def add_round(self, values: Sequence[float], own: int) -> tuple[int, bool]:
        """Make a set of labels with these nonconformities, count it, and return its size and whether it lacks one."""
        limit = self.limit()
        size = sum([value <= limit for value in values])
        is_error = values[own] > limit
        self.add(size, values[own], is_error)
        return size, is_error

    @property
    def certificate(self) -> SetCertificate:
        """The counts so far."""
        return replace(
            self._parameters,
            rounds=self.rounds,
            errors=self.errors,
            empty=self.empty,
            single=self.single,
            labels=self.labels,
        )

    @property
    def state(self) -> SetState:
        """All that is needed to go on."""
        return SetState(self.certificate, self.window, self.skipped, tuple(self._recent))


def check_state(where: str, state: Any) -> None:
    """Refuse a state that no sets can have. The message names the field that is wrong."""
    if not isinstance(state, SetState):
        raise input_error(where, f"state must be the state_ of other sets, but it is {quote(state)}.")
    counts = state.certificate
    if not isinstance(counts, SetCertificate):
        raise input_error(where, f"certificate must be a SetCertificate, but it is {quote(counts)}.")
    for name in ("rounds", "errors", "empty", "single", "labels"):
        check_integer(where, f"certificate.{name}", getattr(counts, name), at_least=0)
    window = check_integer(where, "window", state.window, at_least=1)
    check_integer(where, "skipped", state.skipped, at_least=0)
    for name, most, reason in (
        ("errors", counts.rounds, "the number of rounds"),
        ("empty", counts.errors, "the number of errors, since an empty set is one"),
        ("single", counts.rounds - counts.empty, "the number of sets that are not empty"),
    ):
        if (found := getattr(counts, name)) > most:
            raise input_error(where, f"certificate.{name} must be at most {most}, {reason}, but it is {found}.")
    if counts.labels < (least := counts.single + 2 * counts.several):
        reason = "1 for each single set and 2 for each larger one"
        raise input_error(where, f"certificate.labels must be at least {least}, {reason}, but it is {counts.labels}.")
    if len(state.recent) != (needed := min(counts.rounds, window)):
        reason = f"the smaller one of certificate.rounds and window, but it has {len(state.recent)}"
        raise input_error(where, f"recent must have {counted(needed, 'number')}, {reason}.")
    for place, value in enumerate(state.recent):
        if not (isinstance(value, float) and math.isfinite(value)):
            raise input_error(where, f"recent must have finite numbers, but number {place} is {quote(value)}.")


def check_errors(where: str, counts: SetCertificate) -> None:
    """Refuse a number of errors that no sets with these parameters can have (docs/theory.md, T1)."""
    for check in counts.verify().failures:
        raise input_error(where, f"certificate.errors is {counts.errors}, which cannot be: {check.detail}.")


def nonconformity_of(score: float | Mapping[Any, float]) -> list[float]:
    """Return how little each label conforms to an example of this score, in ascending order of two or more labels.

    It is the largest score of the other labels minus its own; of two labels, the score, and minus the score. A number
    that overflows becomes the largest one, so that it can be saved.
    """
    if not isinstance(score, Mapping):
        return [_finite(score), _finite(-score)]
    scores = list(score.values())
    second, first = sorted(map(_finite, scores))[-2:]
    return [_finite((first if _finite(own) < first else second) - own) for own in scores]


def nonconformity_of_rows(decisions: Floats) -> list[list[float]]:
    """Return the same for the rows of ``decision_function``, one list per row."""
    if decisions.ndim == 1:
        pairs: list[list[float]] = np.stack([_all_finite(decisions), _all_finite(-decisions)], axis=1).tolist()
        return pairs
    with np.errstate(over="ignore", invalid="ignore"):
        clipped = _all_finite(decisions)
        highest = np.partition(clipped, -2, axis=1)[:, -2:]
        others = np.where(clipped < highest[:, 1:], highest[:, 1:], highest[:, :1])
        found: list[list[float]] = _all_finite(others - decisions).tolist()
    return found


def chosen_labels(labels: list[Any], decisions: Floats) -> list[Any]:
    """Return the predictions of a learner with these labels and decisions."""
    if not labels:
        return [None] * len(decisions)
    places = (len(labels) - 1) * (decisions >= 0) if decisions.ndim == 1 else np.argmax(decisions, axis=1)
    return [labels[place] for place in places.tolist()]


def label_array(predictions: list[Any]) -> NDArray[Any]:
    """Return predictions as an array; of objects, if there is no prediction for some row."""
    if None in predictions:
        found = np.empty(len(predictions), dtype=object)
        found[:] = predictions
        return found
    return np.array(predictions)


def _finite(value: float) -> float:
    return min(max(value, -MAX_FLOAT), MAX_FLOAT) if value == value else MAX_FLOAT


def _all_finite(values: Floats) -> Floats:
    found: Floats = np.nan_to_num(values, nan=MAX_FLOAT, posinf=MAX_FLOAT, neginf=-MAX_FLOAT)
    return found
