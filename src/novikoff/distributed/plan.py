"""How an estimator is fitted in rounds: the contract, and the plan of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from novikoff._progress import ProgressCallback
from novikoff._registry import Registry

from .rounds import Rounds
from .survey import Survey


@dataclass(frozen=True)
class Fit:
    """One call of ``fit``.

    Parameters
    ----------
    where : str
        The name of the estimator, for error messages.
    model : estimator
        The estimator whose fitted attributes are to be set: a draft, which is thrown away if the fit fails.
    rounds : Rounds
        The data.
    survey : Survey
        What is known about the data.
    say : callable
        Takes progress messages and the fraction completed.
    """

    where: str
    model: Any
    rounds: Rounds
    survey: Survey
    say: ProgressCallback


class Plan(Protocol):
    """Fits one kind of estimator."""

    def __call__(self, fit: Fit) -> Warning | None:
        """Set the fitted attributes of ``fit.model``. Return what the user must be warned about, if anything."""


PLANS: Registry[Plan] = Registry(
    "distributed estimator",
    {
        "LinearSVM": "novikoff.distributed.soft_margin.plan:fit_soft_margin",
        "Perceptron": "novikoff.distributed.mixing:fit_mixing",
        "AveragedPerceptron": "novikoff.distributed.mixing:fit_mixing",
        "PassiveAggressive": "novikoff.distributed.mixing:fit_mixing",
        "PassiveAggressiveI": "novikoff.distributed.mixing:fit_mixing",
        "PassiveAggressiveII": "novikoff.distributed.mixing:fit_mixing",
    },
)
