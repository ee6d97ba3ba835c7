"""Decide whether two classes can be separated, and prove it.

Few rows decide: those that a plane which suits all others would have on its wrong side. Rows that a single column
decides are peeled off first (``_peeling.py``). Then a linear program is solved on a working set, its plane is held
against all rows, the worst offenders join the set, and so on until nothing offends. What comes out is proven in whole
numbers (``theory/balance.py``); where floating point could not see it, the working set is solved in whole numbers,
too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.theory.balance import Balance, balance
from novikoff.theory.certificate import Duals
from novikoff.theory.exact import Examples, Reduced, Whole, primitive, whole
from novikoff.theory.geometry import Floats, blocks

from .exact_simplex import alternative
from .peeling import Stage, combined, peel

SMALL = 400  # rows times columns: so few are solved in whole numbers at once
LARGE = 10_000  # the same: more are not tried in whole numbers
MOST_ROUNDS = 60
FARTHEST = 1000  # powers of two, up or down, that floats can have and still be exact
WIDE = 2000  # columns from which on rows are not looked for column by column

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """A partition of the rows, proven: a direction that has ``sides`` 1 or 0 of it, and rows that balance."""

    direction: Whole | None  # None if all rows are spanned by those that balance
    sides: NDArray[np.int8] | None
    witness: Duals | None  # None if no rows balance
    proof: Balance | None


def decide(examples: Examples, hint: Floats | None = None) -> Verdict | None:
    """The verdict, or None if it could not be proven. ``hint`` is a direction that may separate most rows."""
    if hint is not None and (found := _complete(examples, hint)):
        return found
    core, stages = peel(examples)
    if 2 * len(core) < examples.rows and (found := _with_core(examples, core, stages, hint)):
        return found
    return _decide_core(examples, hint)


def _decide_core(examples: Examples, hint: Floats | None) -> Verdict | None:
    """The verdict on rows none of which a single column decides."""
    if examples.rows * examples.columns > SMALL:
        working, found = _by_floats(examples, hint)
        if found is not None:
            return found
    else:
        working = np.arange(examples.rows)
    return _by_whole_numbers(examples, working)


def _complete(examples: Examples, direction: Floats) -> Verdict | None:
    """The verdict if the direction has all rows on its right side."""
    if not np.all(np.isfinite(direction)):
        return None
    if any(np.any(scores < -errors) for _, scores, errors in examples.scores(direction)):
        return None
    straight = whole(direction)[0]
    sides = examples.sides(straight)
    return Verdict(straight, sides, None, None) if np.all(sides > 0) else None


def _with_core(examples: Examples, core: Rows, stages: list[Stage], hint: Floats | None) -> Verdict | None:
    """The verdict on all rows from that on the core: the stages have all others on their right side."""
    if len(core) == 0:
        plane = combined(examples, stages, None)
        sides = examples.sides(plane)
        return Verdict(plane, sides, None, None) if np.all(sides > 0) else None
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
        return Verdict(plane, sides, None, None)
    witness = Duals(core[found.witness.rows], found.witness.weights)
    proof = balance(examples, witness)
    return None if proof is None else Verdict(plane, sides, proof.duals, proof)


# The linear program in floating point.


def _by_floats(examples: Examples, hint: Floats | None) -> tuple[Rows, Verdict | None]:
    """Solve on a working set that grows until the verdict is proven for all rows; the set, and the verdict if so."""
    working = _first_rows(examples, hint)
    room = max(2 * min(examples.columns, examples.rows), 100)
    for _ in range(MOST_ROUNDS):
        solved = _linear_program(examples, working)
        if solved is None:
            break
        direction, weights = solved
        verdict, offending = _judge(examples, working, direction, weights, room)
        if verdict is not None:
            return working, verdict
        new = np.setdiff1d(offending, working)
        if len(new) == 0:
            break
        working = np.union1d(working, new)
    return working, None


def _judge(
    examples: Examples, working: Rows, direction: Floats, weights: Floats, room: int
) -> tuple[Verdict | None, Rows]:
    """Hold what the working set says against all rows: the proven verdict, or rows that speak against it."""
    balanced = weights > 0.5  # it is 0, or 1 and more
    if not np.any(balanced):
        found = _complete(examples, direction)
        return found, _offending(examples, direction, room) if found is None else working[:0]
    witness = Duals(working[balanced], weights[balanced])
    proof = balance(examples, witness)
    if proof is None:
        return None, working[:0] if np.all(balanced) else _offending(examples, direction, room)
    witness = proof.duals
    if np.all(balanced):
        return _spanned(examples, witness, proof, None, room)
    straight = proof.straighten(direction)
    sides = examples.sides(straight)
    if not np.any(sides):
        return None, working[:0]
    if np.any(sides < 0):
        return None, _offending(examples, np.array([c / max(map(abs, straight)) for c in straight]), room)
    return _spanned(examples, witness, proof, (straight, sides), room)


def _spanned(
    examples: Examples, witness: Duals, proof: Balance, plane: tuple[Whole, NDArray[np.int8]] | None, room: int
) -> tuple[Verdict | None, Rows]:
    """The verdict, if all rows that lie on the plane are spanned by those that balance; else some that are not."""
    on_plane = np.ones(examples.rows, dtype=bool) if plane is None else plane[1] == 0
    unspanned = proof.outside(examples)
    if unspanned is None:
        return None, np.zeros(0, dtype=np.int64)
    outside = np.flatnonzero(unspanned & on_plane)
    if len(outside):
        return None, outside[:: max(1, len(outside) // room)]
    if plane is None:
        return Verdict(None, None, witness, proof), outside
    return Verdict(*plane, witness, proof), outside


def _first_rows(examples: Examples, hint: Floats | None) -> Rows:
    """The rows that reach farthest to either side in some column, those that the hint puts lowest, and some others."""
    chosen = [np.linspace(0, examples.rows - 1, num=min(examples.rows, 2 * examples.columns, 4000)).astype(np.int64)]
    if examples.columns <= WIDE:
        chosen.append(_extremes(examples))
    if hint is not None and np.all(np.isfinite(hint)):
        chosen.append(_offending(examples, hint, max(100, 4 * min(examples.columns, 1000))))
    return np.unique(np.concatenate(chosen))


def _extremes(examples: Examples) -> Rows:
    """For each column the rows with the largest and the smallest entry of z."""
    columns = examples.X.shape[1]
    best = np.zeros((2, columns))
    where = np.full((2, columns), -1)
    for cut, block in blocks(examples.X):
        for side, sign in enumerate((1.0, -1.0)):
            values, rows = _largest(block, sign * examples.signs[cut])
            better = values > best[side]
            best[side][better] = values[better]
            where[side][better] = rows[better] + cut.start
    found: Rows = np.unique(where[where >= 0])
    return found


def _largest(block: Any, signs: Floats) -> tuple[Floats, Rows]:
    """The largest entry of each column, times the signs of the rows, and a row that has it; 0 if none is positive."""
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


def _offending(examples: Examples, direction: Floats, most: int) -> Rows:
    """The rows that lie farthest on the wrong side of a direction, or on it, in units of what they add up to."""
    worst: list[tuple[Rows, Floats]] = []
    size = np.abs(direction)
    for (cut, scores, _), (_, block) in zip(examples.scores(direction), blocks(examples.X), strict=True):
        sizes = np.asarray(abs(block) @ size[: block.shape[1]]).ravel()
        sizes += size[-1] if examples.fit_intercept else 0.0
        shares = np.divide(scores, sizes, out=np.zeros_like(scores), where=sizes > 0)
        lowest = np.argpartition(shares, most)[:most] if most < len(shares) else np.arange(len(shares))
        lowest = lowest[shares[lowest] <= 1e-9]
        worst.append((lowest + cut.start, shares[lowest]))
    rows = np.concatenate([rows for rows, _ in worst])
    shares = np.concatenate([shares for _, shares in worst])
    return rows[np.argsort(shares, kind="stable")[:most]]


def _linear_program(examples: Examples, working: Rows) -> tuple[Floats, Floats] | None:
    """Maximise the sum of min(1, a_i) over a >= 0 with sum a_i z_i = 0: the direction and a; None if HiGHS gives up.

    Then a_i >= 1 for every row that can have any weight, and its multipliers v have z_i.v >= 1 for every other row.
    """
    from scipy.optimize import linprog  # slow to import, and rarely needed

    columns = examples.used(working)
    if len(columns) == 0:
        return None
    z = examples.sparse(working, columns)
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


# The same in whole numbers.


def _by_whole_numbers(examples: Examples, working: Rows) -> Verdict | None:
    """Solve exactly on a working set that grows until the verdict holds for all rows."""
    if examples.rows * examples.columns > SMALL:
        working = working[:: max(1, len(working) // (2 * examples.columns))]
    if len(working) * examples.columns > LARGE:
        return None
    room = max(4, examples.columns)
    while True:
        vectors = {i: z for i, (z, _) in zip(working.tolist(), examples.whole_rows(working), strict=True)}
        plane, balanced = _partition(vectors)
        witness, proof = _weigh(examples, balanced)
        if balanced and proof is None:
            return None
        sides = np.zeros(examples.rows, dtype=np.int8) if plane is None else examples.sides(plane)
        wrong = sides < 0
        if proof is None:
            wrong |= sides == 0
        else:
            unspanned = proof.outside(examples)
            if unspanned is None:
                return None
            wrong |= unspanned & (sides == 0)
        if not np.any(wrong):
            return Verdict(plane, None if plane is None else sides, witness, proof)
        new = np.setdiff1d(np.flatnonzero(wrong), working)
        if len(new) == 0 or len(working) * examples.columns > LARGE:
            return None
        working = np.union1d(working, new[:: max(1, len(new) // room)])


def _partition(vectors: dict[int, Whole]) -> tuple[Whole | None, list[dict[int, int]]]:
    """Face by face: a direction that has every row on its right side but those that balance, and those, face by face.

    Rows that balance span their face, so that the others are asked again for their part outside of it.
    """
    remaining = dict(vectors)
    faces: list[dict[int, int]] = []
    outside: list[Whole] | None = None  # a basis of the directions that are 0 on all faces so far
    while remaining:
        if outside is None:
            parts = dict(remaining)
        else:
            parts = {i: [sum(map(int.__mul__, vector, basis)) for basis in outside] for i, vector in remaining.items()}
            parts = {i: part for i, part in parts.items() if any(part)}
            remaining = {i: remaining[i] for i in parts}
            if not remaining:
                break
        zeros = [i for i, part in parts.items() if not any(part)]
        if zeros:
            faces.append(dict.fromkeys(zeros, 1))
            remaining = {i: vector for i, vector in remaining.items() if any(vector)}
            continue
        weights, direction = alternative([primitive(part) for part in parts.values()])
        if direction is not None:
            return (direction if outside is None else _combined(outside, direction)), faces
        assert weights is not None
        divisors = [math.gcd(*part) for part in parts.values()]
        faces.append(
            {
                i: weight * math.lcm(*divisors) // d
                for i, weight, d in zip(parts, weights, divisors, strict=True)
                if weight
            }
        )
        spanned = [vectors[i] for face in faces for i in face]
        outside = Reduced(spanned, len(spanned[0])).null_space()
        remaining = {i: vector for i, vector in remaining.items() if i not in faces[-1]}
    return None, faces


def _combined(basis: list[Whole], coordinates: Whole) -> Whole:
    return primitive(
        [sum(c * entry for c, entry in zip(coordinates, entries, strict=True)) for entries in zip(*basis, strict=True)]
    )


def _weigh(examples: Examples, faces: list[dict[int, int]]) -> tuple[Duals | None, Balance | None]:
    """Weights for the rows of all faces together. A later face leaves a rest in the earlier ones, which weigh more."""
    if not faces:
        return None, None
    exponents = {
        i: e for face in faces for i, (_, e) in zip(face, examples.whole_rows(np.array(list(face))), strict=True)
    }
    for heavier in (0, 20, 60, 150, 300, 700, 1200, 1900):
        # Each weight as m 2^e: rows are k 2^e', so a long row has a small weight.
        parts = {
            i: (weight, heavier * place - exponents[i] - max(face.values()).bit_length())
            for place, face in enumerate(reversed(faces))
            for i, weight in face.items()
        }
        weights = _as_floats(parts)
        if weights is None:
            continue
        rows = np.array(sorted(weights))
        witness = Duals(rows, np.array([weights[int(i)] for i in rows]))
        if proof := balance(examples, witness):
            return proof.duals, proof
    return None, None


def _as_floats(parts: dict[int, tuple[int, int]]) -> dict[int, float] | None:
    """Numbers m 2^e as floats, all times the same power of two; None if no power suits all."""
    places = {i: e + m.bit_length() for i, (m, e) in parts.items()}
    middle = (max(places.values()) + min(places.values())) // 2
    if max(places.values()) - middle > FARTHEST:
        return None
    digits = {i: max(0, m.bit_length() - 60) for i, (m, _) in parts.items()}  # as many as a float takes, and some
    return {i: math.ldexp(m >> digits[i], e + digits[i] - middle) for i, (m, e) in parts.items()}
