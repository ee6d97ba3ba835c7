"""Rows in a binary file that can be mapped into memory: the second pass costs only bandwidth.

The file is a beginning of 24 bytes (a mark with the version, and the length and the hash of what follows), a header in
JSON, and the arrays of a CSR or dense matrix with its labels and weights, each at a multiple of 64 bytes. The header
holds the type, the shape and the place of each array and a hash of every 4 MiB of it, so that a file that was cut
short or changed is refused before anything is read from it. Files are written beside their place and then renamed: one
that is there is whole.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff._atomic import replacing
from novikoff.errors import InvalidInputError, invalid, unreadable

from .batch import Batch
from .rows import csr

MARK = b"NVKROWS"
VERSION = 1
BEGINNING = struct.Struct("<7sBQQ")
ALIGNMENT = 64
HASHED = 1 << 22
KINDS = "biuf"  # numpy's letters of the types that arrays may have
MOST_HEADER = 1 << 28


def is_cache(path: Any) -> bool:
    """Whether a path holds such a file, of any version."""
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
            for batch in batches:
                self._take(batch)
            self._join(source)

    def _take(self, batch: Batch) -> None:
        X, rows = batch.X, batch.X.shape[0]
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
            try:
                file = tempfile.TemporaryFile(dir=beside)  # noqa: SIM115  # the stack closes it
                self.files[name] = self.stack.enter_context(file)
            except OSError as error:
                raise unreadable(self.where, os.fspath(self.path), error, "A file that can be written.") from None
            self.types[name] = array.dtype.newbyteorder("<")
        self.files[name].write(np.ascontiguousarray(array, dtype=self.types[name]).data)

    def _join(self, source: dict[str, Any] | None) -> None:
        places, offset = {}, 0
        for name, file in self.files.items():
            size = file.tell()
            shape = [size // self.types[name].itemsize]
            if name == "values" and not self.facts["sparse"]:
                shape = [self.rows, self.columns]
            hashes = [f"{_core.hash_bytes(part):016x}" for part in _parts(file, 0, size)]
            places[name] = {"type": self.types[name].str, "shape": shape, "offset": offset, "hashes": hashes}
            offset = _aligned(offset + size)
        facts = {"rows": self.rows, "columns": self.columns, "classes": list(self.names) or None, "source": source}
        header = json.dumps({**self.facts, **facts, "arrays": places}).encode()
        with replacing(self.where, self.path) as out:
            out.write(BEGINNING.pack(MARK, VERSION, len(header), _core.hash_bytes(header)))
            out.write(header)
            for file in self.files.values():
                out.write(bytes(_aligned(out.tell()) - out.tell()))
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


class CacheFile:
    """A cache that was opened and found whole."""

    def __init__(self, where: str, path: Any) -> None:
        self.where, self.path, self.name = where, path, os.fspath(path)
        try:
            with open(path, "rb") as file:
                self.header = self._read_header(file)
                self._check(file)
        except InvalidInputError:
            raise
        except OSError as error:
            raise unreadable(where, self.name, error) from None
        except (KeyError, TypeError, ValueError) as error:
            raise self._refuse(f"its header says something else ({error!r})") from None

    def _refuse(self, why: str) -> InvalidInputError:
        return invalid(self.where, "A cache of rows that is whole (write it anew).", f"{self.name}, where {why}")

    def _read_header(self, file: IO[bytes]) -> dict[str, Any]:
        beginning = file.read(BEGINNING.size)
        if len(beginning) < BEGINNING.size:
            raise self._refuse("the beginning is missing")
        mark, version, length, hashed = BEGINNING.unpack(beginning)
        if mark != MARK:
            raise self._refuse("the mark is missing")
        if version != VERSION:
            raise invalid(self.where, f"A cache of version {VERSION}.", f"{self.name}, of version {version}")
        text = file.read(min(length, MOST_HEADER))
        if len(text) != length or _core.hash_bytes(text) != hashed:
            raise self._refuse("the header is damaged")
        self.begin = _aligned(BEGINNING.size + length)
        header: dict[str, Any] = json.loads(text)
        return header

    def _check(self, file: IO[bytes]) -> None:
        """Types, shapes and hashes of all arrays."""
        rows, columns, sparse = (self.header[name] for name in ("rows", "columns", "sparse"))
        arrays = self.header["arrays"]
        lengths = {"row_ends": rows, "labels": rows, "weights": rows, "columns": arrays["values"]["shape"][0]}
        for name, place in arrays.items():
            kind = np.dtype(place["type"])
            shape = [rows, columns] if name == "values" and not sparse else [lengths.get(name, place["shape"][0])]
            if kind.kind not in KINDS or place["shape"] != shape:
                raise self._refuse(f"the array {name} has the type {place['type']} and the shape {place['shape']}")
            size = int(np.prod(shape)) * kind.itemsize
            parts = _parts(file, self.begin + place["offset"], size)
            if [f"{_core.hash_bytes(part):016x}" for part in parts] != place["hashes"]:
                raise self._refuse(f"the array {name} is cut short or damaged")

    def mapped(self) -> Batch:
        """All rows, read from the file as they are needed."""
        arrays = {
            name: np.memmap(self.path, place["type"], "r", self.begin + place["offset"], tuple(place["shape"]))
            if np.prod(place["shape"])
            else np.zeros(place["shape"], place["type"])
            for name, place in self.header["arrays"].items()
        }
        return self._batch({name: np.asarray(array) for name, array in arrays.items()}, 0)

    def _batch(self, arrays: dict[str, NDArray[Any]], nonzeros_before: int) -> Batch:
        values, labels = arrays["values"], arrays["labels"]
        if self.header["sparse"]:
            small = len(values) <= np.iinfo(np.int32).max
            offsets = np.zeros(len(labels) + 1, np.int32 if small else np.int64)
            offsets[1:] = arrays["row_ends"] - nonzeros_before
            columns = arrays["columns"] if small else arrays["columns"].astype(np.int64)
            values = csr(values, columns, offsets, self.header["columns"])
        if self.header["classes"] is not None:
            labels = np.array(self.header["classes"])[labels]
        return Batch(
            values,
            labels,
            arrays.get("weights"),
            feature_names=self.header["feature_names"],
            index_base=self.header["index_base"],
        )


class CacheScan:
    """Batches of a cache, read without mapping it: what was used does not stay in memory."""

    def __init__(self, where: str, path: Any, batch_size: int) -> None:
        self.cache, self.batch_size = CacheFile(where, path), batch_size

    def width(self) -> int | None:
        """How many features there are."""
        return int(self.cache.header["columns"])

    def batches(self, width: int | None) -> Iterator[Batch]:
        """One batch after the other."""
        header = self.cache.header
        rows, sparse, done = header["rows"], header["sparse"], 0
        with open(self.cache.path, "rb") as file:
            for begin in range(0, rows, self.batch_size):
                end = min(begin + self.batch_size, rows)
                arrays = {name: self._part(file, name, begin, end) for name in header["arrays"] if name not in SPARSE}
                if sparse:
                    arrays["row_ends"] = self._part(file, "row_ends", begin, end)
                    last = int(arrays["row_ends"][-1])
                    for name in ("values", "columns"):
                        arrays[name] = self._part(file, name, done, last)
                else:
                    arrays["values"] = self._part(file, "values", begin, end)
                    last = done
                yield self.cache._batch(arrays, done)
                done = last

    def _part(self, file: IO[bytes], name: str, begin: int, end: int) -> NDArray[Any]:
        place = self.cache.header["arrays"][name]
        shape = (end - begin, *place["shape"][1:])
        each = int(np.prod(place["shape"][1:], dtype=np.int64))
        file.seek(self.cache.begin + place["offset"] + begin * each * np.dtype(place["type"]).itemsize)
        return np.fromfile(file, place["type"], (end - begin) * each).reshape(shape)


SPARSE = ("values", "columns", "row_ends")
