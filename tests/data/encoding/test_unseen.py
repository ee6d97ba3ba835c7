"""What later tables lack or have in addition is counted."""

import polars as pl

from novikoff.data.encoding.encoded_columns import CategoryColumn, LeftOutColumn, NumberColumn, TextColumn
from novikoff.data.encoding.table_encoding import TableEncoding
from novikoff.data.encoding.tables_of import raw_table
from novikoff.data.encoding.unseen import Unseen
from novikoff.data.encoding.words import WordSettings

ENCODING = TableEncoding(
    ("mail", "job", "id", "age"),
    (NumberColumn("age", "number", 40.0, 10.0, 45.0, False),),
    (CategoryColumn("job", ("clerk",), False),),
    (TextColumn("mail", ("free", "money"), (1.0, 2.0)),),
    (LeftOutColumn("id", "identifier", "number"),),
    WordSettings(),
)
TABLE = pl.DataFrame(
    {"age": [50.0, None, 40.0], "job": ["cook", None, "thief"], "mail": ["free money money", "gold", None]}
)


def rows(encoding, table, unseen):
    return encoding.rows(raw_table("it", table, encoding.kinds, missing_columns="impute").blocks(), unseen)


def test_what_is_new_is_counted_by_column():
    unseen = Unseen()
    rows(ENCODING, TABLE, unseen)
    assert unseen.rows == 3
    assert unseen.unknown == {"job": 2, "mail": 1}
    assert unseen.missing == {"age": 1, "job": 1}
    assert len(unseen.sentences()) == 2
    known = Unseen(absent=["age"])
    rows(ENCODING, TABLE.drop("age"), known)
    assert known.missing == {"job": 1}
    assert len(known.sentences()) == 3
    assert Unseen().sentences() == []
