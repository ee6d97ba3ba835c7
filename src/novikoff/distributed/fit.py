"""``novikoff.distributed.fit``: an ordinary estimator, fitted on an engine."""

from __future__ import annotations

from typing import Any

from novikoff._moments import changing
from novikoff._progress import ProgressCallback, no_progress
from novikoff.errors import input_error

from .engine import choose_engine
from .plan import PLANS, Fit
from .survey import survey


def fit(
    estimator: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    on: Any = None,
    progress: ProgressCallback | None = None,
) -> Any:
    """Fit an estimator to partitioned data, on an engine.

    Parameters
    ----------
    estimator : estimator
        A ``LinearSVM``, ``HardMarginSVM``, ``Perceptron``, ``AveragedPerceptron`` or ``PassiveAggressive`` learner.
        It is fitted in place, and is then like one that was fitted on one machine.
    X : object
        The rows: a Dask array or dataframe, a Spark DataFrame, a Ray Dataset, an array, or a list of arrays, one per
        partition.
    y : object, default=None
        The labels, divided as X is. For a table, the name of its column.
    sample_weight : object, default=None
        The weights of the rows, divided as X is. For a table, the name of its column.
    on : str or client, default=None
        Where to run: ``"local"`` or ``"local:4"`` for threads of this process, ``"dask://host:8786"``, ``"spark"``,
        ``"ray"``, or a client of such a cluster. None is the engine whose collection X is, else threads.
    progress : callable, default=None
        Takes messages and the fraction completed.

    Returns
    -------
    estimator
        The estimator.
    """
    where = type(estimator).__name__
    if where not in PLANS:
        known = ", ".join(PLANS)
        raise input_error("distributed.fit", f"{where} cannot be fitted in rounds. Use one of {known}.")
    engine = choose_engine("distributed.fit", on, X)
    with changing(estimator) as draft, engine.open(engine.data("distributed.fit", X, y, sample_weight)) as rounds:
        found = survey(where, rounds)
        PLANS[where](Fit(where, draft.model, rounds, found, progress or no_progress))
    return estimator
