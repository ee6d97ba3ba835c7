"""Encoded rows: all at once and in batches, with labels, weights and notes."""

import numpy as np
import pytest

import novikoff as nk
from novikoff import TableEncoder
from novikoff.data.encoding.encoded import EncodedBatches, read_encoded
from novikoff.data.formats import FORMATS

TEXT = b"x;s;w;y\n1,5;a;1;no\n2,5;b;2;yes\n?;a;0;yes\n4,5;;1;no\n"
OTHER = b"s,w,y,x\nb,1,no,2.5\nc,1,yes,\n"


def table(text, known=None, **options):
    return FORMATS["csv"].table("fit", [text], options, 10, known=known)


def test_all_rows_are_read_with_labels_weights_and_the_encoder():
    batch = read_encoded("fit", table(TEXT, weight="w"), TableEncoder(scale="none"))
    X, y, weights = batch
    assert batch.feature_names == ("x", "x=missing", "s=a", "s=b", "s=missing")
    mean = 8.5 / 3
    np.testing.assert_allclose(
        X.toarray(), [[1.5, 0, 1, 0, 0], [2.5, 0, 0, 1, 0], [mean, 1, 1, 0, 0], [4.5, 0, 0, 0, 1]]
    )
    assert y.tolist() == ["no", "yes", "yes", "no"]
    assert weights.tolist() == [1, 2, 0, 1]
    assert batch.encoder.encoding_.names == batch.feature_names
    assert batch.columns == {"x": "number", "s": "string"}
    assert (batch.target, batch.table_columns) == ("y", ("x", "s", "w", "y"))
    assert ";-separated" in batch.read_as
    assert batch.notes == (
        "missing numbers count as the mean, with an indicator column: x (1)",
        "missing strings are a category of their own: s (1)",
    )


def test_other_rows_are_encoded_by_what_was_learned():
    encoding = read_encoded("fit", table(TEXT, weight="w"), TableEncoder(scale="none")).encoder.encoding_
    batch = read_encoded("predict", table(OTHER, encoding.kinds, target="y"), encoding)
    assert batch.encoder is None
    assert batch.X.toarray().tolist() == [[2.5, 0, 0, 1, 0], [pytest.approx(8.5 / 3), 1, 0, 0, 0]]
    assert [note for note in batch.notes if "did not occur" in note and "s (1)" in note]
    absent = read_encoded("predict", table(b"s\na\n", encoding.kinds, target=False, missing_columns="impute"), encoding)
    assert absent.y is None
    assert [note for note in absent.notes if "x" in note]


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_batches_are_the_rows_of_the_whole(batch_size):
    whole = read_encoded("fit", table(TEXT, weight="w"), TableEncoder())
    encoding = whole.encoder.encoding_
    batches = EncodedBatches(table(TEXT, encoding.kinds, target="y", weight="w"), encoding, batch_size)
    found = list(batches.batches(None))
    assert max(len(batch.y) for batch in found) <= batch_size
    np.testing.assert_array_equal(np.vstack([batch.X.toarray() for batch in found]), whole.X.toarray())
    np.testing.assert_array_equal(np.concatenate([batch.y for batch in found]), whole.y)
    np.testing.assert_array_equal(np.concatenate([batch.weights for batch in found]), whole.weights)
    assert found[0].feature_names == encoding.names
    assert batches.notes == []


def test_batches_count_what_is_new():
    encoding = read_encoded("fit", table(TEXT, exclude=["w"]), TableEncoder()).encoder.encoding_
    batches = EncodedBatches(table(OTHER, encoding.kinds, target=False), encoding, 1)
    assert [batch.y for batch in batches.batches(None)] == [None, None]
    assert batches.unseen.rows == 2
    assert batches.unseen.unknown == {"s": 1}
    assert len(batches.notes) == 1


def test_a_column_that_only_looked_like_numbers_is_read_again_as_strings(tmp_path):
    words = ["n", "m", "k"]
    values = [str(i) for i in range(60_000)] + [words[i % 3] for i in range(6000)]
    path = tmp_path / "t.csv"
    path.write_text("code,x,y\n" + "".join(f"{value},{i % 5}.5,{i % 2}\n" for i, value in enumerate(values)))
    source = FORMATS["csv"].table("fit", [path], {}, 10)
    assert source.schema["code"] == "number"
    batch = read_encoded("fit", source, TableEncoder(max_categories=3))
    assert batch.columns["code"] == "string"
    assert {"code=n", "code=m", "code=k"} <= set(batch.feature_names)


def test_a_few_words_among_numbers_are_missing_values_that_are_said():
    text = "x,y\n" + "".join(f"{i}.5,{i % 2}\n" for i in range(400)) + "many,0\nsome,1\n"
    batch = read_encoded("fit", table(text.encode()), TableEncoder())
    assert batch.feature_names == ("x", "x=missing")
    assert batch.X[:, 1].sum() == 2
    assert any("'many'" in note and "x" in note for note in batch.notes)


def test_a_guess_of_the_labels_is_said():
    text = "".join(f"{i}.5,{i % 3}.25,{'ab'[i % 2]}\n" for i in range(9))
    batch = read_encoded("fit", table(text.encode()), TableEncoder())
    assert batch.warnings[0] == "the labels are taken from the last column, x3; use target= to name another"


def test_no_rows_are_refused():
    with pytest.raises(nk.InvalidInputError, match="no rows"):
        read_encoded("fit", table(b"x,y\n"), TableEncoder())
