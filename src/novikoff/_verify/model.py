"""The independent check of a fitted model: certificates against data, and the model against its certificates."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._progress import Progress, ProgressCallback
from novikoff._validation import check_labels, check_weights
from novikoff._wide_array import same_array, stacked
from novikoff.errors import input_error
from novikoff.persistence.pipelines import is_table_pipeline
from novikoff.record import ProblemRecord, RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check, Verification

from .attributes import Subject, check_attributes, check_pipeline_attributes, fitted_attributes, names_of
from .classes import check_classes, check_default_cost, check_labels_known, counted_weights
from .fingerprints import ENCODER_ON_TRUST, check_fingerprint, with_encoder, without_other_data
from .rows import rows_of
from .runs import check_joint_run, check_run


def verify(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    exact: bool = False,
    progress: ProgressCallback | None = None,
) -> Verification:
    """Check everything that a fitted model claims, without the code that learned it.

    Besides the certificates, the model itself is checked: that it predicts with the weights of the
    certificates, that its parameters are those it learned with, that it knows all labels, and that its other fitted
    attributes follow from the certificates. Those that nothing shows are listed by name as "on trust". A stream is
    repeated row by row in NumPy, and so is a run whose average or vote predicts. None of the arguments is changed.

    Parameters
    ----------
    model : object
        A fitted classifier of novikoff, or of another package if it has a ``record_``; or a pipeline of a
        ``TableEncoder`` and such a classifier; or a certificate or a verdict of ``separability``, whose own ``verify``
        is then called.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or table
        The rows that the model was learned from, in the same order. For a pipeline with a ``TableEncoder``, the table;
        what the encoder has learned is taken on trust.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights. Class weights are taken from the model.
    exact : bool, default=False
        Whether to decide in integer arithmetic what rounding would leave open.
    progress : callable or None, default=None
        Takes a message, and the fraction completed from 0 to 1, after each binary problem.

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
    if isinstance(model, Certificate):
        return model.verify(X, y, sample_weight, exact)
    if is_table_pipeline(model):
        return _verify_pipeline(model, X, y, sample_weight, exact, progress)
    record: RunRecord | None = getattr(model, "record_", None)
    if record is None or not record.certificates:
        raise input_error(where, f"{type(model).__name__} has no certificate. Pass a fitted model that has one.")
    names, X = names_of(X), rows_of(where, X)
    labels = check_labels(where, y, X.shape[0])
    own_weights = check_weights(where, sample_weight, len(labels))
    same = check_fingerprint(record, X, labels, own_weights)
    if any(check.status == "fails" for check in same):
        return Verification(tuple(same))
    check = _check_mixture if record.members else _check_record
    checks = [*same, *check(record, X, labels, own_weights, exact, progress)]
    checks = without_other_data(checks) if same else checks
    if not any(check.status == "fails" for check in checks):
        checks += check_attributes(Subject(fitted_attributes(model, record), record, labels, X.shape[1], names, X))
    return Verification((*checks, *record.on_trust))


def _check_record(
    record: RunRecord,
    X: Any,
    labels: NDArray[Any],
    own_weights: Floats | None,
    exact: bool,
    say: ProgressCallback | None,
) -> list[Check]:
    """Check the labels, the classes and all problems of one learner."""
    weights = counted_weights(record, labels, own_weights)
    checks = [check_labels_known(record, labels, weights), *check_classes(record, X, labels, own_weights)]
    checks += check_default_cost(record)
    if any(check.status == "fails" for check in checks):
        return checks
    check_problems = _check_joint_problems if record.strategy.is_joint else _check_problems
    return checks + check_problems(record, X, labels, weights, exact, say)


def _check_mixture(
    record: RunRecord,
    X: Any,
    labels: NDArray[Any],
    own_weights: Floats | None,
    exact: bool,
    say: ProgressCallback | None,
) -> list[Check]:
    """Check the members of a mixture, and then its own certificate."""
    names = [f"member {place + 1}" for place in range(len(record.members))]
    progress, checks = Progress(say, [*names, "mixture"]), []
    for place, member in enumerate(record.members):
        with progress.problem(place):
            own = _check_record(member, X, labels, own_weights, exact, None)
        checks += _with_prefix(names[place], own)
    (certificate,) = record.certificates
    checks += certificate.check_learned(record.members)
    stated = certificate.stated()
    same = all(record.parameters.get(name) == value for name, value in stated.items())
    words = "they are those of the certificate" if same else f"those of the certificate are {stated}"
    checks.append(Check("parameters", "holds" if same else "fails", words))
    with progress.problem(len(names)):
        return checks + list(certificate.verify(X, labels, own_weights, exact=exact).checks)


def _verify_pipeline(
    model: Any, X: Any, y: Any, sample_weight: Any, exact: bool, progress: ProgressCallback | None
) -> Verification:
    """Verify the learner behind a table encoder, and the attributes that the pipeline has from both."""
    encoder, learner = model.steps[0][1], model.steps[1][1]
    found = verify(learner, encoder.transform(X), y, sample_weight, exact, progress)
    others = [*check_pipeline_attributes(model, encoder, learner), *found.checks]
    return Verification(tuple(with_encoder([ENCODER_ON_TRUST], others)))


def _check_joint_problems(
    record: RunRecord, X: Any, labels: NDArray[Any], weights: Floats, exact: bool, say: ProgressCallback | None
) -> list[Check]:
    """Check a joint problem, or that of each C of a path."""
    count, checks = len(record.strategy.pairs), []
    groups = [record.problems[first : first + count] for first in range(0, len(record.problems), count)]
    names = [f"C {group[0].parameters['C']:g}" if len(groups) > 1 else "" for group in groups]
    progress = Progress(say, names)
    for place, (group, certificate) in enumerate(zip(groups, record.certificates, strict=True)):
        with progress.problem(place):
            own = _check_joint(group, certificate, X, labels, weights, exact)
        checks += _with_prefix(names[place], own)
    return checks


def _check_problems(
    record: RunRecord, X: Any, labels: NDArray[Any], weights: Floats, exact: bool, say: ProgressCallback | None
) -> list[Check]:
    """Check all binary problems."""
    names, checks = [name for name, _ in record.named_certificates], []
    progress = Progress(say, names)
    for place, (problem, certificate) in enumerate(zip(record.problems, record.certificates, strict=True)):
        with progress.problem(place):
            own = _check_problem(problem, certificate, X, labels, weights, exact)
        checks += _with_prefix(names[place], own)
    return checks


def _with_prefix(name: str, checks: Sequence[Check]) -> list[Check]:
    """Return the checks of one problem with its name before their claims."""
    return [
        dataclasses.replace(check, claim=f"{name}: {check.claim}", problem=name) if name else check for check in checks
    ]


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
    coef, intercepts = stacked([p.weights for p in problems]), [p.intercept for p in problems]
    planes = certificate.planes()
    checks.append(
        _check_weights(planes is not None and same_array(coef, planes[0]) and np.array_equal(intercepts, planes[1]))
    )
    run, found = problems[0].run, certificate.verify(X, labels, weights, exact=exact).checks
    checks += [] if run is None else certificate.check_learned(run)
    if run is None or not certificate.needs_replay or any(check.status == "fails" for check in found):
        return [*checks, *found]
    return [*checks, *found, *check_joint_run(run, certificate, X, labels, weights)]


def _check_problem(
    problem: ProblemRecord, certificate: Certificate, X: Any, labels: NDArray[Any], weights: Floats, exact: bool
) -> list[Check]:
    """Check one binary problem: parameters, weights, certificate, and the run where the data do not show its result."""
    run = problem.run
    predicts_with_last = run is None or run.rule.keep == "last"
    own = [_check_parameters(problem, certificate)]
    own += [] if run is None else certificate.check_learned(run)
    plane = certificate.plane()
    if predicts_with_last:  # a certificate without a plane says nothing about the weights that predict
        same = plane is not None and same_array(problem.weights, plane[0]) and problem.intercept == plane[1]
        own.append(_check_weights(same))
    found = certificate.verify(X, labels, weights, exact=exact).checks
    if not predicts_with_last:
        last = "the last weights separate"
        found = tuple(dataclasses.replace(c, claim=last) if c.claim == "separates" else c for c in found)
    own += found
    needs_replay = run is not None and (certificate.needs_replay or not predicts_with_last)
    if run is None or not needs_replay or any(check.status == "fails" for check in found):
        return own
    return own + check_run(problem, run, certificate, X, labels, weights, exact)


def _check_weights(same: bool) -> Check:
    detail = f"its weights are {'' if same else 'not '}those of the certificate"
    return Check("model", "holds" if same else "fails", detail)


def _check_parameters(problem: ProblemRecord, certificate: Certificate) -> Check:
    """Check that the parameters that the model shows are those that it learned with."""
    claim, missing = "parameters", object()
    for name, value in certificate.stated().items():
        shown = problem.parameters.get(name, missing)
        if shown != value:
            text = "missing" if shown is missing else shown
            return Check(claim, "fails", f"{name} is {text}, but {value} in the certificate")
    run = problem.run
    if run is not None and run.rule != run.current_rule:
        return Check(claim, "fails", f"they make the rule {run.current_rule}, it learned by {run.rule}")
    return Check(claim, "holds", "they are those of the certificate")
