"""Progressive evaluation of an online learner: predict each example, then learn from it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._estimators import NotFittedError
from novikoff._labels import encode
from novikoff._validation import check_integer
from novikoff.data.batch import Batch
from novikoff.data.late_rows import LateRows
from novikoff.data.stream import Scan
from novikoff.errors import input_error
from novikoff.theory.delay_bounds import ServedMistakes

from ._delay import Delayed, RowByRow
from ._records import Learner, Record
from ._window import Window
from .baselines import LastLabel, MostFrequent


class Progress:
    """A progressive evaluation, as ``progressive`` returns it. Iterating over it runs it and yields the records.

    Parameters
    ----------
    model : Learner
        The online learner.
    stream : iterable
        The examples.
    every : int or None
        The number of examples between two records; None for 1, 2, 4, 8, ...
    list_mistakes : bool
        Whether to keep the numbers of the mistaken examples.
    window : int or None
        The number of latest examples that each record has scores of.
    delay : int
        Number of further examples that are predicted before the label of an example is learned.
    unlearned : LateRows or None
        The rows that an earlier evaluation has predicted, and not learned.

    Attributes
    ----------
    examples : int
        Number of examples so far.
    wrong : int
        Number of wrong predictions so far.
    baseline : float
        Accuracy so far of predicting, for each example, the most frequent label of those before it.
    last_label_baseline : float
        Accuracy so far of predicting, for each example, the label of the one before it.
    mistakes : array of int
        The numbers of the examples that were predicted wrongly, counted from 1; empty if ``list_mistakes`` is False.
    learned : int
        Number of labels that were learned here so far, also those of ``unlearned``.

    Examples
    --------
    >>> import novikoff as nk
    >>> progress = nk.evaluate.progressive(nk.Perceptron(), [([1.0], "a"), ([-1.0], "b"), ([2.0], "a")])
    >>> [record.examples for record in progress], progress.mistakes.tolist()
    ([1, 2, 3], [1, 2])
    """

    def __init__(
        self,
        model: Learner,
        stream: Iterable[Any],
        every: int | None,
        list_mistakes: bool,
        window: int | None = None,
        delay: int = 0,
        unlearned: LateRows | None = None,
    ) -> None:
        self.mistakes = array("q")
        self._list = list_mistakes
        self._model, self._stream, self._every = model, stream, every
        self._seen: Counter[Any] = Counter()  # examples of each label, and those that were predicted rightly
        self._right: Counter[Any] = Counter()
        self._guess, self._last_label = MostFrequent(), LastLabel()
        self._window = None if window is None else Window(window)
        self.examples = self.wrong = 0
        self._recorded = (0, 0)  # examples and mistakes at the last record that was due
        self._delayed = Delayed(model, delay, unlearned) if delay else None
        self._learns_rest = True
        self._next = every or 1
        self._latest: tuple[Any, Any] = (None, None)

    def __iter__(self) -> Iterator[Record]:
        may_widen = isinstance(self._model, RowByRow)
        stream = self._stream.widening() if isinstance(self._stream, Scan) and may_widen else self._stream
        if self._delayed is not None:
            for served in self._delayed.run(stream):
                yield from self._count_served(*served)
            if self._learns_rest:
                self._delayed.finish()
            stream = ()
        for example in stream:
            x, y, *weight = example
            if np.ndim(y) > 0:
                yield from self._count(np.asarray(y), self._predict_batch(example, *weight))
                continue
            prediction = self._model.predict_one(x)
            self._model.learn_one(x, y, *weight)
            yield from self._count_one(y, prediction)
        if self.examples > self._recorded[0]:
            yield self.now()

    @property
    def baseline(self) -> float:
        """Accuracy so far of predicting, for each example, the most frequent label of those before it."""
        return self._guess.right / max(1, self.examples)

    @property
    def last_label_baseline(self) -> float:
        """Accuracy so far of predicting, for each example, the label of the one before it."""
        return self._last_label.right / max(1, self.examples)

    @property
    def mistakes_at_learning(self) -> int:
        """Number of examples so far whose prediction just before they were learned was wrong."""
        return self.wrong if self._delayed is None else self._delayed.mistakes_at_learning

    @property
    def learned(self) -> int:
        """Number of labels that were learned here so far, also those of ``unlearned``."""
        return self.examples if self._delayed is None else self._delayed.learned

    def unlearned(self) -> LateRows | None:
        """Return the rows that were predicted, and whose labels are not learned yet, between two batches.

        Returns
        -------
        LateRows or None
            The rows, from which ``progressive(..., unlearned=)`` goes on; None if all labels are learned.
        """
        return None if self._delayed is None else self._delayed.unlearned()

    def keep_unlearned(self) -> None:
        """Do not learn the labels that are still missing when the stream ends, so that another evaluation goes on."""
        self._learns_rest = False

    def served_mistakes(self) -> ServedMistakes | None:
        """Return what docs/theory.md P2 says about the wrong predictions that were served, after the last example.

        Returns
        -------
        ServedMistakes or None
            The counts and the bound. None without a delay, before the end, and for learners whose predictions change
            also without an update: averages, votes, running scales, learners that forget, trackers, and those of second
            order.
        """
        if self._delayed is None or not self._delayed.is_finished:
            return None
        updates = self._delayed.updates()
        if updates is None:
            return None
        labels = len(self._delayed.labels_before | self._seen.keys())
        return ServedMistakes(self.wrong, self.mistakes_at_learning, updates, labels, self._delayed.delay)

    def now(self) -> Record:
        """Return the record after the latest example, of which there is at least one, whether one is due or not.

        Returns
        -------
        Record
            The counts so far.
        """
        before = self._recorded
        record = self._record()
        self._recorded = before
        return record

    def _predict_batch(self, batch: Any, weights: Any = None) -> NDArray[Any]:
        """Predict and learn the rows one after the other if the model can, otherwise the batch as a whole."""
        X, y, model = batch[0], batch[1], self._model
        given = (batch,) if isinstance(batch, Batch) else (X, y, weights)
        if isinstance(model, RowByRow):
            return model.predict_then_learn(*given)
        try:
            predictions = model.predict(X)
        except NotFittedError:  # this is the first batch
            predictions = np.full(len(y), None)
        model.partial_fit(X, y, **({} if weights is None else {"sample_weight": weights}))
        return np.asarray(predictions)

    def _count_one(self, label: Any, prediction: Any) -> Iterator[Record]:
        self._guess.add([label])
        return self._count_prediction(label, prediction, self._last_label.add(label))

    def _count_served(self, label: Any, prediction: Any, learned: Sequence[Any]) -> Iterator[Record]:
        """Count a prediction; the guesses know only the labels that the learner knows, too."""
        self._guess.right += self._guess.guess is not None and bool(self._guess.guess == label)
        last_right = self._last_label.guess is not None and bool(self._last_label.guess == label)
        self._last_label.right += last_right
        for known in learned:
            self._guess.add_late(known)
            self._last_label.guess = known
        return self._count_prediction(label, prediction, last_right)

    def _count_prediction(self, label: Any, prediction: Any, last_right: bool) -> Iterator[Record]:
        self.examples += 1
        self._seen[label] += 1
        self._latest = (label, prediction)
        is_right = prediction is not None and bool(prediction == label)
        if is_right:
            self._right[label] += 1
        else:
            self._note(np.array([self.examples]))
        if self._window is not None:
            self._window.add([label], np.zeros(1, dtype=np.int32), np.array([is_right]), np.array([last_right]))
        if self.examples == self._next:
            self._next += self._every or self._next
            yield self._record()

    def _count(self, labels: NDArray[Any], predictions: NDArray[Any]) -> Iterator[Record]:
        """Count the examples, and yield a record wherever one is due."""
        begin, is_right = 0, np.asarray(labels == predictions, dtype=bool)
        values, codes = encode("progressive", labels)
        known, codes = self._in_order(values.tolist(), codes)
        while begin < len(labels):
            end = min(len(labels), begin + self._next - self.examples)
            part, right = codes[begin:end], is_right[begin:end]
            for count, seen in ((self._seen, part), (self._right, part[right])):
                numbers = np.bincount(seen, minlength=len(known)).tolist()
                count.update({label: number for label, number in zip(known, numbers, strict=True) if number})
            self._guess.add_many(known, part)
            last_right = self._last_label.add_many(known, part)
            if self._window is not None:
                self._window.add(known, part, right, last_right)
            self._note(np.flatnonzero(~right) + self.examples + 1)
            self.examples += end - begin
            self._latest = (labels[end - 1 : end].tolist()[0], predictions[end - 1 : end].tolist()[0])
            begin = end
            if self.examples == self._next:
                self._next += self._every or self._next
                yield self._record()

    def _in_order(self, labels: list[Any], codes: NDArray[np.int32]) -> tuple[list[Any], NDArray[np.int32]]:
        """Return the labels and codes of a batch such that new labels are in the order of their first examples.

        The order in which labels are counted, and sums over them are rounded, then does not depend on the batches.
        """
        if all(label in self._seen for label in labels):
            return labels, codes
        first = np.full(len(labels), len(codes))
        np.minimum.at(first, codes, np.arange(len(codes)))
        order = np.argsort(first, kind="stable")
        places = np.empty(len(labels), dtype=np.int32)
        places[order] = np.arange(len(labels), dtype=np.int32)
        return [labels[place] for place in order.tolist()], places[codes]

    def _note(self, numbers: NDArray[np.int64]) -> None:
        self.wrong += len(numbers)
        if self._list:
            self.mistakes.frombytes(numbers.astype(np.int64).tobytes())

    def _record(self) -> Record:
        label, prediction = self._latest
        examples, mistakes, before = self.examples, self.wrong, self._recorded
        self._recorded = (examples, mistakes)
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
            baseline=self.baseline,
            last_label_baseline=self.last_label_baseline,
            mistakes_at_learning=self.mistakes_at_learning,
            window=None if self._window is None else self._window.scores(),
        )


def progressive(
    model: Learner,
    stream: Iterable[Any],
    *,
    every: int | None = None,
    list_mistakes: bool = True,
    window: int | None = None,
    delay: int = 0,
    unlearned: LateRows | None = None,
) -> Progress:
    """Predict each example of a stream, then learn from it, and count the mistakes.

    Parameters
    ----------
    model : object
        An online learner. It learns while the result is iterated over.
    stream : iterable
        The result of ``novikoff.scan``, or an iterable of ``(x, y)`` or ``(x, y, weight)``. If y is a single label, x
        is one example. If y has several labels, x has as many rows, which are predicted and learned one after the
        other; a model without ``predict_then_learn`` predicts the whole batch before it learns it.
    every : int, default=None
        Yield a record after this many examples. By default after 1, 2, 4, 8, ... examples. There is always a record
        after the last example.
    list_mistakes : bool, default=True
        Whether to keep the numbers of all examples that were predicted wrongly. Memory is bounded only without them.
    window : int, default=None
        Give each record the scores of this many latest examples: loss, balanced accuracy, recall of each label, and
        Kappa against the last label.
    delay : int, default=0
        Number of further examples that are predicted before the label of an example is learned. Labels that are still
        missing at the end of the stream are learned then.
    unlearned : LateRows, default=None
        ``Progress.unlearned`` of an earlier evaluation of the model, with the same delay. These rows were predicted
        there, and are learned first.

    Returns
    -------
    Progress
        An iterable of ``Record``.

    Raises
    ------
    InvalidInputError
        If ``every`` or ``window`` is not a positive integer or ``delay`` is not an integer of at least 0; or if
        ``unlearned`` does not fit the model or the delay.

    See Also
    --------
    scores : Measure a fitted classifier on labelled rows.

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
    if window is not None:
        check_integer("progressive", "window", window, at_least=1)
    check_integer("progressive", "delay", delay, at_least=0)
    if unlearned is not None and not (isinstance(unlearned, LateRows) and delay):
        raise input_error("progressive", "unlearned needs a delay, and must be what Progress.unlearned has returned.")
    return Progress(model, stream, every, list_mistakes, window, delay, unlearned)
