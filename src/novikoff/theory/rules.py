"""Online rules: which update a learner makes, with its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field

from .geometry import Geometry


@dataclass(frozen=True)
class Rule:
    """The rule that a run was made with.

    Parameters
    ----------
    name : str
        The name of the rule, for the kernels and for the verifier.
    parameter : float, default=0.0
        The one number that the rule depends on, such as C. Its meaning is the rule's own.
    tie : {"mistake", "positive"}, default="mistake"
        Whether a score of exactly 0 counts as a mistake or as a prediction of +1.
    keep : {"last", "average", "votes"}, default="last"
        Which hypotheses predict: the last one, the average of all, or the vote of all.
    geometry : Geometry
        How an example becomes the vector that the rule sees.
    """

    name: str
    parameter: float = 0.0
    tie: str = "mistake"
    keep: str = "last"
    geometry: Geometry = field(default_factory=Geometry)
