"""Scores and sums of duals of one problem, or of several over the same dense rows, computed in one pass.

A block of rows is widened to doubles once for all problems, and multiplied by a matrix instead of by one vector after
the other. ``quick_gap`` bounds the errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .enclosed_sums import Rows
from .geometry import Floats, Matrix


@dataclass(frozen=True)
class Measured:
    """What a pass over the rows computes for one problem.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        w.x_i of each row.
    v : ndarray of shape (n_features,)
        sum a_i y_i x_i.
    added : int
        The largest number of rows that were added in one product.
    pieces : int
        An upper bound on the number of products, and sums of them, that were added one after the other.
    terms : int
        The largest number of values of a row that may differ from 0.
    """

    scores: Floats
    v: Floats
    added: int
    pieces: int
    terms: int


@np.errstate(over="ignore", invalid="ignore", under="ignore")  # the caller discards what is not of ordinary magnitude
def measure(rows: Rows, weights: Matrix, signed_duals: Matrix) -> list[Measured]:
    """Return the scores and sums of several problems.

    Parameters
    ----------
    rows : Rows
        Dense rows.
    weights : ndarray of shape (n_problems, n_features)
        The weights of each problem.
    signed_duals : ndarray of shape (n_problems, n_samples)
        The a_i y_i of each problem.
    """
    problems = len(weights)
    scores, v = np.empty((problems, rows.count)), np.zeros((problems, rows.columns))
    largest, pieces = 0, 0
    for block in rows.blocks():
        np.matmul(weights, block.values.T, out=scores[:, block.cut])
        v += signed_duals[:, block.cut] @ block.values
        largest, pieces = max(largest, len(block.values)), pieces + 1
    return [Measured(scores[k], v[k], largest, pieces, rows.columns) for k in range(problems)]


def joined(parts: list[Measured]) -> Measured:
    """Return what was measured on all rows, given what was measured on parts of them, in their order."""
    v = parts[0].v.copy()
    for part in parts[1:]:
        v += part.v
    added, pieces = max(part.added for part in parts), max(part.pieces for part in parts) + len(parts)
    terms = max(part.terms for part in parts)
    return Measured(np.concatenate([part.scores for part in parts]), v, added, pieces, terms)
