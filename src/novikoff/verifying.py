"""The independent check of a whole model: certificates against data, and weights against certificates."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ._base import RunningBalance, encode, row_weights
from ._validation import check_labels, check_weights
from .errors import invalid
from .theory.certificate import Certificate
from .theory.evidence import Evidence
from .theory.gap import SvmModel
from .theory.verification import Check, Verification


def verify(model: Any, X: Any, y: Any, sample_weight: Any = None, exact: bool = False) -> Verification:
    """Check all that a model claims, without the code that made it.

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
    found = getattr(model, "certificate_", None)
    if found is None:
        raise invalid(where, "A fitted model with a certificate.", f"{type(model).__name__} without one")
    certificates: list[Certificate] = found if isinstance(found, list) else [found]
    labels = check_labels(where, y, np.shape(y)[0])
    weights = counted(model, labels, check_weights(where, sample_weight, len(labels)))
    checks: list[Check] = []
    for place, certificate in enumerate(certificates):
        own = [_same_weights(model, place, certificate), *_checks(certificate, X, labels, weights, exact)]
        several = len(certificates) > 1
        checks += [dataclasses.replace(c, claim=f"{model.classes_[place]}: {c.claim}") if several else c for c in own]
    return Verification(tuple(checks))


def counted(model: Any, labels: Any, weights: Any) -> Any:
    """How much each row counted when the model learned: its weight times its class's; None if all counted once."""
    class_weight = getattr(model, "class_weight", None)
    if class_weight is None:
        return weights
    classes, codes = encode("verify", labels)
    if class_weight == "balanced" and getattr(model, "_is_stream", False):
        order = np.argsort(np.unique(codes, return_index=True)[1])  # on a stream, classes are numbered as they are met
        return RunningBalance().weigh(np.argsort(order).astype(np.int32)[codes], weights)
    return row_weights("verify", class_weight, classes.tolist(), codes, weights)


def _checks(certificate: Any, X: Any, labels: Any, weights: Any, exact: bool) -> tuple[Check, ...]:
    checks: tuple[Check, ...] = certificate.verify(X, labels, weights, exact=exact).checks
    return checks


def _same_weights(model: Any, place: int, certificate: Any) -> Check:
    """Whether the model predicts with the weights that its certificate speaks of."""
    claim, spoken = "model", getattr(certificate, "model", None) or getattr(certificate, "evidence", None)
    if isinstance(spoken, SvmModel):
        weights, intercept = spoken.weights, spoken.bias
    elif isinstance(spoken, Evidence):
        weights, intercept = spoken.weights, spoken.intercept
    else:
        return Check(claim, "on trust", "the certificate names no weights")
    if not np.array_equal(model.coef_[place], weights) or model.intercept_[place] != intercept:
        if getattr(getattr(model, "_learned_rule", None), "keep", "last") != "last":
            return Check(claim, "on trust", "it predicts with a combination of the hypotheses of the run")
        return Check(claim, "fails", "its weights are not those that the certificate speaks of")
    return Check(claim, "holds", "its weights are those that the certificate speaks of")
