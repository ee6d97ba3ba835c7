"""Whether a plane separates two classes: the verdict, its proof, and their check, in integers if requested."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import count, counted
from novikoff._design import Design, design_of
from novikoff._one_core import one_core
from novikoff.errors import InvalidInputError, input_error

from .boundary_data import BoundaryData, Given, reduced_data
from .certificate import Certificate, Duals, above, below, misfit
from .coefficients import CoefficientStatus, Statuses, counted_statuses, in_words
from .columns import Columns, without_zeros
from .exact import Examples
from .geometry import Floats, as_table
from .margin_value import Margin
from .row_numbers import numbers_in_design
from .separability_checks import Proof, row_nouns, structure_misfit
from .separability_summary import SeparabilitySummary, model_of, summary_of
from .verdict_columns import names_in_columns, narrowed, rows_in_columns
from .verification import Check, Verification

INTERCEPT = "(Intercept)"  # the name of its coefficient


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
        The label that is +1, whose probability a logistic regression models; for counts, the name of the successes.
    examples : int
        Number of rows that the user gave, with those of weight 0.
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
    statuses : ndarray of int8
        The `CoefficientStatus` of each coefficient of a logistic regression, that of the intercept last if there is
        one. ``status`` has the words.
    directions : tuple of tuple of int
        Directions besides the plane that have no row on their wrong side, the intercept last. One of them, or the
        plane, moves each infinite coefficient to each side that its status names.
    supports : tuple of ndarray of int64
        For each coefficient of status ``+infinity`` or ``-infinity``, in their order, rows that prove its sign.
    dependences : tuple of tuple of int
        Directions on which all rows lie, the intercept last: linear dependences between the columns. Each aliased
        coefficient is not 0 in one of them, or its column is 0.
    margin_lower_bound : Margin
        Lower bound on the margin of the plane, with a free intercept or none.
    margin_upper_bound : Margin
        Upper bound on the margin of all planes, in the same geometry.
    names : tuple of str or None, default=None
        Names of the columns, without the intercept.
    response : str or None, default="y"
        The name of the labels; None if y has counts of successes and failures.
    columns : ndarray of int64 or None, default=None
        The columns of X that the verdict is about, if X is sparse and far more columns are 0 in all rows: these are
        aliased, and no other field is about them. None if the verdict is about all columns.
    n_features : int or None, default=None
        The number of columns of X, if ``columns`` is given.

    See Also
    --------
    novikoff.separability : Find the verdict.

    Notes
    -----
    Let z_i = y_i u_i for labels y of -1 and +1, and let v be the plane: ``numerators`` if they are given, else ``coef``
    and ``intercept`` as the rational numbers that they are. The claims are:

    - y has two labels, ``positive`` is one of them, and there are ``examples`` rows. For counts, ``positive`` is the
      name of one of their columns.
    - ``names`` are different for all columns, and are those of the data if these have names.
    - complete: z_i.v > 0 for all rows. The margin min_i z_i.v / |w|, with w without the intercept, is at least
      ``margin_lower_bound``. If ``margin_upper_bound`` is finite, |sum a'_i z_i| <= ``margin_upper_bound`` sum a'_i for
      the weights a of the witness, where z is without the intercept, and a' is a with the class of the larger sum
      scaled down, so that both classes have the same sum, or a if there is no intercept.
    - quasi-complete: z_i.v = 0 for the rows of ``boundary``, z_i.v > 0 for the others, of which there are some. There
      are weights a' with sum a'_i z_i = 0 and a_i / 2 < a'_i < 2 a_i for all rows of the witness, and these rows span
      the boundary.
    - overlap: there are such weights a', and the rows of the witness span all rows.
    - ``coef`` and ``intercept`` are the quotients of the numerators and the largest of their absolute values, rounded.

    Rows of weight 0 are absent; other weights and offsets have no influence. If y has counts, the successes of row i
    are row i of ``witness`` and ``supports``, and its failures row ``examples`` + i; ``boundary`` has the numbers i.

    What rounding leaves open is decided in integers if that takes less than about a fifth of a second, or with
    ``exact`` less than about a minute. Otherwise it remains open.

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
    statuses: Statuses
    directions: tuple[tuple[int, ...], ...]
    supports: tuple[NDArray[np.int64], ...]
    dependences: tuple[tuple[int, ...], ...]
    margin_lower_bound: float
    margin_upper_bound: float
    names: tuple[str, ...] | None = None
    response: str | None = "y"
    columns: NDArray[np.int64] | None = None
    n_features: int | None = None

    def __post_init__(self) -> None:
        intercept = "free" if self.fit_intercept else "none"
        for name in ("margin_lower_bound", "margin_upper_bound"):
            margin = getattr(self, name)
            if not math.isnan(margin):  # NaN is a false claim, which ``verify`` refuses
                object.__setattr__(self, name, Margin(margin, intercept=intercept))

    def __bool__(self) -> bool:
        return self.separated

    @property
    def separated(self) -> bool:
        """Whether the classes are separated, completely or quasi-completely, so that no estimate exists."""
        if self.kind == "undecided":
            raise ValueError(
                "separability: it is undecided whether the classes are separated, because the data are too large, or "
                "their scales too different, for exact arithmetic. Leave out columns, or round the values to fewer "
                "digits."
            )
        return self.kind != "overlap"

    @property
    def width(self) -> int:
        """The number of columns that the verdict is about."""
        return len(self.statuses) - (1 if self.fit_intercept else 0)

    @property
    def status(self) -> NDArray[np.str_]:
        """The status of each coefficient in words, that of the intercept last if there is one."""
        return in_words(self.statuses)

    @property
    def coefficients(self) -> dict[str, str]:
        """The status of each coefficient by its name: x0, x1 and so on without names, and (Intercept)."""
        names = self.names or tuple(f"x{j}" for j in (range(self.width) if self.columns is None else self.columns))
        return dict(zip((*names, *([INTERCEPT] if self.fit_intercept else [])), self.status.tolist(), strict=True))

    def summary(self) -> SeparabilitySummary:
        """Return the verdict as a statistician reads it.

        Returns
        -------
        SeparabilitySummary
            A sentence to quote, and a table of the coefficients; ``print`` shows both, and so do notebooks.
        """
        others = 0 if self.n_features is None else self.n_features - self.width
        return summary_of(self.kind, model_of(self.response, self.positive), self.coefficients, others)

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"<Separability: {'; '.join(f'{name} {text}' for name, text in self.claims())}>"

    def _repr_html_(self) -> str:
        return f"<div>{self.summary()._repr_html_()}{super()._repr_html_()}</div>"

    def verify(
        self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False, *, offset: Any = None
    ) -> Verification:
        """Recompute every claim that the data can show, without the solver.

        Parameters
        ----------
        X, y, sample_weight : object
            The data, in any of the forms that ``novikoff.separability`` takes.
        exact : bool, default=False
            Whether to decide in integer arithmetic what rounding would leave open.
        offset : array-like of shape (n_samples,), default=None
            As in ``novikoff.separability``.

        Returns
        -------
        Verification
            One check per claim. Data that do not fit the verdict make a check fail; they do not raise an error.
        """
        try:
            arguments: dict[str, Any] = {"positive": self.positive, "sample_weight": sample_weight, "offset": offset}
            design = design_of("verify", X, y, fit_intercept=self.fit_intercept, **arguments)
        except InvalidInputError as error:
            return Verification((Check("data", "fails", str(error).removeprefix("verify: ").rstrip(".")),))
        return self._verified(design, exact)

    def _verified(self, design: Design, exact: bool) -> Verification:
        """Check every claim on the rows of a design."""
        if unfit := _misfit_of_names(self) or _misfit_of_design(self, design):
            return Verification((unfit,))
        numbered = numbers_in_design(self, design)
        if isinstance(numbered, Check):
            return Verification((numbered,))
        found = replace(self, examples=len(design.signs), positive=1.0, **numbered)
        X = without_zeros(as_table(design.X))
        if self.columns is not None or self.n_features is not None:
            X = rows_in_columns(X, self.columns, self.n_features, self.width)
            if isinstance(X, Check):
                return Verification((X,))
        if unfit := misfit(X, design.signs, None, self.width, check_values=False) or structure_misfit(
            found, design.signs
        ):
            return Verification((unfit,))
        own, X = narrowed(found, X)
        examples = Examples(X, design.signs, self.fit_intercept)
        if not examples.table.is_finite:
            return Verification((Check("data", "fails", "NaN or infinity among the values"),))
        checks = [
            Check(
                "data",
                "holds",
                f"{counted(self.examples, 'row')} of {counted(self.n_features or self.width, 'feature')}",
            )
        ]
        if self.kind == "undecided":
            return Verification((*checks, Check("kind", "open", "the data are too large or too difficult to decide")))
        proof = Proof(own, examples, exact)
        with one_core:
            checks += proof.of_complete() if self.kind == "complete" else proof.of_balance()
        return Verification((*checks, *_trusted(self, design)))

    def boundary_data(self, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None) -> BoundaryData:
        """Return the limiting conditional model on the boundary, as a reduced data set that is ready to fit.

        The likelihood of all other rows goes to 1 as the infinite coefficients grow. The estimates of the reduced model
        exist and are unique, and those of the columns with finite coefficients are the estimates of the full model.

        Parameters
        ----------
        X, y, sample_weight, offset : object
            The data of the verdict, in any of the forms that ``novikoff.separability`` takes.

        Returns
        -------
        BoundaryData
            The rows on the boundary, in independent columns. If the classes overlap, all rows, without the columns
            that depend on others.

        Raises
        ------
        InvalidInputError
            If the separation is complete, so that no row is left, or undecided, or if ``verify`` refutes the verdict,
            because these are other data.
        """
        where = "boundary_data"
        if self.kind == "complete":
            raise input_error(
                where, "the separation is complete: no row is on the boundary, and no estimate is finite."
            )
        if self.kind == "undecided" or self.witness is None:
            raise input_error(where, "it is undecided whether a plane separates the classes.")
        arguments: dict[str, Any] = {"positive": self.positive, "sample_weight": sample_weight, "offset": offset}
        design = design_of(where, X, y, fit_intercept=self.fit_intercept, **arguments)
        if failures := self._verified(design, exact=False).failures:
            raise input_error(where, f"these are not the data of the verdict: {failures[0].detail}.")
        numbered = numbers_in_design(self, design)
        assert not isinstance(numbered, Check)
        rows = numbered.get("witness", self.witness).rows
        boundary = self.boundary if self.kind == "quasi-complete" else design.present()
        is_finite = self.statuses == CoefficientStatus.FINITE
        given, columns = Given(X, sample_weight, offset), self._columns
        if columns is None:
            return reduced_data(design, rows, boundary, is_finite, given)
        part = rows_in_columns(as_table(design.X), columns.indices, columns.width, self.width)
        found = reduced_data(replace(design, X=part), rows, boundary, is_finite, given)
        return replace(found, columns=columns.indices[found.columns])

    def plane(self) -> tuple[Floats, float] | None:
        if self.coef is None:
            return None
        columns = self._columns
        return self.coef if columns is None else columns.widen(self.coef), self.intercept

    @property
    def _columns(self) -> Columns | None:
        return None if self.columns is None or self.n_features is None else Columns(self.columns, self.n_features)

    def claims(self) -> list[tuple[str, str]]:
        words = [("kind", self.kind)]
        if self.kind == "complete":
            words.append(("margin", f"at least {below(self.margin_lower_bound)}"))
            if self.margin_upper_bound < math.inf:
                words.append(("best margin", f"at most {above(self.margin_upper_bound)}"))
            return words
        if self.witness is None:
            return words
        whole = f"{count(len(self.witness.rows))} of {counted(self.examples, 'row')}"
        if self.response is None:
            whole = counted(len(self.witness.rows), *row_nouns(True))
        words.append(("witness", f"{whole} balance each other"))
        if self.kind == "quasi-complete":
            words.append(("on the plane", counted(len(self.boundary), "row")))
        others = 0 if self.n_features is None else self.n_features - self.width
        words.append(("coefficients", counted_statuses(self.statuses, others)))
        return words


def _trusted(found: Separability, design: Design) -> list[Check]:
    """Return the names that the data do not show."""
    trusted = []
    if found.response is not None:
        trusted.append(Check("response", "on trust", f"y is called {found.response!r}"))
    if found.names is not None and design.names is None:
        trusted.append(Check("names", "on trust", "the data have no names of columns"))
    return trusted


def _misfit_of_names(found: Separability) -> Check | None:
    """Return a failed check unless the positive label and the names of columns can be told from each other."""
    if found.positive is None:
        return Check("data", "fails", "the verdict does not name the positive label")
    if found.names is None:
        return None
    names = list(found.names) if isinstance(found.names, tuple | list) else [None]
    if len(names) != found.width or not all(isinstance(name, str) for name in names):
        return Check("names", "fails", f"they are not {counted(found.width, 'text')}, one for each column")
    if len({*names, *([INTERCEPT] if found.fit_intercept else [])}) < len(found.statuses):
        return Check("names", "fails", "two coefficients have the same name")
    return None


def _misfit_of_design(found: Separability, design: Design) -> Check | None:
    """Return a failed check if data of other columns or another number of rows are given."""
    if found.examples != design.given:
        return Check("data", "fails", f"judged: {counted(found.examples, 'row')}; given: {count(design.given)}")
    if (found.response is None) != (design.counts is not None):
        return Check("data", "fails", "only one of the verdict and the data has counts")
    if found.fit_intercept != design.fit_intercept:
        return Check("data", "fails", "only one of the verdict and the data has an intercept")
    names = names_in_columns(design.names, found.columns)
    if found.names is None or names is None or tuple(found.names) == names:
        return None
    if sorted(found.names) == sorted(names):
        return Check("data", "fails", "the columns are those of the verdict in another order")
    missing = [name for name in found.names if name not in names]
    known = [name for name in names if name not in found.names]
    words = f"the verdict is about a column {missing[0]!r}" if missing else f"there is a further column {known[0]!r}"
    return Check("data", "fails", f"the columns have other names: {words}")
