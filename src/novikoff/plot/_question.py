"""One binary question of a classifier, a class against the rest, as all pictures see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from novikoff._validation import check_labels
from novikoff.errors import invalid
from novikoff.online import VotedPerceptron
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import Floats


@dataclass(frozen=True)
class Question:
    """A class, called positive, against the other one or all others."""

    estimator: Any
    where: str
    column: int  # among the questions of the estimator
    flipped: bool  # the estimator calls the other class positive
    positive: Any
    names: tuple[str, str]  # of the negative side and of the positive

    @property
    def is_linear(self) -> bool:
        """Whether the decision is that of one plane, and the score rises evenly with the distance from it."""
        normalized = getattr(self.estimator, "normalize", False)
        return hasattr(self.estimator, "coef_") and not isinstance(self.estimator, VotedPerceptron) and not normalized

    @property
    def weights(self) -> Floats:
        """The weights w of the score w.x + b."""
        if not hasattr(self.estimator, "coef_"):
            raise invalid(self.where, "A linear classifier, with coef_.", type(self.estimator).__name__)
        found: Floats = np.atleast_2d(np.asarray(self.estimator.coef_, dtype=np.float64))[self.column]
        return -found if self.flipped else found

    @property
    def bias(self) -> float:
        """The intercept b."""
        intercepts = np.ravel(self.estimator.intercept_)  # scikit-learn's may be one number for all
        found = float(intercepts[self.column if len(intercepts) > 1 else 0])
        return -found if self.flipped else found

    @property
    def certificate(self) -> Certificate | None:
        """What the estimator proves of this question, if anything."""
        found = getattr(self.estimator, "certificate_", None)
        return found[self.column] if isinstance(found, list) else found

    def signs(self, y: Any, rows: int) -> Floats:
        """Labels as -1 and +1."""
        return np.where(check_labels(self.where, y, rows) == self.positive, 1.0, -1.0)

    def scores(self, X: Any) -> Floats:
        """The score of every row."""
        found = np.asarray(self.estimator.decision_function(X), dtype=np.float64)
        found = found if found.ndim == 1 else found[:, self.column]
        return -found if self.flipped else found

    def band(self, margins: Floats) -> float | None:
        """The score at the edge of the margin, given y f(x) of the rows; None where there is no margin.

        It is what the certificate says; if that does not define a margin, the smallest margin of a row, if all rows
        are on their right sides.
        """
        if self.certificate is not None and (edge := self.certificate.band()) is not None:
            return edge
        least = float(margins.min(initial=np.inf))
        return least if 0 < least < np.inf else None


def ask(where: str, estimator: Any, class_: Any = None) -> Question:
    """The question of a class: by default the last of two, the first of more."""
    check_is_fitted(estimator)
    labels = np.asarray(estimator.classes_).tolist()
    if len(labels) < 2:
        raise invalid(where, "A classifier of at least two classes.", f"{len(labels)}")
    if class_ is None:
        class_ = labels[-1] if len(labels) == 2 else labels[0]
    if class_ not in labels:
        raise invalid(where, f"class_ that is one of {labels[:10]}.", repr(class_))
    place = labels.index(class_)
    if len(labels) == 2:
        return Question(estimator, where, 0, place == 0, labels[place], (str(labels[1 - place]), str(labels[place])))
    return Question(estimator, where, place, False, labels[place], ("the rest", str(labels[place])))


def table_of(where: str, X: Any) -> Any:
    """Rows as an array of floats or a CSR matrix."""
    try:
        return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
    except ValueError as error:
        raise invalid(where, "A table of numbers, one row an example.", f"one that was refused: {error}") from error


def column_names(estimator: Any, feature_names: Any, columns: int, where: str) -> list[str]:
    """The names given, those of the data frame that was learned, or the numbers of the columns."""
    names = getattr(estimator, "feature_names_in_", None) if feature_names is None else feature_names
    if names is None:
        return [f"column {column}" for column in range(columns)]
    if len(names) != columns:
        raise invalid(where, f"{columns} feature names.", f"{len(names)}")
    return [str(name) for name in names]
