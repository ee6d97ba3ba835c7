"""Words in columns of their own: counts and columns are those of a dict, on any number of threads."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import _core

WORDS = ["the", "The", "cat", "sat", "on", "mat", "naïve", "Ünder", "x", "a_b", "1234567890123456789", "日本"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), max_size=6)


def options(**changes):
    plain = {"lowercase": True, "shortest": 1, "longest": 1, "binary": False, "sublinear": False, "unit_length": False}
    return _core.TextOptions(bits=1, **{**plain, **changes})


def reference(texts, columns, shortest, longest, grow):
    """Return a dict of counts per text, and the number of words left out. Adds to `columns` if `grow`."""
    rows, unknown = [], 0
    for text in texts:
        row, words = {}, re.findall(r"\w\w+", text.lower())
        for n in range(shortest, longest + 1):
            for i in range(len(words) - n + 1):
                word = " ".join(words[i : i + n])
                if word in columns or grow:
                    column = columns.setdefault(word, len(columns))
                    row[column] = row.get(column, 0) + 1
                else:
                    unknown += 1
        rows.append(row)
    return rows, unknown


def rows_of(arrays):
    values, columns, offsets = arrays
    for begin, end in itertools.pairwise(offsets):
        assert np.all(np.diff(columns[begin:end]) > 0)
    return [dict(zip(columns[a:b].tolist(), values[a:b].tolist(), strict=True)) for a, b in itertools.pairwise(offsets)]


@given(texts, texts, st.integers(1, 2), st.integers(0, 2))
def test_words_and_counts_are_those_of_a_dict(first, second, shortest, more):
    vocabulary, columns = _core.Vocabulary([]), {}
    chosen = options(shortest=shortest, longest=shortest + more)
    for some, grow in ((first, True), (second, False), (second, True)):
        before = vocabulary.unknown
        rows = rows_of(_core.count_words(some, chosen, vocabulary, grow, 1))
        expected, unknown = reference(some, columns, shortest, shortest + more, grow)
        assert rows == expected
        assert vocabulary.words(0) == list(columns)
        assert vocabulary.unknown - before == unknown
    assert len(_core.Vocabulary(list(columns))) == len(columns)


def test_threads_change_nothing():
    random = np.random.default_rng(0)
    texts = [" ".join(f"word{k}" for k in random.zipf(1.3, 30) % 5000) for _ in range(3000)]
    results = []
    for threads in (1, 3):
        vocabulary = _core.Vocabulary(["word1"])
        arrays = _core.count_words(texts, options(longest=2), vocabulary, True, threads)
        results.append([vocabulary.words(0), *(array.tolist() for array in arrays)])
    assert results[0] == results[1]


def test_options_change_the_values():
    def values(**changes):
        arrays = _core.count_words(["aa bb aa", b"aa"], options(**changes), _core.Vocabulary(["bb"]), True, 1)
        return rows_of(arrays)

    assert values() == [{0: 1, 1: 2}, {1: 1}]
    assert values(binary=True) == [{0: 1, 1: 1}, {1: 1}]
    assert values(sublinear=True) == [{0: 1, 1: 1 + math.log(2)}, {1: 1}]
    assert values(unit_length=True) == [{0: 1 / math.sqrt(5), 1: 2 / math.sqrt(5)}, {1: 1}]


def test_a_text_that_is_not_utf8_adds_nothing():
    vocabulary = _core.Vocabulary([])
    with pytest.raises(ValueError, match="in sample 1, the text is not UTF-8: byte 0xff at position 3"):
        _core.count_words(["new words", b"abc\xff"], options(), vocabulary, True, 1)
    assert len(vocabulary) == 0


def test_a_repeated_word_is_refused():
    with pytest.raises(ValueError, match="Vocabulary: 'aa' is there twice"):
        _core.Vocabulary(["aa", "bb", "aa"])
