"""The independent check of a whole model: certificates against data, and the model against its certificates."""

from __future__ import annotations

import dataclasses
import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from novikoff._class_weights import RunningBalance, row_weights
from novikoff._labels import encode
from novikoff._validation import check_labels, check_weights
from novikoff.errors import invalid
from novikoff.theory.certificate import ROUNDING, Certificate, listed
from novikoff.theory.evidence import Evidence
from novikoff.theory.gap import GapCertificate
from novikoff.theory.geometry import Floats, as_table, length_of
from novikoff.theory.hulls import HullCertificate
from novikoff.theory.replay import Replay, RuleOf, replay, shuffles
from novikoff.theory.verification import Check, Verification, compare


def verify(model: Any, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
    """Check all that a model claims, without the code that made it.

    Beside its certificates, the model itself is checked: that it predicts with the weights they speak of, that its
    parameters are those it learned with, and that the labels are those it knows. A stream, and a run whose averages or
    votes predict, is made again row by row, in plain NumPy.

    Parameters
    ----------
    model : a fitted learner
    X, y, sample_weight : what it learned from, in the same order
    exact : decide in whole numbers what rounding would leave open

    Returns
    -------
    Verification
        The checks of its certificate; for more than two classes those of all of them, each under its label.

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> bool(nk.verify(nk.LinearSVM().fit(X, y), X, y))
    True
    """
    where = "verify"
    claimed = getattr(model, "certificate_", None)
    if claimed is None:
        raise invalid(where, "A fitted model with a certificate.", f"{type(model).__name__} without one")
    certificates: list[Certificate] = listed(claimed)
    X = as_table(X)
    labels = check_labels(where, y, X.shape[0])
    weights = counted(model, labels, check_weights(where, sample_weight, len(labels)))
    checks = [_known_labels(model, labels, weights)]
    expected = 1 if len(model.classes_) <= 2 else len(model.classes_)
    if len(certificates) != expected:
        checks.append(Check("certificates", "fails", f"{len(certificates)}, where there must be {expected}"))
    if any(check.status == "fails" for check in checks):
        return Verification(tuple(checks))
    for place, certificate in enumerate(certificates):
        own = [_parameters(model, certificate), *_same_weights(model, place, certificate)]
        found = certificate.verify(X, labels, weights, exact=exact)
        judged = [_of_last(model, check) for check in found.checks]
        fits = all(check.status != "fails" for check in judged)
        own += judged + (_same_run(model, place, certificate, X, labels, weights) if fits else [])
        several = len(certificates) > 1
        checks += [dataclasses.replace(c, claim=f"{model.classes_[place]}: {c.claim}") if several else c for c in own]
    if getattr(model, "_sigmoids_of_classes", None):
        checks.append(Check("probabilities", "on trust", "they rest on fits to parts of the rows"))
    return Verification(tuple(checks))


def counted(model: Any, labels: Any, weights: Floats | None) -> Floats:
    """How much each row counted when the model learned: its weight times that of its class."""
    class_weight = getattr(model, "class_weight", None)
    if class_weight is not None:
        if isinstance(class_weight, str) and getattr(model, "_is_stream", False):
            met = np.full(len(labels), -1, dtype=np.int32)  # a stream passes over rows that weigh nothing
            seen = np.arange(len(labels)) if weights is None else np.flatnonzero(weights)
            _, codes = encode("verify", labels[seen])
            order = np.argsort(np.unique(codes, return_index=True)[1])  # and numbers classes as they are met
            met[seen] = np.argsort(order)[codes]
            return RunningBalance().weigh(met, weights)
        classes, codes = encode("verify", labels)
        weights = row_weights("verify", class_weight, classes.tolist(), codes, weights)
    return np.ones(len(labels)) if weights is None else weights


def _known_labels(model: Any, labels: Any, weights: Floats) -> Check:
    strange = np.flatnonzero(~np.isin(labels, model.classes_) & (weights > 0))
    if len(strange):
        row = int(strange[0])
        return Check("labels", "fails", f"row {row} has the label {labels[row]!r}, which the model does not know", row)
    return Check("labels", "holds", "all are labels that the model knows")


def _of_last(model: Any, check: Check) -> Check:
    """Where averages or votes predict, say that the certificate speaks of the last weights."""
    combined = getattr(getattr(model, "_learned_rule", None), "keep", "last") != "last"
    speaks = combined and check.claim == "separates"
    return dataclasses.replace(check, claim="the last weights separate") if speaks else check


def _parameters(model: Any, certificate: Any) -> Check:
    """Whether the parameters that the model shows are those that its certificate speaks of."""
    claim = "parameters"
    if isinstance(certificate, GapCertificate | HullCertificate):
        intercept = "none" if not model.fit_intercept else "penalized" if model.penalized_intercept else "free"
        shown = {"intercept": intercept, "tol": float(model.tol)}
        if isinstance(certificate, GapCertificate):
            lam = getattr(model, "lam", None)
            cost = getattr(model, "C_", None) or (model.C if lam is None else 1 / (2 * lam))
            shown |= {"C": float(cost), "loss": model.loss}
        for name, value in shown.items():
            if getattr(certificate, name) != value:
                return Check(
                    claim, "fails", f"{name} is {value}, the certificate speaks of {getattr(certificate, name)}"
                )
    elif (now := model._rule("verify")) != model._learned_rule:
        return Check(claim, "fails", f"they make the rule {now}, it learned by {model._learned_rule}")
    return Check(claim, "holds", "they are those that the certificate speaks of")


def _same_weights(model: Any, place: int, certificate: Any) -> list[Check]:
    """Whether the model predicts with the weights that its certificate speaks of; averages and votes do not."""
    evidence = getattr(certificate, "evidence", None)
    if isinstance(evidence, Evidence):
        if model._learned_rule.keep != "last":
            return []
        weights, intercept = evidence.weights, evidence.intercept
    else:
        weights, intercept = certificate.model.weights, certificate.model.bias
    same = np.array_equal(model.coef_[place], weights) and model.intercept_[place] == intercept
    words = f"its weights are {'' if same else 'not '}those that the certificate speaks of"
    return [Check("model", "holds" if same else "fails", words)]


# ---- runs that are made again --------------------------------------------------------------------------------------


def _same_run(model: Any, place: int, certificate: Any, X: Any, labels: Any, weights: Floats) -> list[Check]:
    """Make the run again, where the data alone do not show what came of it."""
    evidence = getattr(certificate, "evidence", None)
    if not isinstance(evidence, Evidence) or (evidence.duals is not None and model._learned_rule.keep == "last"):
        return []  # its weights are a sum of rows that the certificate names
    question, learned = model._classes.questions[place], model._learned_rule
    if model._is_stream:
        orders = iter([np.arange(X.shape[0])])
    elif model._runs is None:
        return [Check("run", "open", "there were several fits, which cannot be made again")]
    elif not model.shuffle:
        orders = iter([np.arange(X.shape[0])] * model._runs[question].passes)
    elif not isinstance(model.random_state, numbers.Integral):
        return [Check("run", "open", "random_state is no number, so the order of the rows is not known")]
    else:
        seeds = check_random_state(model.random_state).randint(2**31, size=model._learner.questions)
        orders = shuffles(X.shape[0], int(seeds[question]), model._runs[question].passes)
    rule = RuleOf(learned.name, learned.parameter, learned.tie)
    again = replay(X, evidence.signs(labels), weights, rule, learned.geometry, orders)
    return _held_against(model, place, certificate, again, X)


def _held_against(model: Any, place: int, certificate: Any, again: Replay, X: Any) -> list[Check]:
    """Hold what the run came to against what is claimed. Rounding may have decided a row otherwise: then it is open."""
    evidence, slack = certificate.evidence, ROUNDING * again.path
    apart = length_of(again.weights - evidence.weights, again.bias - evidence.intercept)
    checks = [
        Check("run", "holds" if apart <= slack else "fails", f"made again, its weights differ by {apart:.3g}"),
        compare(
            "mistakes of the run",
            certificate.mistakes,
            again.mistakes,
            slack=ROUNDING * again.examples,
            exact_match=True,
        ),
        compare("bound of the run", certificate.margin_upper_bound, again.margin_bound, slack=_a_little(again)),
    ]
    if model._learned_rule.keep == "average":
        weights, bias = again.average()
        apart = length_of(model.coef_[place] - weights, float(model.intercept_[place]) - bias)
        words = f"made again, the average differs by {apart:.3g}"
        checks.append(Check("average", "holds" if apart <= slack else "fails", words))
    elif model._learned_rule.keep == "votes":
        votes = model._state("verify").questions[model._classes.questions[place]].votes
        same = _same_votes(model, votes, again, X)
        words = f"{len(again.moved)} hypotheses, {'as' if same else 'not as'} the run made them"
        checks.append(Check("votes", "holds" if same else "fails", words))
    if again.doubtful is None:
        return checks
    doubt = f"; row {again.doubtful} is so close that rounding may have decided it"
    return [
        dataclasses.replace(c, status="open", detail=c.detail + doubt) if c.status == "fails" else c for c in checks
    ]


def _a_little(again: Replay) -> float:
    return ROUNDING * again.path / again.steps if again.steps else 0.0


def _same_votes(model: Any, votes: Any, again: Replay, X: Any) -> bool:
    """Whether the hypotheses that vote are those of the run, each for as long as it survived."""
    survived = votes.survived_whole + votes.survived_part
    along = np.array(again.along)
    if len(votes.steps) != len(along) or not np.allclose(survived, again.survived, rtol=ROUNDING, atol=0):
        return False
    bias_steps = along if model.fit_intercept else 0 * along
    if not np.allclose([votes.steps, votes.bias_steps], [along, bias_steps], rtol=ROUNDING, atol=0):
        return False
    learned = sp.csr_array((votes.values, votes.indices, votes.offsets), shape=(len(along), X.shape[1]))
    given = sp.csr_array(X[np.array(again.moved, dtype=np.int64)], dtype=np.float64)
    return bool((learned != given).nnz == 0)
