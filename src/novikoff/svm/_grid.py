"""The values of C of a path or a cross-validation: given, or a logarithmic grid that can be continued."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._multiclass import MulticlassStrategy
from novikoff._validation import check_integer, check_number
from novikoff.errors import input_error, quote
from novikoff.solvers.problem import Problem
from novikoff.solvers.smallest_cost import smallest_cost
from novikoff.solvers.training_set import TrainingSet
from novikoff.theory.geometry import Floats

from ._machines import rows_of_pair
from ._settings import Settings

DEFAULT_RANGE = 1e4  # ratio of the largest to the smallest C of a computed grid
FLAT = 1e-12  # scores that differ by less are equal up to rounding


def cost_grid(
    where: str, Cs: Any, C_max: float | None, data: TrainingSet, strategy: MulticlassStrategy, settings: Settings
) -> Floats:
    """Return the values of C: those given, sorted, or a logarithmic grid from the smallest useful C to ``C_max``.

    The grid of a joint problem is that of the one-vs-rest problems of its classes.
    """
    if np.ndim(Cs) > 0:
        return given_costs(where, Cs)
    count = check_integer(where, "Cs", Cs, at_least=1)

    def smallest(pair: tuple[int, int | None]) -> float:
        part, _ = rows_of_pair(data, pair)
        return smallest_cost(Problem(part.table, pair[0], settings.objective), settings.threads)

    least = min(map(smallest, strategy.pairs))
    most = DEFAULT_RANGE * least if C_max is None else check_number(where, "C_max", C_max, above=0)
    if most < least:
        raise input_error(
            where, f"C_max={most:g} is below {least:.6g}, the smallest C of the path. Use a larger C_max."
        )
    return np.geomspace(least, most, count)


def given_costs(where: str, Cs: Any) -> Floats:
    """Validate values of C, and return them sorted, without duplicates."""
    try:
        values: NDArray[np.float64] = np.asarray(Cs, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or len(values) == 0 or not np.all((values > 0) & (values < np.inf)):
        raise input_error(
            where, f"Cs must be the number of values, or a list of positive finite values, but it is {quote(Cs)}."
        )
    return np.unique(values)


def extension(Cs: Floats, mean_scores: Floats, count: int, may_rise: bool) -> Floats | None:
    """Return the values of C by which a logarithmic grid should be continued; None if it is wide enough.

    The grid is continued upwards if the best score is at its largest C or all scores are equal, and downwards if the
    score at its smallest C is better than all others.

    Parameters
    ----------
    Cs : ndarray
        The grid, increasing.
    mean_scores : ndarray
        The mean score of each C; larger ones are better.
    count : int
        The number of values to add.
    may_rise : bool
        Whether larger values are allowed.
    """
    if len(Cs) < 2 or not Cs[-1] > Cs[-2]:
        return None
    steps: Floats = (Cs[-1] / Cs[-2]) ** np.arange(1, count + 1)
    best = int(np.argmax(mean_scores >= mean_scores.max() - FLAT))  # the smallest of several
    is_flat = mean_scores.max() - mean_scores.min() <= FLAT
    if is_flat or best == len(Cs) - 1:
        return np.asarray(Cs[-1] * steps) if may_rise else None
    if best == 0 and mean_scores[0] > mean_scores[1] + FLAT:
        return np.asarray(Cs[0] / steps[::-1])
    return None
