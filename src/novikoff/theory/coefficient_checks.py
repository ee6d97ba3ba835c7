"""The checks of what a verdict on separation says of each coefficient."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coefficients import WORDS, CoefficientStatus, Statuses, counted_statuses
from .elimination import IntegerVector
from .exact import Examples
from .recession import Aliasing, Recession
from .verification import Check

CLAIM = "coefficients"
ONE_SIDED = (CoefficientStatus.PLUS_INFINITY, CoefficientStatus.MINUS_INFINITY)


@dataclass(frozen=True)
class CoefficientClaims:
    """What a verdict says of the coefficients, in a form that fits its data.

    Parameters
    ----------
    statuses : ndarray of int8
        The status of each coefficient.
    plane : list of int or None
        The plane, which is proven; None if there is none.
    directions : list of list of int
        Other directions that have no row on their wrong side.
    supports : tuple of ndarray of int64
        Rows for each coefficient of ``+infinity`` or ``-infinity``.
    dependences : list of list of int
        Linear dependences between columns.
    """

    statuses: Statuses
    plane: IntegerVector | None
    directions: list[IntegerVector]
    supports: tuple[NDArray[np.int64], ...]
    dependences: list[IntegerVector]

    def check(self, recession: Recession) -> Check:
        """Decide all claims, given the directions that are proven to be 0 on the boundary."""
        examples, budget = recession.examples, recession.budget
        wrong = examples.wrong_sides(self.directions, budget)
        if np.any(wrong >= 0):
            row = int(wrong[wrong >= 0][0])
            return Check(CLAIM, "fails", f"row {row} is on the wrong side of a direction", row)
        off = np.flatnonzero(examples.off_zero(self.dependences, budget))
        if len(off):
            return Check(CLAIM, "fails", f"row {off[0]} is not on a linear dependence", int(off[0]))
        for refuted in (
            self._finite(recession),
            self._aliased(examples),
            self._infinite(),
            self._identified(recession),
            self._one_sided(recession),
        ):
            if refuted is not None:
                return refuted
        return Check(CLAIM, "holds", counted_statuses(self.statuses))

    def _of(self, *statuses: CoefficientStatus) -> list[int]:
        """Return the coefficients that have one of these statuses."""
        return np.flatnonzero(np.isin(self.statuses, statuses)).tolist()

    def _finite(self, recession: Recession) -> Check | None:
        for j in self._of(CoefficientStatus.FINITE):
            if not recession.is_fixed[j]:
                return _refuted(j, "is finite", "the boundary rows do not span it")
        return None

    def _aliased(self, examples: Examples) -> Check | None:
        aliased = self._of(CoefficientStatus.ALIASED)
        left = [j for j in aliased if not any(vector[j] for vector in self.dependences)]
        if left and (used := set(left) & set(examples.used(np.arange(examples.rows)).tolist())):
            return _refuted(min(used), "is aliased", "no linear dependence has it")
        return None

    def _infinite(self) -> Check | None:
        """Check that directions move the infinite coefficients to each side that is claimed."""
        known = [*self.directions, *([] if self.plane is None else [self.plane])]
        for status, sides in MOVES.items():
            for j in self._of(status):
                if not all(any(is_there(vector[j], 0) for vector in known) for is_there in sides):
                    return _refuted(j, f"is {status.word}", "no direction moves it there")
        return None

    def _identified(self, recession: Recession) -> Check | None:
        infinite = self._of(CoefficientStatus.INFINITE)
        if infinite:
            is_identified = Aliasing(recession).is_identified
            for j in infinite:
                if not is_identified[j]:
                    return _refuted(j, "is not aliased", "the rows do not span it")
        return None

    def _one_sided(self, recession: Recession) -> Check | None:
        """Check the sums of rows that prove the signs of coefficients."""
        if self.supports and recession.basis is not None:
            recession.prepare(np.concatenate(self.supports))
        for j, support in zip(self._of(*ONE_SIDED), self.supports, strict=True):
            sign = 1 if self.statuses[j] == CoefficientStatus.PLUS_INFINITY else -1
            if not recession.proves(support, j, sign):
                word = CoefficientStatus(int(self.statuses[j])).word
                return _refuted(j, f"is {word}", "its support does not prove it")
        return None


MOVES = {
    CoefficientStatus.PLUS_INFINITY: (operator.gt,),
    CoefficientStatus.MINUS_INFINITY: (operator.lt,),
    CoefficientStatus.INFINITE: (operator.gt, operator.lt),
}


def _refuted(column: int, claim: str, reason: str) -> Check:
    return Check(CLAIM, "fails", f"coefficient {column} {claim}, but {reason}")


def coefficient_misfit(
    kind: str,
    statuses: Statuses,
    directions: tuple[tuple[int, ...], ...],
    supports: tuple[NDArray[np.int64], ...],
    dependences: tuple[tuple[int, ...], ...],
    examples: int,
) -> Check | None:
    """Return a failed check if no data of so many rows can have such statuses and proofs of them."""
    columns = len(statuses)
    if statuses.dtype.kind not in "iu" or not np.all((statuses >= 0) & (statuses < len(WORDS))):
        return Check(CLAIM, "fails", "a status is unknown")
    if not all(_is_vector(vector, columns) for vector in (*directions, *dependences)):
        return Check(CLAIM, "fails", f"a direction or dependence is not a tuple of {columns} integers")
    if len(supports) != np.count_nonzero(np.isin(statuses, ONE_SIDED)):
        return Check(CLAIM, "fails", "the number of supports is not that of coefficients of +infinity or -infinity")
    if not all(_is_set_of_rows(support, examples) for support in supports):
        return Check(CLAIM, "fails", "a support has a row that does not exist, or a row twice")
    if kind == "undecided" and np.any(statuses):
        return Check(CLAIM, "fails", "nothing is known of the coefficients")
    return None


def _is_vector(vector: Any, columns: int) -> bool:
    return isinstance(vector, tuple) and len(vector) == columns and all(type(entry) is int for entry in vector)


def _is_set_of_rows(rows: Any, examples: int) -> bool:
    if not isinstance(rows, np.ndarray) or rows.ndim != 1 or rows.dtype.kind not in "iu":
        return False
    return len(np.unique(rows)) == len(rows) > 0 and 0 <= rows.min() <= rows.max() < examples
