"""Error messages: one or two sentences with the place, and values that are quoted."""

import pickle

import numpy as np
import pytest

import novikoff as nk
from novikoff.errors import (
    MAX_MESSAGE_LENGTH,
    MAX_QUOTE_LENGTH,
    NoRowsError,
    file_error,
    input_error,
    missing_package,
    no_rows_error,
    quote,
    quote_first,
)


def test_a_message_names_the_place_first():
    error = input_error("MarginPerceptron", "margin must be positive, but it is -1.")
    assert isinstance(error, nk.InvalidInputError)
    assert isinstance(error, ValueError)
    assert str(error) == "MarginPerceptron: margin must be positive, but it is -1."


def test_quoted_values_are_escaped_and_short():
    assert quote("a  b\n\x1b") == r"'a  b\n\x1b'"
    assert quote(np.eye(2)) == "array([[1., 0.], [0., 1.]])"
    assert len(quote("x" * 1000)) == MAX_QUOTE_LENGTH
    assert quote("x" * 1000).endswith("...")


def test_a_list_that_is_cut_ends_with_points():
    assert quote_first(list("abcde")) == "'a', 'b', 'c', 'd', 'e'"
    assert quote_first(list("abcdef")) == "'a', 'b', 'c', 'd', 'e', ..."


def test_a_value_that_cannot_be_shown_is_named_by_its_type():
    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert quote(Broken()) == "a Broken"


@pytest.mark.parametrize(
    ("reason", "kind"),
    [(FileNotFoundError(2, "No such file"), nk.MissingFileError), (PermissionError(13, "Denied"), nk.FileError)],
)
def test_a_file_error_says_why(reason, kind):
    error = file_error("data.csv", reason)
    assert type(error) is kind
    assert isinstance(error, OSError)
    assert str(error).startswith("data.csv: the file cannot be read: ")
    assert str(error).endswith(".")


def test_a_missing_package_says_how_to_install_it():
    message = str(missing_package("plot", "matplotlib.pyplot", "plot"))
    assert "the package matplotlib is not installed" in message
    assert "pip install 'novikoff[plot]'" in message


def test_data_that_are_not_separable_name_the_rows_that_show_it():
    with pytest.raises(nk.NotSeparableError) as caught:
        nk.HardMarginSVM().fit([[0.0], [0.0], [1.0]], [0, 1, 1])
    assert set(caught.value.rows.tolist()) == {0, 1}
    assert nk.NotSeparableError("no").rows is None


def test_control_characters_of_names_are_visible_in_messages():
    for error in (
        input_error("t\x1b[2J.csv", "there is no column 'a\u202e\n'."),
        file_error("t\x1b[2J.csv", OSError("a\u202e\n")),
    ):
        assert str(error).isprintable()
        assert r"t\x1b[2J.csv: " in str(error)
        assert r"a\u202e\n" in str(error)


def test_a_message_with_long_names_is_cut_in_its_middle():
    for error in (
        input_error("t.csv", f"there is no {'x' * 20_000}. Use another."),
        file_error("y" * 5_000, OSError()),
    ):
        assert len(str(error)) == MAX_MESSAGE_LENGTH
        assert " ... " in str(error)
    assert str(input_error("t.csv", f"{'x' * 20_000}. Use another.")).endswith("Use another.")


def test_files_without_rows_have_an_error_of_their_own():
    error = no_rows_error("a\n.csv", "the file is empty.")
    assert isinstance(error, NoRowsError)
    assert isinstance(error, nk.InvalidInputError)
    assert str(error) == r"a\n.csv: the file is empty."
    for text in (b"", b"a,b,y\n"):
        with pytest.raises(NoRowsError):
            nk.read(text, format="csv")


@pytest.mark.parametrize("kind", [FileNotFoundError, PermissionError])
def test_errors_of_files_can_be_rebuilt_without_their_arguments(kind):
    """Dask sends errors of workers in this way."""
    error = file_error("a.csv", kind(2, "no"))
    copy = type(error).__new__(type(error))
    copy.args = error.args
    assert (type(copy), str(copy)) == (type(error), str(error))
    assert repr(pickle.loads(pickle.dumps(error))) == repr(error)
