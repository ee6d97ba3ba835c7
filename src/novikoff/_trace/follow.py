"""A run of a perceptron, followed update by update."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._cached import cached_property
from novikoff._estimators import check_random_state, clone
from novikoff._validation import check_choice, check_integer, check_labels, check_rows
from novikoff.errors import input_error, quote
from novikoff.online.updates import Stepper, Update, fit_copy, updates_of_fit
from novikoff.theory.geometry import Floats, Lifted, Matrix, as_table
from novikoff.theory.margin_value import Margin
from novikoff.theory.rules import OnlineRule, Rule, RuleInput
from novikoff.theory.running_scale import FIXED, as_seen

from .comparator import given_vector, largest_margin_vector
from .steps import Trace

WHERE = "trace"
PICKS = ("cycle", "first", "worst", "random")
MAX_UPDATES = 100_000  # by default
MAX_ENTRIES = 1 << 23  # of all v together by default, 64 MiB, and of one v
ROUNDING = 1e-9  # relative; scores this close to the threshold are left to the kernel


def trace(
    learner: Any, X: Any, y: Any, *, comparator: Any = None, pick: str = "cycle", max_updates: int | None = None
) -> Trace:
    """Follow a perceptron update by update, beside the inequalities that prove its mistake bound.

    After M updates, M gamma <= v.v*/|v*| <= |v| <= R sqrt(M) for the perceptron, where v* is a vector whose margin on
    the rows is gamma and R is the length of the longest example. The two ends meet at M = (R/gamma)^2, so there are no
    more updates than that. The upper bounds of the margin perceptrons are larger; the rest is the same.

    Parameters
    ----------
    learner : Perceptron, AveragedPerceptron, VotedPerceptron or MarginPerceptron
        The learner, fitted or not. A copy of it learns; the learner is not modified. Of the averaged and the voted
        perceptron, the perceptron behind them is shown.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels of two classes. For one class of several, pass ``y == label``.
    comparator : array-like or estimator, default=None
        The vector v*: weights, with the intercept last if the learner has one, or a fitted linear classifier. By
        default the vector with the largest margin on the vectors that the learner sees, if there is one. A vector is
        one of these vectors, also if they have a running scale.
    pick : {"cycle", "first", "worst", "random"}, default="cycle"
        How the next row is chosen. "cycle" passes over the rows in the order of ``fit``, and ends with the same
        weights, bit for bit. The others choose among all rows that cause an update: the first one, the one with the
        smallest score y v.u, or a random one, with the seed ``random_state`` of the learner.
    max_updates : int, default=None
        Largest number of updates in the trace. By default 100,000, or fewer if v would need more than 64 MiB. The
        trace says whether it was cut.

    Returns
    -------
    Trace
        The table of the updates.

    Raises
    ------
    InvalidInputError
        If the learner does not add examples to its weights, if it weights them, or if there are more than two classes,
        or more than 8,388,608 columns.

    See Also
    --------
    Perceptron : Has the mistake bound (R/gamma)^2.
    MarginPerceptron : Has a bound on its updates.
    HardMarginSVM : Finds the vector with the largest margin.

    Notes
    -----
    Up to two matrices of the size of X are needed besides v, because the vectors u are stored.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[2.0, 1.0], [3.0, 3.0], [1.0, 2.0], [1.0, 1.0]], ["yes", "yes", "no", "no"]
    >>> steps = nk.trace(nk.Perceptron(shuffle=False), X, y)
    >>> len(steps), round(steps.bound), steps.halted
    (18, 171, True)
    >>> steps.v[-1]
    array([ 6., -4., -4.])
    """
    check_choice(WHERE, "pick", pick, PICKS)
    X, labels, names = _checked(learner, X, y)
    record, halted = fit_copy(learner, X, labels, **({} if pick == "cycle" else {"max_iter": 1}))
    if record.run is None or not record.run.rule.implementation().adds_examples:
        reason = "does not add whole examples to its weights, which the proof of the mistake bound is about"
        raise input_error(WHERE, f"{type(learner).__name__} {reason}. Use a perceptron.")
    if record.run.rule.forgetting.is_any:
        raise input_error(WHERE, "the proof is about a learner that forgets nothing. Leave out forget and half_life.")
    rule, signs = record.run.rule, np.where(labels == record.positive, 1.0, -1.0)
    if rule.geometry.scale is not None:
        X = as_seen(as_table(X), np.ones(len(signs)), FIXED).X
    examples = _Examples(Lifted(X, rule.geometry), signs)
    if comparator is None:
        v_star = largest_margin_vector(examples.U, signs)
    else:
        given = given_vector(WHERE, comparator, X.shape[1], rule.geometry.fit_intercept, record.positive)
        v_star = np.pad(given, (0, examples.U.shape[1] - len(given)))  # without private features
    limit = _limit(max_updates, examples.U.shape[1])
    if pick == "cycle":
        updates = updates_of_fit(record.run, X, signs)
    else:
        updates = _chosen_updates(rule, X, examples, pick, learner.random_state)
    found = list(islice(updates, limit + 1))
    is_cut, found = len(found) > limit, found[:limit]
    columns = _columns(rule, examples, found, v_star)
    return Trace(
        **columns,
        label=labels[columns["example"]],
        comparator=v_star,
        halted=not is_cut and (halted or pick != "cycle"),
        is_cut=is_cut,
        pick=pick,
        learner=type(learner).__name__,
        rule=rule,
        names=_coordinates(names, X.shape[1], rule.geometry.fit_intercept, examples.U.shape[1]),
    )


@dataclass(frozen=True)
class _Examples:
    """The vectors u, and their labels y."""

    lifted: Lifted
    signs: Floats

    @cached_property
    def U(self) -> Any:
        return self.lifted.as_matrix()

    @property
    def radius(self) -> float:
        return float(self.lifted.lengths.max())

    def vectors(self, found: list[Update], delta: float) -> Matrix:
        """Return v after each update: weights, intercept and private features."""
        width = self.U.shape[1]
        v = np.zeros((len(found), width))
        if not found:
            return v
        columns = len(found[0].weights)
        for row, update in enumerate(found):
            v[row, :columns] = update.weights
        if delta:
            at = np.array([update.row for update in found])
            np.add.at(v, (np.arange(len(found)), width - len(self.signs) + at), delta * self.signs[at])
            v[:, width - len(self.signs) :] = np.cumsum(v[:, width - len(self.signs) :], axis=0)
            width -= len(self.signs)
        if width > columns:
            v[:, columns] = [update.bias for update in found]
        return v


def _checked(learner: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any], list[str] | None]:
    """Return the rows as the learner passes them to its kernel, their labels, and the names of the columns."""
    kind = type(learner).__name__
    if not (hasattr(learner, "partial_fit") and hasattr(type(learner), "record_")):
        raise input_error(WHERE, f"{kind} is not an online learner of novikoff. Use a perceptron.")
    if getattr(learner, "class_weight", None) is not None:
        raise input_error(WHERE, "an update with weights adds only a part of an example. Set class_weight=None.")
    model = clone(learner)
    X = check_rows(model, WHERE, X, reset=True)
    if X.shape[1] > MAX_ENTRIES:
        message = (
            f"every v has an entry for each of the {X.shape[1]:,} columns, and at most {MAX_ENTRIES:,} are possible"
        )
        remedy = "Number those that occur anew: places = np.unique(X.indices, return_inverse=True)[1]"
        raise input_error(WHERE, f"{message}. {remedy}; X = scipy.sparse.csr_array((X.data, places, X.indptr)).")
    labels = check_labels(WHERE, y, X.shape[0])
    classes = np.unique(labels)
    if len(classes) > 2:
        example = f"y == {quote(classes.tolist()[0])}"
        message = f"y has {len(classes)} classes. For the problem of one class against the others, pass {example} as y."
        raise input_error(WHERE, message)
    names = getattr(model, "feature_names_in_", None)
    return X, labels, None if names is None else names.tolist()


def _limit(max_updates: int | None, width: int) -> int:
    """Return the largest number of updates in the trace."""
    if max_updates is not None:
        return check_integer(WHERE, "max_updates", max_updates, at_least=1)
    return min(MAX_UPDATES, max(1, MAX_ENTRIES // width))


def _coordinates(names: list[str] | None, columns: int, fit_intercept: bool, width: int) -> tuple[str, ...]:
    """Return the names of the coordinates of v."""
    own = [f"x{column}" for column in range(columns)] if names is None else names
    known = [*own, *(["intercept"] if fit_intercept else [])]
    return (*known, *(f"private {row}" for row in range(width - len(known))))


def _chosen_updates(rule: Rule, X: Any, examples: _Examples, pick: str, random_state: Any) -> Iterator[Update]:
    """Yield updates for rows that are chosen among all that cause one, until there is none."""
    stepper, implementation = Stepper(rule, X, examples.signs), rule.implementation()
    random = copy.deepcopy(check_random_state(random_state))
    v, updates = np.zeros(examples.U.shape[1]), 0
    while True:
        scores = examples.signs * np.asarray(examples.U @ v).ravel()
        length = math.sqrt(float(v @ v))
        top = _threshold(implementation, length, updates) + ROUNDING * length * examples.radius
        rows = np.flatnonzero(scores <= top)
        if pick == "worst":
            rows = rows[np.argsort(scores[rows], kind="stable")]
        elif pick == "random":
            random.shuffle(rows)
        update = next((found for found in map(stepper.learn, rows.tolist()) if found is not None), None)
        if update is None:
            return
        yield update
        updates += 1
        v = examples.vectors([update], 0.0)[0]
        if rule.geometry.slack_feature:
            v[len(v) - len(examples.signs) :] = rule.geometry.slack_feature * examples.signs * stepper.duals


def _threshold(rule: OnlineRule, length: float, updates: int) -> float:
    """Return the score y v.u up to which the rule updates."""
    return rule.threshold(RuleInput(1.0, 0.0, 1.0, 1.0, length * length, float(updates)))


def _columns(rule: Rule, examples: _Examples, found: list[Update], v_star: Floats | None) -> dict[str, Any]:
    """Return the columns of the table, and the numbers that they depend on."""
    implementation, M = rule.implementation(), np.arange(1, len(found) + 1, dtype=np.float64)
    v, radius = examples.vectors(found, rule.geometry.slack_feature), examples.radius
    length = np.sqrt(np.einsum("ij,ij->i", v, v))
    before = np.append(0.0, length[:-1])[: len(found)]
    thresholds = np.array([_threshold(implementation, size, k) for k, size in enumerate(before.tolist())])
    with np.errstate(divide="ignore", invalid="ignore"):
        step_bound = np.where(before > 0, before + (radius * radius / 2 + thresholds) / before, radius)
    unit, margin = None, math.nan
    if v_star is not None:
        unit = v_star / float(np.sqrt(v_star @ v_star))
        margin = float(np.min(examples.signs * np.asarray(examples.U @ unit).ravel()))
    projection = np.full(len(found), math.nan) if unit is None else v @ unit
    upper = implementation.length_bound(radius, margin, M)
    return {
        "step": M.astype(np.int64),
        "example": np.array([update.row for update in found], dtype=np.int64),
        "sign": examples.signs[[update.row for update in found]],
        "score": np.array([update.margin + 0.0 for update in found]),  # -0 becomes 0
        "is_mistake": np.array([update.is_mistake for update in found], dtype=bool),
        "threshold": thresholds,
        "v": v,
        "length": length,
        "projection": projection,
        "angle": _degrees(projection, length),
        "angle_bound": _degrees(M * margin, upper),
        "lower": M * margin,
        "upper": upper,
        "step_bound": step_bound,
        "margin_bound": length / M,
        "radius": radius,
        "margin": margin if unit is None else Margin.of(margin, rule.geometry),
        "bound": implementation.update_bound(radius, margin) if margin > 0 else math.inf,
    }


def _degrees(adjacent: Floats, hypotenuse: Floats) -> Floats:
    """Return the angles with these cosines; NaN where the hypotenuse is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.degrees(np.arccos(np.clip(adjacent / hypotenuse, -1.0, 1.0)))
