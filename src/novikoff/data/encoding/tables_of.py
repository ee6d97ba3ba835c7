"""Anything that can be read as a table, as a source of raw rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.formats import FORMATS, find_format, sources_of
from novikoff.data.formats.base import WHOLE_READ_BATCH
from novikoff.data.source import is_path
from novikoff.data.tables.block import Block, Invalid
from novikoff.data.tables.source_table import TableSource
from novikoff.errors import input_error, quote


class ArrayBlocks:
    """One pass over an array of numbers, whose columns have the given names."""

    name, note = "X", ""

    def __init__(self, X: NDArray[Any], names: Sequence[str]) -> None:
        self._X, self._places = X, {name: j for j, name in enumerate(names)}
        self.schema = dict.fromkeys(names, "number")

    @property
    def invalid(self) -> dict[str, Invalid]:
        """Nothing: an array holds numbers only."""
        return {}

    def blocks(self, kinds: Mapping[str, str]) -> Iterator[Block]:
        """Return all rows as one block."""
        numbers = np.ascontiguousarray(self._X[:, [self._places[name] for name in kinds]])
        codes = np.empty((len(numbers), 0), dtype=np.int32)
        yield Block(tuple(kinds), numbers, (), codes, (), lambda row: f"X, row {row}")


def raw_table(
    where: str, source: Any, known: Mapping[str, str] | None, columns: Sequence[str] | None = None, **options: Any
) -> TableSource:
    """Open a table without labels.

    Parameters
    ----------
    where : str
        The class or function that the user called.
    source : data frame, path, SQL or array
        The table.
    known : mapping of str to str or None
        The columns of a fitted encoder and their kinds; other columns are ignored. None takes all columns.
    columns : sequence of str, default=None
        All columns that a fitted encoder was fitted to, by which the columns of an array are called. By default these
        are called x0, x1, ... as in scikit-learn.
    **options : dict
        Options of the format.
    """
    if isinstance(source, TableSource):
        return source
    if sp.issparse(source):
        raise input_error(where, "the table must be dense, but it is a sparse matrix.")
    if isinstance(source, np.ndarray | list | tuple) and not _is_paths(source):
        X = np.asarray(source)
        if X.dtype.kind not in "OUSV":
            from sklearn.utils import check_array  # slow to import

            X = check_array(X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")
            names = [f"x{j}" for j in range(X.shape[1])] if columns is None else list(columns)
            if len(names) != X.shape[1]:
                expecting = f"{where} is expecting {len(names)} features as input"
                raise input_error(where, f"X has {X.shape[1]} features, but {expecting}.")
            return TableSource(where, lambda _: ArrayBlocks(X, names), [X], {"target": False}, known).opened()
        raise input_error(where, "an array must hold numbers. Use a data frame for columns of strings.")
    if source is None or isinstance(source, Mapping):
        raise input_error(where, f"the table must be an array, a data frame, a path or SQL, but it is {quote(source)}.")
    data_format = find_format(where, source)
    if not data_format.is_table and isinstance(source, bytes | bytearray | memoryview):
        data_format = FORMATS["csv"]  # one column of numbers, for example, does not look like a table
    if not data_format.is_table:
        raise input_error(where, f"the source must be a table, but it is {data_format.name}: {quote(source)}.")
    given: dict[str, Any] = {"target": False, **options}
    table: TableSource = data_format.table(where, sources_of(source), given, WHOLE_READ_BATCH, known=known)
    return table.opened()


def _is_paths(source: Any) -> bool:
    return isinstance(source, list | tuple) and len(source) > 0 and all(map(is_path, source))
