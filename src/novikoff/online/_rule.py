"""What a learner tells the kernels to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from novikoff.theory.geometry import Geometry


@dataclass(frozen=True)
class Rule:
    """A rule of the kernels, with its parameters checked."""

    name: str
    parameter: float = 0.0
    tie: str = "mistake"
    keep: str = "last"
    geometry: Geometry = field(default_factory=Geometry)
