"""Generated rows that look like text."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def text_like(rows: int, columns: int, nonzeros: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows like bags of words: Zipf's law over the columns, about ``nonzeros`` a row, unit length, two classes."""
    random = np.random.default_rng(seed)
    chance = np.cumsum(1 / np.arange(1, columns + 1))
    drawn = int(nonzeros * 1.2)  # the more frequent words are drawn more than once
    words = np.searchsorted(chance, random.random((rows, drawn)) * chance[-1]).astype(np.int32)
    data = random.exponential(size=words.size) + 0.1
    X = sp.csr_matrix((data, words.ravel(), np.arange(0, words.size + 1, drawn)), shape=(rows, columns))
    X.sum_duplicates()
    lengths = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    y = np.where(X @ random.standard_normal(columns) > 0, 1, -1)
    return X, np.where(random.random(rows) < 0.02, -y, y)
