"""What a certificate says of examples yet to come: never without the hypothesis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Generalization:
    """A number that bounds an error on new examples, and the sentence that says which error, and on what condition."""

    bound: float
    statement: str

    def __str__(self) -> str:
        return f"{self.bound:.4g}: {self.statement}"
