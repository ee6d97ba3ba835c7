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


@pytest.mark.parametrize(("low", "high"), [(-5, -2), (-5, 2), (-2, 5), (0, 5), (-5, 0), (2, 5), (3, 3)])
@pytest.mark.parametrize(("least", "most"), [(-7, -3), (-3, 7), (3, 7), (1, 1)])
def test_the_ends_of_a_result_are_reached_by_ends_of_the_operands(low: int, high: int, least: int, most: int) -> None:
    a, b = Enclosure(Fraction(low), Fraction(high)), Enclosure(Fraction(least), Fraction(most))
    assert a + b == Enclosure(Fraction(low + least), Fraction(high + most))
    assert a - b == Enclosure(Fraction(low - most), Fraction(high - least))
    products = [Fraction(x * y) for x in (low, high) for y in (least, most)]
    assert a * b == Enclosure(min(products), max(products))
    quotients = [Fraction(x, y) for x in (low, high) for y in (least, most)]
    assert a / b == (Enclosure(min(quotients), max(quotients)) if least > 0 else UNBOUNDED)
    squares = [x * x for x in range(low, high + 1)]
    assert a.square() == Enclosure(Fraction(min(squares)), Fraction(max(squares)))
    assert a.signed_square() == Enclosure(Fraction(low * abs(low)), Fraction(high * abs(high)))
    assert (a.width, a.is_bounded) == (high - low, True)


def test_floats_are_scaled_by_a_power_of_two_without_rounding() -> None:
    assert Enclosure.between(0.75, 1.5, -1075) == Enclosure(Fraction(3, 2**1077), Fraction(3, 2**1076))
    assert Enclosure.between(-0.5, 3.0, 2000) == Enclosure(-(Fraction(2) ** 1999), 3 * Fraction(2) ** 2000)
    assert Enclosure.between(1.0, 3.0) == Enclosure(Fraction(1), Fraction(3))
    assert Enclosure.between(1.0, math.inf, 5) == Enclosure(Fraction(32), math.inf)
    half = Enclosure(Fraction(1), math.inf)
    assert half.times_power_of_two(3) == Enclosure(Fraction(8), math.inf)
    assert (half.width, half.is_bounded) == (math.inf, False)
    assert (-half).is_bounded is False
    assert THIRD / half == UNBOUNDED
    assert half / THIRD == UNBOUNDED
    assert THIRD / Enclosure(Fraction(0), Fraction(1)) == UNBOUNDED
    assert THIRD / Enclosure.exactly(5e-324) == Enclosure(THIRD.low * 2**1074, THIRD.high * 2**1074)


def test_infinite_ends_make_everything_possible() -> None:
    half = Enclosure(Fraction(1), math.inf)
    assert (half + half) == Enclosure(Fraction(2), math.inf)
    assert (half + Enclosure.exactly(Fraction(10) ** 400)) == Enclosure(1 + Fraction(10) ** 400, math.inf)
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


@pytest.mark.parametrize("number", [Fraction(2), Fraction(1, 3), Fraction(3) ** 301, Fraction(1.5e-323)])
@pytest.mark.parametrize("bits", [1, 20, 200])
def test_the_ends_of_a_root_differ_by_one_unit_in_as_many_bits_as_requested(number: Fraction, bits: int) -> None:
    root = Enclosure.exactly(number).root(bits)
    assert root.low**2 < number < root.high**2
    assert root.width <= root.high / 2 ** (bits - 2)
    assert root.width >= min(root.high / 2 ** (bits + 2), Fraction(1, number.denominator))
    assert Enclosure.exactly(number).root() == Enclosure.exactly(number).root(200)


def test_roots_have_no_more_bits_than_requested_or_than_the_integer_has() -> None:
    assert Enclosure.exactly(Fraction(2)).root(20).width == Fraction(1, 2**19)
    assert Enclosure.exactly(Fraction(3) ** 301).root(1).width == 1


def test_roots_of_ranges_are_those_of_their_ends() -> None:
    assert Enclosure(Fraction(4), Fraction(9)).root() == Enclosure(Fraction(2), Fraction(3))
    assert Enclosure(Fraction(-4), Fraction(9)).root() == Enclosure(Fraction(0), Fraction(3))
    assert Enclosure(Fraction(1, 4), math.inf).root() == Enclosure(Fraction(1, 2), math.inf)
    assert UNBOUNDED.root() == Enclosure(Fraction(0), math.inf)


LARGEST = math.nextafter(math.inf, 0.0)


@pytest.mark.parametrize(
    ("number", "low", "high"),
    [
        (Fraction(1) + Fraction(1, 2**60), 1.0, 1.0 + 2.0**-52),
        (Fraction(1) - Fraction(1, 2**60), 1.0 - 2.0**-53, 1.0),
        (-Fraction(1) - Fraction(1, 2**60), -1.0 - 2.0**-52, -1.0),
        (Fraction(1, 2**1080), 0.0, 5e-324),
        (Fraction(-1, 2**1080), -5e-324, 0.0),
        (Fraction(2) ** 1024, LARGEST, math.inf),
        (-(Fraction(2) ** 1024), -math.inf, -LARGEST),
        (Fraction(10) ** 400, LARGEST, math.inf),
        (Fraction(LARGEST), LARGEST, LARGEST),
        (Fraction(-2), -2.0, -2.0),
        (Fraction(0), 0.0, 0.0),
    ],
)
def test_outer_floats_round_down_and_up(number: Fraction, low: float, high: float) -> None:
    found = Enclosure.exactly(number)
    assert (found.outer_low(), found.outer_high()) == (found.stated_low(), found.stated_high()) == (low, high)
    assert (UNBOUNDED.outer_low(), UNBOUNDED.outer_high()) == (-math.inf, math.inf)


def test_stated_bounds_leave_a_little_more_than_the_width_on_either_side() -> None:
    """Another enclosure of the same value that is as wide is inside them, and so is one that is 1 % wider."""
    found = Enclosure(Fraction(100), Fraction(300))
    assert (found.stated_low(), found.stated_high()) == (-102.0, 502.0)
    assert (UNBOUNDED.stated_low(), UNBOUNDED.stated_high()) == (-math.inf, math.inf)
    half = Enclosure(Fraction(1), math.inf)
    assert (half.stated_low(), half.stated_high()) == (-math.inf, math.inf)


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


def test_a_claim_that_is_exactly_an_end_holds_or_is_open() -> None:
    found = Enclosure(Fraction(1, 4), Fraction(1, 2))
    for squared, root in ((False, lambda x: x), (True, math.sqrt)):
        squares = Enclosure(Fraction(1, 16), Fraction(1, 4)) if squared else found
        low, high = root(float(squares.low)), root(float(squares.high))
        statuses = [at_most("x", claimed, squares, squared=squared).status for claimed in (low, high)]
        assert statuses == ["open", "holds"]
        statuses = [at_least("x", claimed, squares, squared=squared).status for claimed in (low, high)]
        assert statuses == ["holds", "open"]
        assert at_most("x", math.nextafter(low, 0.0), squares, squared=squared).status == "fails"
        assert at_most("x", math.nextafter(high, 0.0), squares, squared=squared).status == "open"
        assert at_least("x", math.nextafter(high, 1.0), squares, squared=squared).status == "fails"
        assert at_least("x", math.nextafter(low, 1.0), squares, squared=squared).status == "open"


def test_the_words_show_roots_where_squares_are_compared() -> None:
    four, far = Enclosure.exactly(Fraction(4)), Enclosure.exactly(Fraction(10) ** 400)
    assert at_most("x", 3.0, four, squared=True).detail == "claimed 3, found 2 or less"
    assert at_most("x", 1.0, four, squared=True, hint="!").detail == "claimed 1, found 2 or more!"
    assert at_most("x", 1.0, Enclosure.exactly(0.25), squared=True).detail == "claimed 1, found 0.5 or less"
    assert at_most("x", 1.0, Enclosure.exactly(0.0), squared=True).detail == "claimed 1, found 0 or less"
    assert at_least("x", 1.0, -four, squared=True).detail == "claimed 1, found -2 or less"
    assert at_least("x", 5.0, -four, hint="!").detail == "claimed 5, found -4 or less!"
    assert at_least("x", 0.0, far, squared=True).detail == "claimed 0, found 1e+200 or more"
    assert at_least("x", 0.0, far).detail == "claimed 0, found inf or more"
    assert at_most("x", 0.0, -far).detail == "claimed 0, found -inf or less"
    assert at_most("x", 0.335, THIRD).detail == "claimed 0.335, found a number from 0.33 to 0.34"
    assert at_most("x", 0.0, UNBOUNDED, squared=True).detail == "claimed 0, found a number from -inf to inf"


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


@pytest.mark.parametrize("roundings", [1, 3, 1000])
@pytest.mark.parametrize("squared", [False, True])
def test_agreement_is_decided_at_the_last_fraction(roundings: int, squared: bool) -> None:
    """|c - x| <= k 2^-52 x + k 2^-1074, for claimed numbers c on both sides of x and values x on both sides of it."""
    unit, tiny = roundings * Fraction(1, 2**52), roundings * Fraction(1, 2**1074)
    nothing = Fraction(1, 2**1300)
    for claimed in (1.0, 3.0, 1e-323, 1e-320, 2.0**-1022):
        lowest = max(Fraction(0), (Fraction(claimed) - tiny) / (1 + unit))
        highest = (Fraction(claimed) + tiny) / (1 - unit)

        def status(low: Fraction, high: Fraction, claimed: float = claimed) -> str:
            found = Enclosure(low * low, high * high) if squared else Enclosure(low, high)
            return agrees("sum", claimed, found, roundings, squared=squared).status

        assert status(lowest, highest) == "holds"
        assert status(highest + nothing, highest + nothing) == "fails"
        assert status(lowest, highest + nothing) == "open"
        assert status(highest, highest + nothing) == "open"
        if lowest:
            assert status(lowest - nothing, lowest - nothing) == "fails"
            assert status(lowest - nothing, highest) == "open"
            assert status(lowest - nothing, lowest) == "open"


def test_agreement_with_more_operations_than_a_double_has_digits_for_is_refused() -> None:
    most = 2**42
    assert agrees("sum", 3.0, Enclosure.exactly(3.0), most).status == "holds"
    assert agrees("sum", 3.0, Enclosure.exactly(3.0), most + 1).status == "fails"
    assert agrees("sum", 3.0, Enclosure.exactly(Fraction(3) / (1 - Fraction(1, 2**10))), most).status == "holds"
    assert agrees("sum", 3.0, Enclosure.exactly(Fraction(3) / (1 - Fraction(1, 2**9))), most).status == "fails"
    assert agrees("sum", 3.0, Enclosure.exactly(3.0), -1).status == "fails"
    assert agrees("sum", 3.0, Enclosure.exactly(3.0), -(2**52)).status == "fails"
    assert agrees("sum", -1.0, Enclosure.exactly(-1.0), 1).status == "fails"
    assert agrees("sum", math.inf, UNBOUNDED, 1).status == "fails"
    assert agrees("sum", 0.0, Enclosure(Fraction(-1), Fraction(0)), 0).status == "holds"  # the value is not negative
    assert agrees("sum", 0.0, Enclosure(Fraction(-1), Fraction(1)), 0).status == "open"
