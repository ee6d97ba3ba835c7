"""The joint machine in the estimators: certificates, files, warm starts, paths and cross-validation."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import novikoff as nk
from binary_problems import training_set
from novikoff.svm._joint import certify_joint, joint_support, solve_joint_machine, solve_joint_path
from novikoff.svm._settings import Settings
from saved import again

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
WEIGHTS = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
JOINT = {"multi_class": "crammer_singer", "loss": "hinge", "C": 1.0}
each_layout = pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])


def settings(**parameters):
    return Settings.of("test", nk.LinearSVM(loss="hinge", **parameters), 1.0)


def claims(found):
    return [check.claim for check in found.failures]


@each_layout
@pytest.mark.parametrize("y", [Y, Y > 0], ids=["three classes", "two"])
@pytest.mark.parametrize("intercept", [{}, {"penalized_intercept": True}, {"fit_intercept": False}])
def test_a_model_is_proven_saved_and_loaded(layout, y, intercept, tmp_path):
    rows = layout(np.where(np.abs(X) > 0.2, X, 0.0))
    model = nk.LinearSVM(**JOINT, class_weight="balanced", **intercept).fit(rows, y, WEIGHTS)
    classes = len(model.classes_)
    assert model.multi_class_ == "crammer_singer"
    assert model.coef_.shape == (classes, 13)
    assert model.dual_coef_.shape == (classes, len(model.support_))
    assert model.decision_function(rows).shape == ((len(y), 3) if classes == 3 else (len(y),))
    for one in (model, again(model, tmp_path / "joint.nvk")):
        found = nk.verify(one, rows, y, WEIGHTS)
        assert found, str(found)
        assert one.predict(rows).tolist() == model.predict(rows).tolist()
        assert not any(": " in check.claim for check in found.checks)
    np.testing.assert_allclose(model.dual_coef_ @ rows[model.support_], model.coef_, atol=0.05)
    assert not nk.verify(model, rows, np.roll(y, 1), WEIGHTS)


def test_the_weights_are_those_of_liblinear():
    ours = nk.LinearSVM(**JOINT, penalized_intercept=True, tol=1e-8).fit(X, Y)
    theirs = LinearSVC(multi_class="crammer_singer", C=1.0, tol=1e-9, max_iter=100_000).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_changed_weights_classes_and_parameters_are_refuted():
    model = nk.LinearSVM(**JOINT).fit(X, Y)
    certificate = model.certificate_
    model.coef_ = model.coef_ + 1e-6
    assert claims(nk.verify(model, X, Y)) == ["model"]
    model.fit(X, Y).set_params(C=2.0)
    assert claims(nk.verify(model, X, Y)) == ["parameters"]
    model.fit(X, Y)
    turned = dataclasses.replace(certificate.model, classes=[1, 0, 2])
    model.certificate_ = dataclasses.replace(certificate, model=turned)
    assert claims(nk.verify(model, X, Y)) == ["certificates"]
    model.fit(X, Y).certificate_ = nk.LinearSVM(multi_class="ovr").fit(X, Y).certificate_
    assert claims(nk.verify(model, X, Y)) == ["certificates"]
    model.fit(X, Y).multi_class_ = "ovr"
    assert claims(nk.verify(model, X, Y))[0] == "classes"


def test_a_damaged_state_is_refused():
    model = nk.LinearSVM(**JOINT, warm_start=True).fit(X, Y)
    record = model.record_
    state, joint = record.state, record.state.joint
    duals = dataclasses.replace(joint.model.duals, rows=joint.model.duals.rows[::-1].copy())
    wrong = {
        "there must be one certificate of all classes": {"joint": None},
        "weights of shape": {
            "joint": dataclasses.replace(joint, model=dataclasses.replace(joint.model, weights=joint.model.weights[:2]))
        },
        "must ascend": {"joint": dataclasses.replace(joint, model=dataclasses.replace(joint.model, duals=duals))},
        "one history": {"histories": ()},
        "joint_end": {"joint_end": dataclasses.replace(state.joint_end, intercepts=np.zeros(2))},
        "sigmoids": {"sigmoids": (None,)},
    }
    for words, change in wrong.items():
        changed = dataclasses.replace(state, **change)
        with pytest.raises(nk.InvalidInputError, match=words):
            nk.LinearSVM.from_record(dataclasses.replace(record, make_state=lambda changed=changed: changed))


@each_layout
def test_a_warm_start_begins_at_the_end_of_the_last_fit(layout, tmp_path):
    rows = layout(X)
    model = nk.LinearSVM(**JOINT, warm_start=True, tol=1e-6).fit(rows, Y)
    steps = model.n_iter_
    assert again(model, tmp_path / "m.nvk").fit(rows, Y).n_iter_ < steps / 4
    assert nk.verify(model.set_params(C=1.1).fit(rows, Y), rows, Y)
    assert nk.verify(model.fit(rows, np.roll(Y, 7)), rows, np.roll(Y, 7))  # a start that does not fit is left out
    assert nk.verify(model.fit(rows[:90], Y[:90] > 0), rows[:90], Y[:90] > 0)
    assert nk.verify(model.set_params(multi_class="ovr").fit(rows, Y), rows, Y)
    assert nk.verify(model.set_params(multi_class="crammer_singer").fit(rows, Y), rows, Y)


def test_probabilities_add_up_and_follow_the_scores():
    for y in (Y, Y > 0):
        model = nk.LinearSVM(**JOINT, probability=True).fit(X, y)
        found = model.predict_proba(X)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert np.mean(model.classes_[found.argmax(axis=1)] == y) > 0.97


def test_a_path_is_solved_by_warm_starts_and_proven(tmp_path):
    path = nk.LinearSVMPath(Cs=4, loss="hinge", multi_class="crammer_singer").fit(X, Y, WEIGHTS)
    assert path.coefs_.shape == (4, 3, 13)
    assert path.objectives_.shape == (4, 1)
    for one in (path, again(path, tmp_path / "p.nvk")):
        found = nk.verify(one, X, Y, WEIGHTS)
        assert found, str(found)
    assert sum(check.claim.endswith(": gap") for check in found.checks) == 4
    alone = nk.LinearSVM(**JOINT | {"C": path.Cs_[2]}, tol=1e-7).fit(X, Y, WEIGHTS)
    assert path.objectives_[2, 0] == pytest.approx(alone.objective_[0], rel=1e-4)
    path.coefs_[0] += 1.0
    assert claims(nk.verify(path, X, Y, WEIGHTS))
    with pytest.raises(nk.InvalidInputError, match="coefs_"):
        path.save(tmp_path / "p.nvk")


@pytest.mark.slow
def test_cross_validation_chooses_c(tmp_path):
    rows, y = load_iris(return_X_y=True)
    model = nk.LinearSVMCV(Cs=[0.001, 0.1, 1.0], loss="hinge", multi_class="crammer_singer").fit(rows, y)
    assert model.mean_scores_[0] < model.mean_scores_[2]
    assert model.C_ == model.certificate_.C
    assert nk.verify(again(model, tmp_path / "cv.nvk"), rows, y)


def test_rows_of_weight_0_with_a_label_of_their_own_are_left_out():
    y = np.where(np.arange(len(Y)) < 3, 9, Y)
    weights = np.where(np.arange(len(Y)) < 5, 0.0, 1.0)
    model = nk.LinearSVM(**JOINT).fit(X, y, weights)
    assert model.classes_.tolist() == [0, 1, 2]
    found = nk.verify(model, X, y, weights)
    assert found, str(found)


def test_the_functions_of_the_solver_agree():
    data = training_set(X, Y)
    machine = solve_joint_machine(data, settings())
    support = joint_support(data, machine.certificate.model.duals)
    np.testing.assert_allclose(support.dual_coef.sum(axis=0), 0, atol=1e-12)
    (objective, solution), _ = solve_joint_path(
        data, settings().objective, np.array([1.0, 2.0]), settings(n_jobs=1).options(1)
    )
    assert certify_joint(data, objective, solution).verify(X, Y)
    assert solution.primal == pytest.approx(machine.certificate.primal, rel=1e-4)
