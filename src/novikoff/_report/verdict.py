"""The first sentences of the report: what the model is worth, and whether its certificate was verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from novikoff._counts import count
from novikoff.evaluate import accuracy_words, guessing_words, warnings_of

from .subject import Measured, Subject


@dataclass(frozen=True)
class Verdict:
    """What a reader must know first.

    Parameters
    ----------
    headline : str
        The accuracy, or that the model is no better than guessing, in one sentence.
    is_useless : bool
        Whether the model is constant or no better than one label for all rows.
    sentences : sequence of str
        What the accuracy means, and that of the other rows.
    warnings : sequence of str
        What is wrong with the model or the rows.
    status : {"holds", "fails", "open", "none"}
        The result of checking the certificates.
    chip : str
        This result in a few words.
    certificate : str
        This result in one or two sentences.
    """

    headline: str
    is_useless: bool
    sentences: Sequence[str]
    warnings: Sequence[str]
    status: str
    chip: str
    certificate: str


def verdict_of(subject: Subject) -> Verdict:
    """Summarise the scores and the verification."""
    scored = subject.scored
    found, rows = scored.scores, () if subject.first.kind == "other" else (subject.table, subject.y)
    guessing = guessing_words(found, subject.record, scored.words)
    if not guessing and subject.first.kind == "training" and subject.first.scores.constant is not None:
        guessing = guessing_words(subject.first.scores, subject.record, subject.first.words)
    warnings = warnings_of(found, subject.record, *rows, rows=scored.words)
    kind = "Training accuracy" if scored.kind == "training" else "Accuracy"
    status, chip, certificate = _certificate(subject)
    return Verdict(
        headline=_sentence(guessing) if guessing else f"{kind} {words_of(scored)}.",
        is_useless=bool(guessing),
        sentences=_sentences(subject),
        warnings=[_sentence(words) for words in warnings if words != guessing],
        status=status,
        chip=chip,
        certificate=certificate,
    )


def words_of(measured: Measured) -> str:
    """Say the accuracy with the rows it was measured on and what guessing would reach there."""
    found = measured.scores
    return accuracy_words(found.accuracy, measured.words, found.baseline, found.baseline_label)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _sentences(subject: Subject) -> list[str]:
    kind, sentences = subject.scored.kind, []
    if kind == "training":
        sentences.append("It was measured on the rows that the model was fitted to; expect less on new rows.")
    elif kind == "held-out":
        sentences.append(
            "It was measured by a copy of the model that was fitted without these rows; the model itself was fitted to "
            "all rows."
        )
    elif kind == "given":
        sentences.append(
            "Nothing shows whether the model was fitted to these rows; if it was, expect less on new rows."
        )
    if subject.test is not None:
        name = "Training accuracy" if subject.first.kind == "training" else "Accuracy"
        sentences.append(f"{name} {words_of(subject.first)}.")
    return sentences


def _certificate(subject: Subject) -> tuple[str, str, str]:
    """Return the status of all certificates together, a few words about it, and a sentence."""
    found, rows = subject.verification, f"the {subject.first.words}"
    if found is None:
        return "none", "no certificate", "None of its properties can be checked without the code that fitted it."
    total = len(subject.parts[0])
    which = "the certificate" if total == 1 else f"all {count(total)} certificates"
    noun = "certificate" if total == 1 else "certificates"
    if found:
        proven = "It proves" if total == 1 else "They prove"
        return (
            "holds",
            f"{noun} verified",
            f"{which[0].upper()}{which[1:]} {'was' if total == 1 else 'were'} recomputed from {rows} and found true. "
            f"{proven} what the training reached, not that the predictions are good.",
        )
    if subject.first.kind == "other":
        return (
            "open",
            f"{noun} not checked",
            "These rows are not those that the model was fitted to, or not in the same order, so they count as test "
            "rows and cannot show what the training claims. Pass the training rows to check it.",
        )
    if not found.failures:
        return "open", f"{noun} undecided", f"Some claims could not be decided from {rows}."
    first = found.failures[0]
    return "fails", f"{noun} refuted", f"The model is not the one that was certified: {first.claim}: {first.detail}."
