"""Learning a batch of a stream."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._threads import in_threads
from novikoff.data.rows import csr
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import Floats

from ._classes import Classes
from ._cycle import Examples


def learn_batch(
    kernel: _core.OnlineLearner,
    classes: Classes,
    add_class: Callable[[Any], Classes],
    labels: NDArray[Any],
    batch: Examples,
    threads: int,
    predict: bool = False,
) -> list[NDArray[Any]]:
    """Learn a batch in pieces, each of which begins where a class appears for the first time.

    Parameters
    ----------
    kernel : OnlineLearner
        Learns from the batch.
    classes : Classes
        The classes known before the batch.
    add_class : callable
        Takes a new label and returns the classes with it.
    labels : ndarray
        The labels of the rows.
    batch : Examples
        The rows, with codes and weights. They were examined.
    threads : int
        How many problems to learn at once.
    predict : bool, default=False
        Whether to predict each row before it is learned from.

    Returns
    -------
    list of ndarray
        The predictions, in pieces; empty without ``predict``.
    """
    codes, known = batch.codes, len(classes.labels)
    starts = [int(np.argmax(codes == code)) for code in range(known, int(codes.max(initial=-1)) + 1)]
    predictions = []
    for begin, end in zip([0, *starts], [*starts, len(codes)], strict=True):
        if begin == end:
            continue
        before = copy.copy(classes)
        if begin in starts:
            classes = add_class(labels[begin : begin + 1].tolist()[0])
        scored = {*before.problems, *classes.problems} if predict else None
        scores = _learn_piece(kernel, batch, begin, end, threads, scored)
        if predict:  # the first row of a new class is predicted before that class is known
            new = 1 if begin in starts else 0
            predictions += [before.decide(scores[:, :new]), classes.decide(scores[:, new:])]
    return predictions


def _learn_piece(
    kernel: _core.OnlineLearner, batch: Examples, begin: int, end: int, threads: int, scored: set[int] | None
) -> Floats:
    """Learn rows from ``begin`` to ``end``; return the scores that the problems in ``scored`` gave them before."""
    scores = np.empty((kernel.problems, 0 if scored is None else len(batch.codes)))

    def learn(q: int) -> None:
        arrays = (batch.rows, batch.codes, batch.weights, batch.squared_norms, None, None, begin, end)
        kernel.learn(q, *arrays, scores[q] if scored and q in scored else None)

    with in_threads(min(threads, kernel.problems)) as each:
        each(learn, kernel.problems)
    return scores[:, begin:end]


def joined_columns(
    where: str, known: Sequence[str] | None, names: Sequence[str] | None, may_grow: bool
) -> Sequence[str] | None:
    """Return the names of the columns before and with a batch, of which both must begin with the same columns.

    Parameters
    ----------
    where : str
        The learner, for error messages.
    known : sequence of str or None
        The names before the batch; None if the columns had no names.
    names : sequence of str or None
        The names of the columns of the batch.
    may_grow : bool
        Whether columns may be added at the end, or be absent there, as in a stream of sparse rows.
    """
    if known is None or known is names:
        return names
    if names is not None and (may_grow or len(names) == len(known)):
        shared = min(len(names), len(known))
        if tuple(known[:shared]) == tuple(names[:shared]):
            return names if len(names) > shared else known
    found = "this batch has columns without names" if names is None else f"this batch has {quote(list(names))}"
    raise input_error(where, f"the columns were {quote(list(known))} before, but {found}.")


def widened(X: Any, width: int) -> Any:
    """Return sparse rows with more columns, which are all 0."""
    return X if X.shape[1] == width else csr(X.data, X.indices, X.indptr, width)


def refuse_labels_beside(where: str, y: Any, sample_weight: Any) -> None:
    """Refuse labels or weights next to a stream or a batch, which has its own."""
    if y is not None or sample_weight is not None:
        name = "y" if y is not None else "sample_weight"
        raise input_error(where, f"{name} must not be given with a stream or one of its batches, which have their own.")
