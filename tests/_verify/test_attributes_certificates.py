"""Every field of every certificate is checked, or listed by name as one that is taken on trust."""

import dataclasses
import math
import types
import warnings

import numpy as np
import pytest

import novikoff as nk
from adversary.forge import leaves, with_leaf
from mixed import Mixed
from novikoff.theory import CERTIFICATES

rng = np.random.default_rng(5)
CODES = rng.integers(0, 3, size=24)
CODES[:3] = range(3)
X = rng.normal(size=(24, 3)) + 6 * np.array([[1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [-0.5, -0.8, 0.0]])[CODES]
MIXED = X + 6 * rng.normal(size=X.shape)
TWO = np.where(CODES == 0, "yes", "no")
WEIGHTS = rng.integers(1, 4, size=24) / 4
WEIGHTS[5] = 0.0


class Verdict:
    """A verdict on separability as a model with nothing but its certificate."""

    def __init__(self, X, y):
        self.certificate = nk.separability(X, y)


def fit(model, X=X, y=TWO, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, weights), X, y, weights


def on_plane():
    X = np.array([[3.0, 1.0], [3.0, 1.0], [4.0, 0.0], [5.0, 1.0], [2.0, 0.5]])
    y = np.array([0, 1, 1, 1, 0])
    return Verdict(X, y), X, y, None


FITTED = {
    "hinge": lambda: fit(nk.LinearSVM(loss="hinge", C=0.1), MIXED, weights=WEIGHTS),
    "squared hinge": lambda: fit(nk.LinearSVM(penalized_intercept=True), MIXED, weights=WEIGHTS),
    "pairs": lambda: fit(nk.LinearSVM(), MIXED, CODES, WEIGHTS),
    "joint": lambda: fit(nk.LinearSVM(multi_class="crammer_singer", loss="hinge", C=0.1), MIXED, CODES, WEIGHTS),
    "hard margin": lambda: fit(nk.HardMarginSVM(), weights=WEIGHTS),
    "perceptron": lambda: fit(nk.Perceptron(), weights=WEIGHTS),
    "mixed perceptron": lambda: fit(Mixed(nk.Perceptron(max_iter=4), 3), MIXED, weights=WEIGHTS),
    "mixed average": lambda: fit(Mixed(nk.AveragedPerceptron(max_iter=4)), MIXED),
    "private features": lambda: fit(nk.Perceptron(slack_feature=0.5, max_iter=50)),
    "averaged perceptron": lambda: fit(nk.AveragedPerceptron(), MIXED),
    "voted perceptron": lambda: fit(nk.VotedPerceptron(), MIXED),
    "stream": lambda: (nk.Perceptron().partial_fit(X, TWO, classes=["no", "yes"]), X, TWO, None),
    "forgetting": lambda: fit(nk.PassiveAggressiveI(forget=0.1, half_life=5.0), weights=WEIGHTS),
    "stream of margin perceptron": lambda: (nk.MarginPerceptron().partial_fit(X, TWO), X, TWO, None),
    "margin perceptron": lambda: fit(nk.MarginPerceptron(), weights=WEIGHTS),
    "margin perceptron, unit length": lambda: fit(nk.MarginPerceptron(normalize=True)),
    "passive-aggressive II": lambda: fit(nk.PassiveAggressiveII(C=0.5), MIXED),
    "AROW": lambda: fit(nk.AROW(), MIXED, weights=WEIGHTS),
    "stream of second order": lambda: (nk.AROW().partial_fit(X, TWO, classes=["no", "yes"]), X, TWO, None),
    "stream of SCW": lambda: (nk.SoftConfidenceWeighted().partial_fit(X, TWO, classes=["no", "yes"]), X, TWO, None),
    "normalized adaptive": lambda: fit(nk.NormalizedAdaptive(), MIXED, weights=WEIGHTS),
    "multiclass perceptron": lambda: fit(nk.MulticlassPerceptron(), MIXED, CODES, WEIGHTS),
    "multiclass AROW": lambda: fit(nk.MulticlassAROW(), MIXED, CODES, WEIGHTS),
    "multiclass passive-aggressive": lambda: fit(nk.MulticlassPassiveAggressiveI(), MIXED, CODES, WEIGHTS),
    "tracker": lambda: fit(nk.Tracker(), MIXED, weights=WEIGHTS),
    "separable": lambda: (Verdict(X, TWO), X, TWO, None),
    "overlap": lambda: (Verdict(MIXED, TWO), MIXED, TWO, None),
    "quasi-complete": on_plane,
}

# An overlap of rows (x, 1) is one of the rows x, and one of the classes in the other order. A model that separates the
# rows need not say so, and may do so although no pass without a mistake has shown it.
# It may make no difference to predictions whether labels were known before they were seen.
REMAIN_TRUE = {("overlap", "fit_intercept"), ("overlap", "positive")}
REMAIN_TRUE |= {("perceptron", "separates"), ("private features", "separates"), ("stream", "separates")}
REMAIN_TRUE |= {("stream of SCW", "separates"), ("stream of second order", "separates")}


def alternatives(value):
    """Other values at one place of a certificate, some of which must be false."""
    if isinstance(value, bool | np.bool_):
        return [not value]
    if isinstance(value, str):
        return ["free", "hinge", "passive-aggressive I", "perceptron", "complete", "something else"]
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return [np.zeros(1, dtype=value.dtype)]
        found = []
        for other in alternatives(value.flat[0].item()):
            altered = value.copy()
            altered.flat[0] = other
            found.append(altered)
        return [*found, value[:-1]]
    if value == ():  # no directions, supports or dependences
        return [((1,),), (np.zeros(1, dtype=np.int64),)]
    if isinstance(value, tuple) and dataclasses.is_dataclass(value[0]):
        return [
            (with_leaf(value[0], path, other), *value[1:])
            for path, own in leaves(value[0])
            for other in alternatives(own)
        ]
    if isinstance(value, tuple) and isinstance(value[0], str):
        return [value[::-1]]
    if isinstance(value, tuple):
        return [(entry, *value[1:]) for entry in (value[0] + 1, value[0] - 1, -value[0])]
    if isinstance(value, int):
        return [value + 1, value - 1, 0]
    return [value * 1.001, value * 0.999, -value, value + 1.0, 0.0, math.nan]


def with_certificate(model, certificate):
    """The record of a model whose last problem has another certificate."""
    record = model.record_
    if record.joint is not None:
        return types.SimpleNamespace(record_=dataclasses.replace(record, joint=certificate))
    *others, last = record.problems
    problems = (*others, dataclasses.replace(last, certificate=certificate))
    return types.SimpleNamespace(record_=dataclasses.replace(record, problems=problems))


def verified(model, certificate, X, y, weights):
    """Whether the certificate alone verifies, and also as part of the model."""
    if not certificate.verify(X, y, weights):
        return False
    return isinstance(model, Verdict) or bool(nk.verify(with_certificate(model, certificate), X, y, weights))


def certificate_of(model):
    return model.certificate if isinstance(model, Verdict) else model.record_.certificates[-1]


@pytest.mark.parametrize("kind", FITTED)
def test_every_field_is_checked_or_listed(kind):
    model, *data = FITTED[kind]()
    certificate = certificate_of(model)
    checks = certificate.verify(*data).checks
    if not isinstance(model, Verdict):
        found = nk.verify(model, *data)
        assert found, str(found)
        checks += found.checks
    listed = " ".join(f"{check.claim} {check.detail}" for check in checks if check.status == "on trust")
    words = listed.replace(",", " ").replace(":", " ").split()
    for path, value in leaves(certificate):
        if path[-1] in words or (kind, path[-1]) in REMAIN_TRUE:
            continue
        altered = [with_leaf(certificate, path, other) for other in alternatives(value)]
        assert not all(verified(model, other, *data) for other in altered), (
            f"nobody checks {'.'.join(map(str, path))} = {value!r}"
        )


def test_every_kind_of_certificate_is_among_the_cases():
    kinds = {type(certificate_of(make()[0])).__name__ for make in FITTED.values()}
    assert kinds == set(CERTIFICATES)


@pytest.mark.parametrize("kind", FITTED)
def test_other_labels_are_noticed(kind):
    model, X, y, weights = FITTED[kind]()
    certificate = certificate_of(model)
    names = [("model", "positive"), ("model", "classes"), ("evidence", "positive"), ("positive",), ("classes",)]
    found = 0
    for path in names:
        part = certificate
        for name in path:
            part = getattr(part, name, None)
        if part is not None:
            found += 1
            if (kind, path[-1]) in REMAIN_TRUE:
                continue
            other = part[::-1] if isinstance(part, list) else next(label for label in np.unique(y) if label != part)
            assert not verified(model, with_leaf(certificate, path, other), X, y, weights)
    assert found == 1
