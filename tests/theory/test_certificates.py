"""All certificates: every field is checked or listed as on trust, and nothing that says more than is true verifies."""

import dataclasses
import math
import re
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from adversary.forge import leaves, with_leaf
from certified import OTHER_DATA, with_certificate
from mixed import Mixed
from novikoff.theory import CERTIFICATES
from novikoff.theory.forgetting import Forgetting

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
REMAIN_TRUE = {("overlap", "fit_intercept"), ("overlap", "positive"), ("tracker", "declared")}
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


def verified(model, certificate, X, y, weights, exact=False):
    """Whether the certificate alone verifies, and also as part of the model."""
    if not certificate.verify(X, y, weights, exact=exact):
        return False
    return isinstance(model, Verdict) or bool(nk.verify(with_certificate(model, certificate), X, y, weights, exact))


def certificate_of(model):
    return model.certificate if isinstance(model, Verdict) else model.record_.certificates[-1]


@cache
def made(kind):
    """A model with its certificate and data, and the names of the fields that are on trust."""
    model, *data = FITTED[kind]()
    certificate = certificate_of(model)
    checks = certificate.verify(*data).checks
    checks += () if isinstance(model, Verdict) else nk.verify(model, *data).checks
    listed = " ".join(f"{check.claim} {check.detail}" for check in checks if check.status == "on trust")
    return model, certificate, data, {*listed.replace(",", " ").replace(":", " ").split()}


@pytest.mark.parametrize("kind", FITTED)
def test_every_field_is_checked_or_listed(kind):
    model, certificate, data, on_trust = made(kind)
    assert isinstance(model, Verdict) or nk.verify(model, *data)
    for path, value in leaves(certificate):
        if path[-1] in on_trust or (kind, path[-1]) in REMAIN_TRUE:
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
    model, certificate, (X, y, weights), _ = made(kind)
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


@pytest.mark.parametrize(
    "kind", [kind for kind in FITTED if re.search("perceptron|stream|AROW|passive|adaptive|forgetting|average", kind)]
)
def test_the_record_of_another_run_is_noticed(kind):
    model, certificate, _, _ = made(kind)
    run, rule = model.record_.problems[-1].run, model.record_.problems[-1].run.rule
    others = [replace(run, rule=replace(rule, geometry=replace(rule.geometry, normalize=not rule.geometry.normalize)))]
    if not hasattr(certificate, "halted"):  # the margin perceptron's claims are about its plane
        others += [replace(run, rule=replace(rule, name="alma")), replace(run, scale=object())]
        others += [replace(run, rule=replace(rule, parameter=rule.parameter + 1.0))]
        others += [replace(run, is_stream=not run.is_stream, passes=7)]
    if hasattr(certificate, "forget"):
        others += [replace(run, rule=replace(rule, forgetting=Forgetting(0.25)))]
    if getattr(certificate, "mixing", None):
        mixing = run.mixing
        others = [replace(run, mixing=other) for other in (None, replace(mixing, seed=mixing.seed + 1))]
        others += [replace(run, mixing=replace(mixing, shuffle=not mixing.shuffle)), replace(run, passes=7)]
        others += [replace(run, mixing=replace(mixing, rows=mixing.rows[::-1] + 1))]
    assert [check.status for check in certificate.check_learned(run)] == ["holds"]
    for other in others:
        assert [check.status for check in certificate.check_learned(other)] == ["fails"], other


# ---- lies ------------------------------------------------------------------------------------------------------------

# Where a larger claim (1), or a smaller one (-1), says less, so that it may be true.
WEAKER = {"primal": 1, "dual": -1, "margin_lower_bound": -1, "margin_upper_bound": 1}
WEAKER |= {"sum_square": 1, "square": 1, "intercept_variance": -1}
UNCHANGED = {  # what may be altered without making a claim false
    "pairs": {"a row less", "a row more"},  # of the third class
    "margin perceptron": {"a row less", "a row more", "other weights"},
    "margin perceptron, unit length": {"a row less", "a row more", "other weights"},
    "tracker": {"scaled"},
    "separable": {"other weights", ("intercept",), "other entries"},
    "overlap": {"other weights", "scaled", "all labels turned"},
    "quasi-complete": {"other weights"},
}


def near_and_far(number):
    """Other numbers, from a millionth away to none at all."""
    if isinstance(number, int):
        return [number - 1, number + 1, -number - 1, 10**30]
    return [number * (1 - 1e-6), number * (1 + 1e-6), -number, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("kind", FITTED)
def test_no_number_that_says_more_than_is_true_is_verified(kind):
    model, certificate, data, on_trust = made(kind)
    assert verified(model, certificate, *data, exact=True)
    for path, value in leaves(certificate):
        if not isinstance(value, int | float) or isinstance(value, bool) or path[-1] in on_trust:
            continue
        if path in UNCHANGED.get(kind, ()):
            continue
        for place, other in enumerate(near_and_far(value)):
            if other == value or (other - value) * WEAKER.get(path[-1], 0) > 0:
                continue
            for exact in (False, True)[: 2 if place < 2 else 1]:
                forged = with_leaf(certificate, path, other)
                assert not verified(model, forged, *data, exact=exact), (path, value, other, exact)


def first(entry):
    """Replace the first entry of an array of floats."""
    return lambda a: np.where(np.arange(a.size).reshape(a.shape) == 0, entry, a) if a.dtype.kind == "f" else a


ARRAYS = {
    "NaN": first(np.nan),
    "infinite": first(np.inf),
    "an entry less": lambda a: a[:-1],
    "another dimension": lambda a: a[None],
    "other entries": lambda a: a * np.linspace(1, 9, a.size).reshape(a.shape) if a.dtype.kind == "f" else a,
    "turned": lambda a: a[::-1] if a.dtype.kind == "f" else a,
    "other signs": lambda a: -a if a.dtype.kind == "f" else a,
    "beyond the rows": lambda a: a + 100 if a.dtype.kind == "i" else a,
    "before the rows": lambda a: a - 100 if a.dtype.kind == "i" else a,
    "the same row": lambda a: 0 * a if a.dtype == np.int64 else a,
}


@pytest.mark.parametrize("kind", FITTED)
def test_no_other_array_is_verified(kind):
    model, certificate, data, on_trust = made(kind)
    for path, value in leaves(certificate):
        if not isinstance(value, np.ndarray) or path[-1] in on_trust or not value.size:
            continue
        for name, alter in ARRAYS.items():
            other = alter(value)
            if not np.array_equal(other, value) and name not in UNCHANGED.get(kind, ()):
                assert not verified(model, with_leaf(certificate, path, other), *data), (path, name)


def test_no_altered_part_of_a_certificate_raises_an_error():
    """One kind of each class of certificates whose parts have forms of their own."""
    for kind in ("joint", "multiclass AROW", "quasi-complete"):
        model, X, y, weights = FITTED[kind]()
        certificate = certificate_of(model)
        for path, value in leaves(certificate):
            altered = alternatives(value)
            if isinstance(value, np.ndarray) and value.size:
                altered += [alter(value) for alter in ARRAYS.values()]
            found = [with_leaf(certificate, path, other).verify(X, y, weights) for other in altered]
            assert all(checked.checks for checked in found), (kind, path)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kind", FITTED)
def test_other_data_are_refused(kind, layout):
    model, certificate, (X, y, weights), _ = made(kind)
    assert certificate.verify(layout(X), y, weights)
    for name, other in OTHER_DATA.items():
        if name not in UNCHANGED.get(kind, ()):
            rows, labels, own = other(X, y, weights)
            assert not verified(model, certificate, layout(rows), labels, own), name
