"""A copy of an online learner whose columns have names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff.errors import input_error


def named(learner: Any, names: Sequence[str]) -> Any:
    """Return a copy of a learner that learned rows of numbered columns, with the names of these columns.

    The copy predicts and learns dicts and data frames, and its model file has the names.

    Parameters
    ----------
    learner : OnlineClassifier or Tracker
        A learner that has learned something.
    names : sequence of str
        The names of its columns. If there are more names than columns, the last ones were not learned. If there are
        none, the copy has no names.

    Returns
    -------
    copy : OnlineClassifier or Tracker
        The copy.

    Raises
    ------
    InvalidInputError
        If a column has no name.
    """
    copy = learner.snapshot()
    if not names:
        return copy
    width = copy.n_features_in_
    if len(names) < width:
        raise input_error("named", f"there must be {width} names, but there are {len(names)}.")
    for member in getattr(copy, "learners_", [copy]):
        member.feature_names_in_ = np.array(names[:width], dtype=object)
    return copy
