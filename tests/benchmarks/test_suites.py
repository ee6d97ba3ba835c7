"""Every suite keeps the contract, and the runner knows them all."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.harness import Suite
from benchmarks.harness.session import RESULTS, load_result
from benchmarks.harness.suite import NAMES, load
from benchmarks.page import figures
from benchmarks.page.stored import ratios, result

from benchmarks import __main__ as runner

ROOT = Path(__file__).parents[2]
NOT_SUITES = {"__init__", "__main__", "fingerprint", "svm_cells"}


def docs_module(name):
    """A script of docs/, imported."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_a_suite_says_what_it_measures(name):
    suite = load(name)
    assert suite.name == name
    assert all(text.strip() for text in (suite.measures, suite.answers, suite.limit))
    assert suite.quick.keys() == suite.full.keys()
    assert isinstance(suite.missing(), list)


def test_every_module_is_a_suite_or_known_not_to_be_one():
    modules = {path.stem for path in Path(runner.__file__).parent.glob("*.py")}
    assert modules == set(NAMES) | NOT_SUITES


def test_every_stored_result_is_that_of_a_suite_with_full_sizes():
    for path in RESULTS.glob("*.json"):
        found = load_result(path)
        assert found["suite"] == path.stem
        assert found["quick"] is False
        assert path.stem in NAMES


def test_what_a_suite_needs_is_named(monkeypatch):
    texts = dict.fromkeys(("measures", "answers", "limit"), "")
    needs = {"packages": ("no_such_package",), "programs": ("no-such-program",), "files": ("no_such_file",)}
    suite = Suite("x", contestants=(), run=lambda _: None, quick={}, full={}, **texts, **needs)
    package, program, file = suite.missing()
    assert "no_such_package" in package
    assert "no-such-program" in program
    assert "no_such_file" in file
    assert "NOVIKOFF_DATA" in file


def test_a_suite_that_lacks_something_is_skipped_with_the_reason(tmp_path, capsys):
    texts = dict.fromkeys(("measures", "answers", "limit"), "")

    def run(_):
        raise AssertionError

    suite = Suite("x", contestants=(), run=run, quick={}, full={}, programs=("no-such-program",), **texts)
    assert runner.run(suite, True, (), tmp_path) == 0
    assert "skipped: the program no-such-program is not installed" in capsys.readouterr().out


def test_the_list_describes_a_suite(capsys):
    assert runner.main(["parse", "--list"]) == 0
    printed = capsys.readouterr().out
    assert all(f"  {word}: " in printed for word in ("against", "answers", "limit", "quick", "full"))


@pytest.mark.slow
def test_suites_can_be_described_without_the_programs_that_they_compare_with():
    """The site is built where these are not installed."""
    peers = ["clarabel", "river", "vowpalwabbit", "fastapi", "dask", "distributed", "pyspark", "ray", "uvloop"]
    code = f"""
import sys
sys.modules.update(dict.fromkeys({peers}))
from benchmarks.harness.suite import NAMES, load
assert all(load(name).limit for name in NAMES)
"""
    outcome = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert outcome.returncode == 0, outcome.stderr


def test_parts_need_one_suite():
    with pytest.raises(SystemExit):
        runner.main(["--only", "a"])


def test_the_page_has_a_section_for_every_suite():
    names = [name for name, *_ in docs_module("make_benchmarks").SECTIONS]
    together = {"scaling_costs", "serve_log"}  # in the sections about partitions and about the server
    assert sorted([*names, *together]) == sorted(NAMES)


def test_losses_are_among_the_ratios_of_the_page():
    found = list(ratios())
    assert min(ratio for *_, ratio in found) < 1 < max(ratio for *_, ratio in found)
    cells = [row for row in result("svm")["A"]["table"] if row["reached"]]
    assert sum(suite == "svm" for suite, *_ in found) == len(cells)


def test_the_page_shows_every_figure_that_is_stored():
    shown = re.findall(
        r"\(images/benchmarks/(\w+)\.svg\)", (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    )
    assert sorted(shown) == sorted(path.stem for path in figures.FOLDER.glob("*.svg")), "run make docs"
    assert {"ratios", "time_to_gap", "throughput", "memory"} <= set(shown)


@pytest.mark.slow
def test_every_figure_that_can_be_drawn_is_stored(tmp_path):
    figures.draw_all(tmp_path)
    assert {path.name for path in tmp_path.glob("*.svg")} == {path.name for path in figures.FOLDER.glob("*.svg")}
