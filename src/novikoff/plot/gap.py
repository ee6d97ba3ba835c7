"""Objective and lower bound of a solver, as they approach each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from novikoff._validation import check_choice
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

from ._display import Display, two_axes
from ._legend import add_legend
from ._problem import binary_problem
from .palette import INK, MUTED, NEGATIVE, POSITIVE

MAX_OBJECTIVE_RATIO = 4.0  # of the first objective drawn to the last; larger ones would flatten the rest of the curve


@dataclass(kw_only=True, repr=False)
class GapDisplay(Display):
    """Lowest objective and highest lower bound found by the solver of a ``LinearSVM``, over its steps.

    The optimal objective value lies between the two at every step. The lower bound starts at 0.

    Use ``from_estimator`` to create a display.

    Parameters
    ----------
    x : ndarray of shape (n_records,)
        Steps of the solver, or seconds.
    primal : ndarray of shape (n_records,)
        The lowest objective so far.
    dual : ndarray of shape (n_records,)
        The highest lower bound so far.
    tol : float
        The relative gap at which the solver stops.
    unit : {"step", "time"}
        The unit of x.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of objective and lower bound, after ``plot``.
    gap_ax_ : matplotlib Axes
        The axes of the relative gap, after ``plot``.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import GapDisplay
    >>> model = LinearSVM(loss="hinge").fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> display = GapDisplay.measure(model)  # from_estimator also draws it
    >>> bool((display.primal >= display.dual).all()), bool(display.gap[-1] <= display.tol)
    (True, True)
    """

    x: Floats
    primal: Floats
    dual: Floats
    tol: float
    unit: str
    gap_ax_: Any = field(default=None, init=False)

    @property
    def gap(self) -> Floats:
        """The relative gap, (primal - dual) / primal."""
        return np.divide(self.primal - self.dual, self.primal, out=np.zeros(len(self.x)), where=self.primal > 0)

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the objective's axis."""
        low, high = float(self.dual[0]), min(float(self.primal[0]), MAX_OBJECTIVE_RATIO * float(self.primal[-1]))
        padding = 0.1 * (high - low)
        return max(0.0, low - padding), (high + padding) or 1.0

    @property
    def axis_name(self) -> str:
        """The label of the horizontal axis."""
        return "solver step" if self.unit == "step" else "seconds"

    @classmethod
    def from_estimator(cls, estimator: Any, *, class_: Any = None, unit: str = "step", ax: Any = None) -> Self:
        """Take the history of a fitted ``LinearSVM`` and draw it.

        Parameters
        ----------
        estimator : estimator
            A fitted ``LinearSVM`` or ``LinearSVMCV``.
        class_ : label or pair of labels, default=None
            The class of the binary problem to draw. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.
        unit : {"step", "time"}, default="step"
            The unit of the horizontal axis.
        ax : matplotlib Axes, default=None
            Axes of a grid. Its place is divided: they become the upper axes. By default a new figure.

        Returns
        -------
        GapDisplay
            The display.
        """
        return cls.measure(estimator, class_=class_, unit=unit).plot(ax=ax)

    @classmethod
    def measure(cls, estimator: Any, *, class_: Any = None, unit: str = "step") -> Self:
        """Compute the display without drawing it.

        Parameters
        ----------
        estimator : estimator
            A fitted ``LinearSVM`` or ``LinearSVMCV``.
        class_ : label or pair of labels, default=None
            The class of the binary problem to draw. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.
        unit : {"step", "time"}, default="step"
            The unit of the horizontal axis.

        Returns
        -------
        GapDisplay
            The display.
        """
        where = cls.__name__
        check_choice(where, "unit", unit, ("step", "time"))
        record = binary_problem(where, estimator, class_).record
        if record is None or record.history is None or record.certificate is None or len(record.history) == 0:
            raise input_error(
                where, f"the history of a solver is needed, and {type(estimator).__name__} has none. Use a LinearSVM."
            )
        history = record.history
        primal = np.minimum.accumulate(np.asarray(history["primal"], dtype=np.float64))
        dual = np.maximum(np.maximum.accumulate(np.asarray(history["dual"], dtype=np.float64)), 0.0)
        return cls(
            x=np.asarray(history[unit], dtype=np.float64),
            primal=primal,
            dual=np.minimum(dual, primal),  # rounding may put the best of the bounds above the best objective
            tol=record.certificate.stated()["tol"],
            unit=unit,
        )

    def _summary(self) -> str:
        return f"relative gap {self.gap[-1]:.2g}, tol {self.tol:g}"

    def _draw(self, ax: Any) -> Any:
        upper, lower = two_axes(type(self).__name__, ax)
        self.gap_ax_ = lower
        look: dict[str, Any] = {"where": "post", "lw": 1.8}
        upper.step(self.x, self.primal, color=NEGATIVE, label="objective (best so far)", **look)
        upper.step(self.x, self.dual, color=POSITIVE, label="lower bound (best so far)", **look)
        upper.fill_between(self.x, self.dual, self.primal, step="post", color=MUTED, alpha=0.12, linewidth=0)
        upper.set(ylabel="objective", ylim=self.limits)
        positive = self.gap > 0
        lower.step(self.x[positive], self.gap[positive], color=INK, **look)
        lower.axhline(self.tol, color=MUTED, lw=1, ls="--", label=f"tol = {self.tol:g}")
        lower.set(yscale="log", ylabel="relative gap", xlabel=self.axis_name)
        add_legend(upper, lower)
        return upper
