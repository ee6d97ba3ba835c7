"""What all tests share: the list of learners, how hypothesis runs, and the table of the long runs."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from learners import LEARNERS

settings.register_profile("default", deadline=None, max_examples=30)
settings.register_profile("ci", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=400)  # pytest --hypothesis-profile=thorough
settings.load_profile("ci" if os.environ.get("CI") else "default")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script: tests interrupt processes
    signal.signal(signal.SIGINT, signal.default_int_handler)

HEADING = f"{'set':12}{'C':>8}  {'loss':14}{'intercept':10}{'steps':>6}{'gap':>10}{'seconds':>9}"


@pytest.fixture(params=LEARNERS.values(), ids=LEARNERS.keys(), scope="session")
def make(request):
    """A function that makes one of the learners, with whatever parameters are given on top of its own."""
    return request.param


def pytest_terminal_summary(terminalreporter):
    """Keep what tests/batch/test_svm_grid.py found, a line a fit, in build/svm_grid.txt; show it if it is long."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    lines = [
        line
        for report in reports
        for name, line in (getattr(report, "user_properties", None) or ())
        if name == "svm_grid" and report.when == "call"
    ]
    if not lines:
        return
    path = Path(__file__).parents[1] / "build" / "svm_grid.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([HEADING, *lines]) + "\n")
    terminalreporter.write_line(f"{len(lines)} fits of real data: {path}")
