"""Columns of strings: the encoded column of each string, and of none."""

from novikoff.data.encoding.encoded_columns import CategoryColumn, LeftOutColumn, NumberColumn, TextColumn

JOB = CategoryColumn("job", ("clerk", "cook"), True, 2)


def test_encoded_columns_have_names():
    assert NumberColumn("age", "number", 0.0, 1.0, 0.0, True).names == ["age", "age=missing"]
    assert NumberColumn("age", "date", 0.0, 1.0, 0.0, False).names == ["age"]
    assert JOB.names == ["job=clerk", "job=cook", "job=missing", "job#0", "job#1"]
    assert TextColumn("mail", ("free", "free money")).names == ["mail:free", "mail:free money"]
    assert not hasattr(LeftOutColumn("id", "identifier", "number"), "names")


def test_columns_of_strings_end_with_that_of_missing_values():
    assert JOB.columns(["cook", "clerk"], 10).tolist() == [11, 10, 12]
    plain = CategoryColumn("job", ("clerk",), False)
    assert plain.columns(["cook", "clerk"], 10).tolist() == [-1, 10, -1]
    assert (plain.names, plain.columns([], 0).tolist()) == (["job=clerk"], [-1])
