"""The result of checking a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["holds", "fails", "open", "on trust"]


@dataclass(frozen=True)
class Check:
    """The result of checking one claim.

    Parameters
    ----------
    claim : str
        The name of the claim.
    status : {"holds", "fails", "open", "on trust"}
        ``holds``: the claim was recomputed from the data and is true. ``fails``: it was recomputed and is false.
        ``open``: rounding leaves it undecided. ``on trust``: it counts what happened during learning, which the data
        alone cannot show.
    detail : str
        What was claimed and what was found.
    row : int or None, default=None
        The number of a row that refutes the claim, where there is one.

    Examples
    --------
    >>> from novikoff.theory import Check
    >>> print(Check("gap", "holds", "claimed 0.001, found 0.0009"))
       holds  gap: claimed 0.001, found 0.0009
    """

    claim: str
    status: Status
    detail: str
    row: int | None = None

    def __str__(self) -> str:
        return f"{self.status:>8}  {self.claim}: {self.detail}"


@dataclass(frozen=True)
class Verification:
    """The checks of a certificate or a model.

    It is true if at least one claim was recomputed and all claims that were recomputed hold.

    Parameters
    ----------
    checks : tuple of Check
        One for each claim.

    Examples
    --------
    >>> from novikoff.theory import Check, Verification
    >>> bool(Verification((Check("gap", "holds", "0.001"), Check("iterations", "on trust", "12"))))
    True
    >>> bool(Verification((Check("iterations", "on trust", "12"),)))
    False
    """

    checks: tuple[Check, ...]

    def __bool__(self) -> bool:
        decided = [check.status for check in self.checks if check.status != "on trust"]
        return bool(decided) and all(status == "holds" for status in decided)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.status == "fails")

    def __str__(self) -> str:
        verdict = "verified" if self else "not verified"
        return "\n".join([verdict, *map(str, self.checks)])


def compare(claim: str, claimed: float, found: float, *, slack: float, exact_match: bool = False) -> Check:
    """Check that ``found <= claimed``, or with ``exact_match`` that they are equal, up to ``slack``."""
    good = abs(found - claimed) <= slack if exact_match else found <= claimed + slack
    detail = f"claimed {claimed:.6g}, found {found:.6g}"
    return Check(claim, "holds" if good else "fails", detail)
