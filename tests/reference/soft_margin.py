"""The soft-margin support vector machine: both its objectives, and a dense interior-point solver for small problems."""

import numpy as np


def primal(w, b, X, y, costs, loss="hinge", penalized=False):
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    losses = costs @ (slack if loss == "hinge" else slack**2)
    return 0.5 * w @ w + 0.5 * penalized * b**2 + losses


def dual(a, X, y, costs, loss="hinge", penalized=False):
    used = a > 0
    squares = 0.0 if loss == "hinge" else np.sum(a[used] ** 2 / (4.0 * costs[used]))
    v = (a * y) @ X
    return a.sum() - 0.5 * v @ v - 0.5 * penalized * (a @ y) ** 2 - squares


def solve(X, y, costs, loss="hinge", intercept="free"):
    """Return w, b and a of the optimum, to a relative gap of some 1e-11.

    Primal-dual Newton steps on the dual problem, min 1/2 a.Qa - sum a over 0 <= a <= u with y.a = 0 if the intercept is
    free: Qa - 1 + b y - z + t = 0, a z = mu, (u - a) t = mu, and mu falls to 0.
    """
    used = costs > 0
    Z, signs, C = y[used, None] * X[used], y[used], costs[used]
    Q = Z @ Z.T + (intercept == "penalized") * np.outer(signs, signs)
    boxed = loss == "hinge"
    if not boxed:
        Q = Q + np.diag(0.5 / C)
    rows = len(C)
    ridge = 1e-13 * (1.0 + np.trace(Q) / rows)  # rows that repeat others; it bends the path, not where it ends
    border = signs * (intercept == "free")
    a = C / 2 if boxed else np.full(rows, C.mean())
    b, z, t = 0.0, np.ones(rows), np.ones(rows) * boxed
    for _ in range(200):
        room = C - a if boxed else np.ones(rows)
        mu = (a @ z + room @ t) / (rows * (1 + boxed))
        if mu * rows < 1e-13 * a.sum() and abs(border @ a) < 1e-11 * a.sum():
            break
        mu *= 0.1
        system = np.zeros((rows + 1, rows + 1))
        system[:rows, :rows] = Q + np.diag(z / a + t / room + ridge)
        system[:rows, rows] = system[rows, :rows] = border
        system[rows, rows] = 0.0 if intercept == "free" else 1.0
        residual = Q @ a - 1.0 + b * border - z + t
        right = -residual + mu / a - z - (mu / room - t) * boxed
        step = np.linalg.solve(system, np.append(right, -border @ a))
        da, db = step[:rows], step[rows]
        dz = mu / a - z - z / a * da
        dt = (mu / room - t + t / room * da) * boxed
        moves = [(a, da), (z, dz), (room, -da), (t, dt)] if boxed else [(a, da), (z, dz)]
        length = min(1.0, *(0.99 * np.min(-p[d < 0] / d[d < 0], initial=np.inf) for p, d in moves))
        a, b, z, t = a + length * da, b + length * db, z + length * dz, t + length * dt
    full = np.zeros(len(y))
    full[used] = a
    bias = {"free": b, "penalized": signs @ a, "none": 0.0}[intercept]
    return Z.T @ a, float(bias), full
