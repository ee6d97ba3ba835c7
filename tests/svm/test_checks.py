"""The checks of scikit-learn on all estimators, of which the hard margin must refuse data that overlap."""

import warnings

import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from machines import INTERCEPTS, MACHINES

OVERLAP = "its data cannot be separated, which is refused with NotSeparableError"
THROUGH_THE_ORIGIN = "its data cannot be separated by a hyperplane through the origin, which is refused likewise"
ONE_SIDE = "it wants nearly all rows in one class, which no hyperplane through the origin can do"
FOLDS = "a row of weight k is in one fold, and its k copies are not; and both fits are within tol, not the same"
LIKELIEST = "it wants the likeliest class to be the predicted one; held-out rows may say otherwise"
WITH_OVERLAP = (
    "check_classifier_data_not_an_array",
    "check_classifiers_train",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_non_transformer_estimators_n_iter",
    "check_positive_only_tag_during_fit",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_supervised_y_2d",
)
WITH_AN_OFFSET = (
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_fit2d_1feature",
    "check_pipeline_consistency",
    "check_readonly_memmap_input",
)


def expected_failures(estimator):
    if isinstance(estimator, nk.HardMarginSVM):
        offset = () if estimator.fit_intercept else WITH_AN_OFFSET
        return dict.fromkeys(WITH_OVERLAP, OVERLAP) | dict.fromkeys(offset, THROUGH_THE_ORIGIN)
    found = {} if estimator.fit_intercept else {"check_class_weight_classifiers": ONE_SIDE}
    if getattr(estimator, "probability", False):
        found |= {f"check_sample_weight_equivalence_on_{rows}_data": FOLDS for rows in ("dense", "sparse")}
        found |= {"check_classifiers_train": LIKELIEST}
    return found


@pytest.mark.filterwarnings("ignore:LinearSVMCV. no C is better:UserWarning")  # some of its labels are random
@parametrize_with_checks(
    [
        MACHINES["squared_hinge, free"](tol=1e-6),
        MACHINES["hinge, penalized"](tol=1e-4, C=0.1, multi_class="crammer_singer"),
        nk.HardMarginSVM(),
        nk.LinearSVMCV(cv=2, Cs=[0.1, 1.0]),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    is_exact = not isinstance(estimator, nk.LinearSVMCV) and not getattr(estimator, "probability", False)
    if "sample_weight_equivalence" in check.func.__name__ and is_exact:
        # Seven digits of the scores are compared; the gap is quadratic in them.
        tol = 1e-14 if getattr(estimator, "loss", None) == "squared_hinge" else 1e-12
        estimator = clone(estimator).set_params(tol=tol)
    with warnings.catch_warnings():
        if "class_weight" in check.func.__name__:  # it allows 1,000 steps for weights of 1,000 and 0.0001
            warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        *(make(tol=1e-6) for name, make in MACHINES.items() if name != "squared_hinge, free"),
        nk.LinearSVM(tol=1e-6, lam=0.01),
        nk.LinearSVM(tol=1e-6, multi_class="ovr"),
        nk.LinearSVM(probability=True),
        *(nk.HardMarginSVM(**INTERCEPTS[intercept]) for intercept in ("penalized", "none")),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts_every_configuration(estimator, check):
    test_scikit_learn_accepts_the_estimator(estimator, check)
