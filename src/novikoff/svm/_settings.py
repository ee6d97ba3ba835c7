"""Validation of the parameters that the estimators of this package share, and solving on several threads."""

from __future__ import annotations

import math
import numbers
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from novikoff._estimators import check_random_state
from novikoff._progress import ProgressCallback
from novikoff._threads import in_threads
from novikoff._validation import check_choice, check_flag, check_integer, check_number, thread_count
from novikoff.errors import input_error, quote
from novikoff.solvers.losses import LOSSES
from novikoff.solvers.problem import Objective
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import TrainingSet

from .default_cost import default_cost

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """The validated parameters of a soft-margin estimator.

    Parameters
    ----------
    objective : Objective
        What is minimised.
    max_iter : int
        The maximum number of steps for each binary problem.
    threads : int
        The number of threads for all binary problems together.
    seed : int
        The seed of everything random.
    cancelled : threading.Event
        Set to cancel all solvers of the fit.
    max_time : float
        The maximum number of seconds for each binary problem.
    """

    objective: Objective
    max_iter: int
    threads: int
    seed: int
    cancelled: threading.Event
    max_time: float

    @classmethod
    def of(cls, where: str, estimator: Any, C: float) -> Settings:
        """Validate the parameters of an estimator, except for those that only it has."""
        loss = LOSSES[check_choice(where, "loss", estimator.loss, tuple(LOSSES))]
        intercept = intercept_of(where, estimator)
        tol = check_number(where, "tol", estimator.tol, above=0, at_most=1)
        return cls(
            Objective(C, loss, intercept, tol),
            check_integer(where, "max_iter", estimator.max_iter, at_least=1),
            thread_count(where, estimator.n_jobs),
            seed_of(where, estimator.random_state),
            threading.Event(),
            check_max_time(where, estimator.max_time),
        )

    def with_cost(self, C: float) -> Settings:
        """Return the same settings with another C."""
        return replace(self, objective=replace(self.objective, C=C))

    def options(self, threads: int, say: ProgressCallback | None = None) -> SolverOptions:
        """Return the options of one binary problem."""
        return SolverOptions(self.max_iter, threads, self.seed, say, self.cancelled, max_time=self.max_time)


def scale_cost(data: TrainingSet, intercept: str) -> float:
    """Return the default C of a data set, 1 divided by its spread."""
    return default_cost(data.X, data.weights, intercept != "none", data.width, data.largest)


def intercept_of(where: str, estimator: Any) -> str:
    """Validate the parameters of the intercept, and return its role."""
    check_flag(where, "penalized_intercept", estimator.penalized_intercept)
    check_flag(where, "fit_intercept", estimator.fit_intercept)
    return role_of_intercept(estimator)


def role_of_intercept(estimator: Any) -> str:
    """Return "free", "penalized" or "none"."""
    if not estimator.fit_intercept:
        return "none"
    return "penalized" if estimator.penalized_intercept else "free"


def stated_number(value: Any) -> Any:
    """Return a parameter as a float; what is not a number, which a damaged file may have, as it is."""
    return float(value) if isinstance(value, numbers.Real) else value


def seed_of(where: str, random_state: Any) -> int:
    """Return a seed for the kernels, drawn from ``random_state``."""
    if type(random_state) is int and 0 <= random_state < 2**32:
        return _seed_of_integer(random_state)
    try:
        return int(check_random_state(random_state).randint(2**31))
    except (TypeError, ValueError) as error:
        need = "random_state must be None, an integer from 0 to 2**32 - 1, or a RandomState"
        raise input_error(where, f"{need}, but it is {quote(random_state)}.") from error


@lru_cache(maxsize=128)
def _seed_of_integer(random_state: int) -> int:
    """Return the seed drawn from an integer. A generator of it takes 0.3 ms, so the seed is remembered."""
    return int(check_random_state(random_state).randint(2**31))


def check_max_time(where: str, max_time: Any) -> float:
    """Return a limit on the seconds of a problem; infinity for None."""
    return math.inf if max_time is None else check_number(where, "max_time", max_time, above=0, other="None")


def check_verbose(where: str, verbose: Any) -> None:
    """Refuse a ``verbose`` that is neither a boolean nor an integer of at least 0."""
    check_integer(where, "verbose", int(verbose) if verbose in (True, False) else verbose, at_least=0)


def run_parallel(solve: Callable[[int], T], count: int, threads: int, cancelled: threading.Event) -> list[T]:
    """Return ``[solve(0), ..., solve(count - 1)]``, computed on up to ``threads`` threads.

    If one call fails or this thread is interrupted, ``cancelled`` is set, so that the other solvers stop.
    """
    with in_threads(min(threads, count)) as each:
        try:
            return each(solve, count)
        except BaseException:
            cancelled.set()
            raise
