"""What a learner that forgets proves about targets that move, and its independent check in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from novikoff._counts import count, counted

from . import moving_bounds
from .certificate import above
from .enclosed_sums import EPS
from .enclosure import Enclosure, at_least, at_most
from .evidence import Evidence
from .geometry import Extended
from .margin_value import Margin
from .online_certificate import OnlineCertificate
from .online_checks import OnlineChecks
from .replayed_run import Replay
from .verification import Check


@dataclass(frozen=True, repr=False, eq=False)
class MovingTargetCertificate(OnlineCertificate):
    """How many mistakes a learner that forgets made on a stream, and how far planes with a small loss have moved.

    The weights are v = sum c_k y_k u_k over the updates k, where c_k is the step of update k times what is left of it.
    For any planes w_k, one for each update, with the hinge loss D = sum c_k max(0, 1 - y_k w_k.u_k) and the movement S,
    the sum of |w_(k+1) - w_k|: sum c_k <= D + W (|w| + S), where w is the last plane and W the largest length of v
    after an update (docs/theory.md, M3). The bounds of Novikoff and of Freund and Schapire do not hold for a learner
    that forgets.

    Parameters
    ----------
    rule : str
        The rule of the learner.
    parameter : float
        The parameter of the rule.
    forget : float
        The fraction of v that an update forgets first.
    half_life : float or None
        The number of examples in which v fades to a half; None if it does not fade.
    examples : float
        Number of examples, each predicted before its label was seen, or the sum of their weights.
    positives : float
        The same for the positive examples.
    mistakes : float
        Number of wrong predictions.
    updates : int
        Number of updates.
    radius : float
        The largest |u|.
    energy : float
        The sum of |u|^2. Together with ``examples`` and ``positives`` it tells these data from others.
    remembered : float
        A lower bound on the sum of c_k over all updates.
    longest : float
        An upper bound on W, the largest length of v after an update.
    margin_upper_bound : float
        No plane separates the examples of the updates with a larger margin.
    evidence : Evidence
        The last weights.

    See Also
    --------
    novikoff.Perceptron : A learner that has this certificate, with ``forget`` or ``half_life``.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> model = Perceptron(half_life=2.0, fit_intercept=False).partial_fit([[1.0], [1.0], [1.0]], [1, 0, 1])
    >>> round(model.certificate_.remembered, 6)
    2.207107
    """

    rule: str
    parameter: float
    forget: float
    half_life: float | None
    examples: float
    positives: float
    mistakes: float
    updates: int
    radius: float
    energy: Extended
    remembered: float
    longest: Extended
    margin_upper_bound: Extended
    evidence: Evidence

    passes: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.margin_upper_bound == self.margin_upper_bound:  # not NaN, which a damaged file may have
            margin = Margin.of(self.margin_upper_bound, self.evidence.geometry)
            object.__setattr__(self, "margin_upper_bound", margin)

    def least_movement(self, loss: float = 0.0, last: float = 0.0) -> float:
        """Return a lower bound on how far planes with at most this loss have moved (docs/theory.md, M3).

        Every sequence of planes, one for each update, whose remembered hinge loss is at most ``loss``, and whose last
        plane is no longer than ``last``, has moved by at least (sum c_k - D)/W - |w|. If this is positive, a single
        plane of this length has a larger loss.

        Parameters
        ----------
        loss : float, default=0.0
            The hinge loss D: the sum of c_k max(0, 1 - y_k w_k.u_k).
        last : float, default=0.0
            The length |w| of the last plane.

        Returns
        -------
        float
            The lower bound on the sum of |w_(k+1) - w_k|; 0 if nothing follows.
        """
        found = moving_bounds.least_movement(self.remembered, loss, self.longest, last)
        return max(0.0, found - 8 * EPS * (found + last))

    def check_claims(self, checks: OnlineChecks) -> list[Check]:
        found = checks.data(self.radius, self.examples, self.positives, self.energy, 1)
        found += self.check_upper_bound("no separator of the updates has a larger margin", checks)
        if not 0 <= self.mistakes <= self.examples:
            found.append(Check("mistakes", "fails", f"{count(self.mistakes)} in {counted(self.examples, 'example')}"))
        words = {name: text for name, text in self.claims() if name in ("mistakes", "remembered", "longest weights")}
        words |= {"rule": self.rule, "parameter": f"{self.parameter:g}", "updates": count(self.updates)}
        words["forgetting"] = self._forgetting_in_words()
        return found + [Check(name, "on trust", f"{value}, of the run") for name, value in words.items()]

    def check_learned(self, run: Any) -> list[Check]:
        rule = run.rule
        expected = (rule.name, rule.parameter, rule.geometry, rule.forgetting.forget, rule.forgetting.half_life)
        same = (self.rule, self.parameter, self.evidence.geometry, self.forget, self.half_life) == expected
        same = same and run.is_stream and (self.evidence.scale is None) == (run.scale is None)
        words = f"rule, parameter, geometry and forgetting are {'' if same else 'not '}those of the run"
        return [Check("run record", "holds" if same else "fails", words)]

    def check_replay(self, run: Replay) -> list[Check]:
        remembered = Enclosure.between(*run.remembered_between())
        longest = Enclosure.between(*run.longest_between())
        return [
            *super().check_replay(run),
            at_least("remembered by the run", self.remembered, remembered),
            at_most("longest weights of the run", self.longest, longest),
        ]

    def explain(self) -> str:
        return (
            f"Each of {counted(self.examples, 'example')} was scored by the latest weights before its label was seen. "
            f"The number of scores that were not on the side of the label was {count(self.mistakes)}. The learner "
            f"forgets ({self._forgetting_in_words()}): of {counted(self.updates, 'update')}, the weights remember "
            f"{self.remembered:.6g}. They were never longer than {above(self.longest)}. So for planes without a loss "
            "on the examples of the updates, the length of the last one and the distance by which they moved add up to "
            f"{self.least_movement():.6g} or more. No plane separates these examples with a margin above "
            f"{above(self.margin_upper_bound)}."
        )

    def claims(self) -> list[tuple[str, str]]:
        words = [
            ("mistakes", f"{count(self.mistakes)} in {counted(self.examples, 'example')}"),
            ("forgetting", self._forgetting_in_words()),
            ("remembered", f"{self.remembered:.6g} of {counted(self.updates, 'update')}"),
            ("longest weights", f"at most {above(self.longest)}"),
            ("radius", f"{self.radius:.6g}"),
            ("best margin", f"at most {above(self.margin_upper_bound)} on the examples of the updates"),
        ]
        geometry = self.evidence.geometry
        parts = ["columns scaled by what was seen of them"] * (geometry.scale is not None)
        parts += ["examples scaled to unit length"] * geometry.normalize
        return [*words, ("geometry", " and ".join(parts))] if parts else words

    def _forgetting_in_words(self) -> str:
        parts = [f"{self.forget:g} at each update"] if self.forget else []
        parts += [] if self.half_life is None else [f"a half in {counted(self.half_life, 'example')}"]
        return " and ".join(parts) or "nothing"
