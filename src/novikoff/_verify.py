"""The independent check of a fitted model: certificates against data, and the model against its certificates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._class_weights import RunningBalance, row_weights
from novikoff._labels import encode
from novikoff._multiclass import AUTO, auto_strategy, sides, strategy_of_classes
from novikoff._validation import check_labels, check_weights
from novikoff._verify_table import check_encoding
from novikoff.data.encoding.tables_of import raw_table
from novikoff.errors import input_error
from novikoff.persistence.table_pipeline import is_table_pipeline
from novikoff.record import OnlineRun, ProblemRecord, RunRecord
from novikoff.theory.certificate import ROUNDING, Certificate
from novikoff.theory.columns import Columns
from novikoff.theory.geometry import Floats, as_table, length_of
from novikoff.theory.replay import Replay, replay, shuffles
from novikoff.theory.spread import cost_for_spread, spread
from novikoff.theory.verification import Check, Verification

COST_ROUNDING = 0.01  # relative; a C of three digits may be rounded either way


def verify(model: Any, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
    """Check everything that a fitted model claims, without the code that learned it.

    Besides the certificates, the model itself is checked: that it predicts with the weights that the certificates
    speak of, that its parameters are those it learned with, and that it knows all labels. A stream is repeated row by
    row in NumPy, and so is a run whose average or vote predicts.

    Parameters
    ----------
    model : object
        A fitted classifier of novikoff, or of another package if it has a ``record_``; or a pipeline of a
        ``TableEncoder`` and such a classifier.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or table
        The rows that the model was learned from, in the same order. For a pipeline with a ``TableEncoder``, the table:
        the encoder's own numbers are then recomputed as well.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights. Class weights are taken from the model.
    exact : bool, default=False
        Whether to decide in integer arithmetic what rounding would leave open.

    Returns
    -------
    Verification
        The checks; true if all claims hold. For more than two classes the name of each check starts with that of its
        problem: its class, or for one-vs-one both classes, as in "b against a: gap".

    Raises
    ------
    InvalidInputError
        If the model has no certificate, or if the arguments are not rows, labels and weights.

    See Also
    --------
    novikoff.theory.Verification : What is returned.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> bool(nk.verify(nk.LinearSVM().fit(X, y), X, y))
    True
    """
    where = "verify"
    if is_table_pipeline(model):
        encoder, learner = model.steps[0][1], model.steps[1][1]
        known = encoder.encoding_
        table = raw_table(where, X, None, known.columns, features=list(known.columns), **encoder.text_options_)
        kinds = table.columns.kinds | known.all_kinds
        checks = check_encoding(encoder.encoding_, encoder.get_params(), table.blocks(kinds))
        found = verify(learner, encoder.transform(X), y, sample_weight, exact)
        return Verification((*checks, *found.checks))
    record: RunRecord | None = getattr(model, "record_", None)
    if record is None or not record.certificates:
        raise input_error(where, f"{type(model).__name__} has no certificate. Pass a fitted model that has one.")
    X = as_table(X)
    labels = check_labels(where, y, X.shape[0])
    own_weights = check_weights(where, sample_weight, len(labels))
    weights = counted_weights(record, labels, own_weights)
    checks = [_check_labels(record, labels, weights), *_check_classes(record, X, labels, own_weights)]
    checks += _check_default_cost(record, X, weights)
    if any(check.status == "fails" for check in checks):
        return Verification(tuple(checks))
    if record.strategy.is_joint:
        several, count = len(record.certificates) > 1, len(record.strategy.pairs)
        for place, certificate in enumerate(record.certificates):  # one for each C of a path
            group = record.problems[place * count : (place + 1) * count]
            own = _check_joint(group, certificate, X, labels, weights, exact)
            prefix = f"C {group[0].parameters['C']:g}: " if several else ""
            checks += [dataclasses.replace(check, claim=prefix + check.claim) for check in own]
    else:
        for (name, certificate), problem in zip(record.named_certificates, record.problems, strict=True):
            prefix = f"{name}: " if name else ""
            own = _check_problem(problem, certificate, X, labels, weights, exact)
            checks += [dataclasses.replace(check, claim=prefix + check.claim) for check in own]
    return Verification((*checks, *record.on_trust))


def counted_weights(record: RunRecord, labels: NDArray[Any], weights: Floats | None) -> Floats:
    """Return the weight that each row had when the model learned: its own times that of its class."""
    class_weight = record.parameters.get("class_weight")
    if class_weight is not None:
        is_stream = any(problem.run is not None and problem.run.is_stream for problem in record.problems)
        if isinstance(class_weight, str) and is_stream:
            met = np.full(len(labels), -1, dtype=np.int32)  # a stream skips rows of weight 0
            seen = np.arange(len(labels)) if weights is None else np.flatnonzero(weights)
            _, codes = encode("verify", labels[seen])
            order = np.argsort(np.unique(codes, return_index=True)[1])  # and numbers classes in order of appearance
            met[seen] = np.argsort(order)[codes]
            return RunningBalance().weigh(met, weights)
        classes, codes = encode("verify", labels)
        weights = row_weights("verify", class_weight, classes.tolist(), codes, weights)
    return np.ones(len(labels)) if weights is None else weights


def _check_labels(record: RunRecord, labels: NDArray[Any], weights: Floats) -> Check:
    unknown = np.flatnonzero(~np.isin(labels, record.strategy.classes) & (weights > 0))
    if len(unknown):
        row = int(unknown[0])
        label = labels[row : row + 1].tolist()[0]
        return Check("labels", "fails", f"row {row} has the label {label!r}, which the model does not know", row)
    return Check("labels", "holds", "the model knows all of them")


def _check_classes(record: RunRecord, X: Any, labels: NDArray[Any], weights: Floats | None) -> list[Check]:
    """Check that each problem that the classes make has its certificate, and that the class frequencies are true."""
    strategy, checks = record.strategy, []
    if not _is_chosen(record, X):
        asked = record.parameters.get("multi_class", strategy.name)
        detail = f"multi_class is {asked!r}, which is not {strategy.name!r} for these rows and classes"
        checks.append(Check("classes", "fails", detail))
    if len(set(strategy.classes.tolist())) != len(strategy.classes):
        checks.append(Check("classes", "fails", "a class occurs twice"))
    expected, found = sides(strategy), [(problem.positive, problem.negative) for problem in record.problems]
    if len(found) % len(expected) or found != expected * (len(found) // len(expected)):
        detail = f"the problems are not those of {len(strategy.classes)} classes and {strategy.name!r}"
        checks.append(Check("classes", "fails", detail))
    checks += _check_labels_of_certificates(record)
    if strategy.counts is not None:
        checks.append(_check_counts(strategy.classes, strategy.counts, labels, weights))
    return checks


def _is_chosen(record: RunRecord, X: Any) -> bool:
    """Return whether the strategy is the one that ``multi_class`` stands for.

    The automatic choice depends on whether the rows were sparse, which the same rows may be or not be here.
    """
    name, count = record.strategy.name, len(record.strategy.classes)
    asked = record.parameters.get("multi_class", name)
    if asked != AUTO or X.ndim != 2:
        return strategy_of_classes(name if asked == AUTO else asked, count) == name
    rows, width = X.shape
    if name == auto_strategy(count, rows, width, is_sparse=False):
        return True
    columns = Columns.occurring(sp.csr_array(X))
    return name == auto_strategy(count, rows, width if columns is None else len(columns.indices), is_sparse=True)


def _check_labels_of_certificates(record: RunRecord) -> list[Check]:
    """Return failed checks if certificates are missing, or speak of other labels than their problems."""
    claim, strategy, certificates = "certificates", record.strategy, record.certificates
    if record.joint is not None and not strategy.is_joint:
        return [Check(claim, "fails", "only a joint problem has a joint certificate")]
    expected = len(record.problems) // (len(strategy.pairs) if strategy.is_joint else 1)
    if len(certificates) != expected:
        return [Check(claim, "fails", f"{len(certificates)}, where there must be {expected}")]
    of_all = tuple(strategy.classes.tolist())
    sought = [of_all] * expected if strategy.is_joint else [(p.positive, p.negative) for p in record.problems]
    for (name, certificate), labels in zip(record.named_certificates, sought, strict=True):
        may_be_silent = not strategy.is_joint and labels[1] is None  # a certificate of one class against all others
        if certificate.labels() != labels and not (may_be_silent and certificate.labels() is None):
            return [Check(claim, "fails", f"that of {name or 'all classes'} speaks of other labels")]
    return []


def _check_default_cost(record: RunRecord, X: Any, weights: Floats) -> list[Check]:
    """Check that a C that was to follow from the spread of the rows does so."""
    if record.parameters.get("C") != "scale" or record.parameters.get("lam") is not None or not weights.any():
        return []
    centered = record.parameters.get("fit_intercept", True)
    with np.errstate(over="ignore", invalid="ignore"):  # values that are not finite are refused by the certificate
        expected = cost_for_spread(spread(X, weights, centered), X.shape[1])
    used = {certificate.stated().get("C") for certificate in record.certificates}
    if all(isinstance(C, float) and abs(C - expected) <= COST_ROUNDING * expected for C in used):
        return [Check("C", "holds", f"{expected:g} follows from the spread of the rows")]
    return [Check("C", "fails", f"the certificate speaks of {used}, the spread of the rows gives {expected:g}")]


def _check_counts(classes: NDArray[Any], counts: Floats, labels: NDArray[Any], weights: Floats | None) -> Check:
    """Check the weights of the classes, which decide exact ties, against the labels."""
    own = np.ones(len(labels)) if weights is None else weights
    for label, count in zip(classes.tolist(), counts.tolist(), strict=True):
        found = float(own[labels == label].sum())
        if not abs(found - count) <= ROUNDING * found:
            return Check("class frequencies", "fails", f"class {label!r} has the weight {count:.6g}, found {found:.6g}")
    return Check("class frequencies", "holds", "they decide ties as the labels do")


def _check_joint(
    problems: Sequence[ProblemRecord],
    certificate: Certificate,
    X: Any,
    labels: NDArray[Any],
    weights: Floats,
    exact: bool,
) -> list[Check]:
    """Check the certificate of all weight vectors together: parameters, weights, and its own claims."""
    own = [_check_parameters(problem, certificate) for problem in problems]
    checks = [next((check for check in own if check.status == "fails"), own[0])]
    coef, intercepts = np.vstack([p.weights for p in problems]), [p.intercept for p in problems]
    planes = certificate.planes()
    checks.append(
        _check_weights(planes is not None and np.array_equal(coef, planes[0]) and np.array_equal(intercepts, planes[1]))
    )
    return [*checks, *certificate.verify(X, labels, weights, exact=exact).checks]


def _check_problem(
    problem: ProblemRecord, certificate: Certificate, X: Any, labels: NDArray[Any], weights: Floats, exact: bool
) -> list[Check]:
    """Check one binary problem: parameters, weights, certificate, and the run where the data do not show its result."""
    run = problem.run
    predicts_with_last = run is None or run.rule.keep == "last"
    own = [_check_parameters(problem, certificate)]
    plane = certificate.plane()
    if predicts_with_last:  # a certificate without a plane says nothing about the weights that predict
        same = plane is not None and np.array_equal(problem.weights, plane[0]) and problem.intercept == plane[1]
        own.append(_check_weights(same))
    found = certificate.verify(X, labels, weights, exact=exact).checks
    if not predicts_with_last:
        last = "the last weights separate"
        found = tuple(dataclasses.replace(c, claim=last) if c.claim == "separates" else c for c in found)
    own += found
    needs_replay = run is not None and (certificate.needs_replay or not predicts_with_last)
    if run is None or not needs_replay or any(check.status == "fails" for check in found):
        return own
    return own + _check_run(problem, run, certificate, X, labels, weights)


def _check_weights(same: bool) -> Check:
    detail = f"its weights are {'' if same else 'not '}those that the certificate speaks of"
    return Check("model", "holds" if same else "fails", detail)


def _check_parameters(problem: ProblemRecord, certificate: Certificate) -> Check:
    """Check that the parameters that the model shows are those that it learned with."""
    claim, missing = "parameters", object()
    for name, value in certificate.stated().items():
        shown = problem.parameters.get(name, missing)
        if shown != value:
            text = "missing" if shown is missing else shown
            return Check(claim, "fails", f"{name} is {text}, the certificate speaks of {value}")
    run = problem.run
    if run is not None and run.rule != run.current_rule:
        return Check(claim, "fails", f"they make the rule {run.current_rule}, it learned by {run.rule}")
    return Check(claim, "holds", "they are those that the certificate speaks of")


# ---- repeating a run -----------------------------------------------------------------------------------------------


def _check_run(
    problem: ProblemRecord, run: OnlineRun, certificate: Certificate, X: Any, labels: NDArray[Any], weights: Floats
) -> list[Check]:
    """Repeat the run and compare. Where rounding may have decided a row differently, a difference proves nothing."""
    orders = _row_orders(run, X.shape[0])
    if isinstance(orders, Check):
        return [orders]
    signs = np.where(labels == problem.positive, 1.0, -1.0)
    again = replay(X, signs, weights, run.rule.implementation(), run.rule.geometry, orders)
    checks = certificate.check_replay(again)
    if run.rule.keep == "average":
        mean, bias = again.average()
        distance = length_of(problem.weights - mean, problem.intercept - bias)
        detail = f"repeated, the average differs by {distance:.3g}"
        checks.append(Check("average", "holds" if distance <= ROUNDING * again.path else "fails", detail))
    elif run.rule.keep == "votes":
        same = _same_votes(run, again, X)
        detail = f"{len(again.moved)} hypotheses, {'as' if same else 'not as'} in the repeated run"
        checks.append(Check("votes", "holds" if same else "fails", detail))
    if again.doubtful is None:
        return checks
    doubt = f"; row {again.doubtful} is so close that rounding may have decided it"
    return [
        dataclasses.replace(c, status="open", detail=c.detail + doubt) if c.status == "fails" else c for c in checks
    ]


def _row_orders(run: OnlineRun, rows: int) -> Iterable[NDArray[np.int64]] | Check:
    """Return the order of the rows in each pass, or a check that says why it is not known."""
    if run.is_stream:
        return [np.arange(rows)]
    if run.passes is None:
        return Check("run", "open", "there were several fits, which cannot be repeated")
    if not run.shuffle:
        return [np.arange(rows)] * run.passes
    if run.seed is None:
        return Check("run", "open", "random_state is not an integer, so the order of the rows is not known")
    return shuffles(rows, run.seed, run.passes)


def _same_votes(run: OnlineRun, again: Replay, X: Any) -> bool:
    """Return whether the hypotheses that vote are those of the repeated run, each with as many votes."""
    votes, along = run.votes, np.array(again.along)
    survived = votes.survived_whole + votes.survived_part
    if len(votes.steps) != len(along) or not np.allclose(survived, again.survived, rtol=ROUNDING, atol=0):
        return False
    bias_steps = along if run.rule.geometry.fit_intercept else 0 * along
    if not np.allclose([votes.steps, votes.bias_steps], [along, bias_steps], rtol=ROUNDING, atol=0):
        return False
    learned = sp.csr_array((votes.values, votes.indices, votes.offsets), shape=(len(along), X.shape[1]))
    given = sp.csr_array(X[np.array(again.moved, dtype=np.int64)], dtype=np.float64)
    return bool((learned != given).nnz == 0)
