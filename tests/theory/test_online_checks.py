"""What rows show of a model of an online learner: nothing false is proven, nothing true is refuted."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
import rational
from certified import change
from novikoff.theory import Geometry
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosure import UNBOUNDED, Enclosure
from novikoff.theory.evidence import Evidence
from novikoff.theory.online_checks import OnlineChecks, nearness
from rational import SMALLEST, UNIT, agreeing, around

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

TIMESTAMPS = np.array([[1700000000.0, 1.0], [1700000000.0, -1.0]])
UP_DOWN = np.array([1, 0])


def statuses(certificate, X, y, weights=None, **options):
    return {check.claim: check.status for check in certificate.verify(X, y, weights, **options).checks}


def checks_of(certificate, X, y, exact=False):
    evidence = certificate.evidence
    return OnlineChecks(evidence, X, evidence.signs(y), np.ones(len(y)), exact)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_bound_below_the_margin_of_timestamps_is_refuted(sparse, exact):
    """The plane (0, 1) has the margin 1; the bound claims 0.00995, less than a billionth of the rows' length."""
    model = nk.Perceptron(fit_intercept=False, shuffle=False).fit(TIMESTAMPS, UP_DOWN)
    X = sp.csr_array(TIMESTAMPS) if sparse else TIMESTAMPS
    claim = "no separator has a larger margin"
    assert statuses(model.certificate_, X, UP_DOWN, exact=exact)[claim] == "holds"
    forged = change(model.certificate_, margin_upper_bound=0.00995)
    assert statuses(forged, X, UP_DOWN, exact=exact)[claim] == "fails"


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200])
def test_tiny_weights_separate_what_they_separate(tiny):
    X, y = np.array([[0.5, 0.25], [-0.5, 0.25], [0.25, 0.5]]), np.array([1, 0, 1])
    certificate = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_
    right = change(certificate, separates=True, _weights=np.array([tiny, 0.0]), _duals=None)
    wrong = change(certificate, separates=True, _weights=np.array([0.0, tiny]), _duals=None)
    for exact in (False, True):
        assert statuses(right, X, y, exact=exact)["separates"] == "holds"
        assert statuses(wrong, X, y, exact=exact)["separates"] == "fails"


def test_rows_in_doubt_are_open_and_decided_exactly():
    X, y = np.array([[0.1, 0.2, 0.3], [-1.0, -1.0, -1.0]]), np.array([1, 0])
    certificate = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_
    for weights, decided in (([1.0, 1.0, -1.0], "holds"), ([-1.0, -1.0, 1.0], "fails")):
        X[1] = -X[0] if decided == "fails" else [-1.0, -1.0, 0.0]
        forged = change(certificate, separates=True, _weights=np.array(weights), _duals=None)
        truth = all(margin > 0 for margin in rational.margins(X, [1, -1], forged.evidence))
        assert truth == (decided == "holds")
        assert statuses(forged, X, y)["separates"] == "open"
        assert statuses(forged, X, y, exact=True)["separates"] == decided


def test_bounds_are_decided_to_the_last_digit():
    """The next double below the exact bound is refuted, and the next one above it is confirmed, with ``exact``."""
    random = np.random.default_rng(4)
    for delta in (0.0, 0.7):
        X, y = random.standard_normal((20, 3)), np.arange(20) % 2
        certificate = nk.Perceptron(max_iter=5, slack_feature=delta).fit(X, y).certificate_
        square = rational.squared_ratio(X, certificate.evidence.signs(y), certificate.evidence)
        near = float(square) ** 0.5
        for claimed in (np.nextafter(near, 0), near, np.nextafter(near, 1)):
            checks = checks_of(certificate, X, y, exact=True)
            expected = "holds" if rational.Fraction(float(claimed)) ** 2 >= square else "fails"
            assert checks.margin_upper_bound("bound", float(claimed)).status == expected
            assert checks_of(certificate, X, y).margin_upper_bound("bound", float(claimed)).status == "open"


@pytest.mark.parametrize("normalize", [False, True])
def test_lower_bounds_are_decided_to_the_last_digits(normalize):
    random = np.random.default_rng(5)
    X = random.standard_normal((20, 3))
    y = (X[:, 0] > 0).astype(int)
    certificate = nk.MarginPerceptron(epsilon=0.5, max_iter=1000, normalize=normalize).fit(X, y).certificate_
    checks = checks_of(certificate, X, y, exact=True)
    u = np.hstack([X, np.ones((20, 1))])
    u = u / np.linalg.norm(u, axis=1)[:, None] if normalize else u
    v = np.append(certificate.evidence.weights, certificate.evidence.intercept)
    margin = (certificate.evidence.signs(y) * (u @ v)).min() / np.linalg.norm(v)
    assert checks.margin_lower_bound("bound", margin * (1 - 1e-14)).status == "holds"
    assert checks.margin_lower_bound("bound", margin * (1 + 1e-14)).status == "fails"
    assert checks.margin_lower_bound("bound", margin).status in ("holds", "fails")


def test_weights_at_the_limit_of_rounding_are_decided_exactly():
    X, y = np.array([[0.1, 3.0], [0.7, -1.0]]), np.array([1, 0])
    certificate = nk.Perceptron(fit_intercept=False, max_iter=3, shuffle=False).fit(X, y).certificate_
    found = set()
    for moved in range(0, 200):
        weights = certificate.evidence.weights.copy()
        weights[1] += moved * np.spacing(weights[1])
        forged = replace(certificate, evidence=replace(certificate.evidence, weights=weights))
        quick, sure = (checks_of(forged, X, y, exact).weights(certificate.updates).status for exact in (False, True))
        assert sure in ("holds", "fails")
        assert quick in (sure, "open")
        found.add(sure)
    assert found == {"holds", "fails"}


def test_a_sum_of_squares_beyond_all_doubles_is_infinite():
    X, y = np.full((3, 2), 9e153) * [[1.0], [-1.0], [1.0]], np.array([1, 0, 1])
    certificate = nk.Perceptron(fit_intercept=False, max_iter=2).fit(X, y).certificate_
    assert certificate.energy == np.inf
    assert statuses(certificate, X, y)["sum of squares"] == "holds"
    assert statuses(certificate, X / 10, y)["sum of squares"] == "fails"


def test_duals_that_underflow_prove_nothing():
    X, y = np.array([[1.0, 0.2], [-1.0, 0.2]]), np.array([1, 0])
    certificate = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_
    duals = Duals(np.arange(2), np.full(2, 5e-324))
    forged = change(certificate, _duals=duals, _weights=np.array([1e-323, 0.0]), margin_upper_bound=0.9)
    for exact in (False, True):
        assert statuses(forged, X, y, exact=exact)["no separator has a larger margin"] == "fails"
        honest = replace(forged, margin_upper_bound=1.01)
        assert statuses(honest, X, y, exact=exact)["no separator has a larger margin"] == "holds"


def test_a_certain_lower_bound_on_all_margins():
    X, y = np.array([[0.1, 0.2, 0.3], [-1.0, 0.0, 0.0]]), np.array([1, 0])
    evidence = nk.Perceptron(fit_intercept=False).fit(X, y).certificate_.evidence
    for weights, sign in (([1.0, 1.0, -1.0], 1), ([1.0, 1.0, -1.0000000000000002], -1), ([1.0, 0.0, 0.0], 1)):
        model = replace(evidence, weights=np.array(weights), duals=None)
        least = OnlineChecks(model, X, np.array([1.0, -1.0]), np.ones(2), exact=True).least_margin()
        assert np.sign(least) == sign
        assert rational.Fraction(least) <= min(rational.margins(X, [1, -1], model))


def test_with_private_features_the_rows_that_are_right_without_them_are_counted():
    """XOR: with a private feature each, all four rows are on their side; without these, the weights are 0."""
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    model = nk.Perceptron(slack_feature=1.0).fit(X, y)
    assert model.score(X, y) == 0.5
    words = "4 rows, each on its right side in the space with a private feature for each; without these, 0 of 4"
    (check,) = [check for check in model.certificate_.verify(X, y).checks if check.claim == "separates"]
    assert (check.status, check.detail) == ("holds", words)


def test_the_rows_that_are_right_without_private_features_are_those_of_the_scores():
    random = np.random.default_rng(8)
    X = random.normal(size=(60, 3))
    y = (X[:, 0] + random.normal(size=60) > 0).astype(int)
    model = nk.Perceptron(slack_feature=2.0, max_iter=20_000).fit(X, y)
    right = np.count_nonzero(np.where(y == 1, 1, -1) * model.decision_function(X) > 0)
    assert 30 < right < 60
    (check,) = [check for check in model.certificate_.verify(X, y).checks if check.claim == "separates"]
    assert check.detail.endswith(f"; without these, {right} of 60")
    apart = y == (X[:, 0] > 0)
    plain = nk.Perceptron().fit(X[apart], y[apart]).certificate_
    (check,) = [check for check in plain.verify(X[apart], y[apart]).checks if check.claim == "separates"]
    assert check.detail == f"{np.count_nonzero(apart)} rows, each on its right side"


def checks_on(X, signs, weights, *, intercept=0.0, copies=None, duals=None, exact=False, count=None, **geometry):
    """The checks of a model without an intercept, unless the geometry says otherwise."""
    geometry = Geometry(**{"fit_intercept": False, **geometry})
    model = Evidence(np.asarray(weights, dtype=float), intercept, geometry, 1, duals)
    copies = np.ones(len(signs)) if copies is None else np.asarray(copies, dtype=float)
    return OnlineChecks(model, X, np.asarray(signs, dtype=float), copies, exact, count)


def assert_decided(found, found_exactly, expected):
    """``found_exactly`` is the truth, and what is found in floating point is the truth or open."""
    words = {True: "holds", False: "fails"}[bool(expected)]
    assert found_exactly.status == words
    assert found.status in (words, "open")


@pytest.mark.parametrize("sparse", [False, True])
def test_the_radius_is_that_of_rows_that_count_up_to_as_many_roundings_as_there_are_columns_and_eight(sparse):
    """The fifth column is empty, and the longest row has weight 0. Of the others, two lengths differ by one part."""
    X = np.array([[1.0, 0.3, 0.1, 0.7, 0.0], [0.3, 1.0, 0.7, 0.1 + 2**-56, 0.0], [9.0, 0.0, 0.0, 0.0, 0.0]])
    copies = np.array([1.0, 0.5, 0.0])
    square = max(sum(Fraction(value) ** 2 for value in row) for row in X[:2].tolist())
    table = sp.csr_array(X) if sparse else X
    quick, sure = (checks_on(table, [1, -1, 1], np.ones(5), copies=copies, exact=exact) for exact in (False, True))
    found, slack = set(), 5 + 8
    for claimed in around(float(square) ** 0.5):
        lowest, highest = Fraction(claimed) - slack * SMALLEST, Fraction(claimed) + slack * SMALLEST
        expected = (lowest / (1 + slack * UNIT)) ** 2 <= square <= (highest / (1 - slack * UNIT)) ** 2
        assert_decided(quick.radius(claimed), sure.radius(claimed), expected)
        longer = Fraction(claimed) ** 2 >= square
        assert_decided(quick.radius(claimed, one_sided=True), sure.radius(claimed, one_sided=True), longer)
        found |= {quick.radius(claimed).status, quick.radius(claimed, one_sided=True).status}
    assert found == {"holds", "fails", "open"}
    assert quick.radius(np.inf, one_sided=True).status == "fails"


def test_sums_of_weights_agree_up_to_one_rounding_per_example_and_four():
    copies = np.array([0.1, 0.2, 0.0, 0.3, 0.7])
    signs = np.array([1, -1, 1, 1, -1])
    for count, positive in product((None, 9), (False, True)):
        checks = checks_on(np.ones((5, 1)), signs, np.ones(1), copies=copies, count=count)
        value = 3 * sum(Fraction(copy) for copy in copies[(signs > 0) | (not positive)].tolist())
        for claimed in around(value):
            found = checks.total("examples", claimed, 3, positive=positive)
            assert (found.status == "holds") == agreeing(claimed, value, 3 * (count or 5) + 4)
            assert ("sample_weight" in found.detail) == (found.status == "fails")


@pytest.mark.parametrize("normalize", [False, True])
def test_the_sum_of_squares_agrees_up_to_its_roundings(normalize):
    X = np.array([[0.1, 0.2, 0.4], [0.3, -0.7, 0.2], [9.0, 0.0, 0.0], [0.5, 0.5, -0.25]])
    copies = np.array([1.0, 0.3, 0.0, 2.5])
    quick, sure = (
        checks_on(X, [1, -1, 1, 1], np.ones(3), copies=copies, exact=exact, normalize=normalize, slack_feature=0.5)
        for exact in (False, True)
    )
    squares = [1 if normalize else sum(Fraction(value) ** 2 for value in row) for row in X.tolist()]
    value = 2 * sum(Fraction(copy) * (square + Fraction(1, 4)) for copy, square in zip(copies, squares, strict=True))
    found = set()
    for claimed in around(value, steps=50):
        expected = agreeing(claimed, value, 2 * 4 + 3 + 8)
        assert_decided(quick.energy(claimed, 2), sure.energy(claimed, 2), expected)
        found.add(quick.energy(claimed, 2).status)
    assert found >= {"holds", "fails"}


def test_rows_of_weight_zero_do_not_count():
    """The second row is too short beside the first one for floating point, and on the wrong side."""
    X, signs, copies = np.array([[1e200, 0.0], [1e-200, 0.0]]), [1, -1], np.array([1.0, 0.0])
    checks = checks_on(X, signs, [1.0, 0.0], copies=copies, normalize=True)
    assert [check.status for check in checks.data(1.0, 1.0, 1.0, 1.0, 1)] == ["holds"] * 4
    assert checks.separates().status == "holds"
    assert checks.separates().detail == "1 row, each on its right side"
    assert checks.margin_lower_bound("margin", 0.999).status == "holds"
    assert 0.999 < checks.least_margin() <= 1.0
    both = checks_on(X, signs, [1.0, 0.0], normalize=True)
    assert both.energy(2.0, 1).status == "open"
    assert both.separates().status == "open"
    slack = checks_on(X, signs, [1.0, 0.0], copies=copies, slack_feature=1.0, duals=Duals(np.array([0]), np.ones(1)))
    assert slack.separates().detail.endswith("without these, 1 of 1")


@pytest.mark.parametrize("delta", [0.0, 0.75])
def test_margins_are_decided_between_neighbouring_doubles(delta):
    """The smallest margin is that of the row with the number 2, by little; the row of weight 0 has a smaller one."""
    X = np.array([[0.3, 0.1, 0.2], [0.1, -0.9, 0.4], [0.3 - 2**-54, 0.1, 0.2], [0.0, 0.1, 0.0], [0.9, 0.9, 0.9]])
    signs, copies = [1, 1, 1, 1, 1], np.array([1.0, 1.0, 1.0, 0.0, 2.0])
    weights, duals = [0.7, -0.3, 0.6], Duals(np.array([0, 1, 2, 4]), np.array([0.1, 0.1, 0.1, 0.3]))
    quick, sure = (
        checks_on(X, signs, weights, copies=copies, duals=duals, slack_feature=delta, exact=exact)
        for exact in (False, True)
    )
    margins = rational.margins(X, signs, quick.model)
    assert min((margin, row) for row, margin in enumerate(margins) if copies[row])[1] == 2
    own = Fraction(delta) ** 2 * sum(Fraction(a) ** 2 for a in duals.weights.tolist())
    square = margins[2] ** 2 / (sum(Fraction(w) ** 2 for w in weights) + own)
    found = set()
    for claimed in around(float(square) ** 0.5):
        checks = [some.margin_lower_bound("margin", claimed) for some in (quick, sure)]
        assert_decided(*checks, Fraction(claimed) ** 2 <= square)
        assert checks[1].row == (2 if checks[1].status == "fails" else None)
        found.add(checks[0].status)
    assert found == {"holds", "fails", "open"}
    assert Fraction(quick.least_margin()) <= margins[2] < Fraction(quick.least_margin()) * (1 + 40 * UNIT)
    nothing = replace(quick.model, weights=np.zeros(3))
    left = OnlineChecks(nothing, X, quick.signs, copies, exact=True).margin_lower_bound("margin", 1e-9)
    assert left.status == ("holds" if delta else "fails")
    assert ("weights are 0" in left.detail) == (not delta)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("updates", [-9, 0, 3, 2**40])
def test_weights_are_the_sum_of_the_rows_up_to_two_roundings_per_update(updates, intercept):
    """The columns have the sums 1, and 1 of rows with other signs, so that a rounding is that of the size 3."""
    X, signs = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0]]), np.array([1, -1])
    duals = Duals(np.arange(2), np.ones(2))
    roundings = 2 * updates + 3 + 16
    allowed = {0: 1, 1: 3} | ({3: 2} if intercept else {})
    for column, size in allowed.items():
        reach = roundings * (size * UNIT + SMALLEST)
        for claimed in (
            *around(reach if column == 3 else 1 + reach, 3),
            *around(-reach if column == 3 else 1 - reach, 3),
        ):
            numbers = np.array([1.0, 1.0, 0.0, 0.0])
            numbers[column] = claimed
            quick, sure = (
                checks_on(
                    X, signs, numbers[:3], intercept=numbers[3], duals=duals, exact=exact, fit_intercept=intercept
                )
                for exact in (False, True)
            )
            expected = abs(Fraction(claimed) - (column < 2)) <= reach
            assert_decided(quick.weights(updates), sure.weights(updates), expected)


def test_no_number_of_updates_is_negative_and_any_number_is_compared_in_fractions():
    X, signs, duals = np.array([[1.0, 2.0]]), np.array([1]), Duals(np.arange(1), np.ones(1))
    quick, sure = (checks_on(X, signs, [1.0, 2.0], duals=duals, exact=exact) for exact in (False, True))
    assert sure.weights(-9).status == "holds"  # 2 columns and 16 operations are as many as 18 less
    assert sure.weights(-10).status == quick.weights(-10).status == "fails"
    for updates, size, status in ((2**250, 1e59, "holds"), (2**250, 1e61, "fails"), (2**1200, 1e300, "holds")):
        quick, sure = (checks_on(X, signs, [size, 2.0], duals=duals, exact=exact) for exact in (False, True))
        assert quick.weights(updates).status == "open"
        assert sure.weights(updates).status == status


def test_a_number_is_near_if_it_is_near_all_that_are_enclosed():
    """In multiples of 2^-1074, in which a size of 2^52 s and k roundings allow k (s + 1)."""
    for number, low, width, size, more, k in product(range(-2, 5), (-2, 0, 1), (0, 2), (0, 1), (0, 1), (0, 1, 2)):
        found = Enclosure(low * SMALLEST, (low + width) * SMALLEST)
        sizes = Enclosure(size / UNIT * SMALLEST, (size + more) / UNIT * SMALLEST)
        near = [
            abs(number - value) <= k * (some + 1)
            for value, some in product(range(low, low + width + 1), (size, size + more))
        ]
        expected = "holds" if all(near) else "open" if any(near) else "fails"
        assert nearness(number * float(SMALLEST), found, sizes, k) == expected
    exact = Enclosure.exactly(1.0)
    assert nearness(1.0, UNBOUNDED, exact, 1) == nearness(1.0, exact, UNBOUNDED, 1) == "open"


@pytest.mark.parametrize("rows", [200, 5000])
def test_a_sum_of_squares_is_enclosed_closely_for_any_number_of_rows(rows):
    """Half of the weights and squares are so small that their product is less than any double."""
    values = np.where(np.arange(rows) % 2, 3.0, 7e-170)
    copies = np.where(np.arange(rows) % 3, 5e-170, 1.5)
    total = sum(
        Fraction(copy) * Fraction(value) ** 2 for copy, value in zip(copies.tolist(), values.tolist(), strict=True)
    )
    checks = checks_on(values[:, None], np.ones(rows), np.ones(1), copies=copies)
    far = (rows + 1 + 8) * UNIT
    assert checks.energy(float(total), 1).status == "holds"
    assert checks.energy(float(total * (1 + 2 * far)), 1).status == "fails"
    assert checks.energy(float(total * (1 - 2 * far)), 1).status == "fails"
