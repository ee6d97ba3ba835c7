"""The certificates of a model: all claims of one, and a summary of several."""

from __future__ import annotations

from typing import Any

from novikoff._counts import count, counted
from novikoff.record import RunRecord
from novikoff.theory.gap_checks import gap_shown

from ._output import Line

STRATEGIES = {
    "ovr": "one-vs-rest",
    "ovo": "one-vs-one",
    "crammer_singer": "Crammer-Singer",
    "kesler": "learned together",
}


def certificate_lines(record: RunRecord, every: bool, remedy: str) -> list[Line]:
    """Return the claims of one certificate, or of every one; otherwise a line about all of them.

    ``remedy`` says how to see all claims.
    """
    named: list[tuple[str, Any]] = record.named_certificates
    if len(named) == 1 or every:
        return [
            (f"{claim} ({name})" if name else claim, text)
            for name, certificate in named
            for claim, text in certificate.claims()
        ]
    return [("certificates", f"{summary(named)}; {remedy}")] if named else []


def summary(named: list[tuple[str, Any]]) -> str:
    """Return what several certificates claim, in one sentence."""
    some = counted(len(named), "certificate")
    certificates = [certificate for _, certificate in named]
    if all(hasattr(certificate, "relative_gap") and hasattr(certificate, "tol") for certificate in certificates):
        name, widest = max(named, key=lambda entry: entry[1].relative_gap)
        found = f"{some}: the relative gaps are at most {gap_shown(widest.relative_gap)} ({name})"
        wide = sum(not certificate.converged for certificate in certificates)
        return f"{found}, {'all' if not wide else f'all but {count(wide)}'} within the requested {widest.tol:g}"
    if all(hasattr(certificate, "mistakes") for certificate in certificates):
        mistakes = [certificate.mistakes for certificate in certificates]
        least, most = count(min(mistakes)), counted(max(mistakes), "mistake")
        return f"{some}: {least} to {most} each while it learned"
    return some


def learner_words(record: RunRecord) -> str:
    """Return the name of a learner and, for more than two classes, how it treats them."""
    if len(record.strategy.classes) <= 2:
        return record.learner
    return f"{record.learner}, {STRATEGIES.get(record.strategy.name, record.strategy.name)}"


def problem_words(record: RunRecord) -> str:
    """Return the loss and the C that several certificates share; empty if they differ or there is only one."""
    certificates: list[Any] = record.certificates
    shared = {(getattr(c, "loss", None), getattr(c, "C", None)) for c in certificates}
    if len(certificates) < 2 or len(shared) != 1 or None in (both := shared.pop()):
        return ""
    return f"{str(both[0]).replace('_', ' ')}, C {both[1]:g}"
