"""Runs tests on mutants, each in a process of its own that is forked from one in which the packages are loaded.

Run it as a script to judge all mutants of some modules, and to see those that survive::

    python tests/mutation/judge.py src/novikoff/theory/bounds.py
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.abc
import importlib.util
import math
import os
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
THEORY, TESTS = ROOT / "src" / "novikoff" / "theory", ROOT / "tests" / "theory"
MAX_IMPORTERS = 4  # test files that a mutant is judged by after that of its module
QUIET = ["-x", "-q", "-m", "not slow", "--all-cases", "-p", "no:cacheprovider", "-p", "no:xdist"]
MAX_SLOWDOWN = 4.0  # a mutant is found if its tests take more than this many times as long as without it
MIN_TIME_LIMIT = 20.0  # seconds that the tests of every mutant may take


class MutantImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a changed tree, and leaves all others to Python."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = ".".join(mutant.path.relative_to(ROOT / "src").with_suffix("").parts)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module, if it is the changed one."""
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._mutant.path, loader=self)

    def create_module(self, spec: ModuleSpec) -> None:
        """Python's own way of making a module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code."""
        exec(compile(self._mutant.tree(), str(self._mutant.path), "exec"), module.__dict__)


def imported_by(path: Path) -> set[str]:
    """The modules of its own package that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found |= {node.module} if node.module else {alias.name for alias in node.names}
    return found


def tests_of(path: Path) -> list[list[str]]:
    """The test file of a module of the theory, and the shortest ones of those that import it, or that another does.

    A mutant that passes the first is judged by the others, too, and last by the tests of all certificates. A module
    without a file of its own begins with the shortest one that imports it.
    """
    importers = [other.stem for other in path.parent.glob("*.py") if path.stem in imported_by(other)]
    others = [
        file
        for file in sorted(TESTS.glob("test_*.py"), key=lambda file: file.stat().st_size)
        if f"theory.{path.stem} import" in file.read_text() or file.stem.removeprefix("test_") in importers
    ]
    own = TESTS / f"test_{path.stem}.py"
    first, *others = dict.fromkeys([own] * own.exists() + others)
    return [[str(first)], [str(file) for file in [*others[:MAX_IMPORTERS], TESTS / "test_certificates.py"]]]


def preload() -> None:
    """Import what all tests import, but not the package whose modules are changed."""
    for package in ("hypothesis", "numpy", "pandas", "scipy.optimize", "sklearn.svm", "sklearn.utils.estimator_checks"):
        importlib.import_module(package)


def start(mutant: Mutant | None, tests: Sequence[str]) -> int:
    """Fork a process that runs tests on a mutant, or on the code as it is, and return its number."""
    child = os.fork()
    if child:
        return child
    status = pytest.ExitCode.INTERNAL_ERROR
    try:
        os.setpgid(0, 0)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        if mutant is not None:
            sys.meta_path.insert(0, MutantImporter(mutant))
        # pytest warns of plugins that were imported before it
        status = pytest.ExitCode(pytest.main([*QUIET, "-W", "ignore::pytest.PytestAssertRewriteWarning", *tests]))
    finally:
        os._exit(status)


def survivors(found: Iterable[Mutant], processes: int = 2) -> list[Mutant]:
    """Return the mutants that pass the tests of their module and of those that import it.

    Tests that fail on the code as it is would find every mutant, so they are run on it first.
    """
    left = list(found)
    for stage in range(2):
        tests = {path: tests_of(path)[stage] for path in {mutant.path for mutant in left}}
        paths = [path for path in tests if tests[path]]
        limits = {}
        for path, (passes, took) in zip(
            paths, judge([Run(None, tests[path]) for path in paths], processes), strict=True
        ):
            if not passes:
                raise RuntimeError(f"Tests fail without a change: {' '.join(tests[path])}")
            limits[path] = max(MIN_TIME_LIMIT, MAX_SLOWDOWN * took)
        tested = [mutant for mutant in left if mutant.path in limits]
        runs = [Run(mutant, tests[mutant.path], limits[mutant.path]) for mutant in tested]
        gone = {mutant for mutant, (passes, _) in zip(tested, judge(runs, processes), strict=True) if not passes}
        left = [mutant for mutant in left if mutant not in gone]
    return left


class Run(NamedTuple):
    """Tests to be run on a mutant, or on the code as it is, and the seconds that they may take."""

    mutant: Mutant | None
    tests: Sequence[str]
    limit: float = math.inf


def judge(runs: Sequence[Run], processes: int) -> list[tuple[bool, float]]:
    """Return for each run whether all tests passed within its limit, and how many seconds it took."""
    waiting, running = list(range(len(runs)))[::-1], {}
    outcomes = [(False, 0.0)] * len(runs)
    while waiting or running:
        while waiting and len(running) < processes:
            number = waiting.pop()
            running[start(runs[number].mutant, runs[number].tests)] = (number, time.monotonic())
        time.sleep(0.01)
        for child, (number, begin) in list(running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            took = time.monotonic() - begin
            if ended:
                outcomes[number] = (os.waitstatus_to_exitcode(status) == pytest.ExitCode.OK, took)
            elif took > runs[number].limit:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
            else:
                continue
            del running[child]
    return outcomes


def sample(paths: Iterable[Path], size: int) -> list[Mutant]:
    """Mutants of some modules, chosen by what they change and not by where."""
    return sorted((mutant for path in paths for mutant in mutants(path)), key=lambda mutant: mutant.order)[:size]


def main() -> None:
    """Judge mutants of the modules of the theory, or of those named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", type=Path, default=sorted(THEORY.glob("*.py")))
    parser.add_argument("--sample", type=int, default=sys.maxsize, help="how many mutants, of all modules together")
    parser.add_argument("--least", type=float, default=0.0, help="exit with 1 if a smaller fraction is found")
    arguments = parser.parse_args()
    preload()
    found = sample([path.resolve() for path in arguments.modules], arguments.sample)
    if not found:
        sys.exit("The modules have no expression that can be changed.")
    begin = time.monotonic()
    left = survivors(found)
    for mutant in sorted(left, key=str):
        print("survived:", mutant)
    rate = 1 - len(left) / len(found)
    seconds = time.monotonic() - begin
    print(f"{len(found) - len(left)} of {len(found)} mutants were found ({rate:.1%}), in {seconds:.0f} s")
    sys.exit(rate < arguments.least)


if __name__ == "__main__":
    main()
