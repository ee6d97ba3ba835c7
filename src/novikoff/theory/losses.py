"""The losses behind the linear classifiers, as functions of the score y v.u, and their subgradients.

The perceptron is stochastic subgradient descent with rate 1 on the perceptron loss (docs/theory.md, A6), and the soft
margin minimises the sum of the hinge or of the squared hinge, with a penalty on the length of the weights (E3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from novikoff._registry import Registry
from novikoff.errors import input_error, quote

from .geometry import Floats, Matrix

TIES = ("mistake", "correct", "positive")


@dataclass(frozen=True)
class MarginLoss:
    """The loss max(0, kink - m)^power of a score m = y v.u.

    Parameters
    ----------
    name : str
        The name in the registry ``LOSSES`` and in the parameters of the estimators.
    kink : float
        The score from which on the loss is 0.
    power : {1, 2}
        The exponent. With 1, the loss has no derivative at the kink.

    See Also
    --------
    novikoff.Perceptron : Descends on the perceptron loss.
    novikoff.LinearSVM : Minimises the hinge or the squared hinge.

    Examples
    --------
    >>> from novikoff.theory import losses
    >>> losses.hinge.value([-1.0, 0.0, 1.0, 2.0])
    array([2., 1., 0., 0.])
    >>> losses.hinge.subgradient([-1.0, 1.0, 2.0])
    array([-1., -1.,  0.])
    >>> losses.hinge.subdifferential(1.0)
    (array(-1.), array(0.))
    """

    name: str
    kink: float
    power: int

    def value(self, score: ArrayLike) -> Floats:
        """Return the loss of each score.

        Parameters
        ----------
        score : array-like
            Scores y v.u.

        Returns
        -------
        ndarray
            The losses, of the same shape.
        """
        short = np.maximum(0.0, self.kink - np.asarray(score, dtype=np.float64))
        return short if self.power == 1 else short * short

    def subdifferential(self, score: ArrayLike) -> tuple[Floats, Floats]:
        """Return the smallest and the largest slope of a line that touches the loss from below at each score.

        Parameters
        ----------
        score : array-like
            Scores y v.u.

        Returns
        -------
        low, high : ndarray
            The slopes to the left and to the right of each score. They differ only at the kink of a loss of power 1.
        """
        short = self.kink - np.asarray(score, dtype=np.float64)
        if self.power == 1:
            return np.where(short >= 0, -1.0, 0.0), np.where(short > 0, -1.0, 0.0)
        slope = -2 * np.maximum(0.0, short) + 0.0  # -0 becomes 0
        return slope, slope

    def subgradient(self, score: ArrayLike, *, tie: str = "mistake", y: ArrayLike | None = None) -> Floats:
        """Return a subgradient of the loss at each score: its derivative, or at the kink the slope that ``tie`` names.

        The subgradient with respect to v is this number times y u. With the perceptron loss, ``tie`` has the meaning of
        the parameter of ``Perceptron``.

        Parameters
        ----------
        score : array-like
            Scores y v.u.
        tie : {"mistake", "correct", "positive"}, default="mistake"
            The slope at the kink: "mistake" for that to the left, where examples have a loss; "correct" for that to
            the right, 0; "positive" for "correct" where y is +1, and "mistake" where it is -1.
        y : array-like, default=None
            Labels -1 and +1, of the shape of ``score``. Only "positive" needs them.

        Returns
        -------
        ndarray
            The slopes, of the same shape.
        """
        where = f"{self.name} loss"
        if tie not in TIES:
            raise input_error(where, f'tie must be "mistake", "correct" or "positive", but it is {quote(tie)}.')
        if tie == "positive" and y is None:
            raise input_error(where, 'tie="positive" depends on the labels. Pass them as y.')
        low, high = self.subdifferential(score)
        if tie == "positive":
            return np.where(np.asarray(y) > 0, high, low)
        return low if tie == "mistake" else high


perceptron = MarginLoss("perceptron", kink=0.0, power=1)
hinge = MarginLoss("hinge", kink=1.0, power=1)
squared_hinge = MarginLoss("squared_hinge", kink=1.0, power=2)

LOSSES: Registry[MarginLoss] = Registry("margin loss", {loss.name: loss for loss in (perceptron, hinge, squared_hinge)})


def subgradient_descent(
    loss: MarginLoss, U: ArrayLike, y: ArrayLike, *, rate: float = 1.0, tie: str = "mistake"
) -> Matrix:
    """Visit examples once, in their order, and move against a subgradient of the loss of each.

    v starts at 0, and v -= rate l'(y v.u) y u for each example. With the perceptron loss and rate 1 these are the
    updates of the perceptron, ties included.

    Parameters
    ----------
    loss : MarginLoss
        The loss l.
    U : array-like of shape (n_samples, n_weights)
        The vectors u, with a column of ones if there is an intercept.
    y : array-like of shape (n_samples,)
        Labels -1 and +1.
    rate : float, default=1.0
        The length of a step, in multiples of the subgradient.
    tie : {"mistake", "correct", "positive"}, default="mistake"
        The subgradient at the kink, as in ``MarginLoss.subgradient``.

    Returns
    -------
    ndarray of shape (n_samples, n_weights)
        v after each example.

    Examples
    --------
    >>> from novikoff.theory import losses
    >>> losses.subgradient_descent(losses.perceptron, [[2.0], [1.0], [-1.0]], [1, -1, 1])
    array([[2.],
           [1.],
           [0.]])
    """
    rows, signs = np.asarray(U, dtype=np.float64), np.asarray(y, dtype=np.float64)
    path, v = np.zeros(rows.shape), np.zeros(rows.shape[1])
    for i, (u, sign) in enumerate(zip(rows, signs, strict=True)):
        z = sign * u
        v = v - rate * loss.subgradient(v @ z, tie=tie, y=sign) * z
        path[i] = v
    return path
