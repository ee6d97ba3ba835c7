"""Labels read as strings become whole numbers, booleans or strings; weights are finite and not negative."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.tables.block import Block
from novikoff.data.tables.labels import Labels, weights_of


def block(labels, values=None):
    """A block of labels, with codes by first appearance."""
    values = list(dict.fromkeys(label for label in labels if label is not None)) if values is None else values
    codes = np.array([[-1 if label is None else values.index(label)] for label in labels], dtype=np.int32)
    return Block((), np.empty((len(labels), 0)), ("y",), codes, (values,), lambda row: f"it, row {row}")


@pytest.mark.parametrize(
    ("kind", "labels", "expected"),
    [
        ("number", ["1", "-2", "3.0", "1e2"], [1, -2, 3, 100]),
        ("number", ["9223372036854775807", "-9223372036854775807"], [2**63 - 1, 1 - 2**63]),
        ("boolean", ["true", "FALSE", "true"], [True, False, True]),
        ("string", ["1", "2"], ["1", "2"]),
        ("string", ["a", "nan", "inf"], ["a", "nan", "inf"]),
        ("number", ["1", "word"], ["1", "word"]),
        ("date", ["2020-01-01"], ["2020-01-01"]),
    ],
)
def test_the_first_labels_decide_what_labels_are(kind, labels, expected):
    found = Labels("y", kind).of(block(labels))
    assert found.tolist() == expected
    assert found.dtype == np.array(expected).dtype


@pytest.mark.parametrize(
    ("kind", "first", "later", "message"),
    [
        (
            "number",
            ["1"],
            ["2", "many"],
            "it, row 1: labels in column 'y' are whole numbers in the rows before, .*'many'",
        ),
        ("number", ["1", "0.5"], [], r"it, row 1: column 'y' holds '0\.5', so it looks like a regression"),
        ("number", ["1", "inf"], [], "it, row 1: labels in column 'y' must be whole numbers .*'inf'"),
        ("number", [str(2**63)], [], r"below 2\*\*63.*'9223372036854775808'"),
        ("boolean", ["true"], ["perhaps"], "it, row 0: labels in column 'y' must be .*'perhaps'"),
        ("string", ["a", None], [], "it, row 1: every row of column 'y' must have a label"),
    ],
)
def test_labels_that_do_not_fit_are_refused_with_their_row(kind, first, later, message):
    labels = Labels("y", kind)

    def both():
        labels.of(block(first))
        labels.of(block(later, [*first, *later]))

    with pytest.raises(nk.InvalidInputError, match=message):
        both()


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1), st.integers(0, 10))
def test_whole_numbers_are_exact_in_any_blocks(numbers, cut):
    texts = [str(number) for number in numbers]
    values = list(dict.fromkeys(texts))
    labels = Labels("y", "number")
    parts = [labels.of(block(part, values)) for part in (texts[:cut], texts[cut:]) if part]
    assert np.concatenate(parts).tolist() == numbers


def test_an_earlier_pass_may_have_decided():
    assert Labels("y", "number", "string").of(block(["1", "2"])).tolist() == ["1", "2"]
    with pytest.raises(nk.InvalidInputError, match="are whole numbers in the rows before"):
        Labels("y", "string", "integer").of(block(["a"]))


@pytest.mark.parametrize(
    ("weight", "found"), [(-1.0, r"-1\.0"), (np.inf, "inf"), (np.nan, "no value"), (-np.inf, "-inf")]
)
def test_weights_are_finite_and_not_negative(weight, found):
    numbers = np.array([[2.0], [0.0], [weight]], dtype=np.float32)
    rows = Block(("w",), numbers, (), np.empty((3, 0), np.int32), (), lambda row: f"it, row {row}")
    with pytest.raises(nk.InvalidInputError, match=rf"it, row 2: weights in column 'w' must be .*there is {found}"):
        weights_of(rows, "w")
    good = weights_of(rows.slice(0, 2), "w")
    assert (good.tolist(), good.dtype) == ([2.0, 0.0], np.float64)
