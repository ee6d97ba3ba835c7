"""The mistakes of an online learner in one pass, and the bounds on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novikoff._validation import check_labels
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import Floats

from ._display import Display, axes
from ._problem import binary_problem, table_of
from .palette import MUTED, NEGATIVE, POSITIVE, WRONG

POINTS_PER_DOUBLING = 8  # of the curve, on its logarithmic axis


@dataclass(kw_only=True)
class MistakesDisplay(Display):
    """Cumulative number of mistakes of an online learner, and the theorems' upper bounds on it.

    Each example is predicted before it is learned. Use ``from_estimator`` or ``from_predictions`` to create a display.

    Parameters
    ----------
    examples : ndarray of int64, of shape (n_points,)
        Numbers of examples, evenly spaced on a logarithmic scale; the last is the number of all examples.
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
        comparator : estimator, default=None
            A fitted linear classifier that the bounds are based on. The better it separates the rows, the lower are
            the bounds. By default the estimator, if it is fitted, or else its copy after the pass.
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
        comparator : estimator, default=None
            A fitted linear classifier that the bounds are based on. The better it separates the rows, the lower are
            the bounds. By default the estimator, if it is fitted, or else its copy after the pass.

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
            comparator = estimator if hasattr(estimator, "coef_") else copy
        reference, bounds = binary_problem(where, comparator, problem.positive), {}
        if problem.certificate is not None and getattr(copy, "class_weight", None) is None:
            sign = -1.0 if problem.is_flipped else 1.0  # the certificate has its own positive class
            plane = sign * reference.weights, sign * reference.intercept
            bounds = problem.certificate.bound_curves(table, labels, *plane, examples)
        return cls(examples=examples, mistakes=np.array(mistakes), bounds=bounds)

    def _draw(self, ax: Any) -> Any:
        ax = axes(type(self).__name__, ax)
        total, made = int(self.examples[-1]), self.mistakes
        ax.plot([1, total], [1, total], color=MUTED, lw=1, ls=":", label="every prediction wrong")
        for (name, bound), colour, dashes in zip(self.bounds.items(), (NEGATIVE, WRONG), ("--", "-."), strict=False):
            ax.plot(self.examples, bound, color=colour, lw=1.5, ls=dashes, label=f"{name}: {bound[-1]:,.0f}")
        shown = made > 0
        ax.plot(self.examples[shown], made[shown], color=POSITIVE, lw=2, label=f"mistakes: {made[-1]:,.0f}")
        top = max([total, *(float(bound[-1]) for bound in self.bounds.values())])
        ax.set(xscale="log", yscale="log", xlim=(1, max(total, 2)), ylim=(0.8, 2 * top))
        ax.set(xlabel="examples", ylabel="mistakes")
        ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0)
        return ax


def doublings(total: int) -> NDArray[np.int64]:
    """Return increasing integers from 1 to ``total``, evenly spaced on a logarithmic scale."""
    steps = max(2, int(np.ceil(POINTS_PER_DOUBLING * np.log2(max(total, 2)))))
    return np.unique(np.round(np.geomspace(1, total, steps)).astype(np.int64))
