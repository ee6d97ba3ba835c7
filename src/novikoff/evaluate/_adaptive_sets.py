"""Sets of labels with a promised error rate, of an online learner."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff._estimators import NotFittedError
from novikoff._validation import check_integer, check_number
from novikoff.data.batch import Batch
from novikoff.data.stream import Scan
from novikoff.errors import input_error, quote
from novikoff.persistence import model_file
from novikoff.theory.conformal import NOT_COUNTED, SetCertificate, SetOutcomes, SetState

from ._delay import fitting_rows, singles
from ._running_sets import (
    RunningSets,
    check_errors,
    check_state,
    chosen_labels,
    label_array,
    nonconformity_of,
    nonconformity_of_rows,
)

MAX_RATE = 0.999
MAX_STEP = 100.0


class AdaptiveSets:
    """Sets of labels that lack the right one at a promised rate, on every sequence of examples.

    A set has the labels that conform to the example at least as well as most of the latest labels did, before they were
    learned: the nonconformity of a label is the largest score of the other labels minus its own. How many "most" are
    is a level that moves up by ``step * error_rate`` after each example, and down by ``step`` after an error [1]_. The
    share of sets that lack the label is then within ``certificate_.bound``, about 1 / (step * rounds), of
    ``error_rate``, whatever the learner and the stream. If a set does not have exactly one label, the learner abstains:
    several labels are possible, or none is.

    An example is not counted if its label was seen for the first time, or if fewer than two labels were known before:
    no set could have been right or wrong about it. An example counts once, whatever its weight, unless that is 0. Calls
    of several threads must not overlap.

    Parameters
    ----------
    learner : online learner
        The learner, which ``learn_one`` and ``partial_fit`` teach. It should not learn elsewhere.
    error_rate : float, default=0.1
        The share of sets that may lack the label; between 0 and 1.
    step : float, default=0.01
        How far an error moves the level. The larger, the sooner the share is near the rate, and the more the sizes of
        the sets vary.
    start : float, default=None
        The first level, from 0 to 1; None for ``error_rate``.
    window : int, default=1000
        The number of latest examples that a set is compared with.

    Attributes
    ----------
    certificate_ : SetCertificate
        The numbers of sets and errors, and the bound on the share of errors.
    level_ : float
        The present level: below 0 sets have all labels, and above 1 none.
    skipped_ : int
        Number of examples that are not counted.

    See Also
    --------
    progressive : Progressive evaluation, whose records have the counts of the sets.

    References
    ----------
    .. [1] Gibbs and Candes (2021), Adaptive conformal inference under distribution shift.

    Examples
    --------
    >>> import novikoff as nk
    >>> sets = nk.evaluate.AdaptiveSets(nk.Perceptron(), error_rate=0.2)
    >>> for t in range(400):
    ...     sets.learn_one({"x": (-1.0) ** t + t % 3 / 2}, "even" if t % 2 == 0 else "odd")
    >>> sets.predict_set_one({"x": 2.0}), sets.predict_set_one({"x": 0.5})
    (('even',), ())
    >>> sets.certificate_.rounds, abs(sets.certificate_.error_share - 0.2) <= sets.certificate_.bound
    (398, True)
    """

    def __init__(
        self,
        learner: Any,
        error_rate: float = 0.1,
        *,
        step: float = 0.01,
        start: float | None = None,
        window: int = 1000,
    ) -> None:
        where = type(self).__name__
        if not all(hasattr(learner, name) for name in ("learn_one", "score_one", "predict_one")):
            raise input_error(where, f"learner must be an online learner, but it is {quote(learner)}.")
        self.learner = learner
        self.error_rate = check_number(where, "error_rate", error_rate, above=0, at_most=MAX_RATE)
        self.step = check_number(where, "step", step, above=0, at_most=MAX_STEP)
        self.start = self.error_rate if start is None else check_number(where, "start", start, at_most=1)
        if self.start < 0:
            raise input_error(where, f"start must be from 0 to 1, but it is {quote(start)}.")
        self.window = check_integer(where, "window", window, at_least=1)
        none = SetCertificate(self.error_rate, self.step, self.start, 0, 0, 0, 0, 0)
        self._sets = RunningSets(SetState(none, self.window, 0, ()))

    def __repr__(self) -> str:
        parameters = f"error_rate={self.error_rate}, step={self.step}, start={self.start}, window={self.window}"
        return f"{type(self).__name__}({self.learner!r}, {parameters})"

    # ---- results ---------------------------------------------------------------------------------------------------

    @property
    def certificate_(self) -> SetCertificate:
        """The numbers of sets and errors, and the bound on the share of errors."""
        return self._sets.certificate

    @property
    def level_(self) -> float:
        """The present level: below 0 sets have all labels, and above 1 none."""
        return self._sets.level

    @property
    def skipped_(self) -> int:
        """Number of examples that are not counted."""
        return self._sets.skipped

    @property
    def state_(self) -> SetState:
        """All that the sets have learned, which ``save`` saves with the learner."""
        return self._sets.state

    # ---- predictions -----------------------------------------------------------------------------------------------

    def predict_set_one(self, x: Any) -> tuple[Any, ...]:
        """Return the set of labels of one example.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.

        Returns
        -------
        labels : tuple
            The labels in ascending order: all of them, some, or none. While fewer than two are known, all of them.
        """
        labels, values = self._nonconformity(x)
        limit = self._sets.limit()
        return tuple(label for label, value in zip(labels, values, strict=True) if value <= limit)

    def predict_sets(self, X: Any) -> list[tuple[Any, ...]]:
        """Return the sets of labels of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        sets : list of tuple
            What ``predict_set_one`` would return for each row.
        """
        decisions, labels, limit = self.learner.decision_function(X), self.learner.classes_.tolist(), self._sets.limit()
        if len(labels) < 2:
            return [tuple(labels)] * len(decisions)
        rows = nonconformity_of_rows(decisions)
        return [tuple(labels[place] for place, value in enumerate(row) if value <= limit) for row in rows]

    def nonconformity_one(self, x: Any) -> dict[Any, float]:
        """Return how little each label conforms to one example.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.

        Returns
        -------
        nonconformity : dict
            The largest score of the other labels minus that of the label; of two labels, minus the score for the last,
            and the score for the first. Empty while fewer than two labels are known.
        """
        labels, values = self._nonconformity(x)
        return dict(zip(labels, values, strict=True)) if len(labels) > 1 else {}

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one example, as the learner does.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features.

        Returns
        -------
        label : object
            The label; None if no label was seen before.
        """
        return self.learner.predict_one(x)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of rows, as the learner does.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The labels.
        """
        labels: NDArray[Any] = self.learner.predict(X)
        return labels

    # ---- learning --------------------------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, sample_weight: float = 1.0) -> None:
        """Count whether the set of one example has its label, then learn from the example.

        Parameters
        ----------
        x : dict, array-like of shape (n_features,) or sparse matrix of one row
            The features: values by name, or a row of numbers.
        y : label
            Its label.
        sample_weight : float, default=1.0
            Its weight.
        """
        labels, values = self._nonconformity(x)
        if sample_weight == 1.0:
            self.learner.learn_one(x, y)
        else:
            self.learner.learn_one(x, y, sample_weight)
            if sample_weight == 0:
                return
        self._count(labels, values, y)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a batch of a stream, row by row. How a stream is cut into batches makes no difference.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features), Scan or Batch
            Rows; or a stream that ``novikoff.scan`` opened, or one of its batches, which have their own labels and
            weights.
        y : array-like of shape (n_samples,), default=None
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, as in ``partial_fit`` of the learner.

        Returns
        -------
        self : object
            The sets.
        """
        for part in X.widening() if isinstance(X, Scan) else [X]:
            self.sets_then_learn(part, y, sample_weight)
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
            Weights, as in ``partial_fit``.

        Returns
        -------
        predictions : ndarray of shape (n_samples,)
            What ``predict_one`` would have returned for each row.
        """
        return self.sets_then_learn(X, y, sample_weight).predictions

    def sets_then_learn(self, X: Any, y: Any = None, sample_weight: Any = None) -> SetOutcomes:
        """Predict each row, count whether its set has the label, then learn from it.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features) or Batch
            Rows, or a batch of a stream.
        y : array-like of shape (n_samples,), default=None
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, as in ``partial_fit``.

        Returns
        -------
        SetOutcomes
            The predictions, the sizes of the sets, and their errors.
        """
        if not hasattr(self.learner, "score_then_learn"):
            return self._one_by_one(X, y, sample_weight)
        runs = self.learner.score_then_learn(X, y, sample_weight)
        own = (X.y, X.weights) if isinstance(X, Batch) else (y, sample_weight)
        given, weights = np.asarray(own[0]).tolist(), None if own[1] is None else np.asarray(own[1]).tolist()
        predictions: list[Any] = []
        sizes, errors = np.full(len(given), NOT_COUNTED, dtype=np.int64), np.zeros(len(given), dtype=bool)
        for labels, decisions in runs:
            rows = [[]] * len(decisions) if len(labels) < 2 else nonconformity_of_rows(decisions)
            for values, prediction in zip(rows, chosen_labels(labels, decisions), strict=True):
                place = len(predictions)
                predictions.append(prediction)
                if weights is None or weights[place] != 0:
                    sizes[place], errors[place] = self._count(labels, values, given[place])
        return SetOutcomes(label_array(predictions), sizes, errors)

    def _one_by_one(self, X: Any, y: Any, sample_weight: Any) -> SetOutcomes:
        """Do the same with a learner that has no ``score_then_learn``."""
        if not isinstance(X, Batch):
            X = (X, y) if sample_weight is None else (X, y, sample_weight)
        predictions, found = [], []
        for single in singles(X):
            row = fitting_rows(self.learner, single.x)
            try:
                labels, values = self._nonconformity(row)
                prediction = self.learner.predict_one(row)
            except NotFittedError:
                labels, values, prediction = [], [], None
            label, weight = np.array([single.label]), np.array(single.weight) if single.weight else None
            if isinstance(X, Batch):
                self.learner.partial_fit(Batch(single.x, label, weight, **vars(X)))
            else:
                self.learner.partial_fit(single.x, label, **({} if weight is None else {"sample_weight": weight}))
            is_counted = not single.weight or single.weight[0] != 0
            predictions.append(prediction)
            found.append(self._count(labels, values, single.label) if is_counted else (NOT_COUNTED, False))
        sizes, errors = np.array(found).T if found else (np.zeros(0), np.zeros(0))
        return SetOutcomes(label_array(predictions), sizes.astype(np.int64), errors.astype(bool))

    def _nonconformity(self, x: Any) -> tuple[list[Any], Sequence[float]]:
        """Return the known labels, and how little each of them conforms; while there is one, below all limits."""
        score = self.learner.score_one(x)
        if isinstance(score, Mapping):
            return list(score), nonconformity_of(score)
        labels = self.learner.classes_.tolist() if hasattr(self.learner, "classes_") else []
        return labels, nonconformity_of(score) if len(labels) > 1 else [-np.inf] * len(labels)

    def _count(self, labels: list[Any], values: Sequence[float], y: Any) -> tuple[int, bool]:
        """Count a set, and return its size and whether it lacks the label; (-1, False) if it is not counted."""
        if len(labels) < 2 or y not in labels:
            self._sets.skipped += 1
            return NOT_COUNTED, False
        return self._sets.add_round(values, labels.index(y))

    # ---- files -----------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the learner and the sets in one model file, which ``novikoff.load`` reads as the learner alone.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        model_file.save_position(self.learner, path, None, sets=self.state_)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a learner and its sets, which go on as the saved ones would.

        Parameters
        ----------
        path : str or path-like
            A file that ``save`` or ``novikoff stream --error-rate`` wrote.

        Returns
        -------
        AdaptiveSets
            The sets, with the learner.
        """
        stored = model_file.load_stream(path)
        if stored.sets is None:
            raise input_error(str(path), "the model has no adaptive sets. Load it with novikoff.load.")
        return cls.from_state(stored.model, stored.sets)

    @classmethod
    def from_state(cls, learner: Any, state: SetState) -> Self:
        """Return sets that go on from a state.

        Parameters
        ----------
        learner : online learner
            The learner, as it was then.
        state : SetState
            ``state_`` of other sets.

        Returns
        -------
        AdaptiveSets
            The sets.
        """
        where = f"{cls.__name__}.from_state"
        check_state(where, state)
        counts = state.certificate
        sets = cls(learner, counts.error_rate, step=counts.step, start=counts.start, window=state.window)
        check_errors(where, counts)  # which needs possible parameters
        sets._sets = RunningSets(state)
        return sets
