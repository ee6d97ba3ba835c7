"""The learners of the command line: one table, from which names, options and help are made."""

from __future__ import annotations

import inspect
import re
from typing import Any

from novikoff import online, svm


def _name(learner: type) -> str:
    """Return ``passive-aggressive-i`` for ``PassiveAggressiveI``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", learner.__name__).lower()


ONLINE: dict[str, Any] = {_name(learner): learner for _, learner in inspect.getmembers(online, inspect.isclass)}
LEARNERS: dict[str, Any] = {"linear-svm": svm.LinearSVM, "hard-margin": svm.HardMarginSVM, **ONLINE}
