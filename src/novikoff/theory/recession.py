"""The directions that are 0 on the boundary of a separation, and which columns they leave free.

Let z_i be the rows, K the cone of directions v with z_i.v >= 0 for all rows, L the subspace with z_i.v = 0 for all
rows, and B the rows of the boundary, on which all of K is 0. A basis n_1, ..., n_k of the directions that are 0 on B
spans K: v = sum t_l n_l. In the coordinates t a row is r_i = (z_i.n_1, ..., z_i.n_k), and column j is
c_j = (n_1j, ..., n_kj), so that v_j = c_j.t. Then

- v_j = 0 on all of K if and only if c_j = 0;
- v_j = 0 on all of L if and only if c_j is a linear combination of the r_i;
- v_j >= 0 on all of K if and only if c_j is a combination of the r_i with weights that are not negative (Farkas).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff._cached import cached_property
from novikoff._one_core import linear_algebra

from .balance import Balance
from .elimination import (
    EXACT_BITS,
    Budget,
    Factors,
    IntegerVector,
    Reduced,
    WorkLimitReached,
    longest,
    pivots_modulo,
    primitive,
    product_work,
    solve,
    spend,
)
from .exact import Examples
from .float_balance import has_positive_weights
from .geometry import Floats
from .residues import PRODUCT_SHARE

Rows = NDArray[np.int64]
SAMPLE_ROWS = (1000, 4)  # rows that span all others are searched among so many first, and so many more per coordinate
MAX_COEFFICIENT = 1 << 15  # of a combination of dependences; random ones up to here cancel in hardly any column
COMBINATIONS = 2  # of dependences, if there are too many to list them
MAX_LISTED_ENTRIES = 10_000  # of all dependences together
MAX_REDUCED_BITS = 5000  # columns that are not pivots times bits of a value, up to which a whole matrix is reduced
MAX_ROUNDS = 20  # in which rows are added to those that span all


class Recession:
    """Coordinates of the directions that are 0 on the boundary.

    Parameters
    ----------
    examples : Examples
        The rows z_i.
    sides : ndarray of int8 or None
        1 for the rows that are not on the boundary, 0 for the others; None if all rows are on the boundary.
    proof : Balance or None
        Rows that span the boundary; None if it is empty.
    budget : Budget or None, default=None
        A limit on the work; WorkLimitReached is raised if it is exceeded.
    """

    def __init__(
        self, examples: Examples, sides: NDArray[np.int8] | None, proof: Balance | None, budget: Budget | None = None
    ) -> None:
        self.examples, self.budget, self.proof = examples, budget, proof
        self._prepared: dict[int, IntegerVector] = {}
        self.off_boundary: Rows = np.zeros(0, dtype=np.int64) if sides is None else np.flatnonzero(sides)

    @cached_property
    def basis(self) -> list[IntegerVector] | None:
        """The n_l; None if they are the unit vectors."""
        return None if self.proof is None else _basis(self.examples.columns, self.proof, self.budget)

    @cached_property
    def _factors(self) -> Factors | None:
        return None if self.basis is None else Factors(self.basis)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.examples.columns if self.basis is None else len(self.basis)

    @cached_property
    def is_fixed(self) -> NDArray[np.bool_]:
        """Which columns are 0 in all directions."""
        fixed = np.zeros(self.examples.columns, dtype=bool)
        if self.basis is not None:
            fixed[:] = True
            for vector in self.basis:
                fixed[[j for j, entry in enumerate(vector) if entry]] = False
        return fixed

    @cached_property
    def directions(self) -> Floats:
        """The basis in floating point, each vector divided by its largest entry, of shape (dimension, columns)."""
        if self.basis is None:
            return np.eye(self.examples.columns)
        largest = [max(map(abs, vector)) for vector in self.basis]
        table = [[entry / size for entry in vector] for vector, size in zip(self.basis, largest, strict=True)]
        return np.array(table, dtype=np.float64).reshape(self.dimension, self.examples.columns)

    def integer_rows(self, rows: Rows) -> list[IntegerVector]:
        """Return the r_i of some rows, each times a positive number, in integers."""
        vectors = [vector for vector, _ in self.examples.integer_rows(rows, budget=self.budget)]
        return vectors if self._factors is None else self._factors.products(vectors, self.budget)

    def integer_column(self, column: int) -> IntegerVector:
        """Return c_j."""
        if self.basis is None:
            return [int(j == column) for j in range(self.dimension)]
        return [vector[column] for vector in self.basis]

    def combined(self, coordinates: IntegerVector) -> IntegerVector:
        """Return the direction with these coordinates."""
        if self.basis is None:
            return primitive(coordinates)
        columns = [list(entries) for entries in zip(*self.basis, strict=True)]
        return primitive(Factors(columns).products([coordinates], self.budget)[0])

    def floats(self, rows: Rows) -> Floats:
        """Return the r_i of some rows in the coordinates of ``directions``, up to rounding."""
        z = self.examples.floats(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            return z if self.basis is None else z @ self.directions.T

    def prepare(self, rows: Rows) -> None:
        """Compute the r_i of many rows at once, for ``weights``."""
        new = np.array(sorted(set(rows.tolist()) - set(self._prepared)), dtype=np.int64)
        self._prepared |= dict(zip(new.tolist(), self.integer_rows(new), strict=True))

    def proves(self, support: Rows, column: int, sign: int) -> bool:
        """Return whether sign c_j is a unique combination of the r_i of some rows, with positive weights."""
        if len(support) == self.dimension and self._proves_in_floats(support, column, sign):
            return True
        weights = self.weights(support, column, sign)
        return weights is not None and min(weights) > 0

    def _proves_in_floats(self, support: Rows, column: int, sign: int) -> bool:
        if self.basis is None:
            square = self.examples.floats(support)
        else:
            self.prepare(support)
            vectors = [self._prepared[i] for i in support.tolist()]
            if longest(vectors) > EXACT_BITS:
                return False
            square = np.array(vectors, dtype=np.float64)
        target = self.integer_column(column)
        if longest([target]) > EXACT_BITS:
            return False
        spend(self.budget, 4 * self.dimension**3 / PRODUCT_SHARE)
        return has_positive_weights(square, sign * np.array(target, dtype=np.float64))

    def weights(self, support: Rows, column: int, sign: int) -> list[int] | None:
        """Return weights with sum w_i r_i = sign c_j, all times one positive number; None if there is no unique set."""
        self.prepare(support)
        vectors = [self._prepared[i] for i in support.tolist()]
        target = [sign * entry for entry in self.integer_column(column)]
        matrix = [[*entries, last] for entries, last in zip(zip(*vectors, strict=True), target, strict=True)]
        reduced = Reduced(matrix, len(vectors) + 1, self.budget)
        if reduced.pivots != list(range(len(vectors))):  # the rows are dependent, or the column is not in their span
            return None
        unit = 1 if reduced.divisor > 0 else -1
        return [unit * int(reduced.table[row, len(vectors)]) for row in range(len(vectors))]


def _basis(columns: int, proof: Balance, budget: Budget | None) -> list[IntegerVector]:
    """Return a basis of the directions that are 0 on all rows of a proof."""
    outside = np.setdiff1d(np.arange(columns), proof.columns).tolist()
    spend(budget, len(outside) * columns)
    moves = proof.moves(columns, budget)
    if moves is None:
        raise WorkLimitReached
    units = [[int(j == k) for j in range(columns)] for k in outside]
    return [*moves, *units]


class Aliasing:
    """The linear dependences between columns.

    Parameters
    ----------
    recession : Recession
        The rows, in the coordinates of the directions that are 0 on the boundary.

    Attributes
    ----------
    vectors : list of list of int
        Directions on which all rows lie.
    is_aliased : ndarray of bool
        The columns that are not 0 in one of them.
    is_identified : ndarray of bool
        The columns that are proven to be 0 in all directions on which all rows lie.
    """

    def __init__(self, recession: Recession) -> None:
        columns = recession.examples.columns
        self._recession, self._random = recession, np.random.default_rng(0)
        self.vectors: list[IntegerVector] = []
        self.is_aliased = np.zeros(columns, dtype=bool)
        self.is_identified = recession.is_fixed.copy()
        if recession.dimension == 0:
            return
        rows = recession.off_boundary
        sample = SAMPLE_ROWS[0] + SAMPLE_ROWS[1] * recession.dimension
        chosen = _independent(recession, rows[:: max(1, len(rows) // sample)])
        for _ in range(MAX_ROUNDS):
            missed = self._solve(chosen)
            if len(missed) == 0:
                return
            chosen = np.union1d(chosen, missed[:: max(1, len(missed) // recession.dimension)])

    def _solve(self, chosen: Rows) -> Rows:
        """Decide by rows that may span all others; return those that they do not span."""
        recession, budget = self._recession, self._recession.budget
        system = _System(recession.integer_rows(chosen), recession.dimension, budget)
        if not system.free:
            self.is_identified[:] = True
            return np.zeros(0, dtype=np.int64)
        self.vectors = [recession.combined(vector) for vector in system.null_vectors(self._coefficients(system.free))]
        missed = np.flatnonzero(recession.examples.off_zero(self.vectors, budget))
        if len(missed):
            self.vectors = []
            return missed
        for vector in self.vectors:
            self.is_aliased |= np.array([entry != 0 for entry in vector])
        others = np.flatnonzero(~self.is_aliased & ~self.is_identified).tolist()
        self.is_identified[others] = system.spans([recession.integer_column(j) for j in others])
        return missed

    def _coefficients(self, free: list[int]) -> list[IntegerVector]:
        """Return unit vectors, for a basis of the dependences, if they are few; otherwise some random combinations."""
        if len(free) * self._recession.examples.columns <= MAX_LISTED_ENTRIES:
            return [[int(j == k) for j in range(len(free))] for k in range(len(free))]
        found: list[IntegerVector] = self._random.integers(1, MAX_COEFFICIENT, size=(COMBINATIONS, len(free))).tolist()
        return found


class _System:
    """Integer vectors, the vectors that are orthogonal to them, and what they span.

    Columns that are independent modulo a prime are the pivots. The system is solved for them, or reduced as a whole if
    that is not much more work, which depends on the length of the result.
    """

    def __init__(self, vectors: list[IntegerVector], columns: int, budget: Budget | None) -> None:
        self._columns, self._budget = columns, budget
        pivots = pivots_modulo(vectors, budget)
        if len(pivots) < len(vectors):
            chosen = pivots_modulo([list(entries) for entries in zip(*vectors, strict=True)], budget)
            vectors = [vectors[i] for i in chosen]
        self._vectors, self.pivots = vectors, pivots
        self.free = sorted(set(range(columns)) - set(pivots))

    @cached_property
    def _reduced(self) -> Reduced | None:
        if len(self.free) * (longest(self._vectors) + 8) > MAX_REDUCED_BITS:
            return None
        reduced = Reduced(self._vectors, self._columns, self._budget)
        return reduced if reduced.pivots == self.pivots else None

    def null_vectors(self, coefficients: list[IntegerVector]) -> list[IntegerVector]:
        """Return orthogonal vectors with these entries, each times one number, in the columns that are not pivots."""
        if self._reduced is not None or not self.pivots:
            reduced = self._reduced or Reduced([], self._columns)
            spend(self._budget, len(coefficients) * self._columns * len(self.free) * product_work(0, 0))
            return [reduced.null_vector(each) for each in coefficients]
        square = [[vector[j] for j in self.pivots] for vector in self._vectors]
        others = Factors([[vector[j] for j in self.free] for vector in self._vectors])
        solved, divisor = solve(square, others.products(coefficients, self._budget), self._budget)
        return [self._joined(x, [divisor * c for c in each]) for x, each in zip(solved, coefficients, strict=True)]

    def _joined(self, solved: IntegerVector, free: IntegerVector) -> IntegerVector:
        vector = [0] * self._columns
        for j, entry in zip(self.pivots, solved, strict=True):
            vector[j] = -entry
        for j, entry in zip(self.free, free, strict=True):
            vector[j] = entry
        return primitive(vector)

    def spans(self, targets: list[IntegerVector]) -> list[bool]:
        """Return for each target whether it is a linear combination of the vectors."""
        if self._reduced is not None:
            return self._reduced.spans(targets, self._budget)
        if not self.pivots or not targets:
            return [not any(target) for target in targets]
        transposed = [[vector[j] for vector in self._vectors] for j in self.pivots]
        solved, divisor = solve(transposed, [[t[j] for j in self.pivots] for t in targets], self._budget)
        columns = Factors([list(entries) for entries in zip(*self._vectors, strict=True)])
        sums = columns.products(solved, self._budget)
        return [[divisor * entry for entry in t] == total for t, total in zip(targets, sums, strict=True)]


def _independent(recession: Recession, rows: Rows) -> Rows:
    """Return rows that are independent, up to rounding, and span the given ones; all of them if floats cannot tell."""
    spend(recession.budget, len(rows) * recession.dimension * min(len(rows), recession.dimension) / PRODUCT_SHARE)
    steps = recession.floats(rows)
    if len(rows) == 0 or not np.all(np.isfinite(steps)):
        return rows[: 2 * recession.dimension]
    tallest = np.abs(steps).max(axis=0)
    steps = steps / np.where(tallest > 0, tallest, 1.0)
    lengths = np.abs(steps).max(axis=1, keepdims=True)
    triangle, picked = linear_algebra().qr((steps / np.where(lengths > 0, lengths, 1.0)).T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return np.sort(rows[picked[: int(np.count_nonzero(sizes > 1e-9 * sizes[0]))]])
