"""The plan of ``LinearSVM``: its binary problems, solved together, and their certificates."""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._class_weights import class_factors
from novikoff._multiclass import AUTO, STRATEGIES, MulticlassStrategy, auto_strategy, strategy_of_classes
from novikoff._progress import Progress
from novikoff._validation import check_weights
from novikoff.errors import input_error
from novikoff.solvers.problem import Objective, refuse_uncomputable, scale_of
from novikoff.svm.partitioned import Settings, requested, set_solutions
from novikoff.theory.geometry import Floats

from ..moments import default_cost, occurring_columns
from ..plan import Fit
from ..survey import Survey
from .advance import run_together
from .budget import MAX_GRAM_COLUMNS, MAX_HELD, bytes_of_all, problems_at_a_time
from .certify import Certified, certify
from .cocoa import solve_by_descent
from .gathering import solve_by_gathering
from .progress import Options, Outcome, Record
from .second_order import solve_second_order
from .setup import Setup, begin


def fit_soft_margin(fit: Fit) -> Warning | None:
    """Fit a ``LinearSVM``: a plan."""
    model, where = fit.model, fit.where
    settings, has_default_cost, name = requested(where, model)
    classes, counts = fit.survey.classes(where)
    factors = _factors(where, model.class_weight, classes.tolist(), counts)
    columns = occurring_columns(fit.rounds, fit.survey)
    if has_default_cost:
        centered = settings.objective.intercept != "none"
        C = default_cost(fit.rounds, fit.survey, tuple(classes.tolist()), factors, centered)
        settings = settings.with_cost(C)
    strategy = _strategy(name, classes, counts, fit, columns)
    setup = _setup(fit, settings.objective, strategy, factors, columns)
    fit.rounds.run(begin, setup)
    return _set_solutions(fit, strategy, _solve(fit, settings, setup, strategy))


def _factors(where: str, class_weight: Any, classes: list[Any], counts: Floats) -> Floats | None:
    """Return the weights of the classes; None if there are none."""
    if class_weight is None:
        return None
    factors = class_factors(where, class_weight, classes, counts)
    check_weights(where, factors, len(factors))
    if np.any(factors == 0):
        raise input_error(where, "all rows of a class have zero weight. Each class needs a positive one.")
    return factors


def _strategy(
    name: str, classes: NDArray[Any], counts: Floats, fit: Fit, columns: NDArray[np.int64] | None
) -> MulticlassStrategy:
    if name == AUTO:
        width = fit.survey.columns if columns is None else len(columns)
        name = auto_strategy(len(classes), fit.survey.count, width, fit.survey.is_sparse)
    return STRATEGIES[strategy_of_classes(name, len(classes))](classes, counts)


def _setup(
    fit: Fit,
    objective: Objective,
    strategy: MulticlassStrategy,
    factors: Floats | None,
    columns: NDArray[np.int64] | None,
) -> Setup:
    survey = fit.survey
    scale = scale_of(survey.largest, survey.elements / survey.count)
    if survey.largest > 0:
        refuse_uncomputable(scale, objective.C)
    return Setup(
        classes=tuple(strategy.classes.tolist()),
        factors=factors,
        pairs=tuple((high, -1 if low is None else low) for high, low in strategy.pairs),
        columns=columns,
        total_columns=survey.columns,
        firsts=tuple(survey.firsts),
        C=objective.C,
        loss=objective.loss.name,
        intercept=objective.intercept,
        scale=scale,
        largest=survey.largest,
    )


def _solve(fit: Fit, settings: Settings, setup: Setup, strategy: MulticlassStrategy) -> list[Certified]:
    """Solve and certify all problems, which advance together, as many as the driver has memory for."""
    names = [f"class {positive}" for positive in strategy.positives]
    progress = Progress(fit.say, names)
    records: dict[int, Record] = {}
    most = problems_at_a_time(setup, fit.survey, MAX_HELD)
    options = Options(
        settings.objective.tol,
        settings.max_iter,
        settings.threads,
        settings.seed,
        fit.rounds.count,
        max_gathered=MAX_HELD // most,
        deadline=time.perf_counter() + settings.max_time if settings.max_time < math.inf else math.inf,
    )
    survey, squared = fit.survey, (setup.scale * fit.survey.largest) ** 2
    mean_square = squared * survey.elements / survey.count

    def solver(place: int) -> Generator[Any, Any, Certified]:
        with progress.problem(place) as say:
            record = records[place] = Record(setup.C, say)
            if setup.width <= MAX_GRAM_COLUMNS:
                outcome = yield from solve_second_order(setup, survey.count, record, options)
            else:
                outcome = yield from _solve_wide(setup, survey, mean_square, record, options)
            return (yield from certify(setup, place, outcome, record, options.tol, survey))

    def count(place: int) -> None:
        records[place].rounds += 1

    return run_together(fit.rounds, [solver(place) for place in range(len(names))], count, most)


def _solve_wide(
    setup: Setup, survey: Survey, mean_square: float, record: Record, options: Options
) -> Generator[Any, Any, Outcome]:
    """Solve a problem of wide rows on the driver if it can hold them, else by coordinate descent."""
    start = None
    if bytes_of_all(survey) <= options.max_gathered:
        outcome = yield from solve_by_gathering(setup, record, options)
        if outcome.is_done:
            return outcome
        start = outcome.v
    return (yield from solve_by_descent(setup, mean_square, record, options, start))


def _set_solutions(fit: Fit, strategy: MulticlassStrategy, certified: list[Certified]) -> Warning | None:
    """Set the fitted attributes. The classes of rows that are not support vectors are not needed."""
    codes = np.full(fit.survey.count, -1, dtype=np.int32)
    for (positive, negative), found in zip(strategy.pairs, certified, strict=True):
        codes[found.duals.rows[found.is_positive]] = positive
        if negative is not None:
            codes[found.duals.rows[~found.is_positive]] = negative
    certificates, histories = [found.certificate for found in certified], [found.history for found in certified]
    return set_solutions(fit.where, fit.model, strategy, certificates, codes, histories, fit.survey.columns)
