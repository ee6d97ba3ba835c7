"""All claims of a verdict on separation, decided in fractions."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from novikoff.theory.certificate import Duals

from .coefficient_claims import coefficients_fit, coefficients_hold
from .separability_claims import balances, dot, rows_of, spans

NEEDS = {"complete": (True, False), "quasi-complete": (True, True), "overlap": (False, True)}


class _Refuted(Exception):
    """A claim that fails, so that others cannot be decided."""


def _need(good, claim):
    if not good:
        raise _Refuted(claim)


def separability_claims(found, X, y, weights=None):
    """Return (claim, status, detail) of each claim of a ``Separability``. Rows of weight 0 are absent."""
    results = []
    try:
        data = X.toarray() if sp.issparse(X) else np.asarray(X), np.ravel(y)
        for claim, holds in _claims(*(found, *data) if weights is None else _present(found, *data, weights)):
            results.append((claim, "open" if holds is None else "holds" if holds else "fails", ""))
    except _Refuted as error:
        results.append((error.args[0], "fails", ""))
    return results


def _claims(found, X, y):
    _need(found.kind in (*NEEDS, "undecided"), "kind")
    _need(found.examples == len(X) == len(y) and np.all(np.isfinite(X)), "data")
    _need(coefficients_fit(found, len(X)), "coefficients")
    if found.kind == "undecided":
        yield "kind", None
        return
    needs_plane, needs_witness = NEEDS[found.kind]
    _need((found.coef is not None) == needs_plane and (found.witness is not None or not needs_witness), "kind")
    rows = rows_of(X.astype(np.float64), np.where(y == found.positive, 1, -1), found.fit_intercept)
    if found.witness is not None:
        places, weights = found.witness.rows.tolist(), found.witness.weights.tolist()
        is_list = len(places) == len(weights) == len(set(places)) > 0 and set(places) <= set(range(len(rows)))
        _need(is_list and all(0 < weight < math.inf for weight in weights), "witness")
    plane = _plane(found) if needs_plane else None
    if found.kind == "complete":
        yield "plane", min(dot(row, plane) for row in rows) > 0
        yield from _margins(found, rows, plane, found.width)
        if min(dot(row, plane) for row in rows) > 0:
            yield "coefficients", coefficients_hold(found, rows, [], plane)
        return
    own = [rows[i] for i in places]
    among = range(len(rows))
    is_balanced = balances(own, weights)
    yield "witness", is_balanced
    is_proven = bool(is_balanced)
    if plane is not None:
        among = found.boundary.tolist()
        _need(len(set(among)) == len(among) and set(among) <= set(range(len(rows))), "boundary")
        sides = [dot(row, plane) for row in rows]
        yield "plane", min(sides) >= 0 < max(sides)
        yield "boundary", sorted(among) == [i for i, side in enumerate(sides) if side == 0]
        is_proven &= min(sides) >= 0 < max(sides) and sorted(among) == [i for i, side in enumerate(sides) if side == 0]
    is_spanned = spans(own, [rows[i] for i in among])
    yield "span", is_spanned
    if is_proven and is_spanned:
        yield "coefficients", coefficients_hold(found, rows, [rows[i] for i in among], plane)


def _present(found, X, y, weights):
    """The verdict and the data without rows of weight 0."""
    _need(found.examples == len(X), "data")
    kept = np.flatnonzero(weights)
    numbers = {row: place for place, row in enumerate(kept.tolist())}

    def renumbered(rows, claim):
        _need(all(row in numbers for row in rows.tolist()), claim)
        return np.array([numbers[row] for row in rows.tolist()], dtype=rows.dtype)

    fields = {"examples": len(kept), "boundary": renumbered(found.boundary, "boundary")}
    if found.witness is not None:
        fields["witness"] = Duals(renumbered(found.witness.rows, "witness"), found.witness.weights)
    if all(hasattr(rows, "dtype") for rows in found.supports):
        fields["supports"] = tuple(renumbered(rows, "coefficients") for rows in found.supports)
    return dataclasses.replace(found, **fields), X[kept], y[kept]


def _plane(found):
    """The plane as fractions; that of its numerators, if there are any."""
    shown = [*found.coef.tolist(), *[found.intercept] * found.fit_intercept]
    _need(len(found.coef) == found.width and all(map(math.isfinite, [*shown, found.intercept])), "plane")
    _need(found.fit_intercept or found.intercept == 0, "plane")
    if found.numerators is None:
        return [Fraction(v) for v in shown]
    largest = max(map(abs, found.numerators), default=0)
    _need(len(found.numerators) == len(shown) and largest, "plane")
    _need([v / largest for v in found.numerators] == shown, "plane")
    return [Fraction(v) for v in found.numerators]


def _margins(found, rows, plane, width):
    lower, upper = found.margin_lower_bound, found.margin_upper_bound
    _need(not math.isnan(lower) and not math.isnan(upper), "margin")
    length = sum(v * v for v in plane[:width])
    _need(length > 0 and lower < math.inf, "margin")
    least = min(dot(row, plane) for row in rows)
    yield "margin", lower == -math.inf or Fraction(lower) * abs(Fraction(lower)) * length <= least * abs(least)
    if found.witness is None:
        if upper < math.inf:
            yield "best margin", False
        return
    a = dict(zip(found.witness.rows.tolist(), map(Fraction, found.witness.weights.tolist()), strict=True))
    if found.fit_intercept:  # rows are y (x, 1), so that the last entry is the sign
        totals = {s: sum((k for i, k in a.items() if rows[i][-1] == s), Fraction(0)) for s in (1, -1)}
        least = min(totals.values())
        a = {i: k * least / totals[int(rows[i][-1])] for i, k in a.items()} if least else {}
    total = sum(a.values())
    if not total:
        yield "best margin", upper == math.inf
        return
    combined = [sum(k * rows[i][j] for i, k in a.items()) / total for j in range(width)]
    square = sum(v * v for v in combined)
    yield "best margin", upper == math.inf or (upper >= 0 and square <= Fraction(upper) ** 2)
