"""The independent checker as an oracle for tests: certificates and rows as the plain values that it takes."""

import dataclasses
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from novikoff_check import check_certificate
from reference.separability_oracle import separability_claims


def plain(value):
    """Arrays as lists, NumPy's numbers as Python's."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def fields_of(certificate):
    """All fields of a certificate as numbers, lists and dicts."""
    return plain(dataclasses.asdict(certificate))


def rows_of(X):
    """Rows as lists of (column, value), without zeros."""
    if not sp.issparse(X):
        return [[entry for entry in enumerate(row) if entry[1]] for row in np.asarray(X, dtype=np.float64).tolist()]
    X = sp.csr_array(X).astype(np.float64)
    X.sum_duplicates()
    ends = X.indptr.tolist()
    entries = list(zip(X.indices.tolist(), X.data.tolist(), strict=True))
    return [[entry for entry in entries[a:b] if entry[1]] for a, b in pairwise(ends)]


def decided(certificate, X, y, weights=None):
    """All claims of a certificate, decided exactly."""
    labels, own = plain(np.ravel(y)), None if weights is None else plain(np.asarray(weights, dtype=np.float64))
    if np.shape(X)[1] != _width(certificate):  # which rows of columns and values do not tell
        return [("data", "fails", f"{np.shape(X)[1]} columns")]
    if type(certificate).__name__ == "Separability":
        return separability_claims(certificate, X, y, weights)  # which model files do not hold
    return check_certificate(type(certificate).__name__, fields_of(certificate), rows_of(X), labels, own)


def _width(certificate):
    model = getattr(certificate, "model", None) or getattr(certificate, "evidence", None)
    return certificate.width if model is None else np.shape(model.weights)[-1]


def statuses(results):
    """The status of each claim. A claim that occurs twice has the worse one."""
    order = ("fails", "open", "holds", "on trust")
    found = {}
    for claim, status, _ in results:
        found[claim] = min(found.get(claim, status), status, key=order.index)
    return found
