"""One model and its report, which many tests read."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff._report.subject import subject_of


@pytest.fixture(scope="session")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, np.where(y == 1, "benign", "malignant")


@pytest.fixture(scope="session")
def svm(cancer):
    return nk.LinearSVM(C=0.5).fit(*cancer)


@pytest.fixture(scope="session")
def svm_page(svm, cancer):
    return nk.report(svm, *cancer, model_path="cancer model.nvk", data_path="cancer.csv")


@pytest.fixture(scope="session")
def svm_subject(svm, cancer):
    return subject_of(svm, *cancer, None, None, None)


@pytest.fixture(scope="session")
def digits():
    """Training and test rows of ten classes."""
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600], X[600:800], y[600:800]


@pytest.fixture(scope="session")
def perceptron(digits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nk.NotHaltedWarning)  # not what these tests are about
        return nk.Perceptron(max_iter=3).fit(*digits[:2])


@pytest.fixture(scope="session")
def perceptron_page(perceptron, digits):
    return nk.report(perceptron, *digits[:2], test=digits[2:], class_=4)


@pytest.fixture(scope="session")
def perceptron_subject(perceptron, digits):
    return subject_of(perceptron, *digits[:2], 4, digits[2:], None)
