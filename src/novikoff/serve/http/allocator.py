"""Memory that was freed stays with the process.

Each piece of a stream needs some megabytes for a moment. The allocator of glibc returns such blocks to the system,
which clears them when they are asked for again: that was a tenth of the time of a server with eight streams.
"""

from __future__ import annotations

import ctypes
import sys

MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1  # parameters of mallopt, as malloc.h of glibc has them
LARGE = 32 << 20  # bytes of a block that is returned when it is freed; glibc allows no more
KEPT = 64 << 20  # bytes that may be free at the end of the heap


def keep_memory() -> bool:
    """Let glibc keep freed memory. Returns False where there is another C library."""
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(MMAP_THRESHOLD, LARGE)) and bool(mallopt(TRIM_THRESHOLD, KEPT))
