"""Bounds on the updates of second-order learners, docs/theory.md L.

A learner made updates with the examples x_t and the signs y_t. From these alone come v = sum y_t x_t and the matrix
A = a I + sum x_t x_t', or its diagonal. For a comparator u, D is the sum of its hinge losses max(0, 1 - y_t u.x_t) over
the updates.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class SecondOrderSums(NamedTuple):
    """What the bounds need to know of the updates and of a comparator u.

    Parameters
    ----------
    updates : int
        The number of updates.
    loss : float
        The hinge loss D of u over the updates.
    comparator : float
        The value u'Au.
    model : float
        The value v'A^-1 v.
    log_det : float
        The value log det(A/a).

    Examples
    --------
    >>> sums_of([[1.0]], [1], u=[1.0], a=1.0).comparator
    2.0
    """

    updates: int
    loss: float
    comparator: float
    model: float
    log_det: float


def sums_of(rows: ArrayLike, signs: ArrayLike, u: ArrayLike, a: float, *, diagonal: bool = False) -> SecondOrderSums:
    """Return the sums over the updates that the bounds of this module take.

    Parameters
    ----------
    rows : array-like of shape (n_updates, n_features)
        The examples x_t of the updates, and no others.
    signs : array-like of shape (n_updates,)
        Their labels y_t, -1 or +1.
    u : array-like of shape (n_features,)
        The comparator.
    a : float
        The positive number a.
    diagonal : bool, default=False
        Whether A is a I + diag(sum x_t^2) instead of the full matrix.

    Returns
    -------
    SecondOrderSums
        The sums, computed with NumPy; their rounding errors are not bounded.

    Examples
    --------
    >>> sums_of([[1.0, 0.0], [0.0, 2.0]], [1, -1], u=[1.0, 0.0], a=1.0)[:4]
    (2, 1.0, 2.0, 1.3)
    """
    X, y, plane = (np.asarray(values, dtype=np.float64) for values in (rows, signs, u))
    loss = float(np.maximum(0.0, 1.0 - y * (X @ plane)).sum())
    v = y @ X
    if diagonal:
        added = (X * X).sum(axis=0)
        model, log_det = float((v * v / (a + added)).sum()), float(np.log1p(added / a).sum())
        comparator = float(plane * plane @ (a + added))
    else:
        A = a * np.eye(X.shape[1]) + X.T @ X
        model, log_det = float(v @ np.linalg.solve(A, v)), float(np.linalg.slogdet(A / a)[1])
        comparator = float(plane @ A @ plane)
    return SecondOrderSums(len(y), loss, comparator, model, log_det)


def updates_bound(loss: float, comparator: float, model: float) -> float:
    """Return D + sqrt(u'Au) sqrt(v'A^-1 v), the largest number of updates, whatever caused them (L1).

    Hypotheses: v is the sum of y x over the updates, and A is any positive definite matrix, the same in both factors.

    Parameters
    ----------
    loss : float
        The hinge loss D of the comparator over the updates.
    comparator : float
        The value u'Au.
    model : float
        The value v'A^-1 v.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> updates_bound(loss=1.0, comparator=2.0, model=8.0)
    5.0
    """
    return loss + math.sqrt(comparator * model)


def second_order_perceptron(loss: float, comparator: float, log_det: float) -> float:
    """Return D + sqrt(u'Au log det(A/a)), the largest number of mistakes of the second-order perceptron (L2, L4).

    Hypotheses: an update is made only if y v'B^-1 x <= 0, where v belongs to the updates before. For the full matrix B
    is A before or after x x' is added, which have the same sign. For the diagonal it must be the one after.

    Parameters
    ----------
    loss : float
        The hinge loss D of the comparator over the mistakes.
    comparator : float
        The value u'Au.
    log_det : float
        The value log det(A/a).

    Returns
    -------
    float
        The bound.

    References
    ----------
    Cesa-Bianchi, Conconi and Gentile (2005), A second-order perceptron algorithm, theorem 3.1.

    Examples
    --------
    >>> second_order_perceptron(loss=1.0, comparator=2.0, log_det=8.0)
    5.0
    """
    return updates_bound(loss, comparator, log_det)


def diagonal_factor(largest: float, a: float) -> float:
    """Return B / log(1 + B) with B = x_max^2 / a, a factor of log det(A/a) that makes L4 hold for the matrix before.

    Parameters
    ----------
    largest : float
        The largest absolute value in an example, x_max.
    a : float
        The positive number a.

    Returns
    -------
    float
        The factor, at least 1.

    Examples
    --------
    >>> round(diagonal_factor(largest=1.0, a=1.0), 4)
    1.4427
    """
    B = largest * largest / a
    return B / math.log1p(B) if B > 0 else 1.0


def arow(loss: float, comparator: float, log_det: float, corrections: int) -> float:
    """Return the largest number of mistakes of AROW with the full matrix (L3).

    It is D - U + sqrt(u'Au) sqrt(log det(A/r) + U), where A = r I + sum x x' over all updates, and U of them were
    corrections: their score had the right sign, but was below 1. For the diagonal matrix this is not a bound.

    Parameters
    ----------
    loss : float
        The hinge loss D of the comparator over all updates.
    comparator : float
        The value u'Au.
    log_det : float
        The value log det(A/r).
    corrections : int
        The number U of updates that did not follow a mistake.

    Returns
    -------
    float
        The bound.

    References
    ----------
    Crammer, Kulesza and Dredze (2009), Adaptive regularization of weight vectors, theorem 2.

    Examples
    --------
    >>> arow(loss=1.0, comparator=2.0, log_det=6.0, corrections=2)
    3.0
    """
    return updates_bound(loss, comparator, log_det + corrections) - corrections
