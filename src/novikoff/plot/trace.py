"""The two sides of the proof of the mistake bound, along the updates of a perceptron."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff._validation import check_choice
from novikoff.theory.geometry import Floats

from ._display import Display, axes, integer_ticks, two_axes
from ._legend import add_legend
from .mistakes import whole
from .palette import INK, MUTED, NEGATIVE, POSITIVE

BOUND_POINTS = 200  # of the curves of the bounds
MAX_MARKERS = 60  # updates up to which each has a marker
NEGLIGIBLE_LENGTH = 1e-12  # of v or its projection, relative to the longest
ROOM = 1.25  # of the horizontal axis beyond the bound or the last update


@dataclass(kw_only=True, repr=False)
class TraceDisplay(Display):
    """Length and progress of the weights of a perceptron, between the bounds that close in on each other.

    After M updates, M gamma <= v.v*/|v*| <= |v| <= R sqrt(M) for the perceptron. The lower bound grows faster than the
    upper bound, so there are no more updates than those at which they meet, (R/gamma)^2. A smaller figure below shows
    the angle between v and v*.

    Use ``from_trace`` to create a display.

    Parameters
    ----------
    step : ndarray of int64, of shape (n_updates,)
        The number M of the update, from 1.
    length : ndarray of shape (n_updates,)
        The length of v.
    projection : ndarray of shape (n_updates,)
        The length of v along v*. NaN without v*.
    angle : ndarray of shape (n_updates,)
        The angle between v and v*, in degrees. NaN without v*.
    bound_step : ndarray of shape (n_points,)
        Numbers of updates for the curves of the bounds. They reach from 1 to ``bound``, if it is finite.
    lower : ndarray of shape (n_points,)
        The lower bound on ``projection``, M gamma.
    upper : ndarray of shape (n_points,)
        The upper bound on ``length``.
    angle_bound : ndarray of shape (n_points,)
        The upper bound on ``angle``, whose cosine is ``lower / upper``.
    bound : float
        The largest possible number of updates; infinity if there is no bound.
    is_square_root : bool
        Whether the upper bound is R sqrt(M), as for the perceptron.
    halted : bool
        Whether the run ended because nothing was left to learn.
    scale : {"log", "linear"}, default="log"
        The scale of the axes. On logarithmic axes both bounds of the perceptron are straight lines.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the lengths, after ``plot``.
    angle_ax_ : matplotlib Axes or None
        The axes of the angle, after ``plot``. None without v*.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    See Also
    --------
    novikoff.trace : Creates a trace; its method ``plot`` draws this display.

    Examples
    --------
    >>> import novikoff as nk
    >>> from novikoff.plot import TraceDisplay
    >>> steps = nk.trace(nk.Perceptron(shuffle=False), [[1.0], [-1.0], [-2.0]], [1, 1, 0])
    >>> TraceDisplay.measure(steps)  # from_trace also draws it
    <TraceDisplay: 9 updates, at most 65>
    """

    step: NDArray[np.int64]
    length: Floats
    projection: Floats
    angle: Floats
    bound_step: Floats
    lower: Floats
    upper: Floats
    angle_bound: Floats
    bound: float
    is_square_root: bool
    halted: bool
    scale: str = "log"
    angle_ax_: Any = field(default=None, init=False)

    @classmethod
    def from_trace(cls, trace: Any, *, scale: str = "log", ax: Any = None) -> Self:
        """Take the updates of a trace and draw them.

        Parameters
        ----------
        trace : Trace
            The result of ``novikoff.trace``.
        scale : {"log", "linear"}, default="log"
            The scale of the axes. "linear" suits runs with almost as many updates as the bound. A run that has no
            place on logarithmic axes, because v returns to 0 or points away from v*, has linear ones in any case.
        ax : matplotlib Axes, default=None
            Axes of a grid. Its place is divided: they become the upper axes. By default a new figure.

        Returns
        -------
        TraceDisplay
            The display.
        """
        return cls.measure(trace, scale=scale).plot(ax=ax)

    @classmethod
    def measure(cls, trace: Any, *, scale: str = "log") -> Self:
        """Compute the display without drawing it.

        Parameters
        ----------
        trace : Trace
            The result of ``novikoff.trace``.
        scale : {"log", "linear"}, default="log"
            The scale of the axes. "linear" suits runs with almost as many updates as the bound. A run that has no
            place on logarithmic axes, because v returns to 0 or points away from v*, has linear ones in any case.

        Returns
        -------
        TraceDisplay
            The display.
        """
        check_choice(cls.__name__, "scale", scale, ("log", "linear"))
        last = trace.bound if np.isfinite(trace.bound) else float(len(trace))
        if not _is_positive(trace.length) or not _is_positive(trace.projection):
            scale = "linear"
        spaced = np.geomspace if scale == "log" else np.linspace
        numbers = spaced(1.0, max(last, 2.0), BOUND_POINTS)
        upper = trace.rule.implementation().length_bound(trace.radius, trace.margin, numbers)
        return cls(
            step=trace.step,
            length=trace.length,
            projection=trace.projection,
            angle=trace.angle,
            bound_step=numbers,
            lower=numbers * trace.margin,
            upper=upper,
            angle_bound=np.degrees(np.arccos(np.clip(numbers * trace.margin / upper, -1.0, 1.0))),
            bound=trace.bound,
            is_square_root=bool(np.allclose(upper, trace.radius * np.sqrt(numbers))),
            halted=trace.halted,
            scale=scale,
        )

    @property
    def has_comparator(self) -> bool:
        """Whether there is a vector v* to compare with."""
        return bool(np.isfinite(self.angle).any())

    @property
    def most(self) -> int | None:
        """The largest integer up to ``bound``; None if there is no bound."""
        return whole(self.bound) if math.isfinite(self.bound) else None

    def _summary(self) -> str:
        most = "" if self.most is None else f", at most {self.most:,}"
        return f"{counted(len(self.step), 'update')}{most}"

    def _draw(self, ax: Any) -> Any:
        where = type(self).__name__
        if not self.has_comparator:
            upper, self.angle_ax_ = axes(where, ax), None
            self._draw_lengths(upper)
            upper.set(xlabel="updates $M$")
            add_legend(upper)
            return upper
        upper, lower = two_axes(where, ax, size=(7.0, 6.0), heights=(5, 2))
        self.angle_ax_ = lower
        self._draw_lengths(upper)
        lower.plot(
            self.bound_step,
            self.angle_bound,
            color=MUTED,
            lw=1.5,
            ls="--",
            label="upper bound on the angle of $v$ and $v^*$",
        )
        lower.plot(self.step, self.angle, color=INK, lw=2, **self._markers())
        lower.set(xlabel="updates $M$", ylabel="angle (°)", ylim=(0, None))
        add_legend(upper, lower)
        return upper

    def _draw_lengths(self, ax: Any) -> None:
        """Draw the four lines of the proof, and where the bounds meet."""
        name = r"$R\sqrt{M} \geq |v|$" if self.is_square_root else r"upper bound $\geq |v|$"
        if np.isfinite(self.upper).all():
            ax.plot(self.bound_step, self.upper, color=NEGATIVE, lw=1.5, ls="--", label=name)
        ax.plot(self.step, self.length, color=NEGATIVE, lw=2, label="$|v|$", **self._markers())
        if self.has_comparator:
            ax.plot(self.step, self.projection, color=POSITIVE, lw=2, label=r"$v \cdot v^*/|v^*|$", **self._markers())
        if self.lower[0] > 0:
            ax.plot(
                self.bound_step, self.lower, color=POSITIVE, lw=1.5, ls="--", label=r"$M \gamma \leq v \cdot v^*/|v^*|$"
            )
            if np.isfinite(self.upper).all():
                look = {"color": MUTED, "alpha": 0.12, "linewidth": 0, "where": self.upper >= self.lower}
                ax.fill_between(self.bound_step, self.lower, self.upper, **look)
        if np.isfinite(self.bound):
            formula = r"$(R/\gamma)^2$: " if self.is_square_root else ""
            ax.axvline(self.bound, color=INK, lw=1, ls=":", label=f"{formula}at most {self.most:,} updates")
        if len(self.step):
            end = "halted" if self.halted else "last shown"
            words = f"{end}: $M$ = {len(self.step):,}"
            ax.plot(self.step[-1:], self.length[-1:], "o", color=INK, ms=6, label=words)
        last = max(len(self.step), 2, self.bound if np.isfinite(self.bound) else 0)
        ax.set(
            xscale=self.scale, yscale=self.scale, ylabel="length", xlim=(1 if self.scale == "log" else 0, ROOM * last)
        )
        if self.scale == "linear":
            ax.set(ylim=(0, None))
            integer_ticks(ax.xaxis)

    def _markers(self) -> dict[str, Any]:
        """Return the look of single updates, if there are few."""
        return {"marker": ".", "markersize": 6} if len(self.step) <= MAX_MARKERS else {}


def _is_positive(lengths: Floats) -> bool:
    """Whether all lengths that are known are positive, and not only by a rounding error."""
    known = lengths[np.isfinite(lengths)]
    return bool(np.all(known > NEGLIGIBLE_LENGTH * np.max(known, initial=0.0)))
