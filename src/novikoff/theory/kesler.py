"""The mistakes of an online learner whose classes are learned together, and their independent check in NumPy."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import count, counted
from novikoff._wide_array import stacked, stored
from novikoff.errors import input_error

from .certificate import Certificate, above
from .enclosed_sums import Enclosed, exact_total
from .enclosure import Enclosure, agrees, at_most
from .evidence import Evidence
from .geometry import Extended, Floats, Geometry, Lifted, WeightRows, as_table
from .kesler_replay import KeslerReplay
from .margin_value import Margin, margin_number
from .online_certificate import MAX_COUNT
from .online_checks import OnlineChecks
from .rules import OnlineRule, Rule
from .running_scale import ColumnScale, as_seen
from .verification import Check, Verification


@dataclass(frozen=True)
class KeslerModel:
    """The model that a certificate of classes that are learned together is about.

    Parameters
    ----------
    weights : ndarray of shape (n_classes, n_features)
        The weights of the classes.
    biases : ndarray of shape (n_classes,)
        The intercepts.
    classes : list
        The labels, in the order of the weights.
    geometry : Geometry
        How examples x become vectors u.
    scale : ColumnScale or None, default=None
        How the columns were scaled, if the geometry has a scale. The weights are those of scaled rows.
    """

    weights: WeightRows
    biases: Floats
    classes: list[Any]
    geometry: Geometry
    scale: ColumnScale | None = None

    def planes(self) -> tuple[WeightRows, Floats]:
        """Return the weights and the intercepts of the rows as they are given.

        Returns
        -------
        weights : ndarray of shape (n_classes, n_features)
            The weights of the classes.
        biases : ndarray of shape (n_classes,)
            Their intercepts.
        """
        if self.scale is None or not len(self.biases):
            return self.weights, self.biases
        planes = [self.scale.plane(w, float(b)) for w, b in zip(self.weights, self.biases, strict=True)]
        return stacked([weights for weights, _ in planes]), np.array([intercept for _, intercept in planes])

    def evidence(self) -> Evidence:
        """Return the weights of the first class, with what all classes have in common: geometry and scale.

        Returns
        -------
        Evidence
            A weight vector without duals.
        """
        return Evidence(self.weights[0], float(self.biases[0]), self.geometry, None, scale=self.scale)

    def codes(self, y: Any) -> NDArray[np.int64]:
        """Return labels as indices of classes.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of int64
            The index of each label; -1 where the model does not know it.
        """
        labels = np.ravel(y)
        codes = np.full(len(labels), -1, dtype=np.int64)
        for k, label in enumerate(self.classes):
            codes[labels == label] = k
        return codes

    def length(self) -> float:
        """Return the length |w| of the weights of all classes together, rounded up.

        Returns
        -------
        float
            An upper bound on it.
        """
        numbers = np.append(stored(self.weights), self.biases)
        numbers = numbers[numbers != 0]  # of most classes, most weights are 0
        return Enclosed(numbers, np.zeros_like(numbers), 0).squared_length().root().outer_high()


@dataclass(frozen=True, repr=False, eq=False)
class KeslerCertificate(Certificate):
    """How many mistakes an online learner of several classes made, and an upper bound on their margin.

    The weights of all classes are one vector w. An example of class y, and another class k, make the vector z with u in
    the block of y, -u in that of k and 0 elsewhere, so that w.z is by how much y leads k (docs/theory.md, J5). A
    margin gamma means that for some w of length 1, every example leads all other classes by gamma or more.

    Parameters
    ----------
    rule : str
        The rule of the learner, which determines the bound on the mistakes.
    parameter : float
        The parameter of the rule.
    examples : float
        Number of examples, each predicted before its label was seen, or the sum of their weights.
    counts : ndarray of shape (n_classes,)
        The same for the examples of each class.
    mistakes : float
        Number of examples whose class did not lead all others that had occurred.
    updates : int
        Number of updates, each of which changes two classes.
    radius : float
        The largest |u|.
    energy : float
        The sum of |u|^2. Together with ``counts`` it tells these data from others.
    margin_upper_bound : float
        The examples have no larger margin. They may have none at all.
    passes : int
        Number of passes; 0 after several fits.
    model : KeslerModel
        The last weights.

    See Also
    --------
    novikoff.MulticlassPerceptron : A learner that has this certificate.
    MistakeCertificate : The same for one binary problem.

    Notes
    -----
    ``verify`` checks the data. That the run ends with these weights, mistakes and updates, and that they prove the
    bound on the margin, is shown by repeating it: ``novikoff.verify(model, X, y)`` does so.

    References
    ----------
    R. Duda and P. Hart, "Pattern Classification and Scene Analysis", section 5.12, 1973.

    Examples
    --------
    >>> from novikoff import MulticlassPerceptron
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"]
    >>> certificate = MulticlassPerceptron().partial_fit(X, y).certificate_
    >>> certificate.mistakes, certificate.examples
    (2.0, 3.0)
    """

    rule: str
    parameter: float
    examples: float
    counts: Floats
    mistakes: float
    updates: int
    radius: float
    energy: Extended
    margin_upper_bound: Extended
    passes: int
    model: KeslerModel

    _ratio: ClassVar[str] = "the least |w|/M of the run"  # what the upper bound on the margin is

    @property
    def online_rule(self) -> OnlineRule:
        """The rule that the mistakes were made with."""
        return Rule(self.rule, self.parameter).implementation()

    def bound(self, margin: float) -> float:
        """Return the largest possible number of mistakes if the examples have this margin.

        Parameters
        ----------
        margin : float
            By how much some weights of length 1, all classes together, let every example lead. A ``Margin``, which is
            that of one binary problem, is refused.

        Returns
        -------
        float
            The bound of the theorem that applies to the rule; infinity if the margin is not positive.
        """
        return self.online_rule.bound(self.radius, self._margin_number(margin))

    def _margin_number(self, margin: float) -> float:
        """Return a margin of all classes as a number."""
        where = f"{type(self).__name__}.bound"
        if isinstance(margin, Margin):
            raise input_error(where, "the margin of one binary problem is not that of all classes. Pass a number.")
        return margin_number(where, margin, self.model.geometry)

    def comparator_bound(self, X: Any, y: Any, coef: Any, intercept: Any = None, sample_weight: Any = None) -> float:
        """Return the bound on the mistakes that follows from any weights (docs/theory.md, J6 and J7).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows that the model was learned from.
        y : array-like of shape (n_samples,)
            Their labels.
        coef : array-like of shape (n_classes, n_features)
            Weights of the classes, in the order of ``labels()``. They need not separate the rows. With a scale, they
            are weights of the rows as they were seen.
        intercept : array-like of shape (n_classes,), default=None
            Their intercepts; None for 0. Ignored if the learner has none.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The largest possible number of mistakes.
        """
        weights, biases, losses = self._comparator(X, y, coef, intercept, sample_weight)
        length = float(np.sqrt(np.sum(weights * weights) + biases @ biases))
        found: float = self.online_rule.comparator_bound(self.radius, length, *losses)  # type: ignore[attr-defined]  # of all joint rules
        return found

    def _comparator(
        self, X: Any, y: Any, coef: Any, intercept: Any, sample_weight: Any
    ) -> tuple[Floats, Floats, tuple[float, float]]:
        """Return the weights and intercepts of a comparator, and the sums of its losses and of their squares."""
        where = "comparator_bound"
        if self.passes == 0:
            message = "the model was learned by several fits, so the number of passes is not known. Fit it once."
            raise input_error(where, message)
        weights, biases = self._planes_of(where, coef, intercept)
        X, codes = as_table(X), self.model.codes(y)
        copies = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if self.model.scale is not None:
            seen = as_seen(X, copies, self.model.scale.kind)
            X, codes, copies = seen.X, codes[seen.index], seen.copies
        lifted = Lifted(X, self.model.geometry)
        scores = np.stack([lifted.scores(w, float(b)) for w, b in zip(weights, biases, strict=True)], axis=1)
        own = scores[np.arange(len(codes)), codes]
        scores[np.arange(len(codes)), codes] = -math.inf
        losses = np.maximum(0.0, 1 - (own - scores.max(axis=1)))
        total, squares = (self.passes * float(copies @ power) for power in (losses, losses * losses))
        return weights, biases, (total, squares)

    def _planes_of(self, where: str, coef: Any, intercept: Any) -> tuple[Floats, Floats]:
        """Return the weights and intercepts of a comparator for all classes."""
        model, weights = self.model, np.atleast_2d(np.asarray(coef, dtype=np.float64))
        if weights.shape != tuple(np.shape(model.weights)):
            shape = f"{len(model.classes)} rows of {counted(np.shape(model.weights)[1], 'weight')}"
            raise input_error(where, f"coef must have {shape}, but its shape is {weights.shape}.")
        biases = np.zeros(len(weights))
        if intercept is not None and model.geometry.fit_intercept:
            biases = biases + np.asarray(intercept, dtype=np.float64)
        return weights, biases

    # ---- checks ----------------------------------------------------------------------------------------------------

    def verify(self, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
        X = as_table(X)
        if unfit := self._misfit_of_model() or self.model.evidence().fits(X, y, sample_weight):
            return Verification((unfit,))
        copies = np.ones(X.shape[0])
        if sample_weight is not None:
            copies = copies * np.asarray(sample_weight, dtype=np.float64)
        codes = self.model.codes(y)
        if len(unknown := np.flatnonzero((codes < 0) & (copies > 0))):
            label = np.ravel(y)[unknown[:1]].tolist()[0]
            detail = f"row {unknown[0]} has the label {label!r}, which the model does not know"
            return Verification((Check("data", "fails", detail, int(unknown[0])),))
        evidence, scale, found = self.model.evidence(), self.model.scale, []
        if scale is not None:
            if not evidence.has_known_rows:
                return Verification((self._check_unknown_rows(),))
            seen = as_seen(X, copies, scale.kind)
            found = [seen.check(scale.factors, scale.shifts)]
            X, codes, copies = seen.X, codes[seen.index], seen.copies
        checks = OnlineChecks(evidence, X, np.ones(len(codes)), copies, exact)  # lengths do not depend on signs
        if not checks.lifted.rows.is_finite:
            return Verification((Check("data", "fails", "NaN or infinity among the values"),))
        return Verification((*found, *self._check_data(checks, codes), *self._check_counts(copies)))

    def _check_unknown_rows(self) -> Check:
        """Check that nothing is claimed about rows that were scaled by a fit and by a stream, which data hide."""
        words = "rows were scaled by a fit and by a stream, so the data do not show them as they were seen"
        return Check("scale", "fails" if self.passes else "on trust", words)

    def _misfit_of_model(self) -> Check | None:
        """Return a failed check if no run can have this model or these counts."""
        model, classes = self.model, len(self.model.classes)
        if classes == 0 or np.ndim(model.weights) != 2 or len(model.weights) != classes:
            return Check("model", "fails", "each class needs a weight vector")
        if np.shape(model.biases) != (classes,) or np.shape(self.counts) != (classes,):
            return Check("model", "fails", "each class needs an intercept and a number of examples")
        if len(set(model.classes)) != classes:
            return Check("model", "fails", "a class occurs twice")
        if not (np.all(np.isfinite(stored(model.weights))) and np.all(np.isfinite(model.biases))):
            return Check("model", "fails", "NaN or infinity among the weights")
        if np.any(model.biases) and not model.geometry.fit_intercept:
            return Check("model", "fails", "some intercepts are not 0 where there is none")
        if model.geometry.slack_feature:
            return Check("model", "fails", "classes that are learned together have no private features")
        for name, number in (("passes", self.passes), ("updates", self.updates)):
            if not (isinstance(number, numbers.Integral) and 0 <= int(number) <= MAX_COUNT):
                return Check(name, "fails", f"{number}, which no run can have")
        return None

    def _check_data(self, checks: OnlineChecks, codes: NDArray[np.int64]) -> list[Check]:
        """Check that these are the data that the learner saw, as far as sums over them tell."""
        if self.passes == 0:
            words = {"examples": self.examples, "sum of squares": self.energy}
            trusted = [Check(name, "on trust", f"{count(value)}, of several fits") for name, value in words.items()]
            return [checks.radius(self.radius, one_sided=True), *trusted]
        found = [
            checks.radius(self.radius),
            checks.total("examples", self.examples, self.passes),
            checks.energy(self.energy, self.passes),
        ]
        for k, label in enumerate(self.model.classes):
            total = Enclosure.exactly(self.passes * exact_total(checks.copies[codes == k]))
            check = agrees("examples of each class", float(self.counts[k]), total, self.passes * checks.count + 4)
            if check.status == "fails":
                return [*found, replace(check, detail=f"class {label!r}: {check.detail}")]
        return [*found, Check("examples of each class", "holds", f"{counted(len(self.counts), 'class')}")]

    def _check_counts(self, copies: Floats) -> list[Check]:
        """Check what the counts of the run say about each other; the rest needs the run."""
        if not 0 <= self.mistakes <= self.examples < math.inf:
            return [Check("mistakes", "fails", f"{count(self.mistakes)} in {counted(self.examples, 'example')}")]
        if self.passes and self.updates > self.passes * exact_total(np.ceil(copies)):
            return [Check("updates", "fails", f"{count(self.updates)}, more than there are examples")]
        bound = "no bound is claimed"
        if self.margin_upper_bound < math.inf:
            bound = f"at most {above(self.margin_upper_bound)}, {self._ratio}"
        words = {"rule": self.rule, "parameter": f"{self.parameter:g}", "passes": count(self.passes)}
        words |= {"mistakes": count(self.mistakes), "updates": count(self.updates)}
        trusted = [Check(name, "on trust", f"{value}, of the run") for name, value in words.items()]
        return [Check("no larger margin", "on trust", bound), *trusted]

    @property
    def needs_replay(self) -> bool:
        """Whether only a replay shows the weights, which is always so."""
        return True

    def check_learned(self, run: Any) -> list[Check]:
        passes = 1 if run.is_stream else run.passes or 0
        expected = (run.rule.name, run.rule.parameter, passes, run.rule.geometry)
        same = (self.rule, self.parameter, self.passes, self.model.geometry) == expected
        same = same and (self.model.scale is None) == (run.scale is None)
        words = f"rule, parameter, passes and geometry are {'' if same else 'not '}those of the run"
        return [Check("run record", "holds" if same else "fails", words)]

    def check_replay(self, run: KeslerReplay) -> list[Check]:
        gap = run.distance(self.model.weights, self.model.biases)
        mistaken = Enclosure.exactly(exact_total(np.array(run.mistaken)))
        is_same = self.updates == run.updates
        words = f"claimed {count(self.updates)}, found {count(run.updates)}"
        checks = [
            replace(
                at_most("run", run.rounding, gap, squared=True),
                detail=f"repeated, its weights differ by {gap.root().outer_high():.3g}",
            ),
            agrees("mistakes of the run", self.mistakes, mistaken, 2 * run.visits + 4),
            Check("updates of the run", "holds" if is_same else "fails", words),
        ]
        if run.updates and self.margin_upper_bound != math.inf:
            checks.append(run.check_bound("bound of the run", self.margin_upper_bound))
        elif self.margin_upper_bound != math.inf:
            checks.append(Check("bound of the run", "fails", "a bound is claimed, but there was no update"))
        return checks

    # ---- what it says ----------------------------------------------------------------------------------------------

    def explain(self) -> str:
        return (
            f"Each of {counted(self.examples, 'example')} of {counted(len(self.model.classes), 'class')} was scored by "
            "the latest weights before its label was seen. The number of examples whose class did not lead all others "
            f"that had occurred was {count(self.mistakes)}. No weights of length 1, all classes together, let every "
            f"example lead by more than {above(self.margin_upper_bound)}: the sum of the updates proves it."
        )

    def planes(self) -> tuple[Floats, Floats]:
        return self.model.planes()

    def labels(self) -> tuple[Any, ...]:
        return tuple(self.model.classes)

    def claims(self) -> list[tuple[str, str]]:
        return [
            ("mistakes", f"{count(self.mistakes)} in {counted(self.examples, 'example')}"),
            ("radius", f"{self.radius:.6g}" if self.passes else f"at most {above(self.radius)}"),
            ("length", f"at most {above(self.model.length())}"),
            ("best margin", f"at most {above(self.margin_upper_bound)}"),
        ]
