"""The run record: all that a fitted learner tells the rest of the library about itself.

``verify``, the model file, the plots, the report and the exports read a learner through ``model.record_`` only. A class
of another package that has such a property can be verified, saved, drawn and exported in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from novikoff._multiclass import MulticlassStrategy as MulticlassStrategy
from novikoff._multiclass import OneVsRest as OneVsRest
from novikoff._multiclass import side_name
from novikoff.data.late_rows import LateRows
from novikoff.data.position import Position
from novikoff.data.reading import Reading
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import Floats
from novikoff.theory.mixing import Mixing
from novikoff.theory.rules import Rule
from novikoff.theory.running_scale import ColumnScale
from novikoff.theory.verification import Check


@dataclass(frozen=True, eq=False)
class OnlineRun:
    """How one binary problem was learned online, in enough detail to repeat the run.

    Parameters
    ----------
    rule : Rule
        The rule that was learned with.
    current_rule : Rule
        The rule that the present parameters of the learner stand for; it differs after ``set_params``.
    is_stream : bool
        Whether the rows were visited once, in their order, by ``partial_fit`` or ``learn_one``.
    passes : int or None
        Number of passes of ``fit``; None after several fits or on a stream.
    seed : int or None
        Seed of the row order of ``fit``; None if rows were visited in their order, or if the seed is not known.
    shuffle : bool
        Whether ``fit`` visited the rows in random order.
    votes : object or None
        All hypotheses, if they vote.
    scale : ColumnScale or None, default=None
        How the columns were scaled, for learners with a running scale.
    mixing : Mixing or None, default=None
        The partitions and rounds, if the weights were mixed from those of partitions.
    """

    rule: Rule
    current_rule: Rule
    is_stream: bool
    passes: int | None
    seed: int | None
    shuffle: bool
    votes: Any = None
    scale: ColumnScale | None = None
    mixing: Mixing | None = None


@dataclass(frozen=True, eq=False)
class ProblemRecord:
    """One binary problem of a fitted classifier.

    Parameters
    ----------
    positive : object
        The label that a positive score favours.
    weights : ndarray of shape (n_features,)
        The weights that predict.
    intercept : float
        The intercept that predicts.
    certificate : Certificate or None
        What is proven of this problem; None for weights from elsewhere.
    parameters : dict
        The parameters of the problem as the learner shows them now, by the names that the certificate uses.
    run : OnlineRun or None
        How it was learned, for online learners.
    history : ndarray or None
        Records (time, step, primal, dual, gap) of the solver's progress, for batch learners.
    sigmoid : tuple of float or None
        Slope and offset of the probability 1 / (1 + exp(slope * score + offset)), for learners with ``predict_proba``.
    negative : object or None
        The label that a negative score favours, if only rows of these two labels were learned; None for all others.
    """

    positive: Any
    weights: Floats
    intercept: float
    certificate: Certificate | None
    parameters: dict[str, Any]
    run: OnlineRun | None = None
    history: NDArray[Any] | None = None
    sigmoid: tuple[float, float] | None = None
    negative: Any = None

    @property
    def name(self) -> str:
        """What to call the problem among those of several classes: "7", or "7 against 9"."""
        return side_name(self.positive, self.negative)

    @property
    def has_linear_score(self) -> bool:
        """Whether ``decision_function`` is w.x + b; it is not where hypotheses vote."""
        return self.run is None or self.run.rule.keep != "votes"

    @property
    def is_linear(self) -> bool:
        """Whether the score is w.x + b, and the margin is measured in the same space as the rows."""
        if self.run is None:
            return self.has_linear_score
        geometry = self.run.rule.geometry
        return self.has_linear_score and not geometry.normalize and geometry.scale is None


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A fitted learner as the rest of the library sees it.

    Parameters
    ----------
    learner : str
        The name of the class.
    parameters : dict
        ``get_params(deep=False)``.
    strategy : MulticlassStrategy
        The classes, and how scores become labels.
    n_features : int
        Number of columns.
    feature_names : ndarray or None
        ``feature_names_in_``, where columns have names.
    reading : Reading or None
        How files became rows, where a file was read.
    problems : tuple of ProblemRecord
        One for each weight vector of the strategy.
    make_state : callable
        Function without arguments that returns ``state``. It is called only where the state is needed, because the
        state may be large, and because a learner whose fitted attributes were changed has no state to save.
    on_trust : tuple of Check, default=()
        What the learner offers besides, such as probabilities, that no certificate covers.
    column_names : sequence of str or int, default=None
        What the columns are called, by a data frame, a table or the keys of dicts; None if they have no names. By
        default, the names in ``feature_names`` or in ``reading``.
    joint : Certificate or None, default=None
        What is proven of all weight vectors together, if they solve one joint problem.
    fingerprint : str or None, default=None
        ``novikoff.fingerprint`` of the rows that were learned from, where it is known.
    position : Position or None, default=None
        How far a stream has come in its files. Only ``novikoff stream`` sets it, when it saves: a learner that is
        loaded does not have it, because it may learn other rows.
    unlearned : LateRows or None, default=None
        Rows that a stream has predicted, and whose labels it has not learned. It is set as the position is.
    members : tuple of RunRecord, default=()
        The records of the learners that this one is made of. ``problems`` are then those of the one that predicts.
    """

    learner: str
    parameters: dict[str, Any]
    strategy: MulticlassStrategy
    n_features: int
    feature_names: NDArray[Any] | None
    reading: Reading | None
    problems: tuple[ProblemRecord, ...]
    make_state: Callable[[], Any]
    on_trust: tuple[Check, ...] = ()
    column_names: Sequence[str | int] | None = None
    joint: Certificate | None = None
    fingerprint: str | None = None
    position: Position | None = None
    unlearned: LateRows | None = None
    members: tuple[RunRecord, ...] = ()

    def __post_init__(self) -> None:
        if self.column_names is None:
            names = None if self.feature_names is None else self.feature_names.tolist()
            if names is None and isinstance(self.reading, Reading):
                names = self.reading.column_names
            if names is not None and len(names) == self.n_features:
                object.__setattr__(self, "column_names", names)

    @property
    def state(self) -> Any:
        """A frozen dataclass from which the learner can be restored bit for bit; the model file stores it."""
        return self.make_state()

    @property
    def certificates(self) -> list[Certificate]:
        """The certificates of all problems, or the joint one, where there are any."""
        return [certificate for _, certificate in self.named_certificates]

    @property
    def named_certificates(self) -> list[tuple[str, Certificate]]:
        """The certificates with the names of their problems; the name is empty if there is only one problem."""
        if self.joint is not None:
            return [("", self.joint)]
        if self.strategy.is_joint:  # a path, whose problems have the joint certificate of their C
            firsts = self.problems[:: max(1, len(self.strategy.pairs))]
            return [("", problem.certificate) for problem in firsts if problem.certificate is not None]
        several = len(self.problems) > 1
        found = [(problem.name if several else "", problem.certificate) for problem in self.problems]
        return [(name, certificate) for name, certificate in found if certificate is not None]

    @property
    def updates(self) -> int | None:
        """Number of updates of an online learner in all its problems; None if its certificates do not count them."""
        is_counted = all(hasattr(certificate, "updates") for certificate in self.certificates)
        if self.members or not is_counted:
            return None
        return sum(int(getattr(certificate, "updates", 0)) for certificate in self.certificates)

    @property
    def changes_only_by_updates(self) -> bool:
        """Whether predictions are those of the last weights, which change only by updates, and by new labels."""
        rules = [None if problem.run is None else problem.run.rule for problem in self.problems]
        is_single = not self.members and not self.strategy.is_joint
        return is_single and all(rule is not None and rule.changes_only_by_updates for rule in rules)
