"""What a user should know about a model before its accuracy is believed, in plain sentences."""

from __future__ import annotations

import difflib
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff._counts import count, counted
from novikoff._wide_array import stored
from novikoff.errors import quote
from novikoff.record import RunRecord
from novikoff.theory.gap_checks import gap_shown

from ._leaks import leaked_columns
from ._scores import Scores
from ._words import accuracy_words, percent

MAX_NAMES = 5  # names in a sentence
MAX_LEAKS = 3  # sentences about columns
MIN_SIMILARITY = 0.75  # of two labels, one of which may be the other with a mistake in writing


def warnings_of(
    scores: Scores | None,
    record: RunRecord | None = None,
    X: Any = None,
    y: Any = None,
    *,
    rows: str = "these rows",
) -> list[str]:
    """Say what is wrong with a model or its data, the most important first.

    Parameters
    ----------
    scores : Scores or None
        Its scores, best on rows that it has not learned from.
    record : RunRecord, default=None
        Its record: weight vectors that are 0, and gaps above the tolerance, are mentioned. With ``class_weight`` the
        balanced accuracy, not the accuracy, is compared with that of one label for all rows.
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        Rows that it learned from: columns that predict the label alone are mentioned.
    y : array-like of shape (n_samples,), default=None
        Their labels.
    rows : str, default="these rows"
        The rows of the scores, in words: "6,512 held-out rows".

    Returns
    -------
    list of str
        Sentences without a full stop. Empty if there is nothing to say.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> model = nk.LinearSVM().fit(X, y)
    >>> found = nk.evaluate.scores(model, [[0.0], [1.0], [4.0]], ["no.", "no", "yes"])
    >>> nk.evaluate.warnings_of(found)
    ["labels that the model does not know: 'no.' (1 row; it knows 'no'); their rows count as mistakes"]
    """
    found: list[str] = []
    if scores is not None:
        guessing = guessing_words(scores, record, rows)
        found = [*[guessing] * bool(guessing), *_of_unseen(scores, record), *_of_unused(scores)]
    if record is not None:
        found += [*_of_constants(record), *_of_gaps(record)]
    if X is not None and y is not None:
        found += _of_leaks(X, y, record)
    return found


def has_class_weight(record: RunRecord | None) -> bool:
    """Return whether a model was fitted with class weights, which may lower its accuracy."""
    return record is not None and record.parameters.get("class_weight") is not None


def guessing_words(scores: Scores, record: RunRecord | None, rows: str) -> str:
    """Say that one label for all rows is as good as the model; "" if it is not, or if the rows have only one label."""
    chance = 1 / np.count_nonzero(scores.support)
    is_balanced = has_class_weight(record)
    value, guess = (scores.balanced_accuracy, chance) if is_balanced else (scores.accuracy, scores.baseline)
    if chance == 1 or value > guess:
        return ""
    words = accuracy_words(scores.accuracy, rows, scores.baseline, scores.baseline_label)
    if scores.constant is not None:
        return f"the model predicts {quote(scores.constant)} for every row: {words}"
    sentence = f"the model is no better than always predicting {quote(scores.baseline_label)}"
    if is_balanced:
        return sentence + ", by balanced accuracy: " + accuracy_words(value, rows, guess, scores.baseline_label)
    sentence += f": {words}"
    if scores.balanced_accuracy > 1.2 * chance:
        balanced = f"{percent(scores.balanced_accuracy)} of the rows of a class (always one label: {percent(chance)})"
        sentence += f"; but it predicts correctly, in the mean over the classes, {balanced}"
    return sentence


def _of_unseen(scores: Scores, record: RunRecord | None) -> list[str]:
    """Name the labels that the model does not know, with the known label that each may stand for."""
    if not scores.unseen:
        return []
    unseen = [label for label, _ in scores.unseen]
    known = scores.labels.tolist() if record is None else record.strategy.classes.tolist()
    known = [label for label in known if label not in unseen]
    named = []
    for label, rows in sorted(scores.unseen, key=lambda pair: -pair[1]):
        similar = similar_label(label, known)
        hint = "" if similar is None else f"; it knows {quote(similar)}"
        named.append(f"{quote(label)} ({counted(rows, 'row')}{hint})")
    return [f"labels that the model does not know: {listed(named)}; their rows count as mistakes"]


def _of_unused(scores: Scores) -> list[str]:
    """Name the known labels that some of the rows have and none is given, unless only one label is predicted."""
    unseen = {label for label, _ in scores.unseen}
    unused = [
        (rows, label)
        for label, rows, predicted in zip(
            scores.labels.tolist(), scores.support.tolist(), scores.confusion.sum(axis=0).tolist(), strict=True
        )
        if rows > 0 and predicted == 0 and label not in unseen
    ]
    if not unused or scores.constant is not None:
        return []
    unused.sort(key=lambda entry: -entry[0])
    named = [f"{quote(label)} ({counted(rows, 'row')})" for rows, label in unused]
    return [f"labels that are never predicted: {listed(named)}"]


def similar_label(label: Any, known: Sequence[Any]) -> Any:
    """Return the known label that a label may be a misspelling of, or None."""
    if not isinstance(label, str):
        return None
    plain = {_plain(other): other for other in known}
    if _plain(label) in plain:
        return plain[_plain(label)]
    close = difflib.get_close_matches(label, [other for other in known if isinstance(other, str)], 1, MIN_SIMILARITY)
    return close[0] if close else None


def _plain(label: Any) -> str:
    return str(label).strip(string.whitespace + string.punctuation).casefold()


def _of_constants(record: RunRecord) -> list[str]:
    """Name the binary problems, or classes, whose weights are all 0."""
    constant = [p.name for p in record.problems if p.has_linear_score and not np.any(stored(p.weights))]
    if not constant:
        return []
    if len(record.problems) == 1:
        return ["all weights are 0, so the score is the same for every row"]
    some = f"{count(len(constant))} of {count(len(record.problems))} weight vectors"
    are = "is 0, so its score is" if len(constant) == 1 else "are 0, so their scores are"
    return [f"{some} {are} the same for every row: {listed(constant)}"]


def _of_gaps(record: RunRecord) -> list[str]:
    """Name the certificates whose gap is above the tolerance, the widest first."""
    wide = [
        (certificate.relative_gap, name, certificate.tol)
        for name, certificate in record.named_certificates
        if not getattr(certificate, "converged", True)
        and hasattr(certificate, "relative_gap")
        and hasattr(certificate, "tol")
    ]
    if not wide:
        return []
    wide.sort(key=lambda entry: (-entry[0], entry[1]))
    remedy = "increase max_iter= or tol=, decrease C=, or scale the columns"
    tol = wide[0][2]
    if len(record.named_certificates) == 1:
        proven = f"the relative gap is only proven to be at most {gap_shown(wide[0][0])}"
        return [f"not converged: {proven}, above the tolerance of {tol:g}; {remedy}"]
    named = listed([f"{name} (at most {gap_shown(gap)})" for gap, name, _ in wide])
    some = f"{count(len(wide))} of {counted(len(record.named_certificates), 'problem')}"
    return [f"not converged: the relative gap of {some} is above the tolerance of {tol:g}: {named}; {remedy}"]


def _of_leaks(X: Any, y: Any, record: RunRecord | None) -> list[str]:
    """Say which columns predict the label alone."""
    found = leaked_columns(X, y, record)
    sentences = []
    for column in found[:MAX_LEAKS]:
        words = accuracy_words(column.accuracy, counted(column.rows, "row"), column.baseline, column.baseline_label)
        remedy = "check that it is known when you predict, or exclude it"
        sentences.append(f"column {quote(column.name)} alone predicts the label: {words}; {remedy}")
    if len(found) > MAX_LEAKS:
        others = listed([quote(column.name) for column in found[MAX_LEAKS:]])
        sentences.append(f"further columns that predict the label alone: {others}")
    return sentences


def listed(names: Sequence[str], most: int = MAX_NAMES) -> str:
    """Return names with commas between them, and the number of those beyond the first."""
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most:,} more"
