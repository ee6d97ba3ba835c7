"""Values in local files of a worker, whose arrays are mapped into memory when they are read."""

from __future__ import annotations

import os
import pickle
import uuid
import zlib
from pathlib import Path
from typing import Any

import numpy as np

ALIGNMENT = 64  # bytes: where arrays begin
LENGTH = 8  # bytes of a number in the header


def save(path: Path, value: Any) -> None:
    """Write a value. The file is complete when it has its name.

    The file holds the number of pieces, their lengths, and the pieces, each at a multiple of 64 bytes: a pickle without
    the contents of the arrays, and these.
    """
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    pieces = [memoryview(body), *(buffer.raw() for buffer in buffers)]
    header = np.array([len(pieces), *(piece.nbytes for piece in pieces)], dtype=np.uint64)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    with partial.open("wb") as file:
        file.write(header.tobytes())
        for piece in pieces:
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            file.write(piece)
    os.replace(partial, path)


def load(path: Path) -> Any:
    """Return the value of a file, with arrays that cannot be written to. FileNotFoundError if there is no such file."""
    content = np.memmap(path, dtype=np.uint8, mode="r")
    count = int(content[:LENGTH].view(np.uint64)[0])
    lengths = content[LENGTH : LENGTH * (count + 1)].view(np.uint64).tolist()
    pieces, end = [], LENGTH * (count + 1)
    for length in lengths:
        first = end + (-end % ALIGNMENT)
        end = first + length
        pieces.append(content[first:end].data.toreadonly())
    return pickle.loads(pieces[0], buffers=pieces[1:])


def fingerprint(path: Path) -> int:
    """Return a checksum of a file, by which rows that were computed twice are compared."""
    return zlib.crc32(np.memmap(path, dtype=np.uint8, mode="r").data)
