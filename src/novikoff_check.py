"""novikoff-check: decide what a model file of novikoff claims, in exact arithmetic, from the data alone.

This file uses the standard library only and shares no code with novikoff, so that a reader can audit it in an hour. A
model file states certificates: numbers that follow from the rows, with all that is needed to recompute them.
docs/certificate-format.md defines the file, and the exact statement that each number makes. Every float is an integer
times a power of two, so all sums below are sums of integers and have no rounding error. Square roots are needed only
where rows are scaled to unit length; they are enclosed between two fractions that agree in 200 bits.

A claim "holds" if it is proven, "fails" if it is refuted, is "open" if 200 bits do not decide it, and is "on trust" if
the data cannot show it. The exit status is 0 if all claims hold, 1 if one fails, and 2 if something cannot be read or
decided.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import math
import re
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

Result = tuple[str, str, str]  # claim, status, detail
Row = list[tuple[int, float]]  # columns in ascending order, and their values; columns that are left out are 0
EPS, TINY, ROOT_BITS, ZERO = Fraction(1, 2**52), Fraction(1, 2**1074), 200, Fraction(0)
MAX_ROUNDINGS, MAX_COUNT = 2**42, 2**40  # larger counts would allow for rounding errors of any size
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "na", "n/a", "#N/A", "<NA>")  # cells of a table
NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
VERSION = 1  # of the model file
MAX_ZEROS = 2**23  # of all arrays of a file together; each takes memory here, but none in the file
DTYPES = {"F64": "d", "F32": "f", "I64": "q", "I32": "i", "I8": "b", "U8": "B"}  # of arrays, as ``struct`` calls them


class Refuted(Exception):
    """A claim that fails, with the reason; claims that depend on it are not decided."""


class Unreadable(Exception):
    """Why a file cannot be read, in one sentence."""


def need(good: Any, claim: str, detail: str) -> None:
    """Refute a claim unless a condition is met."""
    if not good:
        raise Refuted(claim, detail)


def collected(claims: Iterator[Result]) -> list[Result]:
    """Return all results, up to a claim that fails and that others depend on."""
    results = []
    try:
        for result in claims:
            results.append(result)
    except Refuted as error:
        results.append((error.args[0], "fails", error.args[1]))
    return results


# ---- exact numbers -------------------------------------------------------------------------------------------------


def integers(numbers: Any) -> tuple[list[int], Fraction]:
    """Return integers k and one unit, a power of two of at most 1, so that each finite number is exactly k * unit."""
    ratios = [number.as_integer_ratio() for number in numbers]
    bits = max((below.bit_length() for _, below in ratios), default=1)
    return [above << (bits - below.bit_length()) for above, below in ratios], Fraction(1, 1 << (bits - 1))


def finite(*numbers: Any) -> bool:
    """Return whether all numbers are finite."""
    return all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)


def root(square: Fraction) -> tuple[Fraction, Fraction]:
    """Return two fractions around the square root, whose denominators are powers of two; equal if such is the root."""
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if above * above == square.numerator and below * below == square.denominator and not below & (below - 1):
        return Fraction(above, below), Fraction(above, below)
    shift = max(0, ROOT_BITS + 1 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    whole = math.isqrt((square.numerator << 2 * shift) // square.denominator)
    return Fraction(whole, 1 << shift), Fraction(whole + 1, 1 << shift)


def signed_square(number: Any) -> Any:
    """Return x |x|, which grows as x grows."""
    return number * abs(number)


def length2(vector: Any, unit: Any = 1) -> Fraction:
    """Return the squared length of integers times a unit."""
    return Fraction(sum(k * k for k in vector) * unit * unit)


def nearest(number: Any) -> float:
    """Return the nearest float, or an infinity."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def shown(number: Any) -> str:
    """Return a number with ten digits."""
    return f"{nearest(number):.10g}"


def decide(low: Any, high: Any, limit: Any) -> str:
    """Return the status of the claim truth <= limit, where truth is between ``low`` and ``high``."""
    return "holds" if high <= limit else "open" if low <= limit else "fails"


def upper_bound(claim: str, claimed: Any, low: Fraction, high: Fraction, scale: Fraction) -> Result:
    """Decide |v| <= claimed * scale, where |v|^2 is between ``low`` and ``high``."""
    limit = signed_square(Fraction(claimed) * scale) if finite(claimed) else claimed
    return claim, decide(low, high, limit), f"claimed {shown(claimed)}, found {shown(root(high)[1] / scale)} or less"


def lower_bound(claimed: Any, low: Fraction, high: Fraction, length: Fraction) -> Result:
    """Decide claimed * |v| <= the smallest y v.u, which is between ``low`` and ``high``; ``length`` is |v|^2."""
    claim, found = "lower bound", shown(low / root(length)[1]) if length else "weights of 0"
    if claimed == -math.inf:
        return claim, "on trust", "no lower bound is claimed"
    need(finite(claimed) and length > 0, claim, f"claimed {shown(claimed)}, found {found}")
    limit = -signed_square(Fraction(claimed)) * length
    return claim, decide(-signed_square(high), -signed_square(low), limit), f"claimed {shown(claimed)}, found {found}"


def agrees(claim: str, claimed: Any, truth: Fraction, roundings: int, power: int = 1) -> Result:
    """Decide |claimed - truth| <= roundings * (2^-52 truth + 2^-1074); with power 2, the square of truth is given."""
    detail = f"claimed {shown(claimed)}, found {shown(truth if power == 1 else root(truth)[0])}"
    if claimed == math.inf and power == 1 and truth >= 2**1024:
        return claim, "holds", "it is larger than any float"
    need(finite(claimed) and claimed >= 0 and roundings <= MAX_ROUNDINGS, claim, detail)
    least, most = max(ZERO, Fraction(claimed) - roundings * TINY), Fraction(claimed) + roundings * TINY
    up, down = 1 + roundings * EPS, max(ZERO, 1 - roundings * EPS)
    good = least**power <= truth * up**power and most**power >= truth * down**power
    return claim, "holds" if good else "fails", detail


class Rows:
    """Rows as integers: the value in column j is k * unit for each (j, k) of a row. An intercept is one more column."""

    def __init__(self, rows: list[Row], width: int, intercept: bool) -> None:
        flat, self.unit = integers([value for row in rows for _, value in row])
        entries, one = iter(flat), [(width, self.unit.denominator)] * intercept
        self.rows = [[(j, next(entries)) for j, _ in row] + one for row in rows]

    def scores(self, v: list[int]) -> list[int]:
        """Return v.x of every row."""
        return [sum(v[j] * k for j, k in row) for row in self.rows]

    def squares(self, but: int = -1) -> list[int]:
        """Return |x|^2 of every row, without the column ``but``."""
        return [sum(k * k for j, k in row if j != but) for row in self.rows]

    def sums(self, factors: list[int], signs: list[int]) -> tuple[dict[int, int], dict[int, int]]:
        """Return for each column the sum of factor * sign * x over all rows, and that of the absolute values."""
        total: dict[int, int] = {}
        size: dict[int, int] = {}
        for factor, sign, row in zip(factors, signs, self.rows, strict=True):
            for j, k in row if factor else ():
                total[j] = total.get(j, 0) + factor * sign * k
                size[j] = size.get(j, 0) + abs(factor * k)
        return total, size


def dual_variables(claim: str, duals: Any, most: list[Any]) -> list[float]:
    """Return one dual variable per row; each must be between 0 and its limit."""
    rows, full = duals["rows"], [0.0] * len(most)
    need(len(set(rows)) == len(rows) == len(duals["weights"]), claim, "a row occurs twice, or has no weight")
    for i, a in zip(rows, duals["weights"], strict=True):
        need(0 <= i < len(most), claim, f"row {i} is not among the {len(most)} rows")
        need(finite(a) and 0 <= a <= most[i], claim, f"row {i} has {shown(a)}, not from 0 to {shown(most[i])}")
        full[i] = a
    return full


def balanced(a: list[int], unit: Fraction, signs: list[int]) -> tuple[list[int], Fraction]:
    """Scale down the duals of the heavier class, exactly, so that those of both classes have the same sum."""
    of_class = {y: sum(k for k, own in zip(a, signs, strict=True) if own == y) for y in (1, -1)}
    if of_class[1] == of_class[-1]:
        return a, unit
    return [k * of_class[-y] for k, y in zip(a, signs, strict=True)], unit / max(of_class.values())


# ---- support vector machines ---------------------------------------------------------------------------------------


def need_model(fields: Any, weights: list[float], biases: list[float]) -> None:
    """Refute a model that no data can have."""
    known = fields["intercept"] in ("free", "penalized", "none")
    need(known and fields.get("loss", "hinge") in ("hinge", "squared_hinge"), "problem", "unknown loss or intercept")
    good = finite(*weights, *biases, fields.get("C", 0)) and fields.get("C", 0) >= 0
    need(good, "model", "NaN or infinity among the weights, or C is negative or not finite")
    need(fields["intercept"] != "none" or not any(biases), "model", "a bias is not 0 where there is no intercept")


def costs_of(fields: Any, count: int, weights: Any) -> tuple[list[float], Result]:
    """Return the cost of every row, which must be C times its weight to 4 roundings."""
    claim, C, costs = "costs", fields["C"], fields["model"]["costs"]
    costs = [C] * count if costs is None else costs
    need(len(costs) == count and finite(*costs) and min(costs) >= 0, claim, f"there are not {count} finite costs >= 0")
    found = sum(map(bool, costs))
    need(found == fields["examples"], claim, f"claimed {fields['examples']} rows with a cost, found {found}")
    detail = f"{found} rows with a total cost of {shown(sum(map(Fraction, costs)))}"
    if weights is None and fields["model"]["costs"] is not None:
        return costs, (claim, "on trust", f"{detail}, as the certificate says; weights of the rows would show it")
    for i, (cost, weight) in enumerate(zip(costs, weights or [1.0] * count, strict=True)):
        good = cost == C * weight or agrees(claim, cost, Fraction(C) * Fraction(weight), 4)[1] == "holds"
        need(good, claim, f"row {i} costs {shown(cost)}, not {shown(C)} times its weight {shown(weight)}")
    return costs, (claim, "holds", detail)


def gap_results(fields: Any, primal: Fraction, low: Fraction, high: Fraction) -> Iterator[Result]:
    """Compare the stated bounds with P(w, b) and D(a), which is between ``low`` and ``high``."""
    upper, lower, tol = (fields[name] for name in ("primal", "dual", "tol"))
    for claim, number in (("primal", upper), ("dual", lower), ("converged", tol)):
        need(finite(number), claim, f"claimed {number}, which is not a finite number")
    yield "primal", decide(primal, primal, upper), f"claimed {shown(upper)}, found {shown(primal)}"
    yield "dual", decide(-high, -low, -lower), f"claimed {shown(lower)}, found {shown(low)}"
    least, most = (1 - max(ZERO, bound) / primal if primal else ZERO for bound in (high, low))
    claimed = 1 - Fraction(lower) / Fraction(upper) if upper > 0 else ZERO
    near = nearest(claimed)
    up = near if near >= claimed else math.nextafter(near, math.inf)  # the gap follows from the bounds, rounded up
    yield "gap", decide(least, most, up), f"claimed {shown(claimed)}, found {shown(most)}"
    if claimed <= tol:
        yield "converged", decide(least, most, tol), f"claimed {shown(tol)}, found {shown(most)}"
    yield "iterations", "on trust", f"{fields['iterations']}, which the data do not show"


def check_gap(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a GapCertificate: dual <= minimum <= primal of a soft-margin support vector machine."""
    model, duals = fields["model"], fields["model"]["duals"]
    w, b, positive, negative = model["weights"], model["bias"], model["positive"], model["negative"]
    need_model(fields, w, [b])
    need(positive in labels and (negative is None or negative in labels), "data", "no row has a label of the model")
    if negative is not None:  # rows of other labels are not part of the problem
        own = [i for i, label in enumerate(labels) if label in (positive, negative)]
        place, weights = {i: k for k, i in enumerate(own)}, weights and [weights[i] for i in own]
        rows, labels = [rows[i] for i in own], [labels[i] for i in own]
        duals = {"rows": [place.get(i, -1) for i in duals["rows"]], "weights": duals["weights"]}
    yield "data", "holds", f"{len(rows)} rows of {len(w)} features"
    costs, stated = costs_of(fields, len(rows), weights)
    yield stated
    squared, penalized = fields["loss"] == "squared_hinge", fields["intercept"] == "penalized"
    a, a_unit = integers(dual_variables("feasible duals", duals, [math.inf if squared and c else c for c in costs]))
    yield "feasible duals", "holds", f"{sum(map(bool, a))} rows, all within their limits"
    signs, table = [1 if label == positive else -1 for label in labels], Rows(rows, len(w), intercept=True)
    (v, v_unit), (cost, cost_unit) = integers([*w, b]), integers(costs)
    unit = table.unit * v_unit  # of scores
    slack = [max(0, unit.denominator - y * s) for y, s in zip(signs, table.scores(v), strict=True)]
    losses = sum(c * s * (s if squared else 1) for c, s in zip(cost, slack, strict=True)) * unit ** (1 + squared)
    primal = length2(v if penalized else v[:-1], v_unit) / 2 + losses * cost_unit
    if fields["intercept"] == "free":
        a, a_unit = balanced(a, a_unit, signs)
    total, _ = table.sums(a, signs)
    inside = [k for j, k in total.items() if j < len(w) or penalized]
    dual = sum(a) * a_unit - length2(inside, a_unit * table.unit) / 2
    least = most = 0  # two integers around the sum of a^2 / (4 C), in units of a_unit^2 / 2^1102
    for k, C in zip(a, costs, strict=True):
        if k and squared:
            whole, rest = divmod(k * k * Fraction(C).denominator << 1100, Fraction(C).numerator)
            least, most = least + whole, most + whole + bool(rest)
    low, high = (dual - x * a_unit * a_unit / (1 << 1102) for x in (most, least))
    yield from gap_results(fields, primal, low, high)


def check_crammer_singer(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a CrammerSingerCertificate: dual <= minimum <= primal of a joint machine of several classes."""
    model, claim, penalized = fields["model"], "feasible duals", fields["intercept"] == "penalized"
    W, biases, classes, duals = (model[name] for name in ("weights", "biases", "classes", "duals"))
    need_model(fields, [x for w in W for x in w], biases)
    count, width = len(classes), len(W[0]) if W else 0
    good = count == len(set(classes)) == len(W) == len(biases) > 1 and {*map(len, W)} == {width}
    need(good, "model", "each of two or more classes needs a weight vector and an intercept")
    costs, stated = costs_of(fields, len(rows), weights)
    own = [classes.index(label) if label in classes else -1 for label in labels]
    known = all(k >= 0 or not cost for k, cost in zip(own, costs, strict=True))
    need(known, "data", "a row has a label that the model does not know")
    yield "data", "holds", f"{len(rows)} rows of {width} features"
    yield stated
    need(len(duals["rows"]) == len(duals["classes"]) == len(duals["values"]), claim, "the lengths of its arrays differ")
    places = list(zip(duals["rows"], duals["classes"], strict=True))
    need(len(set(places)) == len(places), claim, "a row has two variables for the same class")
    for (i, k), value in zip(places, duals["values"], strict=True):
        good = 0 <= i < len(rows) and own[i] >= 0 and 0 <= k < count and k != own[i] and finite(value) and value >= 0
        need(good, claim, f"row {i} has a negative variable, or one for its own class, or is not among the rows")
    beta, unit = integers(duals["values"])
    per_row, a = [0] * len(rows), [[0] * len(rows) for _ in classes]
    for (i, k), value in zip(places, beta, strict=True):
        per_row[i] += value
        a[k][i] -= value
        a[own[i]][i] += value
    need(fields["intercept"] != "free" or not any(map(sum, a)), claim, "the coefficients of a class do not add up to 0")
    ratios = [Fraction(cost) / (total * unit) for cost, total in zip(costs, per_row, strict=True) if total]
    scale = min([Fraction(1), *ratios])
    yield claim, "holds", f"{sum(map(bool, per_row))} rows, within their costs after scaling by {shown(scale)}"
    table = Rows(rows, width, intercept=True)
    flat, w_unit = integers([x for w, b in zip(W, biases, strict=True) for x in (*w, b)])
    v, one = [flat[k : k + width + 1] for k in range(0, len(flat), width + 1)], (table.unit * w_unit).denominator
    losses = ZERO
    for cost, y, *scores in zip(costs, own, *map(table.scores, v), strict=True):
        losses += Fraction(cost) * (max(one * (k != y) + s for k, s in enumerate(scores)) - scores[y] if cost else 0)
    length = sum((length2(w if penalized else w[:-1], w_unit) for w in v), ZERO)
    sums = [table.sums(of_class, [1] * len(rows))[0].items() for of_class in a]
    lengths = [length2([k for j, k in total if j < width or penalized], unit * table.unit) for total in sums]
    dual = scale * sum(beta) * unit - scale * scale * sum(lengths) / 2
    yield from gap_results(fields, length / 2 + losses * table.unit * w_unit, dual, dual)


def check_hull(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a HullCertificate: lower bound <= margin of the model <= largest margin <= upper bound."""
    model, penalized, bound = fields["model"], fields["intercept"] == "penalized", fields["margin_upper_bound"]
    w, b = model["weights"], model["bias"]
    need_model(fields, w, [b])
    need(model["positive"] in labels, "data", "no row has the positive label of the model")
    need(model["costs"] is model["negative"] is None, "problem", "a hard margin has no costs, and all rows count")
    weights = weights or [1.0] * len(rows)
    used = [i for i, weight in enumerate(weights) if weight > 0]
    need(len(used) == fields["examples"], "examples", f"claimed {fields['examples']}, found {len(used)} of weight > 0")
    limits = [math.inf if weight > 0 else 0.0 for weight in weights]
    a, unit = integers(dual_variables("feasible duals", model["duals"], limits))
    signs = [1 if label == model["positive"] else -1 for label in labels]
    if fields["intercept"] == "free":
        a, unit = balanced(a, unit, signs)
    yield "feasible duals", "holds", f"{sum(map(bool, a))} rows, all within their limits"
    table, (v, v_unit) = Rows(rows, len(w), intercept=True), integers([*w, b])
    outside = -1 if penalized else len(w)  # the column that does not count in lengths
    squares, scores = table.squares(but=outside), table.scores(v)
    longest = max((squares[i] for i in used), default=0) * table.unit**2
    yield agrees("radius", fields["radius"], longest, len(w) + 8, power=2)
    yield in_order(fields)
    least = min((signs[i] * scores[i] for i in used), default=0) * table.unit * v_unit
    yield lower_bound(fields["margin_lower_bound"], least, least, length2(v if penalized else v[:-1], v_unit))
    total, _ = table.sums(a, signs)
    found = length2([k for j, k in total.items() if j != outside], unit * table.unit)
    need(any(a) or bound == math.inf, "upper bound", "the duals of all rows, or those of one class, are 0")
    yield upper_bound("upper bound", bound, found, found, sum(a) * unit or Fraction(1))
    yield "iterations", "on trust", f"{fields['iterations']}, which the data do not show"


def in_order(fields: Any) -> Result:
    """Compare the two bounds on the margin."""
    low, high = fields["margin_lower_bound"], fields["margin_upper_bound"]
    return "lower below upper bound", "holds" if low <= high else "fails", f"from {shown(low)} to {shown(high)}"


# ---- online learners -----------------------------------------------------------------------------------------------


def seen_rows(rows: list[Row], copies: list[float], kind: str, width: int) -> tuple[list[Row], list[float], Any]:
    """Return rows divided by the root mean squares of their columns, the last factors, and the last shifts if any.

    Values of 0 do not count. Each row is divided by those of the rows up to itself ("running"), or of all rows.
    """
    if kind == "centred":
        return centred_rows(rows, copies, width)
    totals, squares, found = [0.0] * width, [0.0] * width, []

    def factor(j: int) -> float:
        return math.sqrt(totals[j] / squares[j]) if squares[j] >= 1e-240 else 0.0

    def scaled(row: Row) -> Row:
        values = [(j, x * factor(j)) for j, x in row]
        return [(j, x if abs(x) >= 1e-120 else 0.0) for j, x in values]

    for row, copy in zip(rows, copies, strict=True):
        for weight in [1.0] * int(copy) + [copy % 1] * (copy % 1 > 0):
            for j, x in row:
                totals[j] += weight * (x != 0)
                squares[j] += weight * (x * x)
        found.append(scaled(row) if kind == "running" else row)
    return found if kind == "running" else list(map(scaled, found)), list(map(factor, range(width))), None


def centred_rows(rows: list[Row], copies: list[float], width: int) -> tuple[list[Row], list[float], list[float]]:
    """Return rows whose frequent columns are centred, and all divided by the root mean squares of what remains.

    A column is frequent if it is not 0 in at least half of the examples. What is subtracted and multiplied is computed
    from the examples before a row, when the weight of the column reaches a power of two, or the column becomes rare;
    but from the row, too, if the factor is 0 or the result would exceed 8.
    """
    known: dict[int, list[float]] = {}  # weight, first value, sum and sum of squares of differences from it
    centred: set[int] = set()
    shift, factor, total, found = [0.0] * width, [0.0] * width, 0.0, []

    def renew(j: int) -> None:
        n, first, summed, squares = known[j]
        offset, often = summed / n, 2 * n >= total
        mean, spread = first + offset, max(0.0, squares - summed * offset)
        a = mean * (n / total) if often else 0.0
        energy = spread + n * ((mean - a) * (mean - a)) + ((total - n) * (a * a) if often else 0.0)
        good = 1e-240 <= energy < math.inf
        shift[j], factor[j] = (a, math.sqrt((total if often else n) / energy)) if good else (0.0, 0.0)
        (centred.add if often else centred.discard)(j)

    for row, copy in zip(rows, copies, strict=True):
        values = {j: x for j, x in row if x}
        total += copy
        u = []
        for j in sorted(values.keys() | centred):
            x = values.get(j, 0.0)
            seen = (x - shift[j]) * factor[j]
            fits = not copy or (factor[j] > 0 and abs(seen) <= 8)
            n, first, summed, squares = known.get(j, [0.0, x, 0.0, 0.0])
            d, grown = x - first, n + copy
            if x and copy:
                known[j] = [grown, first, summed + copy * d, squares + copy * (d * d)]
            if not fits or (copy and (math.frexp(n)[1] != math.frexp(grown)[1] if x else 2 * n < total)):
                renew(j)
            u.append((j, seen if fits else (x - shift[j]) * factor[j]))
        found.append([(j, x if abs(x) >= 1e-120 else 0.0) for j, x in u])
    return found, factor, shift


def scale_results(u: Vectors, fields: Any) -> Iterator[Result]:
    """Name the scale of the columns, if there is one, and refute claims about rows that the data do not show."""
    if u.is_mixed:
        known = fields.get("passes") or fields.get("separates") or fields.get("halted") or u.duals is not None
        bounded = fields.get("margin_lower_bound", -math.inf) > -math.inf
        need(not known and not bounded, "scale", "rows of a fit and of a stream are not known as they were seen")
        yield "scale", "on trust", "rows were scaled by a fit and by a stream"
    elif u.is_scaled:
        yield "scale", "holds", "the columns are divided by the root mean squares of their values so far"


class Vectors:
    """The vectors u that an online learner saw: (x, 1) or x, of unit length if normalised, with private features."""

    def __init__(self, evidence: Any, rows: list[Row], labels: list[Any], weights: Any) -> None:
        w, b, geometry = evidence["weights"], evidence["intercept"], evidence["geometry"]
        self.width, has_b = len(w), geometry["fit_intercept"]
        need(finite(geometry["slack_feature"]) and geometry["slack_feature"] >= 0, "data", "a negative private feature")
        need(finite(*w, b) and (has_b or not b), "model", "weights that no run can have")
        self.copies, self.private = list(weights or [1.0] * len(rows)), Fraction(geometry["slack_feature"]) ** 2
        places, given = [(i, 0) for i in range(len(rows))], len(rows)
        scale = evidence.get("scale")
        kind, is_scaled = scale and scale["kind"], scale is not None
        kinds = {None: (None,), "running": ("running", "fixed", "mixed"), "centred": ("centred",)}
        need(kind in kinds.get(geometry.get("scale"), ()), "scale", "it is not that of the geometry")
        need(kind != "centred" or (has_b and scale.get("shifts") is not None), "scale", "what is subtracted is missing")
        if self.private or kind in (
            "running",
            "centred",
        ):  # each copy of a row has a private feature or a scale of its own
            places = [(i, k) for i, c in enumerate(self.copies) for k in range(max(1, math.ceil(c)))]
            self.copies = [min(1.0, self.copies[i] - k) for i, k in places]
        self.places = [i for i, _ in places]  # the row of each copy
        self.seen = [i for i, c in enumerate(self.copies) if c > 0]
        self.signs = [1 if labels[i] == evidence["positive"] else -1 for i, _ in places]
        rows = [rows[i] for i, _ in places]
        if is_scaled and kind != "mixed":
            rows, factors, shifts = seen_rows(rows, self.copies, kind, self.width)
            stated = scale.get("shifts")
            same = shifts is None if stated is None else shifts == list(stated)
            need(same, "scale", "what is subtracted from the columns is not what the rows give")
            pairs, most = list(zip(scale["factors"], factors, strict=False)), (len(rows) + 8) * EPS
            same = len(scale["factors"]) == self.width and all(abs(a - b) <= most * b for a, b in pairs)
            need(same, "scale", "the factors of the columns are not those of the rows")
        self.count = len(places) if is_scaled else given  # a scale counts each copy of a row
        self.is_scaled, self.is_mixed = is_scaled, kind == "mixed"
        self.table = Rows(rows, self.width, has_b)
        self.v, self.v_unit = integers([*w, b] if has_b else w)
        self.squares, self.square_unit, self.inverse = self.table.squares(), self.table.unit**2, None
        if geometry["normalize"]:
            self.inverse = [root(1 / (s * self.square_unit)) if s else (ZERO, ZERO) for s in self.squares]
            self.squares, self.square_unit = [int(s > 0) for s in self.squares], Fraction(1)
        self.longest = max((self.squares[i] for i in self.seen), default=0) * self.square_unit + self.private
        self.duals, self.a, self.steps = evidence["duals"], None, ZERO
        if self.duals is not None:
            self.a = dual_variables("weights", self.duals, [math.inf if c > 0 else 0.0 for c in self.copies])
            self.steps = sum(map(Fraction, self.a), ZERO)

    def smallest_margin(self) -> tuple[Fraction, Fraction]:
        """Return two fractions around the smallest y v.u."""
        unit, scores = self.table.unit * self.v_unit, self.table.scores(self.v)
        if not self.inverse and not self.private:
            least = min((self.signs[i] * scores[i] for i in self.seen), default=0) * unit
            return least, least
        ends = [(ZERO, ZERO)] * (not self.seen)
        for i in self.seen:
            both = [self.signs[i] * scores[i] * unit * end for end in (self.inverse[i] if self.inverse else (1, 1))]
            own = self.private * Fraction(self.a[i]) if self.a else 0
            ends.append((min(both) + own, max(both) + own))
        return min(low for low, _ in ends), min(high for _, high in ends)

    def errors(self) -> Fraction:
        """Return the weight of the rows with y v.u <= 0; unit length does not change the side of a row."""
        scores = self.table.scores(self.v)
        return sum((Fraction(self.copies[i]) for i in self.seen if self.signs[i] * scores[i] <= 0), ZERO)

    def sums(self, a: list[float]) -> tuple[dict[int, int], dict[int, int], Fraction, Fraction]:
        """Return the sums of a y u and of a |u| by column, in a unit, and the relative error of each term."""
        factors = [Fraction(k) * self.inverse[i][0] for i, k in enumerate(a)] if self.inverse else a
        whole, unit = integers(factors)
        return (
            *self.table.sums(whole, self.signs),
            unit * self.table.unit,
            Fraction(bool(self.inverse), 2 ** (ROOT_BITS - 1)),
        )

    def check_sum(self, fields: Any, claim: str, more: int = 0) -> Iterator[Result]:
        """Decide that v is the sum of a y u up to rounding, and that |sum a y u| / sum a is within the stated bound.

        ``more`` is the number of updates whose rounding errors the weights may have besides.
        """
        bound, updates = fields["margin_upper_bound"], fields["updates"] + more
        if self.a is None or self.duals is None:
            yield "weights", "on trust", "only a repeated run shows them: the rows behind them were not kept"
            yield claim, "on trust", f"at most {shown(bound)}, the least |v| / sum of steps of the run"
            return
        need(2 * updates + self.width + 16 >= 0, "weights", f"{updates} updates")
        total, size, unit, error = self.sums(self.a)
        status, worst, roundings = "holds", ZERO, 2 * updates + self.width + 16
        ratio, tiny = self.v_unit / unit, TINY / unit
        for j, k in enumerate(self.v):
            distance, spread = abs(k * ratio - total.get(j, 0)), size.get(j, 0)
            allowed, worst = roundings * (EPS * spread + tiny), max(worst, distance)
            if distance + error * spread > allowed:
                status = "fails" if status == "fails" or distance - error * spread > allowed else "open"
        yield "weights", status, f"they differ from the sum of the examples by {shown(worst * unit)} at most"
        if bound == math.inf:
            yield claim, "on trust", "no bound is claimed"
            return
        need(self.steps, claim, "no example was learned from, so nothing proves it")
        low = length2([max(0, abs(s) - error * size[j]) for j, s in total.items()], unit)
        high = length2([abs(s) + error * size[j] for j, s in total.items()], unit)
        own = length2(*integers(self.a)) * self.private
        yield upper_bound(claim, bound, low + own, high + own, self.steps)


def need_counts(passes: Any, updates: Any, u: Vectors) -> None:
    """Refute numbers of passes and updates that no run can have; the roundings that are allowed depend on them."""
    for name, count in (("passes", passes), ("updates", updates)):
        need(isinstance(count, int) and 0 <= count <= MAX_COUNT, name, f"{count}, which no run can have")
    most = passes * sum(map(math.ceil, u.copies))
    need(not passes or updates <= most, "updates", f"{updates}, more than there are examples in {passes} passes")


def check_data(fields: Any, u: Vectors, passes: Any) -> Iterator[Result]:
    """Decide the sums that tell the data of an online learner from others."""
    names = (("examples", "examples"), ("positives", "positives"), ("sum of squares", "energy"))
    if passes:
        copies, unit = integers(u.copies)
        seen, positive = sum(copies), sum(c for c, y in zip(copies, u.signs, strict=True) if y > 0)
        energy = sum(map(int.__mul__, copies, u.squares)) * u.square_unit + u.private * seen
        yield agrees("radius", fields["radius"], u.longest, u.width + 8, power=2)
        for (claim, name), truth, more in zip(names, (seen, positive, energy), (4, 4, u.width + 8), strict=True):
            yield agrees(claim, fields[name], truth * passes * unit, passes * u.count + more)
    else:
        need(finite(fields["radius"]), "radius", "it is not a finite number")
        yield upper_bound("radius", fields["radius"], u.longest, u.longest, Fraction(1))
        yield from ((claim, "on trust", f"{shown(fields[name])}, of several fits") for claim, name in names)


def need_mistakes(fields: Any) -> None:
    """Refute a number of mistakes that no run can have."""
    mistakes, examples = fields["mistakes"], fields["examples"]
    good = finite(mistakes, examples) and 0 <= mistakes <= examples
    need(good, "mistakes", f"{shown(mistakes)} in {shown(examples)} examples")


def need_bound(fields: Any, u: Vectors, name: str, updates: int, separates: Any) -> None:
    """Refute more mistakes than the theorem of the rule allows, if the weights separate the rows."""
    mistakes, C, (low, _) = fields[name], fields["parameter"], u.smallest_margin()
    squares = {"perceptron": u.longest, "passive-aggressive": u.longest}
    if finite(C) and C > 0:
        squares |= {"passive-aggressive I": max(u.longest, 1 / Fraction(C))}
        squares |= {"passive-aggressive II": u.longest + 1 / (2 * Fraction(C))}
    if separates and low > 0 and not u.private and fields["rule"] in squares:
        roundings = 4 * (u.width + 8) * (max(0, updates) + 8) + len(u.copies) + 64  # by which a run may differ
        most = squares[fields["rule"]] * length2(u.v, u.v_unit) / low**2 * (1 + roundings * EPS)
        need(mistakes <= most, name, f"{shown(mistakes)}, more than the {shown(most)} that the theorem allows")


def check_moving_target(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a MovingTargetCertificate: what a learner that forgets saw. The rest is shown by a repeated run only."""
    u = Vectors(fields["evidence"], rows, labels, weights)
    need_counts(1, fields["updates"], u)
    need(u.a is None and not u.private, "evidence", "a learner that forgets has no duals and no private features")
    yield from scale_results(u, fields)
    if u.is_mixed:
        return
    yield from check_data(fields, u, 1)
    yield from u.check_sum(fields, "no separator of the updates has a larger margin")
    need_mistakes(fields)
    for name in ("remembered", "longest", "forget"):
        need(fields[name] >= 0, name, f"{shown(fields[name])}, which no run can have")
    for name in ("mistakes", "updates", "rule", "parameter", "forget", "half_life", "remembered", "longest"):
        yield name, "on trust", f"{fields[name]}, as the learner says"


def check_mistakes(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a MistakeCertificate: what an online learner saw, its weights, and its mistakes."""
    u, passes, updates = Vectors(fields["evidence"], rows, labels, weights), fields["passes"], fields["updates"]
    need_counts(passes, updates, u)
    yield from scale_results(u, fields)
    if u.is_mixed:
        return
    yield from check_data(fields, u, passes)
    yield from u.check_sum(fields, "no separator has a larger margin")
    if u.a is not None and fields["rule"] == "perceptron":  # each mistake, and nothing else, is a step
        yield agrees("mistakes, as the steps behind the weights", fields["mistakes"], u.steps, updates + 4)
    low, high = u.smallest_margin()
    if fields["separates"]:
        status = "holds" if low > 0 else "open" if high > 0 else "fails"
        yield "separates", status, f"the smallest y v.u of {len(u.seen)} rows is {shown(low)}"
    need_mistakes(fields)
    need_bound(fields, u, "mistakes", updates, passes and fields["separates"])
    for name in ("mistakes", "updates", "passes", "rule", "parameter"):
        yield name, "on trust", f"{fields[name]}, as the learner says"


def check_mixing(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a MixingCertificate: what the partitions saw, the mixed weights, and sums over the mistakes of rounds."""
    u, updates, mixing = Vectors(fields["evidence"], rows, labels, weights), fields["updates"], fields["mixing"]
    each, sizes = mixing["mistakes"], mixing["rows"]
    passes = len(each)
    good = sizes and min(sizes) >= 0 and sum(sizes) == len(rows) and all(len(own) == len(sizes) for own in each)
    need(good, "partitions", f"{shown(sum(sizes))} rows and mistakes of each partition in each round are needed")
    need(all(finite(*own) and min(own) >= 0 for own in each), "mistakes", "some are negative or not finite")
    need_counts(passes, updates, u)
    plain = u.a is not None and not u.private and not u.is_scaled
    known = fields["rule"] == "perceptron" or fields["rule"].startswith("passive-aggressive")
    need(known, "rule", f"{fields['rule']!r} is not a rule of runs on partitions")
    need(plain, "weights", "private features, a scale, or no rows behind them: not those of a run on partitions")
    yield from check_data(fields, u, passes)
    yield from u.check_sum(fields, "no separator has a larger margin", 4 * passes * (len(sizes).bit_length() + 4))
    yield agrees("rows on the wrong side", mixing["errors"], u.errors(), u.count + 4)
    need_mistakes(fields)
    exact, roundings = [[Fraction(k) for k in own] for own in each], passes * len(sizes) + 16
    sums = [(sum(own, ZERO), sum((k * k for k in own), ZERO)) for own in exact]
    weighted = sum((squares / total for total, squares in sums if total), ZERO)
    yield agrees("mistakes", fields["mistakes"], sum((total for total, _ in sums), ZERO), roundings)
    yield agrees("weighted mistakes", fields["weighted_mistakes"], weighted, roundings)
    if fields["rule"] == "perceptron":  # each mistake, and nothing else, is a step
        claim = "weighted mistakes, as the steps behind the weights"
        yield agrees(claim, fields["weighted_mistakes"], u.steps, 4 * passes + updates + 16)
    need_bound(fields, u, "weighted_mistakes", updates + 8 * passes, mixing["errors"] == 0)
    for name in ("rule", "parameter", "updates"):
        yield name, "on trust", f"{fields[name]}, as the learner says"
    for name in ("mistakes", "tie", "seed", "shuffle"):
        yield f"{name} of the rounds", "on trust", f"{mixing[name]}, as the learner says"


def check_of_sum(fields: Any, u: Vectors, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide what certificates with a sum v of examples share: a MistakeCertificate, and v; ``u`` has its rows."""
    margin = "no separator has a larger margin"
    same = all(fields["evidence"][name] == fields["sum"][name] for name in ("geometry", "positive"))
    own = fields["evidence"]["duals"] is None and same
    need(own, "weights", "they are not a sum of examples, and have the geometry and the positive class of the sum")
    need(u.width == len(fields["evidence"]["weights"]), "weights", "they are not as many as those of the sum")
    yield from (result for result in check_mistakes(fields, rows, labels, weights) if result[0] != margin)
    for claim, status, detail in u.check_sum(fields, margin):
        yield "sum of examples" if claim == "weights" else claim, status, detail
    if u.a is not None:
        yield agrees("weight of the sum", fields["added"], u.steps, fields["updates"] + 4)


def check_second_order(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a SecondOrderCertificate: the sum v of examples behind its proofs, and a diagonal matrix."""
    u, square = Vectors(fields["sum"], rows, labels, weights), "v'A^-1 v"
    matrix = [*fields["variances"], fields["intercept_variance"]]
    good = finite(*matrix) and min(matrix) >= 0 < matrix[-1] and len(matrix) == u.width + 1
    need(good, "matrix", "its diagonal is not positive, or too short")
    yield from check_of_sum(fields, u, rows, labels, weights)
    if u.a is None:
        yield square, "on trust", f"at most {shown(fields['sum_square'])}, of the run"
        return
    total, size, unit, error = u.sums(u.a)
    sizes = {j: (Fraction(abs(s)), error * size[j]) for j, s in total.items()}
    ends = [
        sum((Fraction(matrix[j] or 1) * max(ZERO, s + sign * wide) ** 2 for j, (s, wide) in sizes.items()), ZERO)
        for sign in (-1, 1)
    ]
    claimed = fields["sum_square"]
    if claimed == math.inf:
        yield square, "holds", "at most infinity"
        return
    need(finite(claimed), square, "it is not a number")
    yield square, decide(ends[0] * unit**2, ends[1] * unit**2, Fraction(claimed)), f"claimed {shown(claimed)}"


def check_perceptron_margin(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a PerceptronMarginCertificate: lower bound <= margin of the model <= largest margin <= upper bound."""
    u = Vectors(fields["evidence"], rows, labels, weights)
    need_counts(0, fields["updates"], u)
    yield from scale_results(u, fields)
    if u.is_mixed:
        return
    yield agrees("radius", fields["radius"], u.longest, u.width + 8, power=2)
    yield in_order(fields)
    length = length2(u.v, u.v_unit) + u.private * (length2(*integers(u.a)) if u.a else 0)
    yield lower_bound(fields["margin_lower_bound"], *u.smallest_margin(), length)
    yield from u.check_sum(fields, "upper bound")
    for name in ("mistakes", "examples", "updates", "halted"):
        yield name, "on trust", f"{fields[name]}, as the learner says"


def check_kesler(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a KeslerCertificate: what an online learner saw whose classes are learned together."""
    model, counts, passes, updates = fields["model"], fields["counts"], fields["passes"], fields["updates"]
    W, biases, classes, geometry = (model[name] for name in ("weights", "biases", "classes", "geometry"))
    good = len(W) == len(biases) == len(counts) == len(classes) == len(set(classes)) > 0 and len({*map(len, W)}) == 1
    need(good, "model", "each class needs a weight vector, an intercept and a number of examples, and occurs once")
    flat = [x for w in W for x in w]
    need(finite(*flat, *biases) and (geometry["fit_intercept"] or not any(biases)), "model", "impossible weights")
    need(geometry["slack_feature"] == 0, "model", "classes that are learned together have no private features")
    first = {"weights": W[0], "intercept": biases[0], "geometry": geometry, "positive": classes[0], "duals": None}
    u = Vectors(first | {"scale": model.get("scale")}, rows, labels, weights)
    labels = [labels[i] for i in u.places]
    yield from scale_results(u, fields)
    need(u.seen, "data", "all weights are 0")
    need_counts(passes, updates, u)
    known = all(labels[i] in classes for i in u.seen)
    need(known, "data", "a row has a label that the model does not know")
    names = (("examples", "examples"), ("sum of squares", "energy"))
    if passes:
        copies, unit = integers(u.copies)
        energy = sum(map(int.__mul__, copies, u.squares)) * u.square_unit
        yield agrees("radius", fields["radius"], u.longest, u.width + 8, power=2)
        for (claim, name), truth, more in zip(names, (sum(copies), energy), (4, u.width + 8), strict=True):
            yield agrees(claim, fields[name], truth * passes * unit, passes * u.count + more)
        claim, roundings, status = "examples of each class", passes * u.count + 4, "holds"
        for label, count in zip(classes, counts, strict=True):
            own = sum(c for c, other in zip(copies, labels, strict=True) if other == label)
            status = agrees(claim, count, own * passes * unit, roundings)[1] if status == "holds" else status
        yield claim, status, f"{len(classes)} classes"
    elif not u.is_mixed:
        need(finite(fields["radius"]), "radius", "it is not a finite number")
        yield upper_bound("radius", fields["radius"], u.longest, u.longest, Fraction(1))
        yield from ((claim, "on trust", f"{shown(fields[name])}, of several fits") for claim, name in names)
    mistakes, examples = fields["mistakes"], fields["examples"]
    good = finite(mistakes, examples) and 0 <= mistakes <= examples
    need(good, "mistakes", f"{shown(mistakes)} in {shown(examples)} examples")
    bound = fields["margin_upper_bound"]
    yield "no larger margin", "on trust", f"at most {shown(bound)}, the least |w| / sum of steps of the run"
    for name in ("mistakes", "updates", "passes", "rule", "parameter"):
        yield name, "on trust", f"{fields[name]}, as the learner says"


def check_kesler_sum(fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide a KeslerSumCertificate: a KeslerCertificate with a sum of the vectors z, and a diagonal matrix."""
    own, model, added, square = fields["sum"], fields["model"], fields["sum"]["added"], fields["sum"]["square"]
    sums, variances = [*own["weights"], own["biases"]], [*own["variances"], own["bias_variances"]]
    same = list(map(len, sums)) == list(map(len, variances)) == list(map(len, [*model["weights"], model["biases"]]))
    matrix = [x for row in variances for x in row]
    good = finite(*matrix, *(x for row in sums for x in row)) and min(matrix) >= 0 < min(own["bias_variances"])
    need(same and good, "matrix", "it is not positive and finite, or of another size than the weights")
    yield from check_kesler(fields, rows, labels, weights)
    slack = 1 + 4 * (max(0, fields["updates"]) + 8) * EPS
    between = finite(added) and fields["mistakes"] <= added * slack and added <= fields["examples"] * slack
    need(between, "weight of the sum", "it is not between the mistakes and the examples")
    need(square >= 0, "v'A^-1 v", "it is negative, or not a number")
    yield "sum of examples", "on trust", "only a repeated run shows it"
    yield "weight of the sum", "on trust", f"{shown(added)}, of the run"
    yield "v'A^-1 v", "on trust", f"at most {shown(square)}, of the run"


CHECKS = {
    "CrammerSingerCertificate": check_crammer_singer,
    "GapCertificate": check_gap,
    "HullCertificate": check_hull,
    "KeslerCertificate": check_kesler,
    "KeslerSumCertificate": check_kesler_sum,
    "MistakeCertificate": check_mistakes,
    "MixingCertificate": check_mixing,
    "MovingTargetCertificate": check_moving_target,
    "PerceptronMarginCertificate": check_perceptron_margin,
    "SecondOrderCertificate": check_second_order,
}


def check_claims(kind: str, fields: Any, rows: list[Row], labels: list[Any], weights: Any) -> Iterator[Result]:
    """Decide all claims of one certificate, after checking that the data have the right shape."""
    need(kind in CHECKS, "certificate", f"{kind!r} is not known")
    need(rows and len(labels) == len(rows), "data", f"{len(rows)} rows, {len(labels)} labels")
    good = weights is None or (len(weights) == len(rows) and finite(*weights) and min(weights) >= 0)
    need(good, "data", "the weights of rows must be finite, not negative, and one per row")
    model = fields.get("model") or fields["evidence"]
    sides = None if model.get("negative") is None else (model["positive"], model["negative"])  # others are not read
    values = (x for row, label in zip(rows, labels, strict=True) if sides is None or label in sides for _, x in row)
    need(finite(*values), "data", "NaN or infinity among the values")
    width = len((model["weights"] or [[]])[0] if "biases" in model else model["weights"])
    last = max((row[-1][0] for row in rows if row), default=-1)
    need(last < width, "data", f"the model has {width} features, the data {last + 1}")
    yield from CHECKS[kind](fields, rows, labels, weights)


def check_certificate(kind: str, fields: Any, rows: list[Row], labels: list[Any], weights: Any = None) -> list[Result]:
    """Decide all claims of one certificate, given its fields as numbers, lists and dicts."""
    return collected(check_claims(kind, fields, rows, labels, weights))


# ---- the model as a whole ------------------------------------------------------------------------------------------


def fingerprint(rows: list[Row], labels: list[Any], weights: list[float]) -> str:
    """Return the hash of the rows, which a model file may state."""
    entries = [entry for row in rows for entry in row]
    whole = (int(label) if isinstance(label, float) and label.is_integer() else label for label in labels)
    streams = [struct.pack(f"<{len(rows)}I", *map(len, rows))]
    streams.append(struct.pack(f"<{len(entries)}I", *(j for j, _ in entries)))
    streams.append(struct.pack(f"<{len(entries)}d", *(value for _, value in entries)))
    streams.append("".join(json.dumps(label) + "\n" for label in whole).encode("ascii"))
    streams += [struct.pack(f"<{len(weights)}d", *weights)] * any(weight != 1 for weight in weights)
    digests = b"".join(hashlib.sha256(stream).digest() for stream in streams)
    return f"sha256:{hashlib.sha256(digests).hexdigest()}"


def counted_weights(model: Any, labels: list[Any], weights: list[float]) -> list[float]:
    """Return the weight of each row times that of its class."""
    given, pairs = model["parameters"].get("class_weight"), list(zip(labels, weights, strict=True))
    if given is None:
        return weights
    if isinstance(given, dict):
        by_class = dict(given["dict"])
        return [weight * by_class.get(label, 1.0) for label, weight in pairs]
    if not model["state"].get("is_stream"):
        totals = {own: math.fsum(weight for label, weight in pairs if label == own) for own in set(labels)}
        total, count = math.fsum(totals.values()), sum(map(bool, totals.values()))
        return [weight * (total / (count * totals[label])) if weight else 0.0 for label, weight in pairs]
    counted, seen = [], {label: 0.0 for label in labels}
    for label, weight in pairs:  # a stream counts the rows up to and including this one
        seen[label] += weight
        met = sorted(total for total in seen.values() if total)
        counted.append(weight * in_order_sum(met) / (len(met) * seen[label]) if weight else 0.0)
    return counted


def in_order_sum(numbers: Any) -> float:
    """Return a sum that is rounded after each number; ``sum`` is more exact in later versions of Python."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def objects(tree: Any) -> Iterator[Any]:
    """Yield all JSON objects within a tree."""
    if isinstance(tree, dict):
        yield tree
    for entry in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from objects(entry)


def predictors(state: Any, arrays: Any) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield positive and negative label, weights and intercepts of all weight vectors that the state predicts with."""
    for tree in objects(state):
        if "weights" in tree and ("biases" in tree or {"positive", "bias"} <= tree.keys()):
            names, positive = state.get("labels"), tree.get("positive")
            bias = arrays[tree["biases"]] if "biases" in tree else tree["bias"]
            label = positive if not names else None if positive < 0 else names[positive]
            weights = arrays[tree["weights"]]
            if tree.get("memory"):  # a learner that forgets stores its weights divided by a scale
                scale = tree["memory"]["scale"]
                weights, bias = [scale * weight for weight in weights], scale * bias
            yield label, tree.get("negative"), weights, bias


def scale_of(scale: Any, arrays: Any) -> tuple[Any, Any]:
    """Return what a state with a scale multiplies each column by, and what it subtracts before; None for nothing."""
    if scale is None:
        return None, None
    if centring := scale.get("centring"):
        return arrays[centring["factors"]], arrays[centring["shifts"]]
    pairs = zip(arrays[scale["weights"]], arrays[scale["squares"]], strict=True)
    return [math.sqrt(weight / square) if square >= 1e-240 else 0.0 for weight, square in pairs], None


ARRAYS = (
    "weights",
    "rows",
    "values",
    "classes",
    "biases",
    "bias_variances",
    "costs",
    "factors",
    "shifts",
    "counts",
    "variances",
)  # fields that are arrays


def fields_of(tree: Any, arrays: Any, key: str = "") -> Any:
    """Return a tree with its arrays in place of their names, and infinities in place of their texts."""
    if isinstance(tree, dict):
        return {name: fields_of(entry, arrays, name) for name, entry in tree.items()}
    if isinstance(tree, str) and (key in ARRAYS or (key == "mistakes" and tree in arrays)):  # or a number
        return arrays[tree]
    return float(tree) if tree in ("inf", "-inf") and key not in ("positive", "negative") else tree


def check(model: Any, rows: list[Row], labels: list[Any], weights: Any = None) -> list[Result]:
    """Decide all claims of a model, as ``read_model`` returns it."""
    return collected(check_model(model, rows, labels, weights or [1.0] * len(rows)))


def check_model(model: Any, rows: list[Row], labels: list[Any], weights: list[float]) -> Iterator[Result]:
    """Decide that the certificates are about these data and this model, and then all their claims."""
    good = len(labels) == len(rows) == len(weights) > 0 and finite(*weights) and min(weights) >= 0
    need(good, "data", "there must be one label per row, and weights that are finite and not negative")
    if model["fingerprint"] is not None:
        wrong = "other data: rows, labels, weights or their order differ from those that the model was learned from"
        need(fingerprint(rows, labels, weights) == model["fingerprint"], "data", wrong)
        yield "data", "holds", "these are the rows that the model was learned from"
    classes, strategy, arrays = model["classes"]["values"], model["multi_class"], model["arrays"]
    counted = counted_weights(model, labels, weights)
    unknown = [label for label, c in zip(labels, counted, strict=True) if c > 0 and label not in classes]
    need(not unknown, "labels", f"the model does not know the label {unknown[:1]}")
    yield "labels", "holds", "the model knows all of them"
    sides: list[Any] = [(label, None) for label in (classes if len(classes) > 2 else classes[-1:])]
    if strategy != "ovr":
        pairs = [(late, early) for i, early in enumerate(classes) for late in classes[i + 1 :]]
        sides = pairs if strategy == "ovo" else [(classes, None)]
    every = [fields_of(tree, arrays) for tree in model["certificates"]]
    if any("members" in fields for fields in every):
        raise Unreadable("the model is a tracker, whose members must learn again; check it with 'novikoff certify'.")
    parts = [fields.get("model") or fields["evidence"] for fields in every]
    found = [(part.get("classes", part.get("positive")), part.get("negative")) for part in parts]
    if len(classes) == 1 and found == [(None, None)]:
        sides = found  # the only label that a stream has shown is taken for the negative one
    need(every and found == sides * (len(found) // len(sides)), "classes", "the certificates are about other labels")
    if counts := fields_of(model["class_count"], arrays, "rows"):
        for label, count in zip(classes, counts, strict=True):
            own = sum((Fraction(w) for w, other in zip(weights, labels, strict=True) if other == label), ZERO)
            need(agrees("", count, own, len(rows))[1] == "holds", "class frequencies", f"{label!r} has not {count}")
        yield "class frequencies", "holds", "they decide ties as the labels do"
    yield from check_header(model, every)
    keep, known = model["state"].get("rule", {}).get("keep", "last"), list(predictors(model["state"], arrays))
    for fields, part, (positive, negative) in zip(every, parts, found, strict=True):
        name = "all classes" if "biases" in part else f"{positive}"
        name = f"C {fields['C']:g}, {name}" if len(every) > len(sides) else name
        prefix = (f"{name}: " if negative is None else f"{name} against {negative}: ") if len(every) > 1 else ""
        bias = part.get("biases", part.get("bias", part.get("intercept")))
        vectors = [(None if "biases" in part else positive, negative, part["weights"], bias)]
        if "biases" in part and "geometry" in part:  # an online learner, whose state has each class for itself
            vectors = [(label, None, w, b) for label, w, b in zip(positive, part["weights"], bias, strict=True)]
        same = all(vector in known for vector in vectors)
        scale = part.get("scale") or {}
        same &= (scale.get("factors"), scale.get("shifts")) == scale_of(model["state"].get("scale"), arrays)
        status, of = ("holds" if same else "fails", "these") if keep == "last" else ("on trust", f"the {keep} of many")
        yield prefix + "model", status, f"its certificate is about the last weights, and {of} predict"
        for claim, status, detail in check_certificate(fields["certificate kind"], fields, rows, labels, counted):
            last = claim == "separates" and keep != "last"
            yield prefix + ("the last weights separate" if last else claim), status, detail


def stated_parameters(fields: Any, parameters: Any) -> Iterable[tuple[str, Any]]:
    """Return the parameters that a certificate states, with their values."""
    stated = {name: fields[name] for name in ("C", "tol", "loss") if name in fields}
    if "C" in fields:  # the costs show the class weights
        stated["class_weight"] = parameters.get("class_weight")
    if parameters.get("C") == "scale" or parameters.get("lam") is not None:  # C follows from the data
        stated.pop("C", None)
    if "intercept" in fields:
        stated["fit_intercept"] = fields["intercept"] != "none"
    if fields.get("intercept", "none") != "none":
        stated["penalized_intercept"] = fields["intercept"] == "penalized"
    stated |= (fields.get("evidence") or fields["model"]).get("geometry", {})
    return stated.items()


def check_header(model: Any, every: list[Any]) -> Iterator[Result]:
    """Compare the rest of the file with the certificates, and name what is on trust."""
    parameters, state = model["parameters"], model["state"]
    if copies := [fields_of(tree, model["arrays"]) for tree in objects(state) if "model" in tree]:
        same = copies == [{name: fields[name] for name in fields if name != "certificate kind"} for fields in every]
        yield "certificates", "holds" if same else "fails", f"the state holds {'the same' if same else 'other ones'}"
    pairs = [pair for fields in every for pair in stated_parameters(fields, parameters) if pair[0] in parameters]
    compared, wrong = {name for name, _ in pairs}, {name for name, value in pairs if parameters[name] != value}
    what = f"{'other values' if wrong else 'the same values'} of {', '.join(sorted(wrong or compared))}"
    yield "parameters", "fails" if wrong else "holds", f"the certificates state {what}"
    yield "learner", "on trust", f"{model['learner']}, by novikoff {model['library']}"
    yield "other parameters", "on trust", ", ".join(sorted(parameters.keys() - compared))
    if (model["reading"] or {}).get("encoding"):
        yield "encoder", "on trust", "its means, scales, fills, categories and words, which define the rows"
    names = [name for name in state | state.get("machine", {}) if name not in ("certificates", "machine", "labels")]
    yield "other fields", "on trust", ", ".join(["claims", "features", *(f"state.{name}" for name in names)])


# ---- files ---------------------------------------------------------------------------------------------------------


def read_bytes(path: str) -> bytes:
    """Return the content of a file, which may be compressed by gzip."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "its compressed content is damaged"
        raise Unreadable(f"{path} cannot be read: {reason}.") from None


def shaped(flat: Any, shape: list[int]) -> list[Any]:
    """Return the numbers of an array as a list, or as a list of rows."""
    return list(flat) if len(shape) == 1 else [list(flat[i * shape[1] :][: shape[1]]) for i in range(shape[0])]


def read_model(path: str) -> Any:
    """Return the header of a model file, with all its arrays as lists under ``arrays``."""
    data = read_bytes(path)
    if not data:
        raise Unreadable(f"{path} is empty, so it is not a model file of novikoff.")
    try:
        (size,) = struct.unpack("<Q", data[:8])
        outer, body = json.loads(data[8 : 8 + size]), data[8 + size :]
        header, arrays = json.loads(outer.pop("__metadata__")["novikoff"]), {}
        if header["format"] == "novikoff model" and header["version"] != VERSION:
            raise Unreadable(f"{path} has version {header['version']}; this program reads version {VERSION}.")
        spans = sorted(entry["data_offsets"] for entry in outer.values())
        if [0, *(end for _, end in spans)] != [*(start for start, _ in spans), len(body)]:
            raise Unreadable(f"{path} is damaged: it is longer or shorter than its header says.")
        shapes = [*(entry["shape"] for entry in outer.values()), *header["sparse"].values()]
        if sum(math.prod(max(1, side) for side in shape) for shape in shapes) > MAX_ZEROS + len(data):
            raise Unreadable(f"{path} has too many columns for this checker; check it with 'novikoff certify'.")
        for name, entry in outer.items():
            form, part = f"<{math.prod(entry['shape'])}{DTYPES[entry['dtype']]}", slice(*entry["data_offsets"])
            arrays[name] = shaped(struct.unpack(form, body[part]), entry["shape"])
        for name, shape in header["sparse"].items():
            full = [0.0] * math.prod(shape)
            for index, value in zip(arrays.pop(f"{name}.indices"), arrays.pop(f"{name}.values"), strict=True):
                full[index] = value
            arrays[name] = shaped(full, shape)
        return header | {"arrays": arrays}
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, struct.error, RecursionError):
        raise Unreadable(f"{path} is not a model file of novikoff, or it is damaged.") from None


def read_data(path: str, model: Any, label: str | None = None) -> tuple[list[Row], list[Any], list[float] | None]:
    """Return the rows of a CSV or svmlight file as the model saw them, with labels, and weights if there are any."""
    reading = model["reading"] or {}
    if reading.get("running") or reading.get("kinds"):
        how = "as a stream" if reading.get("running") else "with hashed columns"
        raise Unreadable(f"this model learned from a table that was encoded {how}; check it with 'novikoff certify'.")
    text = read_bytes(path).decode((reading.get("dialect") or {}).get("encoding") or "utf-8-sig", "replace")
    lines = [words for line in text.splitlines() if (words := line.split("#")[0].split())]
    if not lines:
        raise Unreadable(f"{path} has no rows.")
    if reading.get("encoding") or not re.fullmatch(r"[^\s,;|]+(\s+\S+:\S+)*", " ".join(lines[0])):
        return read_table(path, text, model, label)
    base, rows = reading.get("index_base", 1), []
    for number, words in enumerate(lines, 1):
        try:
            pairs = [word.split(":") for word in words[1:] if not word.startswith("qid:")]
            rows.append(sorted((int(j) - base, float(x)) for j, x in pairs if float(x)))
        except ValueError:
            raise Unreadable(f"{path}, row {number}: a value is not of the form COLUMN:NUMBER.") from None
    return rows, [label_of(words[0], model) for words in lines], None


def label_of(text: str, model: Any) -> Any:
    """Return the class that a text stands for, or the text."""
    number = float(text) if re.fullmatch(NUMBER, text) else None
    for label in model["classes"]["values"]:
        is_same = text.lower() == str(label).lower() if isinstance(label, bool) else label in (text, number)
        if is_same:
            return label
    return text


def quote_of(text: str, delimiter: str) -> str:
    """Return a single quote if it surrounds all cells of a column, below a header, and otherwise a double quote."""
    cells = [[cell.strip() for cell in line.split(delimiter)] for line in text.splitlines() if line.strip()]
    columns = zip(*cells[1:], strict=False)
    surrounds = any(any(column) and all(re.fullmatch("'.*'|", cell) for cell in column) for column in columns)
    return "'" if surrounds and not any(cell[:1] == '"' for record in cells for cell in record) else '"'


def read_table(path: str, text: str, model: Any, label: str | None) -> tuple[list[Row], list[Any], Any]:
    """Return the rows of delimited text, with the columns that the encoder of the model makes of them."""
    reading: Any = model["reading"] or {}
    dialect: Any = reading.get("dialect") or {}
    delimiter, quote = dialect.get("delimiter") or max(",;\t|", key=text.split("\n", 1)[0].count), dialect.get("quote")
    form: Any = {"quoting": csv.QUOTE_NONE} if quote == "" else {"quotechar": quote or quote_of(text, delimiter)}
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=delimiter != "\t", **form))
    except csv.Error as error:
        raise Unreadable(f"{path} is not a table of delimited text: {error}.") from None
    records = [[cell.strip() for cell in record] for record in lines if len(record) > 1 or "".join(record).strip()]
    names = dialect.get("names") or reading.get("columns") or []
    head = records[0] if records else []
    if dialect.get("header") is not False and (not names or set(head) & set(names)):
        names, records = head, records[1:]
    if not records:
        raise Unreadable(f"{path} has no rows.")
    for number, record in enumerate(records, 1):
        if len(record) < len(names):
            raise Unreadable(f"{path}, row {number}: {len(record)} cells, but there are {len(names)} columns.")
    columns = {name: [record[j] for record in records] for j, name in enumerate(names)}
    usual = [name for name in names if name.lower() in ("y", "label", "target", "class")]
    target, weight = label or reading.get("target") or (usual or names)[-1], reading.get("weight")
    decimal = dialect.get("decimal") or ("," if delimiter != "," and re.search(r"\d,\d", text) else ".")
    missing, encoding = {*MISSING, *(dialect.get("na") or ())}, reading.get("encoding")
    if encoding is None:  # numbers as they are
        plain = {"kind": "number", "shift": 0.0, "scale": 1.0, "fill": math.nan, "indicator": False}
        used = [name for name in reading.get("features") or names if name not in (target, weight)]
        numbers = [{"name": name, **plain} for name in used]
        encoding = {"columns": used, "numbers": numbers, "categories": [], "texts": [], "words": {}}
    used = [part["name"] for part in (*encoding["numbers"], *encoding["categories"], *encoding["texts"])]
    for name in (*used, target, *([weight] if weight else [])):
        if name not in columns:
            raise Unreadable(f"{path} has no column {name!r}, which the model needs.")
    rows: list[Row] = [[] for _ in records]
    more = {"missing": missing, "decimal": decimal}
    first, parts = 0, {part["name"]: part for part in (*encoding["numbers"], *encoding["categories"])}
    for part in [*(parts[name] for name in encoding["columns"] if name in parts), *encoding["texts"]]:
        places = {text: j for j, text in enumerate(part.get("categories", part.get("words", [""])))}
        for cell, row in zip(columns[part["name"]], rows, strict=True):
            row += [(first + j, x) for j, x in encoded(part, places, cell, encoding["words"] | more) if x]
        first += len(places) + part.get("indicator", False) + part.get("buckets", 0)
    weights = numbers_of(columns[weight], f"{path}, column {weight!r}") if weight else None
    return rows, [label_of(cell, model) for cell in columns[target]], weights


def numbers_of(texts: Any, where: str) -> list[float]:
    """Return texts as numbers."""
    try:
        return [float(text) for text in texts]
    except ValueError:
        raise Unreadable(f"{where}: a weight is not a number.") from None


def encoded(part: Any, places: dict[str, int], cell: str, settings: Any) -> Row:
    """Return what a cell becomes in the columns of its part of the encoder."""
    is_missing = cell in settings["missing"]
    if "shift" in part:
        if part["kind"] == "date":
            raise Unreadable(f"column {part['name']!r} holds dates; check this model with 'novikoff certify'.")
        text = {"true": "1", "false": "0"}.get(cell.lower(), cell.replace(settings["decimal"], "."))
        is_missing = is_missing or not re.fullmatch(NUMBER, text)
        value = ((part["fill"] if is_missing else float(text)) - part["shift"]) / part["scale"]
        return [(0, value), (1, float(is_missing and part["indicator"]))]
    if "categories" in part:
        if part["buckets"] and not is_missing and cell not in places:
            raise Unreadable(f"{cell!r} is a hashed category; check this model with 'novikoff certify'.")
        found = [len(places)] * part["indicator"] if is_missing else [places[cell]] * (cell in places)
        return [(j, 1.0) for j in found]
    text = cell.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower() if settings["lowercase"] else cell
    words, (shortest, longest) = re.findall(r"\w\w+", "" if is_missing else text), settings["ngram_range"]
    grams = (" ".join(words[i : i + n]) for n in range(shortest, longest + 1) for i in range(len(words) - n + 1))
    counts: Any = sorted((places[gram], count) for gram, count in Counter(grams).items() if gram in places)
    if settings["binary"] or settings["sublinear_tf"]:
        counts = [(j, 1 if settings["binary"] else 1 + math.log(count)) for j, count in counts]
    values = [(j, count * (part["idf"][j] if part["idf"] else 1.0)) for j, count in counts]
    length = math.sqrt(in_order_sum(x * x for _, x in values) or 1.0) if settings["norm"] else 1.0
    return [(j, x / length) for j, x in values]


def shortened(results: list[Result]) -> Iterator[Result]:
    """Yield what does not hold, and one line for each claim that many problems share."""
    counts = Counter((claim.rpartition(": ")[2], status) for claim, status, _ in results)
    for claim, status, detail in results:
        kind = claim.rpartition(": ")[2]
        if kind == claim or status in ("fails", "open"):
            yield claim, status, detail
        elif count := counts.pop((kind, status), 0):
            yield kind, status, f"in {count} problems, which --all lists"


def verdict(results: list[Result]) -> tuple[int, str]:
    """Return the exit status and the last line."""
    counts = Counter(status for _, status, _ in results)
    trust = counts.pop("on trust", 0)
    if counts["fails"]:
        return 1, f"refuted: {counts['fails']} of {counts.total()} claims fail ({trust} on trust)"
    if counts["open"] or not counts["holds"]:
        return 2, f"open: {counts['open']} of {counts.total()} claims are not decided ({trust} on trust)"
    return 0, f"proved: all {counts['holds']} claims hold ({trust} on trust)"


def main(arguments: list[str] | None = None) -> int:
    """Check a model file, print one line per claim, and return the exit status."""
    parser = argparse.ArgumentParser(prog="novikoff-check", description="Decide what a model file claims, exactly.")
    parser.add_argument("model", help="a model file of novikoff")
    parser.add_argument("data", help="the CSV or svmlight file that it was learned from")
    parser.add_argument("--label", help="the column of labels")
    parser.add_argument("--weights", help="a file with the weight of each row, one per line")
    parser.add_argument("--all", action="store_true", help="print all claims, also of more than 10 binary problems")
    given = parser.parse_args(arguments)
    damaged = f"{given.model} is damaged: "
    try:
        model = read_model(given.model)
        rows, labels, weights = read_data(given.data, model, given.label)
        if given.weights:
            weights = numbers_of(read_bytes(given.weights).split(), given.weights)
        results = check(model, rows, labels, weights)
    except Unreadable as error:
        code, message = 2, str(error)
    except KeyboardInterrupt:
        code, message = 130, "interrupted"
    except MemoryError:
        code, message = 2, "out of memory."
    except KeyError as error:
        code, message = 2, f"{damaged}it has no {error}."
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError, struct.error):
        code, message = 2, f"{damaged}a field has a value that the format does not allow."
    else:
        many = len({claim.rpartition(": ")[0] for claim, _, _ in results}) > 11
        for claim, status, detail in shortened(results) if many and not given.all else results:
            print(f"{status:>8}  {claim}: {detail}")
        code, message = verdict(results)
        print(message)
        return code
    print(f"novikoff-check: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
