"""The streams of benchmarks/stream_accuracy.py: sparse rows in their order, and labels 0 and 1.

- elec2, and the SpamAssassin mails in time order; covtype in the order of its file and shuffled, class 2 against the
  rest; the words of the text messages; all from $NOVIKOFF_DATA, or from ../shared/data from the project's root.
- Two generated tables, whose columns have the kinds and scales of bank marketing and of a census: amounts with heavy
  tails, counts, flags, and categories as one column each. Labels are drawn from a logistic model of transformed columns
  and some of their products, so that no linear model of the columns is exact. Nothing drifts.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff as nk

from .sets import DATA

MAX_ROWS = 50_000  # of covtype
WORD = re.compile(r"[a-z0-9']+")


@dataclass(frozen=True)
class Stream:
    """Rows in their order, and labels 0 and 1."""

    name: str
    X: sp.csr_array
    y: NDArray[np.int64]

    def scaled(self) -> Stream:
        """Return the stream with dense columns standardised, and sparse ones divided by their largest values."""
        if self.X.nnz < 0.5 * self.X.shape[0] * self.X.shape[1]:
            largest = np.abs(self.X).max(axis=0).toarray().ravel()
            X = sp.csr_array(self.X @ sp.diags_array(1 / np.where(largest > 0, largest, 1)))
        else:
            dense = self.X.toarray()
            deviation = dense.std(axis=0)
            X = sp.csr_array((dense - dense.mean(axis=0)) / np.where(deviation > 0, deviation, 1))
        return Stream(self.name, X, self.y)


def table_of(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rows and the last column of a table."""
    with gzip.open(DATA / name, "rt") as lines:
        first = next(lines)
        skip = not first.split(",")[0].replace(".", "").replace("-", "").isdigit()
    table = np.loadtxt(DATA / name, delimiter=",", skiprows=int(skip))
    return table[:, :-1], table[:, -1]


def _elec2() -> Stream:
    X, y = table_of("elec2.csv.gz")
    return Stream("elec2", sp.csr_array(X), (y == y.max()).astype(np.int64))


def _spam() -> Stream:
    X, y = nk.read_svmlight(DATA / "spam_stream.svm.gz")
    return Stream("spam in time order", sp.csr_array(X), (y == y.max()).astype(np.int64))


def _covtype(is_shuffled: bool) -> Stream:
    X, y = table_of("covtype.csv.gz")
    order = np.random.default_rng(0).permutation(len(y)) if is_shuffled else np.arange(len(y))
    order = order[:MAX_ROWS]
    name = "covtype, shuffled" if is_shuffled else "covtype, file order"
    return Stream(name, sp.csr_array(X[order]), (y[order] == 2).astype(np.int64))


def _sms() -> Stream:
    with gzip.open(DATA / "sms.tsv.gz", "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    place_of: dict[str, int] = {}
    rows, columns = [], []
    for row, (_, text) in enumerate(pairs):
        words = {place_of.setdefault(word, len(place_of)) for word in WORD.findall(text.lower())}
        rows += [row] * len(words)
        columns += sorted(words)
    X = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(pairs), len(place_of)))
    return Stream("sms words", X, np.array([label == "spam" for label, _ in pairs], dtype=np.int64))


def _categories(random: np.random.Generator, rows: int, count: int) -> NDArray[np.int64]:
    """Return categories of which few are frequent."""
    share = 1 / np.arange(1, count + 1)
    return random.choice(count, rows, p=share / share.sum())


def _one_hot(codes: NDArray[np.int64]) -> sp.csr_array:
    rows = len(codes)
    return sp.csr_array((np.ones(rows), codes, np.arange(rows + 1)), shape=(rows, int(codes.max()) + 1))


def _drawn(random: np.random.Generator, score: NDArray[np.float64], share: float) -> NDArray[np.int64]:
    """Return labels of a logistic model whose offset gives this share of 1."""
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        is_more = np.mean(1 / (1 + np.exp(-(score + middle)))) > share
        low, high = (low, middle) if is_more else (middle, high)
    return (random.random(len(score)) < 1 / (1 + np.exp(-(score + low)))).astype(np.int64)


def _bank_like(rows: int = 45_211) -> Stream:
    """Return calls of a bank: age, balance, day, duration, number of calls, days since, calls before; categories."""
    random = np.random.default_rng(1)
    age = np.clip(random.gamma(14, 3, rows), 18, 95)
    balance = random.lognormal(6.3, 1.4, rows) - 400 * (random.random(rows) < 0.2)
    duration = random.lognormal(5.2, 0.9, rows)
    calls, before = random.geometric(0.4, rows), random.poisson(0.6, rows)
    since = np.where(before > 0, random.integers(1, 400, rows), -1)
    numbers = np.column_stack([age, balance, random.integers(1, 32, rows), duration, calls, since, before])
    kinds = [_categories(random, rows, count) for count in (12, 3, 4, 2, 2, 2, 3, 12, 4)]
    effects = [random.normal(0, 0.6, count) for count in (12, 3, 4, 2, 2, 2, 3, 12, 4)]
    score = (
        1.4 * (np.log(duration) - 5.2) + 0.25 * (np.log(np.abs(balance) + 1) - 6) - 0.15 * calls + 0.5 * (before > 0)
    )
    score += sum(own[codes] for own, codes in zip(effects, kinds, strict=True))
    score += 0.6 * (np.log(duration) - 5.2) * (kinds[3] == 1) - 0.0006 * (age - 40) ** 2
    X = sp.hstack([sp.csr_array(numbers.astype(float)), *map(_one_hot, kinds)], format="csr")
    return Stream("bank-like", sp.csr_array(X), _drawn(random, 1.3 * score, 0.117))


def _census_like(rows: int = 48_842) -> Stream:
    """Return persons: age, a sampling weight, years of school, gains, losses, hours; eight categories."""
    random = np.random.default_rng(2)
    age = np.clip(random.gamma(8, 4.8, rows), 17, 90)
    school = np.clip(np.round(random.normal(10, 2.6, rows)), 1, 16)
    gain = np.where(random.random(rows) < 0.083, random.lognormal(8.5, 1.1, rows), 0)
    loss = np.where(random.random(rows) < 0.047, random.normal(1870, 370, rows), 0)
    hours = np.clip(np.round(random.normal(40, 12, rows)), 1, 99)
    numbers = np.column_stack([age, random.lognormal(12, 0.55, rows), school, gain, loss, hours])
    counts = (8, 16, 7, 14, 6, 5, 2, 41)
    kinds = [_categories(random, rows, count) for count in counts]
    effects = [random.normal(0, 0.7, count) for count in counts]
    score = 0.33 * (school - 10) + 0.035 * (hours - 40) + 0.06 * (age - 38) - 0.0022 * (age - 38) ** 2
    score += (
        0.0004 * np.minimum(gain, 8000) + 0.0006 * loss + sum(own[c] for own, c in zip(effects, kinds, strict=True))
    )
    score += 0.1 * (school - 10) * (kinds[2] == 0)
    X = sp.hstack([sp.csr_array(numbers.astype(float)), *map(_one_hot, kinds)], format="csr")
    return Stream("census-like", sp.csr_array(X), _drawn(random, 1.2 * score, 0.239))


MAKERS: dict[str, Callable[[], Stream]] = {
    "elec2": _elec2,
    "spam": _spam,
    "covtype": lambda: _covtype(is_shuffled=False),
    "shuffled": lambda: _covtype(is_shuffled=True),
    "sms": _sms,
    "bank": _bank_like,
    "census": _census_like,
}
