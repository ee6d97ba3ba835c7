"""LinearSVMPath: its grid, its certificates and screening."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

import novikoff as nk
from bad_data import assert_refused
from machines import INTERCEPTS, LOSSES
from novikoff.svm._grid import DEFAULT_RANGE
from real_data import real

every_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)
every_loss = pytest.mark.parametrize("loss", LOSSES)


def classes(weights=None, seed=1, rows=200, apart=0.7, **more):
    X, y = make_classification(rows, 8, weights=weights, random_state=seed, class_sep=apart, **more)
    return X, y


# ---- the path -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "intercept", "screen"),
    [
        pytest.param(loss, intercept, screen, marks=() if (i + j + screen) % 2 else pytest.mark.slow)
        for (i, loss), (j, intercept), screen in itertools.product(
            enumerate(LOSSES), enumerate(INTERCEPTS), (False, True)
        )
    ],
)
def test_every_machine_of_the_path_is_proved_on_all_rows(loss, intercept, screen):
    X, y = classes([0.6])
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    path = nk.LinearSVMPath(Cs=15, loss=loss, screen=screen, **INTERCEPTS[intercept]).fit(X, y, weights)
    assert path.coefs_.shape == (15, 1, 8)
    assert path.intercepts_.shape == path.objectives_.shape == (15, 1)
    for C, certificate in zip(path.Cs_, path.certificates_, strict=True):
        assert certificate.C == C
        assert certificate.converged
        assert certificate.verify(X, y, weights)
    assert np.all(np.diff(path.objectives_[:, 0]) > 0)


@every_loss
@every_intercept
def test_a_path_finds_what_single_fits_find(loss, intercept):
    X, y = classes([0.7], rows=300)
    path = nk.LinearSVMPath(Cs=8, loss=loss, **INTERCEPTS[intercept]).fit(X, y)
    for C, objective in zip(path.Cs_, path.objectives_[:, 0], strict=True):
        alone = nk.LinearSVM(C=C, loss=loss, **INTERCEPTS[intercept]).fit(X, y).certificate_
        assert alone.dual <= objective * (1 + 1e-9)
        assert objective <= alone.primal / (1 - 1e-4)


def test_a_path_over_many_columns_finds_what_single_fits_find():
    X = sp.random_array((300, 2000), density=0.02, format="csr", rng=np.random.default_rng(0))
    y = np.random.default_rng(1).choice(["a", "b"], 300)
    path = nk.LinearSVMPath(Cs=6).fit(X, y)
    for C, certificate in zip(path.Cs_, path.certificates_, strict=True):
        alone = nk.LinearSVM(C=C).fit(X, y).certificate_
        assert certificate.verify(X, y)
        assert alone.dual <= certificate.primal * (1 + 1e-9)
        assert certificate.dual <= alone.primal * (1 + 1e-9)


def test_several_classes_have_one_binary_problem_each_on_one_grid():
    X, y = classes(n_classes=3, n_informative=4)
    path = nk.LinearSVMPath(Cs=4, multi_class="ovr").fit(X, y)
    assert path.coefs_.shape == (4, 3, 8)
    for row in path.certificates_:
        assert all(certificate.verify(X, y) for certificate in row)
    starts = [nk.LinearSVMPath(Cs=1, C_max=1e9).fit(X, y == k).Cs_[0] for k in range(3)]
    assert path.Cs_[0] == pytest.approx(min(starts))


def test_pairs_of_classes_have_one_problem_each_on_one_grid():
    X, y = classes(n_classes=4, n_informative=5)
    path = nk.LinearSVMPath(Cs=3).fit(X, y)
    assert path.multi_class_ == "ovo"
    assert path.coefs_.shape == (3, 6, 8)
    verification = nk.verify(path, X, y)
    assert verification, str(verification)
    one = nk.LinearSVM(C=path.Cs_[-1], tol=1e-9).fit(X, y)
    np.testing.assert_allclose(path.objectives_[-1], one.objective_, rtol=1e-3)
    starts = [nk.LinearSVMPath(Cs=1, C_max=1e9).fit(X[y != k], y[y != k], sample_weight=None).Cs_[0] for k in range(4)]
    assert path.Cs_[0] == pytest.approx(min(starts))


def test_a_class_inside_the_other_has_weights_0_for_every_C():
    """The lighter class is at the mean of the heavier one: to call all rows heavy costs the least, whatever C."""
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 0.0]])
    path = nk.LinearSVMPath(Cs=4, loss="hinge").fit(X, [0, 0, 0, 0, 1])
    np.testing.assert_allclose(path.coefs_, 0, atol=1e-3)
    np.testing.assert_allclose(path.intercepts_, -1, atol=1e-3)
    assert 0.01 < path.Cs_[0] < 10


def test_the_threads_do_not_change_the_path():
    X, y = classes(n_classes=3, n_informative=4)
    one, two = (nk.LinearSVMPath(Cs=5, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.coefs_.tobytes() == two.coefs_.tobytes()


def test_given_values_are_put_in_order_and_taken_once():
    X, y = classes()
    path = nk.LinearSVMPath(Cs=[1.0, 0.01, 1.0]).fit(X, y)
    assert path.Cs_.tolist() == [0.01, 1.0]


def test_the_largest_c_can_be_chosen():
    X, y = classes()
    assert nk.LinearSVMPath(Cs=3, C_max=0.5).fit(X, y).Cs_[-1] == pytest.approx(0.5)
    with pytest.raises(nk.InvalidInputError, match="smallest C of the path"):
        nk.LinearSVMPath(Cs=3, C_max=1e-9).fit(X, y)
    computed = nk.LinearSVMPath(Cs=5).fit(X, y).Cs_
    assert (len(computed), computed[-1] / computed[0]) == (5, pytest.approx(DEFAULT_RANGE))


def test_invalid_values_of_C_are_refused():
    for Cs in (0, -1, 2.5, "many", [], [0.0], [-1.0], [1.0, np.nan], [np.inf], ["a"], [[1.0]], [None]):
        assert_refused("LinearSVMPath", "Cs", nk.LinearSVMPath(Cs=Cs).fit, [[0.0], [1.0]], [0, 1])


def test_weights_are_copies():
    X, y = classes(rows=80)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = nk.LinearSVMPath(Cs=4, tol=1e-6).fit(X, y, weights)
    copied = nk.LinearSVMPath(Cs=4, tol=1e-6).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.Cs_, copied.Cs_, rtol=1e-9)
    np.testing.assert_allclose(weighted.objectives_, copied.objectives_, rtol=2e-6)


# ---- rows that cannot matter ----------------------------------------------------------------------------------------


@every_intercept
def test_screening_leaves_rows_out_and_changes_no_solution(intercept):
    X, y = classes([0.7], rows=400, apart=1.5)
    every, screened = (
        nk.LinearSVMPath(Cs=60, tol=1e-5, screen=screen, **INTERCEPTS[intercept]).fit(X, y) for screen in (False, True)
    )
    assert np.all(every.screened_ == 0)
    assert screened.screened_.max() > 0.5
    for one, other in zip(every.certificates_, screened.certificates_, strict=True):
        assert other.verify(X, y)
        assert other.converged
        assert max(one.dual, other.dual) <= min(one.primal, other.primal) * (1 + 1e-9)
        # Both are within sqrt(2 gap) of the optimum.
        apart = sum(np.sqrt(2 * max(0.0, each.primal - each.dual)) for each in (one, other))
        assert np.linalg.norm(one.model.weights - other.model.weights) <= apart + 1e-9


@pytest.mark.parametrize(
    ("storage", "dtype"), [(np.asarray, np.float32), (sp.csr_array, np.float64), (sp.csr_matrix, np.float32)]
)
def test_screening_works_for_every_storage(storage, dtype):
    X, y = classes([0.7], apart=1.5)
    X = storage(X.astype(dtype))
    path = nk.LinearSVMPath(Cs=60, loss="hinge", screen=True).fit(X, y)
    assert path.screened_.max() > 0.5
    assert all(certificate.converged and certificate.verify(X, y) for certificate in path.certificates_)


def test_a_path_on_real_rows():
    X, y = nk.read_svmlight(real("phishing.svm.gz"))
    path = nk.LinearSVMPath(Cs=6).fit(X, y)
    assert all(certificate.converged and certificate.verify(X, y) for certificate in path.certificates_)
    accuracy = [np.mean((X @ w[0] + b[0] > 0) == (y > 0)) for w, b in zip(path.coefs_, path.intercepts_, strict=True)]
    assert accuracy[-1] > 0.93
