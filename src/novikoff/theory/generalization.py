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

    Examples
    --------
    >>> from novikoff.theory import Generalization
    >>> print(Generalization(0.05, "if the examples are independent, the error is at most this"))
    0.05: if the examples are independent, the error is at most this
    """

    bound: float
    statement: str

    def __str__(self) -> str:
        return f"{self.bound:.4g}: {self.statement}"
