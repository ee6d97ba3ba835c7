"""Whether a plane separates two classes: the verdict, its proof, and their check, in integers if requested."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .balance import MAX_FREE_DIMENSIONS, Balance, balance
from .certificate import Certificate, Duals, above, below, misfit
from .columns import Columns
from .exact import Examples, IntegerVector, distance_is_at_most, margin_is_at_least, to_integers
from .geometry import Floats, as_table
from .verification import Check, Verification

RELATIVE_ZERO = 1e-9  # a sum that is smaller relative to its terms may be 0
WITNESS_TOLERANCE = 1e-3  # largest difference of exact weights to those given, relative to the largest weight
# Whether each verdict has a plane and needs a witness.
_NEEDS = {
    "complete": (True, False),
    "quasi-complete": (True, True),
    "overlap": (False, True),
    "undecided": (False, False),
}


@dataclass(frozen=True, repr=False, eq=False)
class Separability(Certificate):
    """Whether a plane separates two classes, with a proof.

    Parameters
    ----------
    kind : {"complete", "quasi-complete", "overlap", "undecided"}
        ``complete``: the plane has every row on the right side. ``quasi-complete``: no plane has, but this one has no
        row on the wrong side and some rows on the right side. ``overlap``: every plane has rows on the wrong side,
        unless all rows lie on it. ``undecided``: the data are too large or too difficult.
    fit_intercept : bool
        Whether u is (x, 1) instead of x, so that the plane need not contain the origin.
    positive : object
        The label that is +1.
    examples : int
        Number of rows.
    coef : ndarray of shape (n_features,) or None
        Weights of the plane; None without one.
    intercept : float
        Intercept of the plane.
    numerators : tuple of int or None
        The plane in integers, the intercept last, where floats are not precise enough.
    boundary : ndarray of int64
        The rows on the plane of a quasi-complete separation.
    witness : Duals or None
        Weights a_i > 0 of some rows. For a quasi-complete separation and an overlap, sum a_i y_i u_i = 0, so that no
        plane has all these rows on the right side; for an overlap these rows span the space of all rows. For a
        complete separation the sum is as short as could be found, which bounds the margin of all planes.
    divergence : ndarray of int8 of shape (n_features,)
        +1 or -1 for each coefficient that a logistic regression would send to plus or minus infinity, 0 for those that
        stay finite. Of linearly dependent columns some count as 0: first those that are not 0 on the whole boundary,
        then later ones.
    intercept_divergence : int
        The same for the intercept.
    margin_lower_bound : float
        Lower bound on the margin of the plane.
    margin_upper_bound : float
        Upper bound on the margin of all planes.

    See Also
    --------
    novikoff.separability : Find the verdict.

    Notes
    -----
    ``verify`` does not use ``sample_weight``: the verdict is about all rows. With ``exact`` it decides everything in
    integers of any length, so that what holds is proven; otherwise rows are on the plane, and sums are 0, up to
    rounding.

    Examples
    --------
    >>> from novikoff import separability
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> found = separability(X, y)
    >>> found.kind, bool(found.verify(X, y, exact=True))
    ('overlap', True)
    """

    kind: str
    fit_intercept: bool
    positive: Any
    examples: int
    coef: Floats | None
    intercept: float
    numerators: tuple[int, ...] | None
    boundary: NDArray[np.int64]
    witness: Duals | None
    divergence: NDArray[np.int8]
    intercept_divergence: int
    margin_lower_bound: float
    margin_upper_bound: float

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if unfit := misfit(X, y, None, columns=len(self.divergence)) or self._misfit(y):
            return Verification((unfit,))
        signs = np.where(np.ravel(np.asarray(y)) == self.positive, 1.0, -1.0)
        checks = [Check("data", "holds", f"{X.shape[0]} rows of {X.shape[1]} features")]
        if self.kind == "undecided":
            return Verification((*checks, Check("kind", "open", "the data are too large or too difficult to decide")))
        own, X = self._compact(X)
        examples = Examples(X, signs, self.fit_intercept)
        checks += own.prove(examples) if exact else own._roughly(examples)
        if self.kind == "complete":
            checks += own._margins(examples)
        if self.kind != "overlap":
            checks.append(Check("divergence", "on trust", f"{int(np.count_nonzero(self.divergence))} coefficients"))
        return Verification(tuple(checks))

    def _compact(self, X: Any) -> tuple[Separability, Any]:
        """Return this verdict and sparse rows without the columns in which the plane and all rows are 0."""
        width = len(self.divergence)
        numerators = None if self.numerators is None else np.array(self.numerators[:width], dtype=object)
        columns = Columns.occurring(X, *(part for part in (self.coef, numerators) if part is not None))
        if columns is None:
            return self, X
        coef = None if self.coef is None else columns.narrow(self.coef)
        if self.numerators is None or numerators is None:
            return replace(self, coef=coef), columns.cut(X)
        integers = (*columns.narrow(numerators).tolist(), *self.numerators[width:])
        return replace(self, coef=coef, numerators=integers), columns.cut(X)

    def _misfit(self, y: Any) -> Check | None:
        if self.kind not in _NEEDS:
            return Check("kind", "fails", f"unknown kind {self.kind!r}")
        if self.examples != np.size(y):
            return Check("data", "fails", f"{self.examples} rows were judged, {np.size(y)} are given")
        needs_plane, needs_witness = _NEEDS[self.kind]
        if (self.coef is not None) != needs_plane or (self.witness is None and needs_witness):
            return Check(
                "kind", "fails", "the plane or the witness is missing, or there is a plane where there must not be one"
            )
        if self.coef is not None and len(self.coef) != len(self.divergence):
            return Check("plane", "fails", "the number of coefficients differs from the number of columns")
        if self.numerators is not None and (
            self.coef is None
            or len(self.numerators) != len(self.divergence) + self.fit_intercept
            or not _is_close(list(self.numerators), self._direction())
        ):
            return Check("plane", "fails", "its coefficients are not those of its numerators")
        if self.intercept != 0 and not self.fit_intercept:
            return Check("plane", "fails", f"the intercept is {self.intercept:.6g}, but fit_intercept is False")
        if len(self.boundary) and self.kind != "quasi-complete":
            return Check("boundary", "fails", "only a quasi-complete separation has boundary rows")
        if self.kind == "overlap" and (np.any(self.divergence) or self.intercept_divergence):
            return Check("divergence", "fails", "where classes overlap, no coefficient diverges")
        if self.kind != "complete" and (self.margin_lower_bound > 0 or self.margin_upper_bound < 0):
            return Check("margin", "fails", "only a complete separation has a margin")
        if self.coef is not None and not (np.all(np.isfinite(self.coef)) and np.isfinite(self.intercept)):
            return Check("plane", "fails", "NaN or infinity among the coefficients")
        if self.witness is not None:
            rows, weights = self.witness.rows, self.witness.weights
            if rows.shape != weights.shape or len(np.unique(rows)) != len(rows) or len(rows) == 0:
                return Check("witness", "fails", "it has no rows, a row twice, or another number of weights")
            if rows.min() < 0 or rows.max() >= self.examples or not np.all((weights > 0) & (weights < np.inf)):
                return Check("witness", "fails", "a row does not exist, or a weight is not positive")
        return None

    def _direction(self) -> Floats:
        assert self.coef is not None
        return np.append(self.coef, self.intercept) if self.fit_intercept else self.coef

    def _integer_direction(self) -> IntegerVector | None:
        return None if self.numerators is None else list(self.numerators)

    def prove(self, examples: Examples) -> list[Check]:
        """Decide the verdict in integers.

        Parameters
        ----------
        examples : Examples
            The rows with their signs.

        Returns
        -------
        list of Check
            Checks of the plane, the witness, the boundary and the span.
        """
        if self.kind == "complete":
            sides = examples.sides(self._integer_direction() or to_integers(self._direction())[0])
            wrong = np.flatnonzero(sides <= 0)
            if len(wrong):
                return [Check("plane", "fails", f"row {wrong[0]} is not on the right side", int(wrong[0]))]
            return [Check("plane", "holds", f"exactly: all {examples.rows} rows are on the right side")]
        assert self.witness is not None
        proof = balance(examples, self.witness)
        if proof is None:
            return [Check("witness", "open", "no exact weights were found close to those given")]
        near = WITNESS_TOLERANCE * float(self.witness.weights.max())
        if np.max(np.abs(proof.duals.weights - self.witness.weights)) > near:
            return [Check("witness", "open", "exact weights were found, but not close to those given")]
        held = [Check("witness", "holds", f"exactly: {len(self.witness.rows)} rows balance")]
        if self.kind == "overlap":
            return [*held, _spans(examples, proof, np.arange(examples.rows))]
        rough = self._rough_plane(examples)
        if rough.status == "fails":  # the proof must be about the plane that is given
            return [*held, rough]
        sides = examples.sides(self._integer_direction() or proof.straighten(self._direction()))
        wrong = np.flatnonzero(sides < 0)
        if len(wrong):
            return [*held, Check("plane", "fails", f"row {wrong[0]} is on the wrong side", int(wrong[0]))]
        if not np.any(sides):
            return [*held, Check("plane", "fails", "all rows lie on it")]
        detail = f"exactly: {int(np.count_nonzero(sides))} rows on the right side, the others on the plane"
        held.append(Check("plane", "holds", detail))
        same = np.array_equal(np.flatnonzero(sides == 0), self.boundary)
        words = f"{len(self.boundary)} rows lie on the plane" if same else "other rows lie on the plane"
        return [*held, Check("boundary", "holds" if same else "fails", words), _spans(examples, proof, self.boundary)]

    def _roughly(self, examples: Examples) -> list[Check]:
        checks = []
        if self.coef is not None:
            checks.append(self._rough_plane(examples))
        if self.witness is not None and self.kind != "complete":
            rows = self.witness.rows
            terms = examples.floats(rows) * self.witness.weights[:, None]
            total, size = np.abs(terms.sum(axis=0)), np.abs(terms).sum(axis=0)
            off = float(np.max(np.divide(total, size, out=np.zeros_like(total), where=size > 0)))
            words = f"{len(rows)} rows balance up to {off:.2g} of their terms"
            checks.append(Check("witness", "holds" if off <= RELATIVE_ZERO else "fails", words))
            checks.append(self._rough_span(examples))
        return checks

    def _rough_span(self, examples: Examples) -> Check:
        """Check in floating point that the witness spans the rows, by the directions in which it is 0."""
        assert self.witness is not None
        claim, among = "span", np.ones(examples.rows, dtype=bool)
        if self.kind == "quasi-complete":
            among[:] = False
            among[self.boundary] = True
        columns = examples.used(self.witness.rows)
        outside = np.flatnonzero(examples.reaches_beyond(columns) & among)
        z = examples.floats(self.witness.rows, columns)
        tallest = np.abs(z).max(axis=0, initial=0.0)
        z = z / tallest
        z = z / np.maximum(np.abs(z).max(axis=1, initial=0.0), 1e-300)[:, None]
        _, sizes, turned = np.linalg.svd(z, full_matrices=True) if z.size else (None, np.zeros(0), np.eye(len(columns)))
        rank = int(np.count_nonzero(sizes > RELATIVE_ZERO * max(z.shape) * sizes[:1].sum()))
        if len(outside) == 0 and rank < len(columns):
            directions = np.zeros((examples.columns, len(columns) - rank))
            directions[columns] = turned[rank:].T / tallest[:, None]
            outside = np.flatnonzero(examples.leaves(directions, RELATIVE_ZERO) & among)
        if len(outside):
            return Check(claim, "fails", f"row {outside[0]} is not spanned by the witness", int(outside[0]))
        return Check(claim, "holds", f"the witness spans all {int(among.sum())} rows, in floating point")

    def _rough_plane(self, examples: Examples) -> Check:
        """Check the plane in floating point; rows that rounding leaves undecided are taken to lie on it."""
        claim, complete = "plane", self.kind == "complete"
        if self.numerators is not None:
            return Check(claim, "open", "floating point is not precise enough; exact=True decides")
        on_plane = []
        for cut, scores, errors in examples.scores(self._direction()):
            wrong = np.flatnonzero(scores < -errors)
            if len(wrong):
                row = int(wrong[0]) + cut.start
                return Check(claim, "fails", f"row {row} is on the wrong side", row)
            on_plane.append(np.flatnonzero(scores <= errors) + cut.start)
        found = np.concatenate(on_plane) if on_plane else np.zeros(0, dtype=np.int64)
        if complete and len(found):
            return Check(
                claim, "open", f"row {found[0]} is too close for floating point; exact=True decides", int(found[0])
            )
        if not np.all(np.isin(self.boundary, found)):
            return Check(claim, "fails", "rows that should lie on it do not")
        if len(found) > len(self.boundary):
            return Check(claim, "open", "rows are too close to it for floating point; exact=True decides")
        return Check(claim, "holds", f"{examples.rows - len(found)} rows on the right side, {len(found)} on the plane")

    def _margins(self, examples: Examples) -> list[Check]:
        """Check the bounds on the margin of a complete separation."""
        lower, upper = self.margin_lower_bound, self.margin_upper_bound
        holds = lower <= 0 or margin_is_at_least(examples, self._direction(), lower, False)
        checks = [Check("margin", "holds" if holds else "fails", f"at least {lower:.6g}")]
        if self.witness is not None:
            free = self.fit_intercept
            holds = distance_is_at_most(examples, self.witness.rows, self.witness.weights, upper, free)
            checks.append(Check("best margin", "holds" if holds else "fails", f"at most {upper:.6g}"))
        elif upper < math.inf:
            checks.append(Check("best margin", "fails", f"no witness proves that it is at most {upper:.6g}"))
        return checks

    def plane(self) -> tuple[Floats, float] | None:
        return None if self.coef is None else (self.coef, self.intercept)

    def claims(self) -> list[tuple[str, str]]:
        words = [("kind", self.kind)]
        if self.kind == "complete":
            words.append(("margin", f"at least {below(self.margin_lower_bound)}"))
            if self.margin_upper_bound < math.inf:
                words.append(("best margin", f"at most {above(self.margin_upper_bound)}"))
            return words
        if self.witness is None:
            return words
        words.append(("witness", f"{len(self.witness.rows)} of {self.examples} rows balance each other"))
        if self.kind == "quasi-complete":
            words.append(("on the plane", f"{len(self.boundary)} rows"))
            diverging = np.flatnonzero(self.divergence)
            named = ", ".join(f"{j} to {'+' if self.divergence[j] > 0 else '-'}infinity" for j in diverging[:10])
            more = f" and {len(diverging) - 10} more" if len(diverging) > 10 else ""
            words.append(("coefficients", (named or "only the intercept") + more))
        return words


def _spans(examples: Examples, proof: Balance, rows: NDArray[np.int64]) -> Check:
    """Check that the rows of the witness span all of the given ones."""
    claim = "span"
    found = proof.outside(examples)
    if found is None:
        return Check(
            claim, "open", f"the witness does not span more than {MAX_FREE_DIMENSIONS} dimensions of its columns"
        )
    outside = rows[found[rows]]
    if len(outside):
        return Check(claim, "fails", f"row {outside[0]} is not spanned by the witness", int(outside[0]))
    return Check(claim, "holds", f"exactly: the witness spans all {len(rows)} rows")


def _is_close(exactly: IntegerVector, direction: Floats) -> bool:
    """Return whether a direction of floats is that of these integers up to rounding."""
    largest, length = max(map(abs, exactly), default=0), float(np.abs(direction).max(initial=0.0))
    if largest == 0 or length == 0:
        return False
    shares = np.array([entry / largest for entry in exactly])
    return bool(np.max(np.abs(shares - direction / length)) <= RELATIVE_ZERO)
