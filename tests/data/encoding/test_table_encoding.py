"""The state of an encoder: names, units, what it has not seen, and what no encoder has."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from frames import frame, tables
from novikoff.data.encoding.encoded_columns import CategoryColumn, LeftOutColumn, NumberColumn, TextColumn
from novikoff.data.encoding.table_encoding import TableEncoding
from novikoff.data.encoding.tables_of import raw_table
from novikoff.data.encoding.words import WordSettings

AGE = NumberColumn("age", "number", 40.0, 10.0, 45.0, True)
JOB = CategoryColumn("job", ("clerk", "cook"), True, 2)
MAIL = TextColumn("mail", ("free", "money"), (1.0, 2.0))
ENCODING = TableEncoding(
    ("mail", "job", "id", "age"),
    (AGE,),
    (JOB,),
    (MAIL,),
    (LeftOutColumn("id", "identifier", "number"),),
    WordSettings(),
)
TABLE = pl.DataFrame(
    {
        "age": [50.0, None, 40.0],
        "job": ["cook", None, "thief"],
        "mail": ["free money money", "gold", None],
        "id": [1, 2, 3],
    }
)


def rows(encoding, table, unseen=None):
    found = raw_table("it", table, encoding.kinds)
    return encoding.rows(found.blocks(), unseen)


def test_columns_are_in_the_order_of_the_table_with_texts_at_the_end():
    assert ENCODING.names == (
        *("job=clerk", "job=cook", "job=missing", "job#0", "job#1"),
        *("age", "age=missing", "mail:free", "mail:money"),
    )
    assert ENCODING.kinds == {"mail": "string", "job": "string", "age": "number"}
    assert not ENCODING.is_dense
    assert ENCODING.scales == {"age": 10.0}


def test_rows_are_those_of_the_definition():
    X = rows(ENCODING, TABLE).toarray()
    bucket = JOB.columns(["thief"], 0)[0]
    assert bucket in (3, 4)
    expected = np.zeros((3, 9))
    expected[0, [1, 5, 7, 8]] = [1, 1, 1, 4]
    expected[1, [2, 5, 6]] = [1, 0.5, 1]
    expected[2, bucket] = 1
    np.testing.assert_array_equal(X, expected)


@given(tables(), st.integers(0, 2**32 - 1))
def test_original_units_give_the_same_scores(table, seed):
    columns, kinds = table
    encoder = nk.TableEncoder(keep=True).fit(frame(columns, kinds))
    encoding = encoder.encoding_
    raw = dataclasses.replace(
        encoding, numbers=tuple(dataclasses.replace(c, shift=0.0, scale=1.0) for c in encoding.numbers)
    )
    rng = np.random.default_rng(seed)
    weights, intercept = rng.normal(size=len(encoding.names)), float(rng.normal())
    changed, moved = encoding.original_units(weights, intercept)
    scores = rows(encoding, frame(columns, kinds)) @ weights + intercept
    again = rows(raw, frame(columns, kinds)) @ changed + moved
    scale = np.abs(rows(raw, frame(columns, kinds))) @ np.abs(changed) + abs(moved) + 1
    np.testing.assert_allclose(again / scale, scores / scale, atol=1e-9)


def test_blocks_give_the_rows_of_the_whole():
    found = raw_table("it", TABLE, ENCODING.kinds)
    (block,) = found.blocks()
    parts = [block.slice(i, i + 1) for i in range(3)]
    np.testing.assert_array_equal(ENCODING.rows(parts).toarray(), rows(ENCODING, TABLE).toarray())
    numbers = TableEncoding(("age",), (AGE,), (), (), (), WordSettings())
    np.testing.assert_array_equal(numbers.rows(parts), rows(numbers, TABLE))


def changed(**changes):
    return dataclasses.replace(ENCODING, **changes)


@pytest.mark.parametrize(
    "make",
    [
        lambda: changed(columns=("mail", "job", "id")),
        lambda: changed(columns=("mail", "job", "id", "age", "age")),
        lambda: changed(numbers=(AGE, AGE)),
        lambda: changed(numbers=(dataclasses.replace(AGE, name="job"),)),
        *(
            lambda scale=scale: changed(numbers=(dataclasses.replace(AGE, scale=scale),))
            for scale in (0, -1, np.nan, np.inf)
        ),
        lambda: changed(numbers=(dataclasses.replace(AGE, shift=np.nan),)),
        lambda: changed(numbers=(dataclasses.replace(AGE, fill=np.inf),)),
        lambda: changed(numbers=(dataclasses.replace(AGE, kind="string"),)),
        lambda: changed(categories=(CategoryColumn("job", ("a", "a"), False),)),
        lambda: changed(categories=(CategoryColumn("job", ("a",), False, -1),)),
        lambda: changed(texts=(TextColumn("mail", ("a", "a")),)),
        lambda: changed(texts=(TextColumn("mail", ("a", "b"), (1.0,)),)),
        lambda: changed(texts=(TextColumn("mail", ("a",), (np.nan,)),)),
        lambda: changed(left_out=(LeftOutColumn("id", "ugly", "number"),)),
    ],
)
def test_what_no_encoder_learns_is_refused(make):
    with pytest.raises(nk.InvalidInputError, match=r"^TableEncoder: "):
        make()
