"""Counts of instructions of the hot kernels: how profiles are read and counts compared, and that none has changed."""

import json

import pytest
from benchmarks.instructions import count

PROFILE = """\
events: Ir
ob=(1) /usr/lib/libc.so.6
fn=(1) memcpy
0 1000
ob=(2) /build/count_kernels
fn=(2) measured
12 10
+3 7
cob=(1)
cfn=(1)
calls=3 0
* 1000
-2 5
ob=(1)
fn=(3) malloc
0 400
ob=(2)
fn=(4) other
20 3
totals: 1425
"""
STORE = "python -m benchmarks.instructions.count --store"
STORED = {"compiler": "GNU 12.2.0", "counts": {"a": 1000, "b": 1000}}


def test_only_instructions_of_the_program_are_counted_and_calls_once():
    assert count.own_instructions(PROFILE, "count_kernels") == 10 + 7 + 5 + 3
    assert count.own_instructions(PROFILE, "libc.so.6") == 1400
    assert count.own_instructions(PROFILE, "absent") == 0


def test_changes_beyond_the_tolerance_are_named():
    assert count.differences(STORED, {"a": 1030, "b": 970}, "GNU 12.3.1") == []
    more, less = count.differences(STORED, {"a": 1031, "b": 969}, "GNU 12.3.1")
    assert more == "a takes 1,031 instructions, 3.1% more than 1,000 (allowed: 3%)"
    remedy = "Store the new count with --store if this is right"
    assert less == f"b takes 969 instructions, 3.1% less than 1,000 (allowed: 3%). {remedy}"


def test_a_profile_in_which_nothing_was_counted_is_noticed():
    assert len(count.differences(STORED, {"a": 0, "b": 0}, "Clang 19.1.0")) == 2


@pytest.mark.parametrize("compiler", ["GNU 13.1.0", "Clang 12.2.0"])
def test_another_compiler_may_need_more_or_less(compiler):
    assert count.differences(STORED, {"a": 1250, "b": 750}, compiler) == []
    assert count.differences(STORED, {"a": 1251, "b": 1000}, compiler)
    assert count.differences(STORED, {"a": 1000, "b": 749}, compiler)


def test_a_new_kernel_must_be_stored():
    assert count.differences(STORED, {"c": 1}, "GNU 12.2.0") == ["c has no stored count"]


def test_stored_counts_are_those_of_kernels():
    for path in count.stored_path().parent.glob("*.json"):
        found = json.loads(path.read_text())
        assert set(found["counts"]) <= set(count.KERNELS)
        assert found["compiler"].split()[0] in ("GNU", "Clang", "AppleClang")


@pytest.mark.slow
def test_hot_kernels_take_the_stored_number_of_instructions():
    if program := count.missing():
        pytest.skip(f"{program} is not installed (apt-get install {program})")
    if not count.stored_path().exists():
        pytest.skip(f"{count.stored_path().name} does not exist ({STORE})")
    compiler = count.build()
    stored = json.loads(count.stored_path().read_text())
    counts = {kernel: count.count(kernel) for kernel in count.KERNELS if kernel in stored["counts"]}
    assert count.differences(stored, counts, compiler) == []
    if unknown := [kernel for kernel in count.KERNELS if kernel not in counts]:  # changed on another architecture
        pytest.skip(f"{', '.join(unknown)}: no count for this architecture is stored ({STORE})")
