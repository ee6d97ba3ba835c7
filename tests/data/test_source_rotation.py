"""Files that are followed until another one takes their place."""

import pytest

import novikoff as nk
from novikoff.data.waiting import while_waiting

SVMLIGHT = [b"1 1:1\n", b"0 2:1\n", b"1 3:1\n", b"0 1:2\n"]
CSV = [b"x,y\n", b"1,a\n", b"2,b\n", b"3,a\n", b"4,b\n"]


def read_while(path, kind, *steps, **options):
    """The labels of a stream; each step is done when it first waits for more."""
    left = list(steps)

    def next_step():
        if left:
            left.pop(0)()

    with while_waiting(next_step):
        return [label for batch in nk.scan(path, format=kind, **options).widening() for label in batch.y.tolist()]


@pytest.mark.parametrize(("kind", "begin", "end"), [("svmlight", 0, [1, 0, 1, 0]), ("csv", 1, ["a", "b", "a", "b"])])
def test_a_file_is_read_to_its_end_after_it_was_renamed(tmp_path, kind, begin, end):
    lines = SVMLIGHT if kind == "svmlight" else CSV
    path, old = tmp_path / "log", tmp_path / "log.1"
    path.write_bytes(b"".join(lines[: begin + 2]))

    def append():
        with old.open("ab") as file:
            file.write(b"".join(lines[begin + 2 :]))

    def begin_another():
        path.write_bytes(b"".join(lines))

    steps = (lambda: path.rename(old), append, begin_another)
    assert read_while(path, kind, *steps, follow="rotate") == end


def test_a_file_that_is_cut_has_ended(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"".join(SVMLIGHT))
    assert read_while(path, "svmlight", lambda: path.write_bytes(SVMLIGHT[0]), follow="rotate") == [1, 0, 1, 0]


def test_half_a_line_at_the_end_of_a_rotated_file_is_read(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(SVMLIGHT[0] + b"0 2:1")

    def rotate():
        path.rename(tmp_path / "log.1")
        path.write_bytes(b"")

    assert read_while(path, "svmlight", rotate, follow="rotate") == [1, 0]


def test_without_rotation_these_are_errors(tmp_path):
    path = tmp_path / "log"
    for change, word in ((lambda: path.write_bytes(b""), "cut"), (path.unlink, "removed or replaced")):
        path.write_bytes(b"".join(SVMLIGHT))
        with pytest.raises(nk.InvalidInputError, match=word):
            read_while(path, "svmlight", change, follow=True)


def test_an_empty_file_that_is_followed_may_rotate(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"")

    def rotate():
        path.rename(tmp_path / "log.1")
        path.write_bytes(b"1 1:1\n")

    assert read_while(path, "svmlight", rotate, follow="rotate") == []


@pytest.mark.parametrize("wrong", ["", "Rotate", 1, None])
def test_other_words_are_refused(tmp_path, wrong):
    (tmp_path / "log").write_bytes(SVMLIGHT[0])
    with pytest.raises(nk.InvalidInputError, match="follow"):
        nk.scan(tmp_path / "log", follow=wrong)
