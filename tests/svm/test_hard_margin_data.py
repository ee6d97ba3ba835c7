"""HardMarginSVM: equivalent weights, labels, layouts, units and threads give the same margin."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from machines import INTERCEPTS
from strategies import LAYOUTS, laid_out, make_separable

DATA = make_separable(np.random.default_rng(0), 120, 6, 0.25, intercept=False)
X = np.round(DATA.X * 64) / 64  # exact in float32 too, and every separator may pass through the origin
X[:, 3] *= np.random.default_rng(1).random(120) < 0.5
X = X[np.abs(X @ DATA.w) > 0.2]
Y = np.where(X @ DATA.w > 0, 1, 0)
each_intercept = pytest.mark.parametrize("intercept", INTERCEPTS)


def fit(X=X, y=Y, sample_weight=None, **parameters):
    return nk.HardMarginSVM(**parameters).fit(X, y, sample_weight)


def bits(model):
    return model.coef_.tobytes(), model.intercept_.tobytes(), np.array(model.margin_).tobytes(), model.n_iter_


def same(one, other, tol=2e-6):
    """Both margins are within tol of the best; directions of such margins have a cosine of at least 1 - 2 tol."""
    np.testing.assert_allclose(one.margin_, other.margin_, rtol=tol)
    for w, v in zip(one.coef_, other.coef_, strict=True):
        assert w @ v >= (1 - 3 * tol) * np.linalg.norm(w) * np.linalg.norm(v)


# ---- weights --------------------------------------------------------------------------------------------------------


def test_weights_above_0_make_no_difference():
    weights = np.random.default_rng(2).uniform(1e-3, 1e3, size=len(Y))
    weighted = fit(sample_weight=weights)
    assert bits(weighted) == bits(fit())
    assert weighted.certificate_.verify(X, Y, weights)


@each_intercept
def test_a_row_of_weight_0_may_be_anything_finite(intercept):
    weights = np.ones(len(Y))
    weights[[3, 7]] = 0
    wild = X.copy()
    wild[7] = -40 * X[7]
    wild[3] = 0
    model = fit(wild, sample_weight=weights, **INTERCEPTS[intercept])
    same(model, fit(X[weights > 0], Y[weights > 0], **INTERCEPTS[intercept]))
    assert model.certificate_.verify(wild, Y, weights)
    assert not model.certificate_.verify(wild, Y)
    assert model.certificate_.examples == len(Y) - 2
    assert not {3, 7} & set(model.support_.tolist())


@each_intercept
def test_copies_of_rows_change_nothing(intercept):
    again = np.concatenate([np.arange(len(Y)), np.arange(0, len(Y), 3), np.arange(10)])
    same(fit(X[again], Y[again], **INTERCEPTS[intercept]), fit(**INTERCEPTS[intercept]))


# ---- classes --------------------------------------------------------------------------------------------------------


def three_classes():
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=90)
    centres = np.array([[0.0, 8.0], [7.0, -4.0], [-7.0, -4.0]])
    return centres[y] + rng.uniform(-2, 2, size=(90, 2)), np.array(["a", "b", "c"])[y]


def test_several_classes_are_one_binary_problem_each():
    X, y = three_classes()
    model = fit(X, y)
    assert model.coef_.shape == (3, 2)
    assert (len(model.margin_),) == model.intercept_.shape == (3,)
    assert model.dual_coef_.shape == (3, len(model.support_))
    for place, label in enumerate("abc"):
        alone = fit(X, y == label)
        assert model.coef_[place].tobytes() == alone.coef_[0].tobytes()
        assert model.margin_[place] == alone.margin_
        assert model.certificate_[place].verify(X, y)
    assert model.predict(X).tolist() == y.tolist()


# ---- layouts --------------------------------------------------------------------------------------------------------


@each_intercept
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_layout_of_the_rows_changes_no_margin(layout, dtype, intercept):
    model = fit(laid_out(X, layout, dtype), **INTERCEPTS[intercept])
    same(model, fit(**INTERCEPTS[intercept]))
    assert model.certificate_.verify(X, Y)
    assert model.certificate_.verify(sp.csr_array(X), Y)


def test_few_rows_of_many_columns_have_the_same_margin_dense_or_sparse():
    data = make_separable(np.random.default_rng(8), 30, 900, 0.5, intercept=True)
    wide = data.X * (np.random.default_rng(9).random(data.X.shape) < 0.2)
    dense, sparse = fit(wide, data.y), fit(sp.csr_array(wide), data.y)
    same(dense, sparse)
    assert dense.certificate_.verify(sp.csr_array(wide), data.y)
    repeated = np.vstack([wide, wide[:7], np.zeros((0, 900))])
    same(dense, fit(repeated, np.append(data.y, data.y[:7])))


# ---- units ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("scale", [1e-100, 7.0, 1e30])
def test_units_scale_the_margin(scale, intercept):
    data = make_separable(np.random.default_rng(6), 60, 5, 0.2, intercept=intercept == "free")
    plain = fit(data.X, data.y, **INTERCEPTS[intercept])
    other = fit(scale * data.X, data.y, **INTERCEPTS[intercept])
    verification = other.certificate_.verify(scale * data.X, data.y)
    assert verification, str(verification)
    assert other.margin_ / scale == pytest.approx(plain.margin_, rel=2e-6)
    assert other.coef_[0] * scale == pytest.approx(plain.coef_[0], rel=1e-2, abs=1e-2 * np.abs(plain.coef_).max())


def test_data_far_from_the_origin_have_the_same_free_margin():
    plain, far = fit(), fit(X + 1000.0)
    assert far.margin_ == pytest.approx(plain.margin_, rel=2e-6)
    assert far.certificate_.verify(X + 1000.0, Y)


# ---- threads --------------------------------------------------------------------------------------------------------


def test_the_number_of_threads_changes_no_bit():
    data = make_separable(np.random.default_rng(7), 40_000, 26, 0.3, intercept=True)
    models = [fit(data.X, data.y, n_jobs=jobs) for jobs in (1, 2, 3)]
    assert len({bits(model) for model in models}) == 1
    assert models[0].certificate_.verify(data.X, data.y)
    X, y = three_classes()
    assert len({bits(fit(X, y, n_jobs=jobs)) for jobs in (None, 1, 2, 4, -1)}) == 1
