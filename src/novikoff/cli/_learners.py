"""The learners of the command line, by the names that ``--learner`` takes: all that the registry of learners has."""

from __future__ import annotations

import re
from typing import Any

from novikoff.persistence.learners import LEARNERS as REGISTRY

OTHER_NAMES = {"HardMarginSVM": "hard-margin"}
WITHOUT_NAME = ("LinearClassifier", "LinearSVMCV")  # it is made of given weights; fit --cv stands for it


def _option_name(name: str) -> str:
    """Return ``passive-aggressive-i`` for ``PassiveAggressiveI``."""
    return OTHER_NAMES.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


LEARNERS: dict[str, Any] = {
    _option_name(name): learner
    for name, learner in sorted(REGISTRY.items())
    if name not in WITHOUT_NAME and hasattr(learner, "fit") and hasattr(learner, "predict")
}
ONLINE: dict[str, Any] = {name: learner for name, learner in LEARNERS.items() if hasattr(learner, "learn_one")}
