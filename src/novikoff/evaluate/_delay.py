"""Labels that come late: each example is predicted at once, and learned some examples later.

The weights that serve a prediction are then older than those that its label corrects. Two counts differ: the wrong
predictions that were served, and those that the learner would make when it learns the example. The mistake bounds of
learners bound the second; docs/theory.md, P2, bounds the first by the updates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff._estimators import NotFittedError
from novikoff._validation import describe_bad_row
from novikoff.data.batch import Batch
from novikoff.data.late import late_order, rows_at, stacked_rows
from novikoff.data.late_rows import LateRows
from novikoff.data.reading import fitting
from novikoff.errors import input_error
from novikoff.record import RunRecord


class Prediction(NamedTuple):
    """A prediction that was served, its true label, and the labels that were learned directly after it."""

    label: Any
    prediction: Any
    learned: Sequence[Any]


@runtime_checkable
class RowByRow(Protocol):
    """A learner that predicts and learns the rows of a batch one after the other."""

    def predict_then_learn(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[Any]:
        """Predict each row, then learn from it; return the predictions."""


@dataclass
class _Example:
    """An example that waits for its label."""

    x: Any
    label: Any
    weight: tuple[Any, ...]
    batch: Any = None  # the batch that the row is from; None for a single example


@dataclass
class _Rows:
    """Rows that wait for their labels, in one matrix."""

    X: Any = None
    labels: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    weights: NDArray[np.float64] | None = None
    batch: Any = None  # the latest batch

    def __len__(self) -> int:
        return len(self.labels)


class Delayed:
    """Predictions that are served at once, and learned ``delay`` examples later.

    Parameters
    ----------
    model : Learner
        The online learner.
    delay : int
        Number of further examples that are predicted before the label of an example is learned.
    unlearned : LateRows or None, default=None
        Rows that were predicted before, and are learned first.

    Attributes
    ----------
    mistakes_at_learning : int
        Number of examples whose prediction just before they were learned was wrong.
    learned : int
        Number of labels that were learned.
    labels_before : frozenset
        The labels of the rows that were predicted before.
    updates_before : int or None
        Number of updates of the learner at the beginning; None if predictions change also without updates.
    is_finished : bool
        Whether all labels are learned.
    """

    def __init__(self, model: Any, delay: int, unlearned: LateRows | None = None) -> None:
        self._model, self.delay = model, delay
        self.updates_before = _updates_of(model)
        self._waiting: deque[_Example] = deque()
        self._rows = _Rows()
        self.mistakes_at_learning = self.learned = 0
        self.labels_before: frozenset[Any] = frozenset()
        self.is_finished = False
        if unlearned is not None:
            labels = unlearned.label_array()
            if len(unlearned) > delay:
                raise input_error("progressive", "unlearned must be from an evaluation of this model with this delay.")
            self._rows = _Rows(unlearned.rows(), labels, unlearned.weights)
            self.labels_before = frozenset(labels.tolist())

    def run(self, stream: Iterable[Any]) -> Iterator[Prediction]:
        """Return each example with its prediction, and the labels that were learned after it."""
        for batch in stream:
            if np.ndim(batch[1]) > 0 and not self._waiting and isinstance(self._model, RowByRow):
                yield from self._run_rows(batch)
                continue
            self._take_apart()
            for example in singles(batch):
                prediction = self._predict(example)
                self._waiting.append(example)
                learned = [self._learn() for _ in range(len(self._waiting) > self.delay)]
                yield Prediction(example.label, prediction, learned)

    def finish(self) -> None:
        """Learn the labels that are still missing at the end of the stream."""
        while self._waiting:
            self._learn()
        if len(self._rows):
            self.mistakes_at_learning += sum(self._serve_then_learn(0, len(self._rows))[1])
        self.is_finished = True

    def unlearned(self) -> LateRows | None:
        """Return the rows that wait for their labels; None if there are none."""
        own = self._rows
        if self._waiting:
            raise input_error("unlearned", "single examples cannot be stored. Give the examples in batches.")
        if not len(own):
            return None
        return LateRows.of(own.X, own.labels, own.weights)

    def updates(self) -> int | None:
        """Return the number of updates since the beginning; None if predictions change also without updates."""
        found = _updates_of(self._model)
        return None if found is None or self.updates_before is None else found - self.updates_before

    # ---- all rows of a batch -----------------------------------------------------------------------------------------

    def _run_rows(self, batch: Any) -> Iterator[Prediction]:
        """Serve the rows of a batch, and learn those whose time has come; as one by one, and in one call."""
        waiting = len(self._rows)
        labels = self._join(batch)
        rows = len(self._rows)
        first = min(rows, max(waiting, self.delay))  # from here on, a label is learned after each prediction
        if first > waiting:
            served = self._serve_rows(rows_at(self._rows.X, np.arange(waiting, first)))
            yield from (Prediction(*own, ()) for own in zip(labels, served, strict=False))
        if rows > first:
            learned = self._rows.labels[: rows - first].tolist()
            served, is_wrong = self._serve_then_learn(rows - first, rows - first)
            for label, own, known, wrong in zip(labels[first - waiting :], served, learned, is_wrong, strict=True):
                self.mistakes_at_learning += wrong
                yield Prediction(label, own, (known,))

    def _join(self, batch: Any) -> list[Any]:
        """Add the rows of a batch to those that wait, and return their labels."""
        X, y, *others = batch
        before, labels = self._rows, np.asarray(y)
        weights = None if not others or others[0] is None else np.asarray(others[0], dtype=np.float64)
        X = X.tocsr() if sp.issparse(X) else np.asarray(X)
        _check_finite(type(self._model).__name__, X)
        if len(before):
            X = stacked_rows(before.X, X)
            own = np.ones(len(labels)) if weights is None else weights * np.ones(len(labels))
            if weights is not None or before.weights is not None:
                weights = np.append(np.ones(len(before)) if before.weights is None else before.weights, own)
            same = before.labels.dtype.kind == labels.dtype.kind
            every = [part if same else part.astype(object) for part in (before.labels, labels)]
        else:
            every = [labels]
        self._rows = _Rows(X, np.concatenate(every), weights, batch)
        found: list[Any] = labels.tolist()
        return found

    def _serve_rows(self, X: Any) -> list[Any]:
        """Return the labels that are served for rows by the weights of now."""
        X = fitting_rows(self._model, X)
        try:
            found: list[Any] = self._model.predict(X).tolist()
        except NotFittedError:
            return [None] * X.shape[0]
        return found

    def _serve_then_learn(self, new: int, labels: int) -> tuple[list[Any], list[bool]]:
        """Learn the first rows, one after each of the new ones, which are the last, is served.

        Return what is served, and whether what would have been predicted for the first rows at learning is wrong.
        """
        own, count = self._rows, len(self._rows)
        weights = None if own.weights is None else own.weights[:labels]
        if own.batch is None:  # all rows are from an earlier evaluation
            own.X = fitting_rows(self._model, own.X)
        found, tried = self._predict_then_learn(new, labels, weights)
        is_wrong = np.asarray(tried != own.labels[:labels], dtype=bool).tolist()
        self.learned += labels
        kept = None if own.weights is None else own.weights[labels:]
        self._rows = _Rows(rows_at(own.X, np.arange(labels, count)), own.labels[labels:], kept, own.batch)
        return found, is_wrong

    def _predict_then_learn(self, new: int, labels: int, weights: Any) -> tuple[list[Any], NDArray[Any]]:
        """Serve and learn in one call: a row of weight 0 is predicted, no more."""
        own, count = self._rows, len(self._rows)
        order, is_learned = late_order(count - new, count, labels)
        found = self._serve_rows(rows_at(own.X, order[:1])) if new else []  # a new learner would take it for the first
        order, is_learned = order[len(found) :], is_learned[len(found) :]
        amounts = is_learned.astype(np.float64)
        if weights is not None:
            amounts[is_learned] = weights
        places = np.where(is_learned, order, np.append(order[1:], 0))  # of a label that is learned next
        given = (rows_at(own.X, order), own.labels[places], amounts)
        predictions = np.asarray(self._call(self._model.predict_then_learn, given))
        return found + predictions[~is_learned].tolist(), predictions[is_learned]

    def _call(self, method: Any, given: tuple[Any, Any, Any]) -> Any:
        """Call a method with rows, labels and weights, which are a batch if the rows of the stream are."""
        batch = self._rows.batch
        return method(Batch(*given, **vars(batch))) if isinstance(batch, Batch) else method(*given)

    # ---- one example after the other ---------------------------------------------------------------------------------

    def _take_apart(self) -> None:
        """Make single examples of rows that wait, because the next example is a single one."""
        own = self._rows
        for i, label in enumerate(own.labels.tolist()):
            weight = () if own.weights is None else (own.weights[i],)
            self._waiting.append(_Example(own.X[i : i + 1], label, weight, own.batch))
        self._rows = _Rows()

    def _learn(self) -> Any:
        example, model = self._waiting.popleft(), self._model
        self.learned += 1
        prediction = self._predict(example)
        self.mistakes_at_learning += not (prediction is not None and bool(prediction == example.label))
        if example.batch is None:
            model.learn_one(example.x, example.label, *example.weight)
            return example.label
        weights = np.array(example.weight) if example.weight else None
        rows: tuple[Any, ...] = (example.x, np.array([example.label]), weights)
        if isinstance(example.batch, Batch):
            rows = (Batch(*rows, **vars(example.batch)),)
        if len(rows) == 1:
            model.partial_fit(*rows)
        else:
            model.partial_fit(*rows[:2], **({} if weights is None else {"sample_weight": weights}))
        return example.label

    def _predict(self, example: _Example) -> Any:
        if example.batch is None:
            return self._model.predict_one(example.x)
        try:
            return self._model.predict(fitting_rows(self._model, example.x)).tolist()[0]
        except NotFittedError:
            return None


def _check_finite(where: str, X: Any) -> None:
    """Refuse rows that are not finite, by their numbers in the batch; they are learned among others."""
    values = X.data if sp.issparse(X) else X
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    bad = int(np.flatnonzero(~np.isfinite(values))[0])
    raise describe_bad_row(
        where, X, int(np.searchsorted(X.indptr, bad, "right")) - 1 if sp.issparse(X) else bad // X.shape[1]
    )


def _updates_of(model: Any) -> int | None:
    """Return the updates of a learner in all its problems; None if its predictions change also without updates."""
    record: RunRecord | None = getattr(model, "record_", None)
    if record is None:
        return 0 if isinstance(model, RowByRow) else None
    return record.updates if record.changes_only_by_updates else None


def fitting_rows(model: Any, X: Any) -> Any:
    """Return sparse rows as wide as a model: a column that is new has a weight of 0."""
    width = int(getattr(model, "n_features_in_", X.shape[1]))
    return fitting("progressive", X, width)[0] if sp.issparse(X) and X.shape[1] != width else X


def singles(batch: Any) -> Iterator[_Example]:
    """Return the examples of a batch one by one; its rows remain rows of a matrix."""
    x, y, *weight = batch
    if np.ndim(y) == 0:
        yield _Example(x, y, tuple(weight))
        return
    rows = x.tocsr() if sp.issparse(x) else np.asarray(x)
    for i, label in enumerate(np.asarray(y).tolist()):
        own = tuple(np.asarray(part)[i] for part in weight if part is not None)
        yield _Example(rows[i : i + 1], label, own, batch)
