import math
from fractions import Fraction

import pytest

from novikoff.theory.enclosure import UNBOUNDED, Enclosure, agrees, at_least, at_most, signed_square

THIRD = Enclosure(Fraction(33, 100), Fraction(34, 100))


def test_arithmetic_contains_the_results_of_all_members() -> None:
    a, b = Enclosure(Fraction(-1), Fraction(2)), Enclosure(Fraction(3), Fraction(5))
    for x in (-1, 0, 2):
        for y in (3, 4, 5):
            for whole, part in [(a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, Fraction(x, y))]:
                assert whole.low <= part <= whole.high
        assert a.square().low <= x * x <= a.square().high
        assert a.signed_square().low <= x * abs(x) <= a.signed_square().high
    assert (b / a) == UNBOUNDED  # the divisor may be 0
    assert a.times_power_of_two(-2) == Enclosure(Fraction(-1, 4), Fraction(1, 2))


def test_infinite_ends_make_everything_possible() -> None:
    half = Enclosure(Fraction(1), math.inf)
    assert (half + half) == Enclosure(Fraction(2), math.inf)
    assert (half - half) == UNBOUNDED
    assert (half * THIRD) == UNBOUNDED
    assert half.square() == Enclosure(Fraction(0), math.inf)
    assert Enclosure.exactly(math.nan) == UNBOUNDED
    assert Enclosure.between(math.nan, 1.0) == Enclosure(-math.inf, Fraction(1))


@pytest.mark.parametrize("number", [Fraction(25), Fraction(9, 16), Fraction(4, 9), Fraction(0)])
def test_roots_of_squares_are_exact(number: Fraction) -> None:
    root = Enclosure.exactly(number).root()
    assert root.low == root.high
    assert root.low * root.low == number


@pytest.mark.parametrize("number", [Fraction(2), Fraction(1, 3), Fraction(1.5e-323), Fraction(1e308) * 10])
def test_other_roots_are_enclosed(number: Fraction) -> None:
    root = Enclosure.exactly(number).root(bits=100)
    assert root.low * root.low < number < root.high * root.high
    assert root.width <= root.high / 2**98


@pytest.mark.parametrize(
    "number", [Fraction(1, 3), Fraction(-1, 3), Fraction(5e-324) / 3, Fraction(1e308) * 10, Fraction(7)]
)
def test_outer_floats_are_the_nearest_on_their_side(number: Fraction) -> None:
    found = Enclosure.exactly(number)
    low, high = found.outer_low(), found.outer_high()
    assert low <= number <= high
    assert math.nextafter(low, math.inf) >= high
    assert found.stated_low() == low
    assert found.stated_high() == high


def test_a_claim_holds_only_if_the_whole_enclosure_supports_it() -> None:
    assert at_most("margin", 0.35, THIRD).status == "holds"
    assert at_most("margin", 0.335, THIRD).status == "open"
    assert at_most("margin", 0.32, THIRD).status == "fails"
    assert at_least("margin", 0.32, THIRD).status == "holds"
    assert at_least("margin", 0.335, THIRD).status == "open"
    assert at_least("margin", 0.35, THIRD).status == "fails"
    assert at_most("margin", math.inf, UNBOUNDED).status == "holds"
    assert at_most("margin", -math.inf, THIRD).status == "fails"
    assert at_most("margin", math.nan, THIRD).status == "fails"
    assert at_least("margin", math.nan, THIRD).status == "fails"


def test_squares_are_compared_with_their_signs() -> None:
    two = Enclosure.exactly(Fraction(2))
    root = math.sqrt(2)
    above = root if Fraction(root) ** 2 > 2 else math.nextafter(root, 2)
    assert at_most("length", above, two, squared=True).status == "holds"
    assert at_most("length", math.nextafter(above, 0), two, squared=True).status == "fails"
    assert at_most("length", -2.0, two, squared=True).status == "fails"
    assert at_least("length", -2.0, two, squared=True).status == "holds"
    assert at_least("margin", -2.0, Enclosure.exactly(Fraction(-5)), squared=True).status == "fails"
    assert signed_square(Fraction(-3)) == -9


def test_agreement_allows_as_many_roundings_as_were_counted_and_no_more() -> None:
    value, unit = Enclosure.exactly(3.0), 2.0**-52
    assert agrees("sum", 3.0, value, 0).status == "holds"
    assert agrees("sum", 3.0 + 4 * unit, value, 1).status == "fails"
    assert agrees("sum", 3.0 + 4 * unit, value, 2).status == "holds"
    assert agrees("sum", 3.0 + 4 * unit, Enclosure(Fraction(3), Fraction(3 + 4 * unit)), 1).status == "open"
    assert agrees("radius", math.sqrt(2), Enclosure.exactly(2.0), 1, squared=True).status == "holds"
    assert agrees("radius", 1.5, Enclosure.exactly(2.0), 1, squared=True).status == "fails"
    assert agrees("sum", math.nan, value, 5).status == "fails"
    assert agrees("sum", 0.0, Enclosure(-Fraction(0), Fraction(0)), 0).status == "holds"
    assert agrees("sum", 0.0, Enclosure.exactly(5e-324), 1).status == "holds"  # a product may underflow
