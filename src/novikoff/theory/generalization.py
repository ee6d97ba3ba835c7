"""What a certificate says about new examples, together with the hypothesis that it needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Generalization:
    """A bound on the error on new examples.

    Parameters
    ----------
    bound : float
        The bound.
    statement : str
        Which error is bounded, and under which hypothesis.
    """

    bound: float
    statement: str

    def __str__(self) -> str:
        return f"{self.bound:.4g}: {self.statement}"
