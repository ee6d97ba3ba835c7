"""Decide whether a plane separates two classes, and prove it.

A few rows determine the answer, so a linear program is solved on a working set. Its plane is tested on all rows, the
rows that violate it most are added to the working set, and this is repeated until no row violates it. Rows that are
decided by a single column are removed before that (``peeling.py``). The result is proven in integers
(``theory/balance.py``). If floating point is not precise enough, the working set is solved in integers
(``integer_search.py``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.theory.balance import Balance, balance
from novikoff.theory.certificate import Duals
from novikoff.theory.elimination import IntegerVector
from novikoff.theory.exact import Examples, to_integers
from novikoff.theory.geometry import Floats

from .integer_search import SMALL_PROBLEM_ENTRIES, search_in_integers
from .partition import Partition, Rows
from .peeling import Stage, combined, peel

MAX_ROUNDS = 60  # linear programs
MAX_COLUMNS_FOR_EXTREMES = 2000  # with more columns, the first working set is not chosen column by column


def decide(examples: Examples, hint: Floats | None = None) -> Partition | None:
    """Return the partition of the rows; None if it could not be proven.

    Parameters
    ----------
    examples : Examples
        The rows with their signs.
    hint : ndarray or None, default=None
        A direction that may have most rows on its right side.
    """
    if hint is not None and (found := completed_by(examples, hint)):
        return found
    core, stages = peel(examples)
    if 2 * len(core) < examples.rows and (found := _with_core(examples, core, stages, hint)):
        return found
    return _decide_core(examples, hint)


def _decide_core(examples: Examples, hint: Floats | None) -> Partition | None:
    """Return the partition of rows, none of which is decided by a single column."""
    if examples.rows * examples.columns > SMALL_PROBLEM_ENTRIES:
        working, found = _search_in_floats(examples, hint)
        if found is not None:
            return found
    else:
        working = np.arange(examples.rows)
    return search_in_integers(examples, working)


def completed_by(examples: Examples, direction: Floats) -> Partition | None:
    """Return the partition if a direction has all rows on its right side."""
    if not np.all(np.isfinite(direction)):
        return None
    if any(np.any(scores < -errors) for _, scores, errors in examples.scores(direction)):
        return None
    straight = to_integers(direction)[0]
    sides = examples.sides(straight)
    return Partition(straight, sides, None, None) if np.all(sides > 0) else None


def _with_core(examples: Examples, core: Rows, stages: list[Stage], hint: Floats | None) -> Partition | None:
    """Return the partition of all rows, given that the stages have all rows but the core on their right side."""
    if len(core) == 0:
        plane = combined(examples, stages, None)
        sides = examples.sides(plane)
        return Partition(plane, sides, None, None) if np.all(sides > 0) else None
    columns = examples.used(core)
    own = columns[columns < examples.X.shape[1]]
    inner = Examples(examples.X[core][:, own], examples.signs[core], examples.fit_intercept)
    found = _decide_core(inner, None if hint is None else hint[columns])
    if found is None:
        return None
    within = None
    if found.direction is not None:
        within = [0] * examples.columns
        for place, entry in zip(columns.tolist(), found.direction, strict=True):
            within[place] = entry
    plane = combined(examples, stages, within)
    sides = examples.sides(plane)
    expected = np.ones(examples.rows, dtype=np.int8)
    expected[core] = 0 if found.sides is None else found.sides
    if not np.array_equal(sides, expected):
        return None
    if found.witness is None:
        return Partition(plane, sides, None, None)
    witness = Duals(core[found.witness.rows], found.witness.weights)
    proof = balance(examples, witness)
    return None if proof is None else Partition(plane, sides, proof.duals, proof)


# ---- the linear program in floating point ----------------------------------------------------------------------


def _search_in_floats(examples: Examples, hint: Floats | None) -> tuple[Rows, Partition | None]:
    """Enlarge the working set until the partition is proven for all rows; return the set, and the partition or None."""
    working = first_rows(examples, hint)
    room = max(2 * min(examples.columns, examples.rows), 100)
    for _ in range(MAX_ROUNDS):
        solved = linear_program(examples, working)
        if solved is None:
            break
        direction, weights = solved
        verdict, offending = _test_on_all_rows(examples, working, direction, weights, room)
        if verdict is not None:
            return working, verdict
        new = np.setdiff1d(offending, working)
        if len(new) == 0:
            break
        working = np.union1d(working, new)
    return working, None


def _test_on_all_rows(
    examples: Examples, working: Rows, direction: Floats, weights: Floats, room: int
) -> tuple[Partition | None, Rows]:
    """Test the solution of the working set on all rows; return the proven partition, or rows that contradict it."""
    balanced = weights > 0.5  # weights are 0, or at least 1
    if not np.any(balanced):
        found = completed_by(examples, direction)
        return found, offending(examples, direction, room) if found is None else working[:0]
    witness = Duals(working[balanced], weights[balanced])
    proof = balance(examples, witness)
    if proof is None:
        return None, working[:0] if np.all(balanced) else offending(examples, direction, room)
    witness = proof.duals
    if np.all(balanced):
        return _spanned(examples, witness, proof, None, room)
    straight = proof.straighten(direction)
    sides = examples.sides(straight)
    if not np.any(sides):
        return None, working[:0]
    if np.any(sides < 0):
        return None, offending(examples, np.array([c / max(map(abs, straight)) for c in straight]), room)
    return _spanned(examples, witness, proof, (straight, sides), room)


def _spanned(
    examples: Examples, witness: Duals, proof: Balance, plane: tuple[IntegerVector, NDArray[np.int8]] | None, room: int
) -> tuple[Partition | None, Rows]:
    """Return the partition if the rows that balance span all rows on the plane; else some rows that they do not."""
    on_plane = np.ones(examples.rows, dtype=bool) if plane is None else plane[1] == 0
    unspanned = proof.outside(examples)
    if unspanned is None:
        return None, np.zeros(0, dtype=np.int64)
    outside = np.flatnonzero(unspanned & on_plane)
    if len(outside):
        return None, outside[:: max(1, len(outside) // room)]
    if plane is None:
        return Partition(None, None, witness, proof), outside
    return Partition(*plane, witness, proof), outside


def first_rows(examples: Examples, hint: Floats | None) -> Rows:
    """Return the rows with the largest entries in each column, those that violate the hint most, and some others."""
    chosen = [np.linspace(0, examples.rows - 1, num=min(examples.rows, 2 * examples.columns, 4000)).astype(np.int64)]
    if examples.columns <= MAX_COLUMNS_FOR_EXTREMES:
        chosen.append(_extremes(examples))
    if hint is not None and np.all(np.isfinite(hint)):
        chosen.append(offending(examples, hint, max(100, 4 * min(examples.columns, 1000))))
    return np.unique(np.concatenate(chosen))


def _extremes(examples: Examples) -> Rows:
    """Return, for each column, the rows with the largest and the smallest entry of z."""
    columns = examples.X.shape[1]
    best = np.zeros((2, columns))
    where = np.full((2, columns), -1)
    for block in examples.table.blocks():
        for side, sign in enumerate((1.0, -1.0)):
            values, rows = _largest(block.values, sign * examples.signs[block.cut])
            better = values > best[side]
            best[side][better] = values[better]
            where[side][better] = rows[better] + block.cut.start
    found: Rows = np.unique(where[where >= 0])
    return found


def _largest(block: Any, signs: Floats) -> tuple[Floats, Rows]:
    """Return the largest entry of sign times x in each column, and a row that has it; 0 if none is positive."""
    columns = block.shape[1]
    if not sp.issparse(block):
        signed = block * signs[:, None]
        rows = np.argmax(signed, axis=0)
        return signed[rows, np.arange(columns)], rows
    values, places = np.zeros(columns), np.zeros(columns, dtype=np.int64)
    entries = block.data * np.repeat(signs, np.diff(block.indptr))
    np.maximum.at(values, block.indices, entries)
    holders = np.flatnonzero(entries == values[block.indices])
    places[block.indices[holders]] = holders
    rows = np.searchsorted(block.indptr, places, side="right") - 1
    return values, rows


def offending(examples: Examples, direction: Floats, most: int) -> Rows:
    """Return the rows farthest on the wrong side of a direction, or on it, relative to the size of their terms."""
    worst: list[tuple[Rows, Floats]] = []
    for cut, shares in examples.relative_scores(direction):
        lowest = np.argpartition(shares, most)[:most] if most < len(shares) else np.arange(len(shares))
        lowest = lowest[shares[lowest] <= 1e-9]
        worst.append((lowest + cut.start, shares[lowest]))
    rows = np.concatenate([rows for rows, _ in worst])
    shares = np.concatenate([shares for _, shares in worst])
    return rows[np.argsort(shares, kind="stable")[:most]]


def linear_program(examples: Examples, working: Rows) -> tuple[Floats, Floats] | None:
    """Maximise the sum of min(1, a_i) over a >= 0 subject to sum a_i z_i = 0.

    Then a_i >= 1 for every row that can have a positive weight, and the multipliers v have z_i.v >= 1 for every other
    row. Return v and a; None if HiGHS fails.
    """
    from scipy.optimize import linprog  # slow to import and rarely needed

    columns = examples.used(working)
    if len(columns) == 0:
        return None
    z = sparse_rows(examples, working, columns)
    scale = abs(z).max(axis=0).toarray().ravel()
    z = z @ sp.diags_array(1 / scale)
    lengths = abs(z).max(axis=1).toarray().ravel()
    lengths[lengths == 0] = 1.0
    balanced = sp.csc_array((sp.diags_array(1 / lengths) @ z).T)
    count = len(working)
    result = linprog(
        np.concatenate([-np.ones(count), np.zeros(count)]),
        A_eq=sp.hstack([balanced, balanced], format="csc"),
        b_eq=np.zeros(len(columns)),
        bounds=np.column_stack([np.zeros(2 * count), np.repeat([1.0, np.inf], count)]),
        method="highs",
    )
    if result.status != 0:
        return None
    weights = (result.x[:count] + result.x[count:]) / lengths
    weights[result.x[:count] + result.x[count:] <= 0.5] = 0.0
    weights /= max(1e-300, float(weights[weights > 0].min(initial=math.inf)))
    direction = np.zeros(examples.columns)
    direction[columns] = -result.eqlin.marginals / scale
    return direction, weights


def sparse_rows(examples: Examples, rows: Rows, columns: Rows) -> Any:
    """Return the z_i of some rows in some columns as a sparse matrix."""
    x = sp.csr_array(examples.X[rows], dtype=np.float64)
    if examples.fit_intercept:
        x = sp.hstack([x, np.ones((len(rows), 1))], format="csr")
    return sp.csr_array(sp.diags_array(examples.signs[rows]) @ x[:, columns])
