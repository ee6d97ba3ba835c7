"""Bounds for labels that come late, docs/theory.md P.

A prediction is served by the weights v', and its label is learned when the weights are v. The delay of an update is the
number of updates between v' and v.
"""

from __future__ import annotations

import math

from . import bounds, margin_value


def delayed_perceptron(radius: float, margin: float, delay: int) -> float:
    """Return (1 + 2 tau) (R/gamma)^2, the largest number of served mistakes if each of them is an update (P1).

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float or Margin
        The margin gamma of a separator of the examples.
    delay : int
        The largest delay tau, in updates. The number of labels that are outstanding at a time is never smaller.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive.

    Examples
    --------
    >>> delayed_perceptron(radius=1.0, margin=0.5, delay=3)
    28.0
    """
    return (1 + 2 * delay) * bounds.novikoff(radius, margin)


def delayed_perceptron_total(radius: float, margin: float, total: float) -> float:
    """Return the bound of ``delayed_perceptron`` with the sum of the delays instead of the largest one (P1).

    It is the largest M with gamma^2 M^2 <= R^2 (M + 2 T), where T is the sum of the delays of all updates.

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float or Margin
        The margin gamma of a separator of the examples.
    total : float
        The sum T of the delays.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive.

    Examples
    --------
    >>> delayed_perceptron_total(radius=1.0, margin=0.5, total=4)
    8.0
    """
    s = bounds.novikoff(radius, margin_value.margin_number("delayed_perceptron_total", margin))
    return (s + math.sqrt(s * s + 8 * s * total)) / 2 if s < math.inf else math.inf


def served_mistakes(updates: float, outstanding: int) -> float:
    """Return (1 + tau) M, the largest number of served mistakes if the score at learning time decides (P2).

    Parameters
    ----------
    updates : float
        The number of updates M, or a bound on it such as (R/gamma)^2.
    outstanding : int
        The largest number tau of labels that are learned between a prediction and its own label.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> served_mistakes(updates=5, outstanding=2)
    15
    """
    return (1 + outstanding) * updates
