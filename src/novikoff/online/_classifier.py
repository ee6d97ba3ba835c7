"""The base class of the online learners: whole data sets, batches of a stream, one example at a time."""

# Without ``from __future__ import annotations``: the types of the fields reach the ``__init__`` of subclasses in other
# modules, where their names could not be looked up.
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from novikoff._all_or_nothing import AllOrNothing
from novikoff._class_weights import RunningBalance
from novikoff._classifier import Classifier, fit_to_scan
from novikoff._validation import check_rows, describe_bad_row
from novikoff.data.rows import as_rows
from novikoff.data.stream import Scan
from novikoff.errors import input_error
from novikoff.record import RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.geometry import Floats
from novikoff.theory.rules import Rule

from ._batch import add_class, check_batch, copy_if_interpreted, keep_reading
from ._certify import Problem, certify_mistakes
from ._columns import match_columns, padded
from ._cycle import Run
from ._fit import fit_rows
from ._one_example import DEFAULT_WEIGHT, FastPath, example_scores, learn_example
from ._record import problem_of, record_of
from ._state import OnlineState, restore
from ._stream import learn_batch, refuse_labels_beside


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(Classifier):
    """Base class of the online learners.

    A subclass is a dataclass (``kw_only=True, eq=False, repr=False``) whose fields are its parameters. It names its
    rules in ``_rule_names`` and defines ``_rule``, which checks the parameters and returns the rule with its
    parameter. It may override ``_certify``, and set ``_until_no_update`` if ``fit`` should not stop after a pass
    without a mistake, but only after one without an update.
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

    state_type: ClassVar[type[Any]] = OnlineState
    added_parameters: ClassVar[dict[str, Any]] = {"n_iter_no_change": None}
    _rule_names: ClassVar[tuple[str, ...]]
    _until_no_update: ClassVar[bool] = False

    # State before anything is learned. It has no annotations, which would make parameters of it.
    _by_name = False  # whether features have names, and columns appear with new names
    _width = cast("int | None", None)  # number of columns of the rows seen
    _column_names = cast("Sequence[str] | None", None)  # names that the batches of a stream gave their columns
    _runs = cast("list[Run] | None", None)  # outcome of ``fit``; None on a stream or after several fits
    _stopped = cast("list[str] | None", None)  # why the passes of each class ended; None on a stream
    _fast_path = cast("FastPath | None", None)
    _is_stream = False  # whether all was learned from one stream
    _learned_rule = cast("Rule | None", None)  # the rule of the kernel
    _balance = cast("RunningBalance | None", None)  # examples of each class so far, for class_weight="balanced"

    @abstractmethod
    def _rule(self) -> Rule:
        """Check the parameters of the rule and return it."""

    def _certify(self, problem: Problem) -> Certificate:
        """Return the certificate of one binary problem."""
        return certify_mistakes(problem)

    # ---- fit -------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Pass over the rows until nothing is left to learn, or ``max_iter`` passes were made.

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
        """
        if isinstance(X, Scan):
            return fit_to_scan(self, X, y, sample_weight)
        with AllOrNothing(self):
            self._forget_reading()
            fit_rows(self, X, y, sample_weight, self._progress())
        return self

    # ---- streams ---------------------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a batch of a stream. How a stream is cut into batches makes no difference.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features), Scan or Batch
            Rows; or a stream that ``novikoff.scan`` opened, or one of its batches, which have their own labels and
            weights. The sparse rows of such a stream may become wider on the way.
        y : array-like of shape (n_samples,), default=None
            Labels.
        classes : array-like, default=None
            All labels that will occur, if they are known. Two classes then cost one binary problem instead of three,
            and any other label is refused. By default, new labels may appear at any time.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, as in ``fit``.

        Returns
        -------
        self : object
            The learner.
        """
        if isinstance(X, Scan):
            refuse_labels_beside(type(self).__name__, y, sample_weight)
            for part in X.widening():
                self.partial_fit(part, classes=classes)
            return self
        self._learn_batch(X, y, classes, sample_weight)
        return self

    def predict_then_learn(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[Any]:
        """Predict each row, then learn from it, before the next one is predicted.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features) or Batch
            Rows, or a batch of a stream.
        y : array-like of shape (n_samples,), default=None
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, as in ``fit``.

        Returns
        -------
        predictions : ndarray of shape (n_samples,)
            What ``predict_one`` would have returned for each row. The first prediction of a new learner is None.
        """
        is_first = not hasattr(self, "_learner")
        if isinstance(X, Scan):
            message = "predict_then_learn takes one batch at a time. Use evaluate.progressive for a stream."
            raise input_error(type(self).__name__, message)
        predictions = np.concatenate(self._learn_batch(X, y, None, sample_weight, predict=True))
        if is_first:  # booleans declare their classes with the first batch, but none was known at its first row
            predictions = predictions.astype(object)
            predictions[0] = None
        return predictions

    def _learn_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, predict: bool = False
    ) -> list[NDArray[Any]]:
        """Check a batch, then learn from it. Return the predictions, in pieces; none without ``predict``."""
        with AllOrNothing(self):
            labels, batch, threads = check_batch(self, type(self).__name__, X, y, classes, sample_weight)
        with AllOrNothing(self) if copy_if_interpreted(self) else nullcontext():
            add = partial(add_class, self)
            predictions = learn_batch(self._learner, self._classes, add, labels, batch, threads, predict)
            self._runs, self._stopped, self._fast_path = None, None, None
        keep_reading(self, X)
        return predictions

    # ---- one example at a time -------------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, sample_weight: float = DEFAULT_WEIGHT) -> None:
        """Learn from one example.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features: values by name, or a row of numbers.
        y : label
            Its label.
        sample_weight : float, default=1.0
            Its weight.
        """
        fast = self._fast_path
        if fast is not None and type(x) is dict and sample_weight == 1.0:
            try:
                fast.kernel.learn_one(x, fast.code_of[y], 1.0)
                return
            except ValueError as error:
                raise input_error(type(self).__name__, str(error)) from None
            except (KeyError, TypeError):
                pass  # a new label
        with AllOrNothing(self):
            learn_example(self, type(self).__name__, x, y, sample_weight)

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one example.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.

        Returns
        -------
        label : object
            The label; None if no label was seen before.
        """
        fast = self._fast_path
        if fast is None or type(x) is not dict:
            if not self.__sklearn_is_fitted__():
                return None
            return self._classes.decide_one(example_scores(self, x))
        try:
            return fast.answers[fast.kernel.score_one(x, fast.problem) >= 0]
        except ValueError as error:
            raise input_error(type(self).__name__, str(error)) from None

    def score_one(self, x: Any) -> Any:
        """Return the score of one example.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.

        Returns
        -------
        score : float or dict
            A number for two classes, and a dict from class to score for more; 0.0 if no label was seen before.
        """
        if not self.__sklearn_is_fitted__():
            return 0.0
        scores, strategy = example_scores(self, x), self._classes.strategy
        return scores[0] if strategy.is_binary else dict(zip(strategy.positives, scores, strict=True))

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters. They take effect with the next example, except those of the rule.

        Parameters
        ----------
        **parameters : dict
            Parameters by name.

        Returns
        -------
        self : object
            The learner.
        """
        self._fast_path = None
        return cast(Self, super().set_params(**parameters))

    # ---- results ---------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        classes = getattr(self, "_classes", None)
        return classes is not None and bool(classes.labels)

    def _require_fitted(self, attribute: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {attribute} before it is fitted")

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
        check_is_fitted(self)
        where = type(self).__name__
        match_columns(self)
        X = check_rows(self, where, X, reset=False)
        rows = as_rows(where, X)
        scores = np.empty((len(self._classes.problems), rows.count))
        for column, problem in enumerate(self._classes.problems):
            good = self._learner.score(problem, rows, scores[column])
            if good < rows.count:
                raise describe_bad_row(where, X, good)
        flat: Floats = self._classes.strategy.combine(scores.T)
        return flat

    @property
    def coef_(self) -> Floats:
        """The weights, one row per binary problem."""
        self._require_fitted("coef_")
        return np.vstack([padded(self, self._learner.weights(q)) for q in self._classes.problems])

    @property
    def intercept_(self) -> Floats:
        """The intercepts, one per binary problem."""
        self._require_fitted("intercept_")
        return np.array([self._learner.bias(q) for q in self._classes.problems])

    @property
    def certificate_(self) -> Any:
        """What is proven: one certificate for two classes, and a list with one per class for more."""
        self._require_fitted("certificate_")
        columns = range(len(self._classes.problems))
        return self._classes.strategy.per_problem([self._certify(problem_of(self, column)) for column in columns])

    @property
    def stopped_(self) -> Any:
        """Why the passes of ``fit`` ended: one word for two classes, and a list with one per class for more.

        "converged": nothing was left to learn. "inseparable": no plane separates the rows, or none with the margin that
        was asked for. "no progress": the mistakes per pass did not become fewer, and whether the rows are separable is
        not known. "max_iter": all passes were made.
        """
        if self._stopped is None:
            raise AttributeError(f"{type(self).__name__} has no stopped_ unless it was learned by fit alone")
        return self._classes.strategy.per_problem(list(self._stopped))

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        if not hasattr(self, "_learner"):
            raise AttributeError(f"{type(self).__name__} has no record_ before it is fitted")
        return record_of(self)

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

    # ---- columns ---------------------------------------------------------------------------------------------------

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        if self._by_name:
            return int(self._learner.columns)
        if self._width is None:
            raise AttributeError(f"{type(self).__name__} has seen no features yet")
        return self._width

    @n_features_in_.setter
    def n_features_in_(self, width: int) -> None:
        self._width = width
        self._by_name, self._fast_path = False, None
