"""The decision boundary of a linear classifier with its margin, in two dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._validation import check_integer
from novikoff._wide_array import stored
from novikoff.errors import input_error
from novikoff.theory.columns import compact
from novikoff.theory.geometry import Floats

from ._display import Display, axes
from ._legend import add_legend
from ._problem import BinaryProblem, binary_problem, column_names, table_of
from .labels import matplotlib_label
from .palette import INK, NEGATIVE, POSITIVE

POWER_ITERATIONS = 60  # without convergence by then, two directions have almost the same variance
POWER_TOLERANCE = 1e-4  # largest change of a coordinate in the last iteration
MAX_OPAQUE_RINGS = 100  # more rings would hide the points, so they are drawn lighter
FRAME_RATIOS = (0.75, 1.6)  # width / height of a frame of equal aspect; narrower or wider data leave room in it
MAX_STRETCH = 4.0  # of a side of the frame for equal aspect; points of columns of other scales would become a line


@dataclass(kw_only=True, repr=False)
class BoundaryDisplay(Display):
    """Decision boundary, margin and support vectors of a linear classifier.

    Both axes have the same scale, so that angles and distances are true, unless the rows vary so much more along one
    axis that they would become a line. Data of two columns are drawn as they are. For more columns, the horizontal axis
    is the signed distance from the separating hyperplane, so the boundary is a vertical line, and the vertical axis is
    the direction orthogonal to w in which the rows vary most. If there are more rows than ``max_points``, a fixed
    sample is drawn that includes the support vectors.

    Use ``from_estimator`` to create a display.

    Parameters
    ----------
    points : ndarray of shape (n_points, 2)
        The coordinates of the rows that are drawn.
    signs : ndarray of shape (n_points,)
        Their labels as -1 or +1.
    support : ndarray of bool, of shape (n_points,)
        Whether the weights are a sum that includes this row.
    indices : ndarray of int64, of shape (n_points,)
        Their row numbers.
    total : int
        Number of rows of the data.
    line : ndarray of shape (2, 2) or None
        The two ends of the line where the score is 0; None if it lies outside the figure.
    band : tuple of two ndarrays or None
        The same for the scores ``-edge`` and ``edge``.
    edge : float or None
        The score at the edge of the margin; None if there is no margin.
    names : tuple of str
        Names of the negative and the positive side.
    axis_names : tuple of str
        Labels of the two axes.
    support_name : str
        What to call the support.
    projected : bool
        Whether the data have more or fewer than two columns.
    frame : ndarray of shape (2, 2)
        The lower left and the upper right corner of the figure.
    aspect : {"equal", "auto"}
        Whether both axes have the same scale.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    See Also
    --------
    MarginDisplay : The distribution of the distances from the boundary.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import BoundaryDisplay
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]], [0, 0, 1, 1]
    >>> display = BoundaryDisplay.measure(LinearSVM(C=100).fit(X, y), X, y)  # from_estimator also draws it
    >>> display.line.round(3)[:, 0]
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
    frame: Floats
    aspect: str

    @property
    def ring_opacity(self) -> float:
        """Opacity of the rings around support vectors."""
        return 0.9 if np.count_nonzero(self.support) <= MAX_OPAQUE_RINGS else 0.4

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
        """Compute the display of a fitted classifier and draw it.

        Parameters
        ----------
        estimator : estimator
            A fitted linear classifier, of novikoff or of scikit-learn.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Support vectors are marked only if these are the rows that the classifier was fitted to.
        y : array-like of shape (n_samples,)
            Labels.
        class_ : label or pair of labels, default=None
            The class of the binary problem to draw. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.
        feature_names : sequence of str, default=None
            Labels of the axes, if there are two columns. By default the names that the classifier knows.
        max_points : int, default=2000
            The maximum number of rows to draw.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        BoundaryDisplay
            The display.
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
        """Compute the display without drawing it.

        Parameters
        ----------
        estimator : estimator
            A fitted linear classifier, of novikoff or of scikit-learn.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Support vectors are marked only if these are the rows that the classifier was fitted to.
        y : array-like of shape (n_samples,)
            Labels.
        class_ : label or pair of labels, default=None
            The class of the binary problem to draw. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.
        feature_names : sequence of str, default=None
            Labels of the axes, if there are two columns. By default the names that the classifier knows.
        max_points : int, default=2000
            The maximum number of rows to draw.

        Returns
        -------
        BoundaryDisplay
            The display.
        """
        where = cls.__name__
        check_integer(where, "max_points", max_points, at_least=1)
        problem, table = binary_problem(where, estimator, class_), table_of(where, X)
        weights = problem.weights
        if not problem.is_linear:
            raise input_error(where, f"the scores of {type(estimator).__name__} are not linear in x.")
        if not np.any(stored(weights)):
            raise input_error(where, f"all weights of this {type(estimator).__name__} are 0, so it has no boundary.")
        if table.shape[1] != len(weights):
            raise input_error(where, f"X must have {len(weights)} columns, but it has {table.shape[1]}.")
        signs = problem.signs(y, table.shape[0])
        rows = np.flatnonzero(signs)  # those of other classes are not part of the problem of a pair
        edge = problem.band((signs * problem.scores(X))[rows])
        support = problem.support(table, y)
        is_support = np.isin(rows, support.rows)
        indices = rows[_sample(len(rows), max_points, np.flatnonzero(is_support))]
        points, axis_names, plane = _coordinates(problem, table[indices], feature_names)
        box = _box(points, edge, plane)
        frame, aspect = framed(*box) if len(weights) > 1 else (np.array(box), "auto")
        ends = [_line(plane, score, frame) for score in ((0.0,) if edge is None else (0.0, -edge, edge))]
        return cls(
            points=points,
            signs=signs[indices],
            support=np.isin(indices, support.rows),
            indices=indices,
            total=len(rows),
            line=ends[0],
            band=(None, None) if edge is None else (ends[1], ends[2]),
            edge=edge,
            names=problem.names,
            axis_names=axis_names,
            support_name=support.name,
            projected=table.shape[1] != 2,
            frame=frame,
            aspect=aspect,
        )

    def _summary(self) -> str:
        return f"{len(self.points):,} of {self.total:,} rows"

    def _draw(self, ax: Any) -> Any:
        width, height = self.frame[1] - self.frame[0]
        ratio = width / height if self.aspect == "equal" else 1.4
        ax = axes(type(self).__name__, ax, size=(4.2 * ratio + 0.8, 5.0))  # the labels need the rest
        size = 28 if len(self.points) <= 300 else 10
        for sign, name, colour, marker in ((-1, self.names[0], NEGATIVE, "s"), (1, self.names[1], POSITIVE, "o")):
            of_class = self.points[self.signs == sign]
            ax.scatter(
                *of_class.T, s=size, c=colour, marker=marker, alpha=0.75, linewidths=0, label=matplotlib_label(name)
            )
        if self.support.any():
            look: dict[str, Any] = {
                "facecolors": "none",
                "edgecolors": INK,
                "linewidths": 0.8,
                "alpha": self.ring_opacity,
            }
            look["zorder"] = 0.9  # below the markers, so that the classes keep their colours
            ax.scatter(*self.points[self.support].T, s=3.2 * size, label=self.support_name, **look)
        if self.line is not None:
            ax.plot(*self.line.T, color=INK, lw=1.5, label="decision boundary")
        label = "margin"
        for ends in self.band:
            if ends is not None:
                ax.plot(*ends.T, color=INK, lw=1, ls="--", label=label)
                label = "_"  # one legend entry for both lines
        ax.set(xlabel=matplotlib_label(self.axis_names[0]), ylabel=matplotlib_label(self.axis_names[1]))
        ax.set(xlim=self.frame[:, 0], ylim=self.frame[:, 1], aspect=self.aspect)
        add_legend(ax)
        return ax


def _sample(rows: int, size: int, support: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return at most ``size`` row numbers: the support, if it is at most half of them, and a random sample."""
    if rows <= size:
        return np.arange(rows)
    first = support if 2 * len(support) <= size else support[:0]
    is_other = np.ones(rows, dtype=bool)
    is_other[first] = False
    drawn = np.random.default_rng(0).choice(np.flatnonzero(is_other), size - len(first), replace=False)
    return np.sort(np.concatenate([first, drawn]))


def _coordinates(
    problem: BinaryProblem, rows: Any, feature_names: Any
) -> tuple[Floats, tuple[str, str], tuple[Floats, float]]:
    """Return the points to draw, the labels of the axes, and weights and intercept of the boundary among the points."""
    weights, intercept = problem.weights, problem.intercept
    if len(weights) == 2:
        x_name, y_name = column_names(problem.where, problem.estimator, feature_names, 2, (0, 1))
        points = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
        return points, (x_name, y_name), (weights, intercept)
    is_single = len(weights) == 1
    rows, weights = compact(rows, weights)  # without columns that are 0 in all of them
    length = float(np.linalg.norm(weights))
    normal = weights / length
    distance = np.asarray(rows @ normal, dtype=np.float64) + intercept / length
    if is_single:
        across, name = np.random.default_rng(0).random(len(distance)), "random offset"
    else:
        across, name = np.asarray(rows @ _principal(rows, normal), dtype=np.float64), "principal component"
        across = across - across.mean()
    points = np.column_stack([distance, across])
    return points, ("distance from the hyperplane", name), (np.array([length, 0.0]), 0.0)


def _principal(rows: Any, normal: Floats) -> Floats:
    """Return the direction orthogonal to ``normal`` in which the rows vary most, by power iteration.

    Sparse rows stay sparse.
    """
    mean = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()

    def step(v: Floats) -> Floats:
        v = v - (normal @ v) * normal
        seen = np.asarray(rows @ v).ravel() - mean @ v
        back = np.asarray(rows.T @ seen, dtype=np.float64).ravel() - mean * seen.sum()
        across: Floats = back - (normal @ back) * normal
        return across

    v: Floats = np.random.default_rng(0).standard_normal(len(normal))
    for _ in range(POWER_ITERATIONS):
        moved = step(v)
        length = float(np.linalg.norm(moved))
        if length == 0 or not np.isfinite(length):  # the rows do not vary in any direction across w
            break
        before, v = v, moved / length
        if np.abs(v - before).max() < POWER_TOLERANCE:
            break
    v -= (normal @ v) * normal
    v /= np.linalg.norm(v) or 1.0
    return -v if v[np.argmax(np.abs(v))] < 0 else v


def _box(points: Floats, edge: float | None, plane: tuple[Floats, float]) -> tuple[Floats, Floats]:
    """Return the corners of the figure: it shows all points and, if the boundary is vertical, the margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    if plane[0][1] == 0:
        reach = (edge or 0.0) / abs(plane[0][0])
        place = -plane[1] / plane[0][0]
        low[0], high[0] = min(low[0], place - reach), max(high[0], place + reach)
    padding = 0.03 * np.where(high > low, high - low, 1.0)
    return low - padding, high + padding


def framed(low: Floats, high: Floats) -> tuple[Floats, str]:
    """Return the corners of a figure of equal aspect around a box, and "equal".

    If the points would become a line in it, return the corners of the box, and "auto".
    """
    width, height = high - low
    ratio = min(max(width / height, FRAME_RATIOS[0]), FRAME_RATIOS[1])
    needed = np.array([max(width, ratio * height), max(height, width / ratio)])
    if np.any(needed > MAX_STRETCH * (high - low)):
        return np.array([low, high]), "auto"
    middle = (low + high) / 2
    return np.array([middle - needed / 2, middle + needed / 2]), "equal"


def _line(plane: tuple[Floats, float], score: float, frame: Floats) -> Floats | None:
    """Return the ends of the part of the line w.x + b = score inside the frame."""
    w, b = plane
    low, high = frame
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
