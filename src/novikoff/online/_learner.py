"""How all online learners learn: whole data sets, batches of a stream, one example at a time."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

import novikoff._core as _core
from novikoff._all_or_nothing import AllOrNothing
from novikoff._class_weights import RunningBalance, bad_class_weight, class_weight_of, row_weights
from novikoff._labels import Codes, declared_classes, encode
from novikoff._threads import in_threads
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
from novikoff.data.rows import as_rows, csr, is_keyed, one_row
from novikoff.data.stream import Scan
from novikoff.errors import InvalidInputError, invalid
from novikoff.theory.geometry import Floats, copies_apart
from novikoff.theory.rules import Rule

from ._classes import Classes
from ._cycle import Cycle, Examples, Run
from ._kernel import configuration_of
from ._learned import LearnedClassifier

ONE = 1.0  # the weight of most examples
MOST_ROWS = 100_000_000  # copies of rows with private features


@dataclass(frozen=True)
class Lane:
    """The short way of a dict, one call into the kernel: for two classes, unweighted, with features called by name."""

    learner: _core.OnlineLearner
    code_of: dict[Any, int]
    question: int
    answers: tuple[Any, Any]  # the label of a negative score, and of any other


class OnlineClassifier(LearnedClassifier):
    """What all online learners share. A subclass names its rule, and its certificate if it has one of its own."""

    _until_still = False  # fit stops after a pass without an update; otherwise one without a mistake will do

    def __init__(
        self,
        *,
        fit_intercept: bool,
        max_iter: int,
        shuffle: bool,
        random_state: Any,
        class_weight: Any,
        warm_start: bool,
        n_jobs: int | None,
        verbose: int,
        max_features: int | None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.max_features = max_features

    def _rule(self, where: str) -> Rule:
        """The subclass's rule, its parameters checked."""
        raise TypeError(f"[{where}] A learner with a rule. Got {type(self).__name__}.")

    def _new_learner(self, where: str) -> _core.OnlineLearner:
        rule = self._learned_rule = self._rule(where)  # what is set later does not change what was learned
        buckets = (
            0 if self.max_features is None else check_integer(where, "max_features", self.max_features, at_least=1)
        )
        check_flag(where, "fit_intercept", rule.geometry.fit_intercept)
        check_flag(where, "normalize", rule.geometry.normalize)
        return _core.OnlineLearner(*configuration_of(rule, buckets))

    # ---- whole data sets -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Cycle over the rows until a pass leaves nothing to do, or ``max_iter`` passes are made.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (rows, features)
        y : labels, any two or more values
        sample_weight : how often each row counts; an integer k equals k copies in a row, 0 equals absence
        """
        where = self._where("fit")
        with AllOrNothing(self):
            self._fit(where, X, y, sample_weight)
        return self

    def _fit(self, where: str, X: Any, y: Any, sample_weight: Any) -> None:
        warm = self.warm_start and hasattr(self, "_learner")
        check_integer(where, "max_iter", self.max_iter, at_least=1)
        jobs = thread_count(where, self.n_jobs)
        self._match_columns()
        X = check_rows(self, where, X, reset=not warm)
        labels = check_labels(where, y, X.shape[0])
        weights = check_weights(where, sample_weight, X.shape[0])
        learner, classes, codes = self._prepare(where, labels, weights, warm)
        weights = row_weights(where, self.class_weight, classes.labels, codes, weights)
        if weights is not None and weights.max() > 1 and self._rule(where).geometry.slack_feature > 0:
            if (copies := np.ceil(weights).sum()) > MOST_ROWS:
                raise invalid(
                    where, f"Weights of at most {MOST_ROWS} in all: slack_feature keeps every copy.", f"{copies:g}"
                )
            index, weights = copies_apart(weights)
            X, codes = X[index], codes[index]

        batch = Examples.of(where, X, codes, weights)
        if learner.problems > 1:
            batch.examine(where)
        say, cancelled = self._heard(), threading.Event()
        cycle = Cycle(where, self.max_iter, self.shuffle, self._until_still, say, cancelled)
        seeds = check_random_state(self.random_state).randint(2**31, size=learner.problems)
        with in_threads(min(jobs, learner.problems)) as each:
            try:
                runs = each(lambda q: cycle.run(learner, q, batch, int(seeds[q])), learner.problems)
            except BaseException:
                cycle.cancelled.set()
                raise
        if not warm:
            self.__dict__.pop("_column_names", None)
            self._by_name = False
            self._balance = RunningBalance()
        self._learner, self._classes, self._lane, self._is_stream = learner, classes, None, False
        self._runs: list[Run] | None = None if warm else runs
        self.classes_ = classes.values
        self.n_iter_ = max(run.passes for run in runs)

    def _prepare(
        self, where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None, warm: bool
    ) -> tuple[_core.OnlineLearner, Classes, Codes]:
        """A learner with its questions: a new one, or a copy of the present one, which a failure leaves as it was."""
        if warm:
            learner, classes = copy.deepcopy(self._learner), copy.deepcopy(self._classes)
        else:
            present = labels if weights is None else labels[weights > 0]
            if len(present) == 0:
                raise invalid(where, "At least one row with a weight above 0.", "only zeros in sample_weight")
            values, codes = encode(where, present)
            if len(values) < 2:
                raise invalid(where, "Labels of at least two classes.", f"one class, {values.tolist()[0]!r}")
            learner, classes = self._new_learner(where), Classes(values)
            classes.ask(learner)
            if weights is None:
                return learner, classes, codes
        codes = classes.codes(where, labels, weights)
        for code in range(len(classes.labels), int(codes.max()) + 1):
            classes.meet(labels[codes == code][:1].tolist()[0], learner)
        return learner, classes, codes

    # ---- streams ---------------------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a batch of a stream; the way it is cut into batches does not matter.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``; or X alone, if it is a stream that ``novikoff.scan`` opened, or a batch of
            one. Sparse rows of such a stream may grow wider on the way.
        classes : all labels there will be, if known: two classes then cost one question instead of three, and any other
            label is refused. Without it new labels may appear at any time.
        """
        if isinstance(X, Scan):
            self._refuse_beside(self._where("partial_fit"), y, sample_weight)
            for part in X.widening():
                self.partial_fit(part, classes=classes)
            return self
        self._learn_batch(*self._take_in(self._where("partial_fit"), X, y, classes, sample_weight))
        return self

    def predict_then_learn(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[Any]:
        """Predict each row and then learn from it, before the next one; return the predictions.

        They are what ``predict_one`` and ``learn_one``, row by row, would give: None while no label was ever seen.

        Parameters
        ----------
        X, y, sample_weight : as in ``partial_fit``, one batch at a time
        """
        where, is_first = self._where("predict_then_learn"), not hasattr(self, "_learner")
        if isinstance(X, Scan):
            raise invalid(where, "One batch at a time (evaluate.progressive takes a stream).", "a stream")
        labels, batch = self._take_in(where, X, y, None, sample_weight)
        parts = self._learn_batch(labels, batch, predict=True)
        predictions = np.concatenate(parts)
        if is_first:  # the first label may have told that all are booleans, but not before it was seen
            predictions = predictions.astype(object)
            predictions[0] = None
        return predictions

    def _take_in(self, where: str, X: Any, y: Any, classes: Any, sample_weight: Any) -> tuple[NDArray[Any], Examples]:
        """Check a batch, before anything of it is learned."""
        with AllOrNothing(self):
            self._match_columns()
            if isinstance(X, Batch):
                self._refuse_beside(where, y, sample_weight)
                X, y, sample_weight = self._rows_of(where, X), X.y, X.weights
            else:
                X = check_rows(self, where, X, reset=not hasattr(self, "n_features_in_"))
            labels = check_labels(where, y, X.shape[0])
            weights = check_weights(where, sample_weight, X.shape[0])
            batch = Examples.of(where, X, np.zeros(0, np.int32), weights)
            batch.jobs = thread_count(where, self.n_jobs)
            batch.examine(where)
            if not hasattr(self, "_learner"):
                self._begin(where, classes, labels)
            elif classes is not None and declared_classes(where, classes).tolist() != self._classes.sorted:
                raise invalid(where, f"The same classes in every call: {self._classes.sorted}.", repr(classes))
            batch.codes = self._classes.codes(where, labels, weights)
            batch.weights = self._weigh(where, labels, batch.codes, weights)
        return labels, batch

    def _refuse_beside(self, where: str, y: Any, sample_weight: Any) -> None:
        """A stream and its batches bring their labels and weights."""
        if y is not None or sample_weight is not None:
            what = "y" if y is not None else "sample_weight"
            raise invalid(
                where, "A stream, or a batch of one, alone: it brings labels and weights.", f"{what} beside it"
            )

    def _rows_of(self, where: str, batch: Batch) -> Any:
        """The rows of a batch of a stream; if columns had names before, they must be the same."""
        of_frame = self.__dict__.pop("feature_names_in_", None)  # scikit-learn would miss them in an array
        known = self.__dict__.get("_column_names") if of_frame is None else of_frame.tolist()
        first = not hasattr(self, "n_features_in_")
        names = None if batch.feature_names is None else list(batch.feature_names)
        if known is not None and known != names:
            got = "columns without names" if names is None else f"{len(names)} columns, {names[:5]}"
            raise invalid(where, f"The {len(known)} columns of before, {known[:5]}.", got)
        X = check_rows(self, where, self._widen(batch.X), reset=first)
        if of_frame is not None:
            self.feature_names_in_ = of_frame
        elif first and names is not None:
            self._column_names = names
        return X

    def _widen(self, X: Any) -> Any:
        """Give sparse rows of a stream and the model the same width: what never occurred is 0."""
        if not sp.issparse(X) or getattr(self, "_by_name", False):
            return X  # what has names is no wider than they are many
        width: int = max(1, self.__dict__.get("_width", 0), X.shape[1])  # at first there may be no feature at all
        if "_width" in self.__dict__:
            self._width = width
        return X if X.shape[1] == width else csr(X.data, X.indices, X.indptr, width)

    def _begin(self, where: str, classes: Any, labels: NDArray[Any]) -> None:
        """Start a stream. Its classes are those declared, or False and True if the labels are booleans, or open."""
        declared = None if classes is None else declared_classes(where, classes)
        if declared is None and labels.dtype.kind == "b":
            declared = np.array([False, True])
        learner = self._new_learner(where)
        self._classes = Classes(declared)
        self._classes.ask(learner)
        self._learner, self._by_name, self._runs, self._balance = learner, False, None, RunningBalance()
        self._is_stream = True
        self.n_iter_ = 1
        if declared is not None:
            self.classes_ = self._classes.values

    def _weigh(self, where: str, labels: NDArray[Any], codes: Codes, weights: Any) -> Any:
        """Multiply by the weights of the classes; "balanced" goes by what was seen so far."""
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            self._balance = copy.copy(self._balance)
            return self._balance.weigh(codes, weights)
        coming = range(len(self._classes.labels), int(codes.max(initial=-1)) + 1)
        names = [*self._classes.labels, *(labels[codes == code][:1].tolist()[0] for code in coming)]
        return row_weights(where, self.class_weight, names, codes, weights)

    def _learn_batch(self, labels: NDArray[Any], batch: Examples, predict: bool = False) -> list[NDArray[Any]]:
        """Learn the batch in pieces, each beginning where a class is met for the first time; return the predictions."""
        codes, known = batch.codes, len(self._classes.labels)
        starts = [int(np.argmax(codes == code)) for code in range(known, int(codes.max(initial=-1)) + 1)]
        predictions = []
        for begin, end in zip([0, *starts], [*starts, len(codes)], strict=True):
            if begin == end:
                continue
            before = copy.copy(self._classes)
            if begin in starts:
                self._meet(labels[begin : begin + 1].tolist()[0])
            scored = {*before.questions, *self._classes.questions} if predict else None
            scores = self._learn_piece(batch, begin, end, scored)
            if predict:  # the first of a new class was predicted before that class was known
                new = 1 if begin in starts else 0
                predictions += [before.decide(scores[:, :new]), self._classes.decide(scores[:, new:])]
        self._runs, self._lane = None, None
        return predictions

    def _learn_piece(self, batch: Examples, begin: int, end: int, scored: set[int] | None) -> Floats:
        """Learn rows from ``begin`` to ``end``; return the scores that some questions, if any, gave them before."""
        questions = self._learner.problems
        scores = np.empty((questions, 0 if scored is None else len(batch.codes)))

        def learn(q: int) -> None:
            beside = (batch.rows, batch.codes, batch.weights, batch.squared_norms, None, None, begin, end)
            self._learner.learn(q, *beside, scores[q] if scored and q in scored else None)

        with in_threads(min(batch.jobs, questions)) as each:
            each(learn, questions)
        return scores[:, begin:end]

    def _meet(self, label: Any) -> int:
        classes = copy.copy(self._classes)  # an interruption leaves the present ones
        code = classes.meet(label, self._learner)
        self._classes, self._lane = classes, None
        self.classes_ = self._classes.values
        return code

    # ---- one example at a time -------------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, sample_weight: float = ONE) -> None:
        """Learn from one example: a dict of features, or one row of numbers, dense or sparse."""
        lane: Lane | None = self._lane
        if lane is not None and type(x) is dict and sample_weight == 1.0:
            try:
                lane.learner.learn_one(x, lane.code_of[y], 1.0)
                return
            except ValueError as error:
                raise InvalidInputError(f"[{self._where('learn_one')}] {error}") from None
            except (KeyError, TypeError):
                pass  # a label that was never met
        with AllOrNothing(self):
            self._learn_row(self._where("learn_one"), x, y, sample_weight)

    def _learn_row(self, where: str, x: Any, y: Any, sample_weight: float) -> None:
        """Any example. It is read before its class is taken in, so that a bad one leaves no trace."""
        weight = 1.0 if sample_weight is ONE else check_weight(where, sample_weight)
        if not hasattr(self, "_learner"):
            self._begin(where, None, check_label(where, y))
        if weight == 0:
            return
        try:
            code = self._classes.code_of.get(y)
        except TypeError:  # no label can be that
            code = None
        if self.class_weight is not None:
            weight = self._times_class_weight(where, y, weight)
        if code is None:
            code = self._meet_with(where, x, y)
        if self.class_weight == "balanced":
            weight = float(self._weigh(where, np.array([y]), np.array([code]), np.array([weight]))[0])
        if weight == 0:
            return
        if is_keyed(x):
            self._name_columns(where)
            try:
                self._learner.learn_one(dict(x), code, weight)
            except ValueError as error:
                raise InvalidInputError(f"[{where}] {error}") from None
        else:
            row = one_row(where, x, getattr(self, "n_features_in_", None))
            if not self._learner.learn_row(as_rows(where, row), code, weight):
                raise describe_bad_row(where, row, 0)
            if not self._by_name:
                self._width = row.shape[1]
        self._runs = None
        self._open_lane()

    def _times_class_weight(self, where: str, y: Any, weight: float) -> float:
        if isinstance(self.class_weight, Mapping):
            return check_weight(where, weight * class_weight_of(where, self.class_weight, y))
        if self.class_weight != "balanced":
            raise bad_class_weight(where, self.class_weight)
        return weight

    def _meet_with(self, where: str, x: Any, y: Any) -> int:
        """Take in the class of an example, once the example itself is known to be good."""
        label = check_label(where, y).tolist()[0]
        if self._classes.declared:
            raise self._classes.refuse(where, label)
        self._classes.check_order(where, [label])
        self._score("learn_one", x, 0)
        return self._meet(label)

    def _open_lane(self) -> None:
        """Let dicts take the short way from now on, where nothing stands in it."""
        if self._by_name and self.class_weight is None and self._classes.only is not None:
            answers = (self._classes.negative, self._classes.positive)
            self._lane = Lane(self._learner, self._classes.code_of, self._classes.only, answers)

    def predict_one(self, x: Any) -> Any:
        """The label of one example; None while no label was ever seen."""
        lane: Lane | None = self._lane
        if lane is None or type(x) is not dict:
            return self._predict_row(x)
        try:
            return lane.answers[lane.learner.score_one(x, lane.question) >= 0]
        except ValueError as error:
            raise InvalidInputError(f"[{self._where('predict_one')}] {error}") from None

    def _predict_row(self, x: Any) -> Any:
        classes: Classes | None = getattr(self, "_classes", None)
        if classes is None or not classes.labels:
            return None
        if classes.only is None:
            scores = self.score_one(x)
            return max(scores, key=scores.__getitem__)
        return classes.positive if self._score("predict_one", x, classes.only) >= 0 else classes.negative

    def score_one(self, x: Any) -> Any:
        """The score of one example: a number for two classes, a dict of class to score for more."""
        classes: Classes | None = getattr(self, "_classes", None)
        if classes is None or not classes.labels:
            return 0.0
        if classes.only is not None:
            return self._score("score_one", x, classes.only)
        return {
            label: self._score("score_one", x, q) for label, q in zip(classes.sorted, classes.questions, strict=True)
        }

    def _score(self, method: str, x: Any, question: int) -> float:
        if is_keyed(x):
            if not self._by_name:
                self._name_columns(self._where(method))
            try:
                return self._learner.score_one(x if type(x) is dict else dict(x), question)
            except ValueError as error:
                raise InvalidInputError(f"[{self._where(method)}] {error}") from None
        where = self._where(method)
        row = one_row(where, x, getattr(self, "n_features_in_", None))
        scores = np.empty(1)
        if self._learner.score(question, as_rows(where, row), scores) == 0:
            raise describe_bad_row(where, row, 0)
        return float(scores[0])

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; what they change holds from the next example on, but for those of the rule."""
        self._lane = None
        return cast(Self, super().set_params(**parameters))

    def _name_columns(self, where: str) -> None:
        """Let features be called by name from now on: a data frame's column names, or the numbers of the columns."""
        if self._by_name:
            return
        width = getattr(self, "n_features_in_", 0)
        if self.max_features is None:
            names = getattr(self, "feature_names_in_", self.__dict__.get("_column_names"))
            self._learner.name_columns(list(range(width) if names is None else names))
        elif width not in (0, self.max_features):
            raise invalid(where, f"Rows of numbers as before; for dicts, max_features = {width}.", "a dict")
        self._by_name = True
