"""A stream of tables in batches: names grow on the way, and are known in advance where a source can be read again."""

import io

import numpy as np
import pandas as pd
import pytest

import novikoff as nk
from novikoff.data.encoding.running import RunningEncoding
from novikoff.data.reading import Reading

TABLE = b"job,age,y\nclerk,3,1\ncook,5,0\nclerk,,1\npilot,7,0\n"
NAMES = ("age", "job=clerk", "job=cook", "age=missing", "job=pilot")


def mails(rows):
    """A table of texts and categories."""
    lines = [f'"mail {i} about the meeting",city{i % 3},{i % 2}' for i in range(rows)]
    return "\n".join(["mail,city,y", *lines, ""]).encode()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 100])
def test_names_grow_with_the_rows_whatever_the_size_of_batches(size):
    stream = nk.scan(TABLE, format="csv", missing="mean", batch_size=size)
    batches = list(stream.widening())
    assert batches[-1].feature_names == NAMES
    for batch in batches:
        assert batch.feature_names == NAMES[: batch.X.shape[1]]
        assert batch.running.names == batch.feature_names
    rows = np.concatenate([np.pad(b.X.toarray(), ((0, 0), (0, 5 - b.X.shape[1]))) for b in batches])
    assert rows.tolist() == [[3, 1, 0, 0, 0], [5, 0, 1, 0, 0], [4, 1, 0, 1, 0], [7, 0, 0, 0, 1]]


def test_batches_of_a_loop_are_equally_wide_where_the_source_can_be_read_again():
    for batch in nk.scan(TABLE, format="csv", missing="mean", batch_size=2):
        assert batch.feature_names == NAMES
        assert batch.X.shape == (2, 5)
    once = nk.scan(io.BytesIO(TABLE), format="csv", missing="mean", batch_size=2)
    assert [batch.X.shape[1] for batch in once] == [3, 5]


def test_columns_are_hashed_or_standardised_only_if_that_is_asked_for():
    (hashed,) = nk.scan(TABLE, format="csv", missing="zero", hashing=nk.Hashing(n_bits=5))
    assert (hashed.X.shape, hashed.feature_names, hashed.running) == ((4, 32), None, None)
    for options, rows in (
        ({"hashing": nk.Hashing()}, [[1], [3]]),
        ({}, [[1], [3]]),
        ({"scale": "standard"}, [[0], [1]]),
    ):
        assert next(nk.scan(b"a,y\n1,0\n3,1\n", format="csv", **options).widening()).X.tolist() == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hashing": 20}, "hashing must be a Hashing"),
        ({"missing": "median"}, "missing must be"),
        ({"missing": "mean", "hashing": nk.Hashing()}, "missing must be"),
        ({"missing": "indicator"}, 'Use missing="mean"'),
        ({"scale": "minmax"}, "scale must be"),
        ({"scale": "standard", "hashing": nk.Hashing()}, "cannot be combined with hashing"),
    ],
)
def test_what_a_stream_cannot_do_is_refused(options, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        nk.scan(TABLE, format="csv", **options)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_columns_that_look_like_texts_are_split_into_words(size):
    batch = list(nk.scan(mails(40), format="csv", batch_size=size))[-1]
    assert {"mail:meeting", "city=city0"} <= set(batch.feature_names)
    frame = pd.read_csv(io.BytesIO(mails(40)))
    assert list(nk.scan(frame, batch_size=size))[-1].feature_names == batch.feature_names
    few = next(iter(nk.scan(mails(19), format="csv")))
    assert "mail=mail 0 about the meeting" in few.feature_names
    named = next(iter(nk.scan(mails(40), format="csv", text="city")))
    assert {"city:city0", "mail=mail 0 about the meeting"} <= set(named.feature_names)


def test_a_reading_continues_with_labels_and_encodes_without():
    first, second = TABLE[:29], TABLE.split(b"\n", 1)[0] + b"\n" + TABLE[29:]
    *_, before = nk.scan(first, format="csv", missing="mean", scale="standard")
    reading = Reading().after(before)
    assert reading.column_names == NAMES[:3]
    *_, whole = nk.scan(TABLE, format="csv", missing="mean", scale="standard")
    *_, after = reading.scan(second, format="csv")
    assert after.running == whole.running
    assert after.X.toarray().tolist() == whole.X.toarray()[2:].tolist()
    stream = reading.scan(b"age,job,town\n4,pilot,x\n,cook,y\n", format="csv", labelled=False)
    (batch,) = stream.widening()
    assert batch.X.toarray().tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert batch.running == before.running
    assert [note.partition(":")[0] for note in stream.notes] == [
        "missing values in columns that had none when the model was fitted",
        "values that did not occur when the model was fitted, and have no weight",
    ]
    whole_read = reading.read("score", TABLE, format="csv")
    assert whole_read.X.shape == (4, 3)
    lacking = reading.scan(b"job\ncook\n", format="csv", labelled=False, missing_columns="impute")
    list(lacking.widening())
    assert "table lacks" in lacking.notes[0]


def test_rows_are_read_again_as_they_were_learned():
    *_, batch = nk.scan(TABLE, format="csv", missing="mean", scale="standard")
    reading = Reading().after(batch)
    again, same = reading.as_learned("certify", TABLE, format="csv")
    assert same
    assert again.X.toarray().tolist() == batch.X.toarray().tolist()
    assert not reading.as_learned("certify", TABLE.replace(b"7", b"8"), format="csv")[1]
    assert reading.as_learned("certify", b"1 1:2\n0 2:1\n")[1] is False


def test_weights_and_their_column_come_along():
    *_, batch = nk.scan(b"a,w,y\n1,2,p\n3,1,q\n", format="csv", weight="w")
    assert batch.weight_column == "w"
    assert Reading().after(batch).weight == "w"
    assert isinstance(batch.running, RunningEncoding)
