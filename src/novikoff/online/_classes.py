"""The labels that an online learner knows, and the binary problems that it solves for them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import novikoff._core as _core
from novikoff._cached import cached_property
from novikoff._labels import Codes, encode
from novikoff._multiclass import OneVsRest
from novikoff.errors import InvalidInputError, input_error, quote

T = TypeVar("T")


@dataclass(frozen=True)
class Order:
    """The labels in ascending order, and the problem behind each column of ``decision_function``."""

    labels: list[Any]
    problems: list[int]

    def with_class(self, label: Any, problem: int) -> Order:
        """Return the order with one more class, of three or more."""
        place = bisect(self.labels, label)
        problems = [*self.problems[:place], problem, *self.problems[place:]]
        return Order([*self.labels[:place], label, *self.labels[place:]], problems)


class Classes:
    """The classes of a learner, in the order of their codes, and the problems of its kernel. They do not change.

    Declared classes are all known at the start, and the problems are those of ``OneVsRest``. Undeclared classes are
    added when they appear. A class that appears late must be learned as if it had been known from the start: its
    problem has seen all earlier examples, as negatives. So problem 0 is one without a positive class, and the problem
    of a new class starts as a copy of it. It also scores while the only class is taken for the negative one.

    ``with_class`` returns the classes with one more. The two share the dict of codes, of which each takes the first
    ``count``, so that a new class costs the same no matter how many there are. What is only needed for predictions is
    computed when it is asked for.

    Parameters
    ----------
    labels : list
        The label of each code.
    values : ndarray or None, default=None
        The same in ascending order; None to sort them.
    declared : bool, default=False
        Whether no other labels may appear.

    Attributes
    ----------
    declared : bool
        Whether no other labels may appear.
    count : int
        Number of classes.
    """

    _values: NDArray[Any] | None
    _code_of: dict[Any, int]

    def __init__(self, labels: list[Any], values: NDArray[Any] | None = None, *, declared: bool = False) -> None:
        self.declared, self.count, self._values = declared, len(labels), values
        self._code_of = {label: code for code, label in enumerate(labels)}

    @classmethod
    def of(cls, declared: NDArray[Any] | None) -> Classes:
        """Return declared classes, given in ascending order; or none, if others than these may appear."""
        return cls([]) if declared is None else cls(declared.tolist(), declared, declared=True)

    def __reduce__(self) -> Any:
        return _restored, (self.labels, self._values, self.declared, type(self))

    @property
    def labels(self) -> list[Any]:
        """The label of each code."""
        # The copy is made at once. Garbage collection may let another thread add a class while a dict is iterated over.
        return list(islice(self._code_of.copy(), self.count))

    @property
    def problem_count(self) -> int:
        """Number of problems of the kernel."""
        if not self.declared:
            return 1 + self.count
        return 1 if self.count <= 2 else self.count

    @property
    def run_count(self) -> int:
        """Number of problems over which ``fit`` makes passes of their own."""
        return self.problem_count

    @property
    def has_one_score(self) -> bool:
        """Whether the sign of one score decides."""
        return self.count <= 2

    @cached_property
    def strategy(self) -> OneVsRest:
        """The classes in ascending order, and how scores become labels."""
        labels = self._order.labels
        return OneVsRest(self._values if self._values is not None else np.array(labels) if labels else np.zeros(0))

    @property
    def problems(self) -> list[int]:
        """The problem behind each column of ``decision_function``."""
        return self._order.problems

    @cached_property
    def _order(self) -> Order:
        labels = sorted(self.labels) if self._values is None else self._values.tolist()
        positives = OneVsRest(np.array(labels)).positives if len(labels) < 3 else labels
        if self.declared:
            return Order(labels, list(range(len(positives))))
        return Order(labels, [self._problem_of(self._code_of.get(label, -1)) for label in positives])

    @property
    def codes_of_all(self) -> dict[Any, int]:
        """The codes of labels. Those from ``count`` on are not known here."""
        return self._code_of

    def code_of(self, label: Any) -> int | None:
        """Return the code of a label; None if it is not known."""
        code = self._code_of.get(label)
        return code if code is None or code < self.count else None

    def of_columns(self, of_runs: Sequence[T]) -> list[T]:
        """Return what ``fit`` found in the problems behind the columns, given that of all problems."""
        return [of_runs[q] for q in self.problems]

    def positive_codes(self) -> list[int]:
        """Return the code of the positive class of each problem; -1 for none."""
        return self.strategy.positive_codes if self.declared else list(range(-1, self.count))

    def are_problems_of(self, positives: list[int]) -> bool:
        """Whether a saved kernel with these positive classes is one of these classes."""
        return positives == self.positive_codes()

    def add_problems(self, kernel: _core.OnlineLearner) -> None:
        """Give a new kernel its problems."""
        for code in self.positive_codes():
            kernel.add_problem(code)

    def with_class(self, label: Any, kernel: _core.OnlineLearner) -> Classes:
        """Add a problem for a new class to the kernel, and return the classes with it, whose code is the next.

        The kernel may have more problems already, if a class was added that was not published. They are removed.
        """
        kernel.keep_problems(self.problem_count)
        self._add_problem(kernel)
        classes = type(self).__new__(type(self))
        classes.declared, classes.count, classes._values = self.declared, self.count + 1, None
        is_last = len(self._code_of) == self.count  # otherwise, a class was added that was not published
        classes._code_of = self._code_of if is_last else {label: code for code, label in enumerate(self.labels)}
        classes._code_of[label] = self.count
        known = vars(self).get("_order")
        if known is not None and self.count > 2:
            vars(classes)["_order"] = known.with_class(label, self._problem_of(self.count))
        return classes

    def _add_problem(self, kernel: _core.OnlineLearner) -> None:
        """Add a problem for the next class to the kernel."""
        kernel.add_problem(self.count, 0)

    def _problem_of(self, code: int) -> int:
        """Return the problem of a class that was not declared."""
        return 1 + code

    def codes(self, where: str, labels: NDArray[Any], weights: NDArray[np.float64] | None) -> Codes:
        """Return the code of each label, or -1 for a row of weight 0.

        New labels get the next codes, in the order in which they appear.
        """
        if weights is not None and not weights.all():
            codes = np.full(len(labels), -1, dtype=np.int32)
            codes[weights > 0] = self.codes(where, labels[weights > 0], None)
            return codes
        if len(labels) == 0:
            return np.zeros(0, dtype=np.int32)
        values, places = encode(where, labels)
        known = [self.code_of(value) for value in values.tolist()]
        if not self.declared:
            self.check_sortable(where, values.tolist())
        found = np.array([-1 if code is None else code for code in known], dtype=np.int32)
        if new := np.flatnonzero(found < 0).tolist():
            first = np.full(len(values), len(labels))
            np.minimum.at(first, places, np.arange(len(labels)))
            new.sort(key=first.__getitem__)
            if self.declared:
                raise self.undeclared(where, values.tolist()[new[0]], f" in row {first[new[0]]}")
            found[new] = np.arange(self.count, self.count + len(new))
        return found[places]

    def decide(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Return the labels for scores of shape (columns, rows); None while no class is known."""
        if self.count == 0:
            return np.full(scores.shape[1], None)
        return self.strategy.choose(self.strategy.combine(scores.T))

    def decide_one(self, scores: list[float]) -> Any:
        """Return the label for the scores of one example."""
        labels = self._order.labels
        if self.count <= 2:
            return labels[(self.count - 1) * (scores[0] >= 0)]
        return labels[max(range(self.count), key=scores.__getitem__)]

    def named_scores(self, scores: list[float]) -> Any:
        """Return the scores of one example: a number for two classes, and a dict from class to score for more."""
        return scores[0] if self.count <= 2 else dict(zip(self._order.labels, scores, strict=True))

    def check_sortable(self, where: str, labels: list[Any]) -> None:
        """Refuse labels that cannot be sorted together with those known."""
        known = [next(iter(self._code_of))] if self.count else []
        try:
            sorted([*known, *labels])
        except TypeError as error:
            raise input_error(where, f"labels must be of one type, so that they can be sorted: {error}.") from None

    def undeclared(self, where: str, label: Any, place: str = "") -> InvalidInputError:
        """Return the error for a label that was not declared."""
        known = quote(self._order.labels)
        return input_error(where, f"the label {quote(label)}{place} is not among the declared classes {known}.")


def _restored(labels: list[Any], values: NDArray[Any] | None, declared: bool, kind: type[Classes] = Classes) -> Classes:
    return kind(labels, values, declared=declared)
