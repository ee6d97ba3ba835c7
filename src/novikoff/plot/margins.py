"""The histogram of signed margins y f(x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._validation import check_choice, check_integer
from novikoff._wide_array import stored
from novikoff.errors import input_error
from novikoff.theory.geometry import Floats

from ._display import Display, axes, integer_ticks
from ._legend import add_legend
from ._problem import binary_problem
from .palette import INK, RIGHT, WRONG

ON_MARGIN = 1e-9  # relative tolerance within which a row counts as lying on the edge of the margin
MIN_BINS_PER_MARGIN = 3  # width of a bin / margin above which the margin gets narrow bins of its own


@dataclass(kw_only=True, repr=False)
class MarginDisplay(Display):
    """Histogram of the signed margins y f(x), which are negative for misclassified rows.

    Use ``from_estimator`` or ``from_predictions`` to create a display.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        The ends of the bins; 0 and the edges of the margin are among them. Rows beyond the outer ends are counted in
        the outer bins.
    right : ndarray of int64, of shape (n_bins,)
        Correctly classified rows in each bin.
    wrong : ndarray of int64, of shape (n_bins,)
        Misclassified rows in each bin.
    margin : float or None
        The edge of the margin; None if there is no margin.
    inside : int
        Number of correctly classified rows inside the margin.
    unit : {"score", "distance"}, default="score"
        Whether y f(x) is shown, or y f(x) / |w|.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    See Also
    --------
    BoundaryDisplay : The rows in two dimensions.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff.plot import MarginDisplay
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> display = MarginDisplay.measure(LinearSVM().fit(X, y), X, y)  # from_estimator also draws it
    >>> display.rows, display.margin
    (4, 1.0)
    """

    edges: Floats
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    margin: float | None
    inside: int
    unit: str = "score"

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.right.sum() + self.wrong.sum())

    @property
    def mistaken(self) -> int:
        """Number of misclassified rows."""
        return int(self.wrong.sum())

    @property
    def axis_name(self) -> str:
        """The label of the horizontal axis."""
        return "signed margin y f(x)" if self.unit == "score" else "signed distance y f(x) / |w|"

    @property
    def labels(self) -> tuple[str, str]:
        """Legend entries of correctly classified and of misclassified rows."""
        share = 100 * self.mistaken / self.rows
        return f"correct, {100 - share:.3g}%", f"wrong, {share:.3g}%"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        class_: Any = None,
        unit: str = "score",
        bins: int = 60,
        ax: Any = None,
    ) -> Self:
        """Compute the margins of rows and draw their histogram.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier with ``decision_function``.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        class_ : label or pair of labels, default=None
            The class of the binary problem. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.
        unit : {"score", "distance"}, default="score"
            Whether to show y f(x) or y f(x) / |w|.
        bins : int, default=60
            The approximate number of bins.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        MarginDisplay
            The display.
        """
        return cls.measure(estimator, X, y, class_=class_, unit=unit, bins=bins).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, scores: Any, *, margin: float | None = None, bins: int = 60, ax: Any = None
    ) -> Self:
        """Draw the histogram of given scores for two classes.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes, of which the last in ascending order is the positive one.
        scores : array-like of shape (n_samples,)
            Scores, positive for the positive class.
        margin : float, default=None
            The edge of the margin.
        bins : int, default=60
            The approximate number of bins.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        MarginDisplay
            The display.
        """
        where = cls.__name__
        labels, values = np.ravel(np.asarray(y_true)), np.ravel(np.asarray(scores, dtype=np.float64))
        classes = np.unique(labels)
        if len(classes) != 2:
            raise input_error(where, f"y_true must have labels of two classes, but it has {len(classes)}.")
        if len(labels) != len(values):
            raise input_error(where, f"y_true has {len(labels)} labels, but there are {len(values)} scores.")
        signs = np.where(labels == classes[1], 1.0, -1.0)
        return cls._count(signs, values, margin, bins=bins).plot(ax=ax)

    @classmethod
    def measure(
        cls, estimator: Any, X: Any, y: Any, *, class_: Any = None, unit: str = "score", bins: int = 60
    ) -> Self:
        """Compute the display without drawing it.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier with ``decision_function``.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        class_ : label or pair of labels, default=None
            The class of the binary problem. By default the last of two classes, or the first of more.
            For one-vs-one and joint machines, it is opposed to the most frequent other class; or give both as a pair.
        unit : {"score", "distance"}, default="score"
            Whether to show y f(x) or y f(x) / |w|.
        bins : int, default=60
            The approximate number of bins.

        Returns
        -------
        MarginDisplay
            The display.
        """
        where = cls.__name__
        check_choice(where, "unit", unit, ("score", "distance"))
        problem = binary_problem(where, estimator, class_)
        scores = problem.scores(X)
        signs = problem.signs(y, len(scores))
        scores, signs = scores[signs != 0], signs[signs != 0]  # other classes are not part of the problem of a pair
        margin, scale = problem.band(signs * scores), 1.0
        if unit == "distance":
            scale = float(np.linalg.norm(stored(problem.weights)))
            if scale == 0 or not problem.is_linear:
                raise input_error(
                    where,
                    'unit="distance" needs a linear classifier with nonzero weights, which this '
                    f"{type(estimator).__name__} is not.",
                )
        found = cls._count(signs, scores / scale, None if margin is None else margin / scale, bins=bins)
        found.unit = unit
        return found

    @classmethod
    def _count(cls, signs: Floats, scores: Floats, margin: float | None, *, bins: int) -> Self:
        """Count y f(x) in bins; a score of exactly 0 predicts the positive class."""
        where = cls.__name__
        check_integer(where, "bins", bins, at_least=2)
        margins = signs * scores
        if len(margins) == 0:
            raise input_error(where, "there are no rows.")
        if not np.all(np.isfinite(margins)):
            raise input_error(where, "some scores are NaN or infinite. Scale the columns of X.")
        mistaken = np.where(scores == 0, signs < 0, margins < 0)
        edges = _edges(margins, margin, bins)
        clipped = np.clip(margins, edges[0], np.nextafter(edges[-1], -np.inf))
        is_inside = np.zeros(len(margins), dtype=bool) if margin is None else margins < margin * (1 - ON_MARGIN)
        if margin is not None:
            clipped[~is_inside & (margins < margin)] = margin  # rows on the margin are not in the bin before it
        return cls(
            edges=edges,
            right=np.histogram(clipped[~mistaken], edges)[0],
            wrong=np.histogram(clipped[mistaken], edges)[0],
            margin=margin,
            inside=int(np.count_nonzero(~mistaken & is_inside)),
        )

    def _summary(self) -> str:
        return f"{self.mistaken:,} of {self.rows:,} rows on the wrong side"

    def _draw(self, ax: Any) -> Any:
        ax = axes(type(self).__name__, ax)
        widths, (right, wrong) = np.diff(self.edges), self.labels
        look: dict[str, Any] = {"width": widths, "align": "edge", "linewidth": 0}
        ax.bar(self.edges[:-1], self.right, color=RIGHT, label=right, **look)
        if self.mistaken:
            ax.bar(self.edges[:-1], self.wrong, bottom=self.right, color=WRONG, label=wrong, **look)
        ax.axvline(0.0, color=INK, lw=1)
        if self.margin is not None:
            ax.axvline(self.margin, color=INK, lw=1, ls="--", label=f"margin, at {self.margin:.3g}")
        top = 1.05 * float((self.right + self.wrong).max())
        ax.set(xlabel=self.axis_name, ylabel="rows", xlim=(self.edges[0], self.edges[-1]), ylim=(0, top))
        integer_ticks(ax.yaxis)
        add_legend(ax)
        return ax


def _edges(margins: Floats, margin: float | None, bins: int) -> Floats:
    """Return the ends of about ``bins`` bins; 0 and both edges of the margin are among them.

    The range leaves out extreme outliers. The bins have equal width, unless the margin is much narrower than a bin.
    """
    low, high = float(margins.min()), float(margins.max())
    near, far = np.quantile(margins, [0.005, 0.995]).tolist()
    spread = far - near
    if high - low > 2 * spread > 0:
        low, high = max(low, near - 0.25 * spread), min(high, far + 0.25 * spread)
    low, high = min(low, 0.0), max(high, 0.0, 1.1 * (margin or 0.0))
    width = (high - low) / bins or 1.0
    if margin is None:
        return _grid(low, high, width)
    if MIN_BINS_PER_MARGIN * margin < width:
        inner = np.array([-margin, margin])
        return np.union1d(_grid(low, high, width), inner[inner >= low])
    per_margin = max(1, round(margin / width))
    edges = _grid(low, high, margin / per_margin)
    edges[np.abs(edges - margin) < 0.5 * margin / per_margin] = margin  # without rounding errors
    edges[np.abs(edges + margin) < 0.5 * margin / per_margin] = -margin
    return edges


def _grid(low: float, high: float, width: float) -> Floats:
    """Return multiples of ``width`` from ``low`` or less to more than ``high``."""
    edges: Floats = width * np.arange(np.floor(low / width), np.floor(high / width) + 2)
    return edges
