"""What a model is made of: a learner, its parameters, and how text becomes features."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
import numpy as np

from novikoff._learner_names import ONLINE
from novikoff.data.hashing import Hashing
from novikoff.errors import NovikoffError, quote
from novikoff.serve.errors import ServeError

HASHING_PARAMETERS = ("n_bits", "lowercase", "ngram_range", "binary", "sublinear_tf", "norm")
RESERVED = ("max_features",)  # names get columns, or are hashed, before a learner sees them


class Specification(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How to make a model.

    Attributes
    ----------
    learner : str
        A name as in ``novikoff stream --learner``.
    parameters : dict
        Parameters of its class.
    classes : list or None
        All labels that will occur, if they are known.
    hashing : dict or None
        Parameters of ``Hashing``: features are hashed, and examples may be texts.
    """

    learner: str = "tracker"
    parameters: dict[str, Any] = {}
    classes: list[str | int | bool] | None = None
    hashing: dict[str, Any] | None = None

    @classmethod
    def of(cls, given: Any) -> Specification:
        """Return a checked specification from what JSON contained."""
        try:
            made = msgspec.convert(given, cls)
        except msgspec.ValidationError as error:
            raise refused(f"The specification of a model is not valid: {error}.") from None
        made._check_classes()
        made._check_learner()
        made._check_hashing()
        return made

    def check_classes(self, limit: int) -> None:
        """Refuse more classes than a model may have."""
        if len(self.classes or ()) > limit:
            raise refused(f"A model may have at most {limit} classes. Raise the setting max_classes to allow more.")

    def make(self) -> Any:
        """Return a new learner."""
        declared = {} if self.classes is None else {"classes": self.classes}
        return ONLINE[self.learner](**self.parameters, **declared)

    def make_hashing(self) -> Hashing | None:
        """Return how features are hashed; None if they are not."""
        if self.hashing is None:
            return None
        given = dict(self.hashing)
        if isinstance(given.get("ngram_range"), list):
            given["ngram_range"] = tuple(given["ngram_range"])
        return Hashing(**given)

    def _check_classes(self) -> None:
        classes = self.classes
        if classes is None:
            return
        if len({type(label) for label in classes}) > 1:
            raise refused("classes must all be strings, all integers, or true and false.")
        if len(set(classes)) < max(1, len(classes)):
            raise refused("classes must be different labels, and at least one.")
        if any(isinstance(label, str) and "\0" in label for label in classes):
            raise refused("A label must not contain the character U+0000.")
        if any(isinstance(label, int) and not -(2**63) <= label < 2**63 for label in classes):
            raise refused("classes that are integers must have at most 64 bits.")

    def _check_learner(self) -> None:
        if self.learner not in ONLINE:
            raise refused(f"learner {quote(self.learner)} is unknown. It must be one of {', '.join(ONLINE)}.")
        known = set(inspect.signature(ONLINE[self.learner]).parameters) - set(RESERVED)
        for name in self.parameters:
            if name not in known:
                raise refused(f"{self.learner} has no parameter {quote(name)}. It has {', '.join(sorted(known))}.")
        if self.classes is not None and ("classes" not in known or "classes" in self.parameters):
            raise refused(f"{self.learner} does not take classes, or they are given twice. Leave them out.")
        try:  # learning checks the parameters
            self.make().partial_fit(np.zeros((1, 1)), [self.classes[0] if self.classes else "a"])
        except (NovikoffError, TypeError, ValueError) as error:
            raise refused(f"The parameters of {self.learner} are not valid: {error}") from None

    def _check_hashing(self) -> None:
        for name in self.hashing or ():
            if name not in HASHING_PARAMETERS:
                raise refused(f"hashing has no parameter {quote(name)}. It has {', '.join(HASHING_PARAMETERS)}.")
        try:
            hashing = self.make_hashing()
            if hashing is not None:
                hashing.transform(["a"])
        except (NovikoffError, TypeError, ValueError) as error:
            raise refused(f"The parameters of hashing are not valid: {error}") from None

    def plain(self) -> dict[str, Any]:
        """Return the specification as JSON has it."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


def refused(message: str) -> ServeError:
    """Return the error for a specification that cannot be used."""
    return ServeError(422, "bad_specification", message)
