"""That a learner did not halt, in the words of the command line."""

from __future__ import annotations

import numbers
from typing import Any

from novikoff.online import NotHaltedWarning, impossible_margin

WORDS = {"increase max_iter": "increase --max-iter", "decrease margin": "decrease --margin"}
WORDS |= {"novikoff.separability": "'novikoff separable'"}


def not_halted_words(warning: NotHaltedWarning) -> str:
    """Return the sentence of a warning of ``fit``, with options for parameters."""
    sentence = warning.sentence
    for before, after in WORDS.items():
        sentence = sentence.replace(before, after)
    return sentence


def impossible_margins(model: Any) -> list[str]:
    """Say of a stream that no plane has the margin that was asked for, if its bound |v|/M proves it."""
    asked = getattr(model, "margin", None)
    if not isinstance(asked, numbers.Real):
        return []
    found: list[tuple[str, Any]] = model.record_.named_certificates
    for name, certificate in found:
        if (upper := certificate.margin_upper_bound) < asked:
            required = (1 - model.epsilon) * float(asked)
            return [impossible_margin(float(asked), required, upper, f"for class {name}, " if name else "")]
    return []
