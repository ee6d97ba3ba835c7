"""Remove rows that a single column decides.

If all nonzero entries z_ij of a column j have the same sign, then the unit vector of that column has these rows on its
right side. Without them, other columns may have entries of one sign, and so on. Words that occur in one class only
remove most rows of text data. The rows that remain, the core, are 0 in all columns that were used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.theory.elimination import IntegerVector, primitive
from novikoff.theory.exact import Examples
from novikoff.theory.geometry import Floats, blocks

STAGE_SAFETY_FACTOR = 8.0  # each stage is made smaller than necessary by this factor, because of rounding


@dataclass(frozen=True)
class Stage:
    """A direction with entries -1, 0 and 1, and the rows on its right side. It is 0 on the rows of all later stages."""

    direction: NDArray[np.int8]
    rows: NDArray[np.int64]


def peel(examples: Examples) -> tuple[NDArray[np.int64], list[Stage]]:
    """Return the rows that remain, and the stages in which the others were removed."""
    left = np.ones(examples.rows, dtype=bool)
    stages: list[Stage] = []
    while np.any(left):
        direction = _one_sided(examples, left)
        if not np.any(direction):
            break
        taken = left & examples.reaches_beyond(np.flatnonzero(direction == 0))
        stages.append(Stage(direction, np.flatnonzero(taken)))
        left &= ~taken
    return np.flatnonzero(left), stages


def _one_sided(examples: Examples, left: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return the sign of each column of z in the remaining rows; 0 if it has both signs or only zeros."""
    seen = np.zeros((2, examples.columns), dtype=bool)
    for cut, block in blocks(examples.X):
        signs, here = examples.signs[cut], left[cut]
        for side, sign in enumerate((1.0, -1.0)):
            if sp.issparse(block):
                counts = np.diff(block.indptr)
                found = (np.repeat(sign * signs, counts) * block.data > 0) & np.repeat(here, counts)
                seen[side, block.indices[found]] = True
            else:
                rows = here & (signs == sign)
                seen[side, : block.shape[1]] |= np.any(block[rows] > 0, axis=0)
                rows = here & (signs == -sign)
                seen[side, : block.shape[1]] |= np.any(block[rows] < 0, axis=0)
    if examples.fit_intercept:
        seen[:, -1] = np.any(examples.signs[left] > 0), np.any(examples.signs[left] < 0)
    direction: NDArray[np.int8] = seen[0].astype(np.int8) - seen[1].astype(np.int8)
    return direction


def combined(examples: Examples, stages: list[Stage], within: IntegerVector | None) -> IntegerVector:
    """Return a direction with the rows of all stages on its right side, and the core as in the direction ``within``.

    Each stage is scaled so small that it does not change the sides of the rows of earlier stages.
    """
    parts = [[int(entry) for entry in stage.direction] for stage in stages]
    if within is not None:
        parts.append(within)
    exponents = [0]
    for earlier, (stage, later) in enumerate(zip(stages, parts[1:], strict=False)):
        floats = np.array(stages[earlier].direction, dtype=np.float64)
        smallest = float(_scores(examples, floats)[stage.rows].min())
        largest = max(map(abs, later))
        reach = float(np.abs(_scores(examples, np.array([c / largest for c in later]))).max())
        step = (
            math.frexp(smallest)[1] - math.frexp(reach)[1] - largest.bit_length() - math.frexp(STAGE_SAFETY_FACTOR)[1]
        )
        exponents.append(exponents[-1] + min(0, step))
    total = [0] * examples.columns
    for exponent, part in zip(exponents, parts, strict=True):
        for j, entry in enumerate(part):
            if entry:
                total[j] += entry << (exponent - exponents[-1])
    return primitive(total)


def _scores(examples: Examples, direction: Floats) -> Floats:
    """Return z_i.v of all rows, up to rounding."""
    own = examples.X.shape[1]
    scores: Floats = np.empty(examples.rows)
    for cut, block in blocks(examples.X):
        with np.errstate(over="ignore", invalid="ignore"):
            products = np.asarray(block @ direction[:own]).ravel() + (direction[-1] if examples.fit_intercept else 0.0)
        scores[cut] = examples.signs[cut] * products
    return scores
