"""The certificate of a solution: its duals are gathered, made feasible exactly, and measured where the rows are."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._wide_array import is_wide
from novikoff.solvers.bounds import balancing_shares
from novikoff.solvers.feasible_duals import balance_classes
from novikoff.solvers.solver import HistoryEntry
from novikoff.theory.certificate import Duals
from novikoff.theory.columns import Columns
from novikoff.theory.enclosed_sums import exponent_of
from novikoff.theory.gap import GapCertificate
from novikoff.theory.gap_parts import GapPart
from novikoff.theory.geometry import Floats
from novikoff.theory.svm_model import SvmModel

from ..survey import Survey
from .duals import DualsCommand, MeasureCommand
from .progress import Outcome, Record
from .setup import Setup


@dataclass(frozen=True)
class Certified:
    """A certificate, the classes of its support vectors, and the history of the solver."""

    certificate: GapCertificate
    is_positive: NDArray[np.bool_]
    history: list[HistoryEntry]

    @property
    def duals(self) -> Duals:
        """The duals of the certificate."""
        return self.certificate.model.duals


def certify(
    setup: Setup, place: int, outcome: Outcome, record: Record, tol: float, survey: Survey
) -> Generator[Any, Any, Certified]:
    """Return the certificate of a solution: yield commands, and be sent the sums of their replies.

    The bounds are those of the weights and duals that the certificate states, with all rounding errors counted against
    them; the bounds of the solver are not used.
    """
    with_costs = survey.has_weights or setup.factors is not None
    found, costs, examples = yield DualsCommand(outcome.v, outcome.update_width, with_costs)
    numbers, values, is_positive = (np.concatenate([part[k] for part in found]) for k in range(3))
    shares = (1.0, 1.0)
    if setup.has_free_intercept:
        shares = balancing_shares(float(values[~is_positive].sum()), float(values[is_positive].sum()))
        values = values * np.where(is_positive, shares[1], shares[0])
    before = values.copy()
    if setup.has_free_intercept:
        balance_classes(values, is_positive)
    changed = values != before
    weights = outcome.v[:-1] * setup.scale
    bias = float(outcome.v[-1]) if setup.intercept != "none" else 0.0
    command = MeasureCommand(weights, bias, shares, numbers[changed], values[changed], exponent_of(values))
    part: GapPart = yield command
    primal = part.primal(weights, bias, setup.intercept).stated_high()
    dual = part.dual(setup.intercept).stated_low()
    if not dual >= 0:  # without any duals the bound is 0
        values, dual = np.zeros_like(values), 0.0
    is_support = values > 0
    labels, (positive, negative) = setup.classes, setup.pairs[place]
    certificate = GapCertificate(
        loss=setup.loss,
        intercept=setup.intercept,
        C=setup.C,
        tol=tol,
        primal=primal,
        dual=dual,
        iterations=record.rounds,
        examples=int(examples),
        model=SvmModel(
            weights=_widened(setup, weights),
            bias=bias,
            positive=labels[positive],
            duals=Duals(numbers[is_support].astype(np.int64), values[is_support]),
            costs=np.concatenate(costs) if costs else None,
            negative=None if negative < 0 else labels[negative],
        ),
    )
    return Certified(certificate, is_positive[is_support], record.history)


def _widened(setup: Setup, weights: Floats) -> Any:
    """Return weights of all columns of the user."""
    if setup.columns is None:
        return weights
    if is_wide(setup.total_columns, len(weights)):
        return Columns(setup.columns, setup.total_columns).widen(weights)
    full = np.zeros(setup.total_columns)
    full[setup.columns] = weights
    return full
