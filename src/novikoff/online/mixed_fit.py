"""A fit of an online learner to partitioned data, as seen from the program that asks for the rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._class_weights import bad_class_weight, class_weight_of, is_balanced
from novikoff._validation import check_flag, check_integer
from novikoff.errors import input_error
from novikoff.theory.certificate import Duals
from novikoff.theory.enclosed_sums import EPS, exact_total
from novikoff.theory.geometry import Floats
from novikoff.theory.mixing import Mixing

from ._classes import Classes
from ._cycle import Ending, Run
from ._fit import declared_in
from ._halting import NotHaltedWarning
from ._problem_state import Average, ProblemState
from ._record import seed_of
from ._stopping import CONVERGED, MAX_ITER, Stopping, Trial
from .mixing import Outcome, Start, counted_as, kernel_of, squared_length

UNAFFORDABLE = Trial(lambda work: None, math.inf, 1.0)  # no machine has all rows, so that none tests if they are apart


@dataclass
class Problem:
    """The rounds of one binary problem.

    Parameters
    ----------
    positive : int
        The code of the positive class.
    weights, bias : ndarray and float
        The common weights.
    average : ndarray or None
        The sum of the weights after each example, with that of the intercept at the end, if they are averaged.
    stopping : Stopping
        Decides when too many rounds made no progress.
    each : list of list of float
        The mistakes of each partition in each round.
    reason : str or None, default=None
        Why the rounds ended; None if they have not.
    halted : bool, default=False
        Whether the last round changed nothing.
    total : Outcome
        The sums over all rounds.
    rounding : float, default=0.0
        A bound on the distance of the weights from the weighted sum of all updates.
    """

    positive: int
    weights: Floats
    bias: float
    average: Floats | None
    stopping: Stopping
    each: list[list[float]] = field(default_factory=list)
    reason: str | None = None
    halted: bool = False
    total: Outcome = field(default_factory=lambda: Outcome(0.0, 0, []))
    rounding: float = 0.0

    def after_round(self, outcome: Outcome, max_iter: int) -> None:
        """Take the mean of the partitions, and decide whether to go on."""
        self.each.append(outcome.each)
        if outcome.weights is not None:
            self.weights, self.bias = outcome.weights, outcome.bias
            roundings = 4 * (len(outcome.each).bit_length() + 2)
            self.rounding += outcome.rounding + roundings * EPS * outcome.longest * math.sqrt(len(self.weights) + 1)
        if self.average is not None and outcome.average is not None:
            self.average = self.average + outcome.average
        self._count(outcome)
        self.halted = not outcome.moved
        if self.halted or not outcome.mistakes:
            self.reason = CONVERGED
        else:
            self.reason = self.stopping.reason_to_stop(len(self.each), outcome.mistakes)
        if self.reason is None and len(self.each) == max_iter:
            self.reason = MAX_ITER

    def _count(self, outcome: Outcome) -> None:
        before = self.total
        self.total = Outcome(
            before.mistakes + outcome.mistakes,
            before.updates + outcome.updates,
            [],
            examples=before.examples + outcome.examples,
            positives=before.positives + outcome.positives,
            energy=before.energy + outcome.energy,
            squared_radius=max(before.squared_radius, outcome.squared_radius),
        )

    def state(self, steps: float) -> ProblemState:
        """Return the problem as a kernel stores it, with the total step that the weights are a sum of."""
        total, (square, error) = self.total, squared_length(self.weights, self.bias)
        length = math.sqrt(square + error) + self.rounding
        average = None
        if self.average is not None:  # the kernel keeps A with the average v - A / T after T examples
            behind = total.examples * np.append(self.weights, self.bias) - self.average
            average = Average(behind[:-1].copy(), float(behind[-1]))
        return ProblemState(
            positive=self.positive,
            weights=self.weights,
            bias=self.bias,
            average=average,
            votes=None,
            examples=counted_as(total.examples),
            mistakes=counted_as(total.mistakes),
            positives=counted_as(total.positives),
            steps=counted_as(steps),
            updates=total.updates,
            squared_length=square,
            squared_length_carry=0.0,
            squared_length_error=error + 2 * length * self.rounding,
            rounding=self.rounding,
            squared_radius=total.squared_radius,
            energy=total.energy,
            margin_bound=length / steps * (1 + 8 * EPS) if steps > 0 else math.inf,
        )


@dataclass(frozen=True)
class Final:
    """What the rows show of the final weights of one binary problem, in one partition or in several.

    Parameters
    ----------
    duals : list of ndarray
        The step of each row, of each partition.
    errors : float
        The sum of the weights of the rows that are not on the right side.
    margin : float
        A lower bound on y v.u of all rows.
    """

    duals: list[Floats]
    errors: float
    margin: float

    def __add__(self, other: Final) -> Final:
        return Final(self.duals + other.duals, self.errors + other.errors, min(self.margin, other.margin))


class MixedFit:
    """A fit of an online learner to partitioned data.

    Parameters
    ----------
    model : OnlineClassifier
        The learner, whose parameters are checked. It is changed by ``finish`` only.
    labels : ndarray
        The labels that occur, in ascending order.
    counts : ndarray
        The sum of the weights of the rows of each.
    columns : int
        The number of columns.
    rows : sequence of int
        The number of rows of each partition.

    Attributes
    ----------
    rule : Rule
        The rule.
    labels : list
        The labels in the order of their codes.
    class_weights : ndarray or None
        The weight of each class.
    seed : int or None
        Seed of the row orders; None for the order of the rows.
    rounds : int
        The number of rounds so far.
    """

    def __init__(self, model: Any, labels: NDArray[Any], counts: Floats, columns: int, rows: Sequence[int]) -> None:
        where = type(model).__name__
        _check_parameters(where, model)
        self._model, self._rows, self._columns = model, np.array(rows, dtype=np.int64), columns
        self._classes = _classes(where, model, labels)
        self.rule = model._rule()
        self.labels = self._classes.labels
        self.class_weights = _class_weights(where, model.class_weight, self.labels, labels.tolist(), counts)
        self._seed = seed_of(model.random_state)
        self.seed = self._seed if model.shuffle else None
        self.rounds = 0
        width = columns + 1 if self.rule.keep == "average" else None
        self._problems = [
            Problem(code, np.zeros(columns), 0.0, None if width is None else np.zeros(width), self._stopping())
            for code in self._classes.positive_codes()
        ]

    def _stopping(self) -> Stopping:
        return Stopping(self._model.n_iter_no_change, self._model.max_iter, UNAFFORDABLE)

    @property
    def running(self) -> list[int]:
        """The problems whose rounds have not ended."""
        return [q for q, problem in enumerate(self._problems) if problem.reason is None]

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self._problems)

    def start(self, q: int) -> Start:
        """Return the common weights of a problem."""
        problem = self._problems[q]
        return Start(problem.positive, problem.weights, problem.bias)

    def after_round(self, outcomes: Mapping[int, Outcome]) -> float:
        """Take the outcomes of the problems that were running, and return their mistakes.

        Parameters
        ----------
        outcomes : mapping
            The outcome of each of these problems, of all partitions.
        """
        self.rounds += 1
        for q, outcome in outcomes.items():
            self._problems[q].after_round(outcome, self._model.max_iter)
        return sum(outcome.mistakes for outcome in outcomes.values())

    def finish(self, finals: Sequence[Final]) -> NotHaltedWarning | None:
        """Give the learner what was learned, and return the warning that the rounds did not converge, if any.

        Parameters
        ----------
        finals : sequence of Final
            What the rows show of the final weights of each problem.
        """
        model, states, endings = self._model, [], []
        for problem, final in zip(self._problems, finals, strict=True):
            duals = Duals.of(np.concatenate(final.duals))
            state = problem.state(float(exact_total(duals.weights)))
            mixing = Mixing(
                self._rows,
                np.array(problem.each),
                self.rule.tie,
                self._seed,
                bool(model.shuffle),
                final.errors,
            )
            run = Run(len(problem.each), problem.halted, final.margin, duals, mixing)
            states.append(state)
            endings.append(Ending(run, problem.reason or MAX_ITER, None, None, False, state.margin_bound, None))
        model._learned_rule, model._learner = self.rule, kernel_of(self.rule, states)
        model._classes, model._runs = self._classes, [ending.run for ending in endings]
        model._fast_path, model._is_stream, model._numbering = None, False, None
        model._column_names, model._by_name, model._has_one_order = None, False, True
        for name in ("feature_names_in_", "fingerprint_", "reading_"):  # of rows that were learned before
            vars(model).pop(name, None)
        model.n_features_in_ = self._columns
        model._stopped = [ending.reason for ending in self._classes.of_columns(endings)]
        model.n_iter_ = max(ending.run.passes for ending in endings)
        unfinished: NotHaltedWarning | None = model._warning_of_fit(self._classes.of_columns(endings))
        return unfinished


def _check_parameters(where: str, model: Any) -> None:
    """Refuse parameters that rounds over partitions do not have, and those that ``fit`` refuses."""
    check_integer(where, "max_iter", model.max_iter, at_least=1)
    if model.n_iter_no_change is not None:
        check_integer(where, "n_iter_no_change", model.n_iter_no_change, at_least=1)
    for name in ("shuffle", "fit_intercept", "normalize"):
        check_flag(where, name, getattr(model, name))
    reasons = {
        "scale": "a column would have another scale in each partition. Scale the columns before",
        "probability": "probabilities are estimated on streams. Use partial_fit",
        "max_features": "it is for dicts, and the rows of partitions have columns",
        "slack_feature": "the private features of the rows are not mixed",
        "forget": "what is forgotten would depend on the partition. Use partial_fit",
        "half_life": "what is forgotten would depend on the partition. Use partial_fit",
        "warm_start": "rounds begin with weights of 0",
    }
    for name, reason in reasons.items():
        value = getattr(model, name, None)
        is_given = not (value is None or (isinstance(value, int | float) and value == 0))
        if is_given:
            raise input_error(where, f"{name}={value!r} is not supported on partitioned data: {reason}.")
    model._check_class_weight()


def _classes(where: str, model: Any, labels: NDArray[Any]) -> Classes:
    """Return the classes: those that were declared, or those that occur."""
    declared = declared_in(model, where)
    classes: Classes = model._kind_of_classes.of(labels if declared is None else declared)
    for label in labels.tolist():
        if classes.code_of(label) is None:
            raise classes.undeclared(where, label)
    return classes


def _class_weights(
    where: str, class_weight: Any, labels: list[Any], present: list[Any], counts: Floats
) -> Floats | None:
    """Return the weight of each class; "balanced" is n / (K n_c), with the sums of the weights of all partitions."""
    if class_weight is None:
        return None
    if is_balanced(class_weight):
        totals = dict(zip(present, counts.tolist(), strict=True))
        every = math.fsum(totals.values())
        return np.array([every / (len(totals) * totals[label]) if label in totals else 0.0 for label in labels])
    if not isinstance(class_weight, Mapping):
        raise bad_class_weight(where, class_weight)
    return np.array([class_weight_of(where, class_weight, label) for label in labels])
