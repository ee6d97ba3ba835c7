"""Validation of training data."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import KFold

import novikoff as nk
from binary_problems import training_set
from novikoff.theory.columns import Columns


def test_rows_are_not_copied_if_their_layout_allows():
    X = np.random.default_rng(0).normal(size=(6, 2))
    data = training_set(X, [0, 1, 0, 1, 2, 2])
    assert np.shares_memory(data.X, X)
    assert data.table.dense is data.X
    assert data.classes.tolist() == [0, 1, 2]
    assert data.codes.tolist() == [0, 1, 0, 1, 2, 2]
    assert data.strategy.positive_codes == [0, 1, 2]
    assert data.largest == np.abs(X).max()


def test_unsorted_indices_are_sorted_in_a_copy():
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([0, 2, 3])), shape=(2, 2))
    data = training_set(X, [0, 1])
    assert X.indices.tolist() == [1, 0, 0]
    assert data.X.indices.tolist() == [0, 1, 0]
    assert data.table.dense is None


def test_rows_of_weight_0_define_no_class():
    data = training_set(np.eye(3), ["a", "b", "c"], [1.0, 2.0, 0.0])
    assert data.classes.tolist() == ["a", "b"]
    assert data.weights.tolist() == [1.0, 2.0, 0.0]


# ---- columns that do not occur ---------------------------------------------------------------------------------------

RNG = np.random.default_rng(7)
DENSE = np.where(RNG.random((90, 12)) < 0.4, RNG.normal(size=(90, 12)), 0.0)
NARROW = sp.csr_array(DENSE)
PLACES = np.sort(RNG.choice(5000, 12, replace=False))
WIDE = Columns(PLACES, 5000).restore(NARROW)
TWO = np.where(DENSE[:, 0] + DENSE[:, 1] + 0.5 * RNG.normal(size=90) > 0, "yes", "no")
THREE = RNG.integers(0, 3, 90)
SEPARABLE = np.where(DENSE @ RNG.normal(size=12) > 0.1, 1, 0)
WEIGHTS = RNG.integers(0, 3, 90) + 0.5


def test_rows_are_cut_to_the_columns_that_occur():
    data = training_set(WIDE, TWO)
    assert data.X.shape == NARROW.shape
    assert data.rows.columns == data.table.rows.columns == 12
    assert data.width == 5000
    assert np.array_equal(data.in_full_width(data.X[:5]).toarray(), WIDE[:5].toarray())
    weights = np.arange(1.0, 13.0)
    assert data.narrow(data.widen(weights)).tolist() == weights.tolist()
    assert np.flatnonzero(data.widen(weights)).tolist() == PLACES.tolist()


def test_rows_in_which_all_columns_occur_are_not_copied():
    data = training_set(NARROW, TWO)
    assert data.columns is None
    assert data.X.indices is NARROW.indices
    assert data.width == 12


def same(narrow, wide):
    """Whether a model of all columns has the weights of one of the columns that occur, and 0 elsewhere."""
    full = np.zeros((*narrow.shape[:-1], 5000))
    full[..., PLACES] = narrow
    return wide.tobytes() == full.tobytes()


SOFT = {
    "hinge": nk.LinearSVM(),
    "squared hinge": nk.LinearSVM(loss="squared_hinge", penalized_intercept=True),
    "no intercept": nk.LinearSVM(fit_intercept=False, C=0.01),
    "probabilities": nk.LinearSVM(probability=True),
    "cross-validation": nk.LinearSVMCV(Cs=4, C_max=10.0, cv=3),
    "cross-validation by F1": nk.LinearSVMCV(Cs=[0.1, 1.0], cv=3, scoring="f1_macro"),
    "path": nk.LinearSVMPath(Cs=5),
    "path that is screened": nk.LinearSVMPath(Cs=5, screen=True),
}


@pytest.mark.filterwarnings("ignore:LinearSVMCV. no C is better:UserWarning")  # the labels are random
@pytest.mark.parametrize("y", [TWO, THREE], ids=["2 classes", "3 classes"])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("model", SOFT.values(), ids=SOFT.keys())
def test_columns_that_do_not_occur_change_no_bit_of_a_soft_margin(model, y, weights):
    narrow, wide = (clone(model).fit(rows, y, sample_weight=weights) for rows in (NARROW, WIDE))
    assert wide.n_features_in_ == 5000
    for name in ("coef_", "coefs_"):
        assert not hasattr(narrow, name) or same(getattr(narrow, name), getattr(wide, name))
    for name in ("intercept_", "objective_", "dual_coef_", "support_", "scores_", "Cs_", "objectives_"):
        assert np.array_equal(getattr(narrow, name, None), getattr(wide, name, None)), name
    pairs = zip(narrow.record_.certificates, wide.record_.certificates, strict=True)
    assert all(one.claims() == other.claims() for one, other in pairs)
    if hasattr(model, "predict"):
        assert np.array_equal(narrow.predict(NARROW), wide.predict(WIDE))
    if hasattr(model, "predict_proba"):
        assert np.array_equal(narrow.predict_proba(NARROW), wide.predict_proba(WIDE))
    assert nk.verify(wide, WIDE, y, weights)


def test_columns_that_do_not_occur_change_no_bit_of_a_hard_margin():
    narrow, wide = (nk.HardMarginSVM().fit(rows, SEPARABLE) for rows in (NARROW, WIDE))
    assert same(narrow.coef_, wide.coef_)
    assert narrow.certificate_.claims() == wide.certificate_.claims()
    assert np.array_equal(narrow.dual_coef_, wide.dual_coef_)
    assert nk.verify(wide, WIDE, SEPARABLE)
    with pytest.raises(nk.NotSeparableError) as caught:
        nk.HardMarginSVM().fit(WIDE, TWO)
    assert np.all(caught.value.witness.weights > 0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_warm_start_continues_in_the_columns_that_occur():
    """Also if other columns occur than in the last fit: the weights of the others are 0."""
    models = [nk.LinearSVM(warm_start=True, max_iter=3, tol=1e-10) for _ in range(2)]
    for model, rows in zip(models, (NARROW, WIDE), strict=True):
        model.fit(rows, TWO).set_params(max_iter=1000, tol=1e-4).fit(rows, TWO)
    narrow, wide = models
    assert same(narrow.coef_, wide.coef_)
    assert narrow.n_iter_ == wide.n_iter_
    fewer = sp.csr_array(WIDE * (np.arange(5000) < 4000))
    fewer.eliminate_zeros()
    assert wide.fit(fewer, TWO).certificate_.converged
    assert not wide.coef_[0, 4000:].any()


def test_the_scorers_and_splitters_of_others_see_all_columns():
    seen = set()

    def score(model, X, y):
        seen.add(X.shape[1])
        return model.score(X, y)

    class Splitter(KFold):
        def split(self, X, y=None, groups=None):
            seen.add(X.shape[1])
            return super().split(X, y, groups)

    model = nk.LinearSVMCV(Cs=[0.1, 1.0], cv=Splitter(3), scoring=score).fit(WIDE, TWO)
    assert seen == {5000}
    own = nk.LinearSVMCV(Cs=[0.1, 1.0], cv=Splitter(3)).fit(WIDE, TWO)
    assert np.array_equal(model.scores_, own.scores_)


KINDS = {
    "complete": SEPARABLE,
    "overlap": RNG.integers(0, 2, 90),
    "quasi-complete": np.where(DENSE[:, 3] > 0, 1, np.where(DENSE[:, 3] < 0, 0, RNG.integers(0, 2, 90))),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_columns_that_do_not_occur_change_no_bit_of_a_verdict(kind, fit_intercept):
    y = KINDS[kind]
    narrow, wide = (nk.separability(rows, y, fit_intercept=fit_intercept) for rows in (NARROW, WIDE))
    assert wide.kind == narrow.kind
    assert wide.kind == kind or not fit_intercept
    if narrow.coef is not None:
        assert same(narrow.coef, wide.coef)
    for name in ("intercept", "margin_lower_bound", "margin_upper_bound"):
        assert getattr(narrow, name) == getattr(wide, name)
    assert np.array_equal(narrow.boundary, wide.boundary)
    assert wide.verify(WIDE, y)
    assert wide.verify(WIDE, y, exact=True)


def test_a_plane_in_integers_has_0_in_columns_that_do_not_occur():
    """Floats are not precise enough for these rows."""
    tiny = np.nextafter(1.0, 2.0)
    rows = np.array([[1.0, tiny, 1e16], [1.0, 1.0, 1e16], [tiny, 1.0, 1e16], [3.0, 3.0, 3e16]])
    y = [1, 0, 0, 1]
    narrow = nk.separability(sp.csr_array(rows), y, fit_intercept=False)
    wide_rows = Columns(np.array([2, 30, 77]), 100).restore(sp.csr_array(rows))
    wide = nk.separability(wide_rows, y, fit_intercept=False)
    assert narrow.kind == wide.kind
    assert wide.verify(wide_rows, y, exact=True)
    if narrow.numerators is not None:
        assert wide.numerators == tuple(Columns(np.array([2, 30, 77]), 100).widen(np.array(narrow.numerators)).tolist())


def test_rows_without_entries_can_be_fitted():
    empty = sp.csr_array((6, 2**20))
    y = [0, 1, 0, 1, 0, 0]
    model = nk.LinearSVM().fit(empty, y)
    assert not model.coef_.any()
    assert model.predict(empty).tolist() == [0] * 6
    assert nk.separability(empty, y).kind == "overlap"
