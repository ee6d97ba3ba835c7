"""How several classes become scores, and scores become labels: the multiclass strategy contract, and one-vs-rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class MulticlassStrategy(Protocol):
    """How a classifier of two or more classes is made of scores.

    A native multiclass learner is another implementation of this contract; nothing outside depends on one-vs-rest.
    """

    @property
    def classes(self) -> NDArray[Any]:
        """The labels in ascending order."""

    @property
    def positives(self) -> list[Any]:
        """The label that a positive score speaks for, one for each column of scores."""

    def choose(self, scores: Floats) -> NDArray[Any]:
        """Return the predicted labels for the result of ``decision_function``."""


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """One binary problem for two classes, the last against the first; for more, one problem per class.

    Parameters
    ----------
    classes : ndarray
        The labels in ascending order.
    """

    classes: NDArray[Any]

    @property
    def is_binary(self) -> bool:
        """Whether one score decides."""
        return len(self.classes) <= 2

    @property
    def positive_codes(self) -> list[int]:
        """The index in ``classes`` of the positive class of each binary problem."""
        return [1] if self.is_binary else list(range(len(self.classes)))

    @property
    def positives(self) -> list[Any]:
        """The label that each binary problem calls +1."""
        labels: list[Any] = self.classes.tolist()
        return labels[-1:] if self.is_binary else labels

    def flatten(self, scores: Floats) -> Floats:
        """Return scores of shape (rows, problems) as ``decision_function`` does: one dimension for two classes."""
        return scores[:, 0] if self.is_binary else scores

    def choose(self, scores: Floats) -> NDArray[Any]:
        """Return the predicted labels; a score of exactly 0 goes to the positive class, a tie to the first class."""
        codes = (scores >= 0).astype(np.intp) * (len(self.classes) - 1) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes[codes]
        return labels

    def choose_one(self, scores: Sequence[float]) -> int:
        """Return the index in ``classes`` of the label that ``choose`` would return for the scores of one row."""
        if self.is_binary:
            return (len(self.classes) - 1) * (scores[0] >= 0)
        return max(range(len(scores)), key=scores.__getitem__)

    def per_problem(self, values: list[Any]) -> Any:
        """Return the fitted attribute for the values of all problems: one value for two classes, a list for more."""
        return values[0] if self.is_binary else values

    def as_list(self, value: Any) -> list[Any]:
        """Return a fitted attribute as a list with one entry per problem, None where it is missing."""
        values = [value] if self.is_binary or value is None else list(value)
        return values + [None] * (len(self.positives) - len(values))
