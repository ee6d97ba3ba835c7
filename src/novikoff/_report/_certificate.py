"""The certificate in words, and what became of each claim when it was checked anew."""

from __future__ import annotations

import shlex
from typing import Any

from novikoff.theory.certificate import Certificate
from novikoff.theory.verification import Check, Verification

from ._html import Cell, Markup, details, grid, pairs, text

MEANINGS = {
    "holds": "recomputed from the data, and true",
    "fails": "recomputed from the data, and false",
    "open": "rounding leaves it undecided",
    "on trust": "a count of what happened during learning, which the data alone cannot show again",
}


def one(certificate: Certificate, found: Verification) -> str:
    """The certificate of two classes: its claims, and the checks of them."""
    parts = [f"<p>{text(certificate.explain())}</p>"]
    if certificate.generalization is not None:
        parts.append(f"<p>Of new examples: {text(certificate.generalization)}.</p>")
    return "".join(parts) + pairs("The claims", certificate.claims()) + checks_table(found.checks)


def several(certificates: list[tuple[str, Certificate]], found: Verification) -> str:
    """The certificates of more classes, one below the other, those with trouble open."""
    parts = [f"<p>Each of the {len(certificates)} classes is told from the rest, and has a certificate of its own.</p>"]
    rest, general = list(found.checks), []
    while rest and not rest[0].claim.startswith(f"{certificates[0][0]}: "):  # those of the model as a whole come first
        general.append(rest.pop(0))
    for name, certificate in certificates:
        prefix, own = f"{name}: ", []
        while rest and rest[0].claim.startswith(prefix):
            check = rest.pop(0)
            own.append(Check(check.claim.removeprefix(prefix), check.status, check.detail, check.row))
        verdict = Verification(tuple(own))
        inner = one(certificate, verdict)
        parts.append(details(f"{name}: {'verified' if verdict else 'not verified'}", inner, is_open=not verdict))
    if general or rest:
        parts.append(checks_table((*general, *rest)))
    return "".join(parts)


def checks_table(checks: tuple[Check, ...]) -> str:
    """What became of each claim."""
    rows: list[tuple[Cell, ...]] = [
        (check.claim, Markup(f'<span class="status {_kind(check)}">{text(check.status)}</span>'), check.detail)
        for check in checks
    ]
    return grid("Checked anew, from the data", ["claim", "result", "what was found"], rows, numeric=False)


def legend(found: Verification) -> str:
    """What the results mean, those that occur."""
    used = [status for status in MEANINGS if any(check.status == status for check in found.checks)]
    return "<p>" + " ".join(f"<strong>{text(status)}</strong>: {text(MEANINGS[status])}." for status in used) + "</p>"


def command(model_path: Any, data_path: Any) -> str:
    """How anyone can check it."""
    words = ["novikoff", "certify", str(model_path or "MODEL"), str(data_path or "DATA")]
    line = shlex.join(words)
    note = "" if model_path and data_path else " with the file of the model and that of the data"
    return (
        f"<h3>Check it yourself</h3><p>This command{note} does the same, without the code of the "
        f"learner:</p><pre><code>{text(line)}</code></pre>"
    )


def _kind(check: Check) -> str:
    return check.status.replace(" ", "-")
