"""Class weights: the ``class_weight`` parameter applied to a data set or to a stream."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._labels import Codes
from novikoff._validation import check_weights
from novikoff.errors import InvalidInputError, input_error, quote

MAX_EXACT_INTEGER = 2.0**53  # sums of integers up to here are exact in floating point


def row_weights(
    where: str,
    class_weight: Mapping[Any, float] | str | None,
    classes: Sequence[Any],
    codes: Codes,
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Multiply the sample weights by those of the classes. A code of -1 marks a row of weight 0.

    ``"balanced"`` gives each class the same total weight: n / (K n_c), with n and n_c sums of sample weights, so that
    a row of weight k still equals k copies of it. The sums are rounded once, so they do not depend on the row order.
    """
    if class_weight is None:
        return weights
    totals = np.zeros(len(classes))
    if is_balanced(class_weight):
        present = codes >= 0
        totals = _class_totals(codes[present], None if weights is None else weights[present], len(classes))
    of_class = class_factors(where, class_weight, classes, totals)
    product = of_class[codes] if weights is None else weights * of_class[codes]
    return check_weights(where, product, len(product))


def class_factors(
    where: str, class_weight: Mapping[Any, float] | str, classes: Sequence[Any], totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of each class, given the total sample weight of each, which only "balanced" needs."""
    if isinstance(class_weight, Mapping):
        return np.array([class_weight_of(where, class_weight, label) for label in classes])
    if not is_balanced(class_weight):
        raise bad_class_weight(where, class_weight)
    with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses weights that are not finite
        share = np.count_nonzero(totals) * totals
        return np.divide(_rounded_once(totals), share, out=np.zeros(len(classes)), where=totals > 0)


def _class_totals(codes: Codes, weights: NDArray[np.float64] | None, classes: int) -> NDArray[np.float64]:
    """Return the total weight of each class, rounded once."""
    sums = np.bincount(codes, weights, minlength=classes).astype(np.float64)
    if weights is None or (np.all(weights == np.rint(weights)) and sums.max(initial=0.0) < MAX_EXACT_INTEGER):
        return sums
    order = np.argsort(codes, kind="stable")
    parts = np.split(weights[order], np.cumsum(np.bincount(codes, minlength=classes))[:-1])
    return np.array([_rounded_once(part) for part in parts])


def _rounded_once(values: NDArray[np.float64]) -> float:
    """Return the sum of values, correctly rounded, in any order; infinity if it overflows."""
    try:
        return math.fsum(values.tolist())
    except OverflowError:
        return math.inf


def bad_class_weight(where: str, class_weight: Any) -> InvalidInputError:
    """Return the error for a class_weight of another type."""
    need = 'None, "balanced" or a dict from class to weight'
    return input_error(where, f"class_weight must be {need}, but it is {quote(class_weight)}.")


def is_balanced(class_weight: Any) -> bool:
    """Whether the classes are to have equal total weights."""
    return isinstance(class_weight, str) and class_weight == "balanced"


def class_weight_of(where: str, class_weight: Mapping[Any, float], label: Any) -> float:
    """Return the weight of a class; 1 if the dict does not have it."""
    weight = class_weight.get(label, 1.0)
    if not isinstance(weight, numbers.Real) or not 0 <= weight < np.inf:
        message = f"class weights must be finite and not negative, but class {quote(label)} has {quote(weight)}."
        raise input_error(where, message)
    return float(weight)


class RunningBalance:
    """Balanced class weights on a stream: n / (K n_c), counted over the examples so far, the present one included.

    The totals of the classes are added up example by example, and their sum is formed in ascending order. So the
    weights depend neither on how the stream is cut into batches, nor on when classes appear or how they are numbered.
    """

    def __init__(self) -> None:
        self.totals: NDArray[np.float64] = np.zeros(0)

    def weigh(self, codes: Codes, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return the weights of the next examples, and add them to the totals. A code of -1 marks a row of weight 0."""
        present = np.flatnonzero(codes >= 0)
        own, codes = np.ones(len(present)) if weights is None else weights[present], codes[present]
        totals = np.zeros((len(codes) + 1, max(len(self.totals), int(codes.max(initial=-1)) + 1)))
        totals[0, : len(self.totals)] = self.totals
        steps = np.arange(len(codes))
        totals[steps + 1, codes] = own
        totals = np.cumsum(totals, axis=0)
        self.totals, seen = totals[-1].copy(), totals[1:]
        balanced = np.zeros(len(present) if weights is None else len(weights))
        all_classes = np.cumsum(np.sort(seen, axis=1), axis=1)[:, -1] if len(codes) else own  # classes not met add 0
        balanced[present] = own * all_classes / ((seen > 0).sum(axis=1) * seen[steps, codes])
        return balanced
