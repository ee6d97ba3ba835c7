"""The checks of a verdict on the separation of two classes.

Most signs are decided by enclosures in floating point. The others, the weights of a witness and what its rows span are
decided in integers, within a limit on the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import count, counted

from .balance import MAX_FREE_DIMENSIONS, Balance, proven_balance, span_of
from .certificate import Duals
from .coefficient_checks import CLAIM, CoefficientClaims, coefficient_misfit
from .elimination import MAX_WORK, SMALL_WORK, Budget, IntegerVector, WorkLimitReached
from .enclosure import Enclosure, at_least, at_most
from .exact import Examples, to_integers
from .geometry import Floats
from .hull_bounds import MAX_EXACT_WORK, HullSolution, Measurement, measure
from .hull_bounds import SMALL_WORK as FEW_VALUES
from .recession import Recession
from .verification import Check, Status

# Whether each verdict has a plane and needs a witness.
_NEEDS = {
    "complete": (True, False),
    "quasi-complete": (True, True),
    "overlap": (False, True),
    "undecided": (False, False),
}


class Verdict(Protocol):
    """The fields of ``Separability``, which states what they mean."""

    @property
    def kind(self) -> str: ...

    @property
    def fit_intercept(self) -> bool: ...

    @property
    def positive(self) -> Any: ...

    @property
    def examples(self) -> int: ...

    @property
    def response(self) -> str | None: ...

    @property
    def coef(self) -> Floats | None: ...

    @property
    def intercept(self) -> float: ...

    @property
    def numerators(self) -> tuple[int, ...] | None: ...

    @property
    def boundary(self) -> NDArray[np.int64]: ...

    @property
    def witness(self) -> Duals | None: ...

    @property
    def statuses(self) -> NDArray[np.int8]: ...

    @property
    def directions(self) -> tuple[tuple[int, ...], ...]: ...

    @property
    def supports(self) -> tuple[NDArray[np.int64], ...]: ...

    @property
    def dependences(self) -> tuple[tuple[int, ...], ...]: ...

    @property
    def width(self) -> int: ...

    @property
    def margin_lower_bound(self) -> float: ...

    @property
    def margin_upper_bound(self) -> float: ...


T = TypeVar("T")


@dataclass
class _Holder(Generic[T]):
    """A result that a check leaves for others; None if it was not reached."""

    value: T | None = None


class Proof:
    """The checks of a verdict on the rows that it is about, whose values and shape fit it."""

    def __init__(self, found: Verdict, examples: Examples, exact: bool) -> None:
        self._found, self._examples, self._exact = found, examples, exact
        self._budget = Budget(MAX_WORK if exact else SMALL_WORK)
        self._nouns = row_nouns(found.response is None)

    def of_complete(self) -> list[Check]:
        """Check a complete separation."""
        plane = self._within_budget("plane", self._all_on_the_right_side)
        sides = np.ones(self._examples.rows, dtype=np.int8)
        return [plane, *self._margins(plane.status), self._coefficients([plane], sides, None)]

    def of_balance(self) -> list[Check]:
        """Check a quasi-complete separation or an overlap."""
        found, proof, sides = self._found, _Holder[Balance](), _Holder[NDArray[np.int8]]()
        checks = [self._within_budget("witness", lambda: self._balances(proof))]
        among = np.arange(self._examples.rows)
        if found.kind == "quasi-complete":
            among = found.boundary
            checks.append(self._within_budget("plane", lambda: self._on_no_wrong_side(sides)))
            checks.append(self._boundary(sides.value))
        checks.append(self._within_budget("span", lambda: self._spans(proof.value, among)))
        checks.append(self._coefficients(checks, sides.value, proof.value))
        return checks

    def _coefficients(self, before: list[Check], sides: NDArray[np.int8] | None, proof: Balance | None) -> Check:
        """Check the statuses of the coefficients, given the checks that they follow from."""
        found = self._found
        if any(check.status != "holds" for check in before):
            return Check(CLAIM, "open", "it follows from claims that are not proven")
        claims = CoefficientClaims(
            found.statuses,
            None if found.coef is None else _integer_plane(found),
            list(map(list, found.directions)),
            found.supports,
            list(map(list, found.dependences)),
        )
        return self._within_budget(CLAIM, lambda: claims.check(Recession(self._examples, sides, proof, self._budget)))

    def _within_budget(self, claim: str, decide: Callable[[], Check]) -> Check:
        """Return the check, or an open one if it would take too much work."""
        try:
            return decide()
        except WorkLimitReached:
            limit = "would take more than about a minute" if self._exact else "too much work; exact=True decides"
            return Check(claim, "open", f"exact arithmetic: {limit}")

    def _all_on_the_right_side(self) -> Check:
        claim, plane, examples = "plane", _integer_plane(self._found), self._examples
        sides, is_open = examples.clear_sides(plane)
        wrong = np.flatnonzero(~is_open & (sides <= 0))
        if not len(wrong):
            rows = np.flatnonzero(is_open)
            wrong = rows[examples.open_sides(rows, plane, self._budget) <= 0]
        if len(wrong):
            return Check(claim, "fails", f"row {wrong[0]} is not on the right side", int(wrong[0]))
        return Check(claim, "holds", f"{counted(examples.rows, *self._nouns)}, each on its right side")

    def _on_no_wrong_side(self, found: _Holder[NDArray[np.int8]]) -> Check:
        """Check the plane of a quasi-complete separation; set the sides of all rows."""
        claim, plane, examples = "plane", _integer_plane(self._found), self._examples
        sides, is_open = examples.clear_sides(plane)
        wrong = np.flatnonzero(sides < 0)
        if not len(wrong) or self._exact:
            rows = np.flatnonzero(is_open)
            sides[rows] = examples.open_sides(rows, plane, self._budget)
            found.value = sides
            wrong = np.flatnonzero(sides < 0)
        if len(wrong):
            return Check(claim, "fails", f"row {wrong[0]} is on the wrong side", int(wrong[0]))
        if not np.any(sides):
            return Check(claim, "fails", "all rows lie on it")
        return Check(
            claim,
            "holds",
            f"{counted(np.count_nonzero(sides), *self._nouns)} on the right side, the others on the plane",
        )

    def _boundary(self, sides: NDArray[np.int8] | None) -> Check:
        if sides is None:
            return Check("boundary", "open", "the sides of some rows are not known")
        on_plane, claimed = np.flatnonzero(sides == 0), np.sort(self._found.boundary)
        same = np.array_equal(on_plane, claimed)
        words = f"on the plane: {counted(len(on_plane), *self._nouns)}" if same else "other rows lie on the plane"
        return Check("boundary", "holds" if same else "fails", words)

    def _balances(self, proof: _Holder[Balance]) -> Check:
        """Check that the witness balances; set the proof."""
        assert self._found.witness is not None
        proof.value = proven_balance(self._examples, self._found.witness, self._budget)
        if proof.value is None:
            return Check("witness", "fails", "no weights within a factor of two of those given balance these rows")
        return Check("witness", "holds", f"{counted(len(self._found.witness.rows), *self._nouns)} balance")

    def _spans(self, proof: Balance | None, rows: NDArray[np.int64]) -> Check:
        """Check that the rows of the witness span all of the given ones."""
        claim = "span"
        if proof is None:
            assert self._found.witness is not None
            proof = span_of(self._examples, self._found.witness, self._budget)
        found = proof.outside(self._examples, self._budget)
        if found is None:
            return Check(
                claim, "open", f"the witness does not span more than {MAX_FREE_DIMENSIONS} dimensions of its columns"
            )
        outside = rows[found[rows]]
        if len(outside):
            return Check(claim, "fails", f"row {outside[0]} is not spanned by the witness", int(outside[0]))
        return Check(claim, "holds", f"the witness spans {counted(len(rows), *self._nouns)}, which are all")

    def _margins(self, plane: Status) -> list[Check]:
        """Check the bounds on the margin of a complete separation, given the status of its plane."""
        found = self._found
        measured = self._measured()
        checks = self._compared(measured, plane)
        if any(check.status == "open" for check in checks):
            exactly = measured.exact(MAX_EXACT_WORK if self._exact else FEW_VALUES)
            checks = checks if exactly is None else self._compared(exactly, plane)
        if found.witness is None and found.margin_upper_bound != math.inf:
            words = f"no witness proves that it is at most {found.margin_upper_bound:.6g}"
            checks.append(Check("best margin", "fails", words))
        return checks

    def _measured(self) -> Measurement:
        found, examples = self._found, self._examples
        assert found.coef is not None
        everywhere = np.ones(examples.rows, dtype=bool)
        a = None if found.witness is None else found.witness.dense(examples.rows)
        intercept = "free" if found.fit_intercept else "none"
        solution = HullSolution(examples.X, examples.signs, everywhere, found.coef, found.intercept, a, intercept)
        return measure(examples.table, solution)

    def _integer_margin(self, plane: Status) -> Check:
        """Check the lower bound on the margin of a plane in integers, given whether all rows are on the right side."""
        lower, numbers = self._found.margin_lower_bound, _integer_plane(self._found)
        weights = numbers[:-1] if self._found.fit_intercept else numbers
        if not any(weights):
            return Check("margin", "fails", "weights of 0 have no margin")
        if lower <= 0 and plane == "holds":
            return Check("margin", "holds", "all rows are on the right side")
        smallest = self._examples.smallest_score(numbers, self._budget)
        square = smallest * abs(smallest) / sum(weight * weight for weight in weights)
        return at_least("margin", lower, Enclosure.exactly(square), squared=True)

    def _compared(self, measured: Measurement, plane: Status) -> list[Check]:
        found = self._found
        lower, upper = found.margin_lower_bound, found.margin_upper_bound
        if found.numerators is not None:
            margin = self._within_budget("margin", lambda: self._integer_margin(plane))
        elif measured.has_direction:
            margin = at_least("margin", lower, measured.squared_margin, squared=True)
        else:
            margin = Check("margin", "fails", "weights of 0 have no margin")
        if found.witness is None:
            return [margin]
        if measured.squared_distance is None:
            status: Status = "holds" if upper == math.inf else "fails"
            return [margin, Check("best margin", status, "the witness has no rows of one of the classes")]
        return [margin, at_most("best margin", upper, measured.squared_distance, squared=True)]


def row_nouns(has_counts: bool) -> tuple[str, str]:
    """Return what the rows of a proof are called, in the singular and in the plural.

    If y has counts, a row of the user stands for up to two rows of the proof, its successes and its failures.
    """
    return ("pair of row and outcome", "pairs of row and outcome") if has_counts else ("row", "rows")


def structure_misfit(found: Verdict, y: Any) -> Check | None:
    """Return a failed check if no data, or not data of these labels, can have this verdict."""
    if found.kind not in _NEEDS:
        return Check("kind", "fails", f"unknown kind {found.kind!r}")
    if found.examples != np.size(y):
        return Check("data", "fails", f"judged: {counted(found.examples, 'row')}; given: {count(np.size(y))}")
    return (
        _misfit_of_labels(np.ravel(np.asarray(y)), found.positive)
        or _misfit_of_plane(found)
        or _misfit_of_margin(found)
        or _misfit_of_rows("boundary", found.boundary, found.examples)
        or (None if found.witness is None else _misfit_of_witness(found.witness, found.examples))
        or coefficient_misfit(
            found.kind, found.statuses, found.directions, found.supports, found.dependences, found.examples
        )
    )


def _misfit_of_plane(found: Verdict) -> Check | None:
    needs_plane, needs_witness = _NEEDS[found.kind]
    if (found.coef is not None) != needs_plane or (found.witness is None and needs_witness):
        return Check(
            "kind", "fails", "the plane or the witness is missing, or there is a plane where there must not be one"
        )
    if found.fit_intercept not in (True, False):
        return Check("kind", "fails", f"fit_intercept is {found.fit_intercept!r}")
    if found.coef is not None and len(found.coef) != found.width:
        return Check("plane", "fails", "the number of coefficients differs from the number of columns")
    if found.coef is not None and not (np.all(np.isfinite(found.coef)) and np.isfinite(found.intercept)):
        return Check("plane", "fails", "NaN or infinity among the coefficients")
    if found.intercept != 0 and (found.coef is None or not found.fit_intercept):
        return Check("plane", "fails", f"the intercept is {found.intercept:.6g}, but there is none")
    if found.numerators is not None and not (
        found.coef is not None
        and all(isinstance(numerator, int) for numerator in found.numerators)
        and len(found.numerators) == len(found.statuses)
        and _is_rounded(list(found.numerators), _direction(found))
    ):
        return Check("plane", "fails", "its coefficients are not those of its numerators")
    return None


def _misfit_of_margin(found: Verdict) -> Check | None:
    lower, upper = found.margin_lower_bound, found.margin_upper_bound
    if len(found.boundary) and found.kind != "quasi-complete":
        return Check("boundary", "fails", "only a quasi-complete separation has boundary rows")
    if math.isnan(lower) or math.isnan(upper) or (found.kind != "complete" and not lower <= 0 <= upper):
        return Check("margin", "fails", "only a complete separation has a margin")
    if found.kind == "undecided" and upper < math.inf:
        return Check("margin", "fails", "nothing is known of the margin")
    return None


def _direction(found: Verdict) -> Floats:
    assert found.coef is not None
    return np.append(found.coef, found.intercept) if found.fit_intercept else found.coef


def _integer_plane(found: Verdict) -> IntegerVector:
    """Return the plane, which must exist, in integers."""
    return to_integers(_direction(found))[0] if found.numerators is None else list(found.numerators)


def _misfit_of_labels(labels: NDArray[Any], positive: Any) -> Check | None:
    """Return a failed check unless there are two labels, one of which is the positive one."""
    is_positive = np.asarray(labels == positive)
    others = labels[~is_positive] if is_positive.shape == labels.shape else labels
    if len(others) in (0, len(labels)) or not np.all(others == others[0]):
        return Check("data", "fails", f"the labels are not {positive!r} and one other label")
    return None


def _misfit_of_rows(claim: str, rows: NDArray[np.int64], examples: int) -> Check | None:
    if rows.dtype.kind not in "iu" or len(np.unique(rows)) != len(rows):
        return Check(claim, "fails", "rows are not integers, or a row occurs twice")
    if len(rows) and not 0 <= rows.min() <= rows.max() < examples:
        return Check(claim, "fails", "a row does not exist")
    return None


def _misfit_of_witness(witness: Duals, examples: int) -> Check | None:
    if witness.rows.shape != witness.weights.shape or len(witness.rows) == 0:
        return Check("witness", "fails", "it has no rows, or another number of weights")
    if not np.all((witness.weights > 0) & (witness.weights < np.inf)):
        return Check("witness", "fails", "a weight is not positive")
    return _misfit_of_rows("witness", witness.rows, examples)


def _is_rounded(exactly: IntegerVector, direction: Floats) -> bool:
    """Return whether a direction of floats is that of these integers, relative to the largest, rounded."""
    largest = max(map(abs, exactly), default=0)
    return largest > 0 and direction.tolist() == [entry / largest for entry in exactly]
