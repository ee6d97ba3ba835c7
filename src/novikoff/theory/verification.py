"""What a check of a certificate found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["holds", "fails", "open", "on trust"]


@dataclass(frozen=True)
class Check:
    """One claim and what became of it.

    ``holds``: recomputed from the data, and true. ``fails``: recomputed, and false; ``row`` is an example that shows
    it, if one does. ``open``: rounding leaves it undecided. ``on trust``: a count of what happened during learning,
    which the data alone cannot show again.
    """

    claim: str
    status: Status
    detail: str
    row: int | None = None

    def __str__(self) -> str:
        return f"{self.status:>8}  {self.claim}: {self.detail}"


@dataclass(frozen=True)
class Verification:
    """The checks of one certificate; true if at least one was made and none failed or was left open."""

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
    """Check ``found <= claimed`` (or equality), up to the rounding ``slack``."""
    good = abs(found - claimed) <= slack if exact_match else found <= claimed + slack
    detail = f"claimed {claimed:.6g}, found {found:.6g}"
    return Check(claim, "holds" if good else "fails", detail)
