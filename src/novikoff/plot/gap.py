"""The two sides of the optimum, closing in on each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from novikoff._validation import check_choice
from novikoff.errors import invalid
from novikoff.theory.geometry import Floats

from ._axes import two_axes
from ._question import ask
from .palette import INK, MUTED, NEGATIVE, POSITIVE

SHOWN = 4.0  # times the last objective: what was above it early on would press the rest together


@dataclass(kw_only=True)
class GapDisplay:
    """The least objective found and the largest lower bound proved, as the solver of a ``LinearSVM`` went on.

    The optimum lies between them at every step. 0 is a lower bound from the start.

    Parameters
    ----------
    x : steps of the solver, or seconds
    primal : the least objective so far
    dual : the largest lower bound so far
    tol : the relative gap that was asked for
    unit : "step" or "time"

    Attributes
    ----------
    ax_, gap_ax_, figure_ : matplotlib's, once it is drawn: of the two sides, of the gap between them, of both

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import GapDisplay
    >>> model = LinearSVM().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> display = GapDisplay.measure(model)  # from_estimator draws it, too
    >>> bool((display.primal >= display.dual).all()), bool(display.gap[-1] <= display.tol)
    (True, True)
    """

    x: Floats
    primal: Floats
    dual: Floats
    tol: float
    unit: str
    ax_: Any = field(default=None, init=False, repr=False)
    gap_ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @property
    def gap(self) -> Floats:
        """The relative gap, (primal - dual) / primal."""
        return np.divide(self.primal - self.dual, self.primal, out=np.zeros(len(self.x)), where=self.primal > 0)

    @property
    def top(self) -> float:
        """The objective up to which is drawn."""
        return 1.05 * min(float(self.primal[0]), SHOWN * float(self.primal[-1])) or 1.0

    @property
    def axis_name(self) -> str:
        """What the horizontal axis shows."""
        return "steps of the solver" if self.unit == "step" else "seconds"

    @classmethod
    def from_estimator(cls, estimator: Any, *, class_: Any = None, unit: str = "step", ax: Any = None) -> Self:
        """Take what a fitted ``LinearSVM`` remembers of its fit, and draw it.

        Parameters
        ----------
        estimator : a fitted classifier with ``history_`` and a ``GapCertificate``
        class_ : the class that is told from the rest, where there are more than two; by default the first
        unit : "step" or "time"
        ax : axes to divide in two, of a grid as ``plt.subplots`` makes them; new ones if None
        """
        return cls.measure(estimator, class_=class_, unit=unit).plot(ax=ax)

    @classmethod
    def measure(cls, estimator: Any, *, class_: Any = None, unit: str = "step") -> Self:
        """The same as ``from_estimator``, but not drawn."""
        where = "GapDisplay.from_estimator"
        check_choice(where, "unit", unit, ("step", "time"))
        question = ask(where, estimator, class_)
        history, certificate = getattr(estimator, "history_", None), question.certificate
        history = history[question.column] if isinstance(history, list) else history
        if history is None or len(history) == 0 or certificate is None:
            raise invalid(where, "A LinearSVM, with history_.", type(estimator).__name__)
        return cls(
            x=np.asarray(history[unit], dtype=np.float64),
            primal=np.minimum.accumulate(np.asarray(history["primal"], dtype=np.float64)),
            dual=np.maximum(np.maximum.accumulate(np.asarray(history["dual"], dtype=np.float64)), 0.0),
            tol=certificate.stated()["tol"],
            unit=unit,
        )

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, with matplotlib."""
        self.ax_, self.gap_ax_ = upper, lower = two_axes("GapDisplay.plot", ax)
        self.figure_ = upper.figure
        look: dict[str, Any] = {"where": "post", "lw": 1.8}
        upper.step(self.x, self.primal, color=NEGATIVE, label="objective, the least so far", **look)
        upper.step(self.x, self.dual, color=POSITIVE, label="lower bound, the largest so far", **look)
        upper.fill_between(self.x, self.dual, self.primal, step="post", color=MUTED, alpha=0.12, linewidth=0)
        upper.set(ylabel="objective", ylim=(0.0, self.top))
        upper.legend(frameon=False)
        positive = self.gap > 0
        lower.step(self.x[positive], self.gap[positive], color=INK, **look)
        lower.axhline(self.tol, color=MUTED, lw=1, ls="--", label=f"asked for: {self.tol:g}")
        lower.set(yscale="log", ylabel="relative gap", xlabel=self.axis_name)
        lower.legend(frameon=False)
        return self
