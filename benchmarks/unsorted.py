"""The perceptron over CSR rows as SciPy leaves them, against scikit-learn: ratios from one interleaved run.

python benchmarks/unsorted.py            # 200,000 rows that look like text
python benchmarks/unsorted.py --quick    # a tenth of the rows

A product of SciPy's matrices has unsorted indices, and a matrix that is built from lists of words has repeated ones.
The peer learns from the same arrays. Passes after the first are compared with reading the arrays from memory.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model
from harness import interleave, read_bandwidth, report, share_of_rows, text_like

import novikoff as nk

EPOCHS, ROUNDS = (1, 5, 10), 5


def unsorted(X: sp.csr_matrix, seed: int = 2) -> sp.csr_matrix:
    """Return the rows with their entries in random order."""
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    order = np.argsort(row + np.random.default_rng(seed).random(X.nnz))
    return sp.csr_matrix((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def repeated(X: sp.csr_matrix) -> sp.csr_matrix:
    """Return the rows with every tenth entry cut into two halves, in random order."""
    times = np.where(np.arange(X.nnz) % 10 == 0, 2, 1)
    offsets = np.concatenate([[0], np.cumsum(times)])[X.indptr].astype(X.indptr.dtype)
    halves = sp.csr_matrix((np.repeat(X.data / times, times), np.repeat(X.indices, times), offsets), shape=X.shape)
    return unsorted(halves)


def fits(kind: str, X: sp.csr_matrix, y: np.ndarray, bandwidth: float) -> list[dict[str, Any]]:
    """Time ``fit`` of one kind of rows with each number of epochs."""
    table, limit = [], X.nnz * (X.data.itemsize + X.indices.itemsize) / bandwidth
    first = 0.0
    for epochs in EPOCHS:
        ours = nk.Perceptron(max_iter=epochs, shuffle=False)
        peer = sklearn.linear_model.Perceptron(max_iter=epochs, tol=None, shuffle=False)
        times = interleave(
            {"ours": lambda m=ours: m.fit(X, y), "peer": lambda m=peer: m.fit(X, y)},
            ROUNDS,
        )
        first = first or times["ours"]
        later = (times["ours"] - first) / (epochs - 1) / limit if epochs > 1 else None
        table.append(
            {
                "work": f"{kind}, {epochs} epoch{'s' * (epochs > 1)}",
                "ours": f"{1e3 * times['ours']:.0f} ms",
                "peer": f"{1e3 * times['peer']:.0f} ms (scikit-learn)",
                "ratio": times["peer"] / times["ours"],
                "a later epoch / reading": later if later is not None else "",
            }
        )
    return table


def main() -> None:
    share = share_of_rows(__doc__)
    warnings.simplefilter("ignore")  # ten passes do not converge, nor are they meant to
    X, y = text_like(200_000 // share, 50_000, 57)
    bandwidth = read_bandwidth()
    table = []
    for kind, rows in {"sorted": X, "unsorted": unsorted(X), "repeated": repeated(X)}.items():
        table += fits(kind, rows, y, bandwidth)
    report("unsorted", share, table, rows=X.shape[0], read_bandwidth_GB_s=bandwidth / 1e9)


if __name__ == "__main__":
    main()
