"""LinearSVMCV: its folds and scores, the choice of C, and the final model."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.model_selection import StratifiedKFold

import novikoff as nk
from novikoff.svm import cross_validation


def classes(rows=200, apart=0.7, **more):
    return make_classification(rows, 8, random_state=1, class_sep=apart, **more)


@pytest.mark.parametrize(
    ("multi_class", "scoring"),
    [("auto", None), ("ovr", "accuracy"), ("ovo", None), ("ovo", "accuracy"), ("crammer_singer", None)],
)
def test_scores_are_those_of_machines_that_never_saw_the_rows(multi_class, scoring):
    several = {} if multi_class == "auto" else {"n_classes": 3, "n_informative": 4}
    X, y = classes(rows=120, **several)
    options = {"class_weight": "balanced", "loss": "hinge", "multi_class": multi_class, "tol": 1e-7}
    splits = list(StratifiedKFold(4, shuffle=True, random_state=3).split(X, y))
    model = nk.LinearSVMCV(cv=splits, Cs=[0.01, 0.1, 1.0], scoring=scoring, **options).fit(X, y)
    for scores, (learned, held_out) in zip(model.scores_, splits, strict=True):
        for C, score in zip(model.Cs_, scores, strict=True):
            alone = nk.LinearSVM(C=C, **options).fit(X[learned], y[learned])
            assert score == pytest.approx(alone.score(X[held_out], y[held_out]), abs=1e-12)


def test_the_chosen_c_is_the_best_or_the_smallest_within_one_standard_error_of_the_best():
    X, y = classes(rows=150, apart=0.5)
    model = nk.LinearSVMCV(Cs=12, selection="one_standard_error").fit(X, y)
    mean, error = model.scores_.mean(axis=0), model.scores_.std(axis=0, ddof=1) / np.sqrt(5)
    np.testing.assert_allclose(model.mean_scores_, mean)
    np.testing.assert_allclose(model.standard_errors_, error)
    best = int(np.argmax(mean))
    assert model.best_C_ == model.Cs_[best]
    assert model.Cs_[mean >= mean[best] - error[best]][0] == model.C_
    assert model.best_C_ > model.C_
    best_model = nk.LinearSVMCV(Cs=12).fit(X, y)
    assert best_model.C_ == best_model.best_C_ == model.best_C_


def test_the_machine_is_that_of_the_chosen_c_on_all_rows():
    X, y = classes(n_classes=3, n_informative=4)
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    model = nk.LinearSVMCV(Cs=4, cv=3, loss="hinge").fit(X, y, weights)
    alone = nk.LinearSVM(C=model.C_, loss="hinge").fit(X, y, weights)
    assert model.coef_.tobytes() == alone.coef_.tobytes()
    assert all(certificate.verify(X, y, weights) for certificate in model.certificate_)
    assert model.predict(X).tolist() == alone.predict(X).tolist()
    assert {name for name in vars(alone) if name.endswith("_")} <= set(vars(model))


def test_the_threads_do_not_change_the_choice():
    X, y = classes(rows=100)
    one, two = (nk.LinearSVMCV(Cs=5, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.scores_.tobytes() == two.scores_.tobytes()
    assert one.coef_.tobytes() == two.coef_.tobytes()


def test_the_folds_follow_the_seed():
    X, y = classes(rows=100, apart=0.3)
    first, again, other = (nk.LinearSVMCV(Cs=5, random_state=seed).fit(X, y).scores_ for seed in (0, 0, 1))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


def test_rows_of_weight_0_are_as_if_absent():
    X, y = classes(rows=100)
    weights = np.ones(120)
    weights[100:] = 0
    more = np.vstack([X, 50 * np.ones((20, 8))]), np.append(y, np.arange(20) % 2)
    with_them, without = nk.LinearSVMCV(Cs=5, tol=1e-6).fit(*more, weights), nk.LinearSVMCV(Cs=5, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(with_them.Cs_, without.Cs_)
    np.testing.assert_allclose(with_them.scores_, without.scores_)


def test_weights_are_copies_where_the_folds_are_the_same():
    X, y = classes(rows=90)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    of_row = np.arange(len(y)) % 3
    of_copy = np.repeat(of_row, weights)
    splits, copies = ([(np.flatnonzero(f != k), np.flatnonzero(f == k)) for k in range(3)] for f in (of_row, of_copy))
    weighted = nk.LinearSVMCV(Cs=5, cv=splits, tol=1e-6).fit(X, y, weights)
    copied = nk.LinearSVMCV(Cs=5, cv=copies, tol=1e-6).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.scores_, copied.scores_)
    assert pytest.approx(copied.C_) == weighted.C_


@pytest.mark.parametrize(
    "scoring", ["roc_auc", "neg_log_loss", lambda model, X, y: -float(np.mean(model.predict(X) != y))]
)
def test_other_scores_can_be_asked_for(scoring):
    X, y = classes(rows=100)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    if scoring == "neg_log_loss":
        with pytest.raises((AttributeError, ValueError), match="predict_proba"):
            nk.LinearSVMCV(Cs=3, scoring=scoring).fit(X, y, weights)
        return
    model = nk.LinearSVMCV(Cs=3, cv=3, scoring=scoring).fit(X, y, weights)
    assert model.scores_.shape == (3, 3)


def test_scores_by_name_count_rows_by_weight():
    X, y = classes(rows=100, apart=0.3)
    weights = np.random.default_rng(0).uniform(0.1, 5, len(y))
    plain, named = (nk.LinearSVMCV(Cs=3, scoring=name, loss="hinge").fit(X, y, weights) for name in (None, "accuracy"))
    np.testing.assert_allclose(plain.scores_, named.scores_)


@pytest.mark.filterwarnings("ignore:LinearSVMCV. no C is better:UserWarning")
def test_a_class_of_two_rows_is_enough_and_one_of_one_is_not():
    X, y = classes(rows=40)
    y[:] = 0
    y[[3, 7]] = 1
    assert nk.LinearSVMCV(Cs=3).fit(X, y).scores_.shape == (5, 3)
    y[3] = 0
    with pytest.raises(nk.InvalidInputError, match="only one row"):
        nk.LinearSVMCV(Cs=3).fit(X, y)


@pytest.mark.parametrize("cv", [1, 0, True, "five", [([0, 1], [2])], [([0, 1], [2]), ([0, 1], [3])]])
def test_invalid_folds_are_refused(cv):
    with pytest.raises(nk.InvalidInputError, match=r"LinearSVMCV"):
        nk.LinearSVMCV(cv=cv, Cs=2).fit([[0.0], [1.0], [0.5], [2.0]], [0, 0, 1, 1])


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y = classes(rows=60)
    model = nk.LinearSVMCV(Cs=[0.01, 1.0], cv=3).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(nk.InvalidInputError):
        model.fit(X[:, :3], np.zeros(len(y)))
    assert vars(model) == before


def test_a_best_C_at_the_end_of_the_grid_gives_a_warning(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)  # columns of very different sizes
    monkeypatch.setattr(cross_validation, "MAX_EXTENSIONS", 0)
    with pytest.warns(UserWarning, match="largest of the grid") as caught:
        nk.LinearSVMCV(Cs=10, loss="hinge").fit(X, y)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nk.LinearSVMCV(Cs=10, C_max=1e-3, loss="hinge").fit(X, y)


def test_a_grid_whose_best_C_is_at_its_end_is_continued():
    X, y = load_breast_cancer(return_X_y=True)
    model = nk.LinearSVMCV(Cs=10, loss="hinge").fit(X, y)
    assert len(model.Cs_) > 10
    assert model.scores_.shape == (5, len(model.Cs_))
    assert np.all(np.diff(model.Cs_) > 0)
    np.testing.assert_allclose(np.diff(np.log(model.Cs_)), np.log(model.Cs_[1] / model.Cs_[0]))
    assert model.best_C_ < model.Cs_[-1]
    assert model.C_ in model.Cs_
    given = nk.LinearSVMCV(Cs=model.Cs_[:10], loss="hinge").fit(X, y)
    assert given.Cs_.tolist() == model.Cs_[:10].tolist()  # values that were given are the only ones
    np.testing.assert_allclose(given.scores_, model.scores_[:, :10])


def weak_classes(rows=700, seed=0):
    """Seven classes of unequal size, the largest with 45 % of the rows, whose columns say little."""
    rng = np.random.default_rng(seed)
    y = rng.choice(7, size=rows, p=[0.01, 0.03, 0.28, 0.45, 0.17, 0.05, 0.01])
    return rng.normal(size=(rows, 8)) + 0.5 * (y[:, None] - 3) * (np.arange(8) < 3), y + 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("multi_class", "loss"), [("ovr", "squared_hinge"), ("ovo", "hinge"), ("ovo", "squared_hinge")]
)
def test_classes_that_overlap_are_predicted_no_worse_than_the_most_frequent_one(multi_class, loss):
    X, y = weak_classes()
    model = nk.LinearSVMCV(Cs=6, loss=loss, multi_class=multi_class).fit(X, y)
    majority = np.mean(y == 6)
    assert model.mean_scores_.max() > majority
    Z, z = weak_classes(seed=1)
    assert model.score(Z, z) >= np.mean(z == 6)


@pytest.mark.slow
def test_columns_that_say_nothing_give_a_warning():
    X, y = weak_classes()
    X = np.random.default_rng(1).normal(size=X.shape)
    with pytest.warns(UserWarning, match=r"no C is better than always predicting 6 \(46\.\d% of the rows") as caught:
        model = nk.LinearSVMCV(Cs=4, loss="hinge").fit(X, y)
    assert caught[-1].filename == __file__
    assert set(model.predict(X)) == {6}


def test_an_unknown_scoring_is_refused():
    with pytest.raises(nk.InvalidInputError, match="scoring"):
        nk.LinearSVMCV(scoring="beauty").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_a_scoring_that_does_not_fit_the_labels_is_refused():
    with pytest.raises(nk.InvalidInputError, match="scoring='roc_auc' cannot be computed for these labels: "):
        nk.LinearSVMCV(scoring="roc_auc", cv=2).fit(np.arange(6.0)[:, None], [0, 1, 2, 0, 1, 2])
