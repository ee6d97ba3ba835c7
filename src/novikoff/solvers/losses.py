"""Losses of the soft margin: the contract, the hinge and the squared hinge, and their registry."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

import novikoff._core as _core
from novikoff._registry import Registry
from novikoff.theory.geometry import Floats


class Loss(ABC):
    """A loss l(r) of the slack r = 1 - margin, with a quadratic conjugate.

    It has the form l(r) = max over 0 <= alpha <= top of alpha r - ridge/2 alpha^2. The value and the derivative of a
    single row are computed by the kernels, which know the loss by its name (``cpp/include/novikoff/losses.hpp``).

    Attributes
    ----------
    name : str
        The name in the registry, in the parameters of the estimators, in certificates and in the kernels.
    top : float
        The largest derivative of the loss: the upper bound of alpha. It may be infinite.
    ridge : float
        The curvature of the conjugate. It is 0 if the loss is piecewise linear; then Newton's method needs smoothing.
    """

    name: str

    def __init__(self) -> None:
        self.top, self.ridge = _core.losses()[self.name]

    @abstractmethod
    def best_constant(self, positive: float, negative: float) -> tuple[float, float]:
        """Return the intercept b that minimises positive l(1 - b) + negative l(1 + b), and that minimum.

        Parameters
        ----------
        positive, negative : float
            The total costs of the two classes.
        """

    def derivative(self, slack: Floats) -> Floats:
        """Return l' at each slack, for smooth losses."""
        return np.clip(slack / self.ridge, 0.0, self.top)

    def response(self, width: float) -> _core.Response:
        """Return alpha as a function of the margin, smoothed to a ramp of this width around earlier values of alpha.

        A width equal to ``ridge`` is the loss itself; an infinite one leaves alpha as it is.
        """
        return _core.Response(width, self.top, 1 - self.ridge / width)


class Hinge(Loss):
    """The hinge, l(r) = max(0, r)."""

    name = "hinge"

    def best_constant(self, positive: float, negative: float) -> tuple[float, float]:
        return math.copysign(1.0, positive - negative), 2 * min(positive, negative)


class SquaredHinge(Loss):
    """The squared hinge, l(r) = max(0, r)^2."""

    name = "squared_hinge"

    def best_constant(self, positive: float, negative: float) -> tuple[float, float]:
        total = positive + negative
        return (positive - negative) / total, 4 * positive * (negative / total)


LOSSES: Registry[Loss] = Registry("loss", {loss.name: loss for loss in (Hinge(), SquaredHinge())})
