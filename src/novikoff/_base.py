"""Labels, weights and one-vs-rest: what every classifier here needs, written once."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._validation import check_labels, check_weights
from .errors import InvalidInputError, invalid

T = TypeVar("T")
Codes = NDArray[np.int32]
Say = Callable[[str, float | None], None]  # what happened, and the share of the way that is behind, where that is known


def encode(where: str, labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Return the sorted classes and each label's place among them.

    Two classes, the usual case, are found without sorting the labels.
    """
    if len(labels) == 0:
        return labels, np.zeros(0, dtype=np.int32)
    first = labels[0]
    is_first = labels == first
    if labels.dtype.kind in "biuf" and not is_first.all():
        second = labels[np.argmin(is_first)]
        is_second = labels == second
        if np.all(is_first | is_second):
            classes = np.array(sorted([first, second]), dtype=labels.dtype)
            return classes, (labels == classes[1]).astype(np.int32)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise invalid(where, "Labels of one kind, which can be put in order.", f"a mixture: {error}") from None
    return classes, codes.astype(np.int32).reshape(-1)


def declared_classes(where: str, classes: Any) -> NDArray[Any]:
    """Return classes that a user names up front, in order."""
    if np.ndim(classes) != 1:
        raise invalid(where, "A list of classes.", repr(classes))
    values, _ = encode(where, check_labels(where, classes, len(classes)))
    if len(values) < 2:
        raise invalid(where, "At least two classes.", repr(classes))
    return values


def row_weights(
    where: str,
    class_weight: Mapping[Any, float] | str | None,
    classes: Sequence[Any],
    codes: Codes,
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Multiply the sample weights by those of the classes. A code of -1 marks a row of weight 0.

    ``"balanced"`` gives each class the same total weight: n / (K n_c), with n and n_c sums of sample weights, so that
    a row of weight k still equals k copies of it.
    """
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise bad_class_weight(where, class_weight)
        present = codes >= 0
        totals = np.bincount(codes[present], None if weights is None else weights[present], minlength=len(classes))
        share = np.count_nonzero(totals) * totals
        of_class = np.divide(totals.sum(), share, out=np.zeros(len(classes)), where=totals > 0)
    elif not isinstance(class_weight, Mapping):
        raise bad_class_weight(where, class_weight)
    else:
        of_class = np.array([class_weight_of(where, class_weight, label) for label in classes])
    product = of_class[codes] if weights is None else weights * of_class[codes]
    return check_weights(where, product, len(product))


def bad_class_weight(where: str, class_weight: Any) -> InvalidInputError:
    """The error for a class_weight of another kind."""
    return invalid(where, "class_weight = None, 'balanced' or a dict of class to weight.", repr(class_weight))


def class_weight_of(where: str, class_weight: Mapping[Any, float], label: Any) -> float:
    """One class's weight in a dict; 1 where it is not named."""
    weight = class_weight.get(label, 1.0)
    if not isinstance(weight, numbers.Real) or not 0 <= weight < np.inf:
        raise invalid(where, "Class weights from 0 up, and finite.", f"{weight!r} for class {label!r}")
    return float(weight)


class AllOrNothing:
    """Gives an estimator its attributes back if what is inside fails or is interrupted.

    They are the same objects: what was changed within one of them stays changed.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator, self._before = estimator, estimator.__dict__.copy()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._estimator.__dict__ = self._before


class Watched:
    """A learner that tells how its ``fit`` is going: on standard error if ``verbose``, and to whoever watches."""

    verbose: int = 0
    _tell: Say | None = None

    def watch(self, tell: Say | None) -> Self:
        """Have a function told what happens during ``fit``; None ends it.

        Parameters
        ----------
        tell : takes a sentence, and the share of the way that is behind, from 0 to 1, or None where that is not known.
            It is called from the threads that solve.
        """
        self._tell = tell
        return self

    def _heard(self) -> Say | None:
        """Where to say things; None if nobody would hear them."""
        return self._say if self.verbose or self._tell is not None else None

    def _say(self, message: str, share: float | None = None) -> None:
        if self.verbose:
            print(f"[{type(self).__name__}] {message}", file=sys.stderr, flush=True)
        if self._tell is not None:
            self._tell(message, share)

    def __getstate__(self) -> Any:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_tell"}


def in_the_name_of(label: Any, say: Say | None) -> Say | None:
    """Say things of one class."""
    return None if say is None else lambda message, share: say(f"{label}: {message}", share)


@contextmanager
def in_threads(count: int) -> Iterator[Callable[[Callable[[int], T], int], list[T]]]:
    """Map a function over the numbers below n, in order, on up to ``count`` threads."""

    def in_turn(function: Callable[[int], T], n: int) -> list[T]:
        return [function(i) for i in range(n)]

    if count == 1:
        yield in_turn
        return
    with ThreadPoolExecutor(count) as pool:
        yield lambda function, n: list(pool.map(function, range(n)))


class RunningBalance:
    """Balanced class weights on a stream: n / (K n_c) by what was seen so far, the example itself included.

    The totals are summed one example after the other, so the weights do not depend on the cut into batches.
    """

    def __init__(self) -> None:
        self.totals: NDArray[np.float64] = np.zeros(0)

    def weigh(self, codes: Codes, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return the weights of the next examples, and count them in. A code of -1 marks a row of weight 0."""
        present = np.flatnonzero(codes >= 0)
        own, codes = np.ones(len(present)) if weights is None else weights[present], codes[present]
        totals = np.zeros((len(codes) + 1, max(len(self.totals), int(codes.max(initial=-1)) + 1)))
        totals[0, : len(self.totals)] = self.totals
        steps = np.arange(len(codes))
        totals[steps + 1, codes] = own
        totals = np.cumsum(totals, axis=0)
        self.totals, seen = totals[-1].copy(), totals[1:]
        balanced = np.zeros(len(present) if weights is None else len(weights))
        balanced[present] = own * seen.sum(axis=1) / ((seen > 0).sum(axis=1) * seen[steps, codes])
        return balanced
