"""A fit on an engine, and what is known about its data and rounds."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._draft import changing
from novikoff._progress import ProgressCallback, no_progress
from novikoff.errors import input_error

from .checkpoint import CheckpointedRounds
from .opening import opened
from .plan import PLANS, Fit
from .survey import Survey, survey

WHERE = "distributed.fit"


@dataclass(frozen=True)
class Outcome:
    """A fitted estimator, and what is known about its data and rounds.

    Parameters
    ----------
    estimator : estimator
        The estimator.
    survey : Survey
        What is known about the data.
    rounds : int
        The number of rounds.
    bytes_sent : int
        The numbers, in bytes, that all commands and replies consist of.
    engine : str
        The name of the engine.
    """

    estimator: Any
    survey: Survey
    rounds: int
    bytes_sent: int
    engine: str


def fit_outcome(
    estimator: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    on: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 5,
    progress: ProgressCallback | None = None,
    **reading: Any,
) -> Outcome:
    """Fit an estimator as `fit` does, and return what is known about the data and the rounds, too."""
    if isinstance(estimator, type):
        raise input_error(WHERE, f"estimator must be an object, such as {estimator.__name__}(), not a class.")
    where = type(estimator).__name__
    if where not in PLANS:
        known = ", ".join(PLANS)
        raise input_error(WHERE, f"{where} cannot be fitted in rounds. Use one of {known}.")
    with changing(estimator) as draft, opened(WHERE, X, y, sample_weight, on, reading) as (engine, data, rounds):
        if checkpoint is not None:
            rounds = CheckpointedRounds(WHERE, rounds, checkpoint, checkpoint_every)
        found = survey(where, rounds)
        for name in ("reading_", "feature_names_in_", "fingerprint_"):  # of data that were learned before
            vars(draft.model).pop(name, None)
        warning = PLANS[where](Fit(where, draft.model, rounds, found, progress or no_progress))
        if data.reading is not None:  # it has the names, and predict takes rows without them
            draft.model.reading_ = data.reading
        elif data.feature_names is not None:
            draft.model.feature_names_in_ = np.array(data.feature_names, dtype=object)
        if isinstance(rounds, CheckpointedRounds):
            rounds.remove()
        outcome = Outcome(estimator, found, rounds.rounds, rounds.bytes_sent, engine.name)
    if warning is not None:  # after the model is published: the warning may be an error
        warnings.warn(warning, stacklevel=3)
    return outcome
