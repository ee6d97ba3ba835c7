"""The checks of a model of an online learner against its data, which all its certificates have in common."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._cached import cached_property
from novikoff._counts import count, counted

from .certificate import OTHER_DATA
from .columns import compact
from .enclosed_sums import Enclosed, exact_total, exponent_of, scaled, weighted_sum
from .enclosure import ROUNDING_UNIT, SMALLEST, Enclosure, agrees, at_least, at_most
from .evidence import Evidence
from .exact_lifted import ExactCombination, ExactRows
from .geometry import Floats
from .lifted import Combined, LiftedRows, Measures, lies_near, plus, private_part, squared_length_of
from .verification import Check

MAX_EXACT_TERMS = 4096  # of a sum without rounding; the claim of a longer one allows for more than its rounding errors
MAX_ROUNDINGS = 2**200  # more are compared in fractions only


class OnlineChecks:
    """The claims about a model that rows can show. One pass over the rows measures all of them.

    Parameters
    ----------
    model : Evidence
        The model, whose ``misfit`` found nothing.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    copies : ndarray of shape (n_samples,)
        Weights; rows of weight 0 do not count.
    exact : bool
        Whether to decide in rational arithmetic what rounding leaves open.
    count : int, default=None
        The number of rows, if there are more because some have several private features.
    """

    def __init__(
        self, model: Evidence, X: Any, signs: Floats, copies: Floats, exact: bool, count: int | None = None
    ) -> None:
        self.count = len(copies) if count is None else count
        self.given = X
        self.width = len(model.weights)  # before columns without entries are left out
        X, weights = compact(X, model.weights)
        self.model, self.signs, self.copies, self.exact = replace(model, weights=weights), signs, copies, exact
        self.lifted = LiftedRows(X, model.geometry)
        self.exactly = ExactRows(X, signs, model.geometry)
        self.seen = np.flatnonzero(copies > 0)
        self.amounts = None if model.duals is None else model.duals.dense(len(signs))

    @cached_property
    def _measures(self) -> Measures:
        return self.lifted.measure(self.model.weights, self.model.intercept)

    @property
    def squares(self) -> Enclosed:
        """|u|^2 of all rows."""
        return self._measures.squares

    @cached_property
    def margins(self) -> Enclosed:
        """Y v.u of all rows, with their private features."""
        scores, delta = self._measures.scores, self.model.geometry.slack_feature
        margins = Enclosed(self.signs * scores.middle, scores.radius, scores.exponent)
        return plus(margins, private_part(delta, self.amounts)) if delta and self.amounts is not None else margins

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds on the margins of the rows that count, in units of the margins."""
        return _some(self.margins, self.seen).ends()

    @cached_property
    def squared_length(self) -> Enclosure:
        """The enclosure of |v|^2."""
        model = self.model
        return squared_length_of(model.weights, model.intercept, self.amounts, model.geometry.slack_feature)

    @cached_property
    def squared_radius(self) -> Enclosure:
        """The enclosure of the largest |u|^2 of the rows that count."""
        return _some(self.squares, self.seen).largest()

    @cached_property
    def smallest_margin(self) -> Enclosure:
        """The enclosure of the smallest y v.u of the rows that count."""
        low, high = self._ends
        return Enclosure.between(float(low.min()), float(high.min()), self.margins.exponent)

    # ---- sums over the rows ----------------------------------------------------------------------------------------

    def data(self, radius: float, examples: float, positives: float, energy: float, passes: int) -> list[Check]:
        """Check what tells the data that a learner saw from others."""
        return [
            self.radius(radius),
            self.total("examples", examples, passes),
            self.total("positives", positives, passes, positive=True),
            self.energy(energy, passes),
        ]

    def radius(self, claimed: float, *, one_sided: bool = False) -> Check:
        """Check the length of the longest example; with ``one_sided``, that none is longer."""
        roundings = self.width + 8
        found = _radius_check(claimed, self.squared_radius, roundings, one_sided)
        if found.status != "open" or not self.exact:
            return found
        low, high = _some(self.squares, self.seen).ends()
        longest = max(square for _, square in self.exactly.squares(self.seen[high >= low.max()]))
        return _radius_check(claimed, Enclosure.exactly(longest), roundings, one_sided)

    def total(self, claim: str, claimed: float, passes: int, *, positive: bool = False) -> Check:
        """Check the sum of the weights of all examples, or of the positive ones."""
        copies = self.copies[self.signs > 0] if positive else self.copies
        found = Enclosure.exactly(passes * exact_total(copies))
        return _with_hint(agrees(claim, claimed, found, passes * self.count + 4))

    def energy(self, claimed: float, passes: int) -> Check:
        """Check the sum of |u|^2 over all examples."""
        claim, roundings = "sum of squares", passes * self.count + self.width + 8
        times = Enclosure.exactly(Fraction(passes))
        found = _energy_check(claim, claimed, _weighted_total(self.copies, self.squares) * times, roundings)
        if found.status == "open" and self.exact:
            squares = self.exactly.squares(self.seen)
            total = sum((Fraction(float(self.copies[i])) * square for i, square in squares), Fraction(0))
            found = _energy_check(claim, claimed, Enclosure.exactly(total) * times, roundings)
        return _with_hint(found)

    # ---- margins ---------------------------------------------------------------------------------------------------

    def separates(self) -> Check:
        """Check that every row that counts is on its right side."""
        claim, (low, high) = "separates", self._ends
        wrong = self.seen[high <= 0]
        if len(wrong):
            return Check(claim, "fails", f"row {wrong[0]} is on the wrong side", int(wrong[0]))
        unsure = self.seen[low <= 0]
        if len(unsure) and not self.exact:
            detail = f"row {unsure[0]} is too close to the boundary for floating point"
            return Check(claim, "open", detail, int(unsure[0]))
        model = self.model
        for row, margin in self.exactly.margins(unsure, model.weights, model.intercept, self.amounts):
            if not margin.is_positive():
                return Check(claim, "fails", f"row {row} is not on the right side", row)
        own = f"{counted(len(self.seen), 'row')}, each on its right side"
        return Check(claim, "holds", f"{own}{self._without_private_features()}")

    def _without_private_features(self) -> str:
        """Say how many rows are on the right side if their private features are left out; empty without such features.

        Rows that are too close to the boundary for floating point are not counted.
        """
        if not self.model.geometry.slack_feature:
            return ""
        scores = self._measures.scores
        low, _ = _some(Enclosed(self.signs * scores.middle, scores.radius, scores.exponent), self.seen).ends()
        right = f"{count(np.count_nonzero(low > 0))} of {count(len(self.seen))}"
        return f" in the space with a private feature for each; without these, {right}"

    def least_margin(self) -> float:
        """Return a lower bound on y v.u of the rows that count, which is positive if all of them are."""
        found = self.smallest_margin
        if self.exact and found.low <= 0 < found.high:
            square = self._exact_smallest_margin()[0]
            found = square.root() if square.low > 0 else found
        return found.outer_low()

    def margin_lower_bound(self, claim: str, claimed: float) -> Check:
        """Check that y v.u >= ``claimed`` |v| for every row that counts."""
        model, is_private = self.model, bool(self.model.geometry.slack_feature)
        if not (np.any(model.weights) or model.intercept or (is_private and np.any(self.amounts))):
            return Check(claim, "fails", f"claimed {claimed:.6g}, but the weights are 0")
        smallest = self.smallest_margin.signed_square() / self.squared_length
        row = int(self.seen[np.argmin(self._ends[0])])
        found = at_least(claim, claimed, smallest, squared=True)
        if found.status == "open" and self.exact:
            least, row = self._exact_smallest_margin()
            found = at_least(claim, claimed, least / self._exact_squared_length(), squared=True)
        return replace(found, row=row) if found.status == "fails" else found

    def _exact_smallest_margin(self) -> tuple[Enclosure, int]:
        """Return m |m| of the smallest margin m, and its row."""
        low, high = self._ends
        model, candidates = self.model, self.seen[low <= high.min()]
        found = self.exactly.margins(candidates, model.weights, model.intercept, self.amounts)
        squares = [(margin.signed_square(), row) for row, margin in found]
        row = min(squares, key=lambda pair: (pair[0].low, pair[1]))[1]
        return Enclosure(min(square.low for square, _ in squares), min(square.high for square, _ in squares)), row

    def _exact_squared_length(self) -> Enclosure:
        numbers = [*self.model.weights.tolist(), self.model.intercept]
        total = sum((Fraction(number) ** 2 for number in numbers), Fraction(0))
        delta = Fraction(self.model.geometry.slack_feature)
        if delta and self.amounts is not None:
            total += delta * delta * sum((Fraction(a) ** 2 for a in self.amounts.tolist()), Fraction(0))
        return Enclosure.exactly(total)

    # ---- sums of rows ----------------------------------------------------------------------------------------------

    @cached_property
    def combined(self) -> Combined:
        """The sum of the rows that the weights are."""
        duals = self.model.duals
        assert duals is not None
        return self.lifted.combine(duals.rows, duals.weights, self.signs[duals.rows])

    def weights(self, updates: int) -> Check:
        """Check that each weight differs from the sum of the rows by rounding errors of so many updates only."""
        claim, duals, found = "weights", self.model.duals, self.combined
        assert duals is not None
        roundings = 2 * updates + self.width + 16
        if roundings < 0:
            return Check(claim, "fails", counted(updates, "update"))
        near, may_be = lies_near(self.model.weights, found.weights, found.sizes, min(roundings, MAX_ROUNDINGS))
        may_be |= roundings > MAX_ROUNDINGS
        of_bias = nearness(self.model.intercept, found.intercept, found.intercept_size, roundings)
        if np.all(near) and of_bias == "holds":
            return Check(claim, "holds", f"they are the sum of {counted(len(duals.rows), 'row')}, up to rounding")
        if not np.all(may_be) or of_bias == "fails":
            which = "the intercept" if np.all(may_be) else f"that of column {np.flatnonzero(~may_be)[0]}"
            return Check(claim, "fails", f"{which} differs from the sum of the examples: {OTHER_DATA}")
        if not self.exact:
            return Check(claim, "open", "rounding leaves open whether they are the sum of the examples")
        entries = {j: value for j, value in enumerate(self.model.weights.tolist()) if value}
        entries |= {self.lifted.rows.columns: self.model.intercept} if self.model.intercept else {}
        far, doubtful = self._exactly_combined.are_near(entries, roundings)
        if far is not None:
            return Check(claim, "fails", f"that of column {far} differs from the sum of the examples: {OTHER_DATA}")
        if doubtful is not None:
            return Check(claim, "open", f"that of column {doubtful} is at the limit of what rounding explains")
        return Check(claim, "holds", f"they are the sum of {counted(len(duals.rows), 'row')}, up to rounding")

    @cached_property
    def _exactly_combined(self) -> ExactCombination:
        duals = self.model.duals
        assert duals is not None
        return self.exactly.combine(duals.rows, duals.weights)

    def margin_upper_bound(self, claim: str, claimed: float) -> Check:
        """Check that |sum a y u| <= ``claimed`` sum a, which proves that no separator has a larger margin."""
        if self.combined.steps == 0:
            return Check(claim, "fails", f"claimed {claimed:.6g}, but no row is part of the sum that should show it")
        found = at_most(claim, claimed, self.combined.squared_ratio(), squared=True)
        if found.status != "open" or not self.exact:
            return found
        return at_most(claim, claimed, self._exactly_combined.squared_ratio(), squared=True)


def nearness(number: float, found: Enclosure, size: Enclosure, roundings: int) -> str:
    """Return the status of the claim that a number differs from an enclosed one by at most k 2^-52 size + k 2^-1074."""
    if not math.isfinite(number):
        return "fails"
    if not (found.is_bounded and size.is_bounded):
        return "open"
    gaps = [abs(Fraction(number) - Fraction(end)) for end in (found.low, found.high)]
    nearest = Fraction(0) if found.low <= number <= found.high else min(gaps)
    least, most = (roundings * (Fraction(end) * ROUNDING_UNIT + SMALLEST) for end in (size.low, size.high))
    return "holds" if max(gaps) <= least else "fails" if nearest > most else "open"


def _some(numbers: Enclosed, rows: NDArray[np.int64]) -> Enclosed:
    """Return the numbers of some rows."""
    if len(rows) == len(numbers.middle):
        return numbers
    return Enclosed(numbers.middle[rows], numbers.radius[rows], numbers.exponent)


def _weighted_total(weights: Floats, numbers: Enclosed) -> Enclosure:
    """Return the enclosure of the sum of c_i s_i with c, s >= 0, in which only the products are rounded."""
    low, high = numbers.ends()
    is_counted = weights > 0
    c, low, high = weights[is_counted], np.maximum(0.0, low[is_counted]), high[is_counted]
    if not np.all(np.isfinite(high)):
        return Enclosure(Fraction(0), np.inf)
    if len(c) > MAX_EXACT_TERMS:
        return weighted_sum(c, low, high, numbers.exponent)
    of_weights, of_values = exponent_of(c), exponent_of(high)
    c, low, high = scaled(c, of_weights), scaled(low, of_values), scaled(high, of_values)
    # Factors are below 1. Where one lost digits by its scale, at most 2^-1075, the product has an error below 2^-1074.
    least = exact_total(np.nextafter(c * low, -np.inf))
    most = exact_total(np.nextafter(c * high, np.inf))
    found = Enclosure(max(Fraction(0), least), most)
    return found.times_power_of_two(of_weights + of_values + numbers.exponent)


def _radius_check(claimed: float, found: Enclosure, roundings: int, one_sided: bool) -> Check:
    if one_sided and np.isfinite(claimed):
        return at_most("radius", claimed, found, squared=True)
    return agrees("radius", claimed, found, roundings, squared=True)


def _energy_check(claim: str, claimed: float, found: Enclosure, roundings: int) -> Check:
    if claimed == np.inf and found.low > Fraction(float(np.finfo(np.float64).max)):
        return Check(claim, "holds", "it is larger than any double")
    return agrees(claim, claimed, found, roundings)


def _with_hint(check: Check) -> Check:
    """Return a check whose failure says that weights may be missing."""
    if check.status != "fails":
        return check
    return replace(check, detail=check.detail + "; sample_weight must include the class weights")
