"""The machine that a result was measured on."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = (
    *("novikoff", "numpy", "scipy", "scikit-learn", "threadpoolctl", "river", "vowpalwabbit", "clarabel"),
    *("pandas", "pyarrow", "duckdb", "dask", "distributed", "pyspark"),
    *("fastapi", "starlette", "uvicorn", "httptools", "uvloop", "apsw", "msgspec"),
)
MAX_IDLE_LOAD = 0.5  # processes that wait for a core, above which a machine is not idle


def describe() -> dict[str, Any]:
    """Return processor, cores, memory, caches, load and the versions of all packages that take part."""
    return {
        "architecture": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_GB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "caches": caches(),
        "load_before": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := version_of(name))},
    }


def processor() -> str:
    """Return the name of the processor, as far as the system tells it."""
    commands = (["lscpu"], ["sysctl", "machdep.cpu.brand_string"])
    for command in commands:
        if shutil.which(command[0]):
            text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            if found := re.search(r"(?:Model name|brand_string): *(.+)", text):
                return found[1].strip()
    return platform.processor() or "unknown"


def caches() -> dict[str, str]:
    """Return the sizes of the caches of the first core."""
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        found[f"L{level}{'' if kind == 'Unified' else kind[0].lower()}"] = size
    return found


def version_of(package: str) -> str | None:
    """Return the version of an installed package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def is_idle(machine: dict[str, Any]) -> bool:
    """Whether nothing else ran when a run began."""
    return bool(machine["load_before"] <= MAX_IDLE_LOAD)
