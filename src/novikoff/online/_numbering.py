"""The columns of wide sparse rows, numbered in the order in which they appear, so that a kernel has no others.

A kernel has one weight per column up to the last one that it has seen. If the rows of a stream have far more columns
than occur in them, the kernel learns from rows whose columns are renumbered: it has one weight for each column that has
occurred. A row keeps the order of its entries, so every sum that the kernel computes has the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._wide_array import is_wide, narrowed, widened
from novikoff.data.rows import as_rows, csr
from novikoff.theory.geometry import Floats

from ._examples import Examples

Ints = NDArray[np.int64]
MIN_WEIGHTS = 1 << 22  # of all problems, 32 MB; models of fewer are dense


@dataclass(frozen=True, eq=False)
class Numbering:
    """Some columns, and their numbers in a kernel. It is never changed: new columns make another one.

    Parameters
    ----------
    columns : ndarray of int64
        The columns in ascending order.
    places : ndarray of int64
        The number of each of them in the kernel.
    """

    columns: Ints
    places: Ints

    @classmethod
    def of(cls, columns: Ints) -> Numbering:
        """Return the numbering of columns in the order of their numbers in the kernel."""
        order = np.argsort(columns, kind="stable")
        return cls(columns[order], order.astype(np.int64))

    @property
    def in_order(self) -> Ints:
        """The columns in the order of their numbers in the kernel."""
        found = np.empty_like(self.columns)
        found[self.places] = self.columns
        return found

    def extended(self, X: Any) -> Numbering:
        """Return this numbering with the columns of sparse rows, the new ones at the end, in ascending order."""
        met = np.unique(X.indices[: X.nnz]).astype(np.int64)
        before = np.searchsorted(self.columns, met)
        is_new = np.append(self.columns, -1)[before] != met
        if not is_new.any():
            return self
        numbers = len(self.columns) + np.arange(np.count_nonzero(is_new))
        columns = np.insert(self.columns, before[is_new], met[is_new])
        return Numbering(columns, np.insert(self.places, before[is_new], numbers))

    def renumbered(self, X: Any) -> Any:
        """Return rows with the columns of the kernel; entries in other columns become zeros in the first one."""
        X = X if sp.issparse(X) else sp.csr_array(X)
        indices, values = X.indices[: X.nnz], X.data[: X.nnz]
        found = np.searchsorted(self.columns, indices)
        is_known = np.append(self.columns, -1)[found] == indices
        if not is_known.all():
            values = np.where(is_known, values, 0).astype(values.dtype)
        places = np.where(is_known, np.append(self.places, 0)[found], 0)
        rows = csr(values, places.astype(X.indptr.dtype), X.indptr, max(1, len(self.columns)))
        rows.has_canonical_format = rows.has_sorted_indices = False
        return rows

    def widened(self, weights: NDArray[Any], width: int) -> Any:
        """Return the weights of a kernel as an array of all columns; those that it has not seen are 0."""
        held = np.append(weights, np.zeros(max(0, len(self.columns) - len(weights)), dtype=weights.dtype))
        return widened(held[self.places], self.columns, width)

    def row_of(self, column: Any) -> int | None:
        """Return the number of a column in the kernel; None if it has none."""
        if not isinstance(column, int | np.integer) or isinstance(column, bool):
            return None
        place = int(np.searchsorted(self.columns, column))
        return int(self.places[place]) if place < len(self.columns) and self.columns[place] == column else None


def is_to_be_numbered(X: Any, columns: int, problems: int) -> bool:
    """Return whether a kernel of so many columns and problems should learn from rows with numbered columns.

    Below ``MIN_WEIGHTS``, dense weights are cheap, and learning from rows as they are is faster.
    """
    return sp.issparse(X) and is_wide(X.shape[1], columns + X.nnz) and X.shape[1] * problems > MIN_WEIGHTS


def numbered(model: Any, where: str, kernel: Any, examples: Examples, numbering: Numbering | None) -> Examples:
    """Return examples as a kernel that is about to learn from them sees them, and keep the numbering in the model.

    Parameters
    ----------
    model : estimator
        Its ``_numbering`` is set.
    where : str
        The learner, for error messages.
    kernel : OnlineLearner
        The kernel.
    examples : Examples
        The rows of the user.
    numbering : Numbering or None
        The numbering of the columns of the kernel before; None if they are those of the user.
    """
    model._numbering = numbering
    if numbering is None:
        problems = max(kernel.problems, int(examples.codes.max(initial=0)) + 1)
        if model._by_name or model.max_features is not None or not is_to_be_numbered(examples.X, 0, problems):
            return examples
        columns = len(kernel.last_weights(0)) if kernel.problems else 0
        if not is_to_be_numbered(examples.X, columns, problems):
            return examples
        numbering = Numbering.of(np.arange(columns, dtype=np.int64))
    if not examples.examined:
        examples.examine(where)  # which refuses columns that X does not have
    X = examples.X if sp.issparse(examples.X) else sp.csr_array(examples.X)
    model._numbering = numbering.extended(X)
    return replace(examples, X=(own := model._numbering.renumbered(X)), rows=as_rows(where, own))


def as_wide(weights: Floats, width: int, numbering: Numbering | None) -> Floats:
    """Return weights for ``width`` features; missing ones are 0."""
    if numbering is not None:
        return cast("Floats", numbering.widened(weights, width))
    if len(weights) > width and not weights[width:].any():
        return weights[:width]
    return np.pad(weights, (0, width - len(weights))) if len(weights) < width else weights


def for_kernel(weights: Floats, numbering: Numbering | None) -> Floats:
    """Return the weights of the columns that a kernel has."""
    return np.asarray(weights) if numbering is None else narrowed(weights, numbering.columns)
