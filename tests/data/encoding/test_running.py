"""Streams of tables: rows are encoded as one at a time would be, however they are cut into blocks."""

import dataclasses
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.encoding.running import RunningEncoder, RunningEncoding
from novikoff.data.encoding.words import WordSettings
from novikoff.data.tables.block import Block
from novikoff.persistence.codec import Tensors
from novikoff.persistence.codec import decode as from_tree
from novikoff.persistence.codec import encode as to_tree
from reference.running import encode

KINDS = {"job": "string", "age": "number", "note": "string", "pay": "number", "town": "string"}
WORD_SETTINGS = dataclasses.asdict(WordSettings())
WORDS = ["free", "money", "now", "meeting", "ten"]
numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False), st.none())
records = st.lists(
    st.fixed_dictionaries(
        {
            "job": st.sampled_from(["clerk", "cook", "missing", None]),
            "age": numbers,
            "note": st.one_of(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), st.none()),
            "pay": numbers,
            "town": st.sampled_from(["a", "b", "c", None]),
        }
    ).map(lambda row: {name: row[name] for name in KINDS}),
    min_size=1,
    max_size=12,
)


def as_block(rows, kinds=KINDS, places=None):
    """Rows as a block, whose strings are numbered in ``places`` over all blocks of a pass."""
    places = {} if places is None else places
    of_numbers = tuple(name for name, kind in kinds.items() if kind != "string")
    strings = tuple(name for name, kind in kinds.items() if kind == "string")
    values = [[np.nan if row[name] is None else row[name] for name in of_numbers] for row in rows]
    codes = []
    for row in rows:
        known = [places.setdefault(name, {}) for name in strings]
        pairs = zip(known, (row[name] for name in strings), strict=True)
        codes.append([-1 if value is None else code.setdefault(value, len(code)) for code, value in pairs])
    return Block(
        of_numbers,
        np.array(values, dtype=np.float64).reshape(len(rows), len(of_numbers)),
        strings,
        np.array(codes, dtype=np.int32).reshape(len(rows), len(strings)),
        tuple(list(places.get(name, {})) for name in strings),
        lambda row: f"t.csv, line {row + 2}",
    )


def blocks(rows, cuts, kinds=KINDS):
    """The blocks between cuts."""
    ends, places = [0, *sorted(cuts), len(rows)], {}
    for start, end in itertools.pairwise(ends):
        yield as_block(rows[start:end], kinds, places)


def as_dicts(X, names):
    """Rows as dicts without zeros."""
    dense = X.toarray() if sp.issparse(X) else X
    return [{names[j]: row[j] for j in np.flatnonzero(row)} for row in dense]


def without_zeros(rows):
    """Dicts without zeros."""
    return [{name: value for name, value in row.items() if value != 0} for row in rows]


@pytest.mark.parametrize("scale", ["none", "standard"])
@pytest.mark.parametrize("missing", ["mean", "zero"])
@given(rows=records, cuts=st.lists(st.integers(0, 12), max_size=4))
def test_every_way_of_cutting_a_stream_gives_the_bits_of_one_row_at_a_time(scale, missing, rows, cuts):
    expected, names = encode(rows, ["age", "pay"], ["note"], scale, missing)
    encoder = begun(scale, missing)
    parts = blocks(rows, [min(cut, len(rows)) for cut in cuts])
    found = [row for block in parts for row in as_dicts(encoder.learn(block), encoder.names)]
    assert found == without_zeros(expected)
    assert list(encoder.names) == names
    assert all(np.isfinite(value) for row in found for value in row.values())
    whole = begun(scale, missing)
    whole.learn(as_block(rows))
    assert encoder.state == whole.state


def begun(scale="standard", missing="mean", kinds=KINDS, text=("note",)):
    """An encoder that has seen no row."""
    return RunningEncoder(RunningEncoding.begin(kinds, text, scale=scale, missing=missing))


@given(rows=records, cut=st.integers(0, 12))
def test_a_stored_state_continues_bit_for_bit(rows, cut):
    first, second = rows[:cut], rows[cut:]
    whole, before = begun(), begun()
    expected = as_dicts(whole.learn(as_block(rows)), whole.names)[cut:]
    before.learn(as_block(first))
    tensors = Tensors()
    tree = to_tree(RunningEncoding, before.state, "running", tensors)
    after = RunningEncoder(from_tree(RunningEncoding, tree, "running", tensors))
    assert as_dicts(after.learn(as_block(second)), after.names) == expected  # codes of a new pass start again
    assert after.state == whole.state
    assert after.state.again() == begun().state


@given(rows=records)
def test_rows_that_are_only_encoded_change_nothing(rows):
    encoder = begun()
    encoder.learn(as_block(rows))
    before = encoder.state
    last = RunningEncoder(before).rows(as_block(rows))
    assert np.isfinite(last.data).all()
    again = RunningEncoder(before)
    again.rows(as_block(rows))
    assert again.state == before
    assert not again.unknown


def test_numbers_far_from_0_are_standardised_with_all_rows_up_to_them():
    X = np.random.default_rng(0).normal([5.0, 1e9, -3e-9], [1.0, 2.0, 1e-9], size=(50, 3))
    kinds = dict.fromkeys("abc", "number")
    found = begun(missing="error", kinds=kinds, text=()).learn(Block(tuple("abc"), X, (), np.zeros((50, 0)), (), str))
    expected = [(row - X[: i + 1].mean(0)) / X[: i + 1].std(0) for i, row in enumerate(X) if i > 0]
    np.testing.assert_allclose(found[1:], expected, rtol=1e-5, atol=1e-5)
    assert not found[0].any()


def test_what_was_never_learned_is_dropped_and_counted():
    encoder = begun()
    encoder.learn(as_block([{"job": "cook", "age": 1.0, "note": "free money", "pay": 2.0, "town": "a"}]))
    frozen = RunningEncoder(encoder.state)
    new = {"job": "pilot", "age": None, "note": "free meeting now", "pay": 2.0, "town": None}
    X = frozen.rows(as_block([new]))
    assert as_dicts(X, frozen.names) == [{"note:free": 1.0}]
    assert (frozen.unknown, frozen.missing) == ({"note": 2, "job": 1}, {"age": 1, "town": 1})
    lacking = Block(("age",), np.array([[1.0]]), (), np.zeros((1, 0), np.int32), (), str)
    assert RunningEncoder(encoder.state).rows(lacking).shape == X.shape


def test_numbers_alone_are_dense_unless_missing_values_may_add_columns():
    kinds = {"a": "number"}
    rows = [{"a": 1.5}, {"a": 2.5}]
    X = begun("none", "error", kinds, ()).learn(as_block(rows, kinds))
    assert X.tolist() == [[1.5], [2.5]]
    assert begun("standard", "error", kinds, ()).learn(as_block(rows, kinds)).tolist() == [[0.0], [1.0]]
    assert sp.issparse(begun("none", "mean", kinds, ()).learn(as_block(rows, kinds)))


def test_constants_are_encoded_as_0_and_missing_values_as_the_mean():
    kinds, rows = {"a": "number"}, [{"a": 1.5}, {"a": 2.5}]
    standard, plain = begun("standard", "error", kinds, ()), begun("none", "mean", kinds, ())
    standard.learn(as_block(rows[:1], kinds)), plain.learn(as_block(rows, kinds))
    assert standard.rows(as_block(rows, kinds)).tolist() == [[0.0], [0.0]]
    assert plain.rows(as_block([{"a": None}], kinds)).toarray().tolist() == [[2.0]]


def test_a_missing_value_is_refused_and_nothing_is_learned():
    encoder = begun("standard", "error")
    good = {"job": "cook", "age": 1.0, "note": "free", "pay": 2.0, "town": "a"}
    for name in KINDS:
        message = rf"^t.csv, line 3: column '{name}' has no value. Use missing=\"mean\""
        with pytest.raises(nk.InvalidInputError, match=message):
            encoder.learn(as_block([good, good | {name: None}]))
    assert encoder.state == begun("standard", "error").state


def test_features_of_one_name_share_a_column():
    kinds = {"a=b": "number", "a": "string", "n:cat": "number", "n": "string"}
    encoder = begun("none", "zero", kinds, ["n"])
    X = encoder.learn(as_block([{"a=b": 2.0, "a": "b", "n:cat": 3.0, "n": "cat cat dog"}], kinds))
    assert encoder.names == ("a=b", "n:cat", "n:dog")
    assert X.toarray().tolist() == [[3.0, 5.0, 1.0]]


@pytest.mark.parametrize(
    "change",
    [
        {"kinds": ("number",)},
        {"names": ("pay", "age")},
        {"names": ("age", "pay", "pay")},
        {"counts": (1,)},
        {"squares": (-1.0, 0.0)},
        {"scale": "twice"},
        {"missing": "indicator"},
        {"words": {**WORD_SETTINGS, "ngram_range": [2, 1]}},
        {"text": ("age",)},
    ],
)
def test_a_damaged_state_is_refused(change):
    tree = to_tree(RunningEncoding, begun().state, "", Tensors()) | change
    with pytest.raises(nk.InvalidInputError):
        RunningEncoder(from_tree(RunningEncoding, tree, "running", Tensors()))
