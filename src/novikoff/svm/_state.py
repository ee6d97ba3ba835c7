"""All that a batch learner found, so that it can be kept in a file.

The weights are kept once, in the certificates: what a loaded model predicts with is what its certificate speaks of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from novikoff._labels import Codes
from novikoff.errors import invalid
from novikoff.persistence.kinds import Speaker
from novikoff.persistence.model_file import Basis, check_count, check_duals
from novikoff.persistence.records import INFINITE, Dimensions
from novikoff.solvers.problem import relative_gap
from novikoff.theory.certificate import Duals, listed
from novikoff.theory.gap import GapCertificate
from novikoff.theory.geometry import Floats
from novikoff.theory.hulls import HullCertificate

from .platt import Sigmoid

Ints = NDArray[np.int64]
Matrix = Annotated[Floats, Dimensions(2)]
Bounds = Annotated[Floats, INFINITE]
RECORD = [("time", "f8"), ("step", "i8"), ("primal", "f8"), ("dual", "f8"), ("gap", "f8")]


@dataclass(frozen=True)
class WeightsState:
    """Weights alone, one row a question."""

    coef: Matrix
    intercept: Floats


@dataclass(frozen=True)
class Support:
    """The rows that count, and y_i a_i of each of them, one row a question."""

    rows: Ints
    dual_coef: Matrix

    @classmethod
    def of(cls, codes: Codes, questions: Sequence[int], duals: Sequence[Duals]) -> Support:
        """What counts in some question, given the duals and the positive class of each."""
        rows = duals[0].rows if len(duals) == 1 else np.unique(np.concatenate([own.rows for own in duals]))
        dual_coef = np.zeros((len(duals), len(rows)))
        for positive, own, signed in zip(questions, duals, dual_coef, strict=True):
            places = slice(None) if own.rows is rows else np.searchsorted(rows, own.rows)
            signed[places] = own.weights
            np.negative(signed, out=signed, where=codes[rows] != positive)
        return cls(rows, dual_coef)


@dataclass(frozen=True)
class History:
    """What was known each time the gap was measured."""

    time: Floats
    step: Ints
    primal: Bounds
    dual: Bounds

    @classmethod
    def of(cls, records: Any) -> History:
        """The columns of an array of records."""
        return cls(*(np.ascontiguousarray(records[name]) for name in ("time", "step", "primal", "dual")))

    def records(self) -> Any:
        """The array of records."""
        gaps = [relative_gap(*bounds) for bounds in zip(self.primal.tolist(), self.dual.tolist(), strict=True)]
        columns = [self.time, self.step, self.primal, self.dual, np.array(gaps, dtype=np.float64)]
        return np.rec.fromarrays(columns, dtype=RECORD)


@dataclass(frozen=True)
class End:
    """Where a solver ended, and the next may begin."""

    duals: Floats
    point: Floats


@dataclass(frozen=True)
class SoftMarginState:
    """The machines of all questions."""

    certificates: tuple[GapCertificate, ...]
    support: Support
    histories: tuple[History, ...]
    sigmoids: tuple[Sigmoid, ...]
    ends: tuple[End, ...] | None

    @classmethod
    def of(cls, where: str, model: Any) -> SoftMarginState:
        """The state of a fitted machine; what has no sigmoids or ends of its own has none."""
        ends = vars(model).get("_ends")
        if ends is not None and not all(np.isfinite(part).all() for end in ends for part in end):
            ends = None  # no fit would begin there
        return cls(
            certificates=certificates_as_fitted(where, model, objective_="primal"),
            support=Support(model.support_, model.dual_coef_),
            histories=tuple(map(History.of, listed(model.history_))),
            sigmoids=tuple(vars(model).get("_sigmoids_of_classes", ())),
            ends=None if ends is None else tuple(End(*end) for end in ends),
        )

    def check(self, path: str, basis: Basis, speaker: Speaker) -> None:
        """Refuse what no machine can be."""
        check_machines(self.certificates, f"{path}.certificates", basis, speaker)
        check_support(self.support, f"{path}.support", basis, speaker)
        rows = self.support.rows
        for duals, own in zip((c.model.duals for c in self.certificates), self.support.dual_coef, strict=True):
            if not np.array_equal(duals.dense(int(rows[-1]) + 1 if len(rows) else 0)[rows], np.abs(own)):
                raise speaker.refuse("The duals that the certificates speak of", f"{path}.support", "others")
        questions, width = question_count(basis), basis.width
        if len(self.histories) != questions or any(not _are_as_long(*vars(h).values()) for h in self.histories):
            raise speaker.refuse("A history of each question", f"{path}.histories", "others")
        if len(self.sigmoids) not in (0, questions):
            raise speaker.refuse("A sigmoid for each question, or none,", f"{path}.sigmoids", len(self.sigmoids))
        ends = self.ends or ()
        lengths = {(len(end.duals), len(end.point)) for end in ends}
        if ends and (len(ends) != questions or len(lengths) > 1 or lengths.pop()[1] != width + 1):
            raise speaker.refuse("An end of each question", f"{path}.ends", "others")

    def give(self, model: Any, basis: Basis) -> None:
        """Make a machine what it was when it was fitted."""
        stand_on(model, basis.classes, self.certificates)
        model.objective_ = np.array([certificate.primal for certificate in self.certificates])
        model.support_, model.dual_coef_ = self.support.rows, self.support.dual_coef
        histories = [history.records() for history in self.histories]
        model.history_ = histories[0] if len(histories) == 1 else histories


@dataclass(frozen=True)
class Selection:
    """How cross-validation chose C."""

    C: float
    best_C: float
    Cs: Floats
    scores: Matrix
    mean_scores: Floats
    standard_errors: Floats

    @classmethod
    def of(cls, model: Any) -> Selection:
        """The selection of a fitted estimator: its attributes, which end in an underscore."""
        return cls(*(getattr(model, f"{name}_") for name in cls.__dataclass_fields__))

    def check(self, certificates: Sequence[GapCertificate], speaker: Speaker) -> None:
        """Refuse scores that are not those of these C, and a C that the certificates do not speak of."""
        if any(certificate.C != self.C for certificate in certificates):
            raise speaker.refuse("The C that the certificates speak of", "state.selection.C", self.C)
        if not _are_as_long(self.Cs, self.mean_scores, self.standard_errors, self.scores.T):
            raise speaker.refuse("Scores of each C", "state.selection", "others")

    def give(self, model: Any) -> None:
        """Set the attributes."""
        for name, value in vars(self).items():
            setattr(model, f"{name}_", value)


@dataclass(frozen=True)
class SelectedState:
    """A machine, and how its C was chosen."""

    machine: SoftMarginState
    selection: Selection


@dataclass(frozen=True)
class HardMarginState:
    """The separators of all questions."""

    certificates: tuple[HullCertificate, ...]
    support: Support


@dataclass(frozen=True)
class PathState:
    """The machines of all questions, for each C."""

    Cs: Floats
    certificates: tuple[tuple[GapCertificate, ...], ...]
    screened: Floats


def stand_on(model: Any, classes: NDArray[Any], certificates: Sequence[Any]) -> None:
    """Give a model the weights that its certificates speak of, one a question."""
    model.classes_ = classes
    model.coef_ = np.vstack([certificate.model.weights for certificate in certificates])
    model.intercept_ = np.array([certificate.model.bias for certificate in certificates])
    model.n_iter_ = max(certificate.iterations for certificate in certificates)
    model.certificate_ = certificates[0] if len(certificates) == 1 else list(certificates)


def question_count(basis: Basis) -> int:
    """How many questions so many classes ask."""
    return 1 if len(basis.classes) == 2 else len(basis.classes)


def certificates_as_fitted(where: str, model: Any, **others: str) -> tuple[Any, ...]:
    """The certificates of a model whose weights are still those that they speak of."""
    certificates = listed(model.certificate_)
    held = {"coef_": [c.model.weights for c in certificates], "intercept_": [c.model.bias for c in certificates]}
    held |= {name: [getattr(c, field) for c in certificates] for name, field in others.items()}
    for name, values in held.items():
        if not np.array_equal(getattr(model, name), np.array(values)):
            raise invalid(where, f"{name} as it was fitted, which certificate_ speaks of.", "another")
    return tuple(certificates)


def check_weights_fit(coef: Floats, intercept: Floats, basis: Basis, speaker: Speaker) -> None:
    """Refuse weights that are not those of these classes and features."""
    questions = question_count(basis)
    if len(basis.classes) < 2 or coef.shape != (questions, basis.width) or len(intercept) != questions:
        got = f"weights of shape {coef.shape} for {len(basis.classes)} classes"
        raise speaker.refuse(f"Weights of {basis.width} features for each question", "state", got)


def check_machines(certificates: Sequence[Any], path: str, basis: Basis, speaker: Speaker) -> None:
    """Refuse certificates that are not those of these classes and features, or of no data."""
    positives = basis.classes.tolist()[-question_count(basis) :]
    if len(basis.classes) < 2 or [certificate.model.positive for certificate in certificates] != positives:
        raise speaker.refuse("A certificate for each question", path, f"{len(certificates)}, or of other classes")
    for place, certificate in enumerate(certificates):
        model = certificate.model
        if len(model.weights) != basis.width:
            raise speaker.refuse(f"{basis.width} weights", f"{path}.{place}.model.weights", len(model.weights))
        check_duals(model.duals, f"{path}.{place}.model.duals", speaker)
        check_count(certificate.iterations, f"{path}.{place}.iterations", speaker)
        check_count(certificate.examples, f"{path}.{place}.examples", speaker, at_least=1)


def check_support(support: Support, path: str, basis: Basis, speaker: Speaker) -> None:
    """Refuse support that is not of these questions."""
    rows = support.rows
    if support.dual_coef.shape != (question_count(basis), len(rows)) or np.any(np.diff(rows, prepend=-1) <= 0):
        raise speaker.refuse("Rising numbers of rows, with a weight for each,", path, "others")


def _are_as_long(*arrays: Any) -> bool:
    return len({len(array) for array in arrays}) == 1
