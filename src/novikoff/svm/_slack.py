"""The slacks of the training rows of a soft margin, as the estimators hold and store them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._estimators import check_is_fitted
from novikoff.errors import input_error, missing_attribute
from novikoff.persistence.codec import check_count, check_duals
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.certificate import Duals
from novikoff.theory.geometry import Floats, Matrix
from novikoff.theory.losses import hinge
from novikoff.theory.slack import hinge_slack, joint_slack

MAX_ROWS = 100_000  # of which slacks are kept; those of more would need as much memory as the rest of the model


@dataclass(frozen=True)
class Slack:
    """The slacks that are not 0, for each binary problem or for a joint one.

    Parameters
    ----------
    count : int
        Number of training rows.
    problems : tuple of Duals
        Of each problem, the numbers of the rows with a slack, and their slacks.
    """

    count: int
    problems: tuple[Duals, ...]

    @classmethod
    def of(cls, count: int, problems: Sequence[Duals | None]) -> Slack | None:
        """Return the slacks of all problems; None if those of some are not known."""
        known = tuple(own for own in problems if own is not None)
        return cls(count, known) if len(known) == len(problems) else None

    def values(self) -> Any:
        """Return ``slack_``: an array for one problem, and a sparse array with one column per problem for several."""
        if len(self.problems) == 1:
            return self.problems[0].dense(self.count)
        rows = np.concatenate([own.rows for own in self.problems])
        starts = np.cumsum([0, *(len(own.rows) for own in self.problems)])
        values = np.concatenate([own.weights for own in self.problems])
        return sp.csc_array((values, rows, starts), shape=(self.count, len(self.problems)))

    def check(self, path: str, problems: int) -> None:
        """Refuse slacks that are not those of so many problems, that are negative, or that belong to other rows."""
        check_count(self.count, f"{path}.count")
        if len(self.problems) != problems:
            raise input_error(f"{path}.problems", f"there must be {problems}, but there are {len(self.problems)}.")
        for place, own in enumerate(self.problems):
            check_duals(own, f"{path}.problems.{place}")
            if np.any(own.rows >= self.count) or np.any(own.weights <= 0):
                raise input_error(f"{path}.problems.{place}", "each must be positive, and of one of the rows.")


def kept_slack(model: Any) -> Any:
    """The slacks of the training rows, if there are at most 100,000 rows, which were not partitioned."""
    check_is_fitted(model)
    slack: Slack | None = vars(model).get("_slack")
    if slack is None:
        reason = f"it is kept for at most {MAX_ROWS:,} rows, and not for partitioned data"
        remedy = "max(0, 1 - y * decision_function(X)) for y of -1 and +1 gives the slacks of any rows"
        raise missing_attribute(model, "slack_", f"{reason}. {remedy}")
    return slack.values()


def slack_of_problem(
    data: TrainingSet,
    positive: int,
    weights: Floats,
    bias: float,
    rows: NDArray[np.intp] | None,
    scores: Floats | None = None,
) -> Duals:
    """Return the slacks of one binary problem.

    Parameters
    ----------
    data : TrainingSet
        The rows of the problem.
    positive : int
        The code of the positive class.
    weights, bias : ndarray and float
        The solution, in the columns of ``data``.
    rows : ndarray of int or None
        The numbers of the rows of ``data`` among those of the user; None if they are all.
    scores : ndarray of shape (n_samples,), default=None
        The scores w.x_i, if they are known.
    """
    signs = np.where(data.codes == positive, np.int8(1), np.int8(-1))
    if scores is None:
        found = hinge_slack(data.X, signs, np.asarray(weights, dtype=np.float64), bias)
    else:
        found = hinge.value(signs * (scores + bias))
    return _present(data, found, rows)


def slack_of_classes(data: TrainingSet, weights: Matrix, biases: Floats) -> Duals:
    """Return the slacks of a joint problem, given its solution in the columns of ``data``."""
    return _present(data, joint_slack(data.X, data.codes, np.asarray(weights, dtype=np.float64), biases), None)


def _present(data: TrainingSet, found: Floats, rows: NDArray[np.intp] | None) -> Duals:
    """Return the slacks that are not 0, of rows whose weight is not 0."""
    if data.weights is not None:
        found[data.weights == 0] = 0.0
    own = Duals.of(found)
    return own if rows is None else Duals(rows[own.rows].astype(np.int64), own.weights)
