"""Dual variables of several classes made feasible for free intercepts: every class gains what it loses, exactly.

Let F[c, k] be the sum of the dual variables beta_ik over the rows i of class c. With free intercepts, the variables are
feasible only if F is a circulation: for each class, the sum of its row equals the sum of its column. A flow that is not
a circulation is a sum of cycles and of paths from classes with a surplus to classes with a deficit, so reducing it
along such paths makes it one. All amounts are integer multiples of a power of two, so that the sums are exactly equal.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats

Amounts = NDArray[np.int64]
SUM_BITS = 61  # bits of the sum of all amounts; a sum of 64-bit integers then cannot overflow


def balanced(betas: Floats, codes: NDArray[np.int32]) -> Floats:
    """Return dual variables that are at most as large as those given, and whose classes are exactly balanced.

    Parameters
    ----------
    betas : ndarray of shape (rows, classes)
        Dual variables; 0 for the own class of a row.
    codes : ndarray of int32 of shape (rows,)
        The class of each row.
    """
    largest = float(betas.max(initial=0.0))
    if largest == 0:
        return betas.copy()
    bits = min(52, SUM_BITS - betas.size.bit_length())
    exponent = max(math.frexp(largest)[1] - bits, -1074)
    amounts = np.floor(np.ldexp(betas, -exponent)).astype(np.int64)
    classes = betas.shape[1]
    flows = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(flows, codes, amounts)
    for own, other, reduction in reductions(flows):
        rows = np.flatnonzero((codes == own) & (amounts[:, other] > 0))
        amounts[rows, other] -= _shares(amounts[rows, other], reduction)
    return np.ldexp(amounts.astype(np.float64), exponent)


def reductions(flows: Amounts) -> list[tuple[int, int, int]]:
    """Return which entries of a flow must be reduced, and by how much, so that it becomes a circulation.

    Parameters
    ----------
    flows : ndarray of int64 of shape (classes, classes)
        The amount that flows from each class (row) to each other class (column). Not modified.
    """
    left = flows.copy()
    surplus = left.sum(axis=1) - left.sum(axis=0)
    while surplus.any():
        path = _path(left, int(np.argmax(surplus)), surplus < 0)
        arcs = list(itertools.pairwise(path))
        amount = min(int(surplus[path[0]]), -int(surplus[path[-1]]), *(int(left[arc]) for arc in arcs))
        for arc in arcs:
            left[arc] -= amount
        surplus[path[0]] -= amount
        surplus[path[-1]] += amount
    changed = np.argwhere(left < flows).tolist()
    return [(own, other, int(flows[own, other] - left[own, other])) for own, other in changed]


def _path(flows: Amounts, start: int, is_end: NDArray[np.bool_]) -> list[int]:
    """Return a shortest path along positive flows; of the last steps, the one with the largest flow is taken."""
    came_from = np.full(len(flows), -1)
    came_from[start] = start
    frontier = [start]
    while frontier:
        reached = []
        for node in frontier:
            ends = np.flatnonzero(is_end & (flows[node] > 0))
            if len(ends):
                path = [int(ends[np.argmax(flows[node, ends])]), node]
                while path[-1] != start:
                    path.append(int(came_from[path[-1]]))
                return path[::-1]
            following = np.flatnonzero((flows[node] > 0) & (came_from < 0))
            came_from[following] = node
            reached += following.tolist()
        frontier = reached
    raise AssertionError("the surplus of a flow has a path to a deficit")


def _shares(amounts: Amounts, total: int) -> Amounts:
    """Return what to take from each amount, about in proportion, so that it adds up to ``total`` exactly."""
    available = int(amounts.sum())
    taken: Amounts = np.minimum(np.floor(amounts * (total / available)).astype(np.int64), amounts)
    missing = total - int(taken.sum())
    while missing < 0:  # rounding of large numbers; at most a few units
        place = int(np.argmax(taken))
        step = min(-missing, int(taken[place]))
        taken[place] -= step
        missing += step
    remaining = amounts - taken
    before = np.cumsum(remaining) - remaining
    taken += np.clip(missing - before, 0, remaining, dtype=np.int64)
    return taken
