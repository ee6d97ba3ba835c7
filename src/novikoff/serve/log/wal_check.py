"""Commits that were durable in the write-ahead log of SQLite and can no longer be read.

After a crash SQLite reads its write-ahead log up to the first frame whose checksum is wrong, and forgets the rest. That
is right for a commit that was being written at the moment of the crash. With durability "full" there is at most one,
because each commit is flushed before the next one begins: if two or more commits follow the first wrong frame, it was
damaged later, and records that were acknowledged would be lost silently.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from novikoff._printable import printable
from novikoff.serve.log.errors import RESTORE, StoreError

HEADER_SIZE: Final = 32  # of the file: 8 big-endian numbers of 32 bits
FRAME_HEADER_SIZE: Final = 24  # before each page: number, pages after a commit or 0, two salts, two checksums
MAGICS: Final = (0x377F0682, 0x377F0683)  # checksums of little-endian or big-endian numbers
MAX_TORN_COMMITS: Final = 1


def commit_frames(path: Path, page_size: int) -> list[int]:
    """Return the numbers, from 1, of the frames in a write-ahead log that end a commit, valid or not.

    Frames of an earlier use of the file are not included, unless the header of the file is damaged.
    """
    try:
        content = np.fromfile(path, dtype=np.uint8)
    except FileNotFoundError:
        return []
    count = (len(content) - HEADER_SIZE) // (FRAME_HEADER_SIZE + page_size)
    if count < 1:
        return []
    header = content[:HEADER_SIZE].view(">u4")
    frames = content[HEADER_SIZE:][: count * (FRAME_HEADER_SIZE + page_size)].reshape(count, -1)
    numbers = np.ascontiguousarray(frames[:, :FRAME_HEADER_SIZE]).view(">u4")
    salts = header[4:6] if _is_valid(header) else numbers[0, 2:4]
    is_commit = (numbers[:, 1] != 0) & (numbers[:, 2:4] == salts).all(axis=1)
    return [int(frame) + 1 for frame in np.flatnonzero(is_commit)]


def check_recovered(path: Path, commits: list[int], recovered: int) -> None:
    """Raise a StoreError if more commits were not recovered than a crash can tear.

    Parameters
    ----------
    path : Path
        The write-ahead log.
    commits : list of int
        What `commit_frames` returned before the database was opened.
    recovered : int
        How many frames SQLite regards as valid.
    """
    lost = sum(frame > recovered for frame in commits)
    if lost > MAX_TORN_COMMITS:
        message = f"{path}: the write-ahead log is damaged, and about {lost} durable commits cannot be read."
        raise StoreError("corrupt", printable(f"{message} {RESTORE}"))


def _is_valid(header: np.ndarray) -> bool:
    """Return whether the checksum of the header of the file is right, as SQLite computes it."""
    if header[0] not in MAGICS:
        return False
    words = header.view(">u4" if header[0] & 1 else "<u4").tolist()
    first = second = 0
    for i in range(0, 6, 2):
        first = (first + words[i] + second) % 2**32
        second = (second + words[i + 1] + first) % 2**32
    return (first, second) == (int(header[6]), int(header[7]))
