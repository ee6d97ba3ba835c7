"""What all tests share: the learners, how hypothesis runs, and what is printed at the end."""

import gc
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

from learners import MAKERS, ONE_VS_REST, STREAM_MAKERS
from share import beyond_the_quick_cases, beyond_the_share

settings.register_profile("default", deadline=None, max_examples=30)
settings.register_profile("ci", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=400)  # pytest --hypothesis-profile=thorough
settings.load_profile("ci" if os.environ.get("CI") else "default")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script: tests interrupt processes
    signal.signal(signal.SIGINT, signal.default_int_handler)

SKIPPED = Path(__file__).parents[1] / "build" / "skipped.txt"  # .ci/run runs them when all is installed
LONGEST = {"mutation", "browser", "playground", "distributed", "fuzz"}
GRID_HEADING = f"{'set':12}{'C':>8}  {'loss':14}{'intercept':10}{'steps':>6}{'gap':>10}{'seconds':>9}"


@pytest.fixture(params=MAKERS, scope="session")
def make(request):
    """A function that makes one of the learners, with whatever parameters are given on top of its own."""
    return request.param


@pytest.fixture(params=STREAM_MAKERS, scope="session")
def make_streaming(request):
    """As ``make``, with the learners that have no ``fit``."""
    return request.param


@pytest.fixture(params=ONE_VS_REST, scope="session")
def make_one_vs_rest(request):
    """As ``make``, of the learners with one binary problem per class."""
    return request.param


def pytest_addoption(parser):
    parser.addoption("--all-cases", action="store_true", help="no case is slow because its test has many others")


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(config, items):
    """Leave some cases of tests with many to ``make test-slow``, and begin with the packages of the longest tests.

    A worker that begins a long test last would work alone at the end. Of the slow cases, a share is run if
    NOVIKOFF_SHARE is below 1.
    """
    quick = [item.nodeid for item in items if item.get_closest_marker("slow") is None]
    slow = set() if config.getoption("all_cases") else beyond_the_quick_cases(quick)
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)
    left_out = beyond_the_share([item.nodeid for item in items if item.get_closest_marker("slow") is not None])
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]
    for item in items:
        if item.get_closest_marker("timed"):
            item.add_marker(pytest.mark.flaky(reruns=2))
    items.sort(key=lambda item: LONGEST.isdisjoint(item.path.parts))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    """Leave the tests themselves out of garbage collection, which would look through all of them each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say what was not run and what would enable it, and keep the table of tests/svm/test_soft_margin_real_data.py."""
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    deselected = len(terminalreporter.stats.get("deselected", ()))
    if skipped or deselected:
        terminalreporter.section("not run")
    SKIPPED.parent.mkdir(exist_ok=True)
    tests = {report.nodeid.partition("[")[0] for report in terminalreporter.stats.get("skipped", ())}
    SKIPPED.write_text("\n".join(sorted(tests)))
    for reason, count in skipped.most_common():
        terminalreporter.write_line(f"{count:5} skipped: {reason}")
    if deselected:
        terminalreporter.write_line(f"{deselected:5} not selected (make test-slow runs the slow ones)")
    _write_grid(terminalreporter)


def _reason(report):
    """Why a test was skipped, without what pytest puts before it."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")


def _write_grid(terminalreporter):
    """Write what tests/svm/test_soft_margin_real_data.py found, one line per fit, to build/svm_grid.txt."""
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
    path.write_text("\n".join([GRID_HEADING, *lines]) + "\n")
    terminalreporter.write_line(f"{len(lines)} fits of real data: {path}")
