"""Every public fitted attribute is checked, or listed by name as one that is taken on trust."""

import copy
import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import LEARNERS, REPRESENTATIVES
from novikoff._verify.attributes import NOT_KNOWN, names_of, same
from share import slow_unless

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

rng = np.random.default_rng(5)
THREE = rng.integers(0, 3, size=30)
X = rng.normal(size=(30, 3)) + 8 * np.array([[1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [-0.5, -0.8, 0.0]])[THREE]
TWO = np.where(THREE == 0, "yes", "no")
WEIGHTS = rng.integers(1, 4, size=30) / 4
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


def fit(model, y=TWO, X=X, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of grids and gaps
        return model.fit(X, y, weights), X, y, weights


def table():
    frame = FRAME.assign(job=np.where(X[:, 1] > 0, "cook", "smith"))
    return nk.fit(frame.assign(label=TWO), target="label", model=nk.LinearSVM()), frame, TWO, None


def stream(model, y=THREE):
    return model.partial_fit(X, y, sample_weight=WEIGHTS), X, y, WEIGHTS


FITTED = {
    "soft margin": lambda: fit(nk.LinearSVM(loss="hinge", C=1.0, probability=True), X=FRAME),
    "soft margin, weighted": lambda: fit(nk.LinearSVM(), weights=WEIGHTS),
    "pairs": lambda: fit(nk.LinearSVM(class_weight="balanced"), THREE, weights=WEIGHTS),
    "one-vs-rest": lambda: fit(nk.LinearSVM(multi_class="ovr"), THREE),
    "joint": lambda: fit(nk.LinearSVM(multi_class="crammer_singer", loss="hinge", C=1.0), THREE),
    "cross-validation": lambda: fit(nk.LinearSVMCV(cv=3), THREE),
    "path": lambda: fit(nk.LinearSVMPath(Cs=3), THREE, X=FRAME),
    "joint path": lambda: fit(nk.LinearSVMPath(Cs=3, multi_class="crammer_singer", loss="hinge"), THREE),
    "hard margin": lambda: fit(nk.HardMarginSVM()),
    "hard margin, three classes": lambda: fit(nk.HardMarginSVM(), THREE),
    "table": table,
    "stream": lambda: stream(nk.Perceptron()),
    "balanced stream": lambda: stream(nk.PassiveAggressiveI(class_weight="balanced")),
    **{name: (lambda make=make: fit(make(max_iter=5), THREE)) for name, make in LEARNERS.items()},
}


def public_attributes(model):
    names = {name for name in vars(model) if name.endswith("_")}
    names |= {name for cls in type(model).__mro__ for name, value in vars(cls).items() if isinstance(value, property)}
    found = sorted(name for name in names if name.endswith("_") and not name.startswith("_") and name != "record_")
    return [name for name in found if hasattr(model, name)]


def alterations(value):
    """Other values of the same type."""
    if sp.issparse(value):
        return [2 * value, value[:, ::-1], value[:-1]]
    if isinstance(value, np.ndarray) and value.dtype.names:
        altered = value.copy()
        altered[[name for name in value.dtype.names if value.dtype[name].kind in "if"][-1]] += 1
        return [altered, value[:-1]]
    if isinstance(value, np.ndarray) and value.size:
        reverse = value[::-1].copy()
        others = [] if np.array_equal(reverse, value) else [reverse]
        if value.dtype.kind in "if":
            altered = value.copy()
            altered.flat[0] = altered.flat[0] * (1 + 1e-9) + 1e-9 if value.dtype.kind == "f" else altered.flat[0] + 1
            last = value.copy()
            last.flat[-1] = 3 * last.flat[-1] + 1
            others += [altered, last]
        return others
    if isinstance(value, bool | int | float):
        return [value + 1, value * 2 + 1]
    if isinstance(value, str):
        others = {"ovr": ["ovo"], "ovo": ["ovr"], "crammer_singer": ["ovr"]}
        return others.get(value, [value + "x"])
    if isinstance(value, dict):
        return [{}, dict(list(value.items())[1:])]
    if isinstance(value, list):
        return [value[:-1], value[::-1]] if len(value) > 1 else [[]]
    if dataclasses.is_dataclass(value) and hasattr(value, "verify"):
        changed = {"iterations", "mistakes"} & set(value.__dataclass_fields__)
        return [dataclasses.replace(value, **{name: getattr(value, name) + 1}) for name in changed]
    return [None]


def with_attribute(model, name, value):
    """A copy of the model that shows another value, also where the attribute is a property."""
    altered = copy.copy(model)
    if name in vars(altered):
        setattr(altered, name, value)
    else:
        altered.__class__ = type(type(model).__name__, (type(model),), {name: property(lambda self: value)})
    return altered


def texts_on_trust(found):
    return " ".join(f"{check.claim} {check.detail}" for check in found.checks if check.status == "on trust")


def is_noticed(altered, arguments):
    """Whether an altered model is refused."""
    try:
        return not nk.verify(altered, *arguments)
    except nk.InvalidInputError:  # an array that has lost an entry
        return True


@pytest.mark.parametrize("kind", slow_unless(lambda kind: kind in REPRESENTATIVES or kind not in LEARNERS, FITTED))
def test_every_attribute_is_checked_or_listed(kind):
    model, *arguments = FITTED[kind]()
    found = nk.verify(model, *arguments)
    assert found, str(found)
    assert NOT_KNOWN not in str(found)
    names = public_attributes(model)
    assert len(names) >= 5
    on_trust = texts_on_trust(found).replace(":", " ").split()
    for name in names:
        alternatives = alterations(getattr(model, name))
        assert alternatives, f"no alteration of {name} is known to this test"
        for other in alternatives:
            altered = with_attribute(model, name, other)
            assert name in on_trust or is_noticed(altered, arguments), f"{name} = {other!r} was not noticed"


def test_every_attribute_of_an_encoder_is_checked_or_listed():
    pipeline, *arguments = table()
    honest = texts_on_trust(nk.verify(pipeline, *arguments)).replace(":", " ").split()
    for name in public_attributes(pipeline[0]):
        if name == "encoding_" or name in honest:  # the tests of tables forge what was learned from the table
            continue
        for other in alterations(getattr(pipeline[0], name)):
            altered = copy.deepcopy(pipeline)
            altered.steps[0] = ("encoder", with_attribute(altered[0], name, other))
            try:
                assert not nk.verify(altered, *arguments), f"{name} = {other!r} was not noticed"
            except nk.InvalidInputError:  # the encoder refuses the table
                continue


def test_an_attribute_that_nobody_knows_is_listed():
    model = nk.LinearSVM().fit(X, TWO)
    model.quality_ = 1.0
    found = nk.verify(model, X, TWO)
    assert found
    assert f"quality_: {NOT_KNOWN}" in texts_on_trust(found)


def test_coefficients_of_pairs_have_a_row_for_each_other_class():
    y = np.arange(30) % 4
    model = nk.LinearSVM(loss="hinge", C=1.0).fit(X, y)
    assert nk.verify(model, X, y)
    assert model.dual_coef_.shape == (3, len(model.support_))
    weights = model.dual_coef_.copy()
    row = int(np.flatnonzero(weights[:, 0])[0])
    weights[row, 0] *= -1
    assert not nk.verify(with_attribute(model, "dual_coef_", weights), X, y)


def test_names_of_columns_are_those_of_the_rows():
    model = nk.LinearSVM().fit(FRAME, TWO)
    assert nk.verify(model, FRAME, TWO)
    assert "feature_names_in_" in texts_on_trust(nk.verify(model, X, TWO))
    assert [c.claim for c in nk.verify(model, FRAME[["b", "a", "c"]].set_axis(["b", "a", "c"], axis=1), TWO).failures]
    renamed = nk.verify(model, FRAME.set_axis(["a", "b", "d"], axis=1), TWO)
    assert [check.claim for check in renamed.failures] == ["attributes: feature_names_in_"]
    assert names_of(pd.DataFrame(X)) is None
    assert names_of(X.tolist()) is None


def test_scores_of_a_cross_validation_imply_the_choice():
    model, *arguments = FITTED["cross-validation"]()
    scores = model.scores_.copy()
    scores[:, 0] += 5.0
    for name in ("mean_scores_", "standard_errors_", "best_C_"):
        assert name not in texts_on_trust(nk.verify(model, *arguments))
    found = nk.verify(with_attribute(model, "scores_", scores), *arguments)
    assert [check.claim for check in found.failures] == ["attributes: mean_scores_"]


def test_arrays_and_dataclasses_are_compared_by_their_values():
    certificate = nk.LinearSVM(C=1.0).fit(X, TWO).certificate_
    assert same(certificate, copy.deepcopy(certificate))
    assert not same(certificate, dataclasses.replace(certificate, tol=0.5))
    assert same([np.arange(2), "a"], [np.array([0, 1]), "a"])
    assert not same(np.arange(2), np.arange(3))
    assert not same([1], [1, 2])
