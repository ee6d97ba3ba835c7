"""The base class of the online learners: whole data sets, batches of a stream, one example at a time."""

# Without ``from __future__ import annotations``: the types of the fields reach the ``__init__`` of subclasses in other
# modules, where their names could not be looked up.
import copy
import numbers
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

import novikoff._core as _core
from novikoff._all_or_nothing import AllOrNothing
from novikoff._class_weights import RunningBalance, bad_class_weight, class_weight_of, row_weights
from novikoff._classifier import Classifier, fit_to_scan
from novikoff._labels import Codes, declared_classes, encode
from novikoff._validation import (
    check_flag,
    check_integer,
    check_label,
    check_labels,
    check_rows,
    check_weight,
    check_weights,
    describe_bad_row,
    thread_count,
)
from novikoff.data.batch import Batch
from novikoff.data.reading import Reading
from novikoff.data.rows import as_rows, is_keyed, one_row
from novikoff.data.stream import Scan
from novikoff.errors import input_error, quote
from novikoff.record import OnlineRun, ProblemRecord, RunRecord
from novikoff.theory.certificate import Certificate
from novikoff.theory.evidence import Evidence
from novikoff.theory.geometry import Floats, copies_apart
from novikoff.theory.rules import Rule

from ._certify import Problem, certify_mistakes
from ._classes import Classes
from ._cycle import Cycle, Examples, Run
from ._state import OnlineState, column_names_of, feature_names_of, kernel_configuration, restore, state_of
from ._stream import joined_columns, learn_batch, refuse_labels_beside, widened

DEFAULT_WEIGHT = 1.0  # compared by identity, so that most calls of learn_one need not check it
MAX_PRIVATE_COPIES = 100_000_000  # of rows, each with a private feature


@dataclass(frozen=True)
class FastPath:
    """What learning and scoring a dict needs, for two classes, without weights, if features have names.

    Parameters
    ----------
    kernel : OnlineLearner
        The compiled learner.
    code_of : dict
        The code of each label.
    problem : int
        The problem that decides.
    answers : tuple
        The label for a negative score, and for any other.
    """

    kernel: _core.OnlineLearner
    code_of: dict[Any, int]
    problem: int
    answers: tuple[Any, Any]


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

    state_type: ClassVar[type[Any]] = OnlineState
    _rule_names: ClassVar[tuple[str, ...]]
    _until_no_update: ClassVar[bool] = False

    # State before anything is learned. It has no annotations, which would make parameters of it.
    _by_name = False  # whether features have names, and columns appear with new names
    _width = cast("int | None", None)  # number of columns of the rows seen
    _column_names = cast("Sequence[str] | None", None)  # names that the batches of a stream gave their columns
    _runs = cast("list[Run] | None", None)  # outcome of ``fit``; None on a stream or after several fits
    _fast_path = cast("FastPath | None", None)

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
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        where = type(self).__name__
        warm = self.warm_start and hasattr(self, "_learner")
        check_integer(where, "max_iter", self.max_iter, at_least=1)
        threads = thread_count(where, self.n_jobs)
        self._match_columns()
        X = check_rows(self, where, X, reset=not warm)
        labels = check_labels(where, y, X.shape[0])
        weights = check_weights(where, sample_weight, X.shape[0])
        learner, classes, codes = self._prepare(where, labels, weights, warm)
        weights = row_weights(where, self.class_weight, classes.labels, codes, weights)
        if weights is not None and weights.max() > 1 and self._rule().geometry.slack_feature > 0:
            if (copies := np.ceil(weights).sum()) > MAX_PRIVATE_COPIES:
                limit = f"at most {MAX_PRIVATE_COPIES}, because slack_feature stores every copy of a row"
                raise input_error(where, f"the weights add up to {copies:g}, but they may add up to {limit}.")
            index, weights = copies_apart(weights)
            X, codes = X[index], codes[index]
        examples = Examples.of(where, X, codes, weights)
        if learner.problems > 1:
            examples.examine(where)
        cycle = Cycle(where, self.max_iter, self.shuffle, self._until_no_update, self._progress())
        runs = cycle.run_all(learner, examples, self._seeds(learner), threads)
        if not warm:
            self._column_names, self._by_name, self._balance = None, False, RunningBalance()
        self._learner, self._classes, self._fast_path, self._is_stream = learner, classes, None, False
        self._runs = None if warm else runs
        self.classes_ = classes.strategy.classes
        self.n_iter_ = max(run.passes for run in runs)

    def _seeds(self, learner: _core.OnlineLearner) -> list[int]:
        """Return the seed of the row order of each problem."""
        seeds: list[int] = check_random_state(self.random_state).randint(2**31, size=learner.problems).tolist()
        return seeds

    def _prepare(
        self, where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None, warm: bool
    ) -> tuple[_core.OnlineLearner, Classes, Codes]:
        """Return a new learner with its problems, or a copy of the present one, which remains if the fit fails."""
        if warm:
            learner, classes = copy.deepcopy(self._learner), copy.deepcopy(self._classes)
        else:
            present = labels if weights is None else labels[weights > 0]
            if len(present) == 0:
                raise input_error(where, "sample_weight has only zeros. At least one row must have a positive weight.")
            values, codes = encode(where, present)
            if len(values) < 2:
                message = f"y must have at least two classes, but it has one class, {quote(values.tolist()[0])}."
                raise input_error(where, message)
            learner, classes = self._new_learner(where), Classes(values)
            classes.add_problems(learner)
            if weights is None:
                return learner, classes, codes
        codes = classes.codes(where, labels, weights)
        for code in range(len(classes.labels), int(codes.max()) + 1):
            classes.add(labels[codes == code][:1].tolist()[0], learner)
        return learner, classes, codes

    def _new_learner(self, where: str) -> _core.OnlineLearner:
        rule = self._learned_rule = self._rule()  # parameters that are set later have no effect on this model
        buckets = 0
        if self.max_features is not None:
            buckets = check_integer(where, "max_features", self.max_features, at_least=1)
        check_flag(where, "fit_intercept", rule.geometry.fit_intercept)
        check_flag(where, "normalize", rule.geometry.normalize)
        return _core.OnlineLearner(*kernel_configuration(rule, buckets))

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
        self._learn_batch(*self._check_batch(X, y, classes, sample_weight))
        self._keep_reading(X)
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
        predictions = np.concatenate(self._learn_batch(*self._check_batch(X, y, None, sample_weight), predict=True))
        self._keep_reading(X)
        if is_first:  # booleans declare their classes with the first batch, but none was known at its first row
            predictions = predictions.astype(object)
            predictions[0] = None
        return predictions

    def _check_batch(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[NDArray[Any], Examples, int]:
        """Check a batch before anything of it is learned. Return its labels, the batch, and the number of threads."""
        where = type(self).__name__
        with AllOrNothing(self):
            self._match_columns()
            if isinstance(X, Batch):
                refuse_labels_beside(where, y, sample_weight)
                X, y, sample_weight = self._rows_of(where, X), X.y, X.weights
            else:
                X = check_rows(self, where, X, reset=not hasattr(self, "n_features_in_"))
            labels = check_labels(where, y, X.shape[0])
            weights = check_weights(where, sample_weight, X.shape[0])
            batch, threads = Examples.of(where, X, np.zeros(0, np.int32), weights), thread_count(where, self.n_jobs)
            batch.examine(where)
            if not hasattr(self, "_learner"):
                self._begin(where, classes, labels)
            elif classes is not None:
                known = self._classes.strategy.classes.tolist()
                if declared_classes(where, classes).tolist() != known:
                    message = f"classes must be {quote(known)} as in the first call, but they are {quote(classes)}."
                    raise input_error(where, message)
            batch.codes = self._classes.codes(where, labels, weights)
            batch.weights = self._weigh(where, labels, batch.codes, weights)
        return labels, batch, threads

    def _learn_batch(
        self, labels: NDArray[Any], batch: Examples, threads: int, predict: bool = False
    ) -> list[NDArray[Any]]:
        with AllOrNothing(self) if self._copy_if_interpreted() else nullcontext():
            predictions = learn_batch(self._learner, self._classes, self._add_class, labels, batch, threads, predict)
            self._runs, self._fast_path = None, None
        return predictions

    def _keep_reading(self, X: Any) -> None:
        """Keep how the rows of a table were encoded, so that a stream can continue from the model."""
        if isinstance(X, Batch) and X.running is not None:
            reading: Reading = getattr(self, "reading_", None) or Reading()
            self.reading_ = reading.after(X)

    def _rows_of(self, where: str, batch: Batch) -> Any:
        """Return the rows of a batch, whose columns must have the names they had before, if they had any.

        Columns of sparse rows may be added at the end, and those that do not occur in the batch may be absent there.
        """
        X, is_sparse = batch.X, sp.issparse(batch.X)
        first = not hasattr(self, "n_features_in_")
        of_frame = self.__dict__.pop("feature_names_in_", None)  # scikit-learn would miss them in an array
        known = self._column_names if of_frame is None else of_frame.tolist()
        names = joined_columns(where, known, batch.feature_names, is_sparse)
        if is_sparse and (not self._by_name or known is not None):
            width = max(1, 0 if first else self.n_features_in_, X.shape[1])
            X = widened(X, width)
            if not first and width > self.n_features_in_:
                self.n_features_in_ = width  # columns by name get their names again when they are needed
        X = check_rows(self, where, X, reset=first)
        if of_frame is not None:
            self.feature_names_in_ = of_frame if names is known else np.array(names, dtype=object)
        elif names is not None and (first or known is not None):
            self._column_names = names
        return X

    def _begin(self, where: str, classes: Any, labels: NDArray[Any]) -> None:
        """Start a stream. Booleans declare their classes; otherwise, undeclared classes may appear at any time."""
        declared = None if classes is None else declared_classes(where, classes)
        if declared is None and labels.dtype.kind == "b":
            declared = np.array([False, True])
        learner = self._new_learner(where)
        self._classes = Classes(declared)
        self._classes.add_problems(learner)
        self._learner, self._by_name, self._runs, self._balance = learner, False, None, RunningBalance()
        self._is_stream = True
        self.n_iter_ = 1
        if declared is not None:
            self.classes_ = declared

    def _weigh(self, where: str, labels: NDArray[Any], codes: Codes, weights: Any) -> Any:
        """Multiply weights by those of the classes; "balanced" counts the examples seen so far."""
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            self._balance = copy.copy(self._balance)
            return self._balance.weigh(codes, weights)
        new = range(len(self._classes.labels), int(codes.max(initial=-1)) + 1)
        names = [*self._classes.labels, *(labels[codes == code][:1].tolist()[0] for code in new)]
        return row_weights(where, self.class_weight, names, codes, weights)

    def _add_class(self, label: Any) -> Classes:
        classes = copy.copy(self._classes)  # if it is interrupted, the present one remains
        classes.add(label, self._learner)
        self._classes, self._fast_path = classes, None
        self.classes_ = classes.strategy.classes
        return classes

    def _copy_if_interpreted(self) -> bool:
        """Continue with a copy of the learner if its rule is not compiled: such a rule may raise an error anywhere."""
        if self._learner.is_compiled:
            return False
        self._learner = copy.deepcopy(self._learner)
        return True

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
            self._learn_row(type(self).__name__, x, y, sample_weight)

    def _learn_row(self, where: str, x: Any, y: Any, sample_weight: float) -> None:
        """Learn from any example. It is read before its class is added, so that a bad one has no effect."""
        weight = 1.0 if sample_weight is DEFAULT_WEIGHT else check_weight(where, sample_weight)
        if not hasattr(self, "_learner"):
            self._begin(where, None, check_label(where, y))
        if weight == 0:
            return
        try:
            code = self._classes.code_of.get(y)
        except TypeError:  # an unhashable label
            code = None
        if self.class_weight is not None:
            weight = self._times_class_weight(where, y, weight)
        interpreted = not self._learner.is_compiled and self._copy_if_interpreted()
        if code is None:
            code = self._add_class_of(where, x, y)
        if self.class_weight == "balanced":
            weight = float(self._weigh(where, np.array([y]), np.array([code]), np.array([weight]))[0])
        if weight == 0:
            return
        if is_keyed(x):
            self._name_columns(where)
            try:
                self._learner.learn_one(dict(x), code, weight)
            except ValueError as error:
                raise input_error(where, str(error)) from None
        else:
            row = one_row(where, x, getattr(self, "n_features_in_", None))
            if not self._learner.learn_row(as_rows(where, row), code, weight):
                raise describe_bad_row(where, row, 0)
            if not self._by_name:
                self._width = row.shape[1]
        self._runs = None
        classes = self._classes
        if self._by_name and self.class_weight is None and classes.strategy.is_binary and not interpreted:
            answers = classes.decide_one([-1.0]), classes.decide_one([0.0])
            self._fast_path = FastPath(self._learner, classes.code_of, classes.problems[0], answers)

    def _times_class_weight(self, where: str, y: Any, weight: float) -> float:
        if isinstance(self.class_weight, Mapping):
            return check_weight(where, weight * class_weight_of(where, self.class_weight, y))
        if self.class_weight != "balanced":
            raise bad_class_weight(where, self.class_weight)
        return weight

    def _add_class_of(self, where: str, x: Any, y: Any) -> int:
        """Add the class of an example, after checking the example."""
        label = check_label(where, y).tolist()[0]
        if self._classes.declared:
            raise self._classes.undeclared(where, label)
        self._classes.check_sortable(where, [label])
        self._score(x, 0)
        return self._add_class(label).code_of[label]

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
            return self._classes.decide_one(self._scores(x))  # a comprehension here would slow the fast path down
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
        scores, strategy = self._scores(x), self._classes.strategy
        return scores[0] if strategy.is_binary else dict(zip(strategy.positives, scores, strict=True))

    def _scores(self, x: Any) -> list[float]:
        """Return the scores of one example, one per binary problem."""
        return [self._score(x, problem) for problem in self._classes.problems]

    def _score(self, x: Any, problem: int) -> float:
        where = type(self).__name__
        if is_keyed(x):
            self._name_columns(where)
            try:
                return self._learner.score_one(x if type(x) is dict else dict(x), problem)
            except ValueError as error:
                raise input_error(where, str(error)) from None
        row = one_row(where, x, getattr(self, "n_features_in_", None))
        scores = np.empty(1)
        if self._learner.score(problem, as_rows(where, row), scores) == 0:
            raise describe_bad_row(where, row, 0)
        return float(scores[0])

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
        self._match_columns()
        X = check_rows(self, where, X, reset=False)
        rows = as_rows(where, X)
        scores = np.empty((len(self._classes.problems), rows.count))
        for column, problem in enumerate(self._classes.problems):
            good = self._learner.score(problem, rows, scores[column])
            if good < rows.count:
                raise describe_bad_row(where, X, good)
        return self._classes.strategy.flatten(scores.T)

    @property
    def coef_(self) -> Floats:
        """The weights, one row per binary problem."""
        self._require_fitted("coef_")
        return np.vstack([self._padded(self._learner.weights(q)) for q in self._classes.problems])

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
        return self._classes.strategy.per_problem([self._certify(self._problem(column)) for column in columns])

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        if not hasattr(self, "_learner"):
            raise AttributeError(f"{type(self).__name__} has no record_ before it is fitted")
        state = state_of(self) if self._learned_rule.keep == "votes" else None
        votes = None if state is None else [problem.votes for problem in state.questions]
        seeds = self._seeds(self._learner) if isinstance(self.random_state, numbers.Integral) and self.shuffle else None
        return RunRecord(
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            strategy=self._classes.strategy,
            n_features=int(getattr(self, "n_features_in_", 0)),
            feature_names=feature_names_of(self),
            reading=getattr(self, "reading_", None),
            problems=tuple(
                self._problem_record(column, q, seeds, votes) for column, q in enumerate(self._classes.problems)
            ),
            make_state=lambda: state_of(self) if state is None else state,
            column_names=column_names_of(self),
        )

    def _problem_record(self, column: int, q: int, seeds: list[int] | None, votes: Any) -> ProblemRecord:
        problem, is_last = self._problem(column), self._learned_rule.keep == "last"
        return ProblemRecord(
            positive=self._classes.strategy.positives[column],
            weights=problem.evidence.weights if is_last else self._padded(self._learner.weights(q)),
            intercept=self._learner.bias(q),
            certificate=self._certify(problem),
            parameters={},
            run=OnlineRun(
                rule=self._learned_rule,
                current_rule=self._rule(),
                is_stream=self._is_stream,
                passes=None if self._runs is None else self._runs[q].passes,
                seed=None if seeds is None else seeds[q],
                shuffle=self.shuffle,
                votes=None if votes is None else votes[q],
            ),
        )

    def _problem(self, column: int) -> Problem:
        q = self._classes.problems[column]
        run = None if self._runs is None else self._runs[q]
        evidence = Evidence(
            weights=self._padded(self._learner.last_weights(q)),
            intercept=self._learner.last_bias(q),
            geometry=self._learned_rule.geometry,
            positive=self._classes.strategy.positives[column],
            duals=None if run is None else run.duals,
        )
        return Problem(self._learned_rule, self._learner.tally(q), evidence, run, self._is_stream)

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

    def _padded(self, weights: Floats) -> Floats:
        missing = self.n_features_in_ - len(weights)
        return np.pad(weights, (0, missing)) if missing > 0 else weights

    def _match_columns(self) -> None:
        """Tell the validation of scikit-learn the names of columns that appeared by name."""
        names = self._learner.names if self._by_name else []
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)

    def _name_columns(self, where: str) -> None:
        """Let features have names from now on: those of a data frame, or the numbers of the columns."""
        if self._by_name:
            return
        width = getattr(self, "n_features_in_", 0)
        if self.max_features is None:
            names = getattr(self, "feature_names_in_", self._column_names)
            self._learner.name_columns(list(range(width) if names is None else names))
        elif width not in (0, self.max_features):
            message = f"a dict cannot follow rows of {width} numbers unless max_features={width}."
            raise input_error(where, message)
        self._by_name = True

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        if self._by_name:
            return self._learner.columns
        if self._width is None:
            raise AttributeError(f"{type(self).__name__} has seen no features yet")
        return self._width

    @n_features_in_.setter
    def n_features_in_(self, width: int) -> None:
        self._width = width
        self._by_name, self._fast_path = False, None
