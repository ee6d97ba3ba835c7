"""Online learners of many classes against scikit-learn: ratios from one interleaved run of equal numbers of passes.

python benchmarks/many_classes.py            # 20,000 rows that look like text, 20 and 100 classes
python benchmarks/many_classes.py --quick    # a tenth of the rows
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model
from harness import interleave, report, share_of_rows, text_like

import novikoff as nk

PASSES, ROUNDS = 5, 3


def labels_of(X: sp.csr_matrix, classes: int, seed: int = 1) -> np.ndarray:
    """The largest of as many random linear functions, with noise."""
    random = np.random.default_rng(seed)
    scores = X @ random.standard_normal((X.shape[1], classes))
    return np.argmax(scores + 0.3 * random.standard_normal(scores.shape), axis=1)


def fits(X: sp.csr_matrix, classes: int, threads: int, shuffle: bool) -> list[dict[str, Any]]:
    """``fit`` of the perceptron and of PA-I with so many threads."""
    y = labels_of(X, classes)
    ours = {"perceptron": nk.Perceptron(), "PA-I": nk.PassiveAggressiveI(C=1.0)}
    peers = {
        "perceptron": sklearn.linear_model.Perceptron(),
        "PA-I": sklearn.linear_model.PassiveAggressiveClassifier(C=1.0),
    }
    table = []
    for name, model in ours.items():
        model.set_params(max_iter=PASSES, shuffle=shuffle, n_jobs=threads)
        peer = peers[name].set_params(max_iter=PASSES, tol=None, shuffle=shuffle, n_jobs=threads)
        times = interleave(
            {"ours": lambda m=model: m.fit(X, y), "peer": lambda m=peer: m.fit(X, y)},
            ROUNDS,
        )
        table.append(
            {
                "work": f"{name}, {classes} classes, {'shuffled' if shuffle else 'in sequence'}, threads: {threads}",
                "ours": f"{1e3 * times['ours']:.0f} ms",
                "peer": f"{1e3 * times['peer']:.0f} ms (scikit-learn)",
                "ratio": times["peer"] / times["ours"],
                "ns a nonzero and class": 1e9 * times["ours"] / (X.nnz * PASSES * classes),
            }
        )
    return table


def main() -> None:
    share = share_of_rows(__doc__)
    warnings.simplefilter("ignore")  # five passes do not converge, nor are they meant to
    X, _ = text_like(20_000 // share, 50_000, 57)
    table = []
    for classes in (20, 100):
        for threads in (1, 2):
            for shuffle in (False, True):
                table += fits(X, classes, threads, shuffle)
    report("many_classes", share, table, rows=X.shape[0], nonzeros_a_row=X.nnz / X.shape[0], passes=PASSES)


if __name__ == "__main__":
    main()
