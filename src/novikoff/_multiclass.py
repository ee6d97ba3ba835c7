"""How several classes become scores, and scores become labels: four multiclass strategies of one contract.

A classifier computes one score for each of its weight vectors. ``combine`` makes of them what ``decision_function``
returns: one number per row for two classes, one per class for more. ``choose`` makes of these the predicted labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
AUTO = "auto"
MAX_PAIR_CLASSES = 50  # "auto" takes one-vs-one up to this number of classes, which make 1,225 pairs
MAX_PAIR_WEIGHTS = 50_000_000  # and up to this number of weights of all pairs together, which take 400 MB
MAX_SCORE = 1e300  # larger sums of scores count as this one, so that the tie-break is finite


class MulticlassStrategy(Protocol):
    """How a classifier of two or more classes is made of weight vectors."""

    name: ClassVar[str]
    is_joint: ClassVar[bool]  # whether all weight vectors solve one problem, and so have one certificate

    @property
    def classes(self) -> NDArray[Any]:
        """The labels in ascending order."""

    @property
    def counts(self) -> Floats | None:
        """The weight of the training rows of each class, which decides ties; None if it is not known."""

    @property
    def pairs(self) -> list[tuple[int, int | None]]:
        """For each weight vector, the codes of its positive and its negative class; None stands for all others."""

    @property
    def positives(self) -> list[Any]:
        """The label that a positive score favours, one for each weight vector."""

    def combine(self, scores: Floats) -> Floats:
        """Return the result of ``decision_function``, given scores of shape (rows, weight vectors)."""

    def choose(self, decisions: Floats) -> NDArray[Any]:
        """Return the predicted labels for the result of ``decision_function``."""


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """One binary problem for two classes, the last against the first; for more, one problem per class.

    While a stream has shown only one class, the other may be larger or smaller. A label of 0 or less is taken for the
    first of two, as in 0 and 1 or -1 and +1, and any other for the last.

    Parameters
    ----------
    classes : ndarray
        The labels in ascending order.
    counts : ndarray or None, default=None
        The weight of the training rows of each class. Exact ties go to the class with the largest weight; without it,
        a score of 0 goes to the positive of two classes, and a tie to the first of more.
    """

    name: ClassVar[str] = "ovr"
    is_joint: ClassVar[bool] = False
    classes: NDArray[Any]
    counts: Floats | None = None

    @property
    def is_binary(self) -> bool:
        """Whether one score decides."""
        return len(self.classes) <= 2

    @property
    def positive_codes(self) -> list[int]:
        """The index in ``classes`` of the positive class of each binary problem."""
        return [len(self.classes) - 1] if self.is_binary else list(range(len(self.classes)))

    @property
    def pairs(self) -> list[tuple[int, int | None]]:
        """The positive class of each binary problem, against all others."""
        return [(code, None) for code in self.positive_codes]

    @property
    def positives(self) -> list[Any]:
        """The label that each binary problem calls +1; None for one that is not known yet."""
        labels: list[Any] = self.classes.tolist()
        if len(labels) == 1 and isinstance(labels[0], int | float) and labels[0] <= 0:
            return [None]
        return labels[-1:] if self.is_binary else labels

    def combine(self, scores: Floats) -> Floats:
        """Return scores of shape (rows, problems) as ``decision_function`` does: one dimension for two classes."""
        return scores[:, 0] if self.is_binary else scores

    def choose(self, decisions: Floats) -> NDArray[Any]:
        """Return the predicted labels."""
        return choose_largest(self.classes, self.counts, decisions)

    def per_problem(self, values: list[Any]) -> Any:
        """Return the fitted attribute for the values of all problems: one value for two classes, a list for more."""
        return values[0] if self.is_binary else values

    def as_list(self, value: Any) -> list[Any]:
        """Return a fitted attribute as a list with one entry per problem, None where it is missing."""
        values = [value] if self.is_binary or value is None else list(value)
        return values + [None] * (len(self.positives) - len(values))


@dataclass(frozen=True, eq=False)
class OneVsOne:
    """One binary problem for each pair of three or more classes, learned from the rows of these two classes.

    Each problem votes for one class. The class with the most votes is predicted; among classes with equally many, the
    one with the largest sum of scores.

    Parameters
    ----------
    classes : ndarray
        The labels in ascending order.
    counts : ndarray or None, default=None
        The weight of the training rows of each class, which decides exact ties.
    """

    name: ClassVar[str] = "ovo"
    is_joint: ClassVar[bool] = False
    classes: NDArray[Any]
    counts: Floats | None = None

    @property
    def pairs(self) -> list[tuple[int, int | None]]:
        """All pairs (later class, earlier class), in the order (1, 0), (2, 0), ..., (2, 1), ...

        As for two classes, the later class is the positive one.
        """
        return [(high, low) for low, high in combinations(range(len(self.classes)), 2)]

    @property
    def positives(self) -> list[Any]:
        """The later class of each pair."""
        labels = self.classes.tolist()
        return [labels[positive] for positive, _ in self.pairs]

    def combine(self, scores: Floats) -> Floats:
        """Return the votes of each class, plus a part of less than 1/2 that orders classes by their sum of scores.

        The part is s / (3 (|s| + 1)) for a sum of scores s, so it lies between -1/3 and 1/3. A score of exactly 0 is
        half a vote for both classes.
        """
        by_pair, total = np.ascontiguousarray(scores.T), len(self.classes)
        won_minus_lost, sums, first = np.zeros((total, len(scores))), np.zeros((total, len(scores))), 0
        with np.errstate(over="ignore"):  # a sum that overflows is clipped below
            for low in range(total - 1):  # the problems of the later classes against this one follow each other
                own = by_pair[first : first + total - 1 - low]
                signs = np.sign(own)
                won_minus_lost[low + 1 :] += signs
                won_minus_lost[low] -= signs.sum(axis=0)
                sums[low + 1 :] += own
                sums[low] -= own.sum(axis=0)
                first += len(own)
        sums = np.clip(sums, -MAX_SCORE, MAX_SCORE)
        votes = 0.5 * won_minus_lost + 0.5 * (total - 1)
        decisions: Floats = np.ascontiguousarray((votes + sums / (3 * (np.abs(sums) + 1))).T)
        return decisions

    def choose(self, decisions: Floats) -> NDArray[Any]:
        """Return the predicted labels."""
        return choose_largest(self.classes, self.counts, decisions)


@dataclass(frozen=True, eq=False)
class CrammerSinger:
    """One weight vector per class, found in one joint problem; the largest score wins.

    Parameters
    ----------
    classes : ndarray
        The labels in ascending order.
    counts : ndarray or None, default=None
        The weight of the training rows of each class, which decides exact ties.
    """

    name: ClassVar[str] = "crammer_singer"
    is_joint: ClassVar[bool] = True
    classes: NDArray[Any]
    counts: Floats | None = None

    @property
    def pairs(self) -> list[tuple[int, int | None]]:
        """Each class, against all others."""
        return [(code, None) for code in range(len(self.classes))]

    @property
    def positives(self) -> list[Any]:
        """The classes."""
        labels: list[Any] = self.classes.tolist()
        return labels

    def combine(self, scores: Floats) -> Floats:
        """Return the scores; for two classes, that of the last minus that of the first."""
        return scores[:, 1] - scores[:, 0] if len(self.classes) == 2 else scores

    def choose(self, decisions: Floats) -> NDArray[Any]:
        """Return the predicted labels."""
        return choose_largest(self.classes, self.counts, decisions)


@dataclass(frozen=True, eq=False)
class Kesler(CrammerSinger):
    """One weight vector per class, learned online in one joint problem, Kesler's; the largest score wins.

    A stream may have shown one class only.

    Parameters
    ----------
    classes : ndarray
        The labels in ascending order.
    counts : ndarray or None, default=None
        The weight of the training rows of each class, which decides exact ties.
    """

    name: ClassVar[str] = "kesler"

    @property
    def is_binary(self) -> bool:
        """Whether one score decides."""
        return len(self.classes) <= 2

    def combine(self, scores: Floats) -> Floats:
        """Return the scores; for two classes, that of the last minus that of the first."""
        return scores[:, 0] if len(self.classes) == 1 else super().combine(scores)


STRATEGIES: dict[str, Callable[[NDArray[Any], Floats | None], MulticlassStrategy]] = {
    strategy.name: strategy for strategy in (OneVsRest, OneVsOne, CrammerSinger, Kesler)
}
BATCH_STRATEGIES = tuple(name for name in STRATEGIES if name != Kesler.name)  # of support vector machines


def auto_strategy(classes: int, rows: int, features: int, is_sparse: bool) -> str:
    """Return the name of the strategy that ``multi_class="auto"`` stands for.

    One-vs-one is the most accurate one on most data, and costs about as much time as one-vs-rest, because each of its
    problems has only the rows of two classes. Its K (K - 1) / 2 weight vectors take more memory, so one-vs-rest is
    chosen for more than 50 classes, or if all weight vectors together had more than 50 million weights. It is chosen
    also for sparse rows with more columns than rows, such as texts: most words are in few rows of any two classes, and
    one-vs-rest learns from all of them.

    Parameters
    ----------
    classes : int
        The number of classes K.
    rows : int
        The number of rows.
    features : int
        The number of columns that occur.
    is_sparse : bool
        Whether the rows are sparse.
    """
    pairs = classes * (classes - 1) // 2
    is_affordable = classes <= MAX_PAIR_CLASSES and pairs * features <= MAX_PAIR_WEIGHTS
    is_text_like = is_sparse and features > rows
    return "ovo" if classes > 2 and is_affordable and not is_text_like else "ovr"


def strategy_of_classes(name: str, classes: int) -> str:
    """Return the name of the strategy that ``multi_class=name`` makes for this number of classes.

    Two classes make one binary problem, whether it is called one-vs-one or one-vs-rest; its strategy is ``"ovr"``.
    """
    return "ovr" if name == "ovo" and classes <= 2 else name


def sides(strategy: MulticlassStrategy) -> list[tuple[Any, Any]]:
    """Return the positive and the negative label of each weight vector; None stands for all others."""
    labels, pairs = strategy.classes.tolist(), zip(strategy.positives, strategy.pairs, strict=True)
    return [(positive, None if negative is None else labels[negative]) for positive, (_, negative) in pairs]


def side_name(positive: Any, negative: Any) -> str:
    """Return what to call a weight vector: "7", or "7 against 9"."""
    return str(positive) if negative is None else f"{positive} against {negative}"


def tie_order(total: int, counts: Floats | None) -> NDArray[np.intp]:
    """Return the codes of the classes in the order in which exact ties are decided: most frequent first."""
    return np.arange(total) if counts is None else np.argsort(-counts, kind="stable")


def choose_largest(classes: NDArray[Any], counts: Floats | None, decisions: Floats) -> NDArray[Any]:
    """Return the labels of the largest decisions, or of the sign of one per row; exact ties by frequency."""
    codes: NDArray[np.intp]
    if decisions.ndim == 1:
        last = len(classes) - 1
        is_last = decisions >= 0 if counts is None or counts[last] >= counts[0] else decisions > 0
        codes = is_last.astype(np.intp) * last
    else:
        order = tie_order(len(classes), counts)
        codes = order[decisions[:, order].argmax(axis=1)]
    labels: NDArray[Any] = classes[codes]
    return labels
