"""Columns that predict the label alone, which often means that they would not be known at the time of a prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.record import RunRecord
from novikoff.theory.columns import Columns
from novikoff.theory.geometry import as_table

MAX_ROWS, SCREENED_ROWS, MIN_ROWS = 20_000, 2_000, 50
MAX_BINS = 256  # of the numbers of a column
MIN_ACCURACY = 0.99
MAX_ERROR_RATIO = 0.1  # compared with the error of always predicting the most frequent label
SCREENING_SLACK = 0.02  # by how much less accurate a column may be on the rows that are screened first

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class LeakedColumn:
    """A column from which alone almost every label can be predicted.

    Parameters
    ----------
    name : str or int
        The column of the table, or of X.
    accuracy : float
        Fraction of ``rows`` that are predicted correctly from this column alone.
    rows : int
        Number of rows this was measured on. The rule was found on as many others.
    baseline : float
        Accuracy of predicting ``baseline_label`` for each of these rows.
    baseline_label : object
        The most frequent label of these rows.

    Examples
    --------
    >>> import novikoff as nk
    >>> X = [[place % 7, place % 2] for place in range(100)]
    >>> nk.evaluate.leaked_columns(X, [place % 2 for place in range(100)])
    [LeakedColumn(name=1, accuracy=1.0, rows=50, baseline=0.52, baseline_label=1)]
    """

    name: str | int
    accuracy: float
    rows: int
    baseline: float
    baseline_label: Any


def leaked_columns(X: Any, y: Any, record: RunRecord | None = None) -> list[LeakedColumn]:
    """Find columns that predict the label alone while most others do not.

    The values of a column are divided into at most 256 intervals, or into its categories. Each is given the most
    frequent label of one half of the rows, and compared with the other half.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows. At most 20,000 of them, drawn at random with a fixed seed, are used.
    y : array-like of shape (n_samples,)
        Their labels.
    record : RunRecord, default=None
        The record of a model of these rows, which names the columns, and knows which columns are categories of one
        column of a table.

    Returns
    -------
    list of LeakedColumn
        Empty if there are fewer than 50 rows or two columns, or if more than one column and a quarter of them predict
        the label alone: such rows are easy to classify.

    Examples
    --------
    >>> import novikoff as nk
    >>> X = [[place % 7, place % 2] for place in range(100)]
    >>> [column.name for column in nk.evaluate.leaked_columns(X, [place % 2 for place in range(100)])]
    [1]
    """
    X, y = as_table(X), np.asarray(y)
    rows = np.random.default_rng(0).permutation(X.shape[0])[:MAX_ROWS]
    names, groups = _named_columns(X.shape[1], record)
    labels, codes = np.unique(y[rows], return_inverse=True)
    named = len(names) if isinstance(names, range) else len(set(names))
    if len(rows) < MIN_ROWS or named < 2 or len(labels) < 2:
        return []
    X = X[rows]
    columns = None if groups else Columns.occurring(X)
    if columns is not None:
        X, names = columns.cut(X), [names[column] for column in columns.indices.tolist()]
    measured = codes[len(rows) // 2 :]
    counts = np.bincount(measured)
    baseline = float(counts.max() / len(measured))
    needed = max(MIN_ACCURACY, 1 - MAX_ERROR_RATIO * (1 - baseline))
    found: dict[str | int, float] = {}
    for place, values, bins in _values(X, groups, needed - baseline):
        if _accuracy(values[:SCREENED_ROWS], codes[:SCREENED_ROWS], bins) >= needed - SCREENING_SLACK:
            accuracy = _accuracy(values, codes, bins)
            if accuracy >= needed:
                found[names[place]] = max(accuracy, found.get(names[place], 0.0))
    if len(found) > max(1, named // 4):
        return []
    most = int(counts.argmax())
    label = labels[most : most + 1].tolist()[0]
    return [LeakedColumn(name, accuracy, len(measured), baseline, label) for name, accuracy in found.items()]


def _named_columns(width: int, record: RunRecord | None) -> tuple[Sequence[str | int], list[range]]:
    """Return the column of the table that each column of X comes from, and the ranges that are categories of one."""
    reading = None if record is None else record.reading
    encoding = None if reading is None else reading.encoding
    if encoding is not None and len(encoding.names) == width:
        names = [name for name, span in encoding.spans.items() for _ in span]
        return names, [encoding.spans[column.name] for column in encoding.categories]
    if record is not None and record.column_names is not None and len(record.column_names) == width:
        return list(record.column_names), []
    base = reading.index_base if reading is not None and reading.features is None else 0
    return range(base, base + width), []


def _values(X: Any, groups: list[range], gain: float) -> Iterator[tuple[int, NDArray[Any], int | None]]:
    """Yield the number of a column, its values, and the largest number of bins for them.

    The first column of a group stands for all of it: its value is the place of the category. Sparse columns with fewer
    entries than ``gain`` times the number of rows are left out: they cannot correct enough predictions of the most
    frequent label.
    """
    grouped = {column for group in groups for column in group}
    table = sp.csc_array(X) if sp.issparse(X) or groups else X
    for group in groups:
        part = table[:, group.start : group.stop]
        values = np.zeros(X.shape[0], dtype=np.intp)
        values[part.indices] = np.repeat(np.arange(1, len(group) + 1), np.diff(part.indptr))
        yield group.start, values, None
    entries = np.diff(table.indptr) if sp.issparse(table) else np.full(X.shape[1], X.shape[0])
    for column in np.flatnonzero(entries >= gain * X.shape[0]).tolist():
        if column not in grouped:
            dense = table[:, [column]].toarray().ravel() if sp.issparse(table) else table[:, column]
            yield column, dense, MAX_BINS


def _accuracy(values: NDArray[Any], codes: Codes, bins: int | None) -> float:
    """Return the accuracy on the second half of the rows of the most frequent label of each bin of the first half."""
    half, labels = len(values) // 2, int(codes.max()) + 1
    edges = np.unique(values[:half])
    if bins is not None and len(edges) > bins:
        edges = edges[np.linspace(0, len(edges) - 1, bins).astype(np.intp)]
    bin_of = np.searchsorted(edges, values).clip(max=len(edges) - 1)
    if bins is not None:  # the nearest of two numbers
        bin_of -= (bin_of > 0) & (values - edges[bin_of - 1] < edges[bin_of] - values)
    known = np.bincount(bin_of[:half] * labels + codes[:half], minlength=len(edges) * labels)
    overall = np.bincount(codes[:half], minlength=labels) / (half + 1)  # decides ties and empty bins
    answers = (known.reshape(-1, labels) + overall).argmax(axis=1)
    return float(np.mean(answers[bin_of[half:]] == codes[half:]))
