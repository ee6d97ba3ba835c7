"""The labels of an online learner of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import InvalidInputError, input_error, quote

from ._classes import Classes


class TwoClasses(Classes):
    """Classes of a learner that refuses a third one."""

    @classmethod
    def of(cls, declared: NDArray[Any] | None) -> Classes:
        """Return two declared classes, given in ascending order; or none, if they may appear later."""
        if declared is not None and len(declared) > 2:
            raise _too_many("classes", declared.tolist())
        return super().of(declared)

    def check_sortable(self, where: str, labels: list[Any]) -> None:
        """Refuse labels that cannot be sorted together with those known, or are too many with them."""
        super().check_sortable(where, labels)
        if len(every := {*self.labels, *labels}) > 2:
            raise _too_many(where, np.unique(np.array(list(every), dtype=object)).tolist())


def _too_many(where: str, labels: list[Any]) -> InvalidInputError:
    remedy = "Leave out all rows but those of two labels, or use another online learner"
    return input_error(where, f"Only binary classification is supported. The labels are {quote(labels)}. {remedy}.")
