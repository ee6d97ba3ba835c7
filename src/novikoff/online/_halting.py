"""The warning that ``fit`` ended before its passes had converged, with the reason that theory gives.

On separable rows a theorem bounds the number of mistakes or updates, so the passes end by themselves: they halt. If
they did not, the rows are not separable, no plane has the margin that was asked for, or more passes are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from novikoff._estimators import ConvergenceWarning
from novikoff._separability.quick_verdict import NEGLIGIBLE_MARGIN
from novikoff.errors import quote
from novikoff.theory.certificate import Duals, above

from ._cycle import Ending
from ._stopping import CONVERGED, INSEPARABLE, MAX_ITER, NO_PROGRESS

NOT_SEPARABLE, MARGIN_ABOVE_BOUND = "not separable", "margin above the bound"
SEVERITY = (NOT_SEPARABLE, MARGIN_ABOVE_BOUND, NO_PROGRESS, MAX_ITER)  # of several classes, the first is told
MAX_ROWS_NAMED = 8  # of a witness
LARGEST_WRITTEN_OUT = 1e9  # number of passes


class NotHaltedWarning(ConvergenceWarning):  # type: ignore[misc]  # scikit-learn is untyped
    """``fit`` of an online learner ended before its passes had converged.

    The learners whose theorem promises an end on separable data give this warning, once per ``fit``: ``Perceptron``,
    ``AveragedPerceptron``, ``VotedPerceptron``, ``MarginPerceptron`` and ``PassiveAggressive``. One pass,
    ``max_iter=1``, promises none. ``PassiveAggressiveI`` and ``PassiveAggressiveII``, which are made for data that
    overlap, give it only if the rows are known to be separable.

    Parameters
    ----------
    message : str
        What happened, in one sentence.
    reason : {"not separable", "margin above the bound", "no progress", "max_iter"}, default="max_iter"
        Why it did not halt. "not separable": no plane separates the rows, so the passes would never end. "margin above
        the bound": no plane has the margin that was asked for, so the bound on the updates does not hold. The passes
        end if some plane has more than 1 - epsilon of it, and never if none has as much. "no progress": the mistakes
        per pass did not become fewer, or no plane with a margin above 1e-9 of the length of the rows was found, and
        whether the rows are separable is not known. "max_iter": all passes were made, and more of them may be enough.
    witness : Duals or None, default=None
        For "not separable": rows with weights a > 0 that add up to 1 and for which the sum of a_i y_i u_i is 0, up to
        rounding, where u is x, or (x, 1) with an intercept. It is proven in integers that weights within a factor of
        two of these make it exactly 0. If a plane separated the rows, that could not be.
    bound : float or None, default=None
        For "margin above the bound": |v|/M, above which no plane has a margin. For "max_iter": the number of passes
        after which the theorem promises the end, if it is known.
    label : object, default=None
        For more than two classes: the class that reason, witness and bound are about.

    See Also
    --------
    separability : Decides whether two classes are separable, with a proof.
    NotSeparableError : The error of HardMarginSVM, which has no result for data that are not separable.

    Notes
    -----
    Where data that overlap are expected, silence it by ``warnings.simplefilter("ignore", novikoff.NotHaltedWarning)``.

    Examples
    --------
    >>> import warnings
    >>> import novikoff as nk
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = nk.Perceptron().fit(X, y)
    >>> caught[0].message.reason, caught[0].message.witness.rows
    ('not separable', array([0, 1, 2, 3]))
    """

    def __init__(
        self,
        message: str,
        reason: str = MAX_ITER,
        witness: Duals | None = None,
        bound: float | None = None,
        label: Any = None,
    ) -> None:
        super().__init__(message)
        self.reason, self.witness, self.bound, self.label = reason, witness, bound, label

    @property
    def sentence(self) -> str:
        """The message without the name of the learner and the full stop."""
        return str(self).partition(": ")[2].rstrip(".")


@dataclass(frozen=True)
class Unfinished:
    """A binary problem whose passes ended before they had converged.

    Parameters
    ----------
    ending : Ending
        How they ended.
    label : object
        Its positive class.
    asked : float or None
        The margin that was asked for; None if any is enough.
    required : float
        The margin that all rows must have for the passes to end: 1 - epsilon of that, or 0.
    upper : float
        A bound that no margin exceeds.
    """

    ending: Ending
    label: Any
    asked: float | None
    required: float
    upper: float

    @property
    def reason(self) -> str:
        """One of the reasons of ``NotHaltedWarning``."""
        if self.asked is not None and self.upper < self.asked and self.ending.is_separable is not False:
            return MARGIN_ABOVE_BOUND
        return NOT_SEPARABLE if self.ending.reason == INSEPARABLE else self.ending.reason

    @property
    def bound(self) -> float | None:
        """The bound of ``NotHaltedWarning``."""
        return self.upper if self.reason == MARGIN_ABOVE_BOUND else self.ending.passes_needed

    def words(self, separated: str, name: str) -> str:
        """Return the sentence. ``separated`` is what cannot be separated, and ``name`` names the class, if needed."""
        passes, is_margin = f"{self.ending.run.passes:,} passes", self.asked is not None
        unknown = f"whether a plane separates {separated} is not known"
        if self.reason == MARGIN_ABOVE_BOUND:
            return impossible_margin(self.asked or 0.0, self.required, self.upper, name)
        if self.reason == NOT_SEPARABLE:
            proof = balance_words(self.ending.witness)
            return f"no plane separates {separated}, so the passes would never end{f': {name}{proof}' if proof else ''}"
        if self.reason == NO_PROGRESS:
            found = f"the mistakes per pass did not become fewer in {passes}"
            if self.ending.is_negligible:
                found = f"{name}no plane with a margin above {NEGLIGIBLE_MARGIN:g} of the length of the rows was found"
            return f"{found}, and {unknown}; ask novikoff.separability"
        needed = "" if self.bound is None else f", and as many as {_count(self.bound)} may be needed"
        if is_margin:
            wanted = f"for the margin {self.asked:.6g} that was asked for"
            return f"{name}{passes} were not enough {wanted}{needed}: increase max_iter, or decrease margin"
        if not self.ending.is_separable:
            return f"{passes} were not enough, and {unknown}: increase max_iter, or ask novikoff.separability"
        remedy = "increase max_iter, scale the columns, or use HardMarginSVM"
        return f"a plane separates {separated}, but {passes} were not enough{needed}: {remedy}"


def warning_of_fit(model: Any, endings: Sequence[Ending]) -> NotHaltedWarning | None:
    """Return the warning about a fit whose passes ended so, with one ending for each binary problem.

    With several classes, the most severe reason is given, and the first class that has it.
    """
    found = [unfinished for unfinished in _unfinished(model, endings) if unfinished is not None]
    if not found:
        return None
    worst = min(found, key=lambda entry: SEVERITY.index(entry.reason))
    separated, name, count = "the rows", "", sum(entry.reason == worst.reason for entry in found)
    if len(endings) > 1:
        label = quote(worst.label)
        one, many = f"class {label} from the rest", f"{count} of {len(endings)} classes from the rest"
        separated, name = (one if count == 1 else many), f"for class {label}, "
    message = f"{type(model).__name__}: {worst.words(separated, name)}."
    witness = worst.ending.witness if worst.reason == NOT_SEPARABLE else None
    return NotHaltedWarning(message, worst.reason, witness, worst.bound, worst.label if name else None)


def _unfinished(model: Any, endings: Sequence[Ending]) -> list[Unfinished | None]:
    """Return each problem that did not halt although a theorem promises it if the rows are separable."""
    rule, more_than_one = model._learned_rule.implementation(), model.max_iter > 1
    asked, required, found = model._asked_margin(), rule.required_margin(), []
    for label, ending in zip(model._classes.strategy.positives, endings, strict=True):
        is_told = more_than_one and (rule.promises_to_halt or (ending.reason == MAX_ITER and ending.is_separable))
        missed = ending.reason != CONVERGED and is_told
        found.append(Unfinished(ending, label, asked, required, ending.margin_upper_bound) if missed else None)
    return found


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < LARGEST_WRITTEN_OUT else f"{number:.3g}"


def impossible_margin(asked: float, required: float, upper: float, name: str = "") -> str:
    """Say that no plane has the margin that was asked for, and what follows from it.

    Parameters
    ----------
    asked : float
        The margin that was asked for.
    required : float
        The margin that all rows must have for the passes to end, (1 - epsilon) times the one that was asked for.
    upper : float
        The bound |v|/M, which is below the margin that was asked for.
    name : str, default=""
        Names the class, if needed.
    """
    if upper < required:
        missing = f"even (1 - epsilon) times the margin {asked:.6g} that was asked for, so the passes would never end"
    else:
        missing = (
            f"the margin {asked:.6g} that was asked for, and the passes end only if one has (1 - epsilon) times it"
        )
    return f"{name}no plane has {missing}: |v|/M proves that none is above {above(upper)}"


def balance_words(witness: Duals | None) -> str:
    """Name the rows of a witness, and say what they prove."""
    if witness is None:
        return ""
    rows = [str(row) for row in witness.rows.tolist()]
    if len(rows) == 1:
        return f"row {rows[0]} has only zeros"
    if len(rows) > MAX_ROWS_NAMED:
        return f"the {len(rows):,} rows of the witness balance each other"
    return f"rows {', '.join(rows[:-1])} and {rows[-1]} balance each other"
