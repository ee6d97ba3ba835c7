"""The order in which rows are predicted and learned if labels come late."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Places = NDArray[np.int64]


def late_order(waiting: int, rows: int, labels: int) -> tuple[Places, NDArray[np.bool_]]:
    """Return the rows in the order in which they are predicted or learned, and whether they are learned.

    The first rows were predicted before, and wait for their labels. Each of the others is predicted, and then the
    oldest one is learned. At the end, those are learned whose labels are left.

    Parameters
    ----------
    waiting : int
        Number of rows that were predicted before.
    rows : int
        Number of all rows.
    labels : int
        Number of labels: from ``rows - waiting``, so that there is one to learn after each prediction, to ``rows``.

    Examples
    --------
    >>> rows, is_learned = late_order(waiting=2, rows=4, labels=3)
    >>> rows.tolist(), is_learned.tolist()
    ([2, 0, 3, 1, 2], [False, True, False, True, True])
    """
    pairs = np.stack([np.arange(waiting, rows), np.arange(rows - waiting)], axis=1).ravel()
    order = np.concatenate([pairs, np.arange(rows - waiting, labels)])
    is_learned = np.ones(len(order), dtype=bool)
    is_learned[: len(pairs) : 2] = False
    return order, is_learned


def rows_at(X: Any, chosen: Places) -> Any:
    """Return some rows of an array, sparse matrix, data frame or list, in this order."""
    if isinstance(X, np.ndarray):
        return X[chosen]
    if sp.issparse(X):
        return X.tocsr()[chosen]
    if hasattr(X, "iloc"):
        return X.iloc[chosen]
    return [X[row] for row in chosen.tolist()] if isinstance(X, list | tuple) else X[chosen.tolist()]


def stacked_rows(first: Any, second: Any) -> Any:
    """Return rows above others. Sparse rows may have more or fewer columns, which are 0 there."""
    if not sp.issparse(first) and not sp.issparse(second):
        return np.concatenate([first, second])
    both = [sp.csr_array(part) for part in (first, second)]
    width = max(part.shape[1] for part in both)
    wide = [sp.csr_array((part.data, part.indices, part.indptr), shape=(part.shape[0], width)) for part in both]
    return sp.vstack(wide, format="csr")
