"""The saved states of batch learners.

The weights are stored once, in the certificates, so that a loaded model predicts with the weights that are certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from novikoff._labels import Codes
from novikoff._multiclass import MulticlassStrategy, sides
from novikoff._wide_array import same_array, stacked, stored
from novikoff.errors import input_error
from novikoff.persistence.codec import INFINITE, check_count, check_duals
from novikoff.record import RunRecord
from novikoff.solvers.bounds import relative_gap
from novikoff.theory.certificate import Duals
from novikoff.theory.crammer_singer import CrammerSingerCertificate
from novikoff.theory.gap import GapCertificate
from novikoff.theory.geometry import Floats, Matrix, WeightRows, Weights
from novikoff.theory.joint_duals import JointDuals

from ._slack import Slack
from .platt import Sigmoid

Ints = NDArray[np.int64]
Bounds = Annotated[Floats, INFINITE]
CHANGED = "the values were changed after fit, so the certificates do not hold for them."
HISTORY_DTYPE = [("time", "f8"), ("step", "i8"), ("primal", "f8"), ("dual", "f8"), ("gap", "f8"), ("method", "U20")]


@dataclass(frozen=True)
class WeightsState:
    """Weights and intercepts, one row per binary problem."""

    coef: WeightRows
    intercept: Floats


@dataclass(frozen=True)
class Support:
    """The support vectors, and y_i a_i of each of them.

    There is one row of ``dual_coef`` per binary problem; but if each problem has two classes only, one for each of the
    other classes than that of the support vector, since it takes part in no more problems.
    """

    rows: Ints
    dual_coef: Matrix

    @classmethod
    def of(cls, codes: Codes, pairs: Sequence[tuple[int, int | None]], duals: Sequence[Duals]) -> Support:
        """Return the union of the support of all binary problems, given the classes and the duals of each."""
        has_pairs = pairs[0][1] is not None
        if len(duals) == 1 and not has_pairs:
            signed = _signed(codes, pairs[0][0], duals[0])[None]
            return cls(duals[0].rows.copy(), signed)
        rows = np.unique(np.concatenate([own.rows for own in duals]))
        dual_coef = np.zeros((max(high for high, _ in pairs) if has_pairs else len(duals), len(rows)))
        for place, ((positive, negative), own) in enumerate(zip(pairs, duals, strict=True)):
            found, signed = np.searchsorted(rows, own.rows), _signed(codes, positive, own)
            if negative is None:
                dual_coef[place, found] = signed
            else:
                dual_coef[_slots(positive, negative, signed > 0), found] = signed
        return cls(rows, dual_coef)

    def with_sizes(self, duals: Sequence[Duals]) -> Support:
        """Return these signs with the duals of each binary problem, one row of ``dual_coef`` for each."""
        signs, dual_coef = self.dual_coef, np.zeros(self.dual_coef.shape)
        for place, own in enumerate(duals):
            found = np.searchsorted(self.rows, own.rows)
            if not np.array_equal(self.rows[np.minimum(found, len(self.rows) - 1)], own.rows):
                raise input_error("state.support", "the rows are not those of the certificates.")
            dual_coef[place, found] = np.copysign(own.weights, signs[place, found])
        return Support(self.rows, dual_coef)

    def holds(self, place: int, pair: tuple[int, int | None], duals: Duals) -> bool:
        """Return whether the values of one binary problem are its duals, with either sign."""
        positive, negative = pair
        is_own = np.isin(self.rows, duals.rows)  # both ascend
        if not np.array_equal(self.rows[is_own], duals.rows):
            return False
        if negative is None:
            own = self.dual_coef[place]
            return np.array_equal(np.abs(own[is_own]), duals.weights) and not own[~is_own].any()
        ahead, behind = (self.dual_coef[_slots(positive, negative, side), is_own] for side in (True, False))
        return bool(np.all((ahead == duals.weights) | (behind == -duals.weights)))


def _signed(codes: Codes, positive: int, duals: Duals) -> Floats:
    """Return y_i a_i of the support vectors of a binary problem."""
    signed = duals.weights.copy()  # and changed in place, because there may be many rows
    np.negative(signed, out=signed, where=codes[duals.rows] != positive)
    return signed


def _slots(positive: int, negative: int, is_positive: Any) -> Any:
    """Return the place of the opposite class among all classes but the own one, for rows of a pair of classes."""
    own, other = np.where(is_positive, positive, negative), np.where(is_positive, negative, positive)
    return other - (other > own)


@dataclass(frozen=True)
class History:
    """Both bounds at each time the gap was computed, and the method of the solver; empty if a file does not say it."""

    time: Floats
    step: Ints
    primal: Bounds
    dual: Bounds
    method: tuple[str, ...] = ()

    @classmethod
    def of(cls, records: Any) -> History:
        """Return the columns of an array of records."""
        time, step, primal, dual = (np.ascontiguousarray(records[name]) for name in ("time", "step", "primal", "dual"))
        methods = tuple(records["method"].tolist())
        return cls(time, step, primal, dual, methods if any(methods) else ())

    @property
    def is_consistent(self) -> bool:
        """Whether all columns have one length; the methods may be missing."""
        return _are_as_long(self.time, self.step, self.primal, self.dual, self.method or self.time)

    def records(self) -> Any:
        """Return the array of records."""
        gaps = [relative_gap(*bounds) for bounds in zip(self.primal.tolist(), self.dual.tolist(), strict=True)]
        methods = self.method or ("",) * len(gaps)
        columns = [self.time, self.step, self.primal, self.dual, np.array(gaps, dtype=np.float64), np.array(methods)]
        return np.rec.fromarrays(columns, dtype=HISTORY_DTYPE)


@dataclass(frozen=True)
class End:
    """The solution of a solver, from which a warm start begins."""

    duals: Floats
    point: Weights


@dataclass(frozen=True)
class JointEnd:
    """The solution of a joint problem, from which a warm start begins."""

    fractions: JointDuals
    intercepts: Floats


@dataclass(frozen=True)
class SoftMarginState:
    """The soft-margin solutions of all binary problems, or the one of a joint problem."""

    certificates: tuple[GapCertificate, ...]
    support: Support
    histories: tuple[History, ...]
    sigmoids: tuple[Sigmoid, ...]
    ends: tuple[End, ...] | None
    joint: CrammerSingerCertificate | None = None
    joint_end: JointEnd | None = None
    slack: Slack | None = None

    @classmethod
    def of(cls, model: Any) -> SoftMarginState:
        """Return the state of a fitted model."""
        if model._strategy.is_joint:
            return _joint_state(cls, model)
        ends = vars(model).get("_ends")
        if ends is not None and not all(np.isfinite(stored(part)).all() for end in ends for part in end):
            ends = None  # no warm start is possible from there
        return cls(
            certificates=certificates_as_fitted(model, objective_="primal"),
            support=Support(model.support_, model.dual_coef_),
            histories=tuple(map(History.of, as_list(model.history_))),
            sigmoids=tuple(vars(model).get("_sigmoids", ())),
            ends=None if ends is None else tuple(End(*end) for end in ends),
            slack=vars(model).get("_slack"),
        )

    def check(self, path: str, record: RunRecord) -> None:
        """Refuse a state whose parts do not fit each other."""
        if self.slack is not None:
            self.slack.check(f"{path}.slack", 1 if record.strategy.is_joint else len(record.strategy.positives))
        if record.strategy.is_joint:
            return self._check_joint(path, record)
        if self.joint is not None or self.joint_end is not None:
            raise input_error(f"{path}.joint", "the binary problems of these classes have no joint certificate.")
        check_machines(self.certificates, f"{path}.certificates", record)
        check_support(self.support, f"{path}.support", record)
        pairs, duals = record.strategy.pairs, [certificate.model.duals for certificate in self.certificates]
        is_held = all(self.support.holds(place, *each) for place, each in enumerate(zip(pairs, duals, strict=True)))
        if not is_held or np.count_nonzero(self.support.dual_coef) != sum(map(_nonzeros, duals)):
            raise input_error(f"{path}.support", "the duals are not those of the certificates.")
        problems = len(record.strategy.positives)
        if len(self.histories) != problems or any(not h.is_consistent for h in self.histories):
            raise input_error(f"{path}.histories", f"there must be {problems}, with columns of one length.")
        if len(self.sigmoids) not in (0, problems):
            raise input_error(f"{path}.sigmoids", f"there must be {problems} or none.")
        ends = self.ends or ()
        shared = len({len(end.duals) for end in ends}) if pairs[0][1] is None else 1  # pairs have their own rows
        if ends and (len(ends) != problems or shared > 1 or {len(e.point) for e in ends} != {record.n_features + 1}):
            raise input_error(f"{path}.ends", f"there must be {problems}, of the size of the data.")

    def _check_joint(self, path: str, record: RunRecord) -> None:
        """Refuse a state of a joint problem whose parts do not fit each other."""
        check_joint(self.joint, f"{path}.joint", record)
        if self.certificates or self.ends is not None or len(self.histories) != 1:
            raise input_error(path, "a joint problem has one certificate and one history.")
        if len(self.sigmoids) not in (0, 1 if len(record.strategy.classes) == 2 else len(record.strategy.classes)):
            raise input_error(f"{path}.sigmoids", "there must be one per score, or none.")
        check_support(self.support, f"{path}.support", record)
        end = self.joint_end
        if end is not None and (len(end.intercepts) != len(record.strategy.classes) or not _are_joint(end.fractions)):
            raise input_error(f"{path}.joint_end", "the dual variables must be of ascending rows and of these classes.")

    @property
    def stated_cost(self) -> float:
        """The C of the certificates."""
        return self.certificates[0].C if self.joint is None else self.joint.C

    def restore(self, model: Any, record: RunRecord) -> None:
        """Set the fitted attributes of a model."""
        found: Sequence[Any] = self.certificates if self.joint is None else [self.joint]
        set_machines(model, record.strategy, found)
        model.objective_ = np.array([certificate.primal for certificate in found])
        model.support_, model.dual_coef_ = self.support.rows, self.support.dual_coef
        model.history_ = one_or_list([history.records() for history in self.histories])
        model._slack = self.slack


@dataclass(frozen=True)
class Selection:
    """The scores of cross-validation and the C that it chose."""

    C: float
    best_C: float
    Cs: Floats
    scores: Matrix
    mean_scores: Floats
    standard_errors: Floats

    @classmethod
    def of(cls, model: Any) -> Selection:
        """Return the selection of a fitted estimator; its attributes have these names and an underscore."""
        return cls(*(getattr(model, f"{name}_") for name in cls.__dataclass_fields__))

    def check(self, certificates: Sequence[GapCertificate | CrammerSingerCertificate]) -> None:
        """Refuse scores that are not those of these C, and a C that is not that of the certificates."""
        if any(certificate.C != self.C for certificate in certificates):
            raise input_error("state.selection.C", f"the certificates have another C than {self.C}.")
        if not _are_as_long(self.Cs, self.mean_scores, self.standard_errors, self.scores.T):
            raise input_error("state.selection", "there must be one score per C.")

    def restore(self, model: Any) -> None:
        """Set the fitted attributes of a model."""
        for name, value in vars(self).items():
            setattr(model, f"{name}_", value)


@dataclass(frozen=True)
class SelectedState:
    """A soft-margin solution, and how its C was chosen."""

    machine: SoftMarginState
    selection: Selection


@dataclass(frozen=True)
class PathState:
    """The soft-margin solutions of all binary problems, for each C."""

    Cs: Floats
    certificates: tuple[tuple[GapCertificate, ...], ...]
    screened: Floats
    joint: tuple[CrammerSingerCertificate, ...] | None = None


def as_list(value: Any) -> list[Any]:
    """Return a fitted attribute as a list with one entry per binary problem; empty if it is None."""
    return [] if value is None else value if isinstance(value, list) else [value]


def one_or_list(values: Sequence[Any]) -> Any:
    """Return the fitted attribute for the values of all binary problems: the only value, or a list of several."""
    return values[0] if len(values) == 1 else list(values)


def set_strategy(model: Any, strategy: MulticlassStrategy) -> None:
    """Set the fitted attributes that say which classes there are and how scores become labels."""
    model.classes_ = strategy.classes
    if hasattr(model, "multi_class"):
        model.multi_class_ = strategy.name
    if strategy.counts is not None:
        model.class_count_ = strategy.counts


def set_machines(model: Any, strategy: MulticlassStrategy, certificates: Sequence[Any]) -> None:
    """Set the fitted attributes that follow from the certificates, one per binary problem."""
    set_strategy(model, strategy)
    model.coef_, model.intercept_ = planes_of(certificates)
    model.n_iter_ = max(certificate.iterations for certificate in certificates)
    model.certificate_ = one_or_list(certificates)


def planes_of(certificates: Sequence[Any]) -> tuple[Floats, Floats]:
    """Return all weights and intercepts of the certificates: of binary problems, or of one joint problem."""
    joint = certificates[0].planes()
    if joint is not None:
        return stacked(list(joint[0])), joint[1].copy()
    planes = [certificate.plane() for certificate in certificates]
    return stacked([weights for weights, _ in planes]), np.array([bias for _, bias in planes])


def restore_features(model: Any, record: RunRecord) -> None:
    """Set the number and names of the columns, and how files became rows."""
    model.n_features_in_ = record.n_features
    if record.feature_names is not None:
        model.feature_names_in_ = record.feature_names
    if record.reading is not None:
        model.reading_ = record.reading


def certificates_as_fitted(model: Any, **others: str) -> tuple[Any, ...]:
    """Return the certificates of a model whose fitted attributes are still those that they state."""
    certificates = as_list(model.certificate_)
    held: dict[str, Any] = dict(zip(("coef_", "intercept_"), planes_of(certificates), strict=True))
    held |= {name: [getattr(c, field) for c in certificates] for name, field in others.items()}
    for name, values in held.items():
        if not same_array(vars(model)[name], values if name == "coef_" else np.array(values)):
            raise input_error(name, CHANGED)
    return tuple(certificates)


def check_weights_fit(coef: Floats, intercept: Floats, record: RunRecord) -> None:
    """Refuse weights whose shape is not that of the classes and features."""
    classes, shape = record.strategy.classes, (len(record.strategy.positives), record.n_features)
    if len(classes) < 2 or coef.shape != shape or len(intercept) != shape[0]:
        raise input_error("state", f"{len(classes)} classes need weights of shape {shape}, but it is {coef.shape}.")


def check_machines(certificates: Sequence[Any], path: str, record: RunRecord) -> None:
    """Refuse certificates that are not those of these classes and features, or that are about no rows."""
    strategy, width = record.strategy, record.n_features
    found = [(certificate.model.positive, certificate.model.negative) for certificate in certificates]
    if len(strategy.classes) < 2 or found != sides(strategy):
        raise input_error(path, "there must be one certificate per binary problem.")
    for place, certificate in enumerate(certificates):
        model = certificate.model
        if len(model.weights) != width:
            message = f"there must be {width} weights, but there are {len(model.weights)}."
            raise input_error(f"{path}.{place}.model.weights", message)
        check_duals(model.duals, f"{path}.{place}.model.duals")
        check_count(certificate.iterations, f"{path}.{place}.iterations")
        check_count(certificate.examples, f"{path}.{place}.examples", at_least=1)


def check_joint(certificate: CrammerSingerCertificate | None, path: str, record: RunRecord) -> None:
    """Refuse a certificate that is not that of these classes and features, or that is about no rows."""
    strategy, width = record.strategy, record.n_features
    if certificate is None or len(strategy.classes) < 2 or certificate.labels() != tuple(strategy.classes.tolist()):
        raise input_error(path, "there must be one certificate of all classes.")
    shape = (len(strategy.classes), width)
    if certificate.model.weights.shape != shape or len(certificate.model.biases) != shape[0]:
        found = certificate.model.weights.shape
        raise input_error(f"{path}.model.weights", f"there must be weights of shape {shape}, but it is {found}.")
    if not _are_joint(certificate.model.duals):
        raise input_error(f"{path}.model.duals", "the row numbers must ascend, with a class and a value for each.")
    check_count(certificate.iterations, f"{path}.iterations")
    check_count(certificate.examples, f"{path}.examples", at_least=1)


def _are_joint(duals: JointDuals) -> bool:
    """Return whether dual variables are in order: rows ascend, and classes within a row."""
    if not _are_as_long(duals.rows, duals.classes, duals.values):
        return False
    steps, same = np.diff(duals.rows, prepend=-1), np.diff(duals.rows, prepend=-1) == 0
    return bool(
        np.all(steps >= 0) and np.all(np.diff(duals.classes, prepend=-1)[same] > 0) and np.all(duals.classes >= 0)
    )


def _joint_state(cls: type[SoftMarginState], model: Any) -> SoftMarginState:
    """Return the state of a fitted model of a joint problem."""
    end = vars(model).get("_ends")
    return cls(
        certificates=(),
        support=Support(model.support_, model.dual_coef_),
        histories=(History.of(model.history_),),
        sigmoids=tuple(vars(model).get("_sigmoids", ())),
        ends=None,
        joint=certificates_as_fitted(model, objective_="primal")[0],
        joint_end=None if end is None else JointEnd(*end),
        slack=vars(model).get("_slack"),
    )


def check_support(support: Support, path: str, record: RunRecord) -> None:
    """Refuse support vectors that are not those of these binary problems."""
    strategy = record.strategy
    shape = (len(strategy.classes) - 1 if strategy.pairs[0][1] is not None else len(strategy.pairs), len(support.rows))
    if support.dual_coef.shape != shape or np.any(np.diff(support.rows, prepend=-1) <= 0):
        raise input_error(path, "the row numbers must ascend, with one weight for each and each binary problem.")


def _nonzeros(duals: Duals) -> int:
    return int(np.count_nonzero(duals.weights))


def _are_as_long(*arrays: Any) -> bool:
    return len({len(array) for array in arrays}) == 1
