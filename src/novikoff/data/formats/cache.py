"""The row cache: a binary file of rows, so that a second pass costs only bandwidth.

Layout: a preamble of 24 bytes (magic number, version, length and hash of the header), a header in JSON, and the arrays
of a CSR or dense matrix with its labels and weights. The header is padded with spaces and every array with zeros to a
multiple of 64 bytes. The header holds the type and shape of each array and a hash of every 4 MiB of it, so that a file
that was truncated or changed is refused when it is opened. Hashes do not protect from a file that was forged, so types,
shapes, column indices and row offsets are checked as well, in the memory that is then used: the file is read and not
mapped, because another process that cuts or changes a mapped file would end this one, or have it read other memory.
Files are written under a temporary name and renamed when they are complete.

The format of safetensors, which model files have, was tried for the arrays: it is as fast (244 MB written in 0.4 s by
both), but its writer needs all arrays in memory, and it stores no hashes.
"""

from __future__ import annotations

import copy
import os
import stat
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._atomic import replacing
from novikoff.data.batch import Batch
from novikoff.data.rows import csr
from novikoff.data.source import is_path, name_of
from novikoff.errors import InvalidInputError, NovikoffError, file_error, input_error, quote, quote_first

from .base import Batches, DataFormat, Rows

if TYPE_CHECKING:
    from .cache_header import Header, StoredArray  # imported with the first cache, because msgspec takes long

MAGIC = b"NVKROWS"
VERSION = 1
PREAMBLE = struct.Struct("<7sBQQ")
ALIGNMENT = 64
HASHED_BYTES = 1 << 22  # bytes of an array that share a hash
ARRAY_TYPES = {
    "values": ("<f8", "<f4"),
    "columns": ("<i4",),
    "row_ends": ("<i8",),
    "labels": ("<i8", "<f8", "|b1"),
    "weights": ("<f8",),
}
CSR_ARRAYS = ("values", "columns", "row_ends")
MAX_INT32 = np.iinfo(np.int32).max


class CacheWriter:
    """Appends the arrays of batches to one temporary file each, and joins these files at the end."""

    def __init__(self, where: str, path: Any) -> None:
        self.where, self.path = where, path  # the function that was called, for errors about the rows
        self.files: dict[str, IO[bytes]] = {}
        self.types: dict[str, np.dtype[Any]] = {}
        self.rows = self.columns = self.nonzeros = 0
        self.names: dict[str, int] = {}  # string labels, numbered in order of appearance
        self.stack = ExitStack()
        self.facts: dict[str, Any] = {}

    def write(self, batches: Iterator[Batch], source: dict[str, Any] | None) -> None:
        """Write all batches, with a description of their source by which ``cache`` knows it again."""
        with self.stack:
            try:
                for batch in batches:
                    self._take(batch)
                if self.rows == 0:
                    raise input_error(self.where, "the source has no rows.")
                self._join(source)
            except NovikoffError:
                raise
            except OSError as error:  # for example a full disk
                raise file_error(os.fspath(self.path), error, "written") from None

    def _take(self, batch: Batch) -> None:
        X, rows = batch.X, batch.X.shape[0]
        if batch.y is None:
            raise input_error(self.where, "a cache needs rows with labels, but the source has none.")
        sparse = hasattr(X, "indptr")
        if sparse:
            self._spill("values", X.data)
            self._spill("columns", X.indices.astype(np.int32, copy=False))
            self._spill("row_ends", X.indptr[1:].astype(np.int64) + self.nonzeros)
            self.nonzeros += len(X.data)
        else:
            self._spill("values", np.ascontiguousarray(X))
        self._spill("labels", self._numbered(batch.y))
        if batch.weights is not None:
            self._spill("weights", np.asarray(batch.weights, dtype=np.float64))
        self.rows += rows
        self.columns = max(self.columns, X.shape[1])
        self.facts = {"sparse": sparse, "index_base": batch.index_base, "feature_names": batch.feature_names}

    def _numbered(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Return string labels as numbers, and whole labels as floats once there was a fraction."""
        labels = np.asarray(labels)
        if labels.dtype.kind not in "biuf":
            return np.array([self.names.setdefault(str(name), len(self.names)) for name in labels.tolist()], np.int64)
        before = self.types.get("labels", labels.dtype)
        if before.kind == "i" and labels.dtype.kind == "f":  # convert the integers that were written before
            self.files["labels"].seek(0)
            whole = np.fromfile(self.files["labels"], before).astype(np.float64)
            self.files["labels"].seek(0)
            self.types["labels"] = np.dtype("<f8")
            whole.tofile(self.files["labels"])
        return labels.astype(self.types.get("labels", labels.dtype), copy=False)

    def _spill(self, name: str, array: NDArray[Any]) -> None:
        if name not in self.files:
            beside = os.path.dirname(os.path.realpath(self.path))
            file = tempfile.TemporaryFile(dir=beside)  # noqa: SIM115  # closed by the stack
            self.files[name] = self.stack.enter_context(file)
            self.types[name] = array.dtype.newbyteorder("<")
        self.files[name].write(np.ascontiguousarray(array, dtype=self.types[name]).data)

    def _join(self, source: dict[str, Any] | None) -> None:
        from .cache_header import Header, StoredArray, encoded

        arrays = {}
        for name, file in self.files.items():
            size = file.tell()
            shape = [size // self.types[name].itemsize]
            if name == "values" and not self.facts["sparse"]:
                shape = [self.rows, self.columns]
            file.write(bytes(_aligned(size) - size))
            hashes = [_hash(part) for part in _parts(file, 0, _aligned(size))]
            arrays[name] = StoredArray(self.types[name].str, shape, hashes)
        content: dict[str, Any] = {
            "rows": self.rows,
            "columns": self.columns,
            "classes": list(self.names) or None,
            "source": source,
        }
        try:
            header = encoded(Header(**content, **self.facts, arrays=arrays))
        except UnicodeEncodeError:
            raise input_error(self.where, "labels and names of features must be valid Unicode.") from None
        header = header.ljust(_aligned(PREAMBLE.size + len(header)) - PREAMBLE.size)
        with replacing(self.path) as out:
            out.write(PREAMBLE.pack(MAGIC, VERSION, len(header), _core.hash_bytes(header)))
            out.write(header)
            for file in self.files.values():
                for part in _parts(file, 0, file.seek(0, os.SEEK_END)):
                    out.write(part)


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _hash(part: bytes | memoryview) -> str:
    return f"{_core.hash_bytes(part):016x}"


def _parts(file: IO[bytes], begin: int, size: int) -> Iterator[bytes]:
    """Read the bytes of an array in the parts that have a hash each; fewer if the file ends early."""
    file.flush()
    file.seek(begin)
    for done in range(0, size, HASHED_BYTES):
        yield file.read(min(HASHED_BYTES, size - done))


class CacheFile:
    """A cache whose header has been checked, and its arrays, unless they are going to be read whole."""

    def __init__(self, path: Any, check_arrays: bool = True) -> None:
        self.path, self.name = path, name_of(path)
        if not is_path(path):
            raise input_error(self.name, "a cache can only be read from a file, by its path.")
        with self._open() as file, self._errors():
            self._load(file)
            for name in self.places if check_arrays else ():
                self._check(file, name)

    def _open(self) -> IO[bytes]:
        try:
            if stat.S_ISREG(os.stat(self.path).st_mode):
                return open(self.path, "rb")
        except (OSError, ValueError) as error:
            raise file_error(self.name, error) from None
        raise input_error(self.name, "a cache must be a regular file.")

    @contextmanager
    def opened(self) -> Iterator[tuple[CacheFile, IO[bytes]]]:
        """Open the file again; if it has been replaced in the meantime, the new one is checked first."""
        with self._open() as file:
            known = self
            if _identity(file) != self.identity:
                known = copy.copy(self)
                with known._errors():
                    known._load(file)
                    for name in known.places:
                        known._check(file, name)
            yield known, file

    def _load(self, file: IO[bytes]) -> None:
        """Read the header and find all arrays."""
        self.identity = _identity(file)
        size = os.fstat(file.fileno()).st_size
        self.header = self._read_header(file, size)
        self.places = self._find_arrays(size)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what a damaged file can cause into one sentence."""
        try:
            yield
        except InvalidInputError:
            raise
        except OSError as error:
            raise file_error(self.name, error) from None
        except (LookupError, ValueError, RecursionError) as error:
            raise self._damaged(f"the header is malformed ({error})") from None
        except MemoryError:
            raise input_error(self.name, "out of memory. Use scan, which reads the rows batch by batch.") from None

    def _damaged(self, why: str) -> InvalidInputError:
        return input_error(self.name, f"the cache is damaged: {why}. Delete the file and write it again.")

    def _read_header(self, file: IO[bytes], size: int) -> Header:
        from .cache_header import decoded

        preamble = file.read(PREAMBLE.size)
        if len(preamble) < PREAMBLE.size:
            raise self._damaged("it is too short")
        magic, version, length, hashed = PREAMBLE.unpack(preamble)
        if magic != MAGIC:
            raise self._damaged("it does not begin as a cache does")
        if version != VERSION:
            message = f"the cache has version {version}, but this novikoff reads version {VERSION}. Write it again."
            raise input_error(self.name, message)
        self.begin = PREAMBLE.size + length
        text = file.read(length) if self.begin <= size and self.begin % ALIGNMENT == 0 else b""
        if len(text) != length or _core.hash_bytes(text) != hashed:
            raise self._damaged("the header does not match its hash")
        header = decoded(text)
        if header.feature_names is not None and len(header.feature_names) != header.columns:
            raise self._damaged(f"there are {len(header.feature_names)} names of {header.columns} columns")
        return header

    def _find_arrays(self, size: int) -> dict[str, StoredArray]:
        """Set the positions of the arrays, which follow each other up to the end of the file."""
        header, arrays, offset = self.header, self.header.arrays, self.begin
        needed = {"values", "labels", *(CSR_ARRAYS if header.sparse else ())}
        if not needed <= set(arrays) <= needed | {"weights"}:
            raise self._damaged(f"the arrays are {quote_first(list(arrays)) or 'missing'}")
        for name, array in arrays.items():
            shape = [header.rows, header.columns] if name == "values" and not header.sparse else [header.rows]
            if header.sparse and name in ("values", "columns"):
                shape = arrays["values"].shape[:1]
            types = ("<i8",) if name == "labels" and header.classes else ARRAY_TYPES[name]
            if array.type not in types or array.shape != shape:
                found = f"type {quote(array.type)} and shape {quote(array.shape)}"
                raise self._damaged(f"the array {name} has {found}")
            array.offset = offset
            offset += _aligned(array.size)
        if offset != size:
            raise self._damaged(f"it has {size} bytes instead of {offset}")
        return arrays

    def _check(self, file: IO[bytes], name: str, into: NDArray[np.uint8] | None = None) -> None:
        """Check the hashes of an array, and that its indices stay within the others.

        ``into`` receives the bytes with their padding; without it, they are forgotten.
        """
        place, last = self.places[name], 0
        size = _aligned(place.size)
        buffer = np.empty(min(size, HASHED_BYTES), np.uint8) if into is None else into
        file.seek(place.offset)
        if len(place.hashes) != -(-size // HASHED_BYTES):
            raise self._damaged(f"the array {name} does not match its hashes")
        for done, hashed in zip(range(0, size, HASHED_BYTES), place.hashes, strict=True):
            begin = 0 if into is None else done
            part = buffer[begin : begin + min(HASHED_BYTES, size - done)]
            # every binary file has readinto, but IO[bytes] does not declare it
            if file.readinto(part.data) != len(part) or _hash(part.data) != hashed:  # type: ignore[attr-defined]
                raise self._damaged(f"the array {name} does not match its hashes")
            last = self._check_indices(name, part[: place.size - done].view(place.type), last)
        if name == "row_ends" and last != self.places["values"].shape[0]:
            raise self._damaged("the last row does not end with the last value")

    def _check_indices(self, name: str, numbers: NDArray[Any], last: int) -> int:
        """Refuse indices that are out of range; return the last row end."""
        limits = {"columns": self.header.columns}
        if self.header.classes is not None:
            limits["labels"] = len(self.header.classes)
        if name in limits and len(numbers) and not 0 <= numbers.min() <= numbers.max() < limits[name]:
            raise self._damaged(f"the array {name} has indices outside 0 to {limits[name] - 1}")
        if name == "row_ends" and len(numbers):
            if numbers[0] < last or np.any(numbers[1:] < numbers[:-1]):
                raise self._damaged("a row ends before the previous one")
            last = int(numbers[-1])
        return last

    def read(self) -> Batch:
        """Return all rows, which are checked in the memory that they are read to."""
        arrays = {}
        with self._open() as file, self._errors():
            self._load(file)
            for name, place in self.places.items():
                memory = np.empty(_aligned(place.size), np.uint8)
                self._check(file, name, memory)
                arrays[name] = memory[: place.size].view(place.type).reshape(place.shape)
                arrays[name].flags.writeable = False  # columns and row ends must remain as they were checked
        return self.batch(arrays, 0)

    def batch(self, arrays: dict[str, NDArray[Any]], nonzeros_before: int) -> Batch:
        """Return some rows, from their parts of the arrays."""
        values, labels, width = arrays["values"], arrays["labels"], self.header.columns
        if self.header.sparse:
            small = max(len(values), width) <= MAX_INT32
            offsets = np.zeros(len(labels) + 1, np.int32 if small else np.int64)
            offsets[1:] = arrays["row_ends"] - nonzeros_before
            values = csr(values, arrays["columns"].astype(offsets.dtype, copy=False), offsets, width)
        if self.header.classes is not None:
            labels = np.array(self.header.classes)[labels]
        names, base = self.header.feature_names, self.header.index_base
        return Batch(values, labels, arrays.get("weights"), feature_names=names, index_base=base)

    def part(self, file: IO[bytes], name: str, begin: int, end: int) -> NDArray[Any]:
        """Read the entries of an array from ``begin`` to ``end`` of its first dimension, and check them again."""
        place = self.places[name]
        if not begin <= end <= place.shape[0]:
            raise self._damaged(f"the array {name} was changed while it was read")
        file.seek(place.offset + begin * place.entries * np.dtype(place.type).itemsize)
        numbers = np.fromfile(file, place.type, (end - begin) * place.entries)
        if len(numbers) < (end - begin) * place.entries:
            raise self._damaged(f"the array {name} was truncated while it was read")
        self._check_indices(name, numbers, 0)
        return numbers.reshape(end - begin, *place.shape[1:])


def _identity(file: IO[bytes]) -> tuple[int, ...]:
    """Return what distinguishes a file from one that replaced it."""
    found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class CacheBatches(Batches):
    """Batches of a cache, read without mapping it, so that rows do not stay in memory after their use."""

    def __init__(self, path: Any, batch_size: int) -> None:
        self.cache, self.batch_size = CacheFile(path), batch_size

    def width(self) -> int | None:
        """Return the number of features."""
        return int(self.cache.header.columns)

    def batches(self, width: int | None) -> Iterator[Batch]:
        """Start a pass."""
        done = 0
        with self.cache.opened() as (cache, file):
            rows, sparse = cache.header.rows, cache.header.sparse
            by_row = [name for name in cache.places if not (sparse and name in CSR_ARRAYS)]
            for begin in range(0, rows, self.batch_size):
                end = min(begin + self.batch_size, rows)
                arrays = {name: cache.part(file, name, begin, end) for name in by_row}
                last = done
                if sparse:
                    arrays["row_ends"] = cache.part(file, "row_ends", begin, end)
                    last = int(arrays["row_ends"][-1])
                    arrays |= {name: cache.part(file, name, done, last) for name in ("values", "columns")}
                    if arrays["row_ends"][0] < done:
                        raise cache._damaged("a row ends before the previous one")
                if _identity(file) != cache.identity:
                    raise input_error(cache.name, "the cache was changed while it was read. Read it again.")
                yield cache.batch(arrays, done)
                done = last


def _only(where: str, sources: list[Any]) -> Any:
    """Return the only source; several are refused."""
    if len(sources) > 1:
        listed = ", ".join(map(name_of, sources))
        raise input_error(where, f"only one cache can be read at a time, but there are several sources: {listed}.")
    return sources[0]


class Cache(DataFormat):
    """Rows that ``cache`` or ``write`` has stored; recognised by content, and read from one path."""

    name = "cache"
    suffixes = (".cache",)
    is_text = False
    can_write = True
    holds_fractions = True

    def recognizes(self, beginning: bytes) -> bool:
        return beginning.startswith(MAGIC)

    def open(
        self, where: str, sources: list[Any], options: dict[str, Any], batch_size: int, follow: bool
    ) -> CacheBatches:
        return CacheBatches(_only(where, sources), batch_size)

    def read(self, where: str, sources: list[Any], options: dict[str, Any]) -> Batch:
        return CacheFile(_only(where, sources), check_arrays=False).read()

    def constants(self, rows: Rows) -> dict[str, Any]:
        sparse = sp.issparse(rows.X)  # whose width may grow
        constants = super().constants(rows) | {"layout": "sparse" if sparse else "dense"}
        return {name: value for name, value in constants.items() if not (sparse and name.startswith("number of col"))}

    def write(self, where: str, target: Any, rows: Iterator[Rows]) -> None:
        if not is_path(target):
            raise input_error(where, f"a cache can only be written to a path, but the target is {name_of(target)}.")
        batches = (
            Batch(part.X, part.y, part.weights, feature_names=part.names, index_base=part.index_base) for part in rows
        )
        CacheWriter(where, target).write(batches, None)


CACHE = Cache()
