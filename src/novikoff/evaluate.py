"""Progressive evaluation: predict, then learn, and count honestly."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ._validation import check_integer


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

    ``mistakes`` lists the numbers of the examples that were predicted wrongly, counted from 1.
    """

    def __init__(self, model: Learner, stream: Iterable[Any], every: int | None) -> None:
        self.mistakes = array("q")
        self.examples = 0
        self._model, self._stream, self._every = model, stream, every
        self._seen: Counter[Any] = Counter()
        self._right: Counter[Any] = Counter()
        self._next = every or 1
        self._last = (0, 0)

    def __iter__(self) -> Iterator[Record]:
        latest: tuple[Any, Any] = (None, None)
        for example in self._stream:
            for latest in self._predict_then_learn(*example):
                self._count(*latest)
                if self.examples == self._next:
                    self._next += self._every or self._next
                    yield self._record(*latest)
        if self.examples > self._last[0]:
            yield self._record(*latest)

    def _predict_then_learn(self, x: Any, y: Any, *weight: Any) -> Iterator[tuple[Any, Any]]:
        """Yield label and prediction of one example, or of each row of a batch, which is predicted as a whole."""
        if np.ndim(y) == 0:
            prediction = self._model.predict_one(x)
            self._model.learn_one(x, y, *weight)
            yield y, prediction
            return
        labels = np.asarray(y).tolist()
        fitted = not hasattr(self._model, "__sklearn_is_fitted__") or self._model.__sklearn_is_fitted__()
        predictions = self._model.predict(x).tolist() if fitted and len(labels) else [None] * len(labels)
        weights = {"sample_weight": weight[0]} if weight else {}
        self._model.partial_fit(x, y, **weights)
        yield from zip(labels, predictions, strict=True)

    def _count(self, label: Any, prediction: Any) -> None:
        self.examples += 1
        self._seen[label] += 1
        if prediction == label and prediction is not None:
            self._right[label] += 1
        else:
            self.mistakes.append(self.examples)

    def _record(self, label: Any, prediction: Any) -> Record:
        examples, mistakes = self.examples, len(self.mistakes)
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


def progressive(model: Learner, stream: Iterable[Any], *, every: int | None = None) -> Progress:
    """Predict each example of a stream, then learn from it, and report on the way.

    Parameters
    ----------
    model : an online learner; it learns as the result is iterated over
    stream : an iterable of ``(x, y)`` or ``(x, y, weight)``, where y is one label and x one example, or y several
        labels and x as many rows. Such a batch is predicted as a whole before it is learned.
    every : a record after this many examples; by default after 1, 2, 4, 8, ... of them. The last example has one, too.

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
    return Progress(model, stream, every)
