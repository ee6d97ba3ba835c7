"""Verdicts on separation, honest and forged, against fractions: no false claim is proven and no true one is refuted."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.theory.certificate import Duals
from novikoff.theory.hull_bounds import HullSolution
from reference import hull_bounds
from reference.coefficient_claims import coefficients_hold
from reference.separability_claims import balances, dot, rows_of, spans
from separable_cases import small_case
from share import share_of, slow_unless


def plane_of(found):
    """The plane, in fractions."""
    if found.numerators is not None:
        return [Fraction(n) for n in found.numerators]
    return [Fraction(v) for v in [*found.coef.tolist(), *([float(found.intercept)] if found.fit_intercept else [])]]


def true_claims(found, X, y):
    """Which claims are true, by their names; those that depend on others that fail are left out."""
    signs = np.where(y == found.positive, 1.0, -1.0)
    z = rows_of(X, signs, found.fit_intercept)
    if found.kind == "complete":
        return true_claims_of_complete(found, X, signs, z)
    witness = [z[i] for i in found.witness.rows.tolist()]
    balanced = balances(witness, found.witness.weights.tolist())
    true = {} if balanced is None else {"witness": balanced}
    among = range(len(z))
    if found.kind == "quasi-complete":
        plane = plane_of(found)
        sides = [dot(row, plane) for row in z]
        true["plane"] = min(sides) >= 0 and any(sides)
        true["boundary"] = [i for i, side in enumerate(sides) if side == 0] == sorted(found.boundary.tolist())
        among = found.boundary.tolist()
    true["span"] = spans(witness, [z[i] for i in among])
    if balanced and all(true.values()):
        own_plane = plane if found.kind == "quasi-complete" else None
        true["coefficients"] = coefficients_hold(found, z, [z[i] for i in among], own_plane)
    return true


def true_claims_of_complete(found, X, signs, z):
    plane = plane_of(found)
    smallest, w = min(dot(row, plane) for row in z), plane[:-1] if found.fit_intercept else plane
    lower = Fraction(found.margin_lower_bound)
    true = {
        "plane": smallest > 0,
        "margin": any(w) and smallest * abs(smallest) >= lower * abs(lower) * dot(w, w),
    }
    if true["plane"]:
        true["coefficients"] = coefficients_hold(found, z, [], plane)
    if found.witness is None:
        return true | ({"best margin": False} if found.margin_upper_bound < math.inf else {})
    a = found.witness.dense(len(signs))
    intercept = "free" if found.fit_intercept else "none"
    solution = HullSolution(X, signs, np.ones(len(signs), bool), found.coef, 0.0, a, intercept)
    distance, upper = hull_bounds.truth(solution)[3], Fraction(min(found.margin_upper_bound, 1e308))
    true["best margin"] = distance is not None and upper >= 0 and distance <= upper * upper
    return true


def check_statuses(found, X, y):
    """Whether a certificate passed the tests of its structure; then each check has the right status."""
    true = None
    for exact in (False, True):
        checks = found.verify(X, y, exact=exact).checks
        if checks[0].status == "fails":  # the structure of the certificate
            return False
        true = true_claims(found, X, y) if true is None else true
        for check in checks[1:]:
            if check.claim in true:
                allowed = ["holds" if true[check.claim] else "fails"] + ["open"] * (not exact)
                assert check.status in allowed, (str(check), exact, found.to_json())
        if all(true.values()):
            assert {check.claim for check in checks[1:]} >= set(true)
    return True


def a_case(seed):
    """Small data of some kind, or of numbers of all magnitudes."""
    X, y, fit_intercept = small_case(seed)
    rng = np.random.default_rng(seed)
    if seed % 4 == 0:
        X = hull_bounds.values(rng, *X.shape)
    return rng, X, np.where(y > 0, "b", "a"), fit_intercept


def other_number(rng, number):
    factor = rng.choice([0.0, -1.0, 0.5, 2.0, 1 + 2**-52, 1 - 2**-53, 1 + 1e-12, 1e-300, 1e300])
    with np.errstate(all="ignore"):
        changed = number * factor if rng.random() < 0.7 else float(rng.choice([5e-324, -5e-324, 1e308, 1.0]))
    return float(np.clip(changed, -1.7e308, 1.7e308))


def forged(rng, found):
    """The verdict with some of it replaced."""
    kind = int(rng.integers(9))
    if rng.random() < 0.3:
        return forged_coefficients(rng, found)
    if kind == 0 and found.coef is not None:
        coef = found.coef.copy()
        place = int(rng.integers(len(coef)))
        coef[place] = other_number(rng, coef[place])
        return dataclasses.replace(found, coef=coef, numerators=None)
    if kind == 1 and found.coef is not None and found.fit_intercept:
        return dataclasses.replace(found, intercept=other_number(rng, found.intercept), numerators=None)
    if kind == 2 and found.coef is not None:
        numbers = [int(n) for n in (found.numerators or plane_numbers(found))]
        numbers[int(rng.integers(len(numbers)))] += int(rng.choice([-1, 0, 1]))
        return with_numerators(found, [n * int(rng.choice([1, 3])) ** 200 for n in numbers])
    if kind == 3 and found.kind == "quasi-complete":
        return dataclasses.replace(found, boundary=found.boundary[:: int(rng.choice([-1, 2]))])
    if kind == 4 and found.witness is not None:
        weights = found.witness.weights * rng.choice([1.0, 1.9, 0.55, 1.1, 1 + 1e-9, 2.5], size=len(found.witness.rows))
        if rng.random() < 0.5:
            weights = weights * 0 + rng.choice([5e-324, 1e-310, 1e308, 1.0])
        return dataclasses.replace(found, witness=Duals(found.witness.rows, weights))
    if kind == 5 and found.witness is not None:
        size = len(found.witness.rows)
        weights = 10.0 ** rng.uniform(-300, 300, size=size) if rng.random() < 0.3 else found.witness.weights
        return dataclasses.replace(found, witness=Duals(rng.permutation(found.examples)[:size], weights))
    if kind == 7:
        return dataclasses.replace(found, margin_lower_bound=other_number(rng, found.margin_lower_bound))
    upper = min(found.margin_upper_bound, 1e300)
    return dataclasses.replace(found, margin_upper_bound=other_number(rng, upper))


def forged_coefficients(rng, found):
    """The verdict with another status, direction, support or dependence."""
    kind = int(rng.integers(4))
    vectors = {1: "directions", 2: "dependences"}
    if kind in vectors and getattr(found, vectors[kind]):
        held = [list(vector) for vector in getattr(found, vectors[kind])]
        place = int(rng.integers(len(held)))
        held[place][int(rng.integers(len(held[place])))] += int(rng.choice([-1, 1, 10**30]))
        return dataclasses.replace(found, **{vectors[kind]: tuple(map(tuple, held))})
    if kind == 3 and found.supports:
        held = list(found.supports)
        place = int(rng.integers(len(held)))
        held[place] = rng.permutation(found.examples)[: int(rng.integers(1, 3))]
        return dataclasses.replace(found, supports=tuple(held))
    statuses = found.statuses.copy()
    place = int(rng.integers(len(statuses)))
    supports = dict(zip(np.flatnonzero(np.isin(statuses, [2, 3])).tolist(), found.supports, strict=True))
    statuses[place] = rng.integers(6)
    some = rng.permutation(found.examples)[:2]
    own = tuple(supports.get(j, some) for j in np.flatnonzero(np.isin(statuses, [2, 3])).tolist())
    return dataclasses.replace(found, statuses=statuses, supports=own)


def plane_numbers(found):
    plane = plane_of(found)
    scale = math.lcm(*(v.denominator for v in plane))
    return [int(v * scale) for v in plane]


def with_numerators(found, numbers):
    largest = max(map(abs, numbers))
    if largest == 0:
        return found
    floats = np.array([n / largest for n in numbers])
    own = found.width
    intercept = float(floats[-1]) if found.fit_intercept else 0.0
    return dataclasses.replace(found, coef=floats[:own], intercept=intercept, numerators=tuple(numbers))


def as_overlap(rng, found):
    """The claim that the classes overlap, with the witness that there is or some rows."""
    rows = found.witness.rows if found.witness is not None else np.arange(min(4, found.examples))
    nothing = {"coef": None, "intercept": 0.0, "numerators": None, "boundary": found.boundary[:0]}
    nothing |= {"statuses": 0 * found.statuses, "directions": (), "supports": (), "dependences": ()}
    nothing |= {"margin_lower_bound": 0.0}
    weights = found.witness.weights if found.witness is not None else np.ones(len(rows))
    return dataclasses.replace(found, kind="overlap", witness=Duals(rows, weights), margin_upper_bound=0.0, **nothing)


def check_one(seed, forgeries):
    rng, X, y, fit_intercept = a_case(seed)
    if len(np.unique(y)) < 2:
        return
    found = nk.separability(X, y, fit_intercept=fit_intercept)
    if found.kind == "undecided":
        return
    assert all(true_claims(found, X, y).values())
    for exact in (False, True):
        verification = found.verify(sp.csr_array(X) if rng.random() < 0.3 else X, y, exact=exact)
        assert verification, str(verification)
    for _ in range(forgeries):
        check_statuses(forged(rng, found), X, y)
    check_statuses(as_overlap(rng, found), X, y)


@pytest.mark.parametrize("seed", slow_unless(lambda seed: seed < 40, range(100)))
def test_honest_verdicts_are_true_and_forged_ones_are_decided_correctly(seed):
    check_one(seed, 6)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1000 + share_of(500), 125))
def test_many_honest_and_forged_verdicts(first):
    for seed in range(first, first + 125):
        check_one(seed, 8)
