"""Learners by the names that ``--learner`` and the server take. Each is imported when it is used."""

from __future__ import annotations

import re
from typing import Any

from novikoff._registry import Registry
from novikoff.persistence.learners import public_learners

OTHER_NAMES = {"HardMarginSVM": "hard-margin"}
WITHOUT_NAME = (
    "LinearClassifier",  # it is made of given weights
    "LinearSVMCV",  # fit --cv stands for it
    "LinearSVMPath",  # it holds several models
)


def _option_name(name: str) -> str:
    """Return ``passive-aggressive-i`` for ``PassiveAggressiveI``."""
    return OTHER_NAMES.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


_PLACES = {_option_name(name): place for name, place in sorted(public_learners().items()) if name not in WITHOUT_NAME}
LEARNERS: Registry[Any] = Registry("learner", _PLACES)
ONLINE: Registry[Any] = Registry(
    "online learner", {name: place for name, place in _PLACES.items() if place.startswith("novikoff.online")}
)
