"""The partition of the rows, computed in integers on a working set: for data on which floating point fails."""

from __future__ import annotations

import math

import numpy as np

from novikoff.theory.balance import Balance, balance
from novikoff.theory.certificate import Duals
from novikoff.theory.elimination import IntegerVector, Reduced, primitive
from novikoff.theory.exact import Examples
from novikoff.theory.exact_simplex import alternative

from .partition import Partition, Rows

SMALL_PROBLEM_ENTRIES = 400  # rows times columns up to which all rows are the working set
MAX_INTEGER_ENTRIES = 10_000  # rows times columns of the working set, above which the search gives up
MAX_WEIGHT_EXPONENT = 1000  # floats with larger exponents, up or down, may not be exact


def search_in_integers(examples: Examples, working: Rows) -> Partition | None:
    """Enlarge the working set until its partition holds for all rows; None if it grows too large or a proof fails."""
    if examples.rows * examples.columns > SMALL_PROBLEM_ENTRIES:
        working = working[:: max(1, len(working) // (2 * examples.columns))]
    if len(working) * examples.columns > MAX_INTEGER_ENTRIES:
        return None
    room = max(4, examples.columns)
    while True:
        vectors = {i: z for i, (z, _) in zip(working.tolist(), examples.integer_rows(working), strict=True)}
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
            return Partition(plane, None if plane is None else sides, witness, proof)
        new = np.setdiff1d(np.flatnonzero(wrong), working)
        if len(new) == 0 or len(working) * examples.columns > MAX_INTEGER_ENTRIES:
            return None
        working = np.union1d(working, new[:: max(1, len(new) // room)])


def _partition(vectors: dict[int, IntegerVector]) -> tuple[IntegerVector | None, list[dict[int, int]]]:
    """Return a direction with all rows on its right side except those that balance, and the latter, face by face.

    Rows that balance span a face of the cone of all rows. The other rows are projected onto the directions that are 0
    on the faces found so far, and searched again.
    """
    remaining = dict(vectors)
    faces: list[dict[int, int]] = []
    outside: list[IntegerVector] | None = None  # a basis of the directions that are 0 on all faces found so far
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


def _combined(basis: list[IntegerVector], coordinates: IntegerVector) -> IntegerVector:
    return primitive(
        [sum(c * entry for c, entry in zip(coordinates, entries, strict=True)) for entries in zip(*basis, strict=True)]
    )


def _weigh(examples: Examples, faces: list[dict[int, int]]) -> tuple[Duals | None, Balance | None]:
    """Return weights that balance the rows of all faces; earlier faces weigh more, to compensate for later ones."""
    if not faces:
        return None, None
    exponents = {
        i: e for face in faces for i, (_, e) in zip(face, examples.integer_rows(np.array(list(face))), strict=True)
    }
    for heavier in (0, 20, 60, 150, 300, 700, 1200, 1900):
        # Each weight is m 2^e; rows are k 2^e', so a long row gets a small weight.
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
    """Return numbers m 2^e as floats, all times the same power of two; None if they are too far apart for that."""
    places = {i: e + m.bit_length() for i, (m, e) in parts.items()}
    middle = (max(places.values()) + min(places.values())) // 2
    if max(places.values()) - middle > MAX_WEIGHT_EXPONENT:
        return None
    digits = {i: max(0, m.bit_length() - 60) for i, (m, _) in parts.items()}  # keep a few more bits than a float has
    return {i: math.ldexp(m >> digits[i], e + digits[i] - middle) for i, (m, e) in parts.items()}
