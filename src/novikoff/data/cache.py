"""Rows in a binary file that can be mapped into memory: the second pass costs only bandwidth.

The file is a beginning of 24 bytes (a mark with the version, and the length and the hash of what follows), a header in
JSON, and the arrays of a CSR or dense matrix with its labels and weights, one behind the other; the header is filled up
with spaces and each array with zeros to a multiple of 64 bytes. The header holds the type and the shape of each array
and a hash of every 4 MiB of it, so that each byte of the file is known by a hash, and one that was cut short or changed
is refused before anything is read from it. Hashes keep no one from writing a file on purpose: types, shapes and the
indices of columns and rows are checked as well. Files are written beside their place and then renamed: one that is
there is whole.
"""

from __future__ import annotations

import copy
import json
import os
import stat
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._atomic import WRITABLE, replacing
from novikoff.errors import InvalidInputError, NovikoffError, invalid, unreadable

from .batch import Batch
from .rows import csr
from .source import is_path, name_of

MARK = b"NVKROWS"
VERSION = 1
BEGINNING = struct.Struct("<7sBQQ")
ALIGNMENT = 64
HASHED = 1 << 22
KINDS = "biuf"  # numpy's letters of labels that are kept as they are
TYPES = {
    "values": ("<f8", "<f4"),
    "columns": ("<i4",),
    "row_ends": ("<i8",),
    "labels": ("<i8", "<f8", "|b1"),
    "weights": ("<f8",),
}
OF_SPARSE = ("values", "columns", "row_ends")  # of which a row has no one part
MOST_INT32 = np.iinfo(np.int32).max


def is_cache(path: Any) -> bool:
    """Whether a path holds such a file, of any version. Pipes are not looked into: that would be missing from them."""
    if not is_path(path) or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


class CacheWriter:
    """Takes batches and spills their arrays, one temporary file each; then joins them."""

    def __init__(self, where: str, path: Any) -> None:
        self.where, self.path = where, path
        self.files: dict[str, IO[bytes]] = {}
        self.types: dict[str, np.dtype[Any]] = {}
        self.rows = self.columns = self.nonzeros = 0
        self.names: dict[str, int] = {}  # labels that are words, numbered
        self.stack = ExitStack()
        self.facts: dict[str, Any] = {}

    def write(self, batches: Iterator[Batch], source: dict[str, Any] | None) -> None:
        """Write all batches, with what is known of where they come from."""
        with self.stack:
            try:
                for batch in batches:
                    self._take(batch)
                if self.rows == 0:
                    raise invalid(self.where, "At least one row.", "none")
                self._join(source)
            except NovikoffError:
                raise
            except OSError as error:  # a full disk, say
                raise unreadable(self.where, os.fspath(self.path), error, WRITABLE) from None

    def _take(self, batch: Batch) -> None:
        X, rows = batch.X, batch.X.shape[0]
        if batch.y is None:
            raise invalid(self.where, "Rows with labels.", "a table without")
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
        """Labels that are words, as numbers; a batch of whole numbers among fractions is one of fractions."""
        labels = np.asarray(labels)
        if labels.dtype.kind not in KINDS:
            return np.array([self.names.setdefault(str(name), len(self.names)) for name in labels.tolist()], np.int64)
        before = self.types.get("labels", labels.dtype)
        if before.kind == "i" and labels.dtype.kind == "f":  # what was spilled as integers is read back as such
            self.files["labels"].seek(0)
            whole = np.fromfile(self.files["labels"], before).astype(np.float64)
            self.files["labels"].seek(0)
            self.types["labels"] = np.dtype("<f8")
            whole.tofile(self.files["labels"])
        return labels.astype(self.types.get("labels", labels.dtype), copy=False)

    def _spill(self, name: str, array: NDArray[Any]) -> None:
        if name not in self.files:
            beside = os.path.dirname(os.path.realpath(self.path))
            file = tempfile.TemporaryFile(dir=beside)  # noqa: SIM115  # the stack closes it
            self.files[name] = self.stack.enter_context(file)
            self.types[name] = array.dtype.newbyteorder("<")
        self.files[name].write(np.ascontiguousarray(array, dtype=self.types[name]).data)

    def _join(self, source: dict[str, Any] | None) -> None:
        arrays = {}
        for name, file in self.files.items():
            size = file.tell()
            shape = [size // self.types[name].itemsize]
            if name == "values" and not self.facts["sparse"]:
                shape = [self.rows, self.columns]
            file.write(bytes(_aligned(size) - size))
            hashes = [f"{_core.hash_bytes(part):016x}" for part in _parts(file, 0, _aligned(size))]
            arrays[name] = {"type": self.types[name].str, "shape": shape, "hashes": hashes}
        facts = {"rows": self.rows, "columns": self.columns, "classes": list(self.names) or None, "source": source}
        header = json.dumps({**self.facts, **facts, "arrays": arrays}).encode()
        header = header.ljust(_aligned(BEGINNING.size + len(header)) - BEGINNING.size)
        with replacing(self.where, self.path) as out:
            out.write(BEGINNING.pack(MARK, VERSION, len(header), _core.hash_bytes(header)))
            out.write(header)
            for file in self.files.values():
                for part in _parts(file, 0, file.seek(0, os.SEEK_END)):
                    out.write(part)


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _parts(file: IO[bytes], begin: int, size: int) -> Iterator[bytes]:
    """The bytes of an array, as they are hashed; fewer where the file ends."""
    file.flush()
    file.seek(begin)
    for done in range(0, size, HASHED):
        yield file.read(min(HASHED, size - done))


@dataclass(frozen=True)
class Place:
    """Where an array is."""

    type: str
    shape: tuple[int, ...]
    offset: int
    hashes: list[str]

    @property
    def entries(self) -> int:
        """How many numbers it has for each of its first dimension."""
        return self.shape[1] if len(self.shape) > 1 else 1

    @property
    def size(self) -> int:
        """Its bytes, without those that fill it up."""
        return self.shape[0] * self.entries * np.dtype(self.type).itemsize


class CacheFile:
    """A cache that was opened and found whole."""

    def __init__(self, where: str, path: Any) -> None:
        self.where, self.path, self.name = where, path, name_of(path)
        if not is_path(path):
            raise invalid(where, "The path of a cache.", self.name)
        with self._open() as file:
            self._look(file)

    def _open(self) -> IO[bytes]:
        try:
            if stat.S_ISREG(os.stat(self.path).st_mode):
                return open(self.path, "rb")
        except (OSError, ValueError) as error:
            raise unreadable(self.where, self.name, error) from None
        raise invalid(self.where, "A file that holds a cache of rows.", f"{self.name}, which is no regular file")

    @contextmanager
    def opened(self) -> Iterator[tuple[CacheFile, IO[bytes]]]:
        """Open the file again; one that took its place in the meantime is checked like the first."""
        with self._open() as file:
            known = self
            if _identity(file) != self.identity:
                known = copy.copy(self)
                known._look(file)
            yield known, file

    def _look(self, file: IO[bytes]) -> None:
        """Read the header, and check all arrays."""
        self.identity = _identity(file)
        size = os.fstat(file.fileno()).st_size
        try:
            self.header = self._read_header(file, size)
            self.places = self._find_arrays(size)
            for name, place in self.places.items():
                self._check(file, name, place)
        except InvalidInputError:
            raise
        except OSError as error:
            raise unreadable(self.where, self.name, error) from None
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise self._refuse(f"its header says something else ({type(error).__name__}: {error})") from None

    def _refuse(self, why: str) -> InvalidInputError:
        return invalid(self.where, "A cache of rows that is whole (write it anew).", f"{self.name}, where {why}")

    def _read_header(self, file: IO[bytes], size: int) -> dict[str, Any]:
        beginning = file.read(BEGINNING.size)
        if len(beginning) < BEGINNING.size:
            raise self._refuse("the beginning is missing")
        mark, version, length, hashed = BEGINNING.unpack(beginning)
        if mark != MARK:
            raise self._refuse("the mark is missing")
        if version != VERSION:
            raise invalid(self.where, f"A cache of version {VERSION}.", f"{self.name}, of version {version}")
        self.begin = BEGINNING.size + length
        text = file.read(length) if self.begin <= size and self.begin % ALIGNMENT == 0 else b""
        if len(text) != length or _core.hash_bytes(text) != hashed:
            raise self._refuse("the header is damaged")
        header: dict[str, Any] = json.loads(text)
        self._check_facts(header)
        return header

    def _check_facts(self, header: dict[str, Any]) -> None:
        rows, columns, sparse = (header[name] for name in ("rows", "columns", "sparse"))
        names, classes, source = (header[name] for name in ("feature_names", "classes", "source"))
        right = {
            "rows": type(rows) is int and rows > 0,
            "columns": type(columns) is int and 0 <= columns <= MOST_INT32 + 1,
            "sparse": type(sparse) is bool,
            "feature_names": names is None or (_are_strings(names) and len(names) == columns),
            "classes": classes is None or (_are_strings(classes) and len(classes) > 0),
            "index_base": header["index_base"] in (None, 0, 1),
            "source": source is None or isinstance(source, dict),
        }
        for name, is_right in right.items():
            if not is_right:
                raise self._refuse(f"{name} cannot be {str(header[name])[:40]}")

    def _find_arrays(self, size: int) -> dict[str, Place]:
        """Where the arrays are, one behind the other to the end of the file."""
        rows, sparse, arrays = self.header["rows"], self.header["sparse"], self.header["arrays"]
        needed = {"values", "labels", *(OF_SPARSE if sparse else ())}
        if not needed <= set(arrays) <= needed | {"weights"}:
            raise self._refuse(f"the arrays are {', '.join(arrays)[:40] or 'none'}")
        places, offset = {}, self.begin
        for name, array in arrays.items():
            shape = [rows, self.header["columns"]] if name == "values" and not sparse else [rows]
            if sparse and name in ("values", "columns"):
                shape = [arrays["values"]["shape"][0]]
            known = array["type"] in TYPES[name] and all(type(length) is int and length >= 0 for length in shape)
            if not known or array["shape"] != shape or (name == "labels" and not self._may_be_labels(array["type"])):
                got = f"the type {array['type']} and the shape {array['shape']}"
                raise self._refuse(f"the array {name} has {got:.60}")
            places[name] = Place(array["type"], tuple(shape), offset, array["hashes"])
            offset += _aligned(places[name].size)
        if offset != size:
            raise self._refuse(f"there are {size} bytes, not {offset}")
        return places

    def _may_be_labels(self, type_: str) -> bool:
        return self.header["classes"] is None or type_ == "<i8"

    def _check(self, file: IO[bytes], name: str, place: Place) -> None:
        """The bytes of an array, and whether they lead out of the others."""
        hashes: list[str] = []
        last, left = 0, place.size
        for part in _parts(file, place.offset, _aligned(place.size)):
            hashes.append(f"{_core.hash_bytes(part):016x}")
            numbers = np.frombuffer(part[:left], place.type)
            left -= numbers.nbytes
            last = self._follow(name, numbers, last)
        if hashes != place.hashes:
            raise self._refuse(f"the array {name} is damaged")
        if name == "row_ends" and last != self.places["values"].shape[0]:
            raise self._refuse("the rows do not end where their values do")

    def _follow(self, name: str, numbers: NDArray[Any], last: int) -> int:
        """Refuse indices of nothing; return the last number."""
        most = {"columns": self.header["columns"]}
        if self.header["classes"] is not None:
            most["labels"] = len(self.header["classes"])
        if name in most and len(numbers) and not 0 <= numbers.min() <= numbers.max() < most[name]:
            raise self._refuse(f"the array {name} has numbers beyond {most[name]}")
        if name == "row_ends" and len(numbers):
            if numbers[0] < last or np.any(numbers[1:] < numbers[:-1]):
                raise self._refuse("a row ends before the one above it")
            last = int(numbers[-1])
        return last

    def mapped(self) -> Batch:
        """All rows, read from the file as they are needed."""
        with self.opened() as (cache, file):
            arrays = {
                name: np.asarray(np.memmap(file, place.type, "r", place.offset, place.shape))
                if place.size
                else np.zeros(place.shape, place.type)
                for name, place in cache.places.items()
            }
        return cache.batch(arrays, 0)

    def batch(self, arrays: dict[str, NDArray[Any]], nonzeros_before: int) -> Batch:
        """Some rows, from their parts of the arrays."""
        values, labels, width = arrays["values"], arrays["labels"], self.header["columns"]
        if self.header["sparse"]:
            small = max(len(values), width) <= MOST_INT32
            offsets = np.zeros(len(labels) + 1, np.int32 if small else np.int64)
            offsets[1:] = arrays["row_ends"] - nonzeros_before
            values = csr(values, arrays["columns"].astype(offsets.dtype, copy=False), offsets, width)
        if self.header["classes"] is not None:
            labels = np.array(self.header["classes"])[labels]
        return Batch(
            values,
            labels,
            arrays.get("weights"),
            feature_names=self.header["feature_names"],
            index_base=self.header["index_base"],
        )

    def part(self, file: IO[bytes], name: str, begin: int, end: int) -> NDArray[Any]:
        """Entries of an array from ``begin`` to ``end`` of its first dimension."""
        place = self.places[name]
        file.seek(place.offset + begin * place.entries * np.dtype(place.type).itemsize)
        numbers = np.fromfile(file, place.type, (end - begin) * place.entries)
        if len(numbers) < (end - begin) * place.entries:
            raise self._refuse(f"the array {name} was cut short while it was read")
        return numbers.reshape(end - begin, *place.shape[1:])


def _identity(file: IO[bytes]) -> tuple[int, ...]:
    """What tells a file from one that was put in its place."""
    found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _are_strings(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


class CacheScan:
    """Batches of a cache, read without mapping it: what was used does not stay in memory."""

    def __init__(self, where: str, path: Any, batch_size: int) -> None:
        self.cache, self.batch_size = CacheFile(where, path), batch_size

    def width(self) -> int | None:
        """How many features there are."""
        return int(self.cache.header["columns"])

    def batches(self, width: int | None) -> Iterator[Batch]:
        """One batch after the other."""
        done = 0
        with self.cache.opened() as (cache, file):
            rows, sparse = cache.header["rows"], cache.header["sparse"]
            by_row = [name for name in cache.places if not (sparse and name in OF_SPARSE)]
            for begin in range(0, rows, self.batch_size):
                end = min(begin + self.batch_size, rows)
                arrays = {name: cache.part(file, name, begin, end) for name in by_row}
                last = done
                if sparse:
                    arrays["row_ends"] = cache.part(file, "row_ends", begin, end)
                    last = int(arrays["row_ends"][-1])
                    arrays |= {name: cache.part(file, name, done, last) for name in ("values", "columns")}
                yield cache.batch(arrays, done)
                done = last
