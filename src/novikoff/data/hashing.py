"""Feature hashing: texts and named features as sparse rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

import novikoff._core as _core
from novikoff._estimators import BaseEstimator, TransformerMixin
from novikoff._validation import check_flag, check_integer, thread_count
from novikoff.errors import input_error, quote

from .rows import FLOATS, is_keyed

MAX_BITS = 31
MAX_WORDS = 1_000  # of an n-gram
TEXT_TYPES = (str, bytes)
WHERE = "Hashing"  # what error messages begin with


class Hashing(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Texts, dicts or lists of keys as sparse rows, by feature hashing without a vocabulary.

    A row has ``2**n_bits`` columns, and the key k is in column h(k) mod 2**n_bits. The hash h is the one that
    ``learn_one`` of every learner uses: a word of a text, the same word as a key of a dict, and that dict given to
    ``learn_one`` with ``max_features=2**n_bits`` all mean the same column. Values of keys that share a column are
    added. The columns do not depend on a seed, the machine or the version of Python.

    Each sample is one of

    - a text: a string, or bytes of UTF-8. Its words are the longest runs of letters, digits and underscores, of at
      least two characters, as in scikit-learn's vectorizers. A key is one word, or several joined by single spaces, and
      its value is the number of times it occurs.
    - a dict, or another mapping, of keys to numbers. A string ``v`` in place of the number makes the key ``"key=v"``
      with value 1. Keys are strings or integers; True and False are 1 and 0.
    - another iterable of keys, which are strings with value 1 each, or of pairs ``(key, value)`` as in a dict.

    Parameters
    ----------
    n_bits : int, default=20
        There are ``2**n_bits`` columns; from 1 to 31.
    lowercase : bool, default=True
        Convert texts to lower case.
    ngram_range : tuple of (int, int), default=(1, 1)
        The fewest and the most words of a text that make up one key.
    binary : bool, default=False
        In texts, use 1 for every column that occurs.
    sublinear_tf : bool, default=False
        In texts, use 1 + log(count) instead of the count.
    norm : {"l2"}, default=None
        "l2" divides each row by its Euclidean length.
    dtype : dtype, default=float64
        Type of the values, float64 or float32.
    n_jobs : int, default=None
        Number of threads that read texts; None is 1, and -1 uses all cores. It does not change the result.

    See Also
    --------
    scan : Reads tables whose columns are hashed in the same way.

    Notes
    -----
    Lower case is taken character by character. It differs from ``str.lower`` in two letters: a capital sigma at the end
    of a word becomes σ instead of ς, and İ becomes i without a second dot.

    References
    ----------
    Weinberger, Dasgupta, Langford, Smola and Attenberg (2009), Feature hashing for large scale multitask learning.

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
        """Check the parameters. Nothing is learned from the data.

        Parameters
        ----------
        X : object, default=None
            Ignored.
        y : object, default=None
            Ignored.

        Returns
        -------
        Hashing
            The transformer itself.
        """
        self._options()
        return self

    partial_fit = fit  # for pipelines that learn in batches

    def transform(self, X: Iterable[Any]) -> sp.csr_array:
        """Return one sparse row for each sample.

        Parameters
        ----------
        X : iterable of str, bytes, dict or iterable
            The samples.

        Returns
        -------
        csr_array of shape (n_samples, 2**n_bits)
            Rows with sorted columns, as int32 (as int64 with ``n_bits=31``, which scipy needs).

        Raises
        ------
        InvalidInputError
            If a text is not UTF-8, or a feature is not a finite number.
        """
        options, single, threads = self._options()
        samples = _samples(X)
        is_text = np.fromiter((isinstance(x, TEXT_TYPES) for x in samples), np.bool_, len(samples))
        texts, others = np.flatnonzero(is_text), np.flatnonzero(~is_text)
        features = [_features(samples[i]) for i in others]
        try:
            of_texts = _core.hash_texts([samples[i] for i in texts], texts, options, single, threads)
            of_features = _core.hash_features(features, others, options.bits, options.unit_length, single)
        except ValueError as error:
            raise input_error(WHERE, str(error)) from None
        if len(others) == 0:
            return _matrix(of_texts, 2**options.bits)
        if len(texts) == 0:
            return _matrix(of_features, 2**options.bits)
        both = sp.vstack([_matrix(rows, 2**options.bits) for rows in (of_texts, of_features)], format="csr")
        return both[np.argsort(np.concatenate([texts, others]))]

    def columns(self, keys: Iterable[str | int]) -> NDArray[np.int64]:
        """Return the columns of some keys.

        Parameters
        ----------
        keys : iterable of str or int
            Names of features, or words (in lower case if texts are converted to it).

        Returns
        -------
        ndarray of shape (n_keys,)
            One column per key.
        """
        options, _, _ = self._options()
        if isinstance(keys, TEXT_TYPES) or not isinstance(keys, Iterable):
            raise input_error(WHERE, f"keys must be a list of keys, but it is {quote(keys)}.")
        try:
            hashes = _core.hash_keys(list(keys))
        except ValueError as error:
            raise input_error(WHERE, str(error)) from None
        return (hashes & np.uint64(2**options.bits - 1)).astype(np.int64)

    def _options(self) -> tuple[_core.TextOptions, bool, int]:
        """Return the checked parameters for the kernels: options of texts, whether float32, number of threads."""
        where = WHERE
        bits = check_integer(where, "n_bits", self.n_bits, at_least=1)
        if bits > MAX_BITS:
            raise input_error(where, f"n_bits must be at most {MAX_BITS}, but it is {quote(self.n_bits)}.")
        if self.norm is not None and not (isinstance(self.norm, str) and self.norm == "l2"):
            raise input_error(where, f'norm must be None or "l2", but it is {quote(self.norm)}.')
        shortest, longest = _ngram_range(self.ngram_range)
        options = _core.TextOptions(
            bits=bits,
            lowercase=check_flag(where, "lowercase", self.lowercase),
            shortest=shortest,
            longest=longest,
            binary=check_flag(where, "binary", self.binary),
            sublinear=check_flag(where, "sublinear_tf", self.sublinear_tf),
            unit_length=self.norm is not None,
        )
        return options, _is_single(self.dtype), thread_count(where, self.n_jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.dict = True
        tags.requires_fit = False
        return tags


def _samples(X: Any) -> list[Any]:
    """Return X as a list; refuse a single sample and a table."""
    if isinstance(X, TEXT_TYPES):
        raise input_error(
            WHERE, f"X must be a list of texts, but it is one {type(X).__name__}. Use [text] for one text."
        )
    if isinstance(X, Mapping) and not hasattr(X, "shape"):
        raise input_error(WHERE, "X must be a list of samples, but it is one dict. Use [dict] for one sample.")
    expected = "X must be a list of texts, dicts or iterables of keys"
    if len(getattr(X, "shape", (0,))) != 1:
        found = f"a {type(X).__name__} of shape {tuple(X.shape)}"
        raise input_error(WHERE, f"{expected}, but it is {found}. Use novikoff.scan for tables.")
    if not isinstance(X, Iterable):
        raise input_error(WHERE, f"{expected}, but it is {quote(X)}.")
    return list(X)


def _features(sample: Any) -> Any:
    """Return keys, or pairs of key and value.

    Types other than dict, list and tuple may run Python code that raises errors. It is run here, so that all errors of
    the compiled core are about the features.
    """
    features = sample.items() if is_keyed(sample) else sample
    if type(sample) in (dict, list, tuple):
        return features
    try:
        each = iter(features)
    except TypeError:
        return sample  # refused by the compiled core
    return list(each)


def _ngram_range(value: Any) -> tuple[int, int]:
    if isinstance(value, tuple | list) and len(value) == 2:
        shortest, longest = (check_integer(WHERE, "in ngram_range", n, at_least=1) for n in value)
        if shortest <= longest <= MAX_WORDS:
            return shortest, longest
    expected = f"a pair (fewest, most) of word counts, with fewest <= most <= {MAX_WORDS}"
    raise input_error(WHERE, f"ngram_range must be {expected}, but it is {quote(value)}.")


def _is_single(value: Any) -> bool:
    try:
        if value is not None and np.dtype(value) in FLOATS:  # NumPy reads None as float64
            return bool(np.dtype(value) == np.float32)
    except TypeError:
        pass  # not a dtype
    raise input_error(WHERE, f"dtype must be float64 or float32, but it is {quote(value)}.")


def _matrix(rows: tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int64]], columns: int) -> sp.csr_array:
    values, indices, offsets = rows
    indptr = offsets.astype(np.int32) if offsets[-1] <= np.iinfo(np.int32).max else offsets
    matrix = sp.csr_array((values, indices, indptr), shape=(len(indptr) - 1, columns))
    matrix.has_canonical_format = True  # saves scipy a check
    return matrix
