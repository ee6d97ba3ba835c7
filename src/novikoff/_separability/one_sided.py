"""Which coefficients can be infinite with either sign, and a proof for those that cannot.

Column c_j with the sign of the plane's coefficient is projected onto the cone of the rows r_i, as
``theory/recession.py`` defines them. If it lies in the cone, it is a combination of rows with weights >= 0, which
proves the sign. If not, then minus the residual is a direction that has no row on its wrong side and moves the
coefficient to the other side.

Rows and weights from floating point are proven in integers. Small problems, and those on which floating point fails,
are solved in integers by Gordan's alternative.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.theory.balance import rounded_to
from novikoff.theory.coefficients import CoefficientStatus, Statuses, undecided
from novikoff.theory.elimination import IntegerVector, primitive
from novikoff.theory.exact import to_integers
from novikoff.theory.exact_simplex import alternative
from novikoff.theory.geometry import Floats, blocks
from novikoff.theory.recession import Recession

from .partition import Rows

SMALL_PROBLEM_ENTRIES = 400  # rows times coordinates up to which integers are used at once
MAX_INTEGER_ENTRIES = 10_000  # rows times coordinates of the working set, above which integers are not used
WORKING_ROWS = (500, 10)  # the first working set in floating point has at least so many rows, or so many per coordinate
ROWS_AT_ONCE = 4096  # rows that are copied at a time
MAX_DISTINCT_ENTRIES = 2_000_000  # rows times coordinates among which repetitions are searched
MAX_PROJECTIONS = 5e8  # multiplications in all projections together, approximately
MAX_ROUNDS = 30  # in which rows are added to the working set
NEGLIGIBLE_RESIDUAL = 1e-9  # relative to the length of the column: it lies in the cone
PROMISE = 1e-3  # entries of a direction, relative to the largest, that rounding does not change
DIRECTION_BITS = (16, 53)  # of the entries of a direction; short ones are tried first


class Knowledge:
    """What is known of the signs of the coefficients.

    Parameters
    ----------
    recession : Recession
        The rows and columns in the coordinates of the directions that are 0 on the boundary.
    is_candidate : ndarray of bool
        The coefficients that are infinite in some way.

    Attributes
    ----------
    directions : list of list of int
        Directions that have no row on their wrong side, without the plane.
    supports : dict of int to ndarray of int64
        Rows that prove the sign of a coefficient.
    """

    def __init__(self, recession: Recession, is_candidate: NDArray[np.bool_]) -> None:
        self.recession, self.is_candidate = recession, is_candidate
        self.directions: list[IntegerVector] = []
        self.supports: dict[int, Rows] = {}
        self._moved = {sign: np.zeros(len(is_candidate), dtype=bool) for sign in (1, -1)}

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Which candidates may have another status than what is known so far."""
        found = self.is_candidate & ~(self._moved[1] & self._moved[-1])
        found[list(self.supports)] = False
        return found

    def is_moved(self, column: int, sign: int) -> bool:
        """Return whether a known direction moves a coefficient to a side."""
        return bool(self._moved[sign][column])

    def add(self, direction: IntegerVector, is_plane: bool = False) -> None:
        """Add a direction that is proven to have no row on its wrong side."""
        if not is_plane:
            self.directions.append(direction)
        signs = np.array([(entry > 0) - (entry < 0) for entry in direction])
        self._moved[1] |= signs > 0
        self._moved[-1] |= signs < 0

    def try_to_add(self, directions: list[IntegerVector]) -> bool:
        """Add those directions that have no row on their wrong side; return whether all are such."""
        wrong = self.recession.examples.wrong_sides(directions, self.recession.budget)
        for direction, row in zip(directions, wrong.tolist(), strict=True):
            if row < 0:
                self.add(primitive(direction))
        return bool(np.all(wrong < 0))

    def try_support(self, column: int, sign: int, rows: Rows) -> bool:
        """Add a support, or the part of it that has weights, if it proves the sign of a coefficient."""
        if self.recession.proves(rows, column, sign):
            self.supports[column] = np.sort(rows)
            return True
        weights = self.recession.weights(rows, column, sign)
        if weights is None or min(weights) < 0:
            return False
        self.supports[column] = np.sort(rows[np.array(weights, dtype=object) > 0])
        return True

    def statuses(self) -> Statuses:
        """Return the statuses of all candidates; the others are undecided."""
        found = undecided(len(self.is_candidate))
        found[self.is_candidate & self._moved[1] & self._moved[-1]] = CoefficientStatus.INFINITE
        for column in self.supports:
            is_plus = self._moved[1][column]
            found[column] = CoefficientStatus.PLUS_INFINITY if is_plus else CoefficientStatus.MINUS_INFINITY
        return found


def decide_signs(known: Knowledge, plane: IntegerVector) -> None:
    """Decide for each open coefficient whether it can have the sign that the plane does not have."""
    rows = known.recession.off_boundary
    if np.any(known.is_open) and len(rows) * known.recession.dimension > SMALL_PROBLEM_ENTRIES:
        _FloatSearch(known, plane).run()
    if np.any(known.is_open):
        _in_integers(known)


# ---- projections in floating point -----------------------------------------------------------------------------------


class _FloatSearch:
    """Projections of columns onto the cone of the rows of a working set, which grows until it suffices."""

    def __init__(self, known: Knowledge, plane: IntegerVector) -> None:
        self._known, self._recession, self._plane = known, known.recession, plane
        largest = max(map(abs, plane))
        self._plane_floats = np.array([entry / largest for entry in plane])
        self._work = MAX_PROJECTIONS

    def run(self) -> None:
        columns = [j for j in np.flatnonzero(self._known.is_open).tolist() if self._plane_floats[j]]
        working = self._first_rows()
        for _ in range(MAX_ROUNDS):
            before = len(columns)
            violating = self._test(self._project(columns, working))
            columns = [j for j in columns if self._known.is_open[j]]
            new = np.setdiff1d(violating, working)
            if not columns or (len(new) == 0 and len(columns) == before) or self._work < 0:
                return
            working = np.union1d(working, new)

    def _first_rows(self) -> Rows:
        """Return rows close to the plane, without repetitions, as far as floating point shows them."""
        rows, recession = self._recession.off_boundary, self._recession
        most = max(WORKING_ROWS[0], WORKING_ROWS[1] * recession.dimension)
        if len(rows) > 2 * most:
            shares = self._shares()[rows]
            enough = max(2 * most, MAX_DISTINCT_ENTRIES // recession.dimension)
            if len(rows) > enough:
                closest = np.argpartition(shares, enough)[:enough]
                rows, shares = rows[closest], shares[closest]
            rows = rows[np.argsort(shares, kind="stable")]
        with np.errstate(all="ignore"):
            factors = np.random.default_rng(0).normal(size=recession.dimension)
            pieces = [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]
            keys = np.concatenate([recession.floats(piece) @ factors for piece in pieces])
        first = np.sort(np.unique(keys, return_index=True)[1])
        return np.sort(rows[first[:most]])

    def _shares(self) -> Floats:
        """Return z_i.v of the plane relative to the largest value of the row, for all rows."""
        examples, (weights, biases) = self._recession.examples, self._parts(self._plane_floats[:, None])
        shares: Floats = np.zeros(examples.rows)
        for cut, block in blocks(examples.X):
            if sp.issparse(block):
                sizes = abs(block).max(axis=1).toarray().ravel()
            else:
                sizes = np.maximum(block.max(axis=1), -block.min(axis=1))
            with np.errstate(all="ignore"):
                shares[cut] = np.abs(np.asarray(block @ weights) + biases)[:, 0] / np.maximum(sizes, np.abs(biases))
        return shares

    def _parts(self, matrix: Floats) -> tuple[Floats, Floats]:
        """Return the weights and the intercepts of directions, which are the columns of a matrix."""
        if self._recession.examples.fit_intercept:
            return matrix[:-1], matrix[-1]
        return matrix, np.zeros(matrix.shape[1])

    def _project(self, columns: list[int], working: Rows) -> dict[int, Floats]:
        """Project columns; prove those in the cone, and return directions that may show the other sign for others."""
        from scipy.optimize import nnls  # slow to import and rarely needed

        recession = self._recession
        table = recession.floats(working)
        scale = np.abs(table).max(axis=0)
        scale[scale == 0] = 1.0
        table = table / scale
        lengths = np.abs(table).max(axis=1)
        found: dict[int, Floats] = {}
        estimate = len(columns) * table.size * recession.dimension  # directions that move several columns save some
        if estimate > 10 * MAX_PROJECTIONS or not np.all(np.isfinite(table)) or np.any(lengths == 0):
            return found
        table = np.ascontiguousarray((table / lengths[:, None]).T)
        is_promised = np.zeros(len(self._plane), dtype=bool)  # a direction that is not yet tested has the other sign
        for j in columns:
            if not self._known.is_open[j] or is_promised[j]:
                continue
            self._work -= table.size * len(table)
            if self._work < 0:
                break
            sign = 1 if self._plane[j] > 0 else -1
            column = sign * recession.directions[:, j] / scale
            column = column / np.abs(column).max()
            try:
                weights, residual = nnls(table, column)
            except RuntimeError:  # too many iterations
                continue
            if residual <= NEGLIGIBLE_RESIDUAL * np.linalg.norm(column):
                self._known.try_support(j, sign, working[weights > 0])
            else:
                coordinates = (table @ weights - column) / scale
                found[j] = self._mixed(coordinates @ recession.directions, j)
                with np.errstate(invalid="ignore"):
                    is_promised |= found[j] * self._plane_floats < -PROMISE * np.abs(self._plane_floats)
        return found

    def _mixed(self, direction: Floats, column: int) -> Floats:
        """Return a direction moved towards the plane, as far as it keeps half of the coefficient of the other sign."""
        with np.errstate(all="ignore"):
            factor = abs(direction[column]) / (2 * abs(self._plane_floats[column]))
            mixed = direction + factor * self._plane_floats
            relative: Floats = mixed / np.abs(mixed).max()
        return relative

    def _test(self, candidates: dict[int, Floats]) -> Rows:
        """Add directions that have no row on their wrong side; return the rows that others have there."""
        own = [j for j in candidates if np.all(np.isfinite(candidates[j]))]
        violating = self._violating(np.array([candidates[j] for j in own])) if own else {}
        for bits in DIRECTION_BITS:
            fine = [j for place, j in enumerate(own) if place not in violating and not self._shows_other_sign(j)]
            self._known.try_to_add([self._straight(candidates[j], bits) for j in fine])
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *violating.values()]))

    def _shows_other_sign(self, column: int) -> bool:
        return self._known.is_moved(column, -1 if self._plane[column] > 0 else 1)

    def _straight(self, direction: Floats, bits: int) -> IntegerVector:
        """Return a direction in integers that is exactly 0 on the boundary."""
        short = rounded_to(direction, bits)
        proof = self._recession.proof
        return primitive(to_integers(short)[0]) if proof is None else proof.straighten(short)

    def _violating(self, directions: Floats) -> dict[int, Rows]:
        """Return, for each direction that has rows on its wrong side, those that are farthest there."""
        examples, found = self._recession.examples, dict[int, list[Rows]]()
        weights, biases = self._parts(np.vstack([directions, self._plane_floats]).T)
        is_off = np.zeros(examples.rows, dtype=bool)
        is_off[self._recession.off_boundary] = True
        most = max(10, self._recession.dimension // 4)
        for cut, block in blocks(examples.X):
            rows = np.flatnonzero(is_off[cut])
            with np.errstate(all="ignore"):
                scores = (np.asarray(block @ weights) + biases)[rows] * examples.signs[cut][rows][:, None]
                shares = scores[:, :-1] / scores[:, -1:]
            for place in np.flatnonzero(np.any(shares < 0, axis=0)).tolist():
                worst = np.argsort(shares[:, place], kind="stable")[:most]
                worst = worst[shares[worst, place] < 0]
                found.setdefault(place, []).append(rows[worst] + cut.start)
        return {place: np.concatenate(parts) for place, parts in found.items()}


# ---- Gordan's alternative in integers --------------------------------------------------------------------------------


def _in_integers(known: Knowledge) -> None:
    """Decide open coefficients in integers, if the working set remains small."""
    recession = known.recession
    rows = recession.off_boundary
    if len(rows) * recession.dimension > SMALL_PROBLEM_ENTRIES:
        rows = rows[:: max(1, len(rows) // (2 * recession.dimension))]
    distinct: dict[tuple[int, ...], int] = {}
    _add_distinct(distinct, recession, rows)
    for column in np.flatnonzero(known.is_open).tolist():
        for sign in (1, -1):
            while known.is_open[column] and not known.is_moved(column, sign):
                if len(distinct) * recession.dimension > MAX_INTEGER_ENTRIES:
                    return
                new = _one_step(known, distinct, column, sign)
                if len(new) == 0:
                    break
                _add_distinct(distinct, recession, new)


def _one_step(known: Knowledge, distinct: dict[tuple[int, ...], int], column: int, sign: int) -> Rows:
    """Decide whether a coefficient can have a sign, on a working set; return the rows that contradict it."""
    recession = known.recession
    none = np.zeros(0, dtype=np.int64)
    target = [sign * entry for entry in recession.integer_column(column)]
    weights, coordinates = alternative([*map(list, distinct), primitive(target)], recession.budget)
    if weights is not None:
        rows = np.array([i for i, w in zip(distinct.values(), weights[:-1], strict=True) if w], dtype=np.int64)
        known.try_support(column, -sign, rows)
        return none
    assert coordinates is not None
    direction = recession.combined(coordinates)
    if known.try_to_add([direction]):
        return none
    wrong = np.flatnonzero(recession.examples.sides(direction, recession.budget) < 0)
    return wrong[:: max(1, len(wrong) // max(4, recession.dimension))]


def _add_distinct(distinct: dict[tuple[int, ...], int], recession: Recession, rows: Rows) -> None:
    """Add rows to a working set, each direction once."""
    for i, vector in zip(rows.tolist(), recession.integer_rows(rows), strict=True):
        distinct.setdefault(tuple(primitive(vector)), i)
