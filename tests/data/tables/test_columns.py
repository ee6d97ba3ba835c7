"""Roles of columns: labels, weights and features, by name and by kind."""

import datetime
import decimal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest

import novikoff as nk
from novikoff.data.hashing import Hashing
from novikoff.data.tables.columns import Columns


def test_numbers_alone_are_a_dense_array_in_the_order_asked_for():
    table = pa.table(
        {
            "a": pa.array([1, 2], pa.int8()),
            "b": [True, False],
            "y": ["u", "v"],
            "c": pa.array([decimal.Decimal("1.5"), decimal.Decimal("-2")]),
        }
    )
    scan = nk.scan(table, target="y")
    (batch,) = scan
    assert batch.feature_names == ("a", "b", "c")
    np.testing.assert_array_equal(batch.X, [[1, 1, 1.5], [2, 0, -2]])
    assert batch.X.flags.c_contiguous
    assert batch.X.dtype == np.float64
    assert batch.y.tolist() == ["u", "v"]
    (batch,) = nk.scan(table, target="y", features=["c", "a"])
    np.testing.assert_array_equal(batch.X, [[1.5, 1], [-2, 2]])


@pytest.mark.parametrize(
    ("given_labels", "expected"),
    [
        (pa.array([1, 2], pa.uint8()), np.array([1, 2])),
        (pa.array([1.0, -2.0]), np.array([1, -2])),
        (pa.array([True, False]), np.array([True, False])),
        (pa.array(["a", ""]), np.array(["a", ""])),
        (pa.array(["a", "b"]).dictionary_encode(), np.array(["a", "b"])),
        (pa.array([5, 7]).dictionary_encode(), np.array([5, 7])),
        (pa.array([decimal.Decimal("3"), decimal.Decimal("4")]), np.array([3, 4])),
    ],
)
def test_labels_are_whole_numbers_booleans_or_strings(given_labels, expected):
    (batch,) = nk.scan(pa.table({"x": [1.0, 2.0], "y": given_labels}), target="y")
    assert batch.y.dtype == expected.dtype
    np.testing.assert_array_equal(batch.y, expected)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ("1 -2 3.0 1e2", [1, -2, 3, 100]),
        ("9223372036854775807 -9223372036854775807", [2**63 - 1, 1 - 2**63]),
        ("true FALSE true", [True, False, True]),
        ("a nana inf", ["a", "nana", "inf"]),
        ("1 2 word other", ["1", "2", "word", "other"]),
        ("2020-01-01 2020-01-02", ["2020-01-01", "2020-01-02"]),
    ],
)
def test_labels_of_text_are_what_all_of_them_are(texts, expected):
    found = nk.read("\n".join(["x,y", *(f"1,{text}" for text in texts.split())]).encode(), format="csv", na=[]).y
    assert found.tolist() == expected
    assert found.dtype == np.array(expected).dtype


def test_weights_are_a_column_and_no_feature():
    table = pa.table({"w": [2, 0], "x": [1.0, 2.0], "y": [0, 1]})
    (batch,) = nk.scan(table, target="y", weight="w")
    *_, weights = batch
    assert batch.feature_names == ("x",)
    np.testing.assert_array_equal(weights, [2.0, 0.0])
    assert weights.dtype == np.float64


@pytest.mark.parametrize("name", ["y", "label", "target", "class", "Class"])
def test_the_target_is_found_by_its_usual_names(name):
    (batch,) = nk.scan(pa.table({"x": [1.0], name: [7]}), target=None)
    assert batch.y.tolist() == [7]


@pytest.mark.parametrize(
    ("target", "features"),
    [("first", ("b", "c")), ("last", ("a", "b")), (2, ("a", "c")), ("3", ("a", "b")), (np.int64(1).item(), ("b", "c"))],
)
def test_the_target_may_be_a_position(target, features):
    (batch,) = nk.scan(pa.table({"a": [1], "b": [2], "c": [3]}), target=target)
    assert batch.feature_names == features


def test_a_name_goes_before_a_position():
    (batch,) = nk.scan(pa.table({"a": [1], "1": [2], "last": [3], "x": [4]}), target="last")
    assert (batch.target, batch.y.tolist()) == ("last", [3])
    (batch,) = nk.scan(pa.table({"a": [1], "1": [2], "last": [3], "x": [4]}), target="1")
    assert (batch.target, batch.y.tolist()) == ("1", [2])


def test_columns_that_are_excluded_are_no_features():
    table = pa.table({"a": [1], "b": [[2]], "y": [3], "c": [4]})
    (batch,) = nk.scan(table, exclude="b")
    assert batch.feature_names == ("a", "c")
    (batch,) = nk.scan(table, exclude=["b", "c"])
    assert batch.feature_names == ("a",)


def test_dates_are_features_in_days_and_labels_in_words():
    table = pa.table({"x": [datetime.date(1970, 1, 3)] * 2, "y": [0, 1]})
    (batch,) = nk.scan(table)
    assert batch.X.tolist() == [[2.0], [2.0]]
    (batch,) = nk.scan(table, target="x")
    assert batch.y.tolist() == ["1970-01-03"] * 2


def test_numbers_that_are_said_to_be_text_are_words():
    (batch,) = nk.scan(pa.table({"x": [17, 18], "y": [0, 1]}), text="x", hashing=Hashing(n_bits=8))
    np.testing.assert_array_equal(batch.X.toarray(), Hashing(n_bits=8).transform(["17", "18"]).toarray())


SCHEMA = {"a": "number", "b": "string", "c": "date", "d": "boolean", "y": "string"}


def test_the_kinds_of_a_model_are_those_as_which_columns_are_read():
    columns = Columns("scan", "it", SCHEMA, target="y", known={"a": "string", "q": "number", "d": "boolean"})
    assert columns.features == ["a", "q", "d"]
    assert columns.kinds == {"a": "string", "d": "boolean", "y": "string"}
    assert columns.absent == ["q"]
    with pytest.raises(nk.InvalidInputError, match=r"it: none of the columns of the model is in the table: 'q', 'r'"):
        Columns("scan", "it", SCHEMA, target=False, known={"q": "number", "r": "number"})


LABELS = {  # columns and whether their values can be labels; the target, why it was taken, and rivals
    "a usual name": ({"a": True, "Y": False, "b": True}, ("Y", "by its name", [])),
    "two names": ({"survived": True, "a": True, "class": True}, ("class", "by its name", ["survived"])),
    "another usual name": ({"survived": True, "a": True}, ("survived", "by its name", [])),
    "a usual name of amounts": ({"default": False, "a": True}, ("a", "last column", [])),
    "the last column": ({"a": True, "b": True}, ("b", "last column", [])),
    "no name at the end": ({"a": True, "b": True, "x3": True}, ("b", "last column", [])),
    "no header": ({"x1": True, "x2": True}, ("x2", "last column", [])),
    "no header, first": ({"x1": True, "x2": False}, ("x1", "first column", [])),
}


@pytest.mark.parametrize("case", LABELS)
def test_the_column_of_labels_is_found_by_name_and_then_by_place(case):
    label_like, expected = LABELS[case]
    columns = Columns("scan", "it", dict.fromkeys(label_like, "number"), label_like=label_like)
    assert (columns.target, columns.choice, columns.rivals) == expected


def test_empty_columns_at_the_end_are_not_labels():
    columns = Columns("scan", "it", dict.fromkeys(["a", "b", "x3"], "number"), label_like={"a": False, "b": True})
    assert columns.target == "b"
    with pytest.raises(nk.InvalidInputError, match=r"These could be labels: 'a'\. Use target='a', for example\."):
        Columns("scan", "it", dict.fromkeys(["a", "b", "c"], "number"), label_like={"a": True, "b": False})


def test_what_has_another_role_is_not_taken_for_labels():
    columns = Columns("scan", "it", dict.fromkeys(["a", "class", "y"], "number"), exclude="y")
    assert columns.target == "class"


NAMED = {  # how columns are named, and which ones of a, b, 3-4, "c,d", e, 1 are meant
    "b": ["b"],
    2: ["b"],
    "-2": ["e"],
    -2: ["e"],
    "first": ["a"],
    "last": ["1"],
    "2-3": ["b", "3-4"],
    "-3--2": ["c,d", "e"],
    "3-4": ["3-4"],
    "c,d": ["c,d"],
    "1": ["1"],
    "a, e,2": ["a", "e", "b"],
    ("a,5", "b"): ["a", "e", "b"],
    (1, -2): ["1", "e"],
}


@pytest.mark.parametrize("given", NAMED)
def test_columns_are_named_in_one_way_everywhere(given):
    table = pa.table({name: [1, 2] for name in ("a", "b", "3-4", "c,d", "e", "1")})
    expected = NAMED[given]
    features = given if isinstance(given, str | int) else list(given)
    assert nk.read(table, target=False, features=features).feature_names == tuple(expected)
    rest = tuple(name for name in table.column_names if name not in expected)
    assert nk.read(table, target=False, exclude=features).feature_names == rest
    if len(expected) == 1:
        assert nk.read(table, target=features).target == expected[0]
        assert nk.read(table, target=False, weight=features).weight_column == expected[0]


def test_further_tables_may_have_other_columns_only_where_columns_are_chosen():
    Columns("scan", "it", SCHEMA, features=["a"]).check_names("other", [*SCHEMA, "z"])
    with pytest.raises(nk.InvalidInputError, match=r"^other: column 'z' is not in it\. Use features="):
        Columns("scan", "it", SCHEMA).check_names("other", [*SCHEMA, "z"])
    with pytest.raises(nk.InvalidInputError, match=r"^other: there is no column 'a', but it has one"):
        Columns("scan", "it", SCHEMA).check_names("other", ["b", "c", "d", "y"])


REFUSED = {  # columns other than two of x and y, options, and what is said
    "no target": ({"y": None, "z": [0, 1]}, {"target": None}, r"no column is called y, .* The columns are 'x', 'z'\.$"),
    "two targets": ({"label": [0, 1]}, {"target": None}, "more than one column is called y"),
    "unknown target": ({"y": None}, {}, r"there is no column 'y', which target= names\. The columns are 'x'\."),
    "misspelled column": (
        {"Age": [1, 2]},
        {"exclude": "agee"},
        r"no column 'agee', which exclude= names\. Did you mean 'Age'\? The columns are",
    ),
    "range too far": ({}, {"exclude": "1-3"}, r"there is no column '1-3', which exclude= names\."),
    "position too large": ({}, {"target": 3}, "there is no column '3', which target= names"),
    "several targets": ({}, {"target": "x,y"}, "target= must name one column, but it names 'x', 'y'"),
    "unknown feature": ({}, {"features": ["q"]}, r"no column 'q', which features= names\. The columns are 'x', 'y'\."),
    "unknown weight": ({}, {"weight": "q"}, r"there is no column 'q', which weight= names"),
    "unknown text": ({}, {"text": "q"}, r"there is no column 'q', which text= names"),
    "unknown excluded": ({}, {"exclude": ["q"]}, r"there is no column 'q', which exclude= names"),
    "no feature": ({"x": None}, {}, r"no column left for the features\. The columns are 'y'\."),
    "target as feature": ({}, {"features": ["y"]}, "column 'y' cannot be both a feature and the target"),
    "weight as feature": ({}, {"features": ["x"], "weight": "x"}, "'x' cannot be both a feature and the weight"),
    "excluded feature": ({}, {"features": ["x"], "exclude": "x"}, "column 'x' cannot be both a feature and excluded"),
    "feature twice": ({}, {"features": ["x", "x"]}, "features lists column 'x' twice"),
    "one column for two": ({}, {"weight": "y"}, "column 'y' cannot be both target and weight"),
    "features no list": ({}, {"features": 3.5}, "features must be a list of column names, but it is 3.5"),
    "null": ({"x": [1.0, None]}, {}, r"^the Table, row 1: .* no value\. Use missing=\"mean\" or missing=\"zero\"\.$"),
    "NaN": ({"x": [1.0, np.nan]}, {}, r"row 1: column 'x' has no value"),
    "infinity": ({"x": [1.0, -np.inf]}, {"missing": "zero"}, r"row 1: numbers in column 'x' must be finite, .* -inf"),
    "no string": ({"x": ["a", None]}, {}, r"row 1: column 'x' has no value"),
    "no text": ({"x": ["a", None]}, {"text": "x"}, r"row 1: column 'x' has no value"),
    "no label": ({"y": ["a", None]}, {}, r"row 1: every row of column 'y' must have a label"),
    "no number as label": ({"y": [1, None]}, {}, r"row 1: every row of column 'y' must have a label"),
    "NaN as label": ({"y": [1.0, np.nan]}, {}, r"row 1: every row of column 'y' must have a label"),
    "fraction as label": ({"y": [1.0, 0.5]}, {}, r"row 1: column 'y' holds '0\.5', so it looks like a regression"),
    "infinity as label": ({"y": [1.0, np.inf]}, {}, r"row 1: labels in column 'y' must be whole numbers.*'inf'"),
    "large label": (
        {"y": pa.array([1, 2**63], pa.uint64())},
        {},
        r"below 2\*\*63.* but there is '9223372036854775808'",
    ),
    "list as label": ({"y": [[1], [2]]}, {}, "'y' of labels must hold numbers, strings or booleans, .* list<"),
    "negative weight": ({"w": [1, -1]}, {"weight": "w"}, r"row 1: weights in column 'w' must be finite .* there is -1"),
    "infinite weight": ({"w": [1, np.inf]}, {"weight": "w"}, r"row 1: numbers in column 'w' must be finite, .* inf"),
    "NaN as weight": ({"w": [1, np.nan]}, {"weight": "w"}, r"row 1: weights in column 'w'.* but there is no value"),
    "no weight": ({"w": [1, None]}, {"weight": "w"}, r"row 1: weights in column 'w'.* but there is no value"),
    "string as weight": ({"w": ["a", "b"]}, {"weight": "w"}, "'w' of weights must hold numbers, but it holds string"),
    "list": ({"x": [[1], [2]]}, {}, r"'x' of features .*it holds list<.* leave it out with exclude='x'"),
    "duration": ({"x": [datetime.timedelta(1)] * 2}, {}, r"'x' of features .*it holds duration"),
    "struct": ({"x": [{"a": 1}] * 2}, {}, r"'x' of features .*it holds struct<a"),
    "blob": ({"x": [b"a", b"b"]}, {}, r"'x' of features .*it holds binary"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_in_one_sentence(case):
    changes, options, message = REFUSED[case]
    columns = {"x": [1.0, 2.0], "y": [0, 1]} | changes
    table = pa.table({name: values for name, values in columns.items() if values is not None})
    with pytest.raises(nk.InvalidInputError, match=message) as refusal:
        list(nk.scan(table, **{"target": "y"} | options))
    assert "\n" not in str(refusal.value)


def test_one_column_name_for_two_columns_is_refused():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([0])], ["a", "a", "y"])
    with pytest.raises(nk.InvalidInputError, match=r"two columns are called 'a'"):
        nk.scan(table, target="y")


@pytest.mark.parametrize("rest", ["", ",s"])
def test_a_table_without_labels_is_read_if_that_is_said(rest):
    table = f"a,label{rest}\n1,5{rest}\n2,6{rest}\n".encode()
    labelled, bare = nk.read(table, format="csv"), nk.read(table, format="csv", features=["a"], target=False)
    assert bare.y is None
    assert bare.X.tolist() == [[1.0], [2.0]]
    assert labelled.y.tolist() == [5, 6]
    assert nk.read(table, format="csv", target=False).X.shape[1] == labelled.X.shape[1] + 1


def test_counts_are_read_as_numbers_and_are_not_features():
    schema = {"x": "number", "won": "number", "lost": "number", "name": "string"}
    columns = Columns("f", "t", schema, target=False, counts=("won", "lost"), exclude="name")
    assert (columns.features, columns.counts, columns.target) == (["x"], ["won", "lost"], None)
    assert columns.kinds == {"x": "number", "won": "number", "lost": "number"}
    with pytest.raises(nk.InvalidInputError, match="column 'name' of counts must hold numbers, but it holds strings"):
        Columns("f", "t", schema, target=False, counts=("won", "name"))


WIDE = [f"c{j}" for j in range(100_000)]
WIDE_OPTIONS = {
    "all": {},
    "features": {"features": WIDE[:-1], "text": WIDE[:50_000]},
    "exclude": {"exclude": WIDE[:-1]},
    "known": {"known": dict.fromkeys([*(f"d{j}" for j in range(50_000)), *WIDE[:50_000]], "number")},
}


@pytest.mark.parametrize("case", WIDE_OPTIONS)
def test_the_time_is_proportional_to_the_number_of_columns(case):
    schema = dict.fromkeys([*WIDE, "label"], "number")
    begin = time.process_time()
    columns = Columns("scan", "t", schema, **WIDE_OPTIONS[case])
    columns.check_names("u", list(schema))
    assert time.process_time() - begin < 10  # with a search per column it would be minutes
    assert len(columns.features) == {"exclude": 1, "features": 99_999}.get(case, 100_000)


def test_a_name_that_is_listed_twice_is_found_among_many():
    begin = time.process_time()
    with pytest.raises(nk.InvalidInputError, match=r"features lists column 'c7' twice\.$"):
        Columns("scan", "t", dict.fromkeys([*WIDE, "label"], "number"), features=[*WIDE, "c7"])
    with pytest.raises(nk.InvalidInputError, match=r"two columns are called 'c7'"):
        nk.scan(pa.record_batch([pa.array([1])] * 20_001, names=[*WIDE[:20_000], "c7"]))
    assert time.process_time() - begin < 10


def test_long_names_are_shortened_in_error_messages():
    table = pa.table({"x" * 10_000: [1.0, None], "y" * 10_000: ["a", None], "label": [1, 2]})
    for options in ({}, {"target": "y" * 10_000}, {"weight": "y" * 10_000}, {"features": ["x" * 10_000] * 2}):
        with pytest.raises(nk.InvalidInputError) as refusal:
            nk.read(table, **{"target": "label", **options})
        assert len(str(refusal.value)) < 500


WIDE_PASSES = """
import sys, time
import numpy as np
import novikoff as nk
names = [f"c{j}" for j in range(20_000)]
def write(path, header, cell):
    rows = ([cell(i, j) for j in range(len(header))] + ["ab"[i % 2]] for i in range(6))
    with open(path, "w") as file:
        file.write("\\n".join(",".join(row) for row in [[*header, "label"], *rows]) + "\\n")
write("n.csv", names, lambda i, j: str((7 * i + j) % 5 + 0.5))
write("s.csv", names, lambda i, j: f"w{(i + j) % 3}")
begin = time.process_time()
model = nk.fit("n.csv")
model.predict("n.csv")
for _ in nk.scan("s.csv", hashing=nk.Hashing(n_bits=8)): pass
for _ in nk.scan("s.csv"): pass
nk.read("n.csv", features=names), nk.read("n.csv", exclude=names[1:])
nk.write(nk.scan("n.csv"), "n.ndjson"), nk.read("n.ndjson")
nk.write(nk.scan("n.csv"), "n.parquet"), nk.read("n.parquet")
nk.TableEncoder().fit_transform(np.random.default_rng(0).normal(size=(5, 20_000)))
print(time.process_time() - begin)
"""


@pytest.mark.slow
def test_a_table_of_20_000_columns_takes_seconds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WIDE_PASSES], capture_output=True, text=True, check=True
    )
    assert float(said.stdout) < 150  # about 25 s; a search per column in any of these would take minutes
