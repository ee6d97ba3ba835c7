"""The fast path of ``learn_one`` and ``predict_one``, which only enters the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import novikoff._core as _core
from novikoff._cached import cached_property
from novikoff._class_weights import is_balanced
from novikoff._validation import describe_bad_row
from novikoff.data.rows import as_rows, is_keyed, one_row
from novikoff.errors import input_error

from ._classes import Classes
from ._columns import names_of_columns, row_of_names


@dataclass(frozen=True)
class FastPath:
    """What one example of the usual kind needs: a dict or a row of numbers, without a weight of its own.

    It is published with the classes.

    Parameters
    ----------
    kernel : OnlineLearner
        The compiled learner.
    classes : Classes
        The classes.
    code_of : dict
        The codes of labels, of which those below ``count`` are known.
    count : int
        Number of classes.
    by_name : bool
        Whether examples are dicts; otherwise they are rows of numbers.
    width : int or None
        Number of columns of rows of numbers.
    names : sequence or None
        Names of the columns of rows of numbers; None if they are numbers, too.
    may_learn : bool
        Whether learning from an example changes nothing but the kernel.
    answers : tuple or None
        The label for a negative score, and for any other; None for more than two classes.
    problem : int
        The problem that decides between two classes.
    class_weight : object
        The ``class_weight`` of the learner. With any other, this is not its fast path.
    weight_of : callable or None
        Takes a label and 1.0, and returns the weight of its class, which the kernel checks; None if all have weight 1.
    balanced : bool
        Whether the kernel is to multiply weights by those of balanced classes.
    is_hashed : bool
        Whether the columns of names are hashed.
    """

    kernel: _core.OnlineLearner
    classes: Classes
    code_of: dict[Any, int]
    count: int
    by_name: bool
    width: int | None
    names: Sequence[Any] | None
    may_learn: bool
    answers: tuple[Any, Any] | None
    problem: int
    class_weight: Any
    weight_of: Callable[[Any, float], float] | None
    balanced: bool
    is_hashed: bool

    @classmethod
    def of(cls, model: Any) -> FastPath | None:
        """Return the fast path of a learner; None if it knows no class or no columns, or has numbered columns."""
        classes: Classes = model._classes
        if classes.count == 0 or not (model._by_name or model._width) or model._numbering is not None:
            return None
        answers, problem = None, -1
        if classes.has_one_score:
            answers, problem = (classes.decide_one([-1.0]), classes.decide_one([0.0])), classes.problems[0]
        is_plain = model._runs is None and model._stopped is None and not hasattr(model, "fingerprint_")
        may_learn = is_plain and model._learner.is_compiled
        names = None if model._by_name else names_of_columns(model)
        columns = (model._by_name, model._width, names)
        given, balanced = model.class_weight, is_balanced(model.class_weight)
        is_weighed = balanced or isinstance(given, Mapping)
        may_learn = may_learn and (given is None or is_weighed)
        weights = (given, given.get if isinstance(given, Mapping) else None, balanced)
        is_hashed = model.max_features is not None
        kernel, codes = model._learner, classes.codes_of_all
        return cls(kernel, classes, codes, classes.count, *columns, may_learn, answers, problem, *weights, is_hashed)

    @cached_property
    def column_of(self) -> dict[Any, int]:
        """The column of each name, for dicts while the kernel does not know the names."""
        names = range(self.width or 0) if self.names is None else self.names
        return {name: column for column, name in enumerate(names)}

    @property
    def is_asked_by_name(self) -> bool:
        """Whether dicts were predicted while the kernel did not know the names."""
        return "column_of" in vars(self)

    def learn_row(self, where: str, x: Any, y: Any) -> bool:
        """Learn from a row of numbers, with the weight of its class.

        Return False, without learning, if more than the kernel would change.
        """
        try:
            code = self.classes.code_of(y)
        except TypeError:  # an unhashable label
            return False
        if code is None:
            return False
        row = one_row(where, x, self.width)
        try:
            weight = 1.0 if self.weight_of is None else self.weight_of(y, 1.0)
            is_good = self.kernel.learn_row(as_rows(where, row), code, weight, self.balanced)
        except (RuntimeError, TypeError):  # a weight is 0 or bad; or another thread is inside, which the caller refuses
            return False
        if not is_good:
            raise describe_bad_row(where, row, 0)
        return True

    def decide(self, where: str, x: Any) -> Any:
        """Return the label of an example."""
        scores = kernel_scores(self.kernel, where, *self._read(where, x), self.classes.problems)
        return self.classes.decide_one(scores)

    def _read(self, where: str, x: Any) -> tuple[dict[Any, Any] | None, Any]:
        """Return an example as features, or as a row."""
        if not is_keyed(x):
            return None, one_row(where, x, self.kernel.columns if self.by_name else self.width)
        if self.by_name:
            return x if type(x) is dict else dict(x), None
        return None, row_of_names(self.column_of, self.width or 0, where, x)

    def is_for(self, x: Any) -> bool:
        """Whether it takes an example of this kind: the kernel of hashed columns must know that there are names."""
        return self.by_name or not is_keyed(x) or not self.is_hashed


def kernel_scores(
    kernel: _core.OnlineLearner, where: str, features: dict[Any, Any] | None, row: Any, problems: list[int]
) -> list[float]:
    """Return the scores of one example: a dict of features; or else a matrix of one row, or such rows of a kernel."""
    if features is not None:
        try:
            found: list[float] = kernel.score_one(features, problems)
            return found
        except ValueError as error:
            raise input_error(where, str(error)) from None
    scores = np.empty((len(problems), 1))
    is_checked = isinstance(row, _core.Rows)
    if kernel.score(problems, row if is_checked else as_rows(where, row), scores) == 0:
        if is_checked:
            raise input_error(where, "the squared norm of the features overflows to inf or underflows.")
        raise describe_bad_row(where, row, 0)
    values: list[float] = scores[:, 0].tolist()
    return values
