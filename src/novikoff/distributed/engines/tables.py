"""The rows of one partition of a table: a pandas frame or an Arrow table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.data.hashing import Hashing
from novikoff.data.stream import read
from novikoff.errors import NovikoffError, input_error, quote

from ..block import Block, checked_block
from .packages import package

VECTOR_FIELDS = ("type", "size", "indices", "values")  # of Spark's vectors in Arrow; type 0 is sparse
SPARSE = 0


@dataclass(frozen=True)
class HashedTable:
    """A table of an engine whose columns become sparse rows by feature hashing, as `novikoff.scan` hashes tables.

    Each partition is hashed by itself, so no pass over the data is needed to agree on the columns.

    Parameters
    ----------
    table : Dask dataframe or Spark DataFrame
        The table. Columns are numbers or strings.
    hashing : Hashing
        How keys become columns.
    text : tuple of str, default=()
        The columns that hold text, which is counted by words. Other strings are categories.
    missing : {"error", "zero", "indicator"}, default="error"
        What a missing value means.
    """

    table: Any
    hashing: Hashing
    text: tuple[str, ...] = ()
    missing: str = "error"


def unwrapped(X: Any) -> tuple[Any, HashedTable | None]:
    """Return the table of X, and how it is hashed, if it is: what `table_block` needs."""
    return (X.table, replace(X, table=None)) if isinstance(X, HashedTable) else (X, None)


def table_block(name: str, table: Any, y: Any, sample_weight: Any, hashed: HashedTable | None = None) -> Block:
    """Return the block of a partition of a table, on a worker.

    Parameters
    ----------
    name : str
        Where the rows come from, for error messages.
    table : DataFrame or pyarrow.Table
        The rows. Columns are numbers, or vectors of numbers.
    y, sample_weight : str, array-like or None
        The names of the columns that hold the labels and the weights, or their values.
    hashed : HashedTable, default=None
        How the columns are hashed; its table is ignored.
    """
    if hashed is not None:
        return _hashed_block(name, table, y, sample_weight, hashed)
    columns = _columns_of(table)
    values = []
    for parameter, given in (("y", y), ("sample_weight", sample_weight)):
        if isinstance(given, str):
            check_columns(name, parameter, given, list(columns))
            given = _labels(columns[given])
        values.append(given)
    features = [key for key in columns if key not in [given for given in (y, sample_weight) if isinstance(given, str)]]
    return checked_block(name, _matrix(name, {key: columns[key] for key in features}), *values)


def _hashed_block(name: str, table: Any, y: Any, sample_weight: Any, hashed: HashedTable) -> Block:
    if len(table) == 0:
        labels = None if y is None else np.zeros(0)
        return checked_block(name, sp.csr_matrix((0, 2**hashed.hashing.n_bits)), labels)
    target, weight = (given if isinstance(given, str) else None for given in (y, sample_weight))
    try:
        batch = read(
            _with_string_columns(name, table),
            target=False if target is None else target,
            weight=weight,
            text=list(hashed.text),
            missing=hashed.missing,
            hashing=hashed.hashing,
        )
    except NovikoffError as error:
        raise input_error(name, str(error)) from None
    labels = y if target is None else batch.y
    return checked_block(name, batch.X, labels, sample_weight if weight is None else batch.weights)


def _with_string_columns(name: str, table: Any) -> Any:
    """Return a table whose columns without a value and without a type hold strings, as they may in other partitions.

    A table is hashed only if it has strings, so its rows would otherwise be dense where those of others are sparse.
    """
    if hasattr(table, "iloc"):
        empty = [key for key in table.columns if table[key].dtype == object and table[key].isna().all()]
        return table.astype(dict.fromkeys(empty, "string")) if empty else table
    pa = package(name, "pyarrow", "spark")
    for place, field in enumerate(table.schema):
        if pa.types.is_null(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.string()))
    return table


def check_columns(where: str, parameter: str, wanted: Any, columns: list[str]) -> None:
    """Refuse the name of a column that a table does not have."""
    if wanted is not None and wanted not in columns:
        raise input_error(where, f"{parameter}={quote(wanted)} is not a column. The columns are {quote(columns)}.")


def feature_names(columns: list[str], y: Any, sample_weight: Any) -> tuple[str, ...]:
    """Return the names of the columns without those of the labels and the weights."""
    named = [given for given in (y, sample_weight) if isinstance(given, str)]
    return tuple(str(column) for column in columns if column not in named)


def _columns_of(table: Any) -> dict[str, Any]:
    """Return the columns by their names, each as an array, or as a CSR matrix if its values are sparse vectors."""
    if hasattr(table, "iloc"):
        return {str(key): _of_pandas(table.iloc[:, place]) for place, key in enumerate(table.columns)}
    return {key: _of_arrow(table.column(key)) for key in table.column_names}


def _of_pandas(series: Any) -> NDArray[Any]:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return np.asarray(series.to_numpy())
    if getattr(dtype, "kind", "O") in "biuf":
        return np.asarray(series.to_numpy(dtype=_float_of(dtype), na_value=np.nan))
    return np.asarray(series.to_numpy(dtype=object))


def _float_of(dtype: Any) -> Any:
    return np.float32 if getattr(dtype, "itemsize", 8) == 4 and dtype.kind == "f" else np.float64


def _of_arrow(column: Any) -> Any:
    pa = package("tables", "pyarrow", "spark")
    chunk = column.combine_chunks()
    chunk = pa.concat_arrays(chunk.chunks) if isinstance(chunk, pa.ChunkedArray) and chunk.num_chunks else chunk
    if pa.types.is_struct(chunk.type) and {chunk.type.field(k).name for k in range(4)} >= set(VECTOR_FIELDS):
        return _vectors(chunk)
    if (pa.types.is_boolean(chunk.type) and chunk.null_count) or pa.types.is_decimal(chunk.type):
        chunk = chunk.cast(pa.float64())
    return chunk.to_numpy(zero_copy_only=False)


def _vectors(column: Any) -> Any:
    """Return Spark's vectors as a matrix: dense if all of them are, otherwise CSR."""
    kinds, sizes = (column.field(field).to_numpy(zero_copy_only=False) for field in ("type", "size"))
    indices, values = column.field("indices"), column.field("values")
    counts = np.diff(values.offsets.to_numpy())
    flat = values.flatten().to_numpy(zero_copy_only=False)
    if column.null_count:
        return np.full((len(column), 1), np.nan)  # refused, with the row
    if not np.any(kinds == SPARSE):
        return flat.reshape(len(column), -1) if len(column) else flat.reshape(0, 0)
    width = int(max(np.where(kinds == SPARSE, sizes, counts)))
    places = np.concatenate([np.arange(count) for count in counts]) if len(counts) else np.zeros(0, dtype=np.int64)
    is_sparse = np.repeat(kinds == SPARSE, counts)
    places[is_sparse] = indices.flatten().to_numpy(zero_copy_only=False)
    ends = np.concatenate([[0], np.cumsum(counts)])
    return sp.csr_matrix((flat, places, ends), shape=(len(column), width))


def _labels(values: Any) -> Any:
    """Return labels as NumPy has them: strings as an array of strings."""
    if isinstance(values, np.ndarray) and values.dtype == object and all(isinstance(value, str) for value in values):
        return values.astype(np.str_)
    return values


def _matrix(name: str, columns: dict[str, Any]) -> Any:
    """Return the columns side by side. Text is refused."""
    for key, values in columns.items():
        if values.dtype.kind not in "biuf":
            remedy = "Leave the column out, or use a HashedTable, which hashes strings."
            raise input_error(name, f"column {quote(key)} holds {_kind(values)}, not numbers. {remedy}")
    parts = list(columns.values())
    if any(sp.issparse(part) for part in parts):
        return sp.hstack([sp.csr_matrix(part if part.ndim == 2 else part[:, None]) for part in parts], format="csr")
    if len(parts) == 1 and parts[0].ndim == 2:
        return parts[0]
    dtype = np.float32 if parts and all(part.dtype in (np.float32, np.float16) for part in parts) else np.float64
    widths = [part.shape[1] if part.ndim == 2 else 1 for part in parts]
    rows = len(parts[0]) if parts else 0
    X = np.empty((rows, sum(widths)), dtype=dtype)
    first = 0
    for part, width in zip(parts, widths, strict=True):
        X[:, first : first + width] = part if part.ndim == 2 else part[:, None]
        first += width
    return X


def _kind(values: NDArray[Any]) -> str:
    is_text = values.dtype.kind in "US" or any(isinstance(value, str) for value in values[:100].tolist())
    return "text" if is_text else f"values of type {values.dtype}"
