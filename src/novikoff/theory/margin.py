"""Bounds on the margin of a separator; those of a margin perceptron, and their independent check in NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff._counts import count, counted

from .certificate import Certificate, above, below, percent_below
from .enclosure import Enclosure, agrees
from .evidence import Evidence
from .geometry import Extended
from .margin_value import Margin
from .online_certificate import OnlineCertificate
from .online_checks import OnlineChecks
from .replayed_run import Replay
from .verification import Check


@dataclass(frozen=True, repr=False, eq=False)
class MarginCertificate(Certificate):
    """Bounds on the margin of a plane and on the largest margin of any plane.

    The claim is ``margin_lower_bound`` <= margin of the model <= largest margin <= ``margin_upper_bound``.

    Parameters
    ----------
    margin_lower_bound : float
        The margin of the model, or less. -infinity if the model was not compared with all its data, and at most 0 if it
        does not separate them.
    margin_upper_bound : float
        The largest margin of any plane, or more. Infinity if nothing is known.
    examples : float
        Number of examples, or the sum of their weights.

    Notes
    -----
    Both bounds are of type ``Margin``, which knows the geometry that they were measured in.

    Examples
    --------
    >>> from novikoff import HardMarginSVM, MarginPerceptron
    >>> from novikoff.theory import MarginCertificate
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]], [0, 0, 1, 1]
    >>> models = [HardMarginSVM().fit(X, y), MarginPerceptron().fit(X, y)]
    >>> [isinstance(model.certificate_, MarginCertificate) for model in models]
    [True, True]
    """

    margin_lower_bound: Extended
    margin_upper_bound: Extended
    examples: float

    def __post_init__(self) -> None:
        for name in ("margin_lower_bound", "margin_upper_bound"):
            object.__setattr__(self, name, self.in_geometry(getattr(self, name)))

    def in_geometry(self, margin: float) -> float:
        """Return a margin of this problem together with its geometry.

        Parameters
        ----------
        margin : float
            The margin.

        Returns
        -------
        Margin or float
            A plain number if the geometry is not known.
        """
        return margin

    @property
    def ratio(self) -> float:
        """A lower bound on the fraction of the largest margin that the model has."""
        return self.margin_lower_bound / self.margin_upper_bound if self.margin_upper_bound > 0 else 0.0

    @property
    def _share(self) -> str | None:
        """The ratio as a percentage, rounded down; None where it says nothing."""
        lower, upper = self.margin_lower_bound, self.margin_upper_bound
        return percent_below(Fraction(lower) / Fraction(upper)) if 0 < lower <= upper < math.inf else None

    def explain(self) -> str:
        best = f"no plane has a margin above {above(self.margin_upper_bound)}"
        if not self.margin_lower_bound > 0:
            return f"The model was not shown to separate the rows; {best}."
        own = f"Every row is on its right side, with a margin of at least {below(self.margin_lower_bound)}"
        if self._share is None:
            return f"{own}. An upper bound on the margin of any plane is not known."
        return f"{own}, and {best}: the model has at least {self._share} of the best margin there is."

    def claims(self) -> list[tuple[str, str]]:
        words = [("best margin", f"at most {above(self.margin_upper_bound)}")]
        if self.margin_lower_bound > -np.inf:
            share = "" if self._share is None else f", which is at least {self._share} of the best"
            words.insert(0, ("margin", f"at least {below(self.margin_lower_bound)}{share}"))
        return words


@dataclass(frozen=True, repr=False, eq=False)
class PerceptronMarginCertificate(OnlineCertificate, MarginCertificate):
    """Bounds on the margin of a margin perceptron, whose weights are a sum of examples, which proves the upper bound.

    Parameters
    ----------
    margin_lower_bound, margin_upper_bound, examples : float
        As in ``MarginCertificate``.
    halted : bool
        Whether the last pass made no update.
    updates : int
        Number of updates.
    mistakes : float
        Number of predictions that were wrong before the label was seen.
    radius : float
        The largest |u|.
    evidence : Evidence
        The weights, and the examples that they are a sum of, where these are known.

    See Also
    --------
    novikoff.MarginPerceptron : The learner that has this certificate.

    Notes
    -----
    With ``exact``, ``verify`` decides in rational arithmetic what floating point leaves open.

    Examples
    --------
    >>> from novikoff import MarginPerceptron
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]], [0, 0, 1, 1]
    >>> certificate = MarginPerceptron().fit(X, y).certificate_
    >>> certificate.halted, certificate.margin_lower_bound > 0
    (True, True)
    """

    halted: bool
    updates: int
    mistakes: float
    radius: float
    evidence: Evidence

    def in_geometry(self, margin: float) -> float:
        return Margin.of(margin, self.evidence.geometry) if margin == margin else margin

    def fitted(self) -> dict[str, Any]:
        return {"margin_": self.margin_lower_bound}

    def check_claims(self, checks: OnlineChecks) -> list[Check]:
        found = [checks.radius(self.radius), self._check_order(), self._check_lower(checks)]
        found += self.check_upper_bound("upper bound", checks)
        words = {
            "mistakes": f"{count(self.mistakes)} in {counted(self.examples, 'example')}",
            "examples": count(self.examples),
            "updates": count(self.updates),
            "halted": "the last pass made no update" if self.halted else "not claimed",
        }
        return found + [Check(name, "on trust", value) for name, value in words.items()]

    def check_learned(self, run: Any) -> list[Check]:
        same = self.evidence.geometry == run.rule.geometry
        return [Check("run record", "holds" if same else "fails", f"the geometry is {'' if same else 'not '}its own")]

    def check_replay(self, run: Replay) -> list[Check]:
        found = super().check_replay(run)
        total = Enclosure.exactly(run.total_weight)
        found.append(agrees("examples of the run", self.examples, total, run.visits + 4))
        is_true = not self.halted or run.updates_of_pass == 0
        words = f"the last pass made {counted(run.updates_of_pass, 'update')}"
        found.append(Check("halted", "holds" if is_true else "fails", words))
        return found

    def _check_order(self) -> Check:
        """Check that the lower bound is not above the upper one."""
        lower, upper = self.margin_lower_bound, self.margin_upper_bound
        words = f"claimed at least {lower:.6g} and at most {upper:.6g}"
        return Check("lower below upper bound", "holds" if lower <= upper else "fails", words)

    def _check_lower(self, checks: OnlineChecks) -> Check:
        if self.margin_lower_bound == -np.inf:
            return Check("lower bound", "on trust", "no lower bound is claimed")
        return checks.margin_lower_bound("lower bound", self.margin_lower_bound)

    def band(self) -> float | None:
        return self.margin_lower_bound * self.evidence.length() if self.margin_lower_bound > 0 else None

    def claims(self) -> list[tuple[str, str]]:
        return [*super().claims(), ("updates", count(self.updates))]
