"""Bounds for targets that move and learners that forget, docs/theory.md M.

The update k has the example x_k, the sign y_k and its own comparator u_k, and makes v_k = f_k v_(k-1) + y_k x_k, where
0 <= f_k <= 1 says what is kept of the old weights: 1 if nothing is forgotten. W is the largest |v_k|, and S the
movement of the comparators, the sum of |u_(k+1) - u_k|.
"""

from __future__ import annotations

import math


def moving_target(loss: float, longest: float, last: float, movement: float, forgotten: float = 0.0) -> float:
    """Return D + W (|u_M| + S + F), the largest number of updates M (M1, M2).

    There are two ways to count if a learner forgets. Either all updates count 1, and F is the sum of (1 - f_k) |u_k|.
    Or an update, its loss, and the movement before it count as much as the weights remember of them (M3), and F is 0.

    Parameters
    ----------
    loss : float
        The hinge loss D of the comparators over the updates.
    longest : float
        The length W of the longest v.
    last : float
        The length of the last comparator, or of the longest one.
    movement : float
        The movement S of the comparators.
    forgotten : float, default=0.0
        The sum F; 0 if nothing is forgotten.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> moving_target(loss=1.0, longest=2.0, last=3.0, movement=0.5)
    8.0
    """
    return loss + longest * (last + movement + forgotten)


def least_movement(updates: float, loss: float, longest: float, last: float) -> float:
    """Return how far comparators with this loss must have moved: (M - D)/W - |u_M|, or 0 if that is negative.

    Parameters
    ----------
    updates : float
        The number of updates M; if the learner forgets, the remembered number of M3.
    loss : float
        The hinge loss D of the comparators over the updates, counted in the same way.
    longest : float
        The length W of the longest v.
    last : float
        The length of the last comparator, or of the longest one.

    Returns
    -------
    float
        The lower bound on the movement S; infinity if W is 0 and the loss is below M, which cannot occur.

    Examples
    --------
    >>> least_movement(updates=8, loss=1.0, longest=2.0, last=3.0)
    0.5
    """
    if longest <= 0:
        return math.inf if updates > loss else 0.0
    return max(0.0, (updates - loss) / longest - last)


def moving_perceptron(radius: float, loss: float, last: float, movement: float) -> float:
    """Return the largest number of mistakes of a perceptron that forgets nothing, for a target that moves (M4).

    Since W <= R sqrt(M), M1 says M <= D + K sqrt(M) with K = R (|u_M| + S). The largest such M is returned.

    Parameters
    ----------
    radius : float
        The largest |x|.
    loss : float
        The hinge loss D of the comparators over the mistakes.
    last : float
        The length of the last comparator, or of the longest one.
    movement : float
        The movement S of the comparators.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> moving_perceptron(radius=1.0, loss=0.0, last=2.0, movement=1.0)
    9.0
    """
    K = radius * (last + movement)
    root = (K + math.sqrt(K * K + 4 * loss)) / 2
    return root * root


def forgetting_length(radius: float, kept: float) -> float:
    """Return R / sqrt(1 - f^2), an upper bound on |v| if every update after a mistake keeps at most f of v (M4).

    Parameters
    ----------
    radius : float
        The largest |x|.
    kept : float
        The factor f of the old weights, at least 0 and at most 1.

    Returns
    -------
    float
        The bound; infinity for f = 1.

    References
    ----------
    Cavallanti, Cesa-Bianchi and Gentile (2007), Tracking the best hyperplane with a simple budget perceptron.

    Examples
    --------
    >>> forgetting_length(radius=2.0, kept=0.6)
    2.5
    """
    return radius / math.sqrt(1 - kept * kept) if kept < 1 else math.inf
