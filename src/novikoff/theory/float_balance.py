"""Proofs in floating point, with bounds on all rounding errors, that rows balance or combine to a given vector.

Let the rows z_i with weights a_i have the sum s = sum a_i z_i, and let B be a square matrix of some of the rows. If C
is an approximate inverse with |I - B C| = q < 1 (the largest sum of a column), then B is invertible, and s = mu B has
the solution mu = s C (I - (I - B C))^-1, whose entries are at most max |s C| / (1 - q). If that is less than a quarter
of each a_i, then the weights a_i - mu_i balance exactly and are positive, and the rows of B span the whole space.

In the same way, a vector t is the combination of the rows of B whose weights differ from u = t C by at most
max |(t - u B) C| / (1 - q). If all u_i are larger, the weights are positive.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff._one_core import linear_algebra

from .geometry import Floats

UNIT = 2.0**-53  # largest relative error of a rounded operation
SAFETY = 1.01  # for the roundings in the bounds themselves
UNDERFLOW = 1e-290  # larger than all that sums of products lose by underflow
MAX_CHANGE = 0.25  # of a weight, relative to it; less than the third that is proven, for the same roundings
MAX_EXPONENT = 400  # of scaled values; products of two then neither overflow nor underflow


def balanced_basis(z: Floats, weights: Floats) -> NDArray[np.intp] | None:
    """Return rows of an invertible matrix if rows balance with weights that differ by less than a third from the given.

    None if that is not shown: because the rows do not span all columns, do not balance, or rounding hides it.
    """
    rows, columns = z.shape
    if rows < columns:
        return None
    scaled = _scaled(z, weights)
    if scaled is None:
        return None
    z, weights = scaled
    basis = _pivot_rows(z)
    with np.errstate(all="ignore"):
        inverse, q = _inverse(z[basis])
        total = np.abs(weights @ z) + (rows + 2) * UNIT * (weights @ np.abs(z)) + UNDERFLOW
        change = float((total @ np.abs(inverse)).max())
    return basis if q < 0.5 and change / (1 - q) < MAX_CHANGE else None  # false for NaN


def has_positive_weights(square: Floats, target: Floats) -> bool:
    """Return whether a vector is proven to be a combination of the rows of a square matrix with positive weights.

    False if it is not, if the matrix is not invertible, or if rounding hides it.
    """
    columns = len(square)
    scaled = _scaled(np.vstack([square, target]), np.ones(columns + 1))
    if scaled is None:
        return False
    square, target = scaled[0][:-1], scaled[0][-1]
    with np.errstate(all="ignore"):
        inverse, q = _inverse(square)
        u = target @ inverse
        residual = np.abs(target - u @ square)
        residual += (columns + 3) * UNIT * (np.abs(target) + np.abs(u) @ np.abs(square)) + UNDERFLOW
        error = float((residual @ np.abs(inverse)).max()) * SAFETY
    return bool(q < 0.5 and np.all(u > error / (1 - q)))  # false for NaN


def _inverse(square: Floats) -> tuple[Floats, float]:
    """Return an approximate inverse C of B, and a bound on |I - B C|, up to its own roundings."""
    inverse = linear_algebra().lapack.dgetri(*linear_algebra().lapack.dgetrf(square)[:2])[0]
    unit = np.eye(len(square))
    residual = np.abs(unit - square @ inverse) + UNDERFLOW
    residual += (len(square) + 2) * UNIT * (np.abs(square) @ np.abs(inverse) + unit)
    return inverse, float(residual.sum(axis=0).max())


def _scaled(z: Floats, weights: Floats) -> tuple[Floats, Floats] | None:
    """Return the rows times powers of two that make the weights 1 to 2, with columns of about 1; None if inexact."""
    mantissas, exponents = np.frexp(weights)
    places = np.frexp(z)[1] + (exponents - 1)[:, None]
    heights = np.where(z != 0, places, -(10**6)).max(axis=0)
    shifts = (exponents - 1)[:, None] - heights
    if np.any((z != 0) & (np.abs(places - heights) > MAX_EXPONENT)):
        return None
    return np.where(z != 0, np.ldexp(z, np.where(z != 0, shifts, 0)), 0.0), 2.0 * mantissas


def _pivot_rows(z: Floats) -> NDArray[np.intp]:
    """Return as many rows as there are columns, by elimination with the largest pivots."""
    order = np.arange(len(z))
    for place, other in enumerate(linear_algebra().lapack.dgetrf(z)[1].tolist()):
        order[[place, other]] = order[[other, place]]
    return order[: z.shape[1]]
