"""The data of the cases. Numbers are rounded to multiples of 2**-10, so that they are the same on every machine."""

import functools

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification


def rounded(values):
    return np.round(values * 1024) / 1024


@functools.cache
def sets():
    """Data sets as (X, y, sample weights or None): dense, float32, sparse, several classes, separable, weighted."""
    random = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True)
    weights = random.integers(0, 3, size=len(y)).astype(float)
    weights[0] = 0.5
    flowers, kind = load_iris(return_X_y=True)
    digits, digit = load_digits(return_X_y=True)
    sparse = sp.random_array((500, 300), density=0.03, rng=random, format="csr")
    sparse.data = rounded(sparse.data) + 2**-10
    scores = np.asarray(sparse @ rounded(random.normal(size=(300, 3))))
    X32, y32 = make_classification(400, 30, n_informative=8, class_sep=1.5, random_state=1)
    apart = {"n_informative": 6, "n_redundant": 0, "class_sep": 6.0, "n_clusters_per_class": 1, "flip_y": 0}
    Xs, ys = make_classification(300, 12, **apart, random_state=3)
    return {
        "breast cancer": (X, y, None),
        "iris": (flowers, np.array(["x", "y", "z"])[kind], None),
        "float32": (rounded(X32).astype(np.float32), y32.astype(bool), None),
        "separable": (rounded(Xs), ys, None),
        "sparse": (sparse, np.where(scores[:, 0] > 0, "b", "a"), None),
        "sparse float32": (sparse.astype(np.float32), np.where(scores[:, 0] > 0, 1, -1), None),
        "sparse, three classes": (sparse, scores.argmax(axis=1), None),
        "digits": (digits[:400], digit[:400], None),
        "weighted": (X, y, weights),
    }


@functools.cache
def events():
    """A stream of 300 examples as dicts."""
    random, found = np.random.default_rng(5), []
    for _ in range(300):
        x = {f"f{j}": float(rounded(random.normal())) for j in random.choice(40, 5, replace=False)}
        label = "pos" if sum(x.values()) > 0 else "neg"
        found.append((x, label))
    return found


SEPARABILITY = {  # rows of integers, labels
    "complete": ([[0, 1], [1, 1], [1, 0], [2, 0]], [0, 0, 1, 1]),
    "one column, quasi-complete": ([[0], [1], [1], [2], [3]], [0, 0, 1, 1, 1]),
    "category, quasi-complete": ([[1, 0], [1, 1], [1, 2], [0, 0], [0, 1], [0, 2], [0, 3]], [1, 1, 1, 0, 1, 0, 1]),
    "two ties": ([[0, 0, 1], [0, 0, 2], [1, 0, 1], [1, 0, 2], [0, 1, 3], [0, 1, 1]], [0, 1, 0, 0, 1, 1]),
    "aliased": ([[1, 2], [2, 4], [3, 6], [4, 8]], [0, 1, 0, 1]),
    "aliased, separated": ([[1, 2], [2, 4], [3, 6], [4, 8]], [0, 0, 1, 1]),
    "overlap": ([[0, 0], [1, 1], [1, 0], [0, 1], [2, 1], [1, 2]], [0, 1, 1, 0, 0, 1]),
    "exclusive or": ([[0, 0], [1, 1], [1, 0], [0, 1]], [0, 0, 1, 1]),
    "all rows on the plane": ([[1], [1], [1], [1]], [0, 1, 0, 1]),
    "large numbers": ([[1e15, 1], [1e15 + 2, 0], [1e15 + 4, 1], [1e15 + 8, 0]], [0, 0, 1, 1]),
}


def quasi(rows=120, columns=6, seed=7):
    """Overlapping rows of which those with the last column are all of one class."""
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, size=(rows, columns)).astype(float)
    y = (X[:, 0] + random.integers(-3, 4, size=rows) > 0).astype(int)
    X[:, -1] = (random.random(rows) < 0.2) & (y == 1)
    return X, y
