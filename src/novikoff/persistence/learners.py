"""The contract between learners and the model file, and the registry of learners."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

from novikoff._registry import Registry
from novikoff.record import RunRecord


class Learner(Protocol):
    """What a class has to provide so that its models can be saved and loaded.

    It is entered in ``LEARNERS`` under its name, and its constructor takes the parameters that ``record_`` lists.
    """

    state_type: ClassVar[type[Any]]
    """The type of ``record_.state``: a frozen dataclass whose fields ``novikoff.persistence.codec`` can store."""

    @property
    def record_(self) -> RunRecord:
        """The record of a fitted model. Before ``fit``, there is no such attribute."""

    @classmethod
    def from_record(cls, record: RunRecord) -> Self:
        """Restore a model from its saved state.

        The types of all values and the finiteness of all numbers have been checked. What only the learner can know,
        such as whether arrays have the length of others, is checked here; ``InvalidInputError`` refuses it.
        """


LEARNERS: Registry[type[Learner]] = Registry(
    "learner",
    {
        "AveragedPerceptron": "novikoff.online:AveragedPerceptron",
        "HardMarginSVM": "novikoff.svm:HardMarginSVM",
        "LinearClassifier": "novikoff.svm:LinearClassifier",
        "LinearSVM": "novikoff.svm:LinearSVM",
        "LinearSVMCV": "novikoff.svm:LinearSVMCV",
        "LinearSVMPath": "novikoff.svm:LinearSVMPath",
        "MarginPerceptron": "novikoff.online:MarginPerceptron",
        "PassiveAggressive": "novikoff.online:PassiveAggressive",
        "PassiveAggressiveI": "novikoff.online:PassiveAggressiveI",
        "PassiveAggressiveII": "novikoff.online:PassiveAggressiveII",
        "Perceptron": "novikoff.online:Perceptron",
        "VotedPerceptron": "novikoff.online:VotedPerceptron",
    },
)
