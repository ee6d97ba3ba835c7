"""Ranges of lines, whatever the cut, and partitions of files that were changed."""

import itertools
import os
import pickle
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from novikoff.data.hashing import Hashing
from novikoff.distributed.file_blocks import FilePart, Stamp, check_unchanged, lines_between, svmlight_block
from novikoff.distributed.files import files_data
from novikoff.errors import FileError, InvalidInputError

LINES = st.lists(st.binary(max_size=8).map(lambda line: line.replace(b"\n", b"")), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(LINES, st.booleans(), st.lists(st.integers(0, 60), max_size=6))
def test_ranges_divide_the_lines_whatever_the_cuts(tmp_path, lines, ends, cuts):
    text = b"\n".join(lines) + b"\n" * ends
    path = tmp_path / "lines"
    path.write_bytes(text)
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [lines_between(str(path), *pair) for pair in itertools.pairwise(bounds)]
    assert b"".join(part for _, part in parts) == text
    for first, part in parts:
        assert text[first : first + len(part)] == part
        assert not part or first == 0 or text[first - 1 : first] == b"\n"


def test_file_of_another_size_is_refused(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n")
    check_unchanged(FilePart(str(path), 6))
    with pytest.raises(InvalidInputError, match="changed during the fit, from 5 to 6 bytes"):
        check_unchanged(FilePart(str(path), 5))
    with pytest.raises(FileError, match="cannot be read"):
        check_unchanged(FilePart(str(tmp_path / "gone"), 6))


def test_file_that_was_written_again_is_refused_on_the_machines_that_see_it(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n")
    stamp = Stamp.of(path.stat())
    part = FilePart(str(path), 6, stamp=stamp)
    check_unchanged(part)
    path.write_text("1 1:2\n")
    os.utime(path, ns=(0, stamp.modified + 1))
    with pytest.raises(InvalidInputError, match="written again, with the same size"):
        check_unchanged(part)
    elsewhere = replace(stamp, host=f"not {stamp.host}")
    with pytest.raises(InvalidInputError, match="written again"):  # another machine with the same file system
        check_unchanged(replace(part, stamp=elsewhere))
    check_unchanged(replace(part, stamp=replace(elsewhere, inode=stamp.inode + 1)))  # a copy


def test_narrow_and_empty_ranges_are_blocks(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1 9:2\n-1 2:1\n")
    wide, narrow, empty = (
        svmlight_block(FilePart(str(path), 17, None, *ends), None, 1, "<f4") for ends in ((0, 10), (10, 17), (11, 17))
    )
    assert [block.X.shape for block in (wide, narrow, empty)] == [(1, 9), (1, 2), (0, 0)]
    assert wide.X.dtype == np.float32
    assert narrow.y.tolist() == [-1]
    assert wide.name == f"{path}, bytes 0 to 10"


def test_partitions_of_tables_can_be_sent_to_other_processes(tmp_path):
    (tmp_path / "a.csv").write_text("age,job,y\n" + "1,a,no\n2,b,yes\n" * 5)
    data = files_data("test", tmp_path, hashing=Hashing(n_bits=6))
    here = data.make(*data.parts[0])
    there = data.make(*pickle.loads(pickle.dumps(data.parts[0])))
    assert (here.X != there.X).nnz == 0
    assert here.y.tolist() == there.y.tolist()
    assert here.count == 10
