"""The server's log, one compressed record per group of examples, against two other ways to make examples durable.

The others are one row of SQLite per example, also in one transaction per group, and a segment file to which blocks are
appended with their checksums. All store the same random examples of 57 features and flush after each group, in one
interleaved run in build/, whose disk is also measured alone: 4 KB appended and flushed.
"""

from __future__ import annotations

import hashlib
import os
import struct
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from novikoff.serve.log.blocks import Block, encode
from novikoff.serve.log.records import EXAMPLES, Entry
from novikoff.serve.log.store import Store

from .harness import Session, Suite
from .harness.race import rounds_of, spread
from .harness.ratio import compared
from .harness.session import BUILD, ratio_text, show

FEATURES = 57
GROUPS = {1: 200, 64: 100, 512: 50}  # examples in a group: groups in a round
ROUNDS = 5
DISK_PAGE = bytes(4096)


def random_block(examples: int) -> Block:
    random = np.random.default_rng(examples)
    columns = np.tile(np.arange(FEATURES, dtype=np.int32), examples)
    codes = random.integers(0, 2, examples).astype(np.int32)
    values = random.standard_normal(examples * FEATURES)  # digits that do not compress
    return Block(0, [], 0, [], np.arange(examples + 1) * FEATURES, columns, values, codes)


class Records:
    """The server's log."""

    def __init__(self, folder: Path) -> None:
        self._store = Store.open(folder / "state")

    def append(self, block: Block) -> None:
        self._store.append([Entry(1, EXAMPLES, 0, len(block), encode(block))])

    def close(self) -> int:
        self._store.close()
        return self._store.bytes


class Rows:
    """One row of SQLite per example, not compressed, with a checksum."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "rows.sqlite"
        self._connection = apsw.Connection(str(self._path))
        self._connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384")
        self._connection.execute(
            "CREATE TABLE example(number INTEGER PRIMARY KEY, code INTEGER, columns BLOB, x BLOB, sum BLOB)"
        )

    def append(self, block: Block) -> None:
        columns, values, ends = block.columns.tobytes(), block.values.tobytes(), block.indptr.tolist()
        rows = []
        for i, code in enumerate(block.codes.tolist()):
            parts = columns[4 * ends[i] : 4 * ends[i + 1]], values[8 * ends[i] : 8 * ends[i + 1]]
            rows.append((code, *parts, hashlib.sha256(b"".join(parts)).digest()[:16]))
        with self._connection:
            self._connection.executemany("INSERT INTO example(code, columns, x, sum) VALUES (?, ?, ?, ?)", rows)

    def close(self) -> int:
        self._connection.close()
        return self._path.stat().st_size


class Segment:
    """A file to which blocks are appended: length, chained checksum, payload."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "segment", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._checksum = bytes(16)

    def append(self, block: Block) -> None:
        payload = encode(block)
        self._checksum = hashlib.sha256(self._checksum + payload).digest()[:16]
        os.writev(self._file, [struct.pack("<q", len(payload)), self._checksum, payload])
        os.fdatasync(self._file)

    def close(self) -> int:
        size = os.fstat(self._file).st_size
        os.close(self._file)
        return size


class Disk:
    """The disk alone, without examples."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "disk", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def append(self, block: Block) -> None:
        os.write(self._file, DISK_PAGE)
        os.fdatasync(self._file)

    def close(self) -> int:
        os.close(self._file)
        return 0


OURS = "record per group"
CONTESTANTS: dict[str, Callable[[Path], Any]] = {
    OURS: Records,
    "row per example": Rows,
    "segment file": Segment,
    "disk alone": Disk,
}


def append_often(contestant: Any, block: Block, groups: int) -> None:
    for _ in range(groups):
        contestant.append(block)


def compare(examples: int, groups: int, rounds: int) -> list[dict[str, Any]]:
    block = random_block(examples)
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        held = {name: make(Path(folder)) for name, make in CONTESTANTS.items()}
        work = {name: partial(append_often, one, block, groups) for name, one in held.items()}
        rounds_of(work, 1)  # warms up
        times = rounds_of(work, rounds)
        sizes = {name: contestant.close() for name, contestant in held.items()}
    appended = (1 + rounds) * groups * examples
    rows = []
    for name, own in times.items():
        a_second = groups / spread(own)["seconds"]
        row = {"examples in a group": examples, "log": name, "groups a second": a_second, **spread(own)}
        if sizes[name]:
            row |= {"examples a second": examples * a_second, "bytes an example": sizes[name] / appended}
        rows.append(row if name == OURS else row | compared(times[OURS], own))
    return rows


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a row that are printed."""
    columns = ("examples in a group", "log", "groups a second", "examples a second", "bytes an example")
    return {**{name: row.get(name, "") for name in columns}, "time over ours": ratio_text(row)}


def run(session: Session) -> None:
    """Measure all."""
    table = []
    for examples, groups in GROUPS.items():
        table += compare(examples, max(10, groups // session.size["share"]), ROUNDS)
    commits = [row["groups a second"] for row in table if row["log"] == "disk alone"]
    session.keep(logs=table, features=FEATURES, **{"commits a second of the disk": float(np.median(commits))})
    show(shown(row) for row in table)


SUITE = Suite(
    name="serve_log",
    measures="durable appends of groups of examples to the log of the server",
    contestants=("a row of SQLite per example", "a file of segments"),
    answers="all examples are on the disk when an append returns",
    limit="one synchronous append of 4 KiB per group",
    run=run,
    quick={"share": 10},
    full={"share": 1},
    packages=("apsw",),
)
