"""The accuracy of the bare default on public data sets, against scikit-learn's linear classifiers.

novikoff is ``make_pipeline(TableEncoder(), LinearSVM())``, without any parameter. The peers are LinearSVC,
LogisticRegression and RidgeClassifier with their defaults, after StandardScaler for numbers (missing ones imputed by
their mean) and OneHotEncoder for strings. Sparse files are learned as they are, by all.

On every data set the best of the three peers is compared with novikoff: the difference of the mean accuracies over the
folds, and the standard error of this difference, both for accuracy and for balanced accuracy.
"""

from __future__ import annotations

import warnings
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import novikoff as nk

from .data.folds import DataSet, Fold, all_sets, bundled, is_sparse
from .harness import Session, Suite
from .page.accuracy import MEASURES, share_within

PEERS = {"LinearSVC": LinearSVC, "LogisticRegression": LogisticRegression, "RidgeClassifier": RidgeClassifier}


def peer(kind: type, data: DataSet) -> Any:
    """Return a classifier of scikit-learn as its users would set it up for these data."""
    if is_sparse(data):
        return kind()
    if not isinstance(data.folds[0][0], pd.DataFrame):
        return make_pipeline(StandardScaler(), kind())
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    strings = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"), OneHotEncoder(handle_unknown="ignore")
    )
    encoder = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (strings, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(encoder, kind())


def ours(data: DataSet) -> Any:
    """Return the bare default."""
    return nk.LinearSVM() if is_sparse(data) else make_pipeline(nk.TableEncoder(), nk.LinearSVM())


def scores(model: Any, fold: Fold) -> tuple[float, float]:
    """Return accuracy and balanced accuracy on the test rows of a fold."""
    X, y, X_test, y_test = fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's about convergence: its defaults are what is compared
        predicted = model.fit(X, y).predict(X_test)
        return float(np.mean(predicted == y_test)), float(balanced_accuracy_score(y_test, predicted))


def measure(data: DataSet) -> dict[str, Any]:
    """Return the scores of all classifiers on all folds, and how the bare default compares with the best peer."""
    found = {"novikoff": np.array([scores(ours(data), fold) for fold in data.folds])}
    for name, kind in PEERS.items():
        found[name] = np.array([scores(peer(kind, data), fold) for fold in data.folds])
    majority = []
    for _, y, _, y_test in data.folds:
        labels, counts = np.unique(y, return_counts=True)
        majority.append(float(np.mean(y_test == labels[counts.argmax()])))
    rows, columns, classes = data.shape
    entry: dict[str, Any] = {"collection": data.collection, "name": data.name, "rows": rows, "columns": columns}
    entry |= {"classes": classes, "folds": len(data.folds), "majority": float(np.mean(majority))}
    for column, measured in enumerate(MEASURES):
        means = {name: float(values[:, column].mean()) for name, values in found.items()}
        best = max(PEERS, key=means.__getitem__)
        differences = found[best][:, column] - found["novikoff"][:, column]
        own_error = found[best][:, column].std(ddof=1) / np.sqrt(len(data.folds))
        entry[measured] = means | {
            "best": best,
            "behind": float(differences.mean()),
            "standard_error": float(differences.std(ddof=1) / np.sqrt(len(data.folds))),
            "standard_error_of_best": float(own_error),
        }
    return entry


def run(session: Session) -> None:
    """Measure all data sets in two processes, and print a line for each."""
    entries = []
    sets = all_sets() if session.size["collections"] == "all" else bundled()
    with get_context("spawn").Pool(2) as pool:
        for entry in pool.imap(measure, sets):
            entries.append(entry)
            found = entry["accuracy"]
            line = f"{entry['name']:<28} {found['novikoff']:.4f}  {found['best']} {found[found['best']]:.4f}"
            print(f"{line}  majority {entry['majority']:.4f}", flush=True)
            session.keep(sets=entries)
    for measured in MEASURES:
        share = share_within(entries, measured)
        print(f"{measured}: within one standard error of the best peer on {share:.1%} of {len(entries)} sets")


SUITE = Suite(
    name="accuracy",
    measures="the accuracy of the bare default on public data sets",
    contestants=("LinearSVC", "LogisticRegression", "RidgeClassifier"),
    answers="the answers are what is measured, with standard errors over folds",
    limit="the most frequent label is reported beside",
    run=run,
    quick={"collections": "bundled"},
    full={"collections": "all"},
    packages=("pandas",),
)
