"""In the library, the learners are estimators of scikit-learn."""

import sklearn.base
from sklearn import exceptions

import novikoff as nk
from novikoff import _estimators


def test_learners_are_built_on_the_classes_of_scikit_learn():
    for learner in (nk.Perceptron, nk.LinearSVM, nk.HardMarginSVM):
        assert issubclass(learner, sklearn.base.BaseEstimator)
        assert issubclass(learner, sklearn.base.ClassifierMixin)
    assert issubclass(nk.TableEncoder, sklearn.base.TransformerMixin)
    assert issubclass(nk.NotHaltedWarning, exceptions.ConvergenceWarning)
    assert _estimators.NotFittedError is exceptions.NotFittedError
