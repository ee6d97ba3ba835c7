"""Columns of texts as counts of their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._validation import thread_count
from novikoff.data.hashing import MAX_WORDS
from novikoff.errors import input_error, quote

WORD = re.compile(r"\w\w")  # as the kernel defines words
ALL_CORES = thread_count("words", -1)


@dataclass(frozen=True)
class WordSettings:
    """How texts are split into words and counted, with the names that ``Hashing`` and scikit-learn use.

    Parameters
    ----------
    lowercase : bool, default=True
        Convert texts to lower case.
    ngram_range : tuple of int, default=(1, 1)
        The fewest and the most words that make up one column.
    binary : bool, default=False
        Use 1 for every word that occurs.
    sublinear_tf : bool, default=False
        Use 1 + log(count) instead of the count.
    norm : {"l2"} or None, default=None
        "l2" divides the counts of each text by their Euclidean length.
    """

    lowercase: bool = True
    ngram_range: tuple[int, ...] = (1, 1)
    binary: bool = False
    sublinear_tf: bool = False
    norm: str | None = None

    def __post_init__(self) -> None:
        if len(self.ngram_range) != 2 or not 1 <= self.ngram_range[0] <= self.ngram_range[1] <= MAX_WORDS:
            expected = f"two ascending numbers of at most {MAX_WORDS}"
            raise input_error("TableEncoder", f"ngram_range must be {expected}, but it is {self.ngram_range}.")
        if self.norm not in (None, "l2"):
            raise input_error("TableEncoder", f'norm must be None or "l2", but it is {quote(self.norm)}.')

    def options(self) -> _core.TextOptions:
        """Return the options of the kernel, which does not apply the norm."""
        shortest, longest = self.ngram_range
        return _core.TextOptions(
            bits=1,
            lowercase=self.lowercase,
            shortest=shortest,
            longest=longest,
            binary=self.binary,
            sublinear=self.sublinear_tf,
            unit_length=False,
        )

    def learned(self, values: Sequence[str]) -> tuple[Any, list[str]]:
        """Return the counts of words in some texts, and the words in order of first appearance."""
        vocabulary = _core.Vocabulary([])
        data, indices, ends = _core.count_words(list(values), self.options(), vocabulary, True, ALL_CORES)
        words = vocabulary.words(0)
        return sp.csr_array((data, indices, ends), shape=(len(ends) - 1, len(words))), words

    def counted(
        self, words: Sequence[str], idf: Sequence[float], codes: NDArray[np.int32], values: Sequence[str]
    ) -> Any:
        """Return one row of counts for each code, and an empty row for missing values."""
        vocabulary = _core.Vocabulary(list(words))
        used = np.unique(codes[codes >= 0])  # a block may hold few of the strings of its pass
        texts = [values[code] for code in used.tolist()]
        data, indices, ends = _core.count_words([*texts, ""], self.options(), vocabulary, False, ALL_CORES)
        counts = sp.csr_array((data, indices, ends), shape=(len(texts) + 1, len(words)))
        if len(idf):
            counts.data *= np.asarray(idf)[counts.indices]
        if self.norm == "l2":
            rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
            squares = np.bincount(rows, counts.data * counts.data, minlength=counts.shape[0])  # added in their order
            counts.data /= np.sqrt(np.where(squares > 0, squares, 1.0))[rows]
        place = np.where(codes >= 0, np.searchsorted(used, codes), len(texts))
        return counts[place]


def count_with_words(codes: NDArray[np.int32], values: Sequence[str]) -> int:
    """Return how many of some texts have a word at all."""
    distinct, counts = np.unique(codes, return_counts=True)
    pairs = zip(distinct.tolist(), counts.tolist(), strict=True)
    return sum(count for code, count in pairs if WORD.search(values[code]))


def inverse_document_frequency(counts: Any, rows_of_text: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log((1 + n) / (1 + df)) + 1 of each word, as scikit-learn does.

    Parameters
    ----------
    counts : csr_array of shape (n_texts, n_words)
        Counts in distinct texts.
    rows_of_text : ndarray of shape (n_texts,)
        In how many rows each text occurs.
    """
    frequency = np.bincount(counts.indices, np.repeat(rows_of_text, np.diff(counts.indptr)), minlength=counts.shape[1])
    factors: NDArray[np.float64] = np.log((1 + rows_of_text.sum()) / (1 + frequency)) + 1
    return factors


def looks_like_text(values: Sequence[str], rows: int) -> bool:
    """Return whether a column of strings holds texts: half of at least 20 values are distinct, of 3 words or more."""
    if rows < 20 or 2 * len(values) < rows:
        return False
    some = values[:10_000]
    return sum(len(value.split()) for value in some) >= 3 * len(some)
