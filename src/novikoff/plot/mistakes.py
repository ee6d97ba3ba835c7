"""The mistakes of one pass, against what the theorems allow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novikoff._validation import check_labels
from novikoff.errors import invalid
from novikoff.theory.geometry import Floats

from ._axes import axes
from ._question import ask, table_of
from .palette import MUTED, NEGATIVE, POSITIVE, WRONG

PER_DOUBLING = 8  # points of the curve


@dataclass(kw_only=True)
class MistakesDisplay:
    """How many mistakes were made after so many examples, each predicted before it was learned, and the bounds on them.

    Parameters
    ----------
    examples : numbers of examples, evenly spread on a logarithmic scale; the last is all of them
    mistakes : made on the first so many
    bounds : by name, the most that could have been made on the first so many

    Attributes
    ----------
    ax_, figure_ : matplotlib's, once it is drawn

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.plot import MistakesDisplay
    >>> X, y = [[1.0], [-1.0], [2.0], [-3.0]], [1, 0, 1, 0]
    >>> display = MistakesDisplay.measure(Perceptron(), X, y)  # from_estimator draws it, too
    >>> display.examples, display.mistakes
    (array([1, 2, 3, 4]), array([1., 2., 2., 2.]))
    """

    examples: NDArray[np.int64]
    mistakes: Floats
    bounds: dict[str, Floats]
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, class_: Any = None, comparator: Any = None, ax: Any = None
    ) -> Self:
        """Let a copy of an online learner, not fitted, go through the rows once, in their order, and draw its mistakes.

        Parameters
        ----------
        estimator : an online learner, fitted or not; it does not change
        X, y : rows and labels
        class_ : the class that is told from the rest; by default the last of two, the first of more
        comparator : a fitted linear classifier that the bounds rest on: Novikoff's if it separates the rows; for a
            perceptron Freund and Schapire's, where it is below the number of examples. By default the estimator, if
            it is fitted, or else its copy after the pass. The better it separates, the lower are the bounds.
        ax : axes to draw on; new ones if None
        """
        return cls.measure(estimator, X, y, class_=class_, comparator=comparator).plot(ax=ax)

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, bound: float | None = None, ax: Any = None) -> Self:
        """Count and draw the mistakes of predictions, with a bound if one is known."""
        true, predicted = np.ravel(np.asarray(y_true)), np.ravel(np.asarray(y_pred))
        if len(true) != len(predicted) or len(true) == 0:
            need = "A prediction for every label, and at least one."
            raise invalid("MistakesDisplay.from_predictions", need, f"{len(true)} labels, {len(predicted)} predictions")
        examples = doublings(len(true))
        wrong = np.cumsum(np.asarray(true != predicted, dtype=bool))
        known = {} if bound is None else {"bound": np.full(len(examples), float(bound))}
        return cls(examples=examples, mistakes=wrong[examples - 1].astype(np.float64), bounds=known).plot(ax=ax)

    @classmethod
    def measure(cls, estimator: Any, X: Any, y: Any, *, class_: Any = None, comparator: Any = None) -> Self:
        """The same as ``from_estimator``, but not drawn."""
        where = "MistakesDisplay.from_estimator"
        if not (hasattr(estimator, "partial_fit") and hasattr(type(estimator), "certificate_")):
            raise invalid(where, "An online learner.", type(estimator).__name__)
        table = table_of(where, X)
        labels = check_labels(where, y, table.shape[0])
        classes = np.unique(labels)
        if len(classes) < 2:
            raise invalid(where, "Labels of at least two classes.", f"one class, {classes.tolist()[0]!r}")
        copy, examples, mistakes = clone(estimator), doublings(table.shape[0]), []
        for begin, end in zip([0, *examples[:-1]], examples, strict=True):
            copy.partial_fit(table[begin:end], labels[begin:end], classes=classes)
            question = ask(where, copy, class_)
            mistakes.append(float(getattr(question.certificate, "mistakes", np.nan)))
        if comparator is None:
            comparator = estimator if hasattr(estimator, "coef_") else copy
        rival, known = ask(where, comparator, question.positive), {}
        if question.certificate is not None and getattr(copy, "class_weight", None) is None:
            sign = -1.0 if question.flipped else 1.0  # the certificate has a positive class of its own
            plane = sign * rival.weights, sign * rival.bias
            known = question.certificate.bound_curves(table, labels, *plane, examples)
        return cls(examples=examples, mistakes=np.array(mistakes), bounds=known)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw, with matplotlib."""
        self.ax_ = ax = axes("MistakesDisplay.plot", ax)
        self.figure_ = ax.figure
        total, made = int(self.examples[-1]), self.mistakes
        ax.plot([1, total], [1, total], color=MUTED, lw=1, ls=":", label="every prediction wrong")
        for (name, most), colour, dashes in zip(self.bounds.items(), (NEGATIVE, WRONG), ("--", "-."), strict=False):
            ax.plot(self.examples, most, color=colour, lw=1.5, ls=dashes, label=f"{name}: {most[-1]:,.0f} at the end")
        shown = made > 0
        ax.plot(self.examples[shown], made[shown], color=POSITIVE, lw=2, label=f"mistakes: {made[-1]:,.0f}")
        top = max([total, *(float(most[-1]) for most in self.bounds.values())])
        ax.set(xscale="log", yscale="log", xlim=(1, max(total, 2)), ylim=(0.8, 2 * top))
        ax.set(xlabel="examples seen", ylabel="mistakes made")
        ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0)
        return self


def doublings(total: int) -> NDArray[np.int64]:
    """Whole numbers from 1 to ``total``, some to each doubling."""
    steps = max(2, int(np.ceil(PER_DOUBLING * np.log2(max(total, 2)))))
    return np.unique(np.round(np.geomspace(1, total, steps)).astype(np.int64))
