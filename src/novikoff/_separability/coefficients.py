"""What becomes of each coefficient of a logistic regression, with a proof.

``theory/recession.py`` states what has to be proven. Columns that the boundary fixes and columns that depend on others
are found by elimination. For each of the others the plane, or a direction close to it, shows one sign that is possible.
Whether the other sign is possible, too, is decided by the projection of the column onto the cone of the rows
(``one_sided.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.coefficients import CoefficientStatus, Statuses, undecided
from novikoff.theory.elimination import Budget, IntegerVector, WorkLimitReached
from novikoff.theory.exact import Examples
from novikoff.theory.geometry import blocks
from novikoff.theory.recession import Aliasing, Recession

from .one_sided import Knowledge, decide_signs
from .partition import Partition

MAX_COLUMNS = 2000  # with more columns no coefficient is decided
MAX_SEARCH_WORK = 2e9  # of exact arithmetic: a few seconds
MAX_PERTURBATION = 9  # largest entry of a direction that is added to the plane
MAX_TRIES = 4  # directions that are added to the plane


@dataclass(frozen=True)
class Coefficients:
    """The fields of ``Separability`` about the coefficients."""

    statuses: Statuses
    directions: tuple[tuple[int, ...], ...] = ()
    supports: tuple[NDArray[np.int64], ...] = ()
    dependences: tuple[tuple[int, ...], ...] = ()


def coefficients(examples: Examples, partition: Partition) -> Coefficients:
    """Return the status of each coefficient; what would take too long is undecided."""
    if examples.columns > MAX_COLUMNS:
        return Coefficients(undecided(examples.columns))
    recession = Recession(examples, partition.sides, partition.proof, Budget(MAX_SEARCH_WORK))
    try:
        aliasing = Aliasing(recession)
        is_fixed = recession.is_fixed
    except WorkLimitReached:
        return Coefficients(undecided(examples.columns))
    known = Knowledge(recession, ~is_fixed & aliasing.is_identified)
    if partition.direction is not None:
        known.add(partition.direction, is_plane=True)
        try:
            _move_zeros(known, partition.direction)
            decide_signs(known, partition.direction)
        except WorkLimitReached:
            pass
    statuses = known.statuses()
    statuses[is_fixed] = CoefficientStatus.FINITE
    statuses[aliasing.is_aliased] = CoefficientStatus.ALIASED
    return Coefficients(
        statuses,
        tuple(map(tuple, known.directions)),
        tuple(known.supports[j] for j in sorted(known.supports)),
        tuple(map(tuple, aliasing.vectors)),
    )


def _move_zeros(known: Knowledge, plane: IntegerVector) -> None:
    """Find directions close to the plane that move, to both sides, the coefficients that are 0 in the plane."""
    zeros = [j for j in np.flatnonzero(known.is_open).tolist() if plane[j] == 0]
    rng = np.random.default_rng(0)
    for _ in range(MAX_TRIES if zeros else 0):
        step = _random_step(known.recession, zeros, rng)
        if not all(step[j] for j in zeros):
            continue
        factor = _factor(known.recession, plane, step)
        if factor is None:
            return
        directions = [[factor * p + sign * s for p, s in zip(plane, step, strict=True)] for sign in (1, -1)]
        if known.try_to_add(directions):
            return


def _random_step(recession: Recession, zeros: list[int], rng: np.random.Generator) -> IntegerVector:
    """Return a random direction that is 0 on the boundary."""
    drawn = rng.integers(1, MAX_PERTURBATION + 1, recession.dimension) * rng.choice([-1, 1], recession.dimension)
    if recession.basis is None:
        moved = set(zeros)
        return [int(entry) if j in moved else 0 for j, entry in enumerate(drawn)]
    return recession.combined([int(entry) for entry in drawn])


def _factor(recession: Recession, plane: IntegerVector, step: IntegerVector) -> int | None:
    """Return a power of two that, times the plane, outweighs a step on all rows; None if floats are too short."""
    sizes = [max(map(abs, vector)) for vector in (plane, step)]
    if max(size.bit_length() for size in sizes) > 900:
        return None
    matrix = np.array([[entry / size for entry in vector] for vector, size in zip((plane, step), sizes, strict=True)]).T
    examples, largest = recession.examples, 0.0
    off_boundary = np.zeros(examples.rows, dtype=bool)
    off_boundary[recession.off_boundary] = True
    weights, biases = (matrix[:-1], matrix[-1]) if examples.fit_intercept else (matrix, np.zeros(2))
    for cut, block in blocks(examples.X):
        with np.errstate(all="ignore"):
            products = np.abs(np.asarray(block @ weights) + biases)[off_boundary[cut]]
            largest = max(largest, float(np.max(products[:, 1] / products[:, 0], initial=0.0)))
    if not np.isfinite(largest):
        return None
    ratio = Fraction(largest) * sizes[1] / sizes[0]
    return 1 << (max(1, int(4 * ratio) + 1)).bit_length()
