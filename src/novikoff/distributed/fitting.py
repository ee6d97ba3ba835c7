"""``novikoff.distributed.fit``: an ordinary estimator, fitted on an engine."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._draft import Draft, change
from novikoff._progress import ProgressCallback, no_progress
from novikoff.errors import input_error

from .checkpoint import CheckpointedRounds
from .opening import opened
from .plan import PLANS, Fit
from .survey import Survey, survey

WHERE = "distributed.fit"


def fit(
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
) -> Any:
    """Fit an estimator to partitioned data, on an engine.

    Parameters
    ----------
    estimator : estimator
        A ``LinearSVM``, ``Perceptron``, ``AveragedPerceptron`` or ``PassiveAggressive`` learner.
        It is fitted in place, and is then like one that was fitted on one machine.
    X : object
        The rows: a Dask array or dataframe, a Spark DataFrame, an array, or a list of arrays, one per partition. Or
        files: a path, a pattern such as ``"clicks/*.parquet"``, a directory, or a list of these, of
        Parquet, svmlight, CSV, TSV or NDJSON, which may be compressed. Each row group of a Parquet file, each 64 MiB of
        svmlight text and each other file is a partition, which is read on a worker; all workers must have the files
        under the same names.
    y : object, default=None
        The labels, divided as X is. For a table, the name of its column.
    sample_weight : object, default=None
        The weights of the rows, divided as X is. For a table, the name of its column.
    on : str or client, default=None
        Where to run: ``"local"`` or ``"local:4"`` for threads of this process, ``"dask://host:8786"``, ``"spark"``,
        or a client of such a cluster. None is the engine whose collection X is, else threads.
    checkpoint : path, default=None
        A directory that keeps the state of the fit. The same call goes on from there after the process was ended, with
        the same result, bit for bit. The files are removed when the fit is done.
    checkpoint_every : int, default=5
        The number of rounds between two checkpoints.
    progress : callable, default=None
        Takes messages and the fraction completed.
    **reading : dict
        Options of ``scan`` for files: format, target, features, exclude, weight, text, missing ("error", "zero" or
        "indicator"), hashing and those of delimited text for tables; n_features, index_base (0, 1, or "auto", which
        is decided for all files by the first one) and dtype for svmlight. Columns of strings need ``hashing``: its
        settings travel with the partitions, so columns agree without a pass over the data. ``slice_bytes`` is the size
        of a partition of svmlight text.

    Returns
    -------
    estimator
        The estimator. If X is files, ``reading_`` keeps how they became rows.

    See Also
    --------
    verify : Checks the certificates on partitioned data.

    Examples
    --------
    >>> import numpy as np
    >>> import novikoff as nk
    >>> X = [np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([[1.0, 3.0], [3.0, 0.0]])]
    >>> y = [np.array([0, 1]), np.array([0, 1])]
    >>> model = nk.distributed.fit(nk.LinearSVM(C=10.0), X, y, on="local:2")
    >>> model.predict([[2.5, 0.5]]), model.certificate_.converged
    (array([1]), True)
    """
    options = {"on": on, "checkpoint": checkpoint, "checkpoint_every": checkpoint_every, "progress": progress}
    return fit_outcome(estimator, X, y, sample_weight, **options, **reading).estimator


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

    def work(draft: Draft) -> tuple[Outcome, Warning | None]:
        with opened(WHERE, X, y, sample_weight, on, reading) as (engine, data, rounds):
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
            return Outcome(estimator, found, rounds.rounds, rounds.bytes_sent, engine.name), warning

    outcome, warning = change(estimator, work)
    if warning is not None:  # after the model is published: the warning may be an error
        warnings.warn(warning, stacklevel=3)
    return outcome
