"""Hostile bytes: stored inputs and mutants of them end in a result or in one sentence, for every reader of files."""

import sys

import pytest

from fuzz.planted import ALL_TARGETS, FAULTS
from fuzz.run import fuzz
from fuzz.targets import TARGETS, fault_of_message, judge
from share import share_of

EXPECTED = {
    "crash": "crash", "hang": "hang", "sleep": "hang", "memory": "memory", "untouched": "memory", "leak": "leak",
    "traceback": "exception", "message": "message", "fine": None,
}  # fmt: skip
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is missing (run the tests on Linux)")


@pytest.mark.parametrize("name", TARGETS)
def test_stored_inputs_end_in_a_result_or_one_sentence(name):
    inputs = TARGETS[name].corpus()
    assert inputs
    for path, data in inputs.items():
        _, fault = judge(TARGETS[name].run, data)
        assert not fault, f"{path}: {fault}"


@pytest.mark.parametrize("name", TARGETS)
def test_some_stored_inputs_of_each_format_are_valid(name):
    assert any(judge(TARGETS[name].run, data)[0] for data in TARGETS[name].corpus().values())


@pytest.mark.parametrize("name", TARGETS)
def test_mutants_are_reproducible_and_differ(name):
    inputs = list(TARGETS[name].corpus().values())
    mutants = [TARGETS[name].mutant(inputs, 1, index) for index in range(100)]
    assert mutants == [TARGETS[name].mutant(inputs, 1, index) for index in range(100)]
    assert len(set(mutants)) > 50


@pytest.mark.parametrize(
    "message", ["no period", "a.\nb.", "a\x1b[31m.", "x" * 2000 + ".", "malloc of size 16 failed."]
)
def test_a_message_that_is_not_a_sentence_is_a_fault(message):
    assert fault_of_message(message)
    assert not fault_of_message("t.csv, line 7: column 'age' has no value. Use --missing mean.")


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_found(name):
    report = fuzz(f"planted-{name}", 800 if name == "leak" else 15, max_seconds=0.5)
    kinds = {finding.kind for finding in report.findings}
    assert kinds == ({EXPECTED[name]} if EXPECTED[name] else set())
    assert all(finding.data for finding in report.findings)


def test_subcommands_handle_stored_inputs_of_all_formats():
    inputs = ALL_TARGETS["command-line"].corpus()
    for data in inputs.values():
        judge(ALL_TARGETS["command-line"].run, data)


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", [*TARGETS, "command-line"])
def test_mutants_end_in_a_result_or_one_sentence(name):
    count = share_of(ALL_TARGETS[name].mutations)
    report = fuzz(name, count)
    assert not report.findings, str(report)
    assert report.runs == count > 0
