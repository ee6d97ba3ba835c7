"""A hash of rows, labels and weights, by which "other data" is told from "a false claim".

The hash does not depend on how the rows are stored or cut into blocks. docs/certificate-format.md has the byte layout.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._short_floats import as_array, is_short, widened
from novikoff._validation import check_labels, check_weights
from novikoff.errors import input_error

BLOCK_ENTRIES = 1 << 17  # of a dense table, whose nonzero entries are listed at a time
MAX_COLUMNS = 1 << 32  # column numbers have 32 bits


def fingerprint(X: Any, y: Any, sample_weight: Any = None) -> str:
    """Return a hash of the rows that a model is learned from.

    Equal values give the same hash in every form: dense or sparse, of any dtype, with columns of zeros at the end or
    without. The order of the rows matters.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows of finite numbers.
    y : array-like of shape (n_samples,)
        Their labels. Whole numbers are equal to integers.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights, without class weights. None stands for a weight of 1 for each row.

    Returns
    -------
    str
        "sha256:" and 64 hexadecimal digits.

    Raises
    ------
    InvalidInputError
        If the arguments do not have one label and one weight per row.

    See Also
    --------
    save : Store it with a model.
    verify : Compare it with that of other rows.

    Examples
    --------
    >>> import novikoff as nk
    >>> nk.fingerprint([[0.0, 1.0], [2.0, 0.0]], ["no", "yes"])[:19]
    'sha256:c26b3531907a'
    """
    where = "fingerprint"
    X = X if sp.issparse(X) or is_short(X) else as_array(X)
    if X.ndim != 2 or not (X.dtype.kind in "biuf" or is_short(X)):
        raise input_error(where, "X must be a matrix of numbers.")
    labels = check_labels(where, y, X.shape[0])
    return RunningFingerprint().add(X, labels, check_weights(where, sample_weight, len(labels))).text()


class RunningFingerprint:
    """The fingerprint of rows that come in batches.

    Five hashes are made, of the number of entries of each row, of the columns and values of the entries that are not 0,
    of labels and of weights; the fingerprint is that of their concatenation.
    """

    def __init__(self) -> None:
        self._counts, self._columns, self._values, self._labels, self._weights = (hashlib.sha256() for _ in range(5))
        self._is_weighted = False
        self.rows = 0

    def add(self, X: Any, labels: Any, weights: Any) -> RunningFingerprint:
        """Add rows, their labels, and their weights or None, which have been checked."""
        rows, columns = X.shape
        if columns > MAX_COLUMNS:
            raise input_error(
                "fingerprint", f"there may be at most {MAX_COLUMNS:,} columns, but there are {columns:,}."
            )
        if sp.issparse(X):
            self._add_sparse(X)
        else:
            step = max(1, BLOCK_ENTRIES // max(1, columns))
            for start in range(0, rows, step):
                self._add_dense(widened(X[start : start + step]))
        texts: dict[Any, bytes] = {}
        values = np.asarray(labels).tolist()
        for label in set(values):
            texts[label] = label_text(label).encode("ascii") + b"\n"
        self._labels.update(b"".join([texts[value] for value in values]))
        own = np.ones(rows) if weights is None else np.asarray(weights, dtype=np.float64)
        self._is_weighted = self._is_weighted or bool(np.any(own != 1))
        self._weights.update(np.ascontiguousarray(own, dtype="<f8").data)
        self.rows += rows
        return self

    def text(self) -> str:
        """Return the fingerprint of the rows so far."""
        parts = [self._counts, self._columns, self._values, self._labels, *[self._weights] * self._is_weighted]
        return f"sha256:{hashlib.sha256(b''.join(part.digest() for part in parts)).hexdigest()}"

    def _add_dense(self, block: Any) -> None:
        is_stored = block != 0
        columns = np.broadcast_to(np.arange(block.shape[1], dtype="<u4"), block.shape)
        self._add_entries(np.count_nonzero(is_stored, axis=1), columns[is_stored], block[is_stored])

    def _add_sparse(self, X: Any) -> None:
        X = X.tocsr()
        if not X.has_canonical_format or not np.all(X.data):
            X = X.copy()  # the caller's matrix stays as it is
            X.sum_duplicates()
            X.eliminate_zeros()
        start, end = X.indptr[0], X.indptr[-1]
        self._add_entries(np.diff(X.indptr), X.indices[start:end], X.data[start:end])

    def _add_entries(self, counts: Any, columns: Any, values: Any) -> None:
        for part, array, dtype in (
            (self._counts, counts, "<u4"),
            (self._columns, columns, "<u4"),
            (self._values, values, "<f8"),
        ):
            for start in range(0, len(array), BLOCK_ENTRIES):
                part.update(np.ascontiguousarray(array[start : start + BLOCK_ENTRIES], dtype=dtype).data)


def label_text(label: Any) -> str:
    """Return a label as JSON in ASCII; a float that is whole has the text of the integer."""
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return json.dumps(label)
