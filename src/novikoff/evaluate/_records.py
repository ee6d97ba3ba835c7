"""What ``progressive`` takes and yields: online learners, and the counts after some number of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ._window import WindowScores


class Learner(Protocol):
    """An online learner that ``progressive`` accepts."""

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
    """The counts of a progressive evaluation after some number of examples.

    Parameters
    ----------
    examples : int
        Number of examples so far.
    mistakes : int
        Number of wrong predictions so far.
    accuracy : float
        Fraction of correct predictions so far.
    balanced_accuracy : float
        Mean of the recall over the labels seen so far.
    examples_since : int
        Number of examples since the previous record.
    mistakes_since : int
        Number of wrong predictions since the previous record.
    label : object
        The label of the latest example.
    prediction : object
        The prediction for the latest example; None if the learner had not learned anything yet.
    baseline : float
        Accuracy so far of predicting, for each example, the most frequent label of those before it; of equally frequent
        ones the earliest. With a delay, of those whose labels are known.
    last_label_baseline : float, default=0.0
        Accuracy so far of predicting, for each example, the label of the one before it; with a delay, the latest label
        that is known.
    mistakes_at_learning : int, default=0
        Number of examples whose prediction just before they were learned was wrong. Without a delay these are the
        mistakes.
    window : WindowScores, default=None
        The scores of the latest examples, if ``progressive`` was given a ``window``.

    Examples
    --------
    >>> import novikoff as nk
    >>> *_, last = nk.evaluate.progressive(nk.Perceptron(), [([1.0], "a"), ([-1.0], "b"), ([2.0], "a")])
    >>> last.examples, last.mistakes, last.prediction
    (3, 2, 'a')
    """

    examples: int
    mistakes: int
    accuracy: float
    balanced_accuracy: float
    examples_since: int
    mistakes_since: int
    label: Any
    prediction: Any
    baseline: float
    last_label_baseline: float = 0.0
    mistakes_at_learning: int = 0
    window: WindowScores | None = None

    @property
    def loss(self) -> float:
        """Fraction of wrong predictions so far."""
        return self.mistakes / self.examples

    @property
    def loss_since(self) -> float:
        """Fraction of wrong predictions since the previous record."""
        return self.mistakes_since / self.examples_since
