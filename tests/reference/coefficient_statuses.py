"""The status of each coefficient by two linear programs: slow, short, and nothing like the library's way."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

NEGLIGIBLE = 1e-6  # what HiGHS leaves of 0
SIGNS = {(False, False): "finite", (False, True): "+infinity", (True, False): "-infinity", (True, True): "infinite"}


def coefficient_statuses(X, y, fit_intercept):
    """The words of all coefficients, for labels 0 and 1 and small integers."""
    return statuses_of_many([(X, y, fit_intercept)])[0]


def statuses_of_many(designs):
    """The same for several designs, whose linear programs are solved as one."""
    rows = [_signed_rows(*design) for design in designs]
    lowest, highest = _extremes(rows, -1), _extremes(rows, 1)
    found = []
    for z, low, high in zip(rows, lowest, highest, strict=True):
        rank = _rank(z)
        aliased = [_rank(np.delete(z, j, axis=1)) == rank for j in range(z.shape[1])]
        found.append(
            ["aliased" if a else SIGNS[lower, upper] for a, lower, upper in zip(aliased, low, high, strict=True)]
        )
    return found


def _rank(z):
    return np.linalg.matrix_rank(z) if z.size else 0  # NumPy 1 refuses a matrix without columns


def _signed_rows(X, y, fit_intercept):
    z = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    return np.unique(z * np.where(y == 1, 1, -1)[:, None], axis=0)


def _extremes(rows, sign):
    """Whether max sign v_j over z v >= 0, -1 <= v <= 1 is above 0, for all j of all designs in one program."""
    objective = np.concatenate([-sign * np.eye(z.shape[1]).ravel() for z in rows])
    table = -sp.block_diag([z for z in rows for _ in range(z.shape[1])], "csr")
    found = linprog(objective, A_ub=table, b_ub=np.zeros(table.shape[0]), bounds=(-1, 1))
    assert found.status == 0
    ends = np.cumsum([z.shape[1] ** 2 for z in rows])[:-1]
    return [
        (sign * part.reshape(z.shape[1], -1).diagonal() > NEGLIGIBLE).tolist()
        for z, part in zip(rows, np.split(found.x, ends), strict=True)
    ]
