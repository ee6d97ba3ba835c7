"""Compile the kernels of the playground to WebAssembly: make play.

The result, ``playground/page/kernels.wasm``, is part of the repository, so that an installation needs no zig.
``kernels.sha256`` has the digest of what it was built from: a test compares it with the sources.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "playground" / "kernels" / "kernels.cpp"
FOLDERS = (ROOT / "cpp" / "include", MAIN.parent)
TARGET = ROOT / "playground" / "page" / "kernels.wasm"
DIGEST = MAIN.with_suffix(".sha256")
ZIG = "0.17.0"  # as in the dependency group "play"; another compiler may give other bytes
FLAGS = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c++20", "-O2", "-DNDEBUG", "-fno-rtti"),
    "-ffp-contract=off",  # as in CMakeLists.txt, for the same bits as in Python
    *("-Wall", "-Wextra", "-Wno-bitwise-conditional-parentheses", "-Wl,--strip-all"),
)
INCLUDE = re.compile(r'^#include "([\w/.]+)"', re.MULTILINE)


def sources() -> list[Path]:
    """Return the source file and all headers that it includes, directly or not."""
    found, left = set(), [MAIN]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            names = INCLUDE.findall(path.read_text(encoding="utf-8"))
            left += [folder / name for name in names for folder in FOLDERS if (folder / name).is_file()]
    return sorted(found)


def digest() -> str:
    """Return the digest of the sources, the compiler and its options."""
    whole = hashlib.sha256(" ".join((ZIG, *FLAGS)).encode())
    for path in sources():
        text = path.read_text(encoding="utf-8")  # with the same line ends on all systems
        whole.update(f"\n{path.relative_to(ROOT).as_posix()}\n{text}".encode())
    return whole.hexdigest()


def build(target: Path) -> None:
    """Compile the module."""
    folders = [f"-I{folder.relative_to(ROOT)}" for folder in FOLDERS]
    command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, *folders, "-o", str(target), str(MAIN.relative_to(ROOT))]
    subprocess.run(command, check=True, cwd=ROOT)
    target.chmod(0o644)


if __name__ == "__main__":
    build(TARGET)
    DIGEST.write_text(f"{digest()}\n", encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size:,} bytes, from {len(sources())} files")
