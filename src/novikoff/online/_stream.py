"""Learning a batch of a stream."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._class_weights import is_balanced
from novikoff._labels import Codes
from novikoff.data.rows import csr
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import Floats

from ._classes import Classes
from ._examples import Examples
from ._sharing import Call, Steps


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of rows of a stream, each of them before it was learned.

    Parameters
    ----------
    classes : Classes
        The classes that were known.
    scores : ndarray of shape (columns, rows)
        The scores of the problems behind the columns of ``decision_function``.
    is_new : bool, default=False
        Whether the learner had learned nothing before the first row, and so knew no label, even if some were declared.
    """

    classes: Classes
    scores: Floats
    is_new: bool = False

    def labels(self) -> NDArray[Any]:
        """Return the predictions; None where no label was known."""
        found = self.classes.decide(self.scores)
        if self.is_new:
            found = found.astype(object)
            found[0] = None
        return found

    def decisions(self) -> list[tuple[list[Any], Floats]]:
        """Return the labels that were known, in ascending order, with ``decision_function``, for one run of rows each.

        Without a label, the second is an array of as many zeros as there are rows.
        """
        count = self.scores.shape[1]
        if self.classes.count == 0:
            return [([], np.zeros(count))]
        first = int(self.is_new)
        strategy = self.classes.strategy
        known = (strategy.classes.tolist(), strategy.combine(self.scores.T)[first:])
        return [([], np.zeros(1)), known] if self.is_new else [known]


def learn_batch(
    model: Any,
    publish: Callable[[], None],
    labels: NDArray[Any],
    batch: Examples,
    threads: int,
    keep: Callable[[Scored], Any] | None = None,
    is_new: bool = False,
) -> Steps[list[Any]]:
    """Learn a batch in pieces, each of which begins where a class appears for the first time.

    Parameters
    ----------
    model : OnlineClassifier
        The draft of the learner, whose classes become those with the new ones.
    publish : callable
        Called when a class was added and its first example was learned, so that an interrupt leaves both.
    labels : ndarray
        The labels of the rows.
    batch : Examples
        The rows, with codes, and weights that the kernel multiplies by those of balanced classes. They were examined.
    threads : int
        How many threads to learn on.
    keep : callable, default=None
        What to keep of the scores of the rows before they were learned; None for nothing.
    is_new : bool, default=False
        Whether the learner has learned nothing before.

    Yields
    ------
    Call
        The rows of the next piece, which the caller lets the kernel learn.

    Returns
    -------
    list
        What was kept, in pieces; empty without ``keep``.
    """
    kernel, codes = model._learner, batch.codes
    starts = first_rows(codes, np.arange(model._classes.count, int(codes.max(initial=-1)) + 1))
    balanced = np.empty(len(codes)) if is_balanced(model.class_weight) else None  # the weights, when they are known
    kept: list[Any] = []
    rule = model._learned_rule
    shared_scale = None if rule.implementation().is_joint else rule.geometry.scale

    def learn(classes: Classes, begin: int, end: int) -> Generator[Call]:
        scored = list(classes.problems) if keep else []
        scores = np.empty((len(scored), end - begin))
        yield Call(kernel, shared_scale, batch, begin, end, threads, scored, scores, balanced)
        if keep:
            kept.append(keep(Scored(classes, scores, is_new and begin == 0)))

    bounds = [*starts, len(codes)]
    if bounds[0] > 0:
        yield from learn(model._classes, 0, bounds[0])
    for begin, end in pairwise(bounds):
        known = model._classes
        try:
            model._classes = known.with_class(labels[begin : begin + 1].tolist()[0], kernel)
            yield from learn(known, begin, begin + 1)  # it is predicted before its class is known
        finally:
            publish()
        if begin + 1 < end:
            yield from learn(model._classes, begin + 1, end)
    return kept


def first_rows(codes: Codes, wanted: NDArray[Any]) -> list[int]:
    """Return the first row of each of these codes, all of which occur; they are ascending, and so are their rows."""
    if len(wanted) == 0:
        return []
    values, rows = np.unique(codes, return_index=True)
    first: list[int] = rows[np.searchsorted(values, wanted)].tolist()
    return first


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
