"""The saved state of one binary problem of an online learner."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._wide_array import compacted, occurring
from novikoff.theory.geometry import Extended, Floats, Weights

from ._numbering import Numbering, as_wide, for_kernel

Ints = NDArray[np.int64]
NO_COLUMNS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Count:
    """A total of example weights: whole copies and fractions are summed separately."""

    whole: int
    part: float


@dataclass(frozen=True)
class Average:
    """The sum behind the average of all weights."""

    weights: Weights
    bias: float


@dataclass(frozen=True)
class Votes:
    """All hypotheses of a voted perceptron, as updates, and the examples that each survived."""

    offsets: Ints
    indices: Ints
    values: Floats
    steps: Floats
    bias_steps: Floats
    survived_whole: Ints
    survived_part: Floats


@dataclass(frozen=True)
class Memory:
    """Of a learner that forgets: v is ``scale`` times the stored weights, and its largest length was ``longest``."""

    scale: float
    longest: float


@dataclass(frozen=True)
class SecondOrder:
    """What a second-order rule keeps beside the weights.

    ``vectors`` have one entry per column, which is 0 where the column has not occurred. ``numbers`` have those of the
    intercept under the same names, and others.
    """

    vectors: dict[str, Weights]
    numbers: dict[str, float]

    def changed(self, change: Callable[[Weights], Weights]) -> SecondOrder:
        """Return the same with other vectors."""
        vectors = {name: change(vector) for name, vector in self.vectors.items()}
        return dataclasses.replace(self, vectors=vectors)


@dataclass(frozen=True)
class Calibration:
    """How scores become probabilities; cpp/include/novikoff/calibration.hpp documents the fields."""

    slope: float
    offset: float
    slope_curvature: float
    curvature: float
    offset_curvature: float
    total: Extended
    weight: float


@dataclass(frozen=True)
class ProblemState:
    """The state of one binary problem; cpp/include/novikoff/hypothesis.hpp documents the fields."""

    positive: int
    weights: Weights
    bias: float
    average: Average | None
    votes: Votes | None
    examples: Count
    mistakes: Count
    positives: Count
    steps: Count
    updates: int
    squared_length: float
    squared_length_carry: float
    squared_length_error: float
    rounding: float
    squared_radius: float
    energy: Extended
    margin_bound: Extended
    memory: Memory | None = None
    second: SecondOrder | None = None
    calibration: Calibration | None = None

    @classmethod
    def of(cls, stored: dict[str, Any], width: int, numbering: Numbering | None) -> ProblemState:
        """Return the state that a kernel returned, with ``width`` weights, in the columns of the user."""
        average, votes, second = stored["average"], stored["votes"], stored["second"]
        parts: dict[str, Any] = {
            "weights": as_wide(stored["weights"], width, numbering),
            "average": average and Average(as_wide(average["weights"], width, numbering), average["bias"]),
            "votes": votes and Votes(**votes),
            "calibration": stored["calibration"] and Calibration(**stored["calibration"]),
            "memory": stored["memory"] and Memory(**stored["memory"]),
            "second": second and SecondOrder(**second).changed(lambda vector: as_wide(vector, width, numbering)),
        }
        if votes and numbering is not None:
            parts["votes"] = dataclasses.replace(parts["votes"], indices=numbering.in_order[votes["indices"]])
        counts = {name: Count(**stored[name]) for name in ("examples", "mistakes", "positives", "steps")}
        return cls(**{**stored, **parts, **counts})

    def for_kernels(self, numbering: Numbering | None) -> dict[str, Any]:
        """Return the state as dicts, in the columns of a kernel, which takes them."""
        average, votes = self.average, self.votes
        if average is not None:
            average = dataclasses.replace(average, weights=for_kernel(average.weights, numbering))
        if votes is not None and numbering is not None:
            votes = dataclasses.replace(votes, indices=np.searchsorted(numbering.columns, votes.indices))
        second = self.second and self.second.changed(lambda vector: for_kernel(vector, numbering))
        weights = for_kernel(self.weights, numbering)
        own = dataclasses.replace(self, weights=weights, average=average, votes=votes, second=second)
        return {name: vars(value) if dataclasses.is_dataclass(value) else value for name, value in vars(own).items()}

    def vectors(self) -> dict[str, Weights]:
        """Return the arrays with one entry per column, by the names of their fields."""
        found = {"weights": self.weights} | ({} if self.average is None else {"average.weights": self.average.weights})
        second = {} if self.second is None else self.second.vectors
        return found | {f"second.vectors.{name}": vector for name, vector in second.items()}

    def compacted(self) -> ProblemState:
        """Return the state with wide arrays in compact form."""
        average = self.average and dataclasses.replace(self.average, weights=compacted(self.average.weights))
        second = self.second and self.second.changed(compacted)
        return dataclasses.replace(self, weights=compacted(self.weights), average=average, second=second)

    def columns(self) -> Ints:
        """Return the columns that have occurred, as far as the state shows it."""
        of_average = NO_COLUMNS if self.average is None else occurring(self.average.weights)
        of_votes = NO_COLUMNS if self.votes is None else self.votes.indices
        of_second = [occurring(vector) for vector in self.second.vectors.values()] if self.second else []
        return np.unique(np.concatenate([occurring(self.weights), of_average, of_votes, *of_second]))

    def is_possible(self) -> bool:
        """Whether all sums of nonnegative numbers are nonnegative."""
        parts = (self.examples.part, self.mistakes.part, self.positives.part, self.steps.part)
        sums = (self.squared_length_error, self.rounding, self.squared_radius, self.energy, self.margin_bound)
        longest = 0.0 if self.memory is None else self.memory.longest
        return min(*parts, *sums, longest) >= 0
