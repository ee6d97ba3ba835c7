"""Dual variables in the units of the user that are feasible exactly, in spite of rounding."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats

from .problem import Problem

MAX_FSUM = 100  # values up to which math.fsum is fast
MAX_UNIT_EXPONENT = 900  # powers of two, up and down, beyond which a unit might overflow or lose digits
CHUNK_ROWS = 1 << 13
MAX_CORRECTIONS = 8  # each leaves a fraction of the rounding error of one variable


def make_feasible(problem: Problem, duals: Floats) -> None:
    """Overwrite a_i, which are feasible but for rounding, with values for which 0 <= a_i <= top C_i holds exactly.

    C_i is the product C c_i as it is rounded. Where it is 0, a_i is 0. If the intercept is free, sum_i y_i a_i becomes
    as small as rounding allows: the heavier class gives up the difference.
    """
    for cut in _chunks(len(duals)):
        costs = problem.objective.C * (1.0 if problem.table.costs is None else problem.table.costs[cut])
        caps = problem.loss.top * costs if problem.loss.top < math.inf else np.where(costs > 0, math.inf, 0.0)
        np.clip(duals[cut], 0.0, caps, out=duals[cut])
    if problem.has_free_intercept:
        balance_classes(duals, problem.is_positive())


def balance_classes(duals: Floats, is_positive: NDArray[np.bool_]) -> None:
    """Reduce a few variables until both classes have the same sum, or almost."""
    surplus = _accurate_sum(duals, is_positive)
    if not math.isfinite(surplus):
        return
    for _ in range(MAX_CORRECTIONS):
        if surplus == 0:
            break
        payer = _payer(duals, is_positive, surplus)
        before = float(duals[payer])
        duals[payer] = max(0.0, before - abs(surplus))
        surplus -= math.copysign(before - float(duals[payer]), surplus)


def _payer(duals: Floats, is_positive: NDArray[np.bool_], surplus: float) -> int:
    """Return a row of the heavier class.

    The smallest variable that can pay has the smallest rounding error. If none can, the largest pays in part.
    """
    smallest, largest = (math.inf, -1), (-math.inf, -1)
    for cut in _chunks(len(duals)):
        sizes = np.where(is_positive[cut] == (surplus > 0), duals[cut], -1.0)
        at = int(np.argmax(sizes))
        largest = max(largest, (float(sizes[at]), cut.start + at), key=lambda pair: pair[0])
        sizes[sizes < abs(surplus)] = math.inf
        at = int(np.argmin(sizes))
        smallest = min(smallest, (float(sizes[at]), cut.start + at), key=lambda pair: pair[0])
    return smallest[1] if smallest[0] < math.inf else largest[1]


def _accurate_sum(duals: Floats, is_positive: NDArray[np.bool_]) -> float:
    """Return sum_i y_i a_i, with an error far below the rounding error of a single large value.

    The leading digits of all values are multiples of a unit so large that their sum is exact. The sum of the others,
    which is rounded, is small.
    """
    largest = float(duals.max(initial=0.0))
    exponent = math.frexp(largest)[1] + len(duals).bit_length() + 1 if largest < math.inf else 0
    if len(duals) <= MAX_FSUM or not largest < math.inf or abs(exponent) > MAX_UNIT_EXPONENT:
        return math.fsum(np.where(is_positive, duals, -duals).tolist())
    unit, total, rest = 1.5 * 2.0**exponent, 0.0, 0.0
    for cut in _chunks(len(duals)):
        values = np.where(is_positive[cut], duals[cut], -duals[cut])
        leading = (values + unit) - unit
        total += float(leading.sum())
        rest += float((values - leading).sum())
    return total + rest


def _chunks(rows: int) -> list[slice]:
    """Return pieces of all rows, so that few vectors of all rows are needed at a time."""
    return [slice(first, min(first + CHUNK_ROWS, rows)) for first in range(0, rows, CHUNK_ROWS)]
