"""The saved state of the scale of an online learner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from novikoff._wide_array import compacted, stored
from novikoff.persistence.codec import INFINITE
from novikoff.theory.geometry import MAY_BE_WIDE, Floats, Weights

from ._numbering import Numbering, as_wide, for_kernel


@dataclass(frozen=True)
class Centring:
    """What a centred scale knows beside a running one: cpp/include/novikoff/centred_scale.hpp."""

    sums: Annotated[Floats, MAY_BE_WIDE, INFINITE]
    origins: Weights
    shifts: Weights
    factors: Weights
    centred: Weights
    total: float


@dataclass(frozen=True)
class ScaleState:
    """What a scale knows of each column: cpp/include/novikoff/running_scale.hpp."""

    weights: Weights
    squares: Annotated[Floats, MAY_BE_WIDE, INFINITE]
    centring: Centring | None = None

    @classmethod
    def of(cls, stored: dict[str, Any] | None, width: int, numbering: Numbering | None) -> ScaleState | None:
        """Return the state that a kernel returned, for ``width`` columns of the user."""
        if stored is None:
            return None
        own: dict[str, Any] = dict(stored)
        own |= {name: as_wide(vector, width, numbering) for name, vector in stored.items() if name != "total"}
        weights, squares = own.pop("weights"), own.pop("squares")
        return cls(weights, squares, Centring(**own) if own else None)

    def vectors(self) -> dict[str, Weights]:
        """Return the arrays, by their paths in the state of a scale."""
        found = {"weights": self.weights, "squares": self.squares}
        own = {} if self.centring is None else vars(self.centring)
        return found | {f"centring.{name}": vector for name, vector in own.items() if name != "total"}

    def for_kernels(self, numbering: Numbering | None) -> dict[str, Any]:
        """Return the state as a dict, in the columns of a kernel."""
        own = {path.split(".")[-1]: for_kernel(vector, numbering) for path, vector in self.vectors().items()}
        return own if self.centring is None else own | {"total": self.centring.total}

    def compacted(self) -> ScaleState:
        """Return the state with wide arrays in compact form."""
        own: dict[str, Any] = {path.split(".")[-1]: compacted(vector) for path, vector in self.vectors().items()}
        weights, squares = own.pop("weights"), own.pop("squares")
        return ScaleState(weights, squares, self.centring and replace(self.centring, **own))

    def is_possible(self) -> bool:
        """Return whether no sum or factor is negative that cannot be so."""
        never_negative = [self.weights, self.squares, *([] if self.centring is None else [self.centring.factors])]
        return all(np.all(stored(vector) >= 0) for vector in never_negative) and (
            self.centring is None or 0 <= self.centring.total < np.inf
        )
