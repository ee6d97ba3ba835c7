"""That a learner did not halt, in the words of the command line, and other warnings of a fit."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable
from typing import Any

from novikoff._estimators import ConvergenceWarning
from novikoff.online import NotHaltedWarning, impossible_margin

WORDS = {"increase max_iter": "increase --max-iter", "decrease margin": "decrease --margin"}
WORDS |= {"novikoff.separability": "'novikoff separable'"}
SAID_BY_RESULT = "no C is better than"


def fitted_quietly(model: Any, fit: Callable[[], Any]) -> list[str]:
    """Call what fits a model, and return the sentence that it did not halt, if it did not.

    A gap above the tolerance and a useless C are not warnings here, since the result says so.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    is_wide = not all(getattr(certificate, "converged", True) for certificate in model.record_.certificates)
    unfinished = [warning.message for warning in caught if isinstance(warning.message, NotHaltedWarning)]
    for warning in caught:
        is_said = (is_wide and issubclass(warning.category, ConvergenceWarning)) or warning.message in unfinished
        if not (is_said or SAID_BY_RESULT in str(warning.message)):
            warnings.warn(warning.message, warning.category, stacklevel=2)
    return [not_halted_words(warning) for warning in unfinished]


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
