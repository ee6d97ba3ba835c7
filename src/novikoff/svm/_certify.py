"""Duality-gap certificates of soft-margin solutions, and the warning about gaps that are too wide."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import Solution
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.certificate import Duals
from novikoff.theory.gap import GapCertificate
from novikoff.theory.svm_model import SvmModel


def certify(
    data: TrainingSet,
    objective: Objective,
    pair: tuple[int, int | None],
    solution: Solution,
    rows: NDArray[np.intp] | None = None,
) -> GapCertificate:
    """Return the certificate of a solution, with everything that is needed to verify it on all rows and columns.

    Parameters
    ----------
    data : TrainingSet
        The rows of the problem.
    objective : Objective
        What was minimised.
    pair : tuple of int
        The codes of the positive and of the negative class; None for all other classes.
    solution : Solution
        The solution.
    rows : ndarray of int, default=None
        The numbers of the rows of ``data`` among those of the user; None if they are all.
    """
    labels, (positive, negative), duals = data.classes.tolist(), pair, Duals.of(solution.duals)
    return GapCertificate(
        loss=objective.loss.name,
        intercept=objective.intercept,
        C=objective.C,
        tol=objective.tol,
        primal=solution.primal,
        dual=solution.dual,
        iterations=solution.steps,
        examples=data.rows.count if data.weights is None else int(np.count_nonzero(data.weights)),
        model=SvmModel(
            weights=data.widen(solution.weights),
            bias=solution.bias,
            positive=labels[positive],
            duals=duals if rows is None else Duals(rows[duals.rows].astype(np.int64), duals.weights),
            costs=None if data.weights is None else objective.C * data.weights,
            negative=None if negative is None else labels[negative],
        ),
    )


def warn_if_wide(where: str, certificates: list[Any]) -> None:
    """Warn the caller of ``fit``, which calls this, about the widest gap, if it exceeds ``tol``."""
    widest = max(certificates, key=lambda certificate: certificate.relative_gap)
    if not all(certificate.converged for certificate in certificates):
        warnings.warn(
            f"{where}: after {widest.iterations} steps the relative gap is {widest.relative_gap:.2g}, above "
            f"tol={widest.tol:g}. The objective may be that much above the optimum. "
            "Increase max_iter or tol, decrease C, or scale the columns of X.",
            ConvergenceWarning,
            stacklevel=3,
        )
