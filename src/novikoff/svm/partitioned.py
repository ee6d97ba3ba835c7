"""What a fit of ``LinearSVM`` to partitioned data shares with ``fit``: its parameters, checked, and its attributes."""

from __future__ import annotations

from collections.abc import Sequence

from novikoff._estimators import ConvergenceWarning
from novikoff._labels import Codes
from novikoff._multiclass import MulticlassStrategy
from novikoff._validation import check_flag
from novikoff.errors import input_error
from novikoff.solvers.solver import HistoryEntry
from novikoff.theory.gap import GapCertificate

from ._certify import gap_warning
from ._multiclass_choice import check_multi_class
from ._settings import Settings as Settings
from ._settings import check_verbose
from ._state import Support
from .soft_margin import LinearSVM


def requested(where: str, model: LinearSVM) -> tuple[Settings, bool, str]:
    """Return the parameters of an estimator, whether C is the default one, and ``multi_class``.

    Parameters
    ----------
    where : str
        The name of the caller, for error messages.
    model : LinearSVM
        The estimator.
    """
    cost = model._cost(where)
    settings = Settings.of(where, model, cost or 1.0)
    if check_flag(where, "probability", model.probability):
        raise input_error(where, "probability=True is not supported on partitioned data. Use probability=False.")
    check_verbose(where, model.verbose)
    name = check_multi_class(where, model)
    if name == "crammer_singer":
        message = 'multi_class="crammer_singer" is not supported on partitioned data. Use multi_class="ovr" or "ovo".'
        raise input_error(where, message)
    return settings, cost is None, name


def set_solutions(
    where: str,
    model: LinearSVM,
    strategy: MulticlassStrategy,
    certificates: list[GapCertificate],
    codes: Codes,
    histories: Sequence[list[HistoryEntry]],
    n_features: int,
) -> ConvergenceWarning | None:
    """Set the fitted attributes of an estimator. Return the warning about gaps that are too wide.

    Parameters
    ----------
    where : str
        The name of the caller, for the warning.
    model : LinearSVM
        The estimator.
    strategy : MulticlassStrategy
        The classes, and how scores become labels.
    certificates : list of GapCertificate
        One for each binary problem.
    codes : ndarray of int32 of shape (n_samples,)
        The classes of all support vectors; those of other rows are not used.
    histories : sequence of list of HistoryEntry
        One for each binary problem.
    n_features : int
        The number of columns.
    """
    support = Support.of(codes, strategy.pairs, [certificate.model.duals for certificate in certificates])
    model.n_features_in_ = n_features
    model._set_attributes(strategy, certificates, support, list(histories))
    model._slack, model._ends, model._sigmoids = None, None, []
    return gap_warning(where, certificates, model.max_iter, model.max_time)
