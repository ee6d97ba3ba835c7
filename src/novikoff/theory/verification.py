"""The result of checking a certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from novikoff._counts import counted
from novikoff._html import badge, folded, table

Status = Literal["holds", "fails", "open", "on trust"]

# Colours of the statuses in notebooks, behind white text. The first status that occurs is named first.
COLOURS: dict[Status, str] = {"fails": "#b3261e", "open": "#8a5a00", "holds": "#1a7f37", "on trust": "#57606a"}
MAX_NAMED = 5  # claims that do not hold, in the short text
MAX_SHOWN_PROBLEMS = 20  # of many; the page stays short


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
    problem : str, default=""
        The name of the problem among several that the claim is about. The claim starts with it.

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
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.status:>8}  {self.claim}: {self.detail}"


@dataclass(frozen=True, repr=False)
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

    @property
    def problems(self) -> dict[str, Verification]:
        """The checks of each problem among several, by its name and without it in the claims.

        Claims about the model as a whole belong to the problem "", and so do all claims if there is a single problem.
        """
        parts: dict[str, list[Check]] = {}
        for check in self.checks:
            claim = check.claim.removeprefix(f"{check.problem}: ") if check.problem else check.claim
            parts.setdefault(check.problem, []).append(replace(check, claim=claim))
        return {name: Verification(tuple(checks)) for name, checks in parts.items()}

    def summary(self) -> str:
        """Return the verdict and the number of claims of each status.

        Returns
        -------
        str
            One line.
        """
        counts = [(status, sum(check.status == status for check in self.checks)) for status in COLOURS]
        words = [_counted(status, count) for status, count in counts if count]
        return f"{'verified' if self else 'not verified'}: {', '.join(words) or 'there are no claims'}"

    def __str__(self) -> str:
        return "\n".join([self.summary(), *map(str, self.checks)])

    def __repr__(self) -> str:
        named = [check.claim for check in self.checks if check.status in ("fails", "open")]
        if len(named) > MAX_NAMED:
            named = [*named[:MAX_NAMED], f"and {len(named) - MAX_NAMED:,} more"]
        return f"<Verification: {self.summary()}{': ' * bool(named)}{'; '.join(named)}>"

    def _repr_html_(self) -> str:
        parts = self.problems
        own = parts.pop("", None)
        shown = sorted(parts.items(), key=lambda part: bool(part[1]))[:MAX_SHOWN_PROBLEMS]
        pages = [folded(f"{name}: {part.summary()}", part._table(""), is_open=not part) for name, part in shown]
        if len(parts) > len(pages):
            pages.append(f"<p>and {len(parts) - len(pages)} more in checks</p>")
        top = f"<p>{self.summary()}</p>" if own is None else own._table(self.summary())
        return f"<div>{top}{''.join(pages)}</div>"

    def _table(self, caption: str) -> str:
        rows = [(badge(check.status, COLOURS[check.status]), check.claim, check.detail) for check in self.checks]
        return table(caption, rows, ("status", "claim", "detail"))


def _counted(status: Status, count: int) -> str:
    """Return how many claims have a status: "1 claim holds", "3 claims are open"."""
    words = {"holds": ("holds", "hold"), "fails": ("fails", "fail")}
    one, several = words.get(status, (f"is {status}", f"are {status}"))
    return f"{counted(count, 'claim')} {one if count == 1 else several}"
