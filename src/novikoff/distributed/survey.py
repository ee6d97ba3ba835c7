"""The first round: how many rows and columns there are, which classes, and how large the values are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._labels import Codes, encode
from novikoff.errors import input_error, quote
from novikoff.theory.enclosed_sums import exact_total
from novikoff.theory.geometry import Floats

from .block import Block
from .protocol import added
from .rounds import Rounds

MAX_LABELS = 10_000  # different labels, beyond which the target is not a class


@dataclass(frozen=True)
class Survey:
    """What all partitions together say about a data set.

    Parameters
    ----------
    rows : list of int
        The number of rows of each partition.
    columns : int
        The number of columns.
    totals : dict
        The exact total sample weight of the rows of each label, without labels that only rows of weight 0 have.
    dtype : dtype or None
        The type of the labels; None if no row has one.
    largest : float
        The largest absolute value.
    elements : int
        The number of stored values.
    is_sparse : bool
        Whether some rows are sparse.
    dense_columns : dict
        For each number of columns of dense rows, the name of a partition that has it.
    has_weights : bool
        Whether some row has another weight than 1.
    """

    rows: list[int]
    columns: int
    totals: dict[Any, Fraction]
    dtype: Any
    largest: float
    elements: int
    is_sparse: bool
    dense_columns: dict[int, str]
    has_weights: bool

    def __add__(self, other: Survey) -> Survey:
        return Survey(
            self.rows + other.rows,
            max(self.columns, other.columns),
            added(self.totals, other.totals),
            _common_dtype(self.dtype, other.dtype),
            max(self.largest, other.largest),
            self.elements + other.elements,
            self.is_sparse or other.is_sparse,
            {**other.dense_columns, **self.dense_columns},
            self.has_weights or other.has_weights,
        )

    @property
    def count(self) -> int:
        """The number of rows of all partitions."""
        return sum(self.rows)

    @property
    def counts(self) -> dict[Any, float]:
        """The total sample weight of the rows of each label, rounded once, so that it does not depend on the cut."""
        return {label: float(total) for label, total in self.totals.items()}

    @property
    def firsts(self) -> list[int]:
        """The number of the first row of each partition among the rows of all partitions."""
        return [0, *np.cumsum(self.rows, dtype=np.int64).tolist()][:-1]

    def classes(self, where: str) -> tuple[NDArray[Any], Floats]:
        """Return the labels in ascending order and their counts. One label alone is refused."""
        if self.count == 0:
            raise input_error(where, "the data have no rows.")
        if self.dtype is None:
            raise input_error(where, "y is missing. Pass the labels, or the name of their column.")
        if not self.totals:
            raise input_error(where, "sample_weight is zero for every row.")
        counts = self.counts
        classes, _ = encode(where, np.array(list(counts), dtype=self.dtype))
        if len(classes) < 2:
            raise input_error(where, f"y has only one class, {quote(classes.tolist()[0])}. At least two are needed.")
        return classes, np.array([counts[label] for label in classes.tolist()])


def survey(where: str, rounds: Rounds) -> Survey:
    """Return the survey of a data set, in one round. Rows that do not fit together are refused."""
    found: Survey = rounds.run(survey_block)
    widths = dict(found.dense_columns)
    if len(widths) > 1 or (widths and found.is_sparse):
        (one, first), *others = sorted(widths.items())
        other = f"{_short(others[0][1])} has {others[0][0]}" if others else "others are sparse"
        message = f"{_short(first)} has {one} columns, but {other}. All partitions need the same columns."
        raise input_error(where, message)
    if found.count and found.columns == 0:
        raise input_error(where, "the rows have no columns.")
    return found


def _short(name: str) -> str:
    """Return the name of a partition without that of the caller, which begins the message."""
    return re.sub(r"^[\w.]+: (partition [0-9]+)$", r"\1", name)


def survey_block(block: Block, state: Any, command: Any) -> tuple[Any, Survey]:
    """Survey one partition: a step."""
    totals: dict[Any, Fraction] = {}
    dtype = None
    if block.y is not None and block.count:
        labels, codes = encode(block.name, block.y)
        dtype = np.dtype(object) if labels.dtype.kind == "O" else labels.dtype
        if len(labels) > MAX_LABELS:
            raise input_error(
                block.name, f"y has {len(labels)} different labels, but at most {MAX_LABELS} are classes."
            )
        sums = _sums_of_classes(codes, block.weights, len(labels))
        totals = {label: total for label, total in zip(labels.tolist(), sums, strict=True) if total > 0}
    has_values = block.count > 0 and block.X.shape[1] > 0
    largest = _core.survey(block.rows(), None)[1] if has_values else 0.0
    widths = {} if block.is_sparse or block.count == 0 else {int(block.X.shape[1]): block.name}
    elements = int(block.X.nnz if block.is_sparse else block.X.size)
    is_sparse = block.is_sparse and block.count > 0
    columns = int(block.X.shape[1]) if block.count else 0
    found = Survey(
        [block.count], columns, totals, dtype, float(largest), elements, is_sparse, widths, block.weights is not None
    )
    return state, found


def _sums_of_classes(codes: Codes, weights: Floats | None, classes: int) -> list[Fraction]:
    """Return the total weight of the rows of each class."""
    counts = np.bincount(codes, minlength=classes)
    if weights is None:
        return [Fraction(count) for count in counts.tolist()]
    order = np.argsort(codes, kind="stable")
    return [exact_total(part) for part in np.split(weights[order], np.cumsum(counts)[:-1])]


def codes_of(block: Block, classes: Sequence[Any]) -> Codes:
    """Return the place of each label of a block in ``classes``; -1 for a label that only rows of weight 0 have."""
    if block.count == 0:
        return np.zeros(0, dtype=np.int32)
    if block.y is None:
        raise input_error(block.name, "the rows have no labels. Pass y.")
    labels, codes = encode(block.name, block.y)
    places = {label: place for place, label in enumerate(classes)}
    return np.array([places.get(label, -1) for label in labels.tolist()], dtype=np.int32)[codes]


def in_width(X: Any, columns: int) -> Any:
    """Return rows with so many columns; sparse rows of a file may end with an earlier one."""
    if X.shape[1] == columns or not sp.issparse(X):
        return X if X.shape[1] == columns else np.zeros((0, columns), dtype=X.dtype)
    return sp.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], columns))


def _common_dtype(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    if object in (first, second) or (first.kind in "US") != (second.kind in "US"):
        return np.dtype(object)
    return np.promote_types(first, second)
