"""Count the instructions of the hot kernels under callgrind, and compare them with the stored counts.

    python -m benchmarks.instructions.count            # compare
    python -m benchmarks.instructions.count --store    # store the counts of this architecture

cpp/benchmarks/kernels.cpp calls each kernel on a fixed input. Only instructions of its own program are counted: those
of libc depend on the processor, because it chooses between versions of memcpy.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "instructions"
PROGRAM = "count_kernels"
KERNELS = (
    *("perceptron_dense", "perceptron_sparse", "passive_aggressive_dense", "passive_aggressive_sparse"),
    *("arow_dense", "arow_sparse", "coordinate_descent", "nearest_points"),
    *("svmlight_text", "delimited_text", "hashed_texts", "json_examples", "named_predictions"),
)
TOLERANCE = 0.03  # by how much a count may differ
OTHER_COMPILER_TOLERANCE = 0.25  # if the stored counts are those of another compiler or of another major version


def stored_path() -> Path:
    """Return the file with the counts of this architecture."""
    return Path(__file__).with_name(f"{platform.machine()}.json")


def missing() -> str:
    """Return the program without which nothing can be counted; empty if all are installed."""
    return next((name for name in ("valgrind", "cmake") if shutil.which(name) is None), "")


def build() -> str:
    """Compile the kernels as they are in a release, and return the compiler and its version."""
    BUILD.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=Release"]
    for command in (configure, ["cmake", "--build", str(BUILD), "--target", PROGRAM]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    found = [path.read_text() for path in BUILD.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")]
    fields = dict(re.findall(r'set\(CMAKE_CXX_COMPILER_(ID|VERSION) "([^"]*)"\)', found[0]))
    return f"{fields['ID']} {fields['VERSION']}"


def count(kernel: str) -> int:
    """Return the instructions of one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "profile")
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=measured", f"--callgrind-out-file={profile}"]
        command += [str(BUILD / PROGRAM), kernel]
        subprocess.run(command, capture_output=True, text=True, check=True)
        return own_instructions(profile.read_text(), PROGRAM)


def own_instructions(profile: str, program: str) -> int:
    """Return the instructions of functions of one program in a profile of callgrind.

    The format names objects by "ob=(id) path", the path only the first time, and the functions after it belong to it.
    A line of two numbers is a position and the instructions there; the one after "calls=" counts those of a called
    function.
    """
    objects: dict[str, str] = {}
    total, own, is_call = 0, False, False
    for line in profile.splitlines():
        if found := re.match(r"c?ob=\((\d+)\)(?: (.*))?", line):
            number, path = found.groups()
            objects.setdefault(number, path or "")
            if line.startswith("ob"):
                own = Path(objects[number]).name == program
        elif line.startswith("calls="):
            is_call = True
        elif found := re.fullmatch(r"[+*-]?\d* (\d+)", line):
            total += int(found[1]) if own and not is_call else 0
            is_call = False
    return total


def tolerance(stored: str, compiler: str) -> float:
    """Return by how much counts may differ, given the compiler of the stored ones."""
    same = stored.split(".")[0] == compiler.split(".")[0]
    return TOLERANCE if same else OTHER_COMPILER_TOLERANCE


def differences(stored: dict[str, Any], counts: dict[str, int], compiler: str) -> list[str]:
    """Return a sentence for each kernel whose count is missing, or differs by more than the tolerance.

    A count that has fallen must be stored, too: otherwise later rises would not be noticed, nor a count of nothing.
    """
    allowed = tolerance(stored["compiler"], compiler)
    found = []
    for kernel, now in counts.items():
        before = stored["counts"].get(kernel)
        if before is None:
            found.append(f"{kernel} has no stored count")
        elif not before * (1 - allowed) <= now <= before * (1 + allowed):
            change = f"{abs(now / before - 1):.1%} {'more' if now > before else 'less'} than {before:,}"
            remedy = "" if now > before else ". Store the new count with --store if this is right"
            found.append(f"{kernel} takes {now:,} instructions, {change} (allowed: {allowed:.0%}){remedy}")
    return found


def main() -> int:
    """Compare, or store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", action="store_true", help="store the counts of this architecture")
    given = parser.parse_args()
    if program := missing():
        sys.exit(f"{program} is not installed")
    compiler = build()
    counts = {kernel: count(kernel) for kernel in KERNELS}
    stored = json.loads(stored_path().read_text()) if stored_path().exists() else {"compiler": "", "counts": {}}
    for kernel, now in counts.items():
        before = stored["counts"].get(kernel)
        print(f"{kernel:28} {now:12,}" + (f"  {now / before - 1:+.2%}" if before else ""))
    if given.store:
        stored_path().write_text(json.dumps({"compiler": compiler, "counts": counts}, indent=1) + "\n")
        return 0
    if found := differences(stored, counts, compiler):
        print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
