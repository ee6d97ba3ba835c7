"""The table of the updates of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._html import table
from novikoff.errors import input_error
from novikoff.plot import TraceDisplay
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.geometry import Floats, Matrix
from novikoff.theory.rules import Rule

FIRST_SHOWN, LAST_SHOWN = 10, 5  # updates in the text and in the HTML
MAX_SHOWN_WEIGHTS = 4  # coordinates of v in the text and in the HTML
MAX_FRAME_WEIGHTS = 50  # coordinates of v in the data frame
ROUNDING = 1e-9  # relative to the larger side; the inequalities are compared up to it
SUM_ROUNDING = 64 * EPS  # relative to the lengths of the vectors that were added, which may cancel each other
COLUMNS = (
    "step",
    "example",
    "label",
    "score",
    "is_mistake",
    "lower",
    "projection",
    "length",
    "upper",
    "angle",
    "margin_bound",
)
COMPARED = ("lower", "projection", "angle")  # columns that need v*


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The updates of a perceptron, with both sides of the proof of its mistake bound.

    Row k of each array is about update M = k + 1. u is the example as the learner sees it: (x, 1) with an intercept,
    scaled to unit length with ``normalize``, and with a private feature with ``slack_feature``. v is the sum of the
    vectors y u of all updates so far, and v* is ``comparator``. Use ``novikoff.trace`` to create a trace.

    Parameters
    ----------
    step : ndarray of int64, of shape (n_updates,)
        The number M of the update, from 1.
    example : ndarray of int64, of shape (n_updates,)
        The row that was learned from.
    label : ndarray of shape (n_updates,)
        Its label.
    sign : ndarray of shape (n_updates,)
        Its label as y, -1 or +1.
    score : ndarray of shape (n_updates,)
        The score y v.u before the update.
    is_mistake : ndarray of bool, of shape (n_updates,)
        Whether the row was predicted wrongly. Otherwise its margin was smaller than the learner wants.
    threshold : ndarray of shape (n_updates,)
        The score up to which the learner updates: 0 for the perceptron, theta |v| for the margin perceptron.
    v : ndarray of shape (n_updates, n_weights)
        The vector v after the update: the weights, the intercept if there is one, and the weights of the private
        features if there are any.
    length : ndarray of shape (n_updates,)
        The length of v.
    projection : ndarray of shape (n_updates,)
        The length of v along v*, which is v.v* / abs(v*).
    angle : ndarray of shape (n_updates,)
        The angle between v and v*, in degrees.
    angle_bound : ndarray of shape (n_updates,)
        An upper bound on it, the angle whose cosine is ``lower / upper``.
    lower : ndarray of shape (n_updates,)
        The product M gamma, which is at most ``projection``.
    upper : ndarray of shape (n_updates,)
        An upper bound on ``length`` that follows from M, R and gamma: R sqrt(M) for the perceptron.
    step_bound : ndarray of shape (n_updates,)
        An upper bound on ``length`` that follows from the length L before the update: L + R^2 / (2 L) + theta, where
        theta is the threshold divided by L. It is R for the first update.
    margin_bound : ndarray of shape (n_updates,)
        The quotient abs(v) / M, an upper bound on the margin of every separator.
    radius : float
        The largest abs(u), called R.
    margin : Margin or float
        The smallest y v*.u / abs(v*), called gamma, in the geometry of the learner. Negative if v* does not separate
        the rows, and NaN without v*.
    bound : float
        The largest possible number of updates, (R / gamma)^2 for the perceptron. Infinity if gamma is not positive, or
        if it is not above the margin that the learner asks for.
    comparator : ndarray of shape (n_weights,) or None
        The vector v*. None if no plane separates the rows and no other vector was given; what depends on it is NaN.
    halted : bool
        Whether the run ended because nothing was left to learn.
    is_cut : bool
        Whether the run had more updates than ``max_updates``.
    pick : str
        How the next row was chosen.
    learner : str
        The class of the learner.
    rule : Rule
        How it updates.
    names : tuple of str
        The names of the coordinates of v.

    See Also
    --------
    novikoff.trace : Creates a trace.

    Examples
    --------
    >>> import novikoff as nk
    >>> steps = nk.trace(nk.Perceptron(shuffle=False), [[1.0], [-1.0], [-2.0]], [1, 1, 0])
    >>> len(steps), steps.halted, steps.holds
    (9, True, True)
    >>> steps.example[:3], steps.score[:3]
    (array([0, 1, 2]), array([ 0.,  0., -2.]))
    """

    step: NDArray[np.int64]
    example: NDArray[np.int64]
    label: NDArray[Any]
    sign: Floats
    score: Floats
    is_mistake: NDArray[np.bool_]
    threshold: Floats
    v: Matrix
    length: Floats
    projection: Floats
    angle: Floats
    angle_bound: Floats
    lower: Floats
    upper: Floats
    step_bound: Floats
    margin_bound: Floats
    radius: float
    margin: float
    bound: float
    comparator: Floats | None
    halted: bool
    is_cut: bool
    pick: str
    learner: str
    rule: Rule
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.step)

    @property
    def update(self) -> Matrix:
        """The vector y u of each update: the difference of v after and before it."""
        return np.diff(self.v, axis=0, prepend=np.zeros((1, self.v.shape[1])))

    @property
    def holds(self) -> bool:
        """Whether the inequalities of the proof hold in every row, up to rounding.

        They are M margin <= lower <= projection <= length <= upper, length <= step_bound, margin <= margin_bound and
        M <= bound. Those that need v* are left out if there is none.
        """
        total = SUM_ROUNDING * self.radius * self.step  # of the rounding errors of v
        pairs: list[tuple[Any, Any, Any]] = [(self.length, self.upper, 0.0), (self.length, self.step_bound, 0.0)]
        if self.comparator is not None:
            pairs += [(self.step * float(self.margin), self.lower, 0.0), (self.lower, self.projection, total)]
            pairs += [(self.projection, self.length, 0.0), (float(self.margin), self.margin_bound, total / self.step)]
            pairs.append((self.step, self.bound, 0.0))
        return all(bool(np.all(small <= large + ROUNDING * np.abs(large) + slack)) for small, large, slack in pairs)

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per update and one column per array; v has a column for each coordinate if there are at most 50.
        """
        try:
            import pandas as pd  # type: ignore[import-untyped]  # pandas has no types of its own
        except ModuleNotFoundError as error:
            raise input_error("trace", "to_frame needs pandas. Install it with: pip install pandas.") from error
        columns = {name: value for name, value in vars(self).items() if np.ndim(value) == 1 and len(value) == len(self)}
        columns.pop("comparator", None)
        columns.pop("names", None)
        if len(self.names) <= MAX_FRAME_WEIGHTS:
            columns |= {f"v[{name}]": self.v[:, place] for place, name in enumerate(self.names)}
        return pd.DataFrame(columns)

    def plot(self, ax: Any = None) -> TraceDisplay:
        """Draw both sides of the proof, which close in on each other at M = ``bound``.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes of a grid. Its place is divided: they become the upper axes. By default a new figure.

        Returns
        -------
        TraceDisplay
            The display.
        """
        return TraceDisplay.from_trace(self, ax=ax)

    def summary(self) -> str:
        """Return what the run and the theorem say, in two sentences.

        Returns
        -------
        str
            The number of updates, whether the run halted, R, gamma and the bound.
        """
        updates = f"{len(self):,} update{'' if len(self) == 1 else 's'}"
        if self.is_cut:
            end = f"the first {updates} of a longer run"
        else:
            end = f"{updates}, {'then nothing was left to learn' if self.halted else 'and it did not halt'}"
        start = f'{self.learner}, pick="{self.pick}": {end}.'
        if self.comparator is None:
            return f"{start} No plane separates the rows, so the theorem gives no bound."
        known = f"R = {self.radius:.6g} and gamma = {self.margin:.6g}"
        if not np.isfinite(self.bound):
            return f"{start} With {known}, the theorem gives no bound."
        return f"{start} With {known}, there are at most {math.floor(self.bound * (1 + ROUNDING)):,}."

    def _table(self) -> Iterator[list[str]]:
        """Yield the header and the rows to be shown, as text; a row of dots stands for those that are left out."""
        shown = COLUMNS[:5] + (("v",) if len(self.names) <= MAX_SHOWN_WEIGHTS else ()) + COLUMNS[5:]
        shown = tuple(name for name in shown if self.comparator is not None or name not in COMPARED)
        yield list(shown)
        rows = list(range(len(self)))
        if len(rows) > FIRST_SHOWN + LAST_SHOWN + 1:
            rows = [*rows[:FIRST_SHOWN], -1, *rows[-LAST_SHOWN:]]
        for row in rows:
            yield ["..."] * len(shown) if row < 0 else [_cell(name, getattr(self, name)[row]) for name in shown]

    def __str__(self) -> str:
        table = list(self._table())
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
        return "\n".join([self.summary(), *lines])

    def __repr__(self) -> str:
        return f"<Trace: {self.summary()}>"

    def _repr_html_(self) -> str:
        header, *rows = self._table()
        return table(self.summary(), rows, header, is_numeric=True)


def _cell(name: str, value: Any) -> str:
    """Return one entry of the table as text."""
    if name == "v":
        return "(" + ", ".join(f"{number:.4g}" for number in value.tolist()) + ")"
    if name == "is_mistake":
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float | np.floating) else str(value)
