"""Progressive evaluation: predict, then learn, and count honestly."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from novikoff._validation import check_integer, check_labels, check_weights
from novikoff.data.batch import Batch
from novikoff.data.stream import Scan
from novikoff.errors import invalid


class Learner(Protocol):
    """What can be evaluated progressively."""

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn from one example."""

    def predict_one(self, x: Any) -> Any:
        """Predict one example."""

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Learn from a batch."""

    def predict(self, X: Any) -> Any:
        """Predict a batch."""


@runtime_checkable
class RowByRow(Protocol):
    """What predicts and learns the rows of a batch one after the other."""

    def predict_then_learn(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[Any]:
        """Predict each row, then learn from it."""


@dataclass(frozen=True)
class Record:
    """How things stand after some number of examples."""

    examples: int
    mistakes: int
    accuracy: float
    balanced_accuracy: float  # the mean, over the labels seen, of the share of each that was right
    examples_since: int  # since the record before
    mistakes_since: int
    label: Any  # of the latest example
    prediction: Any  # made before that label was seen; None while there was nothing to go by

    @property
    def loss(self) -> float:
        """The share of mistakes so far."""
        return self.mistakes / self.examples

    @property
    def loss_since(self) -> float:
        """The share of mistakes since the record before."""
        return self.mistakes_since / self.examples_since


class Progress:
    """A run of predictions and updates; iterate over it for its records.

    ``mistakes`` lists the numbers of the examples that were predicted wrongly, counted from 1, unless nobody asked for
    the list; ``wrong`` counts them.
    """

    def __init__(self, model: Learner, stream: Iterable[Any], every: int | None, list_mistakes: bool) -> None:
        self.mistakes = array("q")
        self.examples = self.wrong = 0
        self._list = list_mistakes
        self._model, self._stream, self._every = model, stream, every
        self._seen: Counter[Any] = Counter()
        self._right: Counter[Any] = Counter()
        self._next = every or 1
        self._last = (0, 0)
        self._latest: tuple[Any, Any] = (None, None)

    def __iter__(self) -> Iterator[Record]:
        may_widen = isinstance(self._model, RowByRow)
        stream = self._stream.widening() if isinstance(self._stream, Scan) and may_widen else self._stream
        for example in stream:
            x, y, *weight = example
            if np.ndim(y) > 0:
                yield from self._count(np.asarray(y), self._predict_batch(example, *weight))
                continue
            prediction = self._model.predict_one(x)
            self._model.learn_one(x, y, *weight)
            yield from self._count_one(y, prediction)
        if self.examples > self._last[0]:
            yield self._record()

    def _predict_batch(self, batch: Any, weights: Any = None) -> NDArray[Any]:
        """Predict and learn the rows of a batch one after the other, if the model can; otherwise as a whole."""
        X, y, model = batch[0], batch[1], self._model
        if isinstance(model, RowByRow):
            return (
                model.predict_then_learn(batch) if isinstance(batch, Batch) else model.predict_then_learn(X, y, weights)
            )
        try:
            predictions = model.predict(X)
        except NotFittedError:  # nothing to go by yet
            predictions = np.full(len(y), None)
        model.partial_fit(X, y, **({} if weights is None else {"sample_weight": weights}))
        return np.asarray(predictions)

    def _count_one(self, label: Any, prediction: Any) -> Iterator[Record]:
        self.examples += 1
        self._seen[label] += 1
        self._latest = (label, prediction)
        if prediction == label and prediction is not None:
            self._right[label] += 1
        else:
            self._note(np.array([self.examples]))
        if self.examples == self._next:
            self._next += self._every or self._next
            yield self._record()

    def _count(self, labels: NDArray[Any], predictions: NDArray[Any]) -> Iterator[Record]:
        """Count the examples, and stop at each that asks for a record."""
        begin = 0
        while begin < len(labels):
            end = min(len(labels), begin + self._next - self.examples)
            part, answers = labels[begin:end], predictions[begin:end]
            right = np.asarray(part == answers, dtype=bool)
            for count, seen in ((self._seen, part), (self._right, part[right])):
                count.update(
                    dict(zip(*(values.tolist() for values in np.unique(seen, return_counts=True)), strict=True))
                )
            self._note(np.flatnonzero(~right) + self.examples + 1)
            self.examples += end - begin
            self._latest = (part[-1:].tolist()[0], answers[-1:].tolist()[0])
            begin = end
            if self.examples == self._next:
                self._next += self._every or self._next
                yield self._record()

    def _note(self, numbers: NDArray[np.int64]) -> None:
        self.wrong += len(numbers)
        if self._list:
            self.mistakes.frombytes(numbers.astype(np.int64).tobytes())

    def _record(self) -> Record:
        label, prediction = self._latest
        examples, mistakes = self.examples, self.wrong
        before, self._last = self._last, (examples, mistakes)
        shares = [self._right[seen] / count for seen, count in self._seen.items()]
        return Record(
            examples=examples,
            mistakes=mistakes,
            accuracy=1 - mistakes / examples,
            balanced_accuracy=sum(shares) / len(shares),
            examples_since=examples - before[0],
            mistakes_since=mistakes - before[1],
            label=label,
            prediction=prediction,
        )


def progressive(
    model: Learner, stream: Iterable[Any], *, every: int | None = None, list_mistakes: bool = True
) -> Progress:
    """Predict each example of a stream, then learn from it, and report on the way.

    Parameters
    ----------
    model : an online learner; it learns as the result is iterated over
    stream : what ``novikoff.scan`` opened, or any iterable of ``(x, y)`` or ``(x, y, weight)``, where y is one label
        and x one example, or y several labels and x as many rows. The rows of such a batch are predicted and learned
        one after the other; a model without ``predict_then_learn`` predicts the batch as a whole before it learns it.
    every : a record after this many examples; by default after 1, 2, 4, 8, ... of them. The last example has one, too.

    list_mistakes : keep the numbers of all examples that were predicted wrongly; without it, memory stays bounded

    Returns
    -------
    Progress
        An iterable of ``Record``.

    Examples
    --------
    >>> import novikoff as nk
    >>> stream = [({"sunny": 1.0}, "out"), ({"rain": 1.0}, "in"), ({"sunny": 1.0}, "out"), ({"rain": 1.0}, "in")]
    >>> for record in nk.evaluate.progressive(nk.Perceptron(fit_intercept=False), stream):
    ...     print(record.examples, record.mistakes, record.accuracy)
    1 1 0.0
    2 2 0.0
    4 2 0.5
    """
    if every is not None:
        check_integer("progressive", "every", every, at_least=1)
    return Progress(model, stream, every, list_mistakes)


@dataclass(frozen=True)
class Scores:
    """How good predictions are.

    ``confusion[i, j]`` is the weight of the rows of ``labels[i]`` that were called ``labels[j]``. ``roc_auc`` and
    ``average_precision`` are those of the positive class, the last of two; None for more classes, and where the rows
    have one class only.
    """

    rows: int
    accuracy: float
    balanced_accuracy: float
    labels: NDArray[Any]
    confusion: NDArray[np.float64]
    roc_auc: float | None
    average_precision: float | None


def scores(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Scores:
    """Predict rows whose labels are known, and say how good that was.

    Parameters
    ----------
    model : a fitted classifier
    X, y : rows and their labels; a label that the model never met counts as a mistake
    sample_weight : how much each row counts

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> found = nk.evaluate.scores(nk.LinearSVM().fit(X, y), X, y)
    >>> found.accuracy, found.roc_auc
    (1.0, 1.0)
    """
    from sklearn.metrics import average_precision_score, roc_auc_score  # slow to import

    where = "scores"
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
        decisions = model.decision_function(X)
    if not np.isfinite(decisions).all():
        raise invalid(where, "Rows whose scores are finite (scale X).", "some that overflow")
    predictions = _chosen(model, decisions)
    labels = check_labels(where, y, len(predictions))
    weights = check_weights(where, sample_weight, len(labels))
    if weights is not None and not weights.any():
        raise invalid(where, "At least one row with a weight above 0.", "none")
    confusion, names = confusion_of(where, labels, predictions, weights)
    roc_auc = average_precision = None
    if len(model.classes_) == 2:
        positive = labels == model.classes_[1]
        if positive.any() and not positive.all():
            with np.errstate(over="ignore"):  # differences of scores; that they are not 0 is all that counts
                roc_auc = float(roc_auc_score(positive, decisions, sample_weight=weights))
                average_precision = float(average_precision_score(positive, decisions, sample_weight=weights))
    of_class = confusion.sum(axis=1)
    present = of_class > 0
    return Scores(
        rows=len(labels),
        accuracy=float(np.trace(confusion) / confusion.sum()),
        balanced_accuracy=float(np.mean(np.diag(confusion)[present] / of_class[present])),
        labels=names,
        confusion=confusion,
        roc_auc=roc_auc,
        average_precision=average_precision,
    )


def confusion_of(
    where: str, labels: NDArray[Any], predictions: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the weight of the rows of each label, by row, that got each prediction, by column; and the labels."""
    if labels.dtype.kind != predictions.dtype.kind and "U" in (labels.dtype.kind, predictions.dtype.kind):
        need = f"Labels like those of the model, such as {predictions[0]!r}."
        raise invalid(where, need, f"labels such as {labels[0]!r}")
    names, codes = np.unique(np.concatenate([labels, predictions]), return_inverse=True)
    truth, answer = codes[: len(labels)], codes[len(labels) :]
    counts = np.bincount(truth * len(names) + answer, weights, minlength=len(names) ** 2)
    return counts.reshape(len(names), len(names)).astype(np.float64), names


def _chosen(model: Any, decisions: NDArray[np.float64]) -> NDArray[Any]:
    """The predictions that go with scores: a score of 0 goes to the last of two classes; a stream may have met one."""
    codes = (decisions >= 0).astype(np.intp) if decisions.ndim == 1 else decisions.argmax(axis=1)
    labels: NDArray[Any] = model.classes_[np.minimum(codes, len(model.classes_) - 1)]
    return labels
