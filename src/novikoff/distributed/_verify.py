"""``novikoff.distributed.verify``: the certificates of a soft margin, checked where the rows are.

The bounds are sums over the partitions, each enclosed by the code of ``novikoff.theory``, which shares nothing with the
solvers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._class_weights import class_factors
from novikoff._counts import counted
from novikoff._progress import ProgressCallback, no_progress
from novikoff._verify import check_default_cost
from novikoff._wide_array import narrowed, occurring, same_array, stored
from novikoff.errors import input_error
from novikoff.record import RunRecord
from novikoff.theory.certificate import OTHER_DATA
from novikoff.theory.enclosed_sums import Rows, exponent_of
from novikoff.theory.gap_checks import check_gap, first_other_cost
from novikoff.theory.gap_parts import GapPart
from novikoff.theory.gap_values import Point, SoftMargin
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check, Verification

from .block import Block
from .opening import opened
from .rounds import Rounds
from .survey import Survey, codes_of, in_width, survey

WHERE = "distributed.verify"
NO_CERTIFICATES = "verify on partitions is for a fitted LinearSVM. Use novikoff.verify for other models."


def verify(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    on: Any = None,
    progress: ProgressCallback | None = None,
    **reading: Any,
) -> Verification:
    """Check the certificates of a soft margin on partitioned data, without the code that learned it.

    Parameters
    ----------
    model : LinearSVM
        A fitted model. It need not have been fitted on partitions.
    X : object
        The rows that the model was learned from, in the same order, as for ``novikoff.distributed.fit``.
    y : object, default=None
        Their labels, as for ``fit``.
    sample_weight : object, default=None
        Their weights, as for ``fit``. Class weights are taken from the model.
    on : str or client, default=None
        Where to run, as for ``fit``.
    progress : callable, default=None
        Takes a message, and the fraction completed from 0 to 1, after each binary problem.
    **reading : dict
        Options of files, as for ``fit``.

    Returns
    -------
    Verification
        The checks; true if all claims hold.

    See Also
    --------
    novikoff.verify : The check of all models, on one machine.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = nk.LinearSVM().fit(X, y)
    >>> bool(nk.distributed.verify(model, X, y, on="local:2"))
    True
    """
    record = _record_of(model)
    say, labels, problems = progress or no_progress, record.strategy.classes.tolist(), record.problems
    with opened(WHERE, X, y, sample_weight, on, reading) as (_, _, rounds):
        data = survey(WHERE, rounds)
        checks = [_check_model(record), *_check_data(record, data)]
        if any(check.status == "fails" for check in checks):
            return Verification(tuple(checks))
        factors, class_weight = None, record.parameters.get("class_weight")
        if class_weight is not None:
            totals = np.array([data.counts[label] for label in labels])
            factors = class_factors(WHERE, class_weight, labels, totals)
        for place, problem in enumerate(problems):
            own = _check_certificate(record, problem.certificate, rounds, data, factors)
            checks += [_named(check, problem.name if len(problems) > 1 else "") for check in own]
            say(f"{place + 1} of {len(problems)} problems", (place + 1) / len(problems))
        checks += check_default_cost(record)
    return Verification(tuple(checks))


def _record_of(model: Any) -> RunRecord:
    """Return the record of a model whose certificates are those of a soft margin; others are refused."""
    if getattr(model, "certificate_", None) is None:
        raise input_error(WHERE, f"{type(model).__name__} has no certificate. Pass a fitted model that has one.")
    record: RunRecord | None = getattr(model, "record_", None)
    if record is None or record.joint is not None or not record.problems:
        raise input_error(WHERE, NO_CERTIFICATES)
    for problem in record.problems:
        if problem.certificate is None or not problem.certificate.stated().keys() >= {"C", "loss"}:
            raise input_error(WHERE, NO_CERTIFICATES)
    return record


def _named(check: Check, name: str) -> Check:
    return Check(f"{name}: {check.claim}", check.status, check.detail, check.row, name) if name else check


def _check_model(record: RunRecord) -> Check:
    """Check that the model predicts with the weights of the certificates, and has their parameters."""
    for problem in record.problems:
        assert problem.certificate is not None  # it was asked for
        plane = problem.certificate.plane()
        if plane is None or not same_array(problem.weights, plane[0]) or problem.intercept != plane[1]:
            return Check("model", "fails", "the weights are not those of the certificates")
        stated = problem.certificate.stated()
        if any(problem.parameters.get(name) != value for name, value in stated.items()):
            return Check("model", "fails", f"the parameters are not those of the certificates, {stated}")
    return Check("model", "holds", "the weights and parameters are those of the certificates")


def _check_data(record: RunRecord, found: Survey) -> list[Check]:
    labels = sorted(found.counts)
    if record.n_features != found.columns and not (found.is_sparse and found.columns < record.n_features):
        detail = f"{counted(found.columns, 'column')}, but the model has {record.n_features}: {OTHER_DATA}"
        return [Check("data", "fails", detail)]
    if labels != sorted(record.strategy.classes.tolist()):
        return [Check("data", "fails", f"the labels are not the classes of the model: {OTHER_DATA}")]
    return [Check("data", "holds", f"{counted(found.count, 'row')} in {counted(len(found.rows), 'partition')}")]


@dataclass(frozen=True)
class VerifyCommand:
    """Check the claims of one certificate about the rows of each partition.

    Parameters
    ----------
    classes : tuple
        The labels.
    factors : ndarray or None
        The weights of the classes.
    positive, negative : int
        The codes of the classes; -1 for all others.
    firsts : tuple of int
        The number of the first row of each partition, among all rows and among those of the two classes.
    cost_firsts : tuple of int
        The same, among those of the two classes.
    C : float
        The cost of a row of weight 1.
    loss, intercept : str
        The problem.
    weights : ndarray of shape (columns,)
        The weights.
    bias : float
        The intercept.
    rows, duals : ndarray
        The numbers and the duals of the support vectors.
    costs : ndarray or None
        The costs that are stated; None if all are C.
    largest : float
        The largest absolute value of all rows.
    """

    classes: tuple[Any, ...]
    factors: Floats | None
    positive: int
    negative: int
    firsts: tuple[int, ...]
    cost_firsts: tuple[int, ...]
    C: float
    loss: str
    intercept: str
    weights: Floats
    bias: float
    rows: NDArray[np.int64]
    duals: Floats
    costs: Floats | None
    largest: float


def _check_certificate(
    record: RunRecord, certificate: Any, rounds: Rounds, found: Survey, factors: Floats | None
) -> list[Check]:
    claims, labels = certificate.model, record.strategy.classes.tolist()
    duals = claims.duals
    positive = labels.index(claims.positive)
    negative = -1 if claims.negative is None else labels.index(claims.negative)
    sizes: list[int] = rounds.run(count_step, (tuple(labels), positive, negative))
    ascend = bool(np.all(np.diff(duals.rows) > 0)) if len(duals.rows) else True
    if not ascend or len(duals.rows) != len(duals.weights) or (len(duals.rows) and not duals.rows[0] >= 0):
        return [Check("feasible duals", "fails", "the numbers of rows do not ascend, or differ from those of weights")]
    if len(duals.rows) and duals.rows[-1] >= found.count:
        return [Check("feasible duals", "fails", f"there is no row {duals.rows[-1]}: {OTHER_DATA}")]
    if claims.costs is not None and claims.costs.shape != (sum(sizes),):
        return [Check("costs", "fails", f"{len(claims.costs)} costs, but {sum(sizes)} rows: {OTHER_DATA}")]
    weights, used = np.zeros(record.n_features), occurring(claims.weights)
    weights[used] = stored(narrowed(claims.weights, used))
    command = VerifyCommand(
        tuple(labels),
        factors,
        positive,
        negative,
        tuple(found.firsts),
        tuple([0, *np.cumsum(sizes).tolist()][:-1]),
        certificate.C,
        certificate.loss,
        certificate.intercept,
        weights,
        claims.bias,
        duals.rows,
        duals.weights,
        claims.costs,
        found.largest,
    )
    part, failed, total, examples = rounds.run(verify_step, command)
    if failed:
        claim, detail, row = failed[0]
        return [Check(claim, "fails", detail, row)]
    if examples != certificate.examples:
        detail = f"claimed {counted(certificate.examples, 'row')} with a cost, found {examples}: {OTHER_DATA}"
        return [Check("costs", "fails", detail)]
    primal, dual = part.primal(weights, claims.bias, certificate.intercept), part.dual(certificate.intercept)
    return [
        Check("costs", "holds", f"{counted(examples, 'row')} with a total cost of {total:.6g}"),
        Check("feasible duals", "holds", f"{counted(len(duals.rows), 'row')}, all within their limits"),
        *check_gap(certificate, primal, dual),
    ]


def count_step(block: Block, state: Any, command: Any) -> tuple[Any, list[int]]:
    """Return the number of rows of one partition that are part of a problem."""
    classes, positive, negative = command
    codes = codes_of(block, classes)
    return state, [int(np.count_nonzero((codes == positive) | (codes == negative))) if negative >= 0 else len(codes)]


def verify_step(block: Block, state: int, command: VerifyCommand) -> tuple[int, Any]:
    """Return what the rows of one partition contribute to the bounds, and the claims about them that fail."""
    codes, X = codes_of(block, command.classes), in_width(block.X, len(command.weights))
    weights = np.ones(len(codes)) if block.weights is None else block.weights
    if command.factors is not None:
        weights = np.where(codes >= 0, weights * command.factors[codes], 0.0)
    first, last = np.searchsorted(command.rows, [command.firsts[state], command.firsts[state] + len(codes)])
    duals = np.zeros(len(codes))
    duals[command.rows[first:last] - command.firsts[state]] = command.duals[first:last]
    numbers = command.firsts[state] + np.arange(len(codes))
    failed: list[tuple[str, str, int]] = []
    if command.negative >= 0:
        is_own = (codes == command.positive) | (codes == command.negative)
        strange = numbers[~is_own & (duals != 0)].tolist()
        failed += [("feasible duals", f"row {row} has neither of the two labels", row) for row in strange[:1]]
        X, codes, weights, duals, numbers = X[is_own], codes[is_own], weights[is_own], duals[is_own], numbers[is_own]
    costs = np.full(len(codes), command.C)
    if command.costs is not None:
        costs = command.costs[command.cost_firsts[state] :][: len(codes)]
    row = first_other_cost(costs, command.C, weights)
    if row is not None:
        detail = f"row {numbers[row]} costs {costs[row]:.6g} by the certificate, {command.C * weights[row]:.6g} by "
        failed.append(("costs", f"{detail}its weight and that of its class", int(numbers[row])))
    most = costs if command.loss == "hinge" else np.where(costs > 0, np.inf, 0.0)
    for row in np.flatnonzero(~((duals >= 0) & (duals <= most) & (duals < np.inf)))[:1].tolist():
        detail = f"row {numbers[row]} has {duals[row]:.17g}, not from 0 to {most[row]:.17g}"
        failed.append(("feasible duals", detail, int(numbers[row])))
    part: GapPart | None = None
    if not failed:
        signs = np.where(codes == command.positive, 1.0, -1.0)
        problem = SoftMargin(X, signs, costs, command.loss, command.intercept)
        point = Point(command.weights, command.bias, duals)
        part = problem.part(point, Rows(X, command.largest), exponent_of(command.duals))
    return state, (part, failed, float(costs.sum()), int(np.count_nonzero(costs)))
