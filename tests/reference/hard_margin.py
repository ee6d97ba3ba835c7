"""The largest margin of small data: as the nearest points of convex hulls, and as a quadratic program for Clarabel."""

import clarabel
import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls


def points(X, y, intercept):
    """Those whose convex hull is as far from 0 as the largest margin: y u, or half the differences between classes."""
    if intercept == "free":
        return (X[y > 0][:, None] - X[y < 0][None]).reshape(-1, X.shape[1]) / 2
    return y[:, None] * (np.column_stack([X, np.ones(len(y))]) if intercept == "penalized" else X)


def margin(X, y, intercept="free"):
    """The distance of 0 from the hull of p: the a >= 0 with the least |sum a p|^2 + (1 - sum a)^2 points there."""
    p = points(np.asarray(X, float), y, intercept)
    unit = np.abs(p).max()
    a, _ = nnls(np.vstack([p.T / unit, np.ones(len(p))]), np.append(np.zeros(p.shape[1]), 1.0), maxiter=10**5)
    return float(np.linalg.norm(a @ p) / a.sum())


def margin_of(w, b, X, y, intercept="free"):
    """That of a plane: the distance of the nearest row, in x or in (x, 1)."""
    length = np.hypot(np.linalg.norm(w), b) if intercept == "penalized" else np.linalg.norm(w)
    return float((y * (X @ w + b)).min() / length)


def solve(X, y, intercept="free", accuracy=1e-10):
    """Return w and b of the least 1/2 |w|^2, or with 1/2 b^2, such that y (w.x + b) >= 1; values are scaled to 1."""
    rows, columns = X.shape
    unit = abs(X).max()
    X = X / unit
    squares = np.append(np.ones(columns), 0.0 if intercept == "free" else unit**2)
    b = y[:, None] * (intercept != "none")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags(squares)),
        np.zeros(columns + 1),
        sp.csc_matrix(-sp.hstack([sp.diags(y.astype(float)) @ sp.csr_matrix(X), sp.csr_matrix(b)])),
        -np.ones(rows),
        [clarabel.NonnegativeConeT(rows)],
        settings,
    ).solve()
    v = np.array(solution.x)
    return v[:columns] / unit, float(v[columns]) * (intercept != "none")
