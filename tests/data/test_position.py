"""How far a stream has come: files are known by their content, and may only have grown."""

import os

import pytest

import novikoff as nk
from novikoff.data.position import HASHED_BYTES, FileIdentity, Position, SourceFiles

LINES = [b"%d 1:%d\n" % (i % 2, i) for i in range(50)]


def position_in(source, rows=3, may_cut_line=False):
    files = SourceFiles(source)
    try:
        return Position(rows, files.identities(), {}, may_cut_line)
    finally:
        files.close()


def is_accepted(source, position):
    files = SourceFiles(source)
    try:
        files.check(position, "m.nvk")
    except nk.InvalidInputError:
        return False
    finally:
        files.close()
    return True


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_bytes(b"".join(LINES))
    return path


def test_a_file_that_has_grown_is_the_same_and_so_is_a_copy(tmp_path, path):
    position = position_in(path)
    assert is_accepted(path, position)
    (tmp_path / "copy").write_bytes(path.read_bytes() + LINES[0])
    assert is_accepted(tmp_path / "copy", position)


def test_a_file_that_was_cut_or_changed_at_its_ends_is_another(path):
    position, whole = position_in(path), path.read_bytes()
    for content in (whole[:-1], b"1" + whole[1:], whole[:-2] + b"8\n", whole[:-2] + b"8\n" + LINES[0]):
        path.write_bytes(content)
        assert not is_accepted(path, position)


def test_only_the_ends_of_long_files_are_hashed(path):
    path.write_bytes(b"a" * 3 * HASHED_BYTES)
    position = position_in(path)
    path.write_bytes(b"a" * HASHED_BYTES + b"b" * HASHED_BYTES + b"a" * HASHED_BYTES)
    assert is_accepted(path, position)
    path.write_bytes(b"a" * 2 * HASHED_BYTES + b"b" + b"a" * (HASHED_BYTES - 1))
    assert not is_accepted(path, position)


def test_only_the_last_of_several_files_may_grow_and_others_may_follow(tmp_path):
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path in paths:
        path.write_bytes(b"x,y\n1,0\n")
    position = position_in(tmp_path / "*.csv")
    (tmp_path / "c.csv").write_bytes(b"x,y\n2,1\n")
    assert is_accepted(tmp_path / "*.csv", position)
    with paths[1].open("ab") as file:
        file.write(b"3,1\n")
    assert is_accepted(tmp_path / "*.csv", position)
    with paths[0].open("ab") as file:
        file.write(b"3,1\n")
    assert not is_accepted(tmp_path / "*.csv", position)
    assert not is_accepted(paths[0], position)  # fewer files


@pytest.mark.parametrize("more", [b"\n1 1:2\n", b"\r\n1 1:2\n"])
def test_a_last_line_without_a_line_end_may_get_one(path, more):
    path.write_bytes(b"1 1:1")
    position = position_in(path, may_cut_line=True)
    path.write_bytes(b"1 1:1" + more)
    assert is_accepted(path, position)


def test_a_last_line_that_was_learned_in_part_is_refused(path):
    path.write_bytes(b"1 1:1")
    at_end, before = position_in(path, may_cut_line=True), position_in(path, may_cut_line=False)
    path.write_bytes(b"1 1:12\n")
    assert not is_accepted(path, at_end)
    assert is_accepted(path, before)  # the line was not learned, because its reader waited for its end


def test_compressed_files_may_get_further_parts(tmp_path):
    import gzip

    path = tmp_path / "rows.svm.gz"
    path.write_bytes(gzip.compress(LINES[0]))
    position = position_in(path, may_cut_line=True)
    path.write_bytes(gzip.compress(LINES[0]) + gzip.compress(LINES[1]))
    assert is_accepted(path, position)


def test_pipes_queries_and_standard_input_have_no_position(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for source in ("-", f"SELECT * FROM '{tmp_path}/a.csv'", tmp_path / "pipe", b"1 1:1\n", tmp_path):
        files = SourceFiles(source)
        assert not files.are_known
        assert files.identities() == ()
        with pytest.raises(nk.InvalidInputError, match="only files"):
            files.check(Position(0, (), {}), "m.nvk")


def test_the_identity_is_that_of_the_file_that_was_opened(path):
    files = SourceFiles(path)
    assert files.are_in_place()
    before = files.identities()
    path.rename(path.with_suffix(".1"))
    assert not files.are_in_place()
    path.write_bytes(b"1 1:1\n")
    assert not files.are_in_place()
    assert files.identities() == before
    files.close()


def test_negative_numbers_are_refused():
    with pytest.raises(nk.InvalidInputError):
        Position(-1, (), {})
    with pytest.raises(nk.InvalidInputError):
        Position(1, (FileIdentity(-1, "", ""),), {})
