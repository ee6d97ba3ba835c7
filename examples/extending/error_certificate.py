"""A certificate of training errors: how many rows lie on the wrong side of a plane."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.theory import Certificate, Check, Verification
from novikoff.theory.certificate import misfit
from novikoff.theory.exact import Examples, to_integers
from novikoff.theory.geometry import Floats, as_table


@dataclass(frozen=True, repr=False, eq=False)
class ErrorCertificate(Certificate):
    """The plane w.x + b = 0 has ``errors`` rows on the wrong side or on itself; the larger label is positive."""

    weights: Floats
    intercept: float
    errors: int
    rows: int

    def claims(self) -> list[tuple[str, str]]:
        return [("training errors", f"{self.errors:,} of {self.rows:,} rows")]

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X, y = as_table(X), np.asarray(y)
        if problem := misfit(X, y, sample_weight, len(self.weights)):
            return Verification((problem,))
        signs = np.where(np.isin(y, np.unique(y)[-1:]), 1.0, -1.0)  # there may be no rows
        plane = np.append(self.weights, self.intercept)  # compared in integers, so that rounding leaves nothing open
        errors = int(np.sum(Examples(X, signs, True).sides(to_integers(plane)[0]) <= 0))
        agrees = (errors, len(y)) == (self.errors, self.rows)
        return Verification((Check("errors", "holds" if agrees else "fails", f"found {errors} of {len(y)} rows"),))

    def explain(self) -> str:
        return f"Of the {self.rows:,} rows, the plane has all except {self.errors:,} strictly on the correct side."

    def plane(self) -> tuple[Floats, float]:
        return self.weights, self.intercept
