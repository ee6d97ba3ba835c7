"""What an encoder says about a table, and how many entries its rows have at most."""

import pandas as pd
import pytest

from novikoff import TableEncoder

TABLE = pd.DataFrame(
    {
        "age": [20.0, None, 41.0, 33.0] * 6,
        "job": ["clerk", "smith", None, "cook"] * 6,
        "row": range(24),
        "same": [1] * 24,
        "void": [None] * 24,
        "mail": [f"this is the text of row {i}" for i in range(24)],
    }
)


def test_what_was_noticed_is_one_line_for_each_kind():
    assert TableEncoder(max_categories=2).fit(TABLE).notes_ == [
        "missing numbers count as the mean, with an indicator column: age (6)",
        "missing strings are a category of their own: job (6)",
        "left out because they are constant: same",
        "left out because they are identifiers of rows: row",
        "left out because they are empty: void",
        "read as text: mail (20 words)",
        "more than 2 categories, so that rare ones share columns: job",
    ]
    assert TableEncoder(missing=5).fit(TABLE[["age", "job"]]).notes_[0].startswith("missing numbers count as 5,")
    assert TableEncoder().fit(TABLE[["age"]].dropna()).notes_ == []


@pytest.mark.parametrize("missing", ["mean", "median", "zero"])
@pytest.mark.parametrize("scale", ["standard", "none"])
def test_rows_have_at_most_as_many_entries_as_was_said(scale, missing):
    encoder = TableEncoder(scale=scale, missing=missing)
    table = TABLE[["age", "job"]]
    assert encoder.fit_transform(table).nnz <= encoder.entries_ <= 3 * len(table)
