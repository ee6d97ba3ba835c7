"""Hashing: the columns of learn_one, the words of scikit-learn, the same bits on any number of threads."""

import importlib.util
import pickle
import re
import sys
import threading
import unicodedata
import warnings
from collections import Counter, OrderedDict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
import novikoff._core as _core
from reference import hashing as reference

SAME_UNICODE = unicodedata.unidata_version == _core.unicode_version
NAN, INF = float("nan"), float("inf")
SENTENCE = re.compile(r"Hashing: .+\.", re.DOTALL)

# Letters of one to four bytes and of both cases, some whose lower case is longer or shorter, and what stands between
# words; of the rest of Unicode only what this Python classes as the tables do.
PIECES = [
    "a",
    "B",
    "7",
    "_",
    " ",
    "-",
    "\0",
    "é",
    "É",
    "ß",
    "Σ",
    "\u03c3",
    "İ",
    "Ⱥ",
    "\u212a",
    "日本",
    "\u0301",
    "😀",
    "𐐀",
    "xy" * 40,
]
anything = st.characters(exclude_categories=["Cs"], max_codepoint=0x10FFFF if SAME_UNICODE else 0x2FF)
texts = st.lists(st.sampled_from(PIECES) | anything, max_size=90).map("".join) | st.text(anything, max_size=90)
plain_texts = texts.map(lambda text: text.replace("İ", "").replace("Σ", ""))
keys = st.sampled_from(["a", "b", "free", "key=v", "", "日本", 0, 1, -7, 2**40])
values = st.integers(-8, 8).map(lambda n: n / 4)
dicts = st.dictionaries(keys, values, max_size=8)


def row_of(X, i=0):
    """Column to value."""
    return {int(j): float(X[i, j]) for j in X[[i]].indices}


def entries(X):
    """All that a matrix holds."""
    return X.indptr.tolist(), X.indices.tolist(), X.data.tolist()


def assert_well_formed(X, rows, bits, dtype=np.float64):
    assert isinstance(X, sp.csr_array)
    assert X.shape == (rows, 2**bits)
    assert X.data.dtype == dtype
    assert X.indices.dtype == X.indptr.dtype == np.int32
    for i in range(rows):
        columns = X.indices[X.indptr[i] : X.indptr[i + 1]]
        assert np.all(np.diff(columns) > 0)
        assert len(columns) == 0 or (columns[0] >= 0 and columns[-1] < 2**bits)


# ---- scikit-learn ---------------------------------------------------------------------------------------------------

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SkipTestWarning)  # it has no texts to try, and says so
    scikit_learn_checks = parametrize_with_checks([nk.Hashing(), nk.Hashing(n_bits=6, ngram_range=(1, 2), norm="l2")])


@scikit_learn_checks
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def test_the_tags_say_what_it_takes():
    tags = nk.Hashing().__sklearn_tags__()
    assert not tags.requires_fit
    assert tags.input_tags.string
    assert tags.input_tags.dict
    assert not tags.input_tags.two_d_array
    assert not tags.target_tags.required


def test_it_learns_in_a_pipeline():
    mails = ["free money now", "money, free!", "meeting at ten", "lunch at noon"]
    model = make_pipeline(nk.Hashing(n_bits=12, norm="l2"), nk.Perceptron()).fit(mails, [1, 1, 0, 0])
    assert model.predict([*mails, "free lunch money", "lunch at ten"]).tolist() == [1, 1, 0, 0, 1, 0]


def test_it_is_ready_before_fit_and_fit_changes_nothing():
    hashing = nk.Hashing(n_bits=8)
    before = hashing.transform(["ab cd"])
    assert hashing.fit() is hashing
    assert hashing.fit(["whatever"], [1]) is hashing.partial_fit(["ab"]) is hashing
    assert vars(hashing) == vars(nk.Hashing(n_bits=8))
    for after in (
        hashing.transform(["ab cd"]),
        hashing.fit_transform(["ab cd"]),
        hashing.fit_transform(iter(["ab cd"])),
    ):
        assert entries(after) == entries(before)


def test_clones_and_pickles_have_its_parameters():
    hashing = nk.Hashing(n_bits=9, lowercase=False, ngram_range=(1, 3), sublinear_tf=True, dtype=np.float32, n_jobs=2)
    for copy in (clone(hashing), pickle.loads(pickle.dumps(hashing))):
        assert copy.get_params() == hashing.get_params()
        assert entries(copy.transform(["Ab cd ab"])) == entries(hashing.transform(["Ab cd ab"]))


# ---- words ----------------------------------------------------------------------------------------------------------


@given(
    samples=st.lists(texts, max_size=4),
    lowercase=st.booleans(),
    bits=st.sampled_from([1, 7, 8, 9, 20, 30]),
    data=st.data(),
)
def test_a_text_has_the_counts_of_the_reference(samples, lowercase, bits, data):
    shortest = data.draw(st.integers(1, 3))
    longest = data.draw(st.integers(shortest, 4))
    hashing = nk.Hashing(n_bits=bits, lowercase=lowercase, ngram_range=(shortest, longest))
    X = hashing.transform(samples)
    assert_well_formed(X, len(samples), bits)
    for i, text in enumerate(samples):
        options = {"lowercase": lowercase, "shortest": shortest, "longest": longest}
        assert row_of(X, i) == reference.counts(text, bits, **options)
    encoded = hashing.transform([text.encode() for text in samples])
    assert (encoded != X).nnz == 0


@given(samples=st.lists(plain_texts, min_size=1, max_size=4), lowercase=st.booleans(), longest=st.integers(1, 3))
def test_words_and_their_counts_are_those_of_count_vectorizer(samples, lowercase, longest):
    vectorizer = CountVectorizer(lowercase=lowercase, ngram_range=(1, longest))
    counts = vectorizer.fit_transform([*samples, "at least two words"]).toarray()[:-1]
    names = vectorizer.get_feature_names_out().tolist()
    hashing = nk.Hashing(n_bits=30, lowercase=lowercase, ngram_range=(1, longest))
    X, columns = hashing.transform(samples), hashing.columns(names).tolist()
    for i, row in enumerate(counts.tolist()):
        assert row_of(X, i) == {column: count for column, count in zip(columns, row, strict=True) if count}


def test_lengths_around_a_block_are_cut_where_they_should_be():
    """The kernel looks at 64 bytes at once; words, gaps and long characters lie on both sides of its ends."""
    samples = []
    for size in (0, 1, 2, 62, 63, 64, 65, 126, 127, 128, 129, 200):
        for tail in ("", "a", " a", "ab", "a b", " ", "é", "éa", "日", " 日本", "😀", "𐐀𐐀"):
            samples += [
                "x" * size + tail,
                " " * size + tail,
                "Éa"[: size % 3] + "w" * size + tail + " end",
                "y " * size + tail,
            ]
    for lowercase in (True, False):
        X = nk.Hashing(lowercase=lowercase, ngram_range=(1, 2)).transform(samples)
        for i, text in enumerate(samples):
            assert row_of(X, i) == reference.counts(text, lowercase=lowercase, longest=2), text


@pytest.mark.skipif(
    not SAME_UNICODE, reason="the tables have another Unicode than this Python (python cpp/tools/make_unicode.py)"
)
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("step", [97, pytest.param(1, marks=pytest.mark.slow)])
def test_every_character_is_a_letter_or_not_as_in_python(lowercase, step):
    """Between two letters it makes one word of them, or leaves two that are too short."""
    common, rare = range(0x3000), range(0x3000, 0x110000, step)
    codes = [code for code in (*common, *rare) if not 0xD800 <= code < 0xE000]
    hashing = nk.Hashing(n_bits=30, lowercase=lowercase)
    X = hashing.transform([f"x{chr(code)}y" for code in codes])
    letters = [code for code in codes if re.match(r"\w", chr(code))]
    assert np.array_equal(np.flatnonzero(np.diff(X.indptr)), np.searchsorted(codes, letters))
    whole = {0x130: "i"}  # the only one whose lower case is two characters
    expected = [whole.get(code, chr(code).lower()) if lowercase else chr(code) for code in letters]
    assert all(len(char) == 1 for char in expected)
    assert np.array_equal(X.indices, hashing.columns([f"x{char}y" for char in expected]))


def test_lower_case_differs_from_python_in_two_letters_only():
    hashing = nk.Hashing()
    words = hashing.columns(["οδοσ", "istanbul"])
    assert hashing.transform(["ΟΔΟΣ İSTANBUL"]).indices.tolist() == sorted(words)
    assert "ΟΔΟΣ".lower() != "οδοσ"
    assert "İSTANBUL".lower() != "istanbul"


@pytest.mark.skipif(
    not SAME_UNICODE, reason="the tables have another Unicode than this Python (python cpp/tools/make_unicode.py)"
)
def test_the_tables_are_what_their_script_writes():
    root = Path(__file__).parents[2]
    spec = importlib.util.spec_from_file_location("make_unicode", root / "cpp" / "tools" / "make_unicode.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert (root / "cpp" / "include" / "novikoff" / "unicode.hpp").read_text(encoding="utf-8") == script.header()


# ---- values ---------------------------------------------------------------------------------------------------------


@given(samples=st.lists(texts, min_size=1, max_size=3), dtype=st.sampled_from([np.float64, np.float32, "float32"]))
def test_values_are_functions_of_the_counts(samples, dtype):
    def values_of(**options):
        return nk.Hashing(n_bits=6, dtype=dtype, **options).transform(samples)

    counts = values_of()
    assert_well_formed(counts, len(samples), 6, np.dtype(dtype))
    tolerance = 4 * np.finfo(np.dtype(dtype)).eps
    binary, sublinear = values_of(binary=True), values_of(sublinear_tf=True)
    for X in (binary, sublinear, values_of(norm="l2")):
        assert np.array_equal(X.indices, counts.indices)
    assert np.all(binary.data == 1)
    assert values_of(binary=True, sublinear_tf=True).data.tolist() == binary.data.tolist()
    np.testing.assert_allclose(sublinear.data, 1 + np.log(counts.data.astype(np.float64)), rtol=tolerance)
    for options in ({}, {"sublinear_tf": True}):
        plain, unit = values_of(**options).toarray(), values_of(norm="l2", **options).toarray()
        lengths = np.linalg.norm(plain.astype(np.float64), axis=1, keepdims=True)
        np.testing.assert_allclose(unit * np.where(lengths > 0, lengths, 1), plain, rtol=8 * tolerance)


def test_values_agree_with_those_of_hashing_vectorizer():
    samples = ["the cat and the dog", "a dog; the END of a dog.", "", "zebra " * 70 + "cat"]
    for options in ({}, {"binary": True}, {"norm": "l2"}, {"ngram_range": (2, 3)}, {"lowercase": False}):
        peer = HashingVectorizer(alternate_sign=False, **{"norm": None, **options}).transform(samples)
        ours = nk.Hashing(**options).transform(samples)
        for i in range(len(samples)):
            np.testing.assert_allclose(np.sort(ours[[i]].data), np.sort(peer[[i]].data), rtol=1e-15)


def test_rows_have_unit_length_where_squares_would_overflow_or_be_lost():
    samples = [
        {"a": 1e300, "b": 1e300},
        {"a": 1.7e308, "b": -1.7e308},
        {"a": 5e-324},
        {"a": 3e-200, "b": 4e-200},
        {"a": 0},
        {},
    ]
    X = nk.Hashing(norm="l2").transform(samples)
    np.testing.assert_allclose(sp.linalg.norm(X, axis=1), [1, 1, 1, 1, 0, 0], rtol=1e-15)
    X = nk.Hashing(norm="l2", dtype=np.float32).transform([{"a": 3e38, "b": 3e38}, {"a": 1e-45}])
    np.testing.assert_allclose(sp.linalg.norm(X.astype(np.float64), axis=1), [1, 1], rtol=1e-6)


def test_options_of_texts_leave_other_samples_alone():
    options = {"lowercase": True, "ngram_range": (2, 2), "binary": True, "sublinear_tf": True}
    sample = [("Free", 3.0), "Free", "a b"]
    hashing = nk.Hashing(**options)
    free, spaced = hashing.columns(["Free", "a b"])
    assert row_of(hashing.transform([sample])) == {free: 4.0, spaced: 1.0}


# ---- keys -----------------------------------------------------------------------------------------------------------


def test_columns_are_hashes_cut_to_some_bits():
    names = ["free", "", "日本", "key=v", 5, -1]
    for bits in (1, 5, 20, 31):
        columns = nk.Hashing(n_bits=bits).columns(names)
        assert columns.dtype == np.int64
        assert columns.tolist() == [_core.hash_key(name) % 2**bits for name in names]
    assert nk.Hashing().columns([]).shape == (0,)
    assert nk.Hashing().columns(name for name in ["a"]).shape == (1,)


def test_columns_are_those_of_every_release():
    assert nk.Hashing().columns(["free", "日本", 7]).tolist() == [437081, 463516, 991082]


def test_hashes_in_bulk_are_those_one_by_one():
    names = ["a", "free", "é" * 30, 3, True, np.int32(9)]
    hashes = _core.hash_keys(names)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == [_core.hash_key(name) for name in names]


def test_a_word_a_key_of_a_dict_a_key_and_a_pair_are_one_column():
    hashing = nk.Hashing()
    X = hashing.transform(
        ["free free", {"free": 2}, ["free", "free"], [("free", 1.0), ["free", 1]], (k for k in ["free"] * 2)]
    )
    assert X.indices.tolist() == hashing.columns(["free"]).tolist() * 5
    assert X.data.tolist() == [2.0] * 5


@given(samples=st.lists(dicts, max_size=5), bits=st.sampled_from([1, 2, 20]))
def test_dicts_of_every_kind_are_sums_by_column(samples, bits):
    X = nk.Hashing(n_bits=bits).transform(samples)
    assert_well_formed(X, len(samples), bits)
    for i, sample in enumerate(samples):
        expected = Counter()
        for key, value in sample.items():
            expected[_core.hash_key(key) % 2**bits] += value
        assert row_of(X, i) == {column: value for column, value in expected.items() if value}
    for form in (
        OrderedDict,
        MappingProxyType,
        lambda d: list(d.items()),
        lambda d: iter([list(p) for p in d.items()]),
    ):
        assert (nk.Hashing(n_bits=bits).transform([form(sample) for sample in samples]) != X).nnz == 0


def test_a_string_value_is_a_part_of_the_key():
    hashing = nk.Hashing()
    X = hashing.transform(
        [{"city": "Köln", 3: "x"}, [("city", "Köln"), (3, "x")], ["city=Köln", "3=x"], {"city": "Bonn"}]
    )
    assert entries(X[[0]]) == entries(X[[1]]) == entries(X[[2]])
    assert (
        X.indices.tolist()
        == sorted(hashing.columns(["city=Köln", "3=x"])) * 3 + hashing.columns(["city=Bonn"]).tolist()
    )


def test_numbers_of_every_kind_are_numbers():
    odd = {
        "a": Fraction(3, 2),
        "b": True,
        "c": np.float32(2),
        "d": Decimal("0.5"),
        "e": np.int8(3),
        "f": False,
        "g": 2**60,
    }
    hashing = nk.Hashing()
    row = row_of(hashing.transform([odd]))
    assert [row.get(int(column), 0.0) for column in hashing.columns(odd)] == [1.5, 1.0, 2.0, 0.5, 3.0, 0.0, 2.0**60]
    assert hashing.transform([{True: 1.0, np.int64(9): 1.0}]).indices.tolist() == sorted(hashing.columns([1, 9]))


def test_samples_of_every_kind_keep_their_order():
    samples = ["ab cd", {"ab": 2}, b"ab", [("cd", 3)], "", [], {}, "cd"]
    hashing = nk.Hashing(norm="l2", dtype=np.float32)
    X = hashing.transform(samples)
    assert_well_formed(X, len(samples), 20, np.float32)
    for i, sample in enumerate(samples):
        assert row_of(X, i) == row_of(hashing.transform([sample]))


@pytest.mark.parametrize(
    "form", [list, tuple, iter, np.array, pd.Series, pl.Series, lambda t: np.array(t, dtype=object)]
)
def test_lists_of_every_kind_hold_samples(form):
    samples = ["ab cd", "cd é日", "ef"]
    assert (nk.Hashing().transform(form(samples)) != nk.Hashing().transform(samples)).nnz == 0


def test_no_samples_make_no_rows():
    assert nk.Hashing(n_bits=3).transform([]).shape == (0, 8)


def test_the_largest_number_of_columns_needs_wider_indices():
    hashing = nk.Hashing(n_bits=31)
    X = hashing.transform(["ab cd", {"ef": 1}])
    assert X.shape == (2, 2**31)
    assert X.indices.dtype == np.int64
    assert sorted(X.indices) == sorted(hashing.columns(["ab", "cd", "ef"]))


# ---- with a learner -------------------------------------------------------------------------------------------------


@given(samples=st.lists(dicts, min_size=4, max_size=12), bits=st.sampled_from([2, 6]), data=st.data())
def test_learning_from_rows_and_from_dicts_is_the_same_bit_for_bit(samples, bits, data):
    labels = data.draw(st.lists(st.sampled_from([0, 1]), min_size=len(samples), max_size=len(samples)))
    one_by_one, at_once = nk.Perceptron(max_features=2**bits), nk.Perceptron()
    one_by_one.learn_one({}, 0), one_by_one.learn_one({}, 1)
    for sample, label in zip(samples, labels, strict=True):
        one_by_one.learn_one(sample, label)
    at_once.partial_fit(nk.Hashing(n_bits=bits).transform([{}, {}, *samples]), [0, 1, *labels])
    assert at_once.coef_.tobytes() == one_by_one.coef_.tobytes()
    assert at_once.intercept_.tobytes() == one_by_one.intercept_.tobytes()
    assert at_once.certificate_.mistakes == one_by_one.certificate_.mistakes


@given(samples=st.lists(texts, min_size=2, max_size=8))
def test_learning_from_texts_is_learning_from_dicts_of_their_words(samples):
    labels = [i % 2 for i in range(len(samples))]
    one_by_one, at_once = nk.Perceptron(max_features=64), nk.Perceptron()
    for text, label in zip(samples, labels, strict=True):
        one_by_one.learn_one(Counter(reference.words(text)), label)
    at_once.partial_fit(nk.Hashing(n_bits=6).transform(samples), labels)
    assert at_once.coef_.tobytes() == one_by_one.coef_.tobytes()


# ---- threads --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 63, 64, 65, 127, 128, 1000, 3001])
def test_rows_do_not_depend_on_the_number_of_threads(count):
    random = np.random.default_rng(count)
    vocabulary = ["ab", "Cd", "naïve", "x", "日本語", "😀", "a_long_word_of_many_letters"]
    samples = [" ".join(random.choice(vocabulary, size=int(n))) for n in random.geometric(0.05, size=count)]
    options = {"n_bits": 10, "ngram_range": (1, 2), "sublinear_tf": True, "norm": "l2"}
    alone = nk.Hashing(**options).transform(samples)
    for n_jobs in (2, 3, 64, -1):
        X = nk.Hashing(n_jobs=n_jobs, **options).transform(samples)
        assert X.data.tobytes() == alone.data.tobytes()
        assert X.indices.tobytes() == alone.indices.tobytes()
        assert X.indptr.tobytes() == alone.indptr.tobytes()


def test_the_first_bad_text_is_named_whatever_the_number_of_threads():
    samples = [b"fine"] * 1000
    samples[700] = samples[903] = b"not \xff"
    for n_jobs in (1, 2, 5):
        with pytest.raises(nk.InvalidInputError, match=r"in sample 700, .* at position 4"):
            nk.Hashing(n_jobs=n_jobs).transform(samples)


def test_other_threads_run_while_texts_are_read():
    samples = ["free money for all of us " * 2000] * 400
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.0005):
            ticks.append(1)

    ticker, interval = threading.Thread(target=tick), sys.getswitchinterval()
    sys.setswitchinterval(1000)  # no thread is made to let the others run
    try:
        ticker.start()
        before = len(ticks)
        nk.Hashing().transform(samples)
        during = len(ticks) - before
    finally:
        sys.setswitchinterval(interval)
        done.set()
        ticker.join()
    assert during > 0


# ---- bad input ------------------------------------------------------------------------------------------------------

# what is wrong: the samples, and words that the message must have
SAMPLES = {
    "a bare text": ("free money", "[text]"),
    "bare bytes": (b"free money", "[text]"),
    "a bare dict": ({"free": 1}, "[dict]"),
    "nothing": (None, "None"),
    "a number": (5, "5"),
    "a matrix": (np.ones((2, 2)), "novikoff.scan"),
    "a matrix of texts": (np.array([["a", "b"]]), "novikoff.scan"),
    "a sparse matrix": (sp.csr_array(np.ones((2, 2))), "novikoff.scan"),
    "a table of pandas": (pd.DataFrame({"a": ["x"]}), "novikoff.scan"),
    "a table of polars": (pl.DataFrame({"a": ["x"]}), "novikoff.scan"),
    "an array of no dimension": (np.array("text"), "novikoff.scan"),
    "a missing sample": (
        ["ab", None],
        "sample 1 must be a text, a dict, or an iterable of keys or (key, value) pairs, but it is None",
    ),
    "a sample of NaN": (["ab", {"a": 1}, NAN], "sample 2 must be a text"),
    "an array of no dimension as a sample": ([np.array("ab")], "sample 0 must be a text"),
    "a missing value of pandas": (pd.Series(["ab", None], dtype=object), "sample 1"),
    "numbers": (np.array([1.0, 2.0]), "sample 0 must be a text"),
    "rows of numbers": ([[1.0, 2.0]], "in sample 0, features must be strings or (key, value) pairs, but there is 1.0"),
    "a row of integers": (
        [["a"], [1, 2]],
        "in sample 1, features must be strings or (key, value) pairs, but there is 1.",
    ),
    "a key of bytes": ([[b"a"]], "in sample 0, features must be strings or (key, value) pairs, but there is b'a'"),
    "a triple": ([[("a", 1, 2)]], "but there is ('a', 1, 2)"),
    "a key that is not a key": (["ab", {1.5: 1}], "in sample 1, "),
    "a tuple for a key": ([{("a", "b"): 1}], "('a', 'b')"),
    "a huge key": ([{2**70: 1}], f"{2**70}"),
    "no value": ([{"a": 1}, {"a": None}], "in sample 1, feature 'a' must be a number, but it is None."),
    "a value of NaN": ([{"a": NAN}], "in sample 0, feature 'a' must be a finite number, but it is nan."),
    "an infinite value": ([[("a", -INF)]], "in sample 0, feature 'a' must be a finite number, but it is -inf."),
    "a value too large for a float": ([{"a": 10**400}], "in sample 0"),
    "bytes for a value": ([{"a": b"1.5"}], "feature 'a' must be a number, but it is b'1.5'"),
    "a complex value": ([{"a": 1j}], "but it is 1j"),
    "a list for a value": ([{"a": [1]}], "but it is [1]"),
    "a missing value": ([{"a": pd.NA}], "but it is <NA>"),
    "a sum that is too large": (
        [{}, [("a", 1.5e308), ("a", 1.5e308)]],
        "in sample 1, the sum of values in a column is too large",
    ),
    "a lone surrogate": (["ab", "cd \ud800"], "in sample 1, the text has a lone surrogate at position 3"),
    "a lone surrogate in a key": ([{"\ud800": 1}], "in sample 0"),
    "a lone surrogate in a value": ([{"a": "\ud800"}], "in sample 0"),
    "a byte of Latin-1": (["ab", b"caf\xe9"], "in sample 1, the text is not UTF-8: byte 0xe9 at position 3"),
    "a bad sample after others": (
        [{"a": 1}, "ab", ["a"], b"\x80"],
        "in sample 3, the text is not UTF-8: byte 0x80 at position 0",
    ),
}


@pytest.mark.parametrize("case", SAMPLES)
def test_bad_samples_are_refused_in_one_sentence(case):
    samples, words = SAMPLES[case]
    with pytest.raises(nk.InvalidInputError) as error:
        nk.Hashing().transform(samples)
    assert SENTENCE.fullmatch(str(error.value))
    assert words in str(error.value)


def test_a_value_too_large_for_float32_is_refused():
    assert nk.Hashing(dtype=np.float32).transform([{"a": 3e38}]).data == np.float32(3e38)
    with pytest.raises(nk.InvalidInputError, match=r"in sample 0, .* too large"):
        nk.Hashing(dtype=np.float32).transform([{"a": 1e39}])


# what no encoder writes: bytes out of place, cut off, longer than needed, surrogates, beyond the end
NOT_UTF8 = [
    *(b"\x80", b"\xbf", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xe2(\xa1", b"\xe2\x82(", b"\xf0\x9f\x98", b"\xf0(\x8c\xbc"),
    *(b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf"),
    *(
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xfe",
        b"\xff",
    ),
]


@pytest.mark.parametrize("bad", NOT_UTF8)
@pytest.mark.parametrize("before", [b"", b"ok ", b"x" * 63, b"x" * 64, "é".encode() * 40])
def test_what_is_not_utf8_is_refused_at_its_place(bad, before):
    for text in (before + bad, before + bad + b" and on"):
        with pytest.raises(UnicodeDecodeError) as expected:
            text.decode()
        with pytest.raises(nk.InvalidInputError, match=f"at position {expected.value.start}\\.$"):
            nk.Hashing().transform([text])


@given(text=st.binary(max_size=100))
def test_bytes_are_read_where_python_reads_them(text):
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        with pytest.raises(nk.InvalidInputError, match=f"at position {error.start}\\.$"):
            nk.Hashing().transform([text])
    else:
        assert (nk.Hashing().transform([text]) != nk.Hashing().transform([decoded])).nnz == 0


def test_errors_do_not_quote_whole_samples():
    with pytest.raises(nk.InvalidInputError) as error:
        nk.Hashing().transform([[("a", list(range(10_000)))]])
    assert len(str(error.value)) < 250


@pytest.mark.parametrize("kind", [RuntimeError, ValueError, TypeError])
def test_what_an_iterable_raises_is_raised(kind):
    def broken():
        yield "a"
        raise kind("the file is gone")

    for samples in ([broken()], broken()):
        with pytest.raises(kind, match=r"^the file is gone$"):
            nk.Hashing().transform(samples)


PARAMETERS = {
    "n_bits": [0, 32, -1, 2.0, "20", True, None],
    "lowercase": [1, None, "yes"],
    "ngram_range": [(0, 1), (2, 1), 1, (1,), (1, 2, 3), "12", (1.0, 2), None, (1, 10**21)],
    "binary": [0, "no"],
    "sublinear_tf": [None, 2],
    "norm": ["l1", 2, True, np.ones(2)],
    "dtype": [None, np.int64, "float16", np.complex128, "nonsense", ">f8"],
    "n_jobs": [0, 1.5, "two"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in PARAMETERS.items() for value in values])
def test_bad_parameters_are_refused_when_used(name, value):
    hashing = nk.Hashing(**{name: value})
    for method in (hashing.fit, hashing.transform, hashing.columns):
        with pytest.raises(nk.InvalidInputError, match=f"Hashing.*{name}"):
            method(["ab"])


@pytest.mark.parametrize("bad", ["free", b"free", None, 5, [1.5], [b"a"], [("a", 1)], ["\ud800"], [2**70]])
def test_bad_keys_have_no_columns(bad):
    with pytest.raises(nk.InvalidInputError, match=r"^Hashing: .+\.$"):
        nk.Hashing().columns(bad)
