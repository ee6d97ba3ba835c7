"""A mixture of online learners, of which the one that errs least predicts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from novikoff._classifier import Classifier, fit_to_scan
from novikoff._draft import Draft, change, read
from novikoff._estimators import check_is_fitted
from novikoff._validation import check_labels, check_rows, check_weights
from novikoff.data.stream import Scan
from novikoff.errors import input_error, missing_attribute, quote
from novikoff.record import RunRecord
from novikoff.theory.geometry import Floats
from novikoff.theory.tracker_certificate import TrackerCertificate

from . import _batch_methods
from ._classifier import OnlineClassifier
from ._mixture import MixtureCounts
from ._one_example import DEFAULT_WEIGHT
from ._stream import Scored
from ._tracker_learning import learn_example_of_all, learn_rows_of_all, new_members
from ._tracker_record import TrackerState, certificate_of, check_members, learners_from, record_of, restored_members

T = TypeVar("T")


@dataclass(kw_only=True, eq=False, repr=False)
class Tracker(Classifier):
    """Several online learners that learn from every example, and of which the best at present predicts.

    All members learn from all examples. The member with the fewest mistakes predicts, where each example makes earlier
    mistakes count less by the factor ``decay``; of several, the first in the list. So the tracker follows the member
    that suits the stream, also if that changes. With N members of which the best has m decayed mistakes, the tracker
    has at most N m + N - 1 of them (docs/theory.md, N1).

    An example of weight 2 counts as two, of which each is predicted.

    Parameters
    ----------
    learners : list of online learners, default=None
        The members. They are cloned, and may not have ``class_weight``. None for ``PassiveAggressiveI()`` and
        ``AROW(r=10, floor=0.01)``, both with ``scale="centred"``. With three classes or more, add
        ``MulticlassAROW(scale="centred")`` to these, which learns all classes together.
    decay : float, default=0.999
        Factor of all counts of mistakes before each example; 1 counts all mistakes alike.

    Attributes
    ----------
    learners_ : list
        The members, which have learned.
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights of the member that predicts.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Its intercepts.
    leader_ : int
        The place of the member with the fewest decayed mistakes.
    certificate_ : TrackerCertificate
        The mistakes of the tracker and of its members, and the bound.
    n_iter_ : int
        Number of passes, which is 1.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    novikoff.evaluate.progressive : Mistakes and scores of predictions before learning.

    Examples
    --------
    >>> from novikoff import PassiveAggressiveI, Perceptron, Tracker
    >>> model = Tracker([Perceptron(), PassiveAggressiveI(C=0.1)])
    >>> for x, y in [({"a": 2.0}, "yes"), ({"a": -1.0}, "no"), ({"a": 1.0}, "yes")]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"a": 3.0})
    'yes'
    >>> model.certificate_.mistakes
    2.0
    """

    learners: Any = field(default=None, kw_only=False)
    decay: float = 0.999

    state_type: ClassVar[type[Any]] = TrackerState
    learns_in_place: ClassVar[bool] = True
    _copied: ClassVar[tuple[str, ...]] = ("learners_", "_counts")

    # State before anything is learned. It has no annotations, which would make parameters of it.
    _counts = cast("MixtureCounts", None)
    _learned_decay = cast("float", None)  # that was begun with: parameters that are set later have no effect
    _is_torn = False  # whether an interrupt came when some members had learned from an example, and others had not

    # ---- learning --------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Forget what was learned, then learn from the rows in their order, each once.

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
        change(self, lambda draft: draft.model._fit(X, y, sample_weight))
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit a draft."""
        where = type(self).__name__
        self._forget_reading()
        rows = check_rows(new_members(self)[0], where, X, reset=True).shape[0]
        labels, weights = check_labels(where, y, rows), check_weights(where, sample_weight, rows)
        present = labels if weights is None else labels[weights > 0]
        if len(present) == 0:
            raise input_error(where, "sample_weight has only zeros. At least one row must have a positive weight.")
        classes = np.unique(present)
        if len(classes) < 2:
            message = f"y must have at least two classes, but it has one class, {quote(classes.tolist()[0])}."
            raise input_error(where, message)
        for name in ("learners_", "_counts", "_learned_decay", "_is_torn"):
            self.__dict__.pop(name, None)
        learn_rows_of_all(self, lambda: None, X, labels, classes, weights)

    partial_fit = _batch_methods.partial_fit
    predict_then_learn = _batch_methods.predict_then_learn
    score_then_learn = _batch_methods.score_then_learn

    def _learn_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, keep: Callable[[Scored], Any] | None = None
    ) -> list[Any]:
        """Learn from a batch. Return the predictions before, or the scores, if they are what ``keep`` keeps."""
        runs: list[Any] | None = [] if keep is Scored.decisions else None

        def learn(draft: Draft) -> NDArray[Any]:
            return learn_rows_of_all(draft.model, draft.publish, X, y, classes, sample_weight, runs)

        labels = change(self, learn)
        return [labels if runs is None else runs]

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

        def learn(draft: Draft) -> None:
            learn_example_of_all(draft.model, draft.publish, x, y, sample_weight)

        change(self, learn)

    # ---- predictions -----------------------------------------------------------------------------------------------

    def _of_leader(self, reader: Callable[[OnlineClassifier], T]) -> T:
        """Return what a function reads of the member with the fewest decayed mistakes."""
        return read(self, lambda view: reader(view.learners_[view._counts.leader()]))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The labels that the leader predicts.
        """
        check_is_fitted(self)
        return self._of_leader(lambda leader: leader.predict(X))

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
        if not self.__sklearn_is_fitted__():
            return None
        return self._of_leader(lambda leader: leader.predict_one(x))

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Those of the member that predicts.
        """
        check_is_fitted(self)
        return self._of_leader(lambda leader: leader.decision_function(X))

    def score_one(self, x: Any) -> Any:
        """Return the score of one example.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.

        Returns
        -------
        score : float or dict
            That of the member that predicts: a number for two classes, and a dict from class to score for more; 0.0 if
            no label was seen before.
        """
        if not self.__sklearn_is_fitted__():
            return 0.0
        return self._of_leader(lambda leader: leader.score_one(x))

    # ---- results ---------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        counts = vars(self).get("_counts")
        return counts is not None and counts.rounds > 0

    def _require_fitted(self, attribute: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise missing_attribute(self, attribute, "it is not fitted")

    def _moment(self) -> Self:
        def copied(view: Any) -> Any:
            if "learners_" in vars(view):
                view.learners_ = [learner.snapshot() for learner in view.learners_]
            return view

        model = read(self, copied)
        model.__dict__.pop("_watcher", None)
        return cast(Self, model)

    @property
    def leader_(self) -> int:
        """The place of the member with the fewest decayed mistakes; of several, the first."""
        self._require_fitted("leader_")
        place: int = self._counts.leader()
        return place

    @property
    def classes_(self) -> NDArray[Any]:  # type: ignore[override]  # those of the members
        """The labels in ascending order."""
        self._require_fitted("classes_")
        values: NDArray[Any] = self.learners_[0].classes_
        return values

    @property
    def coef_(self) -> Floats:
        """The weights of the member that predicts, one row per binary problem."""
        self._require_fitted("coef_")
        return self._of_leader(lambda leader: leader.coef_)

    @property
    def intercept_(self) -> Floats:
        """The intercepts of the member that predicts."""
        self._require_fitted("intercept_")
        return self._of_leader(lambda leader: leader.intercept_)

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        if "learners_" not in vars(self):
            raise missing_attribute(self, "n_features_in_", "it has seen no features yet")
        return int(self.learners_[0].n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the features, where a data frame gave them names."""
        if "learners_" not in vars(self):
            raise missing_attribute(self, "feature_names_in_", "it has seen no features yet")
        names: NDArray[Any] = self.learners_[0].feature_names_in_
        return names

    @property
    def n_iter_(self) -> int:
        """Number of passes, which is 1."""
        self._require_fitted("n_iter_")
        return 1

    @property
    def certificate_(self) -> TrackerCertificate:
        """The mistakes of the tracker and of its members, and the bound on them."""
        self._require_fitted("certificate_")
        return certificate_of(self._moment())

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        if not self.__sklearn_is_fitted__():
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
        parameters = record.parameters | {"learners": learners_from(record.parameters["learners"])}
        model, state = cls(**parameters), record.state
        model.learners_ = restored_members(record)
        model._counts, model._learned_decay = state.counts, state.decay
        if record.reading is not None:
            model.reading_ = record.reading
        return model

    @classmethod
    def check_record(cls, record: RunRecord) -> None:
        """Refuse a record that ``from_record`` would refuse, without building a model.

        Parameters
        ----------
        record : RunRecord
            The record of a model of this class.
        """
        cls(**record.parameters | {"learners": learners_from(record.parameters["learners"])})
        check_members(record)
