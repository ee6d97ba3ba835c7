"""The certificates of a model with the results of checking them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from novikoff.theory.certificate import Certificate
from novikoff.theory.verification import Check, Verification

from .tables import Table

MEANINGS = {
    "holds": "recomputed from the data and true",
    "fails": "recomputed from the data and false",
    "open": "undecided because of rounding",
    "on trust": "what the data alone cannot confirm, such as a count of what happened during training",
}


@dataclass(frozen=True)
class Part:
    """One certificate, the name of its problem among several, and the results of its checks."""

    name: str
    certificate: Certificate
    verification: Verification


def split(named: list[tuple[str, Certificate]], found: Verification | None) -> tuple[list[Part], list[Check]]:
    """Assign the checks of a verification to the certificates; return those of the model as a whole separately."""
    if found is None:
        return [], []
    if len(named) == 1:
        return [Part(*named[0], found)], []
    problems, nothing = found.problems, Verification(())
    parts = [Part(name, certificate, problems.get(name, nothing)) for name, certificate in named]
    return parts, list(problems.get("", nothing).checks)


def certificate_table(parts: list[Part]) -> Table:
    """Return one line for each certificate: its problem, the result, and its first claim."""
    rows = []
    for part in parts:
        name, text = next(iter(part.certificate.claims()), ("", ""))
        rows.append((part.name, "verified" if part.verification else "not verified", f"{name}: {text}"))
    return Table("Certificates", ["problem", "result", "first claim"], rows, numeric=False)


def meanings(found: Verification | None) -> list[tuple[str, str]]:
    """Explain the statuses that occur."""
    used = set() if found is None else {check.status for check in found.checks}
    return [(status, meaning) for status, meaning in MEANINGS.items() if status in used]


def command(model_path: Any, data_path: Any) -> str:
    """Return the shell command that checks the certificates."""
    return shlex.join(["novikoff", "certify", str(model_path or "MODEL"), str(data_path or "DATA")])
