"""The mistakes of an online learner in one pass, and the bounds on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._estimators import clone
from novikoff._validation import check_labels
from novikoff._wide_array import changed, compact_attribute
from novikoff.errors import input_error, quote
from novikoff.theory.bound_curves import FREUND_SCHAPIRE
from novikoff.theory.geometry import Floats

from ._display import Display, axes, integer_ticks
from ._legend import add_legend
from ._problem import binary_problem, table_of
from .palette import MUTED, NEGATIVE, POSITIVE, WRONG

POINTS_PER_DOUBLING = 8  # of the curve, on its logarithmic axis
ROUNDING = 1e-9  # relative error of a bound
MAX_ALL = 200  # examples up to which the curve has a point for each
MAX_LINEAR = 1000  # examples up to which the axes may be linear
MAX_LINEAR_RATIO = 20.0  # of a bound to the mistakes on linear axes


@dataclass(kw_only=True, repr=False)
class MistakesDisplay(Display):
    """Cumulative number of mistakes of an online learner, and the theorems' upper bounds on it.

    Each example is predicted before it is learned. The axes are logarithmic, unless there are few examples.

    Use ``from_estimator`` or ``from_predictions`` to create a display.

    Parameters
    ----------
    examples : ndarray of int64, of shape (n_points,)
        Numbers of examples: all if there are at most 200, or else some, evenly spaced on a logarithmic scale. The last
        is the number of all examples.
    mistakes : ndarray of shape (n_points,)
        Number of mistakes in the first ``examples[i]`` examples.
    bounds : dict of str to ndarray of shape (n_points,)
        Upper bounds on ``mistakes``, by name.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after ``plot``.
    figure_ : matplotlib Figure
        The figure, after ``plot``.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.plot import MistakesDisplay
    >>> X, y = [[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]
    >>> display = MistakesDisplay.measure(Perceptron(), X, y)  # from_estimator also draws it
    >>> display.examples, display.mistakes
    (array([1, 2, 3, 4]), array([1., 2., 2., 2.]))
    """

    examples: NDArray[np.int64]
    mistakes: Floats
    bounds: dict[str, Floats]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, class_: Any = None, comparator: Any = None, ax: Any = None
    ) -> Self:
        """Run a copy of an online learner over the rows once, in their order, and draw its mistakes.

        Parameters
        ----------
        estimator : estimator
            An online learner of novikoff, fitted or not. It is not modified.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        class_ : label, default=None
            The class of the binary problem. By default the last of two classes, or the first of more.
        comparator : estimator or array-like, default=None
            What the bounds are based on: a fitted linear classifier, or a vector of weights, with the intercept as its
            last entry or without one. The better it separates the rows, the lower are the bounds. By default the
            estimator, if it is fitted, or else its copy after the pass.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        MistakesDisplay
            The display.
        """
        return cls.measure(estimator, X, y, class_=class_, comparator=comparator).plot(ax=ax)

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, bound: float | None = None, ax: Any = None) -> Self:
        """Count the mistakes of given predictions and draw them.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        y_pred : array-like of shape (n_samples,)
            Predictions, each made before its label was known.
        bound : float, default=None
            An upper bound on the number of mistakes.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default a new figure.

        Returns
        -------
        MistakesDisplay
            The display.
        """
        true, predicted = np.ravel(np.asarray(y_true)), np.ravel(np.asarray(y_pred))
        if len(true) != len(predicted) or len(true) == 0:
            raise input_error(
                cls.__name__,
                "y_true and y_pred must have the same length, at least 1, but their lengths are "
                f"{len(true)} and {len(predicted)}.",
            )
        examples = doublings(len(true))
        wrong = np.cumsum(np.asarray(true != predicted, dtype=bool))
        known = {} if bound is None else {"bound": np.full(len(examples), float(bound))}
        return cls(examples=examples, mistakes=wrong[examples - 1].astype(np.float64), bounds=known).plot(ax=ax)

    @classmethod
    def measure(cls, estimator: Any, X: Any, y: Any, *, class_: Any = None, comparator: Any = None) -> Self:
        """Compute the display without drawing it.

        Parameters
        ----------
        estimator : estimator
            An online learner of novikoff, fitted or not. It is not modified.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels.
        class_ : label, default=None
            The class of the binary problem. By default the last of two classes, or the first of more.
        comparator : estimator or array-like, default=None
            What the bounds are based on: a fitted linear classifier, or a vector of weights, with the intercept as its
            last entry or without one. The better it separates the rows, the lower are the bounds. By default the
            estimator, if it is fitted, or else its copy after the pass.

        Returns
        -------
        MistakesDisplay
            The display.
        """
        where = cls.__name__
        if not (hasattr(estimator, "partial_fit") and hasattr(type(estimator), "record_")):
            kind = type(estimator).__name__
            raise input_error(where, f"an online learner of novikoff is needed, but the estimator is a {kind}.")
        table = table_of(where, X)
        labels = check_labels(where, y, table.shape[0])
        classes = np.unique(labels)
        if len(classes) < 2:
            raise input_error(where, f"y must have at least two classes, but it has only {quote(classes.tolist()[0])}.")
        copy, examples, mistakes = clone(estimator), doublings(table.shape[0]), []
        for begin, end in zip([0, *examples[:-1]], examples, strict=True):
            copy.partial_fit(table[begin:end], labels[begin:end], classes=classes)
            problem = binary_problem(where, copy, class_)
            mistakes.append(float(getattr(problem.certificate, "mistakes", np.nan)))
        if comparator is None:
            comparator = copy if compact_attribute(estimator, "coef_") is None else estimator
        weights, intercept = _plane(where, comparator, problem.positive, table.shape[1])
        bounds = {}
        if problem.certificate is not None and getattr(copy, "class_weight", None) is None:
            sign = -1.0 if problem.is_flipped else 1.0  # the certificate has its own positive class
            weights = changed(weights, lambda values: sign * values)
            bounds = problem.certificate.bound_curves(table, labels, weights, sign * intercept, examples)
        return cls(examples=examples, mistakes=np.array(mistakes), bounds=bounds)

    def _summary(self) -> str:
        return f"{self.mistakes[-1]:,.0f} mistakes in {self.examples[-1]:,} examples"

    @property
    def is_linear(self) -> bool:
        """Whether the axes are linear: the run is short, and no bound is so high that it would flatten the curve."""
        most = MAX_LINEAR_RATIO * max(1.0, float(self.mistakes[-1]))
        return self.examples[-1] <= MAX_LINEAR and all(bound[-1] <= most for bound in self.bounds.values())

    def _draw(self, ax: Any) -> Any:
        ax = axes(type(self).__name__, ax)
        total, made = int(self.examples[-1]), self.mistakes
        ax.plot([1, total], [1, total], color=MUTED, lw=1, ls=":", label="every prediction wrong")
        for name, bound in self.bounds.items():
            colour, dashes = (WRONG, "-.") if name == FREUND_SCHAPIRE else (NEGATIVE, "--")
            label = f"{name}: at most {whole(bound[-1]):,}"
            ax.plot(self.examples, bound, color=colour, lw=1.5, ls=dashes, label=label)
        shown = (made > 0) | self.is_linear
        look: dict[str, Any] = {"drawstyle": "steps-post", "color": POSITIVE, "lw": 2}
        ax.plot(self.examples[shown], made[shown], label=f"mistakes: {made[-1]:,.0f}", **look)
        highest = max([0.0, *(float(bound[-1]) for bound in self.bounds.values())])
        if self.is_linear:
            top = highest or min(total, 2 * float(made[-1])) or total
            ax.set(xlim=(0, max(total, 2)), ylim=(0, 1.08 * top))
            integer_ticks(ax.xaxis, ax.yaxis)
        else:
            ax.set(xscale="log", yscale="log", xlim=(1, max(total, 2)), ylim=(0.8, 2 * max(total, highest)))
        ax.set(xlabel="examples", ylabel="mistakes")
        add_legend(ax)
        return ax


def _plane(where: str, comparator: Any, positive: Any, columns: int) -> tuple[Floats, float]:
    """Return the weights and the intercept of a comparator, with the positive class on the positive side."""
    if compact_attribute(comparator, "coef_") is not None:
        problem = binary_problem(where, comparator, positive)
        return problem.weights, problem.intercept
    try:
        vector = np.ravel(np.asarray(comparator, dtype=np.float64))
    except (TypeError, ValueError):
        raise input_error(where, "comparator must be a fitted linear classifier or a vector of weights.") from None
    if len(vector) not in (columns, columns + 1) or not np.all(np.isfinite(vector)):
        expected = f"{columns} finite weights, or {columns + 1} with the intercept last"
        raise input_error(where, f"comparator must have {expected}, but it has {len(vector)}.")
    return vector[:columns], float(vector[columns:].sum())


def whole(bound: float) -> int:
    """Return the largest number of mistakes up to a bound, which may have a rounding error."""
    return math.floor(float(bound) * (1 + ROUNDING))


def doublings(total: int) -> NDArray[np.int64]:
    """Return increasing integers from 1 to ``total``: all if they are few, or some, evenly spaced on a log scale."""
    if total <= MAX_ALL:
        return np.arange(1, total + 1)
    steps = max(2, int(np.ceil(POINTS_PER_DOUBLING * np.log2(max(total, 2)))))
    return np.unique(np.round(np.geomspace(1, total, steps)).astype(np.int64))
