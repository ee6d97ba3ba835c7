"""``distributed.verify``: honest models pass on any partitions, and no forged one does."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.distributed import fit, verify
from novikoff.errors import InvalidInputError
from novikoff.theory.certificate import Duals
from partitions import INTERCEPTS, LOSSES, certificates, cut, noisy_rows, parameters

RNG = np.random.default_rng(0)
X, SIGNS = noisy_rows(RNG, 60, 4)
WEIGHTS = RNG.choice([0.5, 1.0, 2.5], 60)
OTHER_CUT = [20, 0, 1, 39]


def fitted(weights=WEIGHTS, **changed):
    return fit(nk.LinearSVM(loss="hinge", C=0.5, **changed), X, SIGNS, weights, on="local:2")


def outcome(model, X=X, y=SIGNS, weights=WEIGHTS):
    """Whether the model is verified on partitions, which must agree with the verification on one machine."""
    found = bool(verify(model, cut(X, OTHER_CUT), cut(np.asarray(y), OTHER_CUT), cut(weights, OTHER_CUT), on="local:2"))
    assert found == bool(nk.verify(model, X, y, sample_weight=weights))
    return found


def failed(model, X=X, y=SIGNS, weights=WEIGHTS):
    """The only claim that fails, on both ways of verifying."""
    assert not outcome(model, X, y, weights)
    checks = verify(model, X, y, weights, on="local:2").checks
    (claim,) = [(check.claim, check.detail) for check in checks if check.status == "fails"]
    return claim


def forged(model, **changed):
    """A copy of the model whose certificate has other fields, or whose model has."""
    model = copy.deepcopy(model)
    own = {name: changed.pop(name) for name in ("weights", "bias", "duals", "costs") if name in changed}
    certificate = model.certificate_
    model.certificate_ = replace(certificate, model=replace(certificate.model, **own), **changed)
    return model


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_models_of_one_machine_and_of_partitions_are_verified(loss, intercept, multi_class):
    y = np.array(["a", "b", "c"])[RNG.integers(0, 3, 60)]
    model = nk.LinearSVM(loss=loss, class_weight="balanced", multi_class=multi_class, **parameters(intercept))
    assert outcome(copy.deepcopy(model).fit(X, y, sample_weight=WEIGHTS), y=y)
    assert outcome(fit(model, cut(X, [1, 0, 59]), cut(y, [1, 0, 59]), cut(WEIGHTS, [1, 0, 59]), on="local:2"), y=y)
    assert not outcome(model, y=np.roll(y, 1))


def test_balanced_weights_do_not_depend_on_the_partitions():
    rng = np.random.default_rng(3)
    rows, y = noisy_rows(rng, 20_000, 3)
    weights = rng.random(20_000) * 1e3
    model = fit(nk.LinearSVM(class_weight="balanced", C=1e-3), rows, y, weights, on="local:3")
    assert verify(model, rows, y, weights, on="local:7")
    assert nk.verify(model, rows, y, sample_weight=weights)


def test_sparse_rows_with_wide_weights_are_verified():
    S = sp.csr_matrix(np.where(RNG.random((60, 4)) < 0.5, X, 0.0))
    S.resize(60, 300)
    model = fit(nk.LinearSVM(loss="hinge", C=0.5), S, SIGNS, on="local:2")
    assert outcome(model, S, SIGNS, None)
    other = S.copy()
    other.data *= 1.1
    assert not outcome(model, other, SIGNS, None)


def test_other_data_are_found():
    model = fitted()
    assert outcome(model)
    assert not outcome(model, X + 0.1)
    assert not outcome(model, X[::-1].copy(), SIGNS[::-1].copy(), WEIGHTS[::-1].copy())
    assert not outcome(model, y=-SIGNS)
    assert failed(model, X[:, :3].copy())[0] == "data"
    assert failed(model, y=np.where(SIGNS > 0, 1, 2))[0] == "data"
    assert failed(model, y=np.where(np.arange(60) == 7, 5, SIGNS))[0] == "data"


def test_other_weights_are_found():
    model = fitted()
    assert failed(model, weights=None)[0] == "costs"
    changed = WEIGHTS.copy()
    changed[33] *= 1 + 1e-12
    claim, detail = failed(model, weights=changed)
    assert claim == "costs"
    assert "row 33" in detail
    assert failed(fitted(None), weights=WEIGHTS)[0] == "costs"
    assert failed(fitted(class_weight={1: 2.0}), weights=WEIGHTS * 2)[0] == "costs"


def test_other_parameters_are_found():
    model = fitted()
    model.C = 0.25
    assert failed(model)[0] == "model"
    weighted = fitted(class_weight={1: 2.0})
    weighted.class_weight = None
    assert not outcome(weighted)


def test_other_weights_of_the_model_are_found():
    model = fitted()
    for name in ("coef_", "intercept_"):
        changed = copy.deepcopy(model)
        value = np.asarray(getattr(changed, name)).copy()
        value.flat[0] = np.nextafter(value.flat[0], np.inf)
        setattr(changed, name, value)
        assert failed(changed)[0] == "model"


def test_forged_objectives_are_found():
    model = fitted()
    certificate = model.certificate_
    low, high = certificate.dual, certificate.primal
    assert not outcome(forged(model, primal=low))
    assert not outcome(forged(model, dual=high))
    assert not outcome(forged(model, primal=high * (1 - 1e-6)))
    assert not outcome(forged(model, dual=low * (1 + 1e-3)))
    assert not outcome(forged(model, examples=certificate.examples - 1))


def test_forged_costs_are_found():
    model = fitted()
    costs = model.certificate_.model.costs.copy()
    costs[11] *= 2
    claim, detail = failed(forged(model, costs=costs))
    assert claim == "costs"
    assert "row 11" in detail
    assert failed(forged(model, costs=costs[:-1]))[0] == "costs"
    assert failed(forged(model, costs=None))[0] == "costs"


def test_forged_duals_are_found():
    model = fitted()
    rows, values = model.certificate_.model.duals.rows, model.certificate_.model.duals.weights
    beyond, negative, reversed_ = rows.copy(), values.copy(), rows[::-1].copy()
    beyond[-1], negative[2] = 60, -1e-3
    assert "there is no row 60" in failed(forged(model, duals=Duals(beyond, values)))[1]
    assert f"row {rows[2]}" in failed(forged(model, duals=Duals(rows, negative)))[1]
    for duals in (
        Duals(rows, values * 2),
        Duals(rows, np.where(np.arange(len(rows)) == 1, np.inf, values)),
        Duals(rows, np.where(np.arange(len(rows)) == 1, np.nan, values)),
        Duals(reversed_, values),
        Duals(np.full_like(rows, rows[0]), values),
        Duals(rows[:-1], values),
        Duals(rows - rows[0] - 1, values),
    ):
        assert failed(forged(model, duals=duals))[0] == "feasible duals"


def test_duals_of_rows_of_another_pair_are_found():
    y = np.arange(60) % 3
    model = fit(nk.LinearSVM(loss="hinge", multi_class="ovo"), X, y, on="local:2")
    duals = certificates(model)[0].model.duals
    stranger = int(np.setdiff1d(np.flatnonzero(y == 2), duals.rows)[0])
    order = np.argsort([*duals.rows, stranger])
    other = Duals(np.array([*duals.rows, stranger])[order], np.array([*duals.weights, 0.1])[order])
    first = certificates(model)[0]
    model.certificate_ = [replace(first, model=replace(first.model, duals=other)), *certificates(model)[1:]]
    checks = verify(model, X, y, on="local:3").checks
    (found,) = [check for check in checks if check.status == "fails"]
    assert found.row == stranger
    assert "neither of the two labels" in found.detail


def test_progress_is_said_for_each_problem():
    said = []
    y = np.arange(60) % 3
    model = nk.LinearSVM(multi_class="ovr").fit(X, y)
    assert verify(model, X, y, on="local:2", progress=lambda *words: said.append(words))
    assert said == [(f"{k} of 3 problems", k / 3) for k in (1, 2, 3)]


@pytest.mark.parametrize("model", [nk.LinearSVM(), nk.AROW().fit(X, SIGNS), nk.PassiveAggressiveI().fit(X, SIGNS)])
def test_models_without_such_certificates_are_refused(model):
    with pytest.raises(
        InvalidInputError,
        match=r"^distributed.verify: (verify on partitions is for a fitted LinearSVM|LinearSVM has no certificate)",
    ):
        verify(model, X, SIGNS, on="local:2")
