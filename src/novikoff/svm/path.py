"""The soft margin for a whole range of C, each machine with its own certificate."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from novikoff._all_or_nothing import AllOrNothing
from novikoff._multiclass import OneVsRest
from novikoff._threads import in_threads
from novikoff._validation import check_flag, check_integer, check_number
from novikoff.errors import input_error, quote
from novikoff.persistence import save
from novikoff.record import ProblemRecord, RunRecord
from novikoff.solvers.one_core import one_core
from novikoff.solvers.path import solve_path
from novikoff.solvers.problem import Problem
from novikoff.solvers.smallest_cost import smallest_cost
from novikoff.solvers.solver import SolverOptions
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.certificate import listed
from novikoff.theory.gap import GapCertificate
from novikoff.theory.geometry import Floats

from ._state import PathState, check_machines, restore_features
from .soft_margin import Settings, certify, settings_of, warn_if_wide

REACH = 1e4  # C_max in proportion to the smallest C, unless it is given


class LinearSVMPath(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """The soft-margin support vector machine for a range of C, solved from the smallest to the largest.

    For every C of the grid it minimises 1/2 |w|^2 + C sum_i xi_i with xi_i = max(0, 1 - y_i (w.x_i + b)), or with
    xi_i^2, as ``LinearSVM`` does, and begins where the last C ended. The grid begins at the C below which the solution
    only scales with C: no margin has reached 1 yet but by the intercept (docs/svm.md derives it for each loss and
    intercept). It is logarithmic up to ``C_max``. Several classes are told each from the rest, on one grid, which
    begins at the least of theirs.

    Parameters
    ----------
    Cs : how many values of C, or the values themselves
    C_max : the largest C of a computed grid; None is 10,000 times the smallest
    loss : "hinge" or "squared_hinge"
    fit_intercept : learn b; otherwise it is 0
    penalized_intercept : add 1/2 b^2 to the objective
    tol : the relative duality gap to reach at every C
    max_iter : most steps of the solver at every C
    class_weight : None, "balanced", or a dict of class to weight, which multiplies ``sample_weight``
    screen : leave out, at every C, the rows that the last solution proves to have no say in the next. The solutions are
        as good, since each is proved on all rows. It costs more time than it saves on all data that were tried.
    n_jobs : threads to use where they pay; None is 1, -1 is one for each core. The result does not depend on it.
    random_state : seed of the order in which coordinate descent visits the rows

    Attributes
    ----------
    Cs_ : the values of C, rising
    coefs_ : weights, of shape (Cs, questions, features)
    intercepts_ : intercepts, of shape (Cs, questions)
    classes_ : the labels; two of them are one question, more are one each
    objectives_ : the objectives, of shape (Cs, questions)
    certificates_ : a ``GapCertificate`` for each C; for more than two classes a list of one a class for each C
    n_iter_ : steps of the solver at each C, the most of any question
    screened_ : the share of rows left out at each C, a mean over the questions; 0 where they were fewer than half

    Examples
    --------
    >>> from novikoff import LinearSVMPath
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> path = LinearSVMPath(Cs=5).fit(X, y)
    >>> path.coefs_.shape
    (5, 1, 2)
    >>> all(bool(certificate.verify(X, y)) for certificate in path.certificates_)
    True

    References
    ----------
    Hastie, Rosset, Tibshirani and Zhu (2004), The entire regularization path for the support vector machine.
    """

    state_type = PathState

    def __init__(
        self,
        *,
        Cs: Any = 20,
        C_max: float | None = None,
        loss: str = "hinge",
        fit_intercept: bool = True,
        penalized_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 100_000,
        class_weight: Any = None,
        screen: bool = False,
        n_jobs: int | None = -1,
        random_state: Any = 0,
    ) -> None:
        self.Cs = Cs
        self.C_max = C_max
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.penalized_intercept = penalized_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.screen = screen
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve for every C to the gap ``tol``.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (rows, features)
        y : labels, any two or more values
        sample_weight : what multiplies C for each row; an integer k equals k copies of it, 0 equals absence
        """
        where = "LinearSVMPath"
        with AllOrNothing(self), one_core:
            settings = settings_of(where, self, 1.0)
            screen = check_flag(where, "screen", self.screen)
            data = validate_training_set(self, where, X, y, sample_weight, self.class_weight)
            Cs = grid_of(where, self.Cs, self.C_max, data, settings)
            certificates, screened = _solve(data, Cs, settings, screen)
            self._keep(data.classes, Cs, [list(row) for row in zip(*certificates, strict=True)])
            self.screened_ = screened
        warn_if_wide(where, [certificate for column in certificates for certificate in column], stacklevel=3)
        return self

    def _keep(self, classes: NDArray[Any], Cs: Floats, at_each: list[list[GapCertificate]]) -> None:
        """Keep what was found: for each C, a list of certificates, one a question."""
        self.Cs_ = Cs
        self.classes_ = classes
        self.coefs_ = np.array([[certificate.model.weights for certificate in row] for row in at_each])
        self.intercepts_ = np.array([[certificate.model.bias for certificate in row] for row in at_each])
        self.objectives_ = np.array([[certificate.primal for certificate in row] for row in at_each])
        self.n_iter_ = np.array([max(certificate.iterations for certificate in row) for row in at_each])
        self.certificates_ = [row[0] if len(row) == 1 else row for row in at_each]

    def _at_each(self) -> list[list[GapCertificate]]:
        return [listed(row) for row in self.certificates_]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the path to a file that ``novikoff.load`` reads.

        Parameters
        ----------
        path : str or path-like
            The file. The usual suffix is ``.nvk``.
        """
        save(self, path)

    @property
    def record_(self) -> RunRecord:
        """The run record; ``problems`` has one entry per C and binary problem."""
        found = zip(self._at_each(), self.coefs_, self.intercepts_, strict=True)
        return RunRecord(
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            strategy=OneVsRest(self.classes_),
            n_features=self.n_features_in_,
            feature_names=getattr(self, "feature_names_in_", None),
            reading=getattr(self, "reading_", None),
            problems=tuple(
                ProblemRecord(certificate.model.positive, weights, float(intercept), certificate, {})
                for row in found
                for certificate, weights, intercept in zip(*row, strict=True)
            ),
            make_state=self._state,
        )

    @classmethod
    def from_record(cls, record: RunRecord) -> Self:
        """Restore a path from its saved state.

        Parameters
        ----------
        record : RunRecord
            The record of a path.

        Returns
        -------
        self : object
            A path with the same fitted attributes.
        """
        path, state = cls(**record.parameters), record.state
        if not len(state.Cs) == len(state.certificates) == len(state.screened) > 0:
            raise input_error("state.certificates", f"there must be one entry for each of {len(state.Cs)} C.")
        for place, certificates in enumerate(state.certificates):
            check_machines(certificates, f"state.certificates.{place}", record)
            if any(state.Cs[place] != certificate.C for certificate in certificates):
                raise input_error(f"state.Cs.{place}", f"the certificates have another C than {state.Cs[place]}.")
        path._keep(record.strategy.classes, state.Cs, list(map(list, state.certificates)))
        path.screened_ = state.screened
        restore_features(path, record)
        return path

    def _state(self) -> PathState:
        at_each = self._at_each()
        if not np.array_equal(self.coefs_, [[certificate.model.weights for certificate in row] for row in at_each]):
            raise input_error("coefs_", "the weights were changed after fit, so the certificates do not hold for them.")
        return PathState(self.Cs_, tuple(map(tuple, at_each)), self.screened_)


def grid_of(where: str, Cs: Any, C_max: float | None, data: TrainingSet, settings: Settings) -> Floats:
    """The values of C: those given, in order, or so many from the smallest that makes a difference to ``C_max``."""
    if np.ndim(Cs) == 0:
        count = check_integer(where, "Cs", Cs, at_least=1)
        table, codes = data.table, data.strategy.positive_codes
        least = min(smallest_cost(Problem(table, code, settings.objective), settings.threads) for code in codes)
        most = REACH * least if C_max is None else check_number(where, "C_max", C_max, above=0)
        if most < least:
            raise input_error(
                where, f"C_max={most:g} is below {least:.6g}, the smallest C of the path. Use a larger C_max."
            )
        return np.geomspace(least, most, count)
    return given_costs(where, Cs)


def given_costs(where: str, Cs: Any) -> Floats:
    """Values of C from the user, in order."""
    try:
        values: NDArray[np.float64] = np.asarray(Cs, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or len(values) == 0 or not np.all((values > 0) & (values < np.inf)):
        raise input_error(
            where, f"Cs must be the number of values, or a list of positive finite values, but it is {quote(Cs)}."
        )
    return np.unique(values)


def _solve(
    data: TrainingSet, Cs: Floats, settings: Settings, screen: bool
) -> tuple[list[list[GapCertificate]], Floats]:
    """Solve all questions, side by side where there are threads for it."""
    codes = data.strategy.positive_codes
    at_once = min(settings.threads, len(codes))
    options = SolverOptions(settings.max_iter, settings.threads // at_once, settings.seed)

    def one(place: int) -> tuple[list[GapCertificate], list[float]]:
        certificates, shares = [], []
        for objective, solution, share in solve_path(data, codes[place], settings.objective, Cs, options, screen):
            certificates.append(certify(data, objective, codes[place], solution))
            shares.append(share)
        return certificates, shares

    with in_threads(at_once) as each:
        try:
            solved = each(one, len(codes))
        except BaseException:
            options.cancelled.set()
            raise
    return [certificates for certificates, _ in solved], np.mean([shares for _, shares in solved], axis=0)
