"""The base class of the online learners whose classes are learned together."""

# Without ``from __future__ import annotations``, as in ``_classifier.py``.
import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from novikoff._wide_array import changed, on_request, stacked
from novikoff.errors import missing_attribute
from novikoff.record import OnlineRun, ProblemRecord, RunRecord
from novikoff.theory import bounds
from novikoff.theory.enclosed_sums import EPS
from novikoff.theory.geometry import Floats
from novikoff.theory.kesler import KeslerCertificate, KeslerModel
from novikoff.theory.kesler_sum import KeslerSum, KeslerSumCertificate

from ._certify import diagonal_entries, widened_square
from ._classes import Classes
from ._classifier import OnlineClassifier
from ._columns import column_names_of, feature_names_of, padded, scale_of
from ._cycle import Ending
from ._halting import NotHaltedWarning
from ._joint_classes import JointClasses
from ._joint_fit import warning_of_joint_fit
from ._record import on_trust, seed_of_fit
from ._state import state_of


@dataclass(kw_only=True, eq=False, repr=False)
class JointClassifier(OnlineClassifier):
    """Base class of the online learners whose classes are learned together, by Kesler's construction.

    There is one weight vector per class and one certificate for all of them. An update changes two classes: that of the
    example, and the strongest of the others (docs/theory.md, J5).
    """

    _kind_of_classes: ClassVar[type[Classes]] = JointClasses

    def _warning_of_fit(self, endings: list[Ending]) -> NotHaltedWarning | None:
        return warning_of_joint_fit(self, endings[0])

    @property
    def coef_(self) -> Floats:
        """The weights, one row per class; for two classes one row, those of the last class minus those of the first."""
        self._require_fitted("coef_")
        planes = _model_of(self._moment()).planes()[0]
        return on_request(changed(planes, lambda held: held[1:] - held[:1]) if len(planes) == 2 else planes)

    @property
    def intercept_(self) -> Floats:
        """The intercepts, one per class; for two classes, that of the last minus that of the first."""
        self._require_fitted("intercept_")
        biases = _model_of(self._moment()).planes()[1]
        return biases[1:] - biases[:1] if len(biases) == 2 else biases

    @property
    def certificate_(self) -> KeslerCertificate:
        """What is proven of all classes together."""
        self._require_fitted("certificate_")
        return certify_jointly(self._moment())

    @property
    def stopped_(self) -> str:
        """Why the passes of ``fit`` ended: "converged" (the last pass made no mistake), "no progress" or "max_iter"."""
        if self._stopped is None:
            raise missing_attribute(self, "stopped_", "it was not learned by fit alone")
        return str(self._stopped[0])

    @property
    def record_(self) -> RunRecord:
        """The run record, which ``verify``, the model file, plots, report and exports read."""
        if not hasattr(self, "_learner"):
            raise missing_attribute(self, "record_", "it is not fitted")
        return _record_of(self._moment())


def _model_of(model: Any) -> KeslerModel:
    """Return the weights and the intercepts of all classes in ascending order, and how the columns are scaled."""
    classes, kernel = model._classes, model._learner
    weights = [padded(model, kernel.weights(q)) for q in classes.problems]
    planes = stacked(weights) if weights else np.zeros((0, int(getattr(model, "n_features_in_", 0))))
    biases = np.array([kernel.bias(q) for q in classes.problems])
    geometry = model._learned_rule.geometry
    return KeslerModel(planes, biases, classes.strategy.classes.tolist(), geometry, scale_of(model))


def certify_jointly(model: Any) -> KeslerCertificate:
    """Return the certificate of a learner that no other thread changes."""
    rule, stated = model._learned_rule, _model_of(model)
    tallies = [model._learner.tally(q) for q in model._classes.problems]
    tally = tallies[0]
    run = None if model._runs is None else model._runs[0]
    radius = math.sqrt(tally["squared_radius"])
    if not (model._is_stream or run is not None):
        radius *= 1 + 2 * (np.shape(stated.weights)[1] + 8) * EPS  # after several fits, rows were added in any order
    second = _sum_of(model, tally, radius) if rule.implementation().is_second_order else None
    proof = stated if second is None else replace(stated, weights=second.weights, biases=second.biases)
    fields: dict[str, Any] = {
        "rule": rule.name,
        "parameter": rule.parameter,
        "examples": tally["examples"],
        "counts": np.array([own["positives"] for own in tallies], dtype=np.float64),
        "mistakes": tally["mistakes"],
        "updates": tally["updates"],
        "radius": radius,
        "energy": tally["energy"],
        "margin_upper_bound": _margin_upper_bound(tally, proof, radius),
        "passes": int(model._is_stream) if run is None else run.passes,
        "model": stated,
    }
    return KeslerCertificate(**fields) if second is None else KeslerSumCertificate(**fields, sum=second)


def _sum_of(model: Any, tally: dict[str, Any], radius: float) -> KeslerSum:
    """Return the sum of the vectors z behind the proofs of a second-order learner, and its matrix.

    A vector z has the length sqrt(2) R at most. Its own rounding error, which comes from scaling it to unit length, is
    at most one rounding for each column.
    """
    states = [model._learner.second(q) for q in model._classes.problems]
    sums, variances = (
        stacked([padded(model, state["vectors"][name]) for state in states]) for name in ("sum", "variances")
    )
    biases, bias_variances = (np.array([state["numbers"][name] for state in states]) for name in ("sum", "variances"))
    parts = zip(sums, biases.tolist(), variances, bias_variances.tolist(), strict=True)
    values, matrix = (
        np.concatenate(arrays) for arrays in zip(*(diagonal_entries(*part) for part in parts), strict=True)
    )
    of_rows = 4 * (sums.shape[1] + 32) * EPS * tally["steps"] * math.sqrt(2) * radius
    rounding = math.sqrt(float(matrix.max())) * (tally["rounding"] + of_rows)
    square = widened_square(values, matrix, rounding, tally["updates"])
    return KeslerSum(sums, biases, variances, bias_variances, tally["steps"], square)


def _margin_upper_bound(tally: dict[str, Any], model: KeslerModel, radius: float) -> float:
    """Return the smallest |w| / M so far, with M the sum of the steps. Rounding is allowed for.

    No margin exceeds the length sqrt(2) R of the vectors z. Its rounding error is at most one rounding of that for each
    term and for each of the two entries of a column, and a verifier has as much again.
    """
    if tally["updates"] == 0:
        return math.inf
    now = bounds.margin_upper_bound(model.length() + tally["rounding"], tally["steps"])
    least = min(now, float(tally["margin_bound"])) * (1 + 8 * EPS)
    terms = tally["updates"] + 2 * np.shape(model.weights)[1] + 64
    return float(least + 2 * terms * EPS * math.sqrt(2) * radius)


def _record_of(model: Any) -> RunRecord:
    """Return the run record of a learner that no other thread changes."""
    classes, run = model._classes, None if model._runs is None else model._runs[0]
    certificate = certify_jointly(model) if classes.count else None
    weights, biases = ((), ()) if certificate is None else certificate.planes()
    learned = OnlineRun(
        rule=model._learned_rule,
        current_rule=model._rule(),
        is_stream=model._is_stream,
        passes=None if run is None else run.passes,
        seed=seed_of_fit(model),
        shuffle=model.shuffle,
        scale=scale_of(model),
    )
    return RunRecord(
        learner=type(model).__name__,
        parameters=model.get_params(deep=False),
        strategy=classes.strategy,
        n_features=int(getattr(model, "n_features_in_", 0)),
        feature_names=feature_names_of(model),
        reading=getattr(model, "reading_", None),
        fingerprint=getattr(model, "fingerprint_", None),
        problems=tuple(
            ProblemRecord(label, w, float(b), None, {}, run=learned)
            for label, w, b in zip(classes.strategy.positives, weights, biases, strict=True)
        ),
        make_state=lambda: state_of(model),
        column_names=column_names_of(model),
        joint=certificate,
        on_trust=on_trust(model),
    )
