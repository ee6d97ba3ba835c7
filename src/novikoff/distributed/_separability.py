"""``novikoff.distributed.separability``: the verdict on partitioned data, by a working set.

The verdict is found for a working set W, and its claims are tested on all rows where they are. Rows that contradict a
claim are added to W, until there are none. Let z_i be the rows with their signs. The last verdict holds for all rows:

- complete: its plane v has z_i.v > 0 for all rows, which is tested.
- not complete: its witness, weights a > 0 with sum a_i z_i = 0 over rows of W, is one for all rows.
- quasi-complete: its plane has z_i.v >= 0 for all rows, and the rows of the witness span all those with z_i.v = 0; both
  are tested. So exactly the latter can be given weights that balance (docs/theory.md F3).
- overlap: the rows of the witness span all rows, which is tested.
- A coefficient is finite because rows of the witness span its unit vector, and has one sign because rows of W do with
  weights that are not negative. Both hold for any larger set of rows. It is infinite, or aliased, because of directions
  that have no row on their wrong side, or all rows on them, which is tested.

Each round but the last adds a row to W, so there is a last one; and W has seldom more than a few rows per column.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _separability
from novikoff._counts import counted
from novikoff._design import design_of
from novikoff._progress import ProgressCallback, no_progress
from novikoff._separability.coefficients import MAX_COLUMNS
from novikoff._separability.partition import Partition
from novikoff._separability.search import decide
from novikoff._separability.verdict import SeparabilityInput, hint_by_descent
from novikoff._wide_array import is_wide
from novikoff.solvers.training_set import validate_training_set
from novikoff.theory.balance import balance, span_of
from novikoff.theory.certificate import Duals
from novikoff.theory.coefficients import undecided
from novikoff.theory.columns import Columns
from novikoff.theory.elimination import Budget
from novikoff.theory.exact import Examples, to_integers
from novikoff.theory.separability import Separability
from novikoff.theory.verdict_columns import names_in_columns, widened

from .contradictions import (
    Claims,
    ClaimTest,
    OnPlane,
    Setting,
    Span,
    list_columns,
    list_rows_on_plane,
    send_contradictions,
)
from .opening import opened
from .packed_integers import Packed, packed
from .plane_margins import Plane, measured
from .rounds import Rounds
from .survey import Survey, survey
from .working_rows import Frame, WorkingRows, open_working_set, rows_to_add

WHERE = "separability"
NO_ROWS = np.zeros(0, dtype=np.int64)


def separability(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    fit_intercept: bool = True,
    positive: Any = None,
    on: Any = None,
    progress: ProgressCallback | None = None,
    **reading: Any,
) -> Separability:
    """Decide whether a plane separates two classes of partitioned data, with a proof.

    The answer is exact, and that of ``novikoff.separability`` for all rows at once; its plane and its rows may be
    others. Only the few rows that decide are gathered; the others are tested where they are.

    Parameters
    ----------
    X : object
        The rows, as in ``novikoff.distributed.fit``.
    y : object, default=None
        Labels of two classes, divided as X is. For a table, the name of its column.
    sample_weight : object, default=None
        The weights of the rows, divided as X is. Rows of weight 0 are absent; other weights have no influence.
    fit_intercept : bool, default=True
        Whether there is an intercept, so that the plane may lie anywhere. Otherwise it contains the origin.
    positive : object, default=None
        The label whose probability is modelled. By default the second label in sorted order.
    on : str or client, default=None
        Where to run, as in ``novikoff.distributed.fit``.
    progress : callable, default=None
        Takes messages and the fraction completed, which is not known.
    **reading : dict
        Options of files, as in ``novikoff.distributed.fit``.

    Returns
    -------
    Separability
        The answer and its proof. Rows are numbered in the order of the partitions.

    Raises
    ------
    InvalidInputError
        If there are not exactly two classes, or the values are not finite.

    See Also
    --------
    novikoff.separability : The same on one machine, also for data frames with factors, formulas and counts.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.distributed import separability
    >>> X = [np.array([[0.0, 1.0], [0.0, 2.0]]), np.array([[0.0, 3.0], [1.0, 1.0]])]
    >>> found = separability(X, [np.array([0, 1]), np.array([0, 1])], on="local:2")
    >>> found.kind, found.boundary
    ('quasi-complete', array([0, 1, 2]))
    """
    with opened(WHERE, X, y, sample_weight, on, reading) as (_, data, rounds):
        search = _Search(rounds, survey(WHERE, rounds), fit_intercept, positive, progress or no_progress)
        return search.named(search.run(), data.feature_names)


class _Search:
    """The rounds of one call."""

    def __init__(
        self, rounds: Rounds, surveyed: Survey, fit_intercept: bool, positive: Any, say: ProgressCallback
    ) -> None:
        self._rounds, self._survey, self._say = rounds, surveyed, say
        self._classes, _ = surveyed.classes(WHERE)
        frame = Frame.of(surveyed, self._classes)
        self._working, self._number = open_working_set(rounds, surveyed, frame).working, 0
        labels = self._classes[self._working.codes]
        design = design_of(
            WHERE,
            self._working.X,
            labels,
            fit_intercept=fit_intercept,
            positive=positive,
            sample_weight=None,
            offset=None,
        )
        self._positive = design.positive
        columns = self._occurring(frame) if surveyed.is_sparse else None
        self._setting = Setting(frame, columns, fit_intercept, frame.classes.index(design.positive))
        width = surveyed.columns if columns is None else len(columns)
        self._most = rows_to_add(width, rounds.count)

    def _occurring(self, frame: Frame) -> NDArray[np.int64] | None:
        """Return the columns that occur in sparse rows; None if they are all."""
        found = self._rounds.run(list_columns, frame).indices
        if len(found) == self._survey.columns:
            return None
        return found if len(found) else np.zeros(1, dtype=np.int64)

    def run(self) -> Separability:
        """Enlarge the working set until no row contradicts its verdict.

        What becomes of the coefficients is searched for when the partition of the rows is known.
        """
        while (partition := self._partition()) is not None:
            claims = self._claims_of(partition)
            if claims is None:
                return self._undecided()
            if self._hold(claims):
                return self._verdict()
        return self._undecided()

    def _verdict(self) -> Separability:
        """Return the verdict with the statuses of all coefficients."""
        while True:
            found, claims = self._found()
            if claims is None:
                return self._undecided()
            working = self._working
            if self._hold(claims):
                return self._numbered(found, claims, working)

    def _hold(self, claims: Claims) -> bool:
        """Return whether claims hold for all rows; if not, rows that contradict them are added to the working set."""
        self._number += 1
        new: WorkingRows = self._rounds.run(send_contradictions, ClaimTest(self._setting, claims, self._most))
        gathered, others = counted(len(self._working), "row"), "no other row contradicts"
        if len(new):
            others = f"{counted(len(new), 'other row')} contradict{'s' if len(new) == 1 else ''}"
        self._say(f"round {self._number}: {gathered} gathered, {others} their verdict", None)
        if len(new):
            self._working = (self._working + new).in_order()
        return not len(new)

    # ---- the verdict on the working set ------------------------------------------------------------------------------

    def _examples(self) -> Examples:
        return self._setting.examples(self._working.X, self._working.codes)

    def _partition(self) -> Partition | None:
        """Return the partition of the rows of the working set; None if it could not be proven."""
        examples = self._examples()
        is_positive = (examples.signs > 0).astype(np.int8)
        data = validate_training_set(SeparabilityInput(), WHERE, examples.X, is_positive, None, None)
        hint, _ = hint_by_descent(data, examples.fit_intercept)
        if hint is not None and data.columns is not None:
            own = len(data.columns.indices)
            hint = np.append(np.asarray(data.widen(hint[:own])), hint[own:])
        return decide(examples, hint)

    def _claims_of(self, partition: Partition) -> Claims | None:
        """Return what a partition claims; None if it would be too expensive to test it."""
        plane = None if partition.direction is None else packed(partition.direction)
        if partition.proof is None:
            return Claims(plane, is_complete=True)
        span = Span.of(partition.proof, self._examples().columns)
        return None if span is None else Claims(plane, span=span)

    def _found(self) -> tuple[Separability, Claims | None]:
        """Return the verdict on the working set, and what it claims; None if it is undecided."""
        working, examples = self._working, self._examples()
        found = _separability.separability(
            examples.X, self._classes[working.codes], fit_intercept=examples.fit_intercept, positive=self._positive
        )
        if found.columns is not None:
            held = Columns(found.columns, examples.X.shape[1])
            found = widened(replace(found, columns=None, n_features=None), held)
        span = None
        if found.kind in ("quasi-complete", "overlap"):
            assert found.witness is not None
            proof = balance(examples, found.witness) or span_of(examples, found.witness, Budget(math.inf))
            span = Span.of(proof, examples.columns)
        if found.kind == "undecided" or (span is None and found.kind != "complete"):
            return found, None
        used: NDArray[np.int64] | None = examples.used(np.arange(examples.rows))
        if examples.columns > MAX_COLUMNS:
            statuses = undecided(examples.columns)
            statuses[used] = found.statuses[used]
            found, used = replace(found, statuses=statuses), None
        directions, dependences = (
            tuple(packed(list(vector)) for vector in vectors) for vectors in (found.directions, found.dependences)
        )
        return found, Claims(_plane(found), found.kind == "complete", span, directions, dependences, used)

    # ---- the verdict on all rows -------------------------------------------------------------------------------------

    def _numbered(self, found: Separability, claims: Claims, working: WorkingRows) -> Separability:
        """Return the verdict for all rows."""
        fields: dict[str, Any] = {"examples": self._survey.count}
        if found.witness is not None:
            fields["witness"] = Duals(working.numbers[found.witness.rows], found.witness.weights)
        fields["supports"] = tuple(working.numbers[rows] for rows in found.supports)
        if found.kind == "quasi-complete":
            assert claims.plane is not None
            boundary = self._rounds.run(list_rows_on_plane, OnPlane(self._setting, claims.plane))
            fields["boundary"] = np.concatenate([NO_ROWS, *boundary])
        if found.kind == "complete" and found.numerators is None:
            fields["margin_lower_bound"] = self._margin(found)
        return self._in_all_columns(replace(found, **fields))

    def _margin(self, found: Separability) -> float:
        """Return a lower bound on the margin of the plane over all rows."""
        frame, setting = self._setting.frame, self._setting
        assert found.coef is not None
        coef = found.coef if setting.columns is None else Columns(setting.columns, frame.columns).widen(found.coef)
        plane = Plane(coef, found.intercept, setting.positive)
        margins = measured(self._rounds, frame, [plane], 0, self._survey.is_sparse)
        lower = (margins.smallest(0) / plane.squared_norm(False).root()).stated_low()
        return max(0.0, min(lower, found.margin_upper_bound))

    def _undecided(self) -> Separability:
        examples = self._examples()
        return self._in_all_columns(
            Separability(
                kind="undecided",
                fit_intercept=examples.fit_intercept,
                positive=self._positive,
                examples=self._survey.count,
                coef=None,
                intercept=0.0,
                numerators=None,
                boundary=NO_ROWS,
                witness=None,
                statuses=undecided(examples.columns),
                directions=(),
                supports=(),
                dependences=(),
                margin_lower_bound=0.0,
                margin_upper_bound=math.inf,
            )
        )

    def _in_all_columns(self, found: Separability) -> Separability:
        """Return a verdict on the columns that occur as one on all columns, unless these are far more."""
        columns, width = self._setting.columns, self._survey.columns
        if columns is None:
            return found
        if is_wide(width, len(columns)):
            return replace(found, columns=columns, n_features=width)
        return widened(found, Columns(columns, width))

    def named(self, found: Separability, names: tuple[str, ...] | None) -> Separability:
        """Return a verdict with the names of its columns."""
        return replace(found, names=names_in_columns(names, found.columns))


def _plane(found: Separability) -> Packed | None:
    """Return the plane of a verdict in integers."""
    if found.coef is None:
        return None
    if found.numerators is not None:
        return packed(list(found.numerators))
    return packed(to_integers(np.append(found.coef, found.intercept) if found.fit_intercept else found.coef)[0])
