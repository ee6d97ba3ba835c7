"""Labels that come late: each example is predicted at once, and learned some examples later.

The weights that serve a prediction are then older than those that its label corrects. Two counts differ: the wrong
predictions that were served, and those that the learner would make when it learns the example. The mistake bounds of
the certificates speak of the second; docs/theory.md, P2, bounds the first by the updates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff._estimators import NotFittedError
from novikoff.data.batch import Batch
from novikoff.data.reading import fitting


@dataclass
class Served:
    """An example, and its prediction by the weights of the time when it came."""

    x: Any
    label: Any
    weight: tuple[Any, ...]
    prediction: Any
    batch: Any = None  # the batch that the row is from; None for a single example


class Delayed:
    """Predictions that are served at once, and learned ``delay`` examples later.

    Parameters
    ----------
    model : Learner
        The online learner.
    delay : int
        Number of further examples that are predicted before the label of an example is learned.

    Attributes
    ----------
    mistakes_at_learning : int
        Number of examples whose prediction just before they were learned was wrong.
    """

    def __init__(self, model: Any, delay: int) -> None:
        self._model, self._delay = model, delay
        self._waiting: deque[Served] = deque()
        self.mistakes_at_learning = 0

    def run(self, stream: Iterable[Any]) -> Iterator[tuple[Served, list[Any]]]:
        """Return each example with its prediction, and the labels that were learned after it."""
        for example in _singles(stream):
            example.prediction = self._predict(example)
            self._waiting.append(example)
            yield example, [self._learn() for _ in range(len(self._waiting) > self._delay)]

    def finish(self) -> None:
        """Learn the labels that are still missing at the end of the stream."""
        while self._waiting:
            self._learn()

    def _learn(self) -> Any:
        example, model = self._waiting.popleft(), self._model
        prediction = self._predict(example)
        self.mistakes_at_learning += not (prediction is not None and bool(prediction == example.label))
        if example.batch is None:
            model.learn_one(example.x, example.label, *example.weight)
        elif isinstance(example.batch, Batch):
            weights = np.array(example.weight) if example.weight else None
            model.partial_fit(Batch(example.x, np.array([example.label]), weights, **vars(example.batch)))
        else:
            given = {"sample_weight": list(example.weight)} if example.weight else {}
            model.partial_fit(example.x, np.array([example.label]), **given)
        return example.label

    def _predict(self, example: Served) -> Any:
        if example.batch is None:
            return self._model.predict_one(example.x)
        x = example.x
        try:
            width = int(getattr(self._model, "n_features_in_", x.shape[1]))
            if sp.issparse(x) and x.shape[1] != width:  # a column that is new has a weight of 0
                x = fitting("progressive", x, width)[0]
            return self._model.predict(x).tolist()[0]
        except NotFittedError:
            return None


def _singles(stream: Iterable[Any]) -> Iterator[Served]:
    """Return the examples of a stream one by one; the rows of a batch remain rows of a matrix."""
    for batch in stream:
        x, y, *weight = batch
        if np.ndim(y) == 0:
            yield Served(x, y, tuple(weight), None)
            continue
        rows = x.tocsr() if sp.issparse(x) else np.asarray(x)
        for i, label in enumerate(np.asarray(y).tolist()):
            own = tuple(np.asarray(part)[i] for part in weight if part is not None)
            yield Served(rows[i : i + 1], label, own, None, batch)
