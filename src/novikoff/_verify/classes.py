"""The labels, the weights and the classes of a model, checked against the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._class_weights import MAX_EXACT_INTEGER, RunningBalance, row_weights
from novikoff._counts import counted
from novikoff._labels import encode
from novikoff._multiclass import AUTO, auto_strategy, sides, strategy_of_classes
from novikoff.record import RunRecord
from novikoff.theory.columns import Columns
from novikoff.theory.enclosed_sums import exact_total
from novikoff.theory.enclosure import Enclosure, agrees
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check


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


def check_labels_known(record: RunRecord, labels: NDArray[Any], weights: Floats) -> Check:
    unknown = np.flatnonzero(~np.isin(labels, record.strategy.classes) & (weights > 0))
    if len(unknown):
        row = int(unknown[0])
        label = labels[row : row + 1].tolist()[0]
        return Check("labels", "fails", f"row {row} has the label {label!r}, which the model does not know", row)
    return Check("labels", "holds", "the model knows all of them")


def check_classes(record: RunRecord, X: Any, labels: NDArray[Any], weights: Floats | None) -> list[Check]:
    """Check that each problem that the classes make has its certificate, and that the class frequencies are true."""
    strategy, checks = record.strategy, []
    chosen = _strategies(record, X)
    if strategy.name not in chosen:
        asked, some = record.parameters.get("multi_class", strategy.name), counted(len(strategy.classes), "class")
        detail = f"multi_class={asked!r} makes {chosen[0]!r} of {some}, but the model has {strategy.name!r}"
        checks.append(Check("classes", "fails", detail))
    if len(set(strategy.classes.tolist())) != len(strategy.classes):
        checks.append(Check("classes", "fails", "a class occurs twice"))
    expected, found = sides(strategy), [(problem.positive, problem.negative) for problem in record.problems]
    if len(found) % len(expected) or found != expected * (len(found) // len(expected)):
        detail = f"the problems are not those of {counted(len(strategy.classes), 'class')} and {strategy.name!r}"
        checks.append(Check("classes", "fails", detail))
    checks += _check_labels_of_certificates(record)
    if strategy.counts is not None:
        checks.append(_check_counts(strategy.classes, strategy.counts, labels, weights))
    return checks


def _strategies(record: RunRecord, X: Any) -> list[str]:
    """Return the strategies that ``multi_class`` may stand for.

    The automatic choice depends on whether the rows were sparse, which the same rows may be or not be here.
    """
    name, count = record.strategy.name, len(record.strategy.classes)
    asked = record.parameters.get("multi_class", name)
    if asked != AUTO:
        return [strategy_of_classes(asked, count)]
    rows, width = X.shape
    of_dense = auto_strategy(count, rows, width, is_sparse=False)
    if name == of_dense:
        return [of_dense]
    columns = Columns.occurring(sp.csr_array(X))
    occurring = width if columns is None else len(columns.indices)
    return [of_dense, auto_strategy(count, rows, occurring, is_sparse=True)]


def _check_labels_of_certificates(record: RunRecord) -> list[Check]:
    """Return failed checks if certificates are missing, or are about other labels than their problems."""
    claim, strategy, certificates = "certificates", record.strategy, record.certificates
    if record.joint is not None and not strategy.is_joint:
        return [Check(claim, "fails", "only a joint problem has a joint certificate")]
    expected = len(record.problems) // max(1, len(strategy.pairs) if strategy.is_joint else 1)
    if len(certificates) != expected:
        return [Check(claim, "fails", f"{len(certificates)}, where there must be {expected}")]
    of_all = tuple(strategy.classes.tolist())
    sought = [of_all] * expected if strategy.is_joint else [(p.positive, p.negative) for p in record.problems]
    for (name, certificate), labels in zip(record.named_certificates, sought, strict=True):
        may_be_silent = not strategy.is_joint and labels[1] is None  # a certificate of one class against all others
        if certificate.labels() != labels and not (may_be_silent and certificate.labels() is None):
            return [Check(claim, "fails", f"that of {name or 'all classes'} is about other labels")]
    return []


def check_default_cost(record: RunRecord) -> list[Check]:
    """Check that there is one C; that it follows from the spread of the rows is taken on trust."""
    if record.parameters.get("C") != "scale" or record.parameters.get("lam") is not None:
        return []
    used = [certificate.stated().get("C") for certificate in record.certificates]
    C = used[0]
    if not isinstance(C, float) or not 0 < C < math.inf or any(other != C for other in used):
        return [Check("C", "fails", f"the certificates state {used}, where there must be one positive number")]
    return [Check("C", "on trust", f"{C:g} follows from the spread of the rows")]


def _check_counts(classes: NDArray[Any], counts: Floats, labels: NDArray[Any], weights: Floats | None) -> Check:
    """Check the weights of the classes, which decide exact ties, against the labels."""
    claim, own = "class frequencies", np.ones(len(labels)) if weights is None else weights
    if len(counts) != len(classes):
        return Check(claim, "fails", f"there are {len(counts)} for {counted(len(classes), 'class')}")
    for label, count in zip(classes.tolist(), counts.tolist(), strict=True):
        terms = own[labels == label]
        found = exact_total(terms)
        is_exact = np.all(terms == np.rint(terms)) and found < MAX_EXACT_INTEGER  # a sum of integers is not rounded
        check = agrees(claim, count, Enclosure.exactly(found), 0 if is_exact else len(terms))
        if check.status == "fails":
            return Check(claim, "fails", f"class {label!r}: {check.detail}")
    return Check(claim, "holds", "they decide ties as the labels do")
