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
from novikoff._validation import check_flag, check_weights
from novikoff.errors import input_error
from novikoff.solvers.problem import refuse_uncomputable, scale_of
from novikoff.svm._multiclass_choice import check_multi_class
from novikoff.svm._settings import Settings, check_verbose
from novikoff.svm._state import Support
from novikoff.theory.geometry import Floats

from ..moments import default_cost, occurring_columns
from ..plan import Fit
from ..survey import Survey
from .advance import run_together
from .certify import Certified, certify
from .cocoa import solve_by_descent
from .gathering import solve_by_gathering
from .progress import Options, Outcome, Record
from .second_order import solve_second_order
from .setup import Setup, begin

MAX_GRAM_COLUMNS = 3000  # up to which matrices of columns x columns are summed
BYTES_PER_ELEMENT = 12  # of sparse rows


def fit_soft_margin(fit: Fit) -> None:
    """Fit a ``LinearSVM``."""
    model, where = fit.model, fit.where
    model._forget_reading()
    settings = Settings.of(where, model, model._cost(where) or 1.0)
    if check_flag(where, "probability", model.probability):
        raise input_error(where, "probability=True is not supported on partitioned data. Use probability=False.")
    check_verbose(where, model.verbose)
    name = check_multi_class(where, model)
    classes, counts = fit.survey.classes(where)
    factors = _factors(where, model.class_weight, classes.tolist(), counts)
    columns = occurring_columns(fit.rounds, fit.survey)
    centered = settings.objective.intercept != "none"
    C = model._cost(where) or default_cost(fit.rounds, fit.survey, tuple(classes.tolist()), factors, centered)
    strategy = _strategy(where, name, classes, counts, fit, columns)
    setup = _setup(fit, settings.with_cost(C), strategy, factors, columns)
    fit.rounds.run(begin, setup)
    certified = _solve(fit, settings, setup, strategy)
    _set_attributes(fit, strategy, certified)


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
    where: str, name: str, classes: NDArray[Any], counts: Floats, fit: Fit, columns: NDArray[np.int64] | None
) -> MulticlassStrategy:
    if name == AUTO:
        width = fit.survey.columns if columns is None else len(columns)
        name = auto_strategy(len(classes), fit.survey.count, width, fit.survey.is_sparse)
    strategy = STRATEGIES[strategy_of_classes(name, len(classes))](classes, counts)
    if strategy.is_joint:
        message = 'multi_class="crammer_singer" is not supported on partitioned data. Use multi_class="ovr" or "ovo".'
        raise input_error(where, message)
    return strategy


def _setup(
    fit: Fit,
    settings: Settings,
    strategy: MulticlassStrategy,
    factors: Floats | None,
    columns: NDArray[np.int64] | None,
) -> Setup:
    objective, survey = settings.objective, fit.survey
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
    """Solve and certify all problems, which advance together."""
    names = [f"class {positive}" for positive in strategy.positives]
    progress = Progress(fit.say, names)
    records = [Record(setup.C, progress.listener(place)) for place in range(len(names))]
    options = Options(
        settings.objective.tol,
        settings.max_iter,
        settings.threads,
        settings.seed,
        fit.rounds.count,
        deadline=time.perf_counter() + settings.max_time if settings.max_time < math.inf else math.inf,
    )
    survey, squared = fit.survey, (setup.scale * fit.survey.largest) ** 2
    mean_square = squared * survey.elements / survey.count

    def solver(place: int) -> Generator[Any, Any, Certified]:
        record = records[place]
        if setup.width <= MAX_GRAM_COLUMNS:
            outcome = yield from solve_second_order(setup, survey.count, record, options)
        else:
            outcome = yield from _solve_wide(setup, survey, mean_square, record, options)
        return (yield from certify(setup, place, outcome, record, options.tol, survey))

    def count(place: int) -> None:
        records[place].rounds += 1

    return run_together(fit.rounds, [solver(place) for place in range(len(names))], count)


def _solve_wide(
    setup: Setup, survey: Survey, mean_square: float, record: Record, options: Options
) -> Generator[Any, Any, Outcome]:
    """Solve a problem of wide rows on the driver if it can hold those that decide, else by coordinate descent."""
    if survey.elements * BYTES_PER_ELEMENT <= options.max_gathered:
        outcome = yield from solve_by_gathering(setup, survey.count, record, options)
        if outcome is not None:
            return outcome
    return (yield from solve_by_descent(setup, mean_square, record, options))


def _set_attributes(fit: Fit, strategy: MulticlassStrategy, certified: list[Certified]) -> None:
    model, codes = fit.model, np.full(fit.survey.count, -1, dtype=np.int32)
    for (positive, negative), found in zip(strategy.pairs, certified, strict=True):
        codes[found.duals.rows[found.is_positive]] = positive
        if negative is not None:
            codes[found.duals.rows[~found.is_positive]] = negative
    support = Support.of(codes, strategy.pairs, [found.duals for found in certified])
    model.n_features_in_ = fit.survey.columns
    model._set_attributes(
        strategy, [found.certificate for found in certified], support, [found.history for found in certified]
    )
    model._slack, model._ends, model._sigmoids = None, None, []
