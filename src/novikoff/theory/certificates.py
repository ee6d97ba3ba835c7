"""Certificates of the online learners, and their independent check in NumPy."""

from __future__ import annotations

import dataclasses
import html
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff.errors import invalid

from . import bounds
from .geometry import Floats, Geometry, Lifted, as_table, copies_apart, length_of
from .verification import Check, Verification, compare

ROUNDING = 1e-9  # relative; sums of a long run differ in their last digits from the same sums made anew


@dataclass(frozen=True)
class Duals:
    """The weights a_i >= 0 of a combination v = sum a_i y_i u_i: row numbers and their weights, the rest being 0."""

    rows: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, dense: Floats) -> Duals:
        """Keep the entries that are not 0."""
        rows = np.flatnonzero(dense)
        return cls(rows, dense[rows])

    def dense(self, rows: int) -> Floats:
        """All weights of a data set of this many rows."""
        full = np.zeros(rows)
        within = self.rows < rows
        full[self.rows[within]] = self.weights[within]
        return full


@dataclass(frozen=True)
class Recombined:
    """A model built anew from its duals a: whether it is the same, sum a, |v| / sum a, and the rounding in that."""

    check: Check
    steps: float
    ratio: float
    rounding: float


@dataclass(frozen=True)
class Evidence:
    """The model that a certificate speaks of: the vector v, the geometry it lives in, and the label it calls +1."""

    weights: Floats
    intercept: float
    geometry: Geometry
    positive: Any
    duals: Duals | None = None  # v as a combination of the rows of one data set, where it is known

    def signs(self, y: Any) -> Floats:
        """Labels as -1 and +1."""
        return np.where(np.asarray(y) == self.positive, 1.0, -1.0)

    def examples(self, X: Any, y: Any, sample_weight: Any) -> tuple[Lifted, Floats, Floats]:
        """The examples that the theorems speak of, their signs and their weights."""
        signs = self.signs(np.ravel(y))
        copies = np.ones(len(signs))
        if sample_weight is not None:
            copies *= np.asarray(sample_weight, dtype=np.float64)
        if self.geometry.slack_feature and copies.max() > 1:
            index, copies = copies_apart(copies)
            X, signs = X[index], signs[index]
        return Lifted(X, self.geometry), signs, copies

    def fits(self, X: Any, y: Any, sample_weight: Any) -> Check | None:
        """Say why the data cannot be those of the model, if their shape shows it."""
        if X.ndim != 2:
            return Check("data", "fails", f"a table of two dimensions is needed, not one of shape {X.shape}")
        rows, columns = X.shape
        if sample_weight is not None and np.shape(sample_weight) not in ((), (rows,)):
            return Check("data", "fails", f"{rows} rows, but weights of shape {np.shape(sample_weight)}")
        if np.size(y) != rows:
            return Check("data", "fails", f"{rows} rows, but {np.size(y)} labels")
        if not np.all(np.isfinite(X.data if sp.issparse(X) else X.astype(np.float64))):
            return Check("data", "fails", "NaN or infinity among the values")
        if columns != len(self.weights):
            return Check("data", "fails", f"the model has {len(self.weights)} features, the data {columns}")
        return None

    def margins(self, lifted: Lifted, signs: Floats) -> tuple[Floats, Floats]:
        """Return y v.u of every row, and a bound on its rounding error. Private features count where they are known."""
        margins = signs * lifted.scores(self.weights, self.intercept)
        errors = lifted.rounding(self.weights, self.intercept)
        if self.duals is not None and self.geometry.slack_feature:
            own = self.geometry.slack_feature**2 * self.duals.dense(len(lifted))
            margins, errors = margins + own, errors + ROUNDING * own
        return margins, errors

    def length(self) -> float:
        """Return |v|."""
        private = None if self.duals is None else self.duals.weights
        return length_of(self.weights, self.intercept, private, self.geometry.slack_feature)

    def recombined(self, lifted: Lifted, signs: Floats) -> Recombined:
        """Build v anew from its duals, and check that it is v."""
        assert self.duals is not None  # callers ask only then
        if len(self.duals.rows) and self.duals.rows[-1] >= len(lifted):
            check = Check("weights", "fails", f"they are a sum of more than the {len(lifted)} examples given")
            return Recombined(check, steps=0.0, ratio=np.inf, rounding=0.0)
        if np.any(self.duals.weights < 0):
            check = Check("weights", "fails", "some of the examples behind them count less than nothing")
            return Recombined(check, steps=0.0, ratio=np.inf, rounding=0.0)
        a = self.duals.dense(len(lifted))
        weights, intercept = lifted.combine(a * signs)
        distance = length_of(weights - self.weights, intercept - self.intercept)
        allowed = ROUNDING * float(a @ lifted.lengths)
        length = length_of(weights, intercept, self.duals.weights, self.geometry.slack_feature)
        detail = f"the weights differ from the sum of the examples by {distance:.3g}"
        if distance > allowed:
            detail += ": these are not the data, or not the order of the rows, that the model was trained on"
        return Recombined(
            check=Check("weights", "holds" if distance <= allowed else "fails", detail),
            steps=float(a.sum()),
            ratio=bounds.margin_upper_bound(length, float(a.sum())),
            rounding=allowed / float(a.sum()) if a.any() else 0.0,
        )


class Certificate(ABC):
    """What all certificates can do: be read, be written, be shown."""

    def to_json(self) -> str:
        """All fields as JSON, arrays as lists, infinities as null."""

        def finite(value: Any) -> Any:
            if isinstance(value, np.ndarray | np.generic):
                value = value.tolist()
            if isinstance(value, dict):
                return {key: finite(entry) for key, entry in value.items()}
            if isinstance(value, list):
                return [finite(entry) for entry in value]
            return None if isinstance(value, float) and not math.isfinite(value) else value

        fields: dict[str, Any] = dataclasses.asdict(self)  # type: ignore[call-overload]  # every subclass is a dataclass
        return json.dumps(finite({"kind": type(self).__name__, **fields}))

    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """The claims in words, for tables."""

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in self.facts())
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}: " + "; ".join(f"{k} {v}" for k, v in self.facts())


@dataclass(frozen=True, repr=False)
class MistakeCertificate(Certificate):
    """How many mistakes a learner made, and how many it could have made.

    ``mistakes`` were made on ``examples`` examples, each predicted before its label was seen; ``radius`` is the largest
    |u|; no separator of what was seen has a margin above ``margin_upper_bound`` (there may be none at all).
    ``positives`` (the weight of the positive examples), ``energy`` (the sum of |u|^2) and ``passes`` (0 after several
    fits) tell these data from others; ``rule`` and ``parameter`` say which bound applies. ``separates`` says that the
    last pass went through all the data without a mistake.
    """

    rule: str
    parameter: float
    examples: float
    positives: float
    mistakes: float
    updates: int
    radius: float
    energy: float
    margin_upper_bound: float
    separates: bool
    passes: int
    evidence: Evidence

    _BOUNDS: ClassVar[dict[str, Callable[[float, float, float], float]]] = {
        "perceptron": lambda radius, margin, _: bounds.novikoff(radius, margin),
        "passive-aggressive": lambda radius, margin, _: bounds.novikoff(radius, margin),
        "passive-aggressive I": bounds.passive_aggressive_I,
        "passive-aggressive II": bounds.passive_aggressive_II,
    }

    def bound(self, margin: float) -> float:
        """Return the most mistakes that could have been made if a separator with this margin exists."""
        return self._BOUNDS[self.rule](self.radius, margin, self.parameter)

    def comparator_bound(self, X: Any, y: Any, coef: Any, intercept: float = 0.0, sample_weight: Any = None) -> float:
        """Return the bound on a perceptron that any comparator gives, a separator or not (Freund and Schapire 1999)."""
        if self.rule != "perceptron":
            raise invalid("comparator_bound", "A perceptron's certificate.", f"one of the rule {self.rule!r}")
        lifted = Lifted(as_table(X), self.evidence.geometry)
        weights = np.asarray(coef, dtype=np.float64).ravel()
        margins = self.evidence.signs(y) * lifted.scores(weights, intercept) / length_of(weights, intercept)
        return bounds.freund_schapire(self.radius, margins, sample_weight, self.passes)

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Verification:
        """Recompute every claim that the data can show, in plain NumPy, without the kernels.

        ``sample_weight`` is how much each row counted, weights of classes multiplied in. On a stream, X and y are all
        of it.
        """
        X = as_table(X)
        if misfit := self.evidence.fits(X, y, sample_weight):
            return Verification((misfit,))
        lifted, signs, copies = self.evidence.examples(X, y, sample_weight)
        seen = copies > 0
        checks = self._check_data(lifted, signs, copies)
        checks += self._check_margin(lifted, signs)
        margins, errors = self.evidence.margins(lifted, signs)
        if self.separates:
            checks.append(_separation(margins, errors, seen))
        checks.append(self._check_mistakes(margins, copies, seen))
        return Verification(tuple(checks))

    def _check_data(self, lifted: Lifted, signs: Floats, copies: Floats) -> list[Check]:
        """Whether these are the data that the learner saw, as far as sums over them tell."""
        longest = float(lifted.lengths[copies > 0].max(initial=0.0))
        checks = [compare("radius", self.radius, longest, slack=ROUNDING * self.radius, exact_match=self.passes > 0)]
        if self.passes == 0:
            return [*checks, Check("examples", "on trust", f"{self.examples:g}, of several fits")]
        sums = [
            ("examples", self.examples, float(copies.sum())),
            ("positives", self.positives, float(copies[signs > 0].sum())),
            ("sum of squares", self.energy, float(copies @ lifted.lengths**2)),
        ]
        for claim, claimed, found in sums:
            slack = ROUNDING * max(claimed, self.examples)
            check = compare(claim, claimed, self.passes * found, slack=slack, exact_match=True)
            if check.status == "fails":
                hint = "; sample_weight must be what the rows counted, weights of classes multiplied in"
                check = replace(check, detail=check.detail + hint)
            checks.append(check)
        return checks

    def _check_margin(self, lifted: Lifted, signs: Floats) -> list[Check]:
        claim = "no separator has a larger margin"
        if self.evidence.duals is None:
            return [Check(claim, "on trust", f"at most {self.margin_upper_bound:.6g}, the least |v|/M of the run")]
        anew = self.evidence.recombined(lifted, signs)
        checks = [anew.check, compare(claim, self.margin_upper_bound, anew.ratio, slack=anew.rounding)]
        if self.rule == "perceptron":
            found = "mistakes, as the steps behind the weights"
            checks.append(compare(found, self.mistakes, anew.steps, slack=ROUNDING * anew.steps, exact_match=True))
        return checks

    def _check_mistakes(self, margins: Floats, copies: Floats, seen: NDArray[np.bool_]) -> Check:
        """Hold the count against the theorem, with the model itself as the comparator."""
        length = self.evidence.length()
        if self.passes == 0:
            return Check("mistakes", "on trust", f"{self.mistakes:g}, of several fits")
        if self.mistakes > self.examples:
            return Check("mistakes", "fails", f"{self.mistakes:g} in {self.examples:g} examples")
        if length > 0 and self.separates and self.evidence.geometry.slack_feature == 0:
            most = self.bound(float(margins[seen].min()) / length)
        elif length > 0 and self.rule == "perceptron" and self.evidence.geometry.slack_feature == 0:
            most = bounds.freund_schapire(self.radius, margins / length, copies, self.passes)
        else:
            return Check("mistakes", "on trust", f"{self.mistakes:g}")
        if self.mistakes <= most * (1 + ROUNDING):
            return Check("mistakes", "on trust", f"{self.mistakes:g}, within the {most:.6g} that the theorem allows")
        return Check("mistakes", "fails", f"{self.mistakes:g}, more than the {most:.6g} that the theorem allows")

    def facts(self) -> list[tuple[str, str]]:
        """The claims in words."""
        words = [
            ("mistakes", f"{self.mistakes:g} in {self.examples:g} examples"),
            ("radius", f"{self.radius:.6g}"),
            ("best margin", f"at most {self.margin_upper_bound:.6g}"),
            ("separates", "yes: the last pass made no mistake" if self.separates else "not shown"),
        ]
        if self.evidence.geometry.slack_feature:
            words.append(
                ("geometry", f"with a private feature of {self.evidence.geometry.slack_feature:g} for each example")
            )
        return words


@dataclass(frozen=True, repr=False)
class MarginCertificate(Certificate):
    """The margin a separator has, and the largest that any can have.

    ``margin_lower_bound`` <= the model's own margin <= the best margin <= ``margin_upper_bound``. The lower bound is
    -infinity where the model was not held against all its data, and not above 0 where it does not separate them.
    ``halted`` says that the last pass changed nothing.
    """

    margin_lower_bound: float
    margin_upper_bound: float
    halted: bool
    updates: int
    examples: float
    mistakes: float
    radius: float
    evidence: Evidence

    @property
    def ratio(self) -> float:
        """The share of the best margin that the model is sure to have."""
        return self.margin_lower_bound / self.margin_upper_bound if self.margin_upper_bound > 0 else 0.0

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Verification:
        """Recompute both bounds, in plain NumPy, without the kernels.

        ``sample_weight`` is how much each row counted; those of weight 0 are passed over.
        """
        X = as_table(X)
        if misfit := self.evidence.fits(X, y, sample_weight):
            return Verification((misfit,))
        lifted, signs, copies = self.evidence.examples(X, y, sample_weight)
        seen = copies > 0
        longest = float(lifted.lengths[seen].max(initial=0.0))
        checks = [
            compare("radius", self.radius, longest, slack=ROUNDING * self.radius, exact_match=True),
            compare("lower below upper bound", self.margin_upper_bound, self.margin_lower_bound, slack=0.0),
            self._check_lower(lifted, signs, seen),
            Check("mistakes", "on trust", f"{self.mistakes:g} in {self.examples:g} examples"),
        ]
        if self.evidence.duals is None:
            checks.append(
                Check("upper bound", "on trust", f"{self.margin_upper_bound:.6g}, the least |v|/M of the run")
            )
        else:
            anew = self.evidence.recombined(lifted, signs)
            checks += [
                anew.check,
                compare("upper bound", self.margin_upper_bound, anew.ratio, slack=anew.rounding),
                compare(
                    "updates, no fewer than the steps", float(self.updates), anew.steps, slack=ROUNDING * anew.steps
                ),
            ]
        return Verification(tuple(checks))

    def _check_lower(self, lifted: Lifted, signs: Floats, seen: NDArray[np.bool_]) -> Check:
        claim = "lower bound"
        length = self.evidence.length()
        if length == 0 or self.margin_lower_bound == -np.inf:
            return Check(claim, "on trust", "no lower bound is claimed")
        margins, errors = self.evidence.margins(lifted, signs)
        rows = np.flatnonzero(seen)
        worst = int(rows[np.argmin(margins[rows])])
        found, error = margins[worst] / length, errors[worst] / length + ROUNDING * abs(margins[worst]) / length
        detail = f"claimed {self.margin_lower_bound:.6g}, found {found:.6g}"
        if found + error < self.margin_lower_bound:
            return Check(claim, "fails", detail, worst)
        return Check(claim, "holds", detail)

    def facts(self) -> list[tuple[str, str]]:
        """The claims in words."""
        words = [("best margin", f"at most {self.margin_upper_bound:.6g}"), ("updates", str(self.updates))]
        if self.margin_lower_bound > -np.inf:
            words.insert(
                0,
                ("margin", f"at least {self.margin_lower_bound:.6g} ({100 * max(0.0, self.ratio):.1f} % of the best)"),
            )
        return words


def _separation(margins: Floats, errors: Floats, seen: NDArray[np.bool_]) -> Check:
    claim = "separates"
    rows = np.flatnonzero(seen)
    wrong = rows[margins[rows] + errors[rows] <= 0]
    if len(wrong):
        return Check(claim, "fails", f"row {wrong[0]} is on the wrong side", int(wrong[0]))
    unsure = rows[margins[rows] <= errors[rows]]
    if len(unsure):
        return Check(claim, "open", f"row {unsure[0]} is too close to the boundary for floating point", int(unsure[0]))
    return Check(claim, "holds", f"all {len(rows)} rows are on the right side")
