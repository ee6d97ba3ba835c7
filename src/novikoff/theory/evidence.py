"""The model that a certificate of an online learner is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._wide_array import stored

from .certificate import Duals, misfit
from .geometry import Floats, Geometry, Weights, copies_apart
from .lifted import squared_length_of
from .running_scale import CENTRED, CLAIM, MIXED, ON_STREAMS, ColumnScale
from .verification import Check

MAX_PRIVATE_COPIES = 100_000_000  # of rows, each with a private feature or with a scale of its own


@dataclass(frozen=True)
class Evidence:
    """The model that a certificate of an online learner is about.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        The weights of v.
    intercept : float
        The intercept of v.
    geometry : Geometry
        How examples x become vectors u.
    positive : object
        The label that is +1.
    duals : Duals or None, default=None
        v as a combination of the rows of one data set, where it is known.
    scale : ColumnScale or None, default=None
        How the columns were scaled, if the geometry has a scale. The weights are those of scaled rows.
    """

    weights: Weights
    intercept: float
    geometry: Geometry
    positive: Any
    duals: Duals | None = None
    scale: ColumnScale | None = None

    def plane(self) -> tuple[Floats, float]:
        """Return the weights of the rows as they are given, and the intercept."""
        if self.scale is None:
            return self.weights, self.intercept
        return self.scale.plane(self.weights, self.intercept)

    def signs(self, y: Any) -> Floats:
        """Return labels as -1 and +1."""
        return np.where(np.asarray(y) == self.positive, 1.0, -1.0)

    def examples(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Floats, Floats]:
        """Return the rows, their signs and their weights, with copies where each has a private feature or a scale."""
        signs = self.signs(np.ravel(y))
        copies = np.ones(len(signs))
        if sample_weight is not None:
            copies *= np.asarray(sample_weight, dtype=np.float64)
        if self._has_copies and copies.max() > 1:
            index, copies = copies_apart(copies)
            X, signs = X[index], signs[index]
        return X, signs, copies

    @property
    def _has_copies(self) -> bool:
        """Whether a row of weight k must be counted as k rows."""
        return bool(self.geometry.slack_feature) or (self.scale is not None and self.scale.kind in ON_STREAMS)

    @property
    def has_known_rows(self) -> bool:
        """Whether the rows as they were seen follow from the rows as they are given."""
        return self.scale is None or self.scale.kind != MIXED

    def fits(self, X: Any, y: Any, sample_weight: Any) -> Check | None:
        """Return a failed check if the data do not have the shape that the model needs; values of rows are not read."""
        if found := misfit(X, y, sample_weight, columns=len(self.weights), check_values=False):
            return found
        weights = np.ones(1) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if not np.any(weights > 0):
            return Check("data", "fails", "all weights are 0")
        delta = self.geometry.slack_feature
        if not 0 <= delta < np.inf:
            return Check("data", "fails", f"a private feature of {delta:g}")
        if (delta or self.scale is not None) and np.ceil(weights).sum() > MAX_PRIVATE_COPIES:
            return Check("data", "fails", f"the weights add up to more than {MAX_PRIVATE_COPIES} copies of rows")
        if (self.scale is None) != (self.geometry.scale is None) or self.geometry.scale not in (None, *ON_STREAMS):
            return Check(CLAIM, "fails", "the scale is not that of the geometry")
        if self.scale is not None and (self.scale.kind == CENTRED) != (self.geometry.scale == CENTRED):
            return Check(CLAIM, "fails", "the scale is not that of the geometry")
        return None if self.scale is None else self.scale.misfit(len(self.weights))

    def misfit(self, copies: Floats) -> Check | None:
        """Return a failed check if a number is not finite, or if the duals are not such of rows of these weights."""
        if not (np.all(np.isfinite(stored(self.weights))) and np.isfinite(self.intercept)):
            return Check("weights", "fails", "NaN or infinity among them")
        if self.intercept and not self.geometry.fit_intercept:
            return Check("weights", "fails", f"the intercept is {self.intercept:g}, where there is none")
        if self.duals is None:
            return None
        rows, index, amounts = len(copies), self.duals.rows, self.duals.weights
        if index.shape != amounts.shape or len(np.unique(index)) < len(index):
            return Check("weights", "fails", "a row that they are a sum of occurs twice, or has no weight")
        if np.any((index < 0) | (index >= rows)):
            return Check("weights", "fails", f"they are a sum of rows beyond the {rows} given")
        if not np.all((amounts >= 0) & (amounts < np.inf)):
            return Check("weights", "fails", "some examples have a weight in their sum that is negative or not finite")
        if np.any((amounts > 0) & (copies[index] == 0)):  # no run learns from them
            return Check("weights", "fails", "they are a sum of rows among which some have the weight 0")
        return None

    def length(self) -> float:
        """Return |v|, rounded up."""
        private = None if self.duals is None else self.duals.weights
        found = squared_length_of(stored(self.weights), self.intercept, private, self.geometry.slack_feature)
        return found.root().outer_high()
