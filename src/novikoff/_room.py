"""Whether a limit on memory (ulimit) leaves room for a library that ends the process if it gets none."""

from __future__ import annotations

import os
import sys


def check_room(size: int, user: str) -> None:
    """Raise MemoryError if a limit leaves fewer than ``size`` bytes for ``user``; without a limit, do nothing."""
    if sys.platform == "win32":
        return
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except (AttributeError, OSError):  # other systems than Linux
        return
    if limit - used < size:
        raise MemoryError(f"the limit on memory leaves too little for {user}")
