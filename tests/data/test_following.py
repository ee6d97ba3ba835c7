"""Files that grow and pipes that are slow: rows come as soon as they are whole, and a function is called meanwhile."""

import gzip
import os
import signal
import threading
from functools import partial

import pytest
import zstandard

import novikoff as nk
from novikoff.data import source as sources
from novikoff.data.waiting import is_watched, notify, while_waiting

DATA = {"t.svm": b"1 1:1\n2 1:1\n", "t.csv": b"a,label\n1,1\n2,2\n"}
DATA |= {f"{name}.gz": gzip.compress(text) for name, text in DATA.items()}


@pytest.fixture(autouse=True)
def _poll_often(monkeypatch):
    monkeypatch.setattr(sources, "POLL_SECONDS", 0.002)


def read_while(source, *steps, labels=None, **options):
    """The labels of a stream, and how many there were when it waited for more, which is when it takes the next step."""
    labels, counts, left = [] if labels is None else labels, [], list(steps)

    def next_step():
        if left:
            counts.append(len(labels))
            left.pop(0)()

    with while_waiting(next_step):
        for _, y in nk.scan(source, **options).widening():
            labels.extend(y.tolist())
    return labels, counts


def append(path, data):
    with path.open("ab") as file:
        file.write(data)


def replace(path):
    other = path.with_name("other")
    other.write_bytes(9 * path.read_bytes())
    other.rename(path)


# ---- the function ----------------------------------------------------------------------------------------------------


def test_it_is_called_during_the_block_and_in_its_thread_only():
    calls = []
    notify()
    with while_waiting(lambda: calls.append(threading.get_ident())):
        assert is_watched()
        notify()
        other = threading.Thread(target=notify)
        other.start()
        other.join()
    notify()
    assert calls == [threading.get_ident()]
    assert not is_watched()


def test_an_inner_block_takes_its_place():
    calls = []
    with while_waiting(lambda: calls.append("outer")):
        with while_waiting(lambda: calls.append("inner")):
            notify()
        notify()
    assert calls == ["inner", "outer"]


@pytest.mark.parametrize("name", DATA)
def test_it_runs_in_the_thread_that_reads_a_growing_file_and_its_error_ends_the_wait(tmp_path, name):
    (tmp_path / name).write_bytes(DATA[name])
    threads, labels = [], []

    def stop():
        threads.append(threading.get_ident())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read_while(tmp_path / name, lambda: threads.append(threading.get_ident()), stop, labels=labels, follow=True)
    assert labels == [1, 2]
    assert threads == [threading.get_ident()] * 2


# ---- pipes -----------------------------------------------------------------------------------------------------------

ROWS = [b"+1 1:1\n-1 2", b":1\n+1 3:1\n", b"-1 9:1"]
PIPES = {
    "svmlight": ({}, ROWS, [[1], [-1, 1], [-1]]),
    "packed": ({}, [zstandard.compress(rows) for rows in ROWS], [[1], [-1, 1], [-1]]),
    "csv": ({"format": "csv"}, [b"a,label\n1,2\n5", b",3\n6,4\n", b"7,5"], [[2], [3, 4], [5]]),
    "no header": ({"format": "csv", "target": "last"}, [b"1,2\n", b"3,4\n", b"5,6\n"], [[2], [4], [6]]),
    "ndjson": (
        {"format": "ndjson"},
        [b'{"a": 1, "y": 2}\n{"a"', b': 1, "y": 3}\n', b'{"a": 1, "y": 5}'],
        [[2], [3], [5]],
    ),
}


@pytest.mark.parametrize("case", PIPES.values(), ids=PIPES)
@pytest.mark.parametrize("way", ["descriptor", "path"])
def test_a_pipe_whose_writer_is_slow_gives_what_is_there(tmp_path, case, way):
    options, chunks, expected = case
    if way == "path":
        source = tmp_path / "pipe"
        os.mkfifo(source)
        reader = os.open(source, os.O_RDWR)  # so that neither end waits for the other
        writer = os.open(source, os.O_WRONLY)
    else:
        reader, writer = os.pipe()
        source = os.fdopen(reader, "rb", closefd=False)
    batches = iter(nk.scan(source, **options))
    for chunk, labels in zip(chunks, expected[:-1], strict=False):
        os.write(writer, chunk)
        assert next(batches).y.tolist() == labels
    os.write(writer, chunks[-1])
    os.close(writer)
    if way == "path":
        os.close(reader)
    assert [batch.y.tolist() for batch in batches] == expected[-1:]
    if way == "descriptor":
        os.close(reader)


@pytest.mark.parametrize("name", ["t.svm", "t.csv"])
def test_a_silent_pipe_is_a_wait_after_which_its_rows_come(name):
    reading, writing = os.pipe()
    os.write(writing, DATA[name])
    more = DATA[name].splitlines(keepends=True)[-1]
    with open(reading, "rb") as file:
        steps = partial(os.write, writing, more), partial(os.close, writing)
        assert read_while(file, *steps, format="csv" if name == "t.csv" else None) == ([1, 2, 2], [2, 3])


# ---- files that grow -------------------------------------------------------------------------------------------------

GROWING = {
    "svmlight": ("t.svm", b"", [b"1 1:1\n", b"2 1:", b"1 9:1\n3", b" 1:1\n4 1:1\n5\n"]),
    "begun": ("t.svm", b"1 1:1\n2", [b"", b" 1:1", b"\n3 1:1\n", b"4\n5\n"]),
    "csv": ("t.csv", b"", [b"a,lab", b"el\n1,1\n2,", b"2\n", b'"3",3\n4,4\n5,5\n']),
    "tsv": ("t.tsv", b"a\tlabel\n", [b"1\t1\n2\t2", b"\n3\t", b"3\n", b"4\t4\n5\t5\n"]),
    "ndjson": (
        "t.ndjson",
        b"",
        [b'{"a": 1, "y": 1}\n{"a"', b': 2, "y": 2}\n', b'{"a": 1, "y": 3}\n', b'{"a": 4, "y": 4}\n{"a": 4, "y": 5}\n'],
    ),
}


@pytest.mark.parametrize(("name", "begin", "chunks"), GROWING.values(), ids=GROWING)
def test_lines_that_are_appended_come_as_soon_as_they_are_whole(tmp_path, name, begin, chunks):
    path = tmp_path / name
    path.write_bytes(begin)
    texts = [begin + b"".join(chunks[:k]) for k in range(len(chunks) + 1)]
    whole = [text.count(b"\n") - (name.endswith("sv") and b"\n" in text) for text in texts]
    steps = [partial(append, path, chunk) for chunk in chunks]
    end = partial(path.rename, tmp_path / "old"), partial(path.write_bytes, b"")
    assert read_while(path, *steps, *end, follow="rotate") == ([1, 2, 3, 4, 5], [*whole, 5])


@pytest.mark.parametrize("name", ["t.svm", "t.csv"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: os.truncate(path, 3), "cut from {size} to 3 bytes"),
        (os.unlink, "removed or replaced"),
        (replace, "removed or replaced"),
    ],
    ids=["cut", "removed", "replaced"],
)
def test_a_followed_file_that_is_cut_removed_or_replaced_ends_with_a_sentence_or_rotates(
    tmp_path, name, change, message
):
    path, labels = tmp_path / name, []
    path.write_bytes(DATA[name])
    with pytest.raises(nk.InvalidInputError) as caught:
        read_while(path, partial(change, path), labels=labels, follow=True)
    said = message.format(size=len(DATA[name]))
    assert (str(caught.value), labels) == (f"{path}: the file was {said} while it was followed.", [1, 2])
    if change is not os.unlink:  # as long as no file has the name, its writer may still write to it
        path.write_bytes(DATA[name])
        assert read_while(path, partial(change, path), follow="rotate")[0] == [1, 2]


@pytest.mark.parametrize("name", ["t.svm", "t.csv"])
def test_a_file_is_read_to_its_end_after_it_was_renamed(tmp_path, name):
    path, old = tmp_path / name, tmp_path / "old"
    path.write_bytes(DATA[name])
    *_, last = DATA[name].splitlines(keepends=True)
    steps = partial(path.rename, old), partial(append, old, last + last[:-1]), partial(path.write_bytes, DATA[name])
    assert read_while(path, *steps, follow="rotate")[0] == [1, 2, 2, 2]  # the last of them without a line end


def test_an_empty_file_that_is_followed_may_rotate(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"")
    steps = partial(path.rename, tmp_path / "log.1"), partial(path.write_bytes, DATA["t.svm"])
    assert read_while(path, *steps, format="svmlight", follow="rotate")[0] == []


def test_a_bad_line_of_a_growing_file_is_refused_with_its_number(tmp_path):
    path = tmp_path / "t.svm"
    path.write_bytes(b"1 1:1\n")
    with pytest.raises(nk.InvalidInputError, match=rf"^{path}, line 3:"):
        read_while(path, partial(append, path, b"2 1:1\n"), partial(append, path, b"what\n"), follow=True)


def test_a_growing_file_must_be_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    keep = os.open(tmp_path / "pipe", os.O_RDWR)
    for name, message in (("pipe", "follow=True needs a regular file"), ("", "directory"), ("none", "No such file")):
        with pytest.raises(nk.InvalidInputError, match=message):
            next(iter(nk.scan(tmp_path / name, follow=True)))
    os.close(keep)


@pytest.mark.parametrize("wrong", ["", "Rotate", 1, None])
def test_follow_is_a_truth_value_or_rotate(tmp_path, wrong):
    (tmp_path / "log").write_bytes(DATA["t.svm"])
    with pytest.raises(nk.InvalidInputError, match="follow"):
        nk.scan(tmp_path / "log", follow=wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_an_interrupt_ends_a_growing_file_and_its_thread(tmp_path, name):
    (tmp_path / name).write_bytes(DATA[name])
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(nk.scan(tmp_path / name, follow=True))
    timer.join()
    assert not [thread for thread in threading.enumerate() if thread.name == "novikoff-prefetch"]
