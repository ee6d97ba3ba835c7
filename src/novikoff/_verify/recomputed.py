"""Fitted attributes that are recomputed from the rows, and compared up to the rounding errors of both computations."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._wide_array import WideArray, narrowed, occurring, stored
from novikoff.theory.certificate import Certificate
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.geometry import blocks

MORE_ROUNDINGS = 8  # than terms, of a sum of products


def has_slack(value: Any, certificates: list[Certificate], X: Any, labels: Any) -> bool | None:
    """Return whether an attribute has the slacks of the rows.

    Parameters
    ----------
    value : ndarray of shape (n_samples,) or sparse array of shape (n_samples, n_problems)
        ``slack_`` of a model.
    certificates : list of Certificate
        One for each column.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    labels : ndarray of shape (n_samples,)
        Their labels.

    Returns
    -------
    bool or None
        None if the certificates do not define slacks.
    """
    rows, several = X.shape[0], len(certificates) > 1
    if np.shape(value) != ((rows, len(certificates)) if several else (rows,)) or sp.issparse(value) != several:
        return False
    sums = np.concatenate([np.asarray(abs(block).sum(axis=1)).ravel() for _, block in blocks(X)])
    for place, certificate in enumerate(certificates):
        expected = certificate.fitted_from_rows(X, labels).get("slack_")
        if expected is None:
            return None
        own = value[:, [place]].toarray().ravel() if several else np.asarray(value, dtype=np.float64)
        scores = sums * _largest(certificate, 0) + _largest(certificate, 1)
        rounding = 4 * (X.shape[1] + MORE_ROUNDINGS) * EPS * (scores + 1)
        if not np.all(np.abs(own - expected) <= rounding):
            return False
    return True


def _largest(certificate: Certificate, part: int) -> float:
    """Return the largest absolute value of the weights or of the intercepts."""
    planes = certificate.planes() or certificate.plane() or (0.0, 0.0)
    return float(np.max(np.abs(stored(planes[part])), initial=0.0))


def has_nearest_points(value: Any, certificates: list[Certificate], X: Any, labels: Any) -> bool | None:
    """Return whether an attribute has the nearest points of the hulls.

    Parameters
    ----------
    value : ndarray of shape (2, n_features) or (n_problems, 2, n_features)
        ``nearest_points_`` of a model.
    certificates : list of Certificate
        One for each problem.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    labels : ndarray of shape (n_samples,)
        Their labels.

    Returns
    -------
    bool or None
        None if the certificates do not define such points.
    """
    points: Any = value if isinstance(value, WideArray) else np.asarray(value)
    if points.shape != ((2, X.shape[1]) if len(certificates) == 1 else (len(certificates), 2, X.shape[1])):
        return False
    rounding = 4 * (X.shape[0] + MORE_ROUNDINGS) * EPS * max(float(X.max()), -float(X.min()))
    for own, certificate in zip(points if points.ndim == 3 else [points], certificates, strict=True):
        expected = certificate.fitted_from_rows(X, labels).get("nearest_points_")
        if expected is None:
            return None
        columns = np.union1d(occurring(own), occurring(expected))
        if not np.all(np.abs(narrowed(own, columns) - narrowed(expected, columns)) <= rounding):
            return False
    return True
