"""Peaks of memory, from Linux's /proc."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any


def status_bytes(field: str, process: int | str = "self") -> int:
    """Return a field of /proc/PROCESS/status in bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def peak_bytes() -> int:
    """Return the most that this process has held; what a parent process used does not count."""
    return status_bytes("VmHWM")


def bytes_beyond(work: Callable[[], Any]) -> int:
    """Return the most bytes that a call held beyond what was held before it. The record of the peak is reset first."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = status_bytes("VmRSS")
    kept = work()
    beyond = peak_bytes() - before
    del kept
    return beyond
