"""The base class of the online learners: whole data sets, batches of a stream, and what was learned."""

# Without ``from __future__ import annotations``: the types of the fields reach the ``__init__`` of subclasses in other
# modules, where their names could not be looked up.
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from novikoff._classifier import Classifier, fit_to_scan
from novikoff._draft import change
from novikoff._multiclass import OneVsRest
from novikoff._wide_array import on_request, stacked
from novikoff.data.stream import Scan
from novikoff.errors import missing_attribute
from novikoff.record import RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import Floats, Geometry
from novikoff.theory.rules import Rule

from . import _batch_methods, _example_methods
from ._batch import learn_rows
from ._certify import Problem, certify_mistakes, certify_mixing, certify_moving_target
from ._classes import Classes
from ._columns import plane_of
from ._cycle import Ending, Run
from ._fast_path import FastPath
from ._fit import fit_rows
from ._halting import NotHaltedWarning, warning_of_fit
from ._numbering import Numbering
from ._reading import moment_of, scores_of_rows
from ._record import problem_of, record_of
from ._restore import check_restorable, restore
from ._state import OnlineState
from ._stream import Scored


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(Classifier):
    """Base class of the online learners.

    A subclass is a dataclass (``kw_only=True, eq=False, repr=False``) whose fields are its parameters. It names its
    rules in ``_rule_names`` and defines ``_rule``, which checks the parameters and returns the rule with its parameter
    and the geometry of ``_geometry``. It may override ``_certify``, and set ``_until_no_update`` if ``fit`` should not
    stop after a pass without a mistake, but only after one without an update.
    """

    fit_intercept: bool = True
    max_iter: int = 10
    shuffle: bool = True
    random_state: Any = 0
    class_weight: Any = None
    warm_start: bool = False
    n_jobs: int | None = None
    verbose: int = 0
    max_features: int | None = None
    n_iter_no_change: int | None = 5
    classes: Any = None
    probability: bool = False
    normalize: bool = False
    scale: str | None = None

    state_type: ClassVar[type[Any]] = OnlineState
    learns_in_place: ClassVar[bool] = True
    _rule_names: ClassVar[tuple[str, ...]]
    _until_no_update: ClassVar[bool] = False
    _kind_of_classes: ClassVar[type[Classes]] = Classes

    # State before anything is learned. It has no annotations, which would make parameters of it.
    _by_name = False  # whether features have names, and columns appear with new names
    _width = cast("int | None", None)  # number of columns of the rows seen
    _column_names = cast("Sequence[str] | None", None)  # names that the batches of a stream gave their columns
    _runs = cast("list[Run] | None", None)  # outcome of ``fit``; None on a stream or after several fits
    _has_one_order = False  # whether ``fit`` visited the rows in the same order in all binary problems
    _stopped = cast("list[str] | None", None)  # why the passes of each class ended; None on a stream
    _numbering = cast("Numbering | None", None)  # of the columns of wide sparse rows
    _is_stream = False  # whether all was learned from one stream
    _fast_path = cast("FastPath | None", None)  # of ``learn_one`` and ``predict_one``
    _learned_rule = cast("Rule | None", None)  # the rule of the kernel
    _copied: ClassVar[tuple[str, ...]] = ("_learner",)

    @abstractmethod
    def _rule(self) -> Rule:
        """Check the parameters of the rule and return it."""

    def _geometry(self, slack_feature: float = 0.0) -> Geometry:
        """Return how examples become the vectors that the rule sees."""
        return Geometry(self.fit_intercept, self.normalize, slack_feature, self.scale)

    def _check_class_weight(self) -> None:
        """Refuse class weights that would have no effect. A rule overrides it if there are any."""

    def _asked_margin(self) -> float | None:
        """Return the margin that was asked for; None if any is enough."""
        return None

    def _certify(self, problem: Problem) -> Certificate:
        """Return the certificate of one binary problem."""
        if problem.run is not None and problem.run.mixing is not None:
            return certify_mixing(problem, problem.run.mixing)
        return certify_moving_target(problem) if problem.rule.forgetting.is_any else certify_mistakes(problem)

    def _warning_of_fit(self, endings: list[Ending]) -> NotHaltedWarning | None:
        """Return the warning about a fit whose passes ended so."""
        return warning_of_fit(self, endings)

    # ---- fit -------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Pass over the rows until a pass makes no mistake, or ``max_iter`` passes were made.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features) or Scan
            Rows. Or a stream that ``novikoff.scan`` opened, with labels: a table is encoded by a
            ``TableEncoder``, and the result is a pipeline.
        y : array-like of shape (n_samples,), default=None
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights. An integer k has the effect of k copies in a row, and 0 that of absence.

        Returns
        -------
        self : object
            The fitted learner. For a stream of a table, a pipeline of the encoder and the learner.

        Warns
        -----
        NotHaltedWarning
            If the passes did not converge: the rows are not separable, no plane has the margin that was asked for, or
            ``max_iter`` passes were not enough. Its fields have the reason and the rows that prove it.
        """
        if isinstance(X, Scan):
            return fit_to_scan(self, X, y, sample_weight)
        unfinished = change(self, lambda draft: draft.model._fit(X, y, sample_weight))
        if unfinished is not None:
            warnings.warn(unfinished, stacklevel=2)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> NotHaltedWarning | None:
        """Fit a draft."""
        self._forget_reading()
        return fit_rows(self, X, y, sample_weight, self._progress())

    # ---- streams ---------------------------------------------------------------------------------------------------

    partial_fit = _batch_methods.partial_fit
    predict_then_learn = _batch_methods.predict_then_learn
    score_then_learn = _batch_methods.score_then_learn

    def _learn_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, keep: Callable[[Scored], Any] | None = None
    ) -> list[Any]:
        """Check a batch, then learn from it. Return what ``keep`` keeps of the scores before, in pieces."""
        return change(self, lambda draft: learn_rows(draft, type(self).__name__, X, y, classes, sample_weight, keep))

    # ---- one example at a time, and many at once -------------------------------------------------------------------

    learn_one = _example_methods.learn_one
    predict_one = _example_methods.predict_one
    score_one = _example_methods.score_one
    predict_and_score_one = _example_methods.predict_and_score_one
    predict_proba_one = _example_methods.predict_proba_one
    predict_many = _example_methods.predict_many
    predict_proba = _example_methods.predict_proba

    # ---- results ---------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        classes = getattr(self, "_classes", None)
        return classes is not None and classes.count > 0

    def _moment(self) -> Self:
        return cast(Self, moment_of(self))

    def _require_fitted(self, attribute: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise missing_attribute(self, attribute, "it is not fitted")

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One score per row for two classes, and one per class for more.
        """
        return self._decisions(X)[1]

    def _decisions(self, X: Any) -> tuple[OneVsRest, Floats]:
        view, scores = scores_of_rows(self, X)
        strategy: OneVsRest = view._classes.strategy
        return strategy, strategy.combine(scores.T)

    @property
    def classes_(self) -> NDArray[Any]:  # type: ignore[override]  # made of the labels when it is asked for
        """The labels in ascending order."""
        self._require_fitted("classes_")
        values: NDArray[Any] = self._classes.strategy.classes
        return values

    @property
    def coef_(self) -> Floats:
        """The weights, one row per binary problem; of two classes, those of the last of ``classes_``.

        While a stream has shown only one label, a label of 0 or less is taken for the first of two, so that the weights
        of 0 and 1, or of -1 and +1, never change their sign. Any other label is taken for the last, and the sign
        changes if a larger one follows; ``classes`` of ``partial_fit`` prevents it.
        """
        self._require_fitted("coef_")
        model = self._moment()
        return on_request(stacked([plane_of(model, q)[0] for q in model._classes.problems]))

    @property
    def intercept_(self) -> Floats:
        """The intercepts, one per binary problem."""
        self._require_fitted("intercept_")
        model = self._moment()
        return np.array([plane_of(model, q)[1] for q in model._classes.problems])

    @property
    def certificate_(self) -> Any:
        """What is proven: one certificate for two classes, and a list with one per class for more."""
        self._require_fitted("certificate_")
        model = self._moment()
        columns = range(len(model._classes.problems))
        return model._classes.strategy.per_problem([model._certify(problem_of(model, column)) for column in columns])

    @property
    def stopped_(self) -> Any:
        """Why the passes of ``fit`` ended: one word for two classes, and a list with one per class for more.

        "converged": the last pass made no mistake; for ``MarginPerceptron``, no update. A passive-aggressive learner
        may then still have rows with y f(x) < 1, from which another pass would learn, and converges, too, if a pass can
        change nothing. "inseparable": no plane separates the rows; for ``MarginPerceptron(margin=...)``, none by (1 -
        epsilon) times the margin that was asked for. "no progress": the mistakes per pass did not become fewer, or no
        plane with a margin above 1e-9 of the length of the rows was found, and whether the rows are separable is not
        known. "max_iter": all passes were made.
        """
        if self._stopped is None:
            raise missing_attribute(self, "stopped_", "it was not learned by fit alone")
        return self._classes.strategy.per_problem(list(self._stopped))

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        if not hasattr(self, "_learner"):
            raise missing_attribute(self, "record_", "it is not fitted")
        return record_of(self._moment())

    @classmethod
    def from_record(cls, record: RunRecord) -> Self:
        """Restore a model from its saved state.

        Parameters
        ----------
        record : RunRecord
            The record of a model of this class.

        Returns
        -------
        self : object
            A model that continues bit for bit as the recorded one would.
        """
        model = cls(**record.parameters)
        restore(model, record, cls._rule_names)
        return model

    @classmethod
    def check_record(cls, record: RunRecord) -> None:
        """Refuse a record that ``from_record`` would refuse, without building a model.

        Parameters
        ----------
        record : RunRecord
            The record of a model of this class.
        """
        check_restorable(cls(**record.parameters), record, cls._rule_names)

    # ---- columns ---------------------------------------------------------------------------------------------------

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        held = vars(self)
        if held.get("_by_name"):
            return int(held["_learner"].columns)
        width: int | None = held.get("_width")
        if width is None:
            raise missing_attribute(self, "n_features_in_", "it has seen no features yet")
        return width

    @n_features_in_.setter
    def n_features_in_(self, width: int) -> None:
        self._width = width
        self._by_name, self._fast_path = False, None
