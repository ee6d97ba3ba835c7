"""The public fitted attributes of a model, checked against its certificates, its record and the data.

An attribute is checked by a function of `CHECKED`, or it is in `ON_TRUST` with the reason why nothing shows it. An
attribute that is in neither is reported as one that nobody knows how to check.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._wide_array import WideArray, changed, narrowed, occurring, same_array, stacked
from novikoff.record import RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.geometry import Floats
from novikoff.theory.verification import Check

from .recomputed import has_nearest_points, has_slack

CLAIM = "attributes"
NOT_KNOWN = "no check of it is known"
ON_TRUST = {
    "Cs_": "the grid of a cross-validation is a choice",
    "feature_names_in_": "the rows have no column names here",
    "history_": "it recorded the run of the solver",
    "learners_": "its certificates are checked one by one",
    "n_iter_": "it counts the passes of several fits",
    "notes_": "they are for the reader",
    "reading_": "it says how a file became rows",
    "scores_": "they depend on fits to parts of the rows",
    "screened_": "it recorded the run of the solver",
    "stopped_": "it says why the passes ended",
    "text_options_": "they say how a text became a table",
}


@dataclass(frozen=True)
class Subject:
    """What the attributes of a model are compared with.

    Parameters
    ----------
    attributes : dict
        The public fitted attributes by name.
    record : RunRecord
        The record of the model.
    labels : ndarray
        The labels of all rows.
    columns : int
        Number of columns of the rows.
    names : list of str or None
        The names of the columns, where the rows have them.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows.
    """

    attributes: dict[str, Any]
    record: RunRecord
    labels: NDArray[Any]
    columns: int
    names: list[str] | None
    X: Any

    @property
    def groups(self) -> list[list[Certificate]]:
        """The certificates of each C; those of a model with one C are one group."""
        record = self.record
        count = len(record.problems) // len(record.strategy.pairs)
        size = len(record.certificates) // count
        return [record.certificates[first : first + size] for first in range(0, len(record.certificates), size)]

    def fitted(self, name: str) -> list[list[Any]] | None:
        """Return the values that follow from the certificates of each group; None if one of them does not say."""
        values = [[certificate.fitted().get(name) for certificate in group] for group in self.groups]
        return None if any(value is None for group in values for value in group) else values


def fitted_attributes(model: Any, record: RunRecord | None = None) -> dict[str, Any]:
    """Return the public fitted attributes of a model, whose names end with an underscore, except its record.

    Weights that ``coef_`` would make dense are taken from the record.
    """
    is_wide = record is not None and any(isinstance(problem.weights, WideArray) for problem in record.problems)
    names = [name for name in vars(model) if _is_fitted(name)]
    for cls in type(model).__mro__:
        names += [name for name, value in vars(cls).items() if _is_fitted(name) and isinstance(value, property)]
    found = {}
    for name in sorted(set(names) - {"record_"}):
        try:
            held = vars(model).get(name)
            if record is not None and is_wide and name == "coef_" and held is None:
                held = stacked([problem.weights for problem in record.problems])
            found[name] = held if isinstance(held, WideArray) else getattr(model, name)  # a wide one is not made dense
        except AttributeError:  # one that this model does not have
            continue
    return found


def _is_fitted(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def names_of(X: Any) -> list[str] | None:
    """Return the names of the columns of a data frame; None if some column has no name."""
    columns = getattr(X, "columns", None)
    names = [] if columns is None or callable(columns) else list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def check_attributes(subject: Subject) -> list[Check]:
    """Compare all attributes of a model whose certificates hold.

    Parameters
    ----------
    subject : Subject
        The attributes, and what they are compared with.

    Returns
    -------
    list of Check
        One for each attribute that differs, one for all that agree, and one for those that are taken on trust.
    """
    agree, on_trust, checks = [], {}, []
    for name, value in subject.attributes.items():
        found = CHECKED[name](subject, value) if name in CHECKED else None
        if found is None:
            on_trust[name] = ON_TRUST.get(name, NOT_KNOWN)
        elif found:
            agree.append(name)
        else:
            detail = "it is not what the data and the certificates imply"
            checks.append(Check(f"{CLAIM}: {name}", "fails", detail))
    if agree:
        checks.append(Check(CLAIM, "holds", f"{', '.join(agree)}: as the data and the certificates imply"))
    if on_trust:
        detail = "; ".join(f"{name}: {reason}" for name, reason in on_trust.items())
        checks.append(Check(CLAIM, "on trust", detail))
    return checks


def check_pipeline_attributes(pipeline: Any, encoder: Any, learner: Any) -> list[Check]:
    """Check that the attributes of a pipeline are those of its steps, and that the encoder knows its columns.

    Parameters
    ----------
    pipeline, encoder, learner : object
        The pipeline of a table encoder and a learner, and its two steps.

    Returns
    -------
    list of Check
        As `check_attributes` returns them; what the encoder has learned is checked elsewhere.
    """
    columns = list(encoder.encoding_.columns)
    expected = {
        "encoder: n_features_in_": (encoder.n_features_in_, len(columns)),
        "encoder: feature_names_in_": (list(encoder.feature_names_in_), columns),
    }
    for name, value in fitted_attributes(pipeline).items():
        source = encoder if name.endswith("_in_") else learner
        expected[name] = (value, getattr(source, name))
    checks = [
        Check(f"pipeline: {name}", "fails", "it is not that of its step")
        for name, (value, own) in expected.items()
        if not same(value, own)
    ]
    others = [name for name in fitted_attributes(encoder) if f"encoder: {name}" not in expected and name != "encoding_"]
    detail = "; ".join(f"{name}: {ON_TRUST.get(name, NOT_KNOWN)}" for name in others)
    return [*checks, *([Check("encoder: attributes", "on trust", detail)] if others else [])]


# ---- one function per attribute: whether it agrees; None if nothing shows it -----------------------------------------


def _classes(subject: Subject, value: Any) -> bool:
    labels = subject.record.strategy.classes.tolist()
    try:
        is_ascending = all(a < b for a, b in pairwise(labels))
    except TypeError:  # labels that cannot be sorted
        is_ascending = False
    return is_ascending and same(np.asarray(value).tolist(), labels)


def _counts(subject: Subject, value: Any) -> bool:
    return same(value, subject.record.strategy.counts)


def _strategy(subject: Subject, value: Any) -> bool:
    return same(value, subject.record.strategy.name)


def _width(subject: Subject, value: Any) -> bool:
    return bool(value == subject.columns == subject.record.n_features)


def _column_names(subject: Subject, value: Any) -> bool | None:
    return None if subject.names is None else same(np.asarray(value).tolist(), subject.names)


def _planes(subject: Subject, value: Any) -> bool:
    expected = stacked([problem.weights for problem in subject.record.problems])
    if _is_difference(subject, np.shape(value)[:1]):
        return same_array(value, changed(expected, lambda planes: planes[1:] - planes[:1]))
    shape = (len(subject.record.strategy.pairs), expected.shape[-1])
    held = value if np.ndim(value) < 3 else stacked([row for part in value for row in part])
    return np.shape(value)[-2:] == shape and np.ndim(held) == 2 and same_array(held, expected)


def _intercepts(subject: Subject, value: Any) -> bool:
    expected = np.array([problem.intercept for problem in subject.record.problems])
    if _is_difference(subject, np.shape(value)):
        return np.array_equal(value, expected[1:] - expected[:1])
    return _has_entries(value, expected) and np.shape(value)[-1] == len(subject.record.strategy.pairs)


def _is_difference(subject: Subject, shape: tuple[int, ...]) -> bool:
    """Whether two classes that are learned together are shown as one weight vector, the difference of theirs."""
    return subject.record.strategy.is_joint and len(subject.record.problems) == 2 and shape == (1,)


def _weights_by_name(subject: Subject, value: Any) -> bool:
    names, found = subject.record.column_names, {}
    for problem in subject.record.problems:
        key = problem.positive if problem.negative is None else (problem.positive, problem.negative)
        columns = occurring(problem.weights)
        values = narrowed(problem.weights, columns).tolist()
        keys = columns.tolist() if names is None else [names[column] for column in columns.tolist()]
        found[key] = dict(zip(keys, values, strict=True))
    return bool(value == (found if len(found) > 1 else next(iter(found.values()))))


def _certificates(subject: Subject, value: Any) -> bool:
    groups = [group[0] if len(group) == 1 else group for group in subject.groups]
    return same(value, groups if "coefs_" in subject.attributes else groups[0])


def _from_certificates(name: str) -> Callable[[Subject, Any], bool | None]:
    """Return the check of an attribute with one value for each certificate."""

    def check(subject: Subject, value: Any) -> bool | None:
        values = subject.fitted(name)
        return None if values is None else _has_entries(value, np.array(values))

    return check


def _margins(subject: Subject, value: Any) -> bool | None:
    """Compare the margins of all problems, together with their geometry."""
    values = subject.fitted("margin_")
    held = list(value) if isinstance(value, tuple) else [value]
    return None if values is None else same(held, [margin for group in values for margin in group])


def _steps(subject: Subject, value: Any) -> bool | None:
    values = subject.fitted("n_iter_")
    if values is not None:
        return _has_entries(value, np.array([max(group) for group in values]))
    runs = [problem.run for problem in subject.record.problems]
    if any(run is None or (run.passes is None and not run.is_stream) for run in runs):
        return None
    return bool(value == max((run.passes or 1) for run in runs if run is not None))


def _support(subject: Subject, value: Any) -> bool | None:
    found = _coefficients(subject)
    return None if found is None else same(np.asarray(value), found[0])


def _dual_coef(subject: Subject, value: Any) -> bool | None:
    found = _coefficients(subject)
    return None if found is None else same(np.asarray(value), found[1])


def _coefficients(subject: Subject) -> tuple[NDArray[np.int64], Floats] | None:
    """Return the rows that any weight vector is a sum of, and their coefficients.

    There is one row of coefficients per weight vector. With pairs of classes, a row of the data has at most one
    coefficient for each class but its own, so there is one row for each of the other classes, in their order.
    """
    strategy, labels = subject.record.strategy, subject.labels
    parts = [certificate.row_coefficients(labels) for certificate in subject.record.certificates]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    rows = np.unique(np.concatenate([own for own, _ in known]))
    if strategy.is_joint:
        return rows, known[0][1]
    has_pairs = strategy.pairs[0][1] is not None
    table = np.zeros((len(strategy.classes) - 1 if has_pairs else len(known), len(rows)))
    classes = strategy.classes.tolist()
    for place, ((positive, negative), (own, values)) in enumerate(zip(strategy.pairs, known, strict=True)):
        found = np.searchsorted(rows, own)
        if negative is None:
            table[place, found] = values[0]
        else:
            is_positive = labels[own] == classes[positive]
            table[np.where(is_positive, negative, positive - 1), found] = values[0]
    return rows, table


def _cost(subject: Subject, value: Any) -> bool | None:
    values = subject.fitted("C_")
    return None if values is None else all(value == C for group in values for C in group)


def _costs(subject: Subject, value: Any) -> bool | None:
    if "coefs_" not in subject.attributes:  # the grid of a cross-validation
        chosen = {"C_", "best_C_"} & set(subject.attributes)
        is_grid = np.all(np.diff(value) > 0) and all(subject.attributes[name] in value for name in chosen)
        return None if is_grid else False
    values = subject.fitted("C_")
    return None if values is None else same(np.asarray(value).tolist(), [group[0] for group in values])


def _mean_scores(subject: Subject, value: Any) -> bool:
    scores = np.asarray(subject.attributes["scores_"], dtype=np.float64)
    if np.shape(value) != scores.shape[1:]:
        return False
    roundings = (len(scores) + 2) * EPS
    return all(
        abs(mean - math.fsum(own) / len(own)) <= roundings * max(map(abs, own))
        for mean, own in zip(np.asarray(value).tolist(), scores.T.tolist(), strict=True)
    )


def _standard_errors(subject: Subject, value: Any) -> bool:
    scores = np.asarray(subject.attributes["scores_"], dtype=np.float64)
    if np.shape(value) != scores.shape[1:]:
        return False
    folds = len(scores)
    roundings = (folds + 16) * EPS  # of a mean, a square, a sum and two roots
    for error, own in zip(np.asarray(value).tolist(), scores.T.tolist(), strict=True):
        mean = math.fsum(own) / folds
        expected = math.sqrt(math.fsum((score - mean) * (score - mean) for score in own) / (folds - 1) / folds)
        if not abs(error - expected) <= roundings * max(map(abs, own)):
            return False
    return True


def _best_cost(subject: Subject, value: Any) -> bool:
    Cs, means = subject.attributes["Cs_"], subject.attributes["mean_scores_"]
    return bool(value == Cs[int(np.argmax(means))])


def _chosen_cost(subject: Subject, value: Any) -> bool | None:
    """Check the C of the model, and that a cross-validation had to choose it."""
    own = _cost(subject, value)
    if not own or "scores_" not in subject.attributes:
        return own
    Cs, means, errors = (np.asarray(subject.attributes[name]) for name in ("Cs_", "mean_scores_", "standard_errors_"))
    best = int(np.argmax(means))
    enough = means[best] - (errors[best] if subject.record.parameters["selection"] == "one_standard_error" else 0.0)
    return bool(value == Cs[int(np.argmax(means >= enough))])


CHECKED: dict[str, Callable[[Subject, Any], bool | None]] = {
    "C_": _chosen_cost,
    "Cs_": _costs,
    "best_C_": _best_cost,
    "certificate_": _certificates,
    "certificates_": _certificates,
    "class_count_": _counts,
    "classes_": _classes,
    "coef_": _planes,
    "coefs_": _planes,
    "dual_coef_": _dual_coef,
    "feature_names_in_": _column_names,
    "fingerprint_": lambda subject, value: bool(value == subject.record.fingerprint),  # compared with the rows before
    "intercept_": _intercepts,
    "intercepts_": _intercepts,
    "leader_": _from_certificates("leader_"),
    "margin_": _margins,
    "mean_scores_": _mean_scores,
    "multi_class_": _strategy,
    "n_features_in_": _width,
    "n_iter_": _steps,
    "objective_": _from_certificates("objective_"),
    "nearest_points_": lambda subject, value: has_nearest_points(
        value, subject.record.certificates, subject.X, subject.labels
    ),
    "objectives_": _from_certificates("objective_"),
    "slack_": lambda subject, value: has_slack(value, subject.record.certificates, subject.X, subject.labels),
    "standard_errors_": _standard_errors,
    "support_": _support,
    "weights_": _weights_by_name,
}


# ---- comparing -------------------------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> bool:
    """Return whether two values are equal: arrays, dataclasses, lists of these, or anything with ``==``."""
    if sp.issparse(a) or sp.issparse(b):
        return np.shape(a) == np.shape(b) and bool((a != b).nnz == 0)
    if isinstance(a, WideArray) or isinstance(b, WideArray):
        return same_array(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if dataclasses.is_dataclass(a) and type(a) is type(b):
        return all(same(getattr(a, field.name), getattr(b, field.name)) for field in dataclasses.fields(a))
    return bool(a == b)


def _has_entries(value: Any, expected: NDArray[Any]) -> bool:
    """Return whether an attribute of any shape has these entries, in this order."""
    return same(np.ravel(value), expected.ravel())
