"""The largest example that a running standardisation can show to a learner, docs/theory.md S."""

from __future__ import annotations

import math


def running_scale_radius(examples: int, columns: int, *, intercept: bool = False) -> float:
    """Return sqrt(d (t - 1)), the largest length of the t-th example if its columns are standardised while they come.

    Hypotheses: the mean and the standard deviation of each of d columns, with divisor t, are those of the first t
    values, the present one included, and a column that is constant so far is 0 (Samuelson 1968).

    Parameters
    ----------
    examples : int
        The number t of examples so far.
    columns : int
        The number d of columns.
    intercept : bool, default=False
        Whether a further column of ones is added.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> running_scale_radius(examples=5, columns=4)
    4.0
    """
    return math.sqrt(columns * max(0, examples - 1) + intercept)
