"""Run suites: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.machine import MAX_IDLE_LOAD, is_idle
from benchmarks.harness.session import ROOT, Session
from benchmarks.harness.suite import NAMES, Suite, load


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one suite in this process, or several in a process each; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure, and write results.")
    parser.add_argument("suites", nargs="*", choices=[*NAMES, []], metavar="SUITE", help="all, if none is named")
    parser.add_argument("--quick", action="store_true", help="small sizes; results are written to build/bench")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="parts of one suite; others are kept")
    parser.add_argument("--folder", type=Path, help="write the results there")
    parser.add_argument("--list", action="store_true", help="describe the suites and measure nothing")
    given = parser.parse_args(arguments)
    names = given.suites or list(NAMES)
    if given.list:
        for name in names:
            print(description(load(name)))
        return 0
    if given.only and len(names) != 1:
        parser.error("--only needs the name of one suite")
    if len(names) == 1:
        try:
            suite = load(names[0])
        except ModuleNotFoundError as error:
            print(f"==== {names[0]}: skipped: {error.msg} (pip install --group bench)\n", flush=True)
            return 0
        return run(suite, given.quick, tuple(given.only), given.folder)
    options = [*["--quick"] * given.quick, *(["--folder", str(given.folder)] if given.folder else [])]
    return run_each(names, options)


def run(suite: Suite, quick: bool, only: tuple[str, ...], folder: Path | None) -> int:
    """Run a suite, or say why it is skipped."""
    print(f"==== {suite.name}: {suite.measures}", flush=True)
    if missing := suite.missing():
        print(f"skipped: {'; '.join(missing)}\n", flush=True)
        return 0
    session = Session(suite, quick, only, folder)
    if not is_idle(session.machine):
        load = session.machine["load_before"]
        print(f"The load of this machine is {load}, above {MAX_IDLE_LOAD}: times are longer than on an idle one.")
    suite.run(session)
    session.finish()
    if problem := session.unknown_parts():
        print(problem, file=sys.stderr)
        return 2
    print(f"{session.path}, after {time.perf_counter() - session.begin:.0f} s\n", flush=True)
    return 0


def run_each(names: list[str], options: list[str]) -> int:
    """Run suites in processes of their own, so that a failure or a peak of memory is that of one suite."""
    failed = []
    for name in names:
        if subprocess.run([sys.executable, "-m", "benchmarks", name, *options], cwd=ROOT, check=False).returncode:
            failed.append(name)
    print(f"{len(names) - len(failed)} of {len(names)} suites ended well" + f"; failed: {failed}" * bool(failed))
    return 1 if failed else 0


def description(suite: Suite) -> str:
    """Return what a suite declares."""
    sizes = (", ".join(f"{k} {v}" for k, v in size.items()) for size in (suite.quick, suite.full))
    quick, full = (size or "fixed" for size in sizes)
    lines = [f"{suite.name}: {suite.measures}", f"  against: {', '.join(suite.contestants) or 'itself'}"]
    lines += [f"  answers: {suite.answers}", f"  limit: {suite.limit}", f"  quick: {quick}", f"  full: {full}"]
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell says it
