"""Runs tests on mutants, each in a process of its own that is forked from one in which the packages are loaded.

Run it as a script to judge all mutants of some modules, and to see those that survive::

    python tests/mutation/judge.py src/novikoff/theory/bounds.py
"""

from __future__ import annotations

import argparse
import importlib
import importlib.abc
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
THEORY, TESTS = ROOT / "src" / "novikoff" / "theory", ROOT / "tests" / "theory"
QUIET = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
TIME_LIMIT = 60.0  # seconds; a mutant that does not end is found


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


def tests_of(path: Path) -> list[str]:
    """The test file of a module of the theory."""
    return [str(TESTS / f"test_{path.stem}.py")]


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
        os.setsid()
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
    """Return the mutants that pass all tests of their module.

    Tests that fail on the code as it is would find every mutant, so they are run on it first.
    """
    waiting, running, passed = list(found)[::-1], {}, []
    for path in {mutant.path for mutant in waiting}:
        status = os.waitstatus_to_exitcode(os.waitpid(start(None, tests_of(path)), 0)[1])
        if status != pytest.ExitCode.OK:
            raise RuntimeError(f"The tests of {path.name} fail without a change (status {status}).")
    while waiting or running:
        while waiting and len(running) < processes:
            mutant = waiting.pop()
            running[start(mutant, tests_of(mutant.path))] = (mutant, time.monotonic())
        time.sleep(0.01)
        for child, (mutant, begin) in list(running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                del running[child]
                passed += [mutant] * (os.waitstatus_to_exitcode(status) == pytest.ExitCode.OK)
            elif time.monotonic() - begin > TIME_LIMIT:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                del running[child]
    return passed


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
