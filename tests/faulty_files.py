"""A file system for SQLite that fails on demand, and that tells what a loss of power would leave on the disk.

Every write is kept until the file is flushed. A loss of power keeps what was flushed, and of the rest any part. After a
flush that failed, the operating system regards the data as written, so a later flush does not write them again.
"""

import os
import random

import apsw

KINDS = ("sync", "full", "torn")  # a flush fails; no space; no space after a part of the data

SECTOR = 512  # bytes that a disk writes as a whole


class FaultyFiles(apsw.VFS):
    """Files that fail at the operations that ``plan`` maps to a kind of fault.

    Parameters
    ----------
    name : str
        Under which SQLite knows it.
    seed : int
        Seed of what a failed flush or a loss of power leaves.
    """

    def __init__(self, name, seed=0):
        self.plan, self.operations, self.faults = {}, 0, 0
        self.fails_next = self.fails_always = None  # a kind of fault of the next operation that may have it, or of all
        self.random = random.Random(seed)
        self.durable, self.pending = {}, {}  # by path: flushed bytes; operations since then
        self.name = name
        super().__init__(name, "")

    def excepthook(self, *error):
        """Nothing is to be said of a second fault while SQLite handles a first one."""

    def xOpen(self, name, flags):
        return FaultyFile(self, name, flags)

    def xDelete(self, name, sync):
        super().xDelete(name, sync)
        self.durable.pop(name, None)
        self.pending.pop(name, None)

    def fault(self, operation):
        """The kind of fault of the next operation, or None."""
        self.operations += 1
        kind = self.fails_always or self.fails_next or self.plan.get(self.operations)
        if kind is None or (kind == "sync") != (operation == "sync"):
            return None
        self.faults, self.fails_next = self.faults + 1, None
        return kind

    def record(self, name, change):
        self.pending.setdefault(name, []).append(change)

    def flush(self, name, *, keeps=lambda: True):
        content = self.durable.setdefault(name, bytearray())
        for change in self.pending.pop(name, []):
            if keeps():
                apply(content, *change)

    def flush_some(self, name):
        self.flush(name, keeps=lambda: self.random.random() < 0.5)

    def lose_power(self, directory, target):
        """Write into ``target`` what the files in ``directory`` are after a loss of power."""
        target.mkdir()
        for name in {*self.durable, *self.pending}:
            if os.path.dirname(name) == os.path.realpath(directory) and not name.endswith("-shm"):
                content = bytearray(self.durable.get(name, b""))
                for change in self.pending.get(name, []):
                    if self.random.random() < 0.5:
                        apply(content, *change)
                (target / os.path.basename(name)).write_bytes(content)


def apply(content, offset, data):
    """Write data at an offset; without data, cut the content there."""
    if data is None:
        del content[offset:]
        return
    content.extend(bytes(max(0, offset + len(data) - len(content))))
    content[offset : offset + len(data)] = data


def error(kind):
    if kind != "sync":
        return apsw.FullError("no space is left")
    failed = apsw.IOError("the flush failed")
    failed.extendedresult = apsw.SQLITE_IOERR_FSYNC
    return failed


class FaultyFile(apsw.VFSFile):
    def __init__(self, files, name, flags):
        self.files = files
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("", name, flags)

    def excepthook(self, *error):
        """As in FaultyFiles."""

    def xWrite(self, data, offset):
        kind = self.files.fault("write")
        if kind == "torn":
            data = data[: self.files.random.randrange(0, len(data), SECTOR)]
        if kind != "full" and data:
            super().xWrite(data, offset)
            self.files.record(self.path, (offset, bytes(data)))
        if kind is not None:
            raise error(kind)

    def xTruncate(self, size):
        super().xTruncate(size)
        self.files.record(self.path, (size, None))

    def xSync(self, flags):
        kind = self.files.fault("sync")
        if kind is not None:
            self.files.flush_some(self.path)
            raise error(kind)
        super().xSync(flags)
        self.files.flush(self.path)
