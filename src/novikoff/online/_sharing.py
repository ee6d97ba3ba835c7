"""Learners that learn from one batch together: its rows are examined once, and scaled once if the scales are equal."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

import novikoff._core as _core
from novikoff.theory.geometry import Floats

from ._examples import Examples

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Call:
    """Rows of a batch that a kernel is to learn next.

    Parameters
    ----------
    kernel : OnlineLearner
        The kernel.
    scale : str or None
        How it scales the columns; None if it does not, or alone, as classes that are learned together do.
    batch : Examples
        All rows.
    begin, end : int
        Which rows to learn.
    threads : int
        How many threads to learn on.
    scored : list of int
        The problems whose scores are wanted, before each row is learned.
    scores : ndarray of shape (len(scored), end - begin)
        Where to put them.
    balanced : ndarray or None
        Where to put the weights if classes are balanced.
    """

    kernel: _core.OnlineLearner
    scale: str | None
    batch: Examples
    begin: int
    end: int
    threads: int
    scored: list[int]
    scores: Floats
    balanced: Floats | None

    def run(self) -> None:
        """Learn the rows."""
        arrays = (self.batch.rows, self.batch.codes, self.batch.weights, self.batch.squared_norms)
        scores = self.scores if self.scored else None
        self.kernel.learn_all(*arrays, self.begin, self.end, self.threads, self.scored, scores, self.balanced)


Steps = Generator[Call, None, T]  # yields what is to be learned, and continues when that was done


def finished(steps: Steps[T]) -> T:
    """Let one learner learn all that it is to learn, and return what its steps return."""
    try:
        while True:
            next(steps).run()
    except StopIteration as end:
        result: T = end.value
        return result


def in_step(learners: Sequence[Steps[T]]) -> list[T]:
    """Let several learners learn the same rows at the same time, and return what the steps of each return."""
    results: dict[int, T] = {}
    calls: list[Call] = []
    are_same = False
    while len(results) < len(learners):
        is_first, calls = not calls, []
        for place, steps in enumerate(learners):
            try:
                calls += [next(steps)] if place not in results else []
            except StopIteration as end:
                results[place] = end.value
        if is_first:
            are_same = all(_are_same(calls[0].batch, call.batch) for call in calls[1:])
        for scale in dict.fromkeys(call.scale for call in calls):
            group = [call for call in calls if call.scale == scale]
            if scale is None or not are_same or not _run_together(group):
                for call in group:
                    call.run()
    return [results[place] for place in range(len(learners))]


def _run_together(calls: Sequence[Call]) -> bool:
    """Let kernels with equal scales learn together. Return False, without learning, if they cannot."""
    first, batch = calls[0], calls[0].batch
    spans = {(call.begin, call.end, call.threads) for call in calls}
    is_possible = all(call.balanced is None and call.kernel.is_compiled for call in calls)
    if len(calls) < 2 or len(spans) > 1 or not is_possible:
        return False
    arrays = (batch.rows, batch.codes, batch.weights, batch.squared_norms)
    scored, scores = [call.scored for call in calls], [call.scores for call in calls]
    kernels = [call.kernel for call in calls]
    return _core.learn_together(kernels, *arrays, first.begin, first.end, first.threads, scored, scores)


def examine_once(where: str, batch: Examples, known: Examples | None) -> None:
    """Check every row of a batch, unless these rows have been checked for another learner."""
    if known is not None and known.examined and _has_same_rows(known.X, batch.X):
        batch.squared_norms, batch.examined = known.squared_norms, True
    else:
        batch.examine(where)


def _are_same(a: Examples, b: Examples) -> bool:
    """Return whether rows, codes and weights are equal."""
    if a.weights is None or b.weights is None:
        has_same_weights = a.weights is b.weights
    else:
        has_same_weights = np.array_equal(a.weights, b.weights)
    return has_same_weights and np.array_equal(a.codes, b.codes) and _has_same_rows(a.X, b.X)


def _has_same_rows(a: Any, b: Any) -> bool:
    """Return whether two matrices have the same form and the same numbers, in the same memory or not."""
    if a is b:
        return True
    if type(a) is not type(b) or a.shape != b.shape:
        return False
    pairs = [(a.data, b.data), (a.indices, b.indices), (a.indptr, b.indptr)] if sp.issparse(a) else [(a, b)]
    return all(_is_same_memory(own, other) or _is_equal(own, other) for own, other in pairs)


def _is_same_memory(a: Any, b: Any) -> bool:
    places = [(x.__array_interface__["data"][0], x.shape, x.strides, x.dtype) for x in (a, b)]
    return bool(places[0] == places[1])


def _is_equal(a: Any, b: Any) -> bool:
    return bool(a.dtype == b.dtype and a.strides == b.strides and np.array_equal(a, b))
