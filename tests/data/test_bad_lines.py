"""Malformed lines that are skipped: the others are read as if they were not there, and lines keep their numbers."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.data.bad_lines import FIRST_PIECE, BadLines, BadRecord, blanked

COUNT = 300
LABELS = ["no", "yes"]
GOOD = {
    "svmlight": [b"%d 1:%d 3:%d\n" % (1 - 2 * (i % 2), i + 1, i % 5 + 1) for i in range(COUNT)],
    "csv": [b'%d,"job %d\n or ""so""",%s\n' % (i, i % 7, LABELS[i % 3 % 2].encode()) for i in range(COUNT)],
    "tsv": [b"%d\tjob %d\t%s\n" % (i, i % 7, LABELS[i % 3 % 2].encode()) for i in range(COUNT)],
    "ndjson": [b'{"age": %d, "job": "job %d", "y": "%s"}\n' % (i, i % 7, LABELS[i % 2].encode()) for i in range(COUNT)],
}
HEADERS = {"csv": b"age,job,y\n", "tsv": b"age\tjob\ty\n"}
BAD = {
    "svmlight": [b"what\n", b"1 2:x\n", b"1 5:1 5:2\n", b"nan 1:1\n"],
    "csv": [b"1,2\n", b'1,2,3,"4\n5"\n', b"1,a job,\n"],
    "tsv": [b"1\t2\n", b"1\t2\t3\t4\n", b"1\ta job\t\n"],
    "ndjson": [
        b"what\n",
        b"[1]\n",
        b'{"age": 1\n',
        b'{"age": "old", "job": "b", "y": "no"}\n',
        b'{"age": 3}\n',
        b"null\n",
    ],
}


def mixed(kind, rng, share):
    """A text with malformed records, and the lines at which these begin."""
    parts, bad = [HEADERS.get(kind, b"")], []
    for number, record in enumerate(GOOD[kind]):
        while number and rng.random() < share:  # the first record is good, as it tells the kinds of the columns
            bad.append(b"".join(parts).count(b"\n") + 1)
            parts.append(BAD[kind][rng.integers(len(BAD[kind]))])
        parts.append(record)
    return b"".join(parts), bad


def rows_of(text, kind, **options):
    """All rows and labels of a stream, and the stream."""
    stream = nk.scan(text, format=kind, batch_size=64, **options)
    batches = list(stream.widening())
    width = batches[-1].X.shape[1]
    dense = [batch.X.toarray() if sp.issparse(batch.X) else batch.X for batch in batches]
    X = np.vstack([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in dense])
    return X, np.concatenate([batch.y for batch in batches]), stream


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.01, 0.15])
@pytest.mark.parametrize("kind", GOOD)
def test_good_lines_are_read_as_if_the_others_were_not_there(kind, share, seed):
    text, bad = mixed(kind, np.random.default_rng([seed, int(100 * share)]), share)
    X, y, stream = rows_of(text, kind, on_bad="skip")
    known_X, known_y, _ = rows_of(HEADERS.get(kind, b"") + b"".join(GOOD[kind]), kind)
    assert np.array_equal(X, known_X)
    assert np.array_equal(y, known_y)
    assert stream.bad_lines == len(bad)
    (note,) = stream.notes if bad else [""]
    assert note.count("<bytes>, line ") == min(5, len(bad)) + bool(bad)
    assert {int(part.split(",")[0].split(")")[0]) for part in note.split(";")[0].split("line ")[1:]} <= set(bad)


@pytest.mark.parametrize("kind", GOOD)
def test_rows_of_which_some_are_bad_continue_after_the_same_rows(kind):
    text, _ = mixed(kind, np.random.default_rng(7), 0.2)
    options = {"hashing": nk.Hashing(n_bits=6)} if kind != "svmlight" else {}
    whole = rows_of(text, kind, on_bad="skip", **options)[1]
    stream = nk.scan(text, format=kind, batch_size=64, on_bad="skip", **options)
    assert np.concatenate([batch.y for batch in stream.widening_after(101)]).tolist() == whole[101:].tolist()
    with pytest.raises(nk.InvalidInputError, match="2 rows more than the source has"):
        list(nk.scan(text, format=kind, on_bad="skip", **options).widening_after(COUNT + 2))


@pytest.mark.parametrize("kind", GOOD)
def test_a_malformed_line_is_an_error_by_default(kind):
    begin = HEADERS.get(kind, b"") + b"".join(GOOD[kind][:50])
    for bad in BAD[kind]:
        line = begin.count(b"\n") + 1
        with pytest.raises(nk.InvalidInputError, match=f"line {line}:"):
            list(nk.scan(begin + bad + b"".join(GOOD[kind][50:]), format=kind))


@pytest.mark.parametrize("kind", ["svmlight", "ndjson"])
def test_a_text_without_any_good_line_is_an_error(kind):
    text = HEADERS.get(kind, b"") + BAD[kind][0] * 3
    with pytest.raises(nk.InvalidInputError):
        nk.Perceptron().partial_fit(nk.scan(text, format=kind, on_bad="skip"))


def test_weights_that_are_not_weights_are_malformed():
    text = b"x,y,w\n1,a,1\n2,b,-1\n3,a,inf\n4,b,2\n5,a,\n"
    for options in ({}, {"hashing": nk.Hashing(n_bits=4)}):
        stream = nk.scan(text, format="csv", weight="w", on_bad="skip", **options)
        ((_, y, w),) = stream
        assert (y.tolist(), w.tolist(), stream.bad_lines) == (["a", "b"], [1.0, 2.0], 3)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (b"x,y\n1,a\n2,b,c\n3,\n4,b\n", {"format": "csv"}),
        (b"x,y\n1,a\n2,b,c\n3,\n4,b\n", {"format": "csv", "hashing": nk.Hashing(n_bits=4)}),
        (b'{"x": 1, "y": "a"}\n{"x": 2\n{"x": 3}\n{"x": 4, "y": "b"}\n', {}),
        (b"0 1:1\n0 1:x\nx\n1 1:4\n", {}),
    ],
)
def test_whole_sources_are_read_without_malformed_lines(text, options):
    batch = nk.read(text, on_bad="skip", **options)
    assert (batch.X.shape[0], len(set(batch.y.tolist())), batch.skipped) == (2, 2, 2)
    assert [note for note in batch.notes if note.startswith("skipped 2 malformed lines (<bytes>, line ")]
    with pytest.warns(UserWarning, match="skipped 2 malformed lines"):
        nk.fit(text, on_bad="skip", **options if "hashing" not in options else {"format": "csv"})


def test_labels_that_are_not_whole_numbers_are_malformed_after_whole_ones():
    stream = nk.scan(b"x,y\n" + b"1,0\n2,1\n" * 8 + b"1,0.5\n4,1\n", format="csv", target="y", on_bad="skip")
    ((_, y),) = stream
    assert (y.tolist(), stream.bad_lines) == ([0, 1] * 8 + [1], 1)
    with pytest.raises(nk.InvalidInputError, match="line 18"):
        list(nk.scan(b"x,y\n" + b"1,0\n2,1\n" * 8 + b"1,0.5\n4,1\n", format="csv", target="y"))


def test_lines_are_skipped_in_text_only():
    with pytest.raises(nk.InvalidInputError, match="on_bad"):
        nk.scan(b"1 1:1\n", on_bad="ignore")
    with pytest.raises(nk.InvalidInputError, match="on_bad"):
        nk.scan("SELECT 1 AS y, 2 AS x", on_bad="skip")


def test_many_malformed_lines_cost_linear_time():
    """Each piece that is parsed again is small, whatever the size of the text."""
    sizes = []

    def find_bad(piece, first_line):
        sizes.append(len(piece))
        place = piece.find(b"bad")
        return None if place < 0 else BadRecord(piece.count(b"\n", 0, place), 1, "here", ValueError("wrong"))

    bad = BadLines()
    text = b"good\nbad\n" * 20_000
    assert blanked(text, 1, find_bad, bad) == b"good\n\n" * 20_000
    assert bad.count == 20_000
    assert max(sizes[1:]) <= FIRST_PIECE + len(b"good\n")
