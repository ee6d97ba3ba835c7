"""Bounds for labels that come late, docs/theory.md P.

A prediction is served by the weights v', and its label is learned when the weights are v. The delay of an update is the
number of updates between v' and v.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from novikoff._counts import counted

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


@dataclass(frozen=True)
class ServedMistakes:
    """The wrong predictions that a learner served while labels came late, and a bound on them (P2).

    The learner decides about an update when it learns, so its mistake bound is one of the updates. If its predictions
    change only by an update or by a new label, a prediction that was wrong when it was served, and right when its label
    was learned, has one of these in between; and each of them lies in between for at most ``delay`` predictions.

    Parameters
    ----------
    served : int
        Number of wrong predictions that were served.
    at_learning : int
        Number of examples whose prediction just before they were learned was wrong.
    updates : int
        Number of updates, in all binary problems.
    labels : int
        Number of different labels.
    delay : int
        The largest number of examples that were learned between a prediction and its own label.

    Examples
    --------
    >>> import novikoff as nk
    >>> stream = [([1.0], "yes"), ([-1.0], "no")] * 10
    >>> progress = nk.evaluate.progressive(nk.Perceptron(), stream, delay=3)
    >>> *_, last = progress
    >>> late = progress.served_mistakes()
    >>> late.served, late.at_learning, late.updates, late.bound
    (4, 2, 2, 14)
    """

    served: int
    at_learning: int
    updates: int
    labels: int
    delay: int

    @property
    def bound(self) -> int:
        """The largest possible number of served mistakes, L + delay (M + K)."""
        return self.at_learning + self.delay * (self.updates + self.labels)

    def explain(self) -> str:
        """Return the counts and the bound in words.

        Returns
        -------
        str
            One sentence, without a full stop.
        """
        found = f"{counted(self.served, 'wrong prediction')} served, {self.at_learning:,} when learned"
        return f"{found}; {counted(self.updates, 'update')} allow at most {self.bound:,} with a delay of {self.delay:,}"
