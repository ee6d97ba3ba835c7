"""Certificates of learners with a full matrix: what they prove of every plane, and forgeries."""

import dataclasses
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._verify.runs import check_run
from novikoff.theory import FullMatrixCertificate, Geometry, second_order_bounds
from novikoff.theory.columns import Columns
from novikoff.theory.enclosed_sums import Enclosed
from novikoff.theory.enclosure import UNBOUNDED, Enclosure
from novikoff.theory.exact_lifted import ExactCombination
from novikoff.theory.lifted import Combined
from share import share_of
from theory.test_second_order import hinge_loss, noisy

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
LEARNERS = {
    "AROW": lambda: nk.AROW(full=True),
    "AROW, small r": lambda: nk.AROW(r=0.01, full=True),
    "second-order perceptron": lambda: nk.SecondOrderPerceptron(full=True),
    "second-order perceptron, small a": lambda: nk.SecondOrderPerceptron(a=0.01, full=True),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_no_plane_has_a_smaller_loss_than_is_proven(name):
    for seed in range(5):
        X, y = noisy(seed)
        certificate = LEARNERS[name]().set_params(max_iter=2, shuffle=False).fit(X, y).certificate_
        counts, random = certificate.sum.duals.dense(len(y)), np.random.default_rng(seed)
        assert math.isclose(counts.sum(), certificate.added)
        solved = np.append(certificate.evidence.weights, certificate.evidence.intercept)
        directions = [random.normal(size=4) * 10.0 ** random.uniform(-2, 1) for _ in range(40)]
        for u in [*directions, *(t * solved for t in (0.1, 0.5, 1, 2))]:
            loss = hinge_loss(X, y, u[:-1], u[-1], counts)
            assert certificate.hinge_loss_bound(u[:-1], u[-1]) <= loss + 1e-9
            assert certificate.added <= certificate.comparator_bound(X, y, u[:-1], u[-1]) + 1e-9
            assert certificate.mistakes <= certificate.closed_bound(X, y, u[:-1], u[-1]) + 1e-9


@pytest.mark.parametrize("name", LEARNERS)
def test_numbers_are_those_of_the_sums_over_the_updates(name):
    X, y = noisy(2)
    certificate = LEARNERS[name]().fit(X, y).certificate_
    counts, u = certificate.sum.duals.dense(len(y)), np.array([0.3, -0.2, 0.1, 0.4])
    rows = np.repeat(np.column_stack([X, np.ones(len(y))]), counts.astype(int), axis=0)
    sums = second_order_bounds.sums_of(rows, np.repeat(y, counts.astype(int)), u, certificate.parameter)
    assert certificate.sum_square == pytest.approx(sums.model, rel=1e-9)
    assert certificate.log_det == pytest.approx(sums.log_det, rel=1e-9)
    assert certificate._matrix().square(u[[3, 0, 1, 2]]).outer_high() == pytest.approx(sums.comparator, rel=1e-9)
    assert certificate.residual < 1e-9 * np.linalg.norm(certificate.sum.weights)
    assert certificate.sum_square <= certificate.log_det + certificate.corrections < math.inf
    assert "AROW" in name or certificate.corrections == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_random_and_adversarial_streams_refute_no_bound(name):
    for seed in range(share_of(100_000) // len(LEARNERS)):
        random = np.random.default_rng(seed)
        X, y = noisy(seed, rows=12, columns=2, scale=10.0 ** random.integers(-3, 4))
        model, counts = LEARNERS[name](), np.zeros(12)
        for i, x in enumerate(X):
            if seed % 2 and i > 1:  # the label that the learner does not expect
                y[i] = -1 if model.score_one(x) > 0 else 1
            before = model._learner.tally(0)["steps"] if i else 0.0
            model.partial_fit(x[None], y[i : i + 1], classes=[-1, 1])
            counts[i] = model._learner.tally(0)["steps"] - before
        certificate = model.certificate_
        assert certificate.log_det < math.inf
        weights = np.append(certificate.evidence.weights, certificate.evidence.intercept)
        for u in (random.normal(size=3) * 10.0 ** random.uniform(-4, 2), random.uniform(0, 2) * weights):
            loss = hinge_loss(X, y, u[:-1], u[-1], counts)
            assert certificate.hinge_loss_bound(u[:-1], u[-1]) <= loss * (1 + 1e-12) + 1e-12
            closed = certificate.closed_bound(X, y, u[:-1], u[-1])
            assert certificate.mistakes <= closed * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", LEARNERS)
def test_streams_and_fits_verify(name, form):
    X, y = noisy(3)
    X[np.abs(X) < 0.5] = 0
    X = np.column_stack([X, np.zeros(len(y))])
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.5], len(y))
    for model in (LEARNERS[name]().partial_fit(form(X), y, sample_weight=weights), LEARNERS[name]().fit(form(X), y)):
        own = weights if model._is_stream else None
        found = nk.verify(model, form(X), y, own)
        assert found, found
        assert {"run", "w'Aw", "log det(A/a)"} <= {check.claim for check in found.checks}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("more", [{"scale": "running"}, {"normalize": True}, {"fit_intercept": False}], ids=repr)
def test_rows_that_are_seen_in_another_form_verify(name, more):
    X, y = noisy(4)
    X = X * [1.0, 1e6, 1e-6]
    for model in (LEARNERS[name]().set_params(**more).partial_fit(X, y), LEARNERS[name]().set_params(**more).fit(X, y)):
        assert nk.verify(model, X, y)


FORGERIES = {
    "sum_square": lambda c: {"sum_square": 0.9 * c.sum_square},
    "residual": lambda c: {"residual": 0.0},
    "log_det": lambda c: {"log_det": 0.999 * c.log_det},
    "added": lambda c: {"added": c.added + 1},
    "updates": lambda c: {"updates": c.updates + 1},
    "mistakes": lambda c: {"mistakes": c.mistakes + 1},
    "margin_upper_bound": lambda c: {"margin_upper_bound": 0.5 * c.margin_upper_bound},
    "gains": lambda c: {"gains": -c.gains},
    "smaller gains": lambda c: {"gains": 0.9 * c.gains},
    "intercept_gain": lambda c: {"intercept_gain": c.intercept_gain + 1},
    "factor": lambda c: {"factor": 1.01 * c.factor},
    "short factor": lambda c: {"factor": c.factor[:-1]},
    "parameter": lambda c: {"parameter": 2 * c.parameter},
    "weights": lambda c: {"evidence": dataclasses.replace(c.evidence, weights=c.evidence.weights + 1e-4)},
    "sum": lambda c: {"sum": dataclasses.replace(c.sum, weights=c.sum.weights + 1e-3)},
    "examples": lambda c: {"examples": c.examples + 1},
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_claims_are_refuted(forgery):
    X, y = noisy(5)
    for model in (nk.AROW(full=True).fit(X, y), nk.AROW(full=True).partial_fit(X, y)):
        certificate = model.certificate_
        forged = dataclasses.replace(certificate, **FORGERIES[forgery](certificate))
        run = model.record_.problems[0].run
        problem = dataclasses.replace(model.record_.problems[0], certificate=forged)
        checks = [*forged.verify(X, y).checks, *check_run(problem, run, forged, X, y, np.ones(len(y)), False)]
        is_rounding = forgery == "residual"  # of which floating point cannot show that it is not 0
        assert {"open" if is_rounding else "fails"} <= {check.status for check in checks}, forgery


def test_an_example_too_long_for_the_matrix_costs_the_bound_and_not_the_truth():
    X, y = np.array([[1.0], [2.0], [-1e150], [1.5]]), [1, 1, 1, 1]
    certificate = nk.SecondOrderPerceptron(full=True).partial_fit(X, y, classes=[0, 1]).certificate_
    assert certificate.residual > 1e149
    assert certificate.hinge_loss_bound([1.0]) == 0
    assert certificate.verify(X, y)


def test_a_plane_of_another_length_is_refused():
    certificate = nk.AROW(full=True).partial_fit([[1.0], [-1.0]], [1, 0]).certificate_
    with pytest.raises(nk.InvalidInputError, match="coef"):
        certificate.hinge_loss_bound([1.0, 2.0])
    assert isinstance(certificate, FullMatrixCertificate)


def test_words_name_the_bound_of_the_paper():
    certificate = nk.AROW(full=True).partial_fit([[1.0], [-1.0], [2.0]], [1, 0, 1]).certificate_
    assert "log det(A/a) + U" in certificate.explain()
    assert dict(certificate.claims())["sum of examples"].startswith("2 added")


# ---- by hand ---------------------------------------------------------------------------------------------------------

A = ((3, 2), (2, 4))  # U D U' with 1/2 in U and the pivots 2 and 4; the intercept comes first


@cache
def some_certificate():
    return nk.AROW(full=True).partial_fit([[1.0], [-1.0], [2.0]], [1, 0, 1]).certificate_


def by_hand(weight=0.7, intercept=0.1, **fields):
    """A certificate of one column whose matrix is A; the numbers that data show are those of another run."""
    told = some_certificate()
    evidence = dataclasses.replace(told.evidence, weights=np.array([weight]), intercept=intercept)
    own = {"parameter": 1.0, "gains": np.array([3.0]), "intercept_gain": 1.0, "factor": np.array([0.5])}
    own |= {"added": 3.0, "mistakes": 2.0, "log_det": 3.0, "sum_square": 4.0, "residual": 0.5}
    return dataclasses.replace(told, **({"evidence": evidence} | own | fields))


def exact_product(x):
    return [sum(entry * Fraction(value) for entry, value in zip(row, x, strict=True)) for row in A]


def neighbours(number, steps=12):
    near = [float(number)]
    for _ in range(steps):
        near = [np.nextafter(near[0], -np.inf), *near, np.nextafter(near[-1], np.inf)]
    return [float(value) for value in near]


def test_the_square_of_the_weights_is_decided_between_neighbouring_doubles():
    w = (0.1, 0.7)
    square = sum(Fraction(value) * product for value, product in zip(w, exact_product(w), strict=True))
    found = set()
    for claimed in (*neighbours(square), float(square) * (1 - 1e-13), float(square) * (1 + 1e-13)):
        quick, sure = (by_hand(sum_square=claimed)._check_matrix(exact)[0] for exact in (False, True))
        assert sure.status == ("holds" if Fraction(claimed) >= square else "fails")
        assert quick.status in (sure.status, "open")
        found.add(quick.status)
    assert found == {"holds", "fails", "open"}
    infinite = by_hand(weight=np.inf, sum_square=1.0)._check_matrix(exact=True)
    assert infinite[0].status == "open"


def test_the_determinant_and_the_bound_of_the_paper_are_compared():
    """det A = 8, and U = 1. So w'Aw may be claimed to be at most 4 if log det A is claimed to be at most 3."""
    for log_det, status in ((math.log(8) * (1 + 1e-12), "holds"), (math.log(8) * (1 - 1e-12), "fails")):
        (_, determinant, _) = by_hand(log_det=log_det)._check_matrix(exact=False)
        assert (determinant.claim, determinant.status) == ("log det(A/a)", status)
    for square, status in ((4.0, "holds"), (math.nextafter(4.0, 5.0), "fails")):
        (_, _, closed) = by_hand(sum_square=square)._check_matrix(exact=False)
        assert (closed.status, closed.detail) == (status, "U is 1")
    (_, nothing) = by_hand(log_det=math.inf)._check_matrix(exact=False)
    assert (nothing.claim, nothing.status) == ("log det(A/a)", "on trust")
    assert by_hand(added=2.0).corrections == by_hand(added=1.5).corrections == 0.0
    assert by_hand(added=4.5).corrections == 2.5


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_bounds_for_a_plane_by_hand(fit_intercept):
    """u = (1/2, -1) has u'Au = 2.75 and |u|^2 = 1.25; without an intercept, (0, -1) has 4 and 1."""
    told = by_hand()
    geometry = Geometry(fit_intercept=fit_intercept)
    told = dataclasses.replace(told, evidence=dataclasses.replace(told.evidence, geometry=geometry), passes=2)
    square, length = (2.75, 1.25**0.5) if fit_intercept else (4.0, 1.0)
    X, y, copies = np.array([[0.25], [3.0], [-2.0]]), np.array([1, 0, 1]), np.array([1.0, 0.5, 2.0])
    bias = 0.5 if fit_intercept else 0.0
    scores = np.array([1, -1, 1]) * (-X[:, 0] + bias)
    loss = 2 * copies @ np.maximum(0.0, 1 - scores)
    assert loss > 0
    rest = length * 0.5
    proven = max(0.0, 3.0 - (2 * square**0.5 + rest))  # the root of w'Aw is at most 2
    assert told.hinge_loss_bound([-1.0], 0.5) == pytest.approx(proven, rel=1e-13)
    other = dataclasses.replace(told, sum_square=0.25)
    assert other.hinge_loss_bound([-1.0], 0.5) == pytest.approx(3.0 - 0.5 * square**0.5 - rest, rel=1e-13)
    found = told.comparator_bound(X, y, [-1.0], 0.5, copies)
    assert found == pytest.approx(loss + 2 * square**0.5 + rest, rel=1e-13)
    assert told.closed_bound(X, y, [-1.0], 0.5, copies) == pytest.approx(
        found - 1, rel=1e-13
    )  # log det A + U is 4, too
    wider = dataclasses.replace(told, log_det=8.0)
    assert wider.closed_bound(X, y, [-1.0], 0.5, copies) == pytest.approx(found - 1 + square**0.5, rel=1e-13)
    without = told.closed_bound(X, y, [-1.0], sample_weight=copies)
    assert (without == told.closed_bound(X, y, [-1.0], 0.5, copies)) == (not fit_intercept)


def test_the_product_of_two_roots_is_not_rounded_down():
    """|u| residual and sqrt(u'Au) sqrt(w'Aw) are at most the bound, whose error is some roundings."""
    random = np.random.default_rng(0)
    for u in random.normal(size=(40, 2)).tolist():
        square = sum(Fraction(value) * product for value, product in zip(u, exact_product(u), strict=True))
        told = by_hand(sum_square=0.3, residual=0.7, added=1e3)
        found = Fraction(told._product([u[1]], u[0]))
        lengths = Enclosure.exactly(sum(Fraction(value) ** 2 for value in u)).root()
        exact = Enclosure.exactly(square * Fraction(0.3)).root() + lengths * Enclosure.exactly(0.7)
        assert exact.high <= found <= exact.low * (1 + 60 * Fraction(1, 2**52))


def combined(v, intercept, radius=0.0, exponent=0):
    """A sum v of rows of which the columns are known up to a radius."""
    weights = Enclosed(np.ldexp(np.array([v]), -exponent), np.ldexp(np.array([radius]), -exponent), exponent)
    own, size = Enclosure(Fraction(intercept) - Fraction(radius), Fraction(intercept) + Fraction(radius)), UNBOUNDED
    return Combined(weights, weights, own, size, Enclosure.exactly(0), Fraction(3))


@pytest.mark.parametrize("exponent", [-900, 0, 7])
def test_the_residual_is_compared_with_that_of_the_enclosed_sum(exponent):
    """Aw = (3/4 + 1, 1/2 + 2) for w = (1/4, 1/2); v is off by 3/8 and 1/2, so that |v - Aw| is 5/8."""
    told = by_hand(weight=0.5, intercept=0.25)
    v, intercept = 2.5 - 0.5, 1.75 + 0.375
    for residual, status in ((0.625 * (1 + 1e-13), "holds"), (0.625, "open"), (0.625 * (1 - 1e-13), "fails")):
        claimed = dataclasses.replace(told, residual=residual)
        assert claimed._check_square(combined(v, intercept, exponent=exponent), None).status == status
    for residual, status in ((0.64, "holds"), (0.63, "open"), (0.62, "open"), (0.61, "fails")):
        claimed = dataclasses.replace(told, residual=residual)
        assert claimed._check_square(combined(v, intercept, 2**-7, exponent), None).status == status


def test_sums_that_are_not_known_leave_the_residual_open():
    known = combined(2.0, 2.125)
    unknown = Enclosed(np.array([2.0]), np.array([np.inf]), 0)
    for total in (dataclasses.replace(known, weights=unknown), dataclasses.replace(known, intercept=UNBOUNDED)):
        check = by_hand(residual=1e300)._check_square(total, None)
        assert (check.status, check.detail) == ("open", "the sum of the examples overflows")
    columns = Columns(np.array([1]), 2)  # of two columns, the first has no entries
    told = by_hand(
        weight=0.5, intercept=0.25, residual=0.6251, gains=np.array([0.0, 3.0]), factor=np.array([0, 0.5, 0])
    )
    told = dataclasses.replace(told, evidence=dataclasses.replace(told.evidence, weights=np.array([0.0, 0.5])))
    assert told._check_square(known, columns).status == "holds"
    assert dataclasses.replace(told, residual=0.6249)._check_square(known, columns).status == "fails"


@pytest.mark.parametrize("errors", [{}, {0: 3, 1: 1}])
def test_the_residual_is_decided_in_fractions(errors):
    """The sum v is that of a column and, behind it, of the intercept, in units of 2^-10."""
    told, sums = by_hand(), {0: 2100, 1: 1700}
    product = exact_product((0.1, 0.7))
    gaps = [abs(Fraction(sums[column], 1024) - product[1 - column]) for column in (0, 1)]
    low, high = (
        sum((gap + side * Fraction(errors.get(column, 0), 1024)) ** 2 for column, gap in enumerate(gaps))
        for side in (-1, 1)
    )
    total = ExactCombination(sums, sums, errors, -10, Fraction(0), Fraction(3))
    for claimed in {*neighbours(float(low) ** 0.5), *neighbours(float(high) ** 0.5)}:
        check = dataclasses.replace(told, residual=claimed)._check_square_exactly(total)
        square = Fraction(claimed) ** 2
        assert check.status == ("holds" if square >= high else "open" if square >= low else "fails")
    assert by_hand(weight=np.inf)._check_square_exactly(total) is None
    nothing = ExactCombination({}, {}, {}, 0, Fraction(0), Fraction(3))
    zero = by_hand(weight=0.0, intercept=0.0, residual=0.0)._check_square_exactly(nothing)
    assert zero.status == "holds"
    near = ExactCombination({0: 1}, {0: 1}, {0: 2}, 0, Fraction(0), Fraction(3))  # the error may explain the whole gap
    assert by_hand(weight=0.0, intercept=0.0, residual=2.9)._check_square_exactly(near).status == "open"


def test_a_matrix_has_one_pivot_for_each_weight():
    told = by_hand()
    assert told._has_valid_matrix()
    longer = dataclasses.replace(told.evidence, weights=np.zeros(2))
    for forged in (
        by_hand(gains=np.array([3.0, 3.0]), factor=np.array([0.5, 0.5, 0.5])),
        dataclasses.replace(told, evidence=longer),
        dataclasses.replace(told, sum=dataclasses.replace(told.sum, weights=np.zeros(2))),
        by_hand(factor=np.array([0.5, 0.5])),
        by_hand(intercept_gain=-1e-9),
    ):
        assert not forged._has_valid_matrix()


def test_without_a_bound_on_the_determinant_the_words_do_not_name_it():
    assert "log det(A/a) + U = 4," in by_hand().explain()
    assert "log det" not in by_hand(log_det=math.inf).explain()
    assert by_hand().explain().count("minus 0.5 |u|") == 1
