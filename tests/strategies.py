"""Data that hypothesis makes: separable with a known margin, in bad orders, full of ties, with weights."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st

ORDERS = (
    "as drawn",
    "one class first",
    "classes alternate",
    "hardest first",
    "easiest first",
    "hardest repeated",
)
LAYOUTS = ("C", "F", "reversed view", "csr", "csr64", "csr_array")
few = settings(max_examples=max(10, settings.default.max_examples // 3))  # for properties that fit several models
small_integers = st.integers(-3, 3)
seeds = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Separable:
    """Examples x with signs y, a separator (w, b) and its margin on u = (x, 1) or u = x."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    b: float
    margin: float
    intercept: bool

    @property
    def U(self):
        return lift(self.X, self.intercept)

    @property
    def radius(self):
        return float(np.linalg.norm(self.U, axis=1).max())

    def in_order(self, rows):
        return Separable(self.X[rows], self.y[rows], self.w, self.b, self.margin, self.intercept)


def lift(X, intercept):
    """The vectors u."""
    X = np.asarray(X, dtype=np.float64)
    return np.hstack([X, np.ones((len(X), 1))]) if intercept else X


def margin_of(U, y, v):
    """min y v.u / |v|."""
    return float((y * (U @ v)).min() / np.linalg.norm(v))


def make_separable(rng, rows, columns, gap, *, intercept, spread=1.0, unit=False):
    """Points on both sides of a hyperplane, none within ``gap`` of it, both classes present."""
    w = rng.normal(size=columns)
    w /= np.linalg.norm(w)
    b = float(rng.normal()) if intercept else 0.0
    X = spread * rng.normal(size=(rows, columns))
    y = np.where(X @ w + b >= 0, 1.0, -1.0)
    y[0], y[-1] = 1.0, -1.0
    sides = X @ w + b
    X += np.outer(np.where(y * sides < gap, y * (gap + abs(sides)) - sides * (y * sides > 0), 0.0), w)
    if unit:
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    v = np.append(w, b) if intercept else w
    margin = margin_of(lift(X, intercept), y, v) * (1 - 1e-12)
    return Separable(X, y, w, b, margin, intercept)


@st.composite
def separable(draw, *, intercept=None, max_rows=40, unit=False, orders=ORDERS, smallest_gap=0.02):
    """Separable data whose separator's margin is known, in an order that may be a bad one."""
    rng = np.random.default_rng(draw(seeds))
    rows, columns = draw(st.integers(2, max_rows)), draw(st.integers(1, 6))
    gap = draw(st.sampled_from([smallest_gap, 0.1, 0.5, 2.0]))
    with_intercept = draw(st.booleans()) if intercept is None else intercept
    data = make_separable(rng, rows, columns, gap, intercept=with_intercept, unit=unit)
    return data.in_order(order_of(data, draw(st.sampled_from(orders))))


def order_of(data, kind):
    """Row numbers in one of the orders."""
    rows = np.arange(len(data.y))
    margins = data.y * (data.X @ data.w + data.b)
    if kind == "one class first":
        return np.argsort(-data.y, kind="stable")
    if kind == "classes alternate":
        positive, negative = rows[data.y > 0], rows[data.y < 0]
        return np.array([row for k in rows for side in (positive, negative) for row in side[k : k + 1]])
    if kind == "hardest first":
        return np.argsort(margins, kind="stable")
    if kind == "easiest first":
        return np.argsort(-margins, kind="stable")
    if kind == "hardest repeated":
        hardest = rows[np.argsort(margins, kind="stable")[:4]]
        return np.concatenate([np.concatenate([hardest, [row]]) for row in rows])
    return rows


@st.composite
def best_margin_known(draw, max_rows=30):
    """Data without intercept whose largest margin is known: no unit w gives the example gamma w* more than gamma."""
    data = draw(separable(intercept=False, max_rows=max_rows))
    gamma = data.margin
    X = np.vstack([data.X, gamma * data.w])
    return Separable(X, np.append(data.y, 1.0), data.w, 0.0, gamma, intercept=False)


@st.composite
def ties(draw, max_rows=20, max_columns=3):
    """Small integers, on which sums are exact and scores of exactly 0 are common; any labels."""
    columns = draw(st.integers(1, max_columns))
    row = st.lists(small_integers, min_size=columns, max_size=columns)
    X = np.array(draw(st.lists(row, min_size=2, max_size=max_rows)), dtype=np.float64)
    y = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=len(X), max_size=len(X))))
    y[0], y[-1] = (1.0, -1.0) if draw(st.booleans()) else (-1.0, 1.0)
    return X, y


@st.composite
def streams(draw, classes=2, max_rows=30):
    """Any real rows and any labels, all classes among them; zeros and repeated rows are common."""
    rng = np.random.default_rng(draw(seeds))
    rows, columns = draw(st.integers(classes, max_rows)), draw(st.integers(1, 12))
    X = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < draw(st.sampled_from([0.3, 1.0])))
    X[rng.random(rows) < 0.1] = X[0]
    y = rng.integers(classes, size=rows)
    y[rng.choice(rows, classes, replace=False)] = np.arange(classes)
    return X, y


decimals = st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True)
"""Whatever may be written for a number, from 1 to numbers that no double holds."""


def finite_floats(dtype):
    """All of them: subnormal, huge, and zeros of both signs."""
    return st.floats(width=8 * np.dtype(dtype).itemsize, allow_nan=False, allow_infinity=False)


@st.composite
def sparse_rows(draw, dtype=np.float64, max_rows=8):
    """A CSR array and labels: empty rows, stored zeros, extreme values, columns far apart."""
    width = draw(st.sampled_from([1, 5, 30, 2**31 - 1]))
    rows = st.dictionaries(st.integers(0, width - 1), finite_floats(dtype), max_size=6).map(
        lambda row: sorted(row.items())
    )
    table = draw(st.lists(rows, min_size=1, max_size=max_rows))
    indices = np.array([column for row in table for column, _ in row], dtype=np.int32)
    values = np.array([value for row in table for _, value in row], dtype=dtype)
    offsets = np.cumsum([0] + [len(row) for row in table], dtype=np.int32)
    y = draw(st.lists(finite_floats(np.float64), min_size=len(table), max_size=len(table)).map(np.array))
    return sp.csr_array((values, indices, offsets), shape=(len(table), width)), y


def fractional_weights(rows):
    """Weights of all kinds: 0, fractions that doubles cannot hold, whole numbers."""
    return st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0, 1.7, 2.0]), min_size=rows, max_size=rows).map(np.array)


def integer_weights(rows):
    return st.lists(st.integers(0, 4), min_size=rows, max_size=rows).map(np.array)


def cuts(rows):
    """Where a stream is cut into batches."""
    return st.lists(st.integers(1, rows - 1), max_size=4, unique=True).map(sorted) if rows > 1 else st.just([])


def laid_out(X, layout, dtype=np.float64):
    """The same numbers in another place in memory."""
    X = np.asarray(X, dtype=dtype)
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "reversed view":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    if layout.startswith("csr"):
        matrix = (sp.csr_array if layout == "csr_array" else sp.csr_matrix)(X)
        if layout == "csr64":
            matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
        return matrix
    return np.ascontiguousarray(X)


@st.composite
def soft_problems(draw, max_rows=25, max_columns=6):
    """Rows for a soft margin, signs, and weights: rows that repeat, rows of zeros, multiples of columns."""
    rng = np.random.default_rng(draw(seeds))
    rows, columns = draw(st.integers(2, max_rows)), draw(st.integers(1, max_columns))
    X = rng.normal(size=(rows, columns))
    if draw(st.booleans()):
        X = np.round(2 * X)
    if draw(st.booleans()):
        X[rng.random(rows) < 0.3] = X[0]
    if draw(st.booleans()):
        X[rng.random(rows) < 0.2] = 0
    if draw(st.booleans()) and columns > 1:
        X[:, -1] = draw(st.sampled_from([0.0, 1.0, -3.0])) * X[:, 0]
    if draw(st.booleans()):
        X[:, 0] = draw(st.sampled_from([0.0, 1.0, 100.0]))
    y = np.where(rng.random(rows) < draw(st.sampled_from([0.1, 0.5])), 1.0, -1.0)
    y[rng.choice(rows, 2, replace=False)] = [1.0, -1.0]
    kinds = [np.ones(rows), rng.integers(0, 4, size=rows).astype(float), rng.uniform(0.1, 2, size=rows)]
    weights = kinds[draw(st.integers(0, 2))]
    for sign in (1.0, -1.0):
        first = np.flatnonzero(y == sign)[0]
        weights[first] = max(weights[first], 1.0)
    return X, y, weights


@st.composite
def scaled_problems(draw):
    """Soft-margin problems whose rows or columns are as large or as small as doubles allow to be squared."""
    X, y, weights = draw(soft_problems())
    scales = st.sampled_from([1e-150, 1e-75, 1e-20, 1e-3, 1.0, 1e3, 1e20, 1e75, 1e150])
    if draw(st.booleans()):
        return X * draw(scales), y, weights
    columns = draw(st.lists(scales, min_size=X.shape[1], max_size=X.shape[1]))
    return X * np.array(columns), y, weights
