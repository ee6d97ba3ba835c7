"""Texts and named features as sparse rows, without a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin

import novikoff._core as _core
from novikoff._validation import check_flag, check_integer, thread_count
from novikoff.errors import InvalidInputError, invalid

from .rows import FLOATS, is_keyed

MOST_BITS = 31
TEXT = (str, bytes)


class Hashing(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Texts, dicts or lists of keys as sparse rows: the column of a key is its hash, and nothing is learned first.

    A row has 2**n_bits columns, and the key k stands in column h(k) mod 2**n_bits, where h is the hash that
    ``learn_one`` of every learner uses: a word of a text, the same word as a key of a dict, and that dict given to
    ``learn_one`` with ``max_features=2**n_bits`` all mean one column. Two keys that meet in one column add up. The
    columns depend on no seed, no machine and no version of Python.

    Each sample is one of

    - a text: a string, or bytes of UTF-8. Its words are the longest runs of letters, digits and underscores, of at
      least two characters, as in scikit-learn's vectorizers; a key is one word, or several joined by single spaces,
      and its value is how often it occurs.
    - a dict, or another mapping, of keys to numbers. A string ``v`` in place of the number makes the key ``"key=v"``
      of value 1. Keys are strings or integers; True and False are 1 and 0.
    - another iterable of keys, which are strings and count 1 each, or of pairs ``(key, value)`` as in a dict.

    Lower case is taken character by character. It is that of ``str.lower`` but for two letters: a capital sigma at the
    end of a word becomes σ, not ς, and İ becomes i without a second dot.

    Parameters
    ----------
    n_bits : there are 2**n_bits columns; 1 to 31
    lowercase : read capital letters of texts as small ones
    ngram_range : the fewest and the most words of a text that make up one key, as (fewest, most)
    binary : in texts, 1 for every column that occurs, however often
    sublinear_tf : in texts, 1 + log(count) in place of the count
    norm : None, or "l2" to divide each row by its Euclidean length, whatever it was made of
    dtype : of the values, float64 or float32
    n_jobs : how many threads read texts; None is 1, -1 is one for each core. It never changes the result

    Examples
    --------
    >>> from novikoff import Hashing, Perceptron
    >>> hashing = Hashing(n_bits=18)
    >>> X = hashing.transform(["Free money!", "A meeting at ten", {"free": 2, "from": "bank"}, ["free", ("sum", 0.5)]])
    >>> X.shape, X.nnz
    ((4, 262144), 9)
    >>> X[:, hashing.columns(["free"])].toarray().ravel()
    array([1., 0., 2., 1.])
    >>> Perceptron().fit(X[:2], ["spam", "ham"]).predict(hashing.transform(["free, free!"]))
    array(['spam'], dtype='<U4')

    References
    ----------
    Weinberger, Dasgupta, Langford, Smola and Attenberg (2009), Feature hashing for large scale multitask learning.
    """

    def __init__(
        self,
        *,
        n_bits: int = 20,
        lowercase: bool = True,
        ngram_range: tuple[int, int] = (1, 1),
        binary: bool = False,
        sublinear_tf: bool = False,
        norm: str | None = None,
        dtype: DTypeLike = np.float64,
        n_jobs: int | None = None,
    ) -> None:
        self.n_bits = n_bits
        self.lowercase = lowercase
        self.ngram_range = ngram_range
        self.binary = binary
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters. There is nothing to learn, so neither X nor y is looked at."""
        self._options("Hashing.fit")
        return self

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Do what ``fit`` does."""
        return self.fit(X, y)

    def transform(self, X: Iterable[Any]) -> sp.csr_array:
        """Return one sparse row for each text, dict or iterable of keys.

        The columns of a row are in order and stored once each, as int32 (as int64 with ``n_bits=31``, where scipy
        wants it so).
        """
        where = "Hashing.transform"
        options, single, threads = self._options(where)
        samples = _samples(where, X)
        is_text = np.fromiter((isinstance(x, TEXT) for x in samples), np.bool_, len(samples))
        texts, others = np.flatnonzero(is_text), np.flatnonzero(~is_text)
        features = [_features(samples[i]) for i in others]
        try:
            of_texts = _core.hash_texts([samples[i] for i in texts], texts, options, single, threads)
            of_features = _core.hash_features(features, others, options.bits, options.unit_length, single)
        except ValueError as error:
            raise InvalidInputError(f"[{where}] {error}") from None
        if len(others) == 0:
            return _matrix(of_texts, 2**options.bits)
        if len(texts) == 0:
            return _matrix(of_features, 2**options.bits)
        both = sp.vstack([_matrix(rows, 2**options.bits) for rows in (of_texts, of_features)], format="csr")
        return both[np.argsort(np.concatenate([texts, others]))]

    def columns(self, keys: Iterable[str | int]) -> NDArray[np.int64]:
        """Return the columns of some keys: words as they stand in a row, so in lower case, or names of features."""
        where = "Hashing.columns"
        options, _, _ = self._options(where)
        if isinstance(keys, TEXT) or not isinstance(keys, Iterable):
            raise invalid(where, "A list of keys.", repr(keys))
        try:
            hashes = _core.hash_keys(list(keys))
        except ValueError as error:
            raise InvalidInputError(f"[{where}] {error}") from None
        return (hashes & np.uint64(2**options.bits - 1)).astype(np.int64)

    def _options(self, where: str) -> tuple[_core.TextOptions, bool, int]:
        """The parameters as the kernels want them: what becomes of texts, whether in float32, on how many threads."""
        bits = check_integer(where, "n_bits", self.n_bits, at_least=1)
        if bits > MOST_BITS:
            raise invalid(where, f"An integer n_bits of at most {MOST_BITS}.", repr(self.n_bits))
        if self.norm is not None and not (isinstance(self.norm, str) and self.norm == "l2"):
            raise invalid(where, "norm = None or 'l2'.", repr(self.norm))
        shortest, longest = _ngram_range(where, self.ngram_range)
        options = _core.TextOptions(
            bits=bits,
            lowercase=check_flag(where, "lowercase", self.lowercase),
            shortest=shortest,
            longest=longest,
            binary=check_flag(where, "binary", self.binary),
            sublinear=check_flag(where, "sublinear_tf", self.sublinear_tf),
            unit_length=self.norm is not None,
        )
        return options, _is_single(where, self.dtype), thread_count(where, self.n_jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.dict = True
        tags.requires_fit = False
        return tags


def _samples(where: str, X: Any) -> list[Any]:
    """X as a list, unless it is one sample or a table."""
    if isinstance(X, TEXT):
        raise invalid(where, "A list of texts, for one text [text].", f"one {type(X).__name__}")
    if isinstance(X, Mapping) and not hasattr(X, "shape"):
        raise invalid(where, "A list of samples, for one dict [dict].", "one dict")
    if len(getattr(X, "shape", (0,))) != 1:
        need = "A list of texts, dicts or iterables of keys. For tables there is novikoff.scan."
        raise invalid(where, need, f"{type(X).__name__} of shape {tuple(X.shape)}")
    if not isinstance(X, Iterable):
        raise invalid(where, "A list of texts, dicts or iterables of keys.", repr(X))
    return list(X)


def _features(sample: Any) -> Any:
    """Keys, or pairs of key and value.

    What is neither dict, list nor tuple may run code of its own, and raise its own errors: that is done here, so that
    the core raises none but ours.
    """
    features = sample.items() if is_keyed(sample) else sample
    if type(sample) in (dict, list, tuple):
        return features
    try:
        each = iter(features)
    except TypeError:
        return sample  # which the core refuses
    return list(each)


def _ngram_range(where: str, value: Any) -> tuple[int, int]:
    if isinstance(value, tuple | list) and len(value) == 2:
        shortest, longest = (check_integer(where, "in ngram_range", n, at_least=1) for n in value)
        if shortest <= longest:
            return shortest, longest
    raise invalid(where, "ngram_range = (fewest, most) words of a key, fewest at most as many as most.", repr(value))


def _is_single(where: str, value: Any) -> bool:
    try:
        if value is not None and np.dtype(value) in FLOATS:  # NumPy reads None as float64
            return bool(np.dtype(value) == np.float32)
    except TypeError:
        pass  # nor is it the name of a dtype
    raise invalid(where, "dtype = float64 or float32.", repr(value))


def _matrix(rows: tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int64]], columns: int) -> sp.csr_array:
    values, indices, offsets = rows
    indptr = offsets.astype(np.int32) if offsets[-1] <= np.iinfo(np.int32).max else offsets
    matrix = sp.csr_array((values, indices, indptr), shape=(len(indptr) - 1, columns))
    matrix.has_canonical_format = True  # so that scipy need not find out
    return matrix
