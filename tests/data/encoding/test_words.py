"""Words of texts: as scikit-learn counts them, with columns in order of first appearance."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.data.encoding.words import (
    WordSettings,
    count_with_words,
    inverse_document_frequency,
    looks_like_text,
)

VALUES = ["the free money", "the", "free FREE money now"]
CODES = np.array([2, 0, -1, 1, 0], dtype=np.int32)


def test_words_are_in_order_of_first_appearance():
    counts, words = WordSettings().learned(VALUES)
    assert words == ["the", "free", "money", "now"]
    np.testing.assert_array_equal(counts.toarray(), [[1, 1, 1, 0], [1, 0, 0, 0], [0, 2, 1, 1]])


def test_rows_are_those_of_their_codes_and_missing_texts_have_none():
    words = ["money", "free", "gold"]
    found = WordSettings().counted(words, (), CODES, VALUES).toarray()
    np.testing.assert_array_equal(found, [[1, 2, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0], [1, 1, 0]])
    assert WordSettings().counted(words, (), CODES[:0], VALUES).shape == (0, 3)


def test_factors_and_lengths_are_applied_in_this_order():
    words, idf = ["money", "free"], (3.0, 0.5)
    found = WordSettings().counted(words, idf, CODES[:2], VALUES).toarray()
    np.testing.assert_array_equal(found, [[3, 1], [3, 0.5]])
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit = WordSettings(norm="l2").counted(words, idf, CODES, VALUES).toarray()
    np.testing.assert_allclose(unit[:2], found / lengths)
    assert not unit[2:4].any()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"binary": True}, [1, 1]),
        ({"sublinear_tf": True}, [1 + np.log(2), 1]),
        ({"lowercase": False}, [1, 1]),
        ({"ngram_range": (1, 2)}, [2, 1]),
    ],
)
def test_settings_are_those_of_hashing(settings, expected):
    found = WordSettings(**settings).counted(["free", "money"], (), np.array([2], np.int32), VALUES)
    np.testing.assert_allclose(found.toarray(), [expected])


def test_sequences_of_words_are_columns():
    _, words = WordSettings(ngram_range=(1, 2)).learned(["one two three"])
    assert sorted(words) == ["one", "one two", "three", "two", "two three"]


@pytest.mark.parametrize(
    "settings", [{"ngram_range": (2, 1)}, {"ngram_range": (1,)}, {"ngram_range": (0, 1)}, {"norm": "l1"}]
)
def test_settings_that_cannot_be_used_are_refused(settings):
    with pytest.raises(nk.InvalidInputError, match=r"^TableEncoder: (ngram_range|norm) must be"):
        WordSettings(**settings)


def test_document_frequencies_count_rows_and_not_distinct_texts():
    counts, _ = WordSettings().learned(VALUES)
    found = inverse_document_frequency(counts, np.array([5, 1, 2]))
    np.testing.assert_allclose(found, np.log(9 / np.array([7, 8, 8, 3])) + 1)


def test_texts_with_a_word_are_counted():
    assert count_with_words(np.array([0, 0, 1, 3], np.int32), ["two words", "a", "x", "éé"]) == 3
    assert count_with_words(np.array([], np.int32), []) == 0


@pytest.mark.parametrize(
    ("values", "rows", "expected"),
    [
        ([f"the text of row {i}" for i in range(20)], 20, True),
        ([f"the text of row {i}" for i in range(19)], 19, False),
        ([f"the text of row {i}" for i in range(20)], 41, False),
        ([f"id {i}" for i in range(20)], 20, False),
        ([], 0, False),
    ],
)
def test_texts_are_many_different_values_of_several_words(values, rows, expected):
    assert looks_like_text(values, rows) is expected
