"""The soft-margin support vector machine for a range of C, each with its own certificate."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np

from novikoff._classifier import fit_to_scan
from novikoff._draft import Draft
from novikoff._estimators import BaseEstimator
from novikoff._multiclass import STRATEGIES, MulticlassStrategy, sides
from novikoff._notebook import CompactDisplay
from novikoff._one_core import one_core
from novikoff._validation import check_flag
from novikoff._wide_array import same_array, stacked
from novikoff.data.stream import Scan
from novikoff.errors import input_error
from novikoff.persistence import save
from novikoff.record import ProblemRecord, RunRecord
from novikoff.solvers.path import solve_path
from novikoff.solvers.training_set import TrainingSet, validate_training_set
from novikoff.theory.crammer_singer import CrammerSingerCertificate
from novikoff.theory.gap import GapCertificate
from novikoff.theory.geometry import Floats

from ._certify import certify, warn_if_wide
from ._classifier import DenseOnRequest
from ._grid import cost_grid
from ._joint import certify_joint, solve_joint_path
from ._machines import rows_of_pair
from ._multiclass_choice import check_multi_class, choose_strategy
from ._settings import Settings, role_of_intercept, run_parallel
from ._state import (
    PathState,
    as_list,
    check_joint,
    check_machines,
    one_or_list,
    planes_of,
    restore_features,
    set_strategy,
)


class LinearSVMPath(CompactDisplay, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Linear support vector machines for a range of C, solved from the smallest C to the largest.

    For every C of the grid it minimises 1/2 |w|^2 + C sum_i xi_i^2 with the slacks xi_i = max(0, 1 - y_i (w.x_i + b)),
    or with xi_i for ``loss="hinge"``, as `LinearSVM` does, and starts from the solution of the C before. A computed
    grid is logarithmic. It begins where the first margin reaches 1 by more than the intercept; for the hinge loss, the
    weights of smaller C are proportional to C. More than two classes are handled as ``multi_class`` says, on a common
    grid, which begins at the smallest C of all binary problems.

    Parameters
    ----------
    Cs : int or array-like, default=20
        Number of values of C, or the values themselves.
    C_max : float, default=None
        Largest C of a computed grid; None means 10,000 times the smallest.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Loss of a margin violation.
    fit_intercept : bool, default=True
        Whether to fit an intercept. If False, it is 0.
    penalized_intercept : bool, default=False
        Whether to add 1/2 b^2 to the objective.
    tol : float, default=1e-4
        Relative duality gap at which the solver stops, for every C.
    max_iter : int, default=100_000
        Maximum number of steps of the solver, for every C.
    max_time : float, default=None
        Maximum number of seconds for each binary problem and each C. None means no limit. It is checked after every
        step. If it is reached, a ConvergenceWarning is raised and the certificate states the gap; the result then
        depends on the speed of the machine.
    multi_class : {"auto", "ovr", "ovo", "crammer_singer"}, default="auto"
        How more than two classes are handled, as in `LinearSVM`.
    class_weight : dict or "balanced", default=None
        Weights of the classes. They multiply ``sample_weight``.
    screen : bool, default=False
        Whether to leave out, for every C, the rows that the solution before proves to be irrelevant. The solutions are
        as accurate, since each is certified on all rows. On all data that were tried it costs more time than it saves.
    n_jobs : int, default=-1
        Number of threads; None means 1 and -1 all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the row order. Only coordinate descent depends on it.

    Attributes
    ----------
    Cs_ : ndarray of shape (n_Cs,)
        The values of C, increasing.
    coefs_ : ndarray of shape (n_Cs, n_problems, n_features)
        Weights. There is one binary problem for two classes; for more, one per class or per pair of classes, as in
        `LinearSVM`.
    intercepts_ : ndarray of shape (n_Cs, n_problems)
        Intercepts.
    classes_ : ndarray of shape (n_classes,)
        The labels in ascending order.
    multi_class_ : {"ovr", "ovo", "crammer_singer"}
        How the classes were handled.
    class_count_ : ndarray of shape (n_classes,)
        The sum of the sample weights of each class.
    objectives_ : ndarray of shape (n_Cs, n_problems)
        The objectives.
    certificates_ : list
        One GapCertificate per C, or one CrammerSingerCertificate; with several binary problems, one list of
        certificates for each C.
    n_iter_ : ndarray of shape (n_Cs,)
        Number of steps; the maximum over the binary problems.
    screened_ : ndarray of shape (n_Cs,)
        Share of the rows that were left out, averaged over the binary problems; 0 if fewer than half could be.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    LinearSVMCV : Chooses a C of the path by cross-validation.
    LinearSVM : Solves for one C.

    Notes
    -----
    The docs page on support vector machines derives the smallest C for each loss and intercept.

    References
    ----------
    .. [1] Hastie, Rosset, Tibshirani and Zhu (2004), The entire regularization path for the support vector machine.

    Examples
    --------
    >>> from novikoff import LinearSVMPath
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> path = LinearSVMPath(Cs=5).fit(X, y)
    >>> path.coefs_.shape
    (5, 1, 2)
    >>> all(bool(certificate.verify(X, y)) for certificate in path.certificates_)
    True
    """

    state_type = PathState
    coefs_ = DenseOnRequest()

    def __init__(
        self,
        *,
        Cs: Any = 20,
        C_max: float | None = None,
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        penalized_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 100_000,
        max_time: float | None = None,
        multi_class: str = "auto",
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
        self.max_time = max_time
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.screen = screen
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Solve for every C.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or Scan
            Training rows. Or a stream that ``novikoff.scan`` opened, with labels: a table is encoded by a
            ``TableEncoder``, and the result is a pipeline.
        y : array-like of shape (n_samples,), default=None
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C for each row. An integer k is equivalent to k copies of the row, 0 to its absence.

        Returns
        -------
        self : object
            The fitted path. For a stream of a table, a pipeline of the encoder and the learner.
        """
        if isinstance(X, Scan):
            return fit_to_scan(self, X, y, sample_weight)
        where = type(self).__name__
        draft = Draft(self)
        with one_core:
            certificates = draft.model._fit(where, X, y, sample_weight)
            draft.publish()
        warn_if_wide(where, certificates, self.max_iter, self.max_time)
        return self

    def _fit(self, where: str, X: Any, y: Any, sample_weight: Any) -> list[Any]:
        """Fit a draft, and return all its certificates."""
        for name in ("reading_", "fingerprint_"):  # of a table that was learned before
            self.__dict__.pop(name, None)
        settings = Settings.of(where, self, 1.0)
        screen, multi_class = check_flag(where, "screen", self.screen), check_multi_class(where, self)
        data = validate_training_set(self, where, X, y, sample_weight, self.class_weight)
        strategy = choose_strategy(multi_class, data)
        Cs = cost_grid(where, self.Cs, self.C_max, data, strategy, settings)
        by_C: list[list[Any]]
        by_C, screened = (_solve_joint if strategy.is_joint else _solve)(data, strategy, Cs, settings, screen)
        self._set_attributes(strategy, Cs, by_C)
        self.screened_ = screened
        return [certificate for row in by_C for certificate in row]

    def _set_attributes(self, strategy: MulticlassStrategy, Cs: Floats, by_C: list[list[Any]]) -> None:
        """Set the fitted attributes, given for each C one certificate per binary problem, or the joint one."""
        set_strategy(self, strategy)
        self.Cs_ = Cs
        planes = list(map(planes_of, by_C))
        self.coefs_, self.intercepts_ = stacked([coef for coef, _ in planes]), np.array([bias for _, bias in planes])
        self.objectives_ = np.array([[certificate.primal for certificate in row] for row in by_C])
        self.n_iter_ = np.array([max(certificate.iterations for certificate in row) for row in by_C])
        self.certificates_ = [one_or_list(row) for row in by_C]

    def _certificates_by_C(self) -> list[list[Any]]:
        return list(map(as_list, self.certificates_))

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
        return self._record()

    def _record(self) -> RunRecord:
        shared = {"intercept": role_of_intercept(self), "tol": float(self.tol), "loss": self.loss}
        parts = (self.Cs_.tolist(), self._certificates_by_C(), vars(self)["coefs_"], self.intercepts_)
        if len({len(part) for part in parts}) > 1:
            raise input_error("Cs_", "there must be one certificate, one coefs_ and one intercepts_ for each.")
        rows = zip(*parts, strict=True)
        strategy = STRATEGIES[self.multi_class_](self.classes_, getattr(self, "class_count_", None))
        labels, sizes = sides(strategy), {len(certificates) for certificates in parts[1]}
        if sizes - {1 if strategy.is_joint else len(labels)}:
            raise input_error("certificates_", f"there must be {len(labels)} for each C, or a joint one.")
        return RunRecord(
            learner=type(self).__name__,
            parameters=self.get_params(deep=False),
            strategy=strategy,
            n_features=self.n_features_in_,
            feature_names=getattr(self, "feature_names_in_", None),
            reading=getattr(self, "reading_", None),
            fingerprint=getattr(self, "fingerprint_", None),
            problems=tuple(
                ProblemRecord(*(positive, weights, float(intercept), certificate, shared | {"C": C}), negative=negative)
                for C, certificates, coef, intercepts in rows
                for (positive, negative), certificate, weights, intercept in zip(
                    labels, certificates * (len(labels) if strategy.is_joint else 1), coef, intercepts, strict=True
                )
            ),
            make_state=self._state,
        )

    @classmethod
    def check_record(cls, record: RunRecord) -> None:
        """Refuse a record that ``from_record`` would refuse, without building a model.

        Parameters
        ----------
        record : RunRecord
            The record of a model of this class.
        """
        state, is_joint = record.state, record.strategy.is_joint
        by_C = _by_C(record)
        if not len(state.Cs) == len(by_C) == len(state.screened) > 0:
            raise input_error("state.certificates", f"there must be one entry for each of {len(state.Cs)} C.")
        for place, certificates in enumerate(by_C):
            if is_joint:
                check_joint(certificates[0], f"state.joint.{place}", record)
            else:
                check_machines(certificates, f"state.certificates.{place}", record)
            if any(state.Cs[place] != certificate.C for certificate in certificates):
                raise input_error(f"state.Cs.{place}", f"the certificates have another C than {state.Cs[place]}.")

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
        cls.check_record(record)
        path, state = cls(**record.parameters), record.state
        path._set_attributes(record.strategy, state.Cs, _by_C(record))
        path.screened_ = state.screened
        restore_features(path, record)
        return path

    def _state(self) -> PathState:
        by_C = self._certificates_by_C()
        if not same_array(vars(self)["coefs_"], stacked([planes_of(row)[0] for row in by_C])):
            raise input_error("coefs_", "the weights were changed after fit, so the certificates do not hold for them.")
        if self.multi_class_ == "crammer_singer":
            return PathState(self.Cs_, (), self.screened_, tuple(certificate for row in by_C for certificate in row))
        return PathState(self.Cs_, tuple(map(tuple, by_C)), self.screened_)


def _by_C(record: RunRecord) -> list[list[Any]]:
    """Return the certificates of a saved state, one list for each C."""
    if record.strategy.is_joint:
        return [[certificate] for certificate in record.state.joint or ()]
    return list(map(list, record.state.certificates))


def _solve(
    data: TrainingSet, strategy: MulticlassStrategy, Cs: Floats, settings: Settings, screen: bool
) -> tuple[list[list[GapCertificate]], Floats]:
    """Solve all binary problems for all C. Return the certificates of each C, and the screened shares."""
    pairs = strategy.pairs
    data.sharing_products(len(pairs) * len(Cs))
    options = settings.options(settings.threads // min(settings.threads, len(pairs)))

    def solve_one(place: int) -> tuple[list[GapCertificate], list[float]]:
        certificates, shares = [], []
        part, rows = rows_of_pair(data, pairs[place])
        for objective, solution, share in solve_path(part, pairs[place][0], settings.objective, Cs, options, screen):
            certificates.append(certify(part, objective, pairs[place], solution, rows))
            shares.append(share)
        return certificates, shares

    solved = run_parallel(solve_one, len(pairs), settings.threads, settings.cancelled)
    by_C = [list(row) for row in zip(*(certificates for certificates, _ in solved), strict=True)]
    return by_C, np.mean([shares for _, shares in solved], axis=0)


def _solve_joint(
    data: TrainingSet, strategy: MulticlassStrategy, Cs: Floats, settings: Settings, screen: bool
) -> tuple[list[list[CrammerSingerCertificate]], Floats]:
    """Solve the joint problem for all C. Return the certificate of each C, and the screened shares, which are 0."""
    solved = solve_joint_path(data, settings.objective, Cs, settings.options(settings.threads))
    return [[certify_joint(data, *found)] for found in solved], np.zeros(len(Cs))
