"""The soft margin as a quadratic program in (w, b, xi), solved by Clarabel."""

import clarabel
import numpy as np
import scipy.sparse as sp


def solve(X, y, costs, loss="hinge", intercept="free"):
    """Return w, b and the objective: rows y (w.x + b) + xi >= 1, xi >= 0, and b = 0 where there is none."""
    rows, columns = X.shape
    squares = np.concatenate([np.ones(columns), [float(intercept == "penalized")], np.zeros(rows)])
    linear = np.zeros(columns + 1 + rows)
    if loss == "hinge":
        linear[columns + 1 :] = costs
    else:
        squares[columns + 1 :] = 2.0 * costs
    signs = sp.diags(y)
    b = y[:, None] * (intercept != "none")
    margins = sp.hstack([signs @ sp.csr_matrix(X), sp.csr_matrix(b), sp.identity(rows)])
    slacks = sp.hstack([sp.csr_matrix((rows, columns + 1)), sp.identity(rows)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    if intercept == "none":
        squares[columns] = 1.0
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags(squares)),
        linear,
        sp.csc_matrix(-sp.vstack([margins, slacks])),
        np.concatenate([-np.ones(rows), np.zeros(rows)]),
        [clarabel.NonnegativeConeT(2 * rows)],
        settings,
    ).solve()
    v = np.array(solution.x)
    return v[:columns], float(v[columns]) * (intercept != "none"), solution.obj_val
