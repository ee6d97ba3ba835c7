"""scikit-learn's checks of an estimator: those whose data cannot be separated must fail, and say so."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from machines import INTERCEPTS

OVERLAP = "its data cannot be separated, which is refused with NotSeparableError"
THROUGH_THE_ORIGIN = "its data cannot be separated by a hyperplane through the origin, which is refused likewise"
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
    offset = () if estimator.fit_intercept else WITH_AN_OFFSET
    return dict.fromkeys(WITH_OVERLAP, OVERLAP) | dict.fromkeys(offset, THROUGH_THE_ORIGIN)


@parametrize_with_checks([nk.HardMarginSVM()], expected_failed_checks=expected_failures)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    if "sample_weight_equivalence" in check.func.__name__:
        estimator = clone(estimator).set_params(tol=1e-12)  # seven digits of scores; the margin is quadratic in them
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [nk.HardMarginSVM(**INTERCEPTS[intercept]) for intercept in ("penalized", "none")],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_accepts_every_configuration(estimator, check):
    test_scikit_learn_accepts_the_estimator(estimator, check)
