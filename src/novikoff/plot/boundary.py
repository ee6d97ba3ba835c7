"""The decision line with its margin, in two dimensions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._validation import check_integer
from novikoff.errors import invalid
from novikoff.theory.certificate import Support
from novikoff.theory.geometry import Floats

from ._axes import axes, words
from ._question import Question, ask, column_names, table_of
from .palette import INK, NEGATIVE, POSITIVE

ROUNDS = 60  # of the power method; where it has not settled by then, two directions are about as good
CROWD = 100  # rings
SETTLED = 1e-4  # the most that a coordinate still changes


@dataclass(kw_only=True)
class BoundaryDisplay:
    """Where a linear classifier draws the line, how wide its margin is, and which rows hold it there.

    Data of two columns are drawn as they are. Of more, the horizontal axis is the distance from the plane, in the
    direction of w, so that the line is upright; the vertical axis is the direction across w in which the rows vary
    most. Of many rows only some are drawn, always the same ones, the support vectors first.

    Parameters
    ----------
    points : of shape (rows drawn, 2)
    signs : -1 or +1 for each
    support : which of them the weights are a sum of
    indices : their row numbers
    total : how many rows there are
    line : the two ends of the line where the score is 0; None if it lies outside of the picture
    band : the same for the scores -``edge`` and +``edge``
    edge : the score at the edge of the margin; None if there is no margin
    names : of the negative side and of the positive
    axis_names : what the two axes are
    support_name : what to call the support
    projected : whether there were more than two columns

    Attributes
    ----------
    ax_, figure_ : matplotlib's, once it is drawn

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import BoundaryDisplay
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]], [0, 0, 1, 1]
    >>> display = BoundaryDisplay.measure(LinearSVM(C=100).fit(X, y), X, y)  # from_estimator draws it, too
    >>> display.line.round(3)[:, 0]  # upright, half way between
    array([1., 1.])
    """

    points: Floats
    signs: Floats
    support: NDArray[np.bool_]
    indices: NDArray[np.int64]
    total: int
    line: Floats | None
    band: tuple[Floats | None, Floats | None]
    edge: float | None
    names: tuple[str, str]
    axis_names: tuple[str, str]
    support_name: str
    projected: bool
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @property
    def ring_opacity(self) -> float:
        """How strongly support is marked: many rings would hide what they surround."""
        return 0.9 if np.count_nonzero(self.support) <= CROWD else 0.4

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        class_: Any = None,
        feature_names: Any = None,
        max_points: int = 2000,
        ax: Any = None,
    ) -> Self:
        """Place the rows and draw.

        Parameters
        ----------
        estimator : a fitted linear classifier
        X, y : rows and labels; those it was learned from, if support vectors are to be marked
        class_ : the class that is told from the rest; by default the last of two, the first of more
        feature_names : of the columns, if there are two
        max_points : most rows to draw
        ax : axes to draw on; new ones if None
        """
        found = cls.measure(estimator, X, y, class_=class_, feature_names=feature_names, max_points=max_points)
        return found.plot(ax=ax)

    @classmethod
    def measure(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        class_: Any = None,
        feature_names: Any = None,
        max_points: int = 2000,
    ) -> Self:
        """The same as ``from_estimator``, but not drawn."""
        where = "BoundaryDisplay.from_estimator"
        check_integer(where, "max_points", max_points, at_least=1)
        question, table = ask(where, estimator, class_), table_of(where, X)
        weights = question.weights
        if not question.is_linear or not np.any(weights):
            got = type(estimator).__name__ + ("" if question.is_linear else ", whose scores are not w.x + b")
            raise invalid(where, "A linear classifier with weights other than 0.", got)
        if table.shape[1] != len(weights):
            raise invalid(where, f"Rows of {len(weights)} columns.", f"{table.shape[1]}")
        signs = question.signs(y, table.shape[0])
        edge = question.band(signs * question.scores(X))
        support = Support() if question.certificate is None else question.certificate.support(table, y)
        indices = _some(table.shape[0], max_points, support.rows)
        rows = table[indices]
        if table.shape[1] == 2:
            points = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
            axis_names = tuple(column_names(estimator, feature_names, 2, where))
            plane = (weights, question.bias)
        else:
            points = _project(rows, question)
            axis_names = ("distance from the plane, along w", _second_name(table.shape[1]))
            plane = (np.array([float(np.linalg.norm(weights)), 0.0]), 0.0)
        box = _box(points, edge, plane)
        ends = [_line(plane, score, box) for score in ((0.0,) if edge is None else (0.0, -edge, edge))]
        return cls(
            points=points,
            signs=signs[indices],
            support=np.isin(indices, support.rows),
            indices=indices,
            total=table.shape[0],
            line=ends[0],
            band=(None, None) if edge is None else (ends[1], ends[2]),
            edge=edge,
            names=question.names,
            axis_names=(axis_names[0], axis_names[1]),
            support_name=support.name,
            projected=table.shape[1] != 2,
        )

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, with matplotlib."""
        self.ax_ = ax = axes("BoundaryDisplay.plot", ax, size=(7.0, 5.0))
        self.figure_ = ax.figure
        size = 28 if len(self.points) <= 300 else 10
        for sign, name, colour, marker in ((-1, self.names[0], NEGATIVE, "s"), (1, self.names[1], POSITIVE, "o")):
            of_class = self.points[self.signs == sign]
            ax.scatter(*of_class.T, s=size, c=colour, marker=marker, alpha=0.75, linewidths=0, label=words(name))
        if self.support.any():
            look: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "linewidths": 0.8}
            look["alpha"] = self.ring_opacity
            ax.scatter(*self.points[self.support].T, s=3.2 * size, label=self.support_name, **look)
        if self.line is not None:
            ax.plot(*self.line.T, color=INK, lw=1.5, label="decision line")
        label = "margin"
        for ends in self.band:
            if ends is not None:
                ax.plot(*ends.T, color=INK, lw=1, ls="--", label=label)
                label = "_"  # one entry for both
        ax.set(xlabel=words(self.axis_names[0]), ylabel=words(self.axis_names[1]))
        ax.margins(0.02)
        ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0)
        return self


def _some(rows: int, most: int, support: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most so many row numbers, in order: the support, if it is no more than half, and others by lot."""
    if rows <= most:
        return np.arange(rows)
    first = support if 2 * len(support) <= most else support[:0]
    is_other = np.ones(rows, dtype=bool)
    is_other[first] = False
    lot = np.random.default_rng(0).choice(np.flatnonzero(is_other), most - len(first), replace=False)
    return np.sort(np.concatenate([first, lot]))


def _second_name(columns: int) -> str:
    return "by lot, to keep rows apart" if columns == 1 else "across w, where the rows vary most"


def _project(rows: Any, question: Question) -> Floats:
    """The distance of each row from the plane, and its place in the direction across w that varies most."""
    weights = question.weights
    normal = weights / np.linalg.norm(weights)
    along = np.asarray(rows @ normal, dtype=np.float64) + question.bias / np.linalg.norm(weights)
    if len(weights) == 1:
        return np.column_stack([along, np.random.default_rng(0).random(len(along))])
    direction = _principal(rows, normal)
    across = np.asarray(rows @ direction, dtype=np.float64)
    return np.column_stack([along, across - across.mean()])


def _principal(rows: Any, normal: Floats) -> Floats:
    """The direction orthogonal to ``normal`` in which the rows vary most, by the power method; never dense."""
    mean = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()

    def step(v: Floats) -> Floats:
        v = v - (normal @ v) * normal
        seen = np.asarray(rows @ v).ravel() - mean @ v
        back = np.asarray(rows.T @ seen, dtype=np.float64).ravel() - mean * seen.sum()
        across: Floats = back - (normal @ back) * normal
        return across

    v: Floats = np.random.default_rng(0).standard_normal(len(normal))
    for _ in range(ROUNDS):
        moved = step(v)
        length = float(np.linalg.norm(moved))
        if length == 0 or not np.isfinite(length):  # nothing varies across w
            break
        before, v = v, moved / length
        if np.abs(v - before).max() < SETTLED:
            break
    v -= (normal @ v) * normal
    v /= np.linalg.norm(v) or 1.0
    return -v if v[np.argmax(np.abs(v))] < 0 else v


def _box(points: Floats, edge: float | None, plane: tuple[Floats, float]) -> tuple[Floats, Floats]:
    """What the picture shows: all points, and, where the line is upright, the line and its margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    if plane[0][1] == 0:
        reach = (edge or 0.0) / abs(plane[0][0])
        place = -plane[1] / plane[0][0]
        low[0], high[0] = min(low[0], place - reach), max(high[0], place + reach)
    room = 0.03 * np.where(high > low, high - low, 1.0)
    return low - room, high + room


def _line(plane: tuple[Floats, float], score: float, box: tuple[Floats, Floats]) -> Floats | None:
    """The ends of the part of the line w.x + b = score that lies in the box."""
    w, b = plane
    low, high = box
    middle = (low + high) / 2
    foot = middle + w * (score - b - w @ middle) / (w @ w)
    along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
    first, last = -np.inf, np.inf
    for axis in range(2):
        if along[axis] == 0:
            if not low[axis] <= foot[axis] <= high[axis]:
                return None
            continue
        near, far = sorted(((low[axis] - foot[axis]) / along[axis], (high[axis] - foot[axis]) / along[axis]))
        first, last = max(first, near), min(last, far)
    return None if first >= last else np.array([foot + first * along, foot + last * along])
