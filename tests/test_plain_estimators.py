"""The stand-ins for scikit-learn's classes and functions behave as these do, as far as the command line uses them."""

import copy
import json
import subprocess
import sys

import numpy as np
import pytest
import sklearn.base
from sklearn.exceptions import NotFittedError
from sklearn.metrics import get_scorer
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from novikoff import _plain_estimators as plain


def learner_on(*bases, condition):
    """A learner on these base classes that predicts the most frequent label."""

    class Learner(*bases):
        def __init__(self, C=1.0, loss="hinge"):
            self.C = C
            self.loss = loss

        def fit(self, X, y):
            self.classes_, counts = np.unique(y, return_counts=True)
            self.label_ = self.classes_[counts.argmax()]
            return self

        def predict(self, X):
            return np.full(len(X), self.label_)

        @condition(lambda self: self.loss == "log")
        def predict_proba(self, X):
            """Return probabilities."""
            return np.ones((len(X), 1))

    return Learner


Plain = learner_on(plain.ClassifierMixin, plain.BaseEstimator, condition=plain.available_if)
Usual = learner_on(sklearn.base.ClassifierMixin, sklearn.base.BaseEstimator, condition=available_if)
X, Y = np.zeros((5, 2)), np.array([0, 1, 1, 0, 1])


@pytest.mark.parametrize("cls", [Plain, Usual])
def test_parameters_are_set_shown_and_refused(cls):
    assert cls(C=2.0).get_params() == {"C": 2.0, "loss": "hinge"}
    assert cls().set_params(loss="log").loss == "log"
    assert repr(cls(C=2.0)) == "Learner(C=2.0)"
    with pytest.raises(ValueError, match="Invalid parameter 'D'"):
        cls().set_params(D=1)


@pytest.mark.parametrize(("cls", "clone"), [(Plain, plain.clone), (Usual, sklearn.base.clone)])
def test_a_clone_has_the_parameters_and_a_copy_what_was_learned(cls, clone):
    model = cls(C=[2.0]).fit(X, Y)
    found = clone(model)
    assert (type(found), found.C) == (cls, [2.0])
    assert found.C is not model.C
    assert not hasattr(found, "label_")
    assert [copied(model).label_ for copied in (copy.copy, copy.deepcopy)] == [1, 1]


def test_scores_and_tags_are_those_of_scikit_learn():
    weights = [1.0, 2.0, 1.0, 1.0, 3.0]
    assert Plain().fit(X, Y).score(X, Y, weights) == Usual().fit(X, Y).score(X, Y, weights) == 0.75
    assert get_tags(Plain()) == get_tags(Usual())
    assert get_scorer("f1")(Plain().fit(X, Y), X, Y) == get_scorer("f1")(Usual().fit(X, Y), X, Y)


@pytest.mark.parametrize(
    ("cls", "check", "error"),
    [(Plain, plain.check_is_fitted, plain.NotFittedError), (Usual, check_is_fitted, NotFittedError)],
)
def test_a_model_that_is_not_fitted_is_refused(cls, check, error):
    with pytest.raises(error, match=r"This Learner instance is not fitted yet\. Call 'fit' with appropriate"):
        check(cls())
    with pytest.raises(error):
        check(cls().fit(X, Y), "encoding_")
    check(cls().fit(X, Y))
    check(cls().fit(X, Y), "label_")


@pytest.mark.parametrize("cls", [Plain, Usual])
def test_a_method_exists_if_its_condition_holds(cls):
    assert not hasattr(cls(), "predict_proba")
    assert cls(loss="log").predict_proba(X).shape == (5, 1)
    assert cls.predict_proba.__doc__ == "Return probabilities."


@pytest.mark.parametrize("check", [plain.check_random_state, check_random_state])
def test_a_seed_or_a_generator_is_a_generator(check):
    generator = np.random.RandomState(3)
    assert check(generator) is generator
    assert check(7).randint(1000) == np.random.RandomState(7).randint(1000)


def test_a_transformer_fits_and_transforms():
    class Shift(plain.TransformerMixin, plain.BaseEstimator):
        def fit(self, X, y=None):
            self.shift_ = X.mean()
            return self

        def transform(self, X):
            return X - self.shift_

    assert Shift().fit_transform(np.array([1.0, 3.0])).tolist() == [-1.0, 1.0]


LEARN = """
import json, sys
if "plain" in sys.argv:
    from novikoff._plain_estimators import use_plain_estimators
    use_plain_estimators()
import numpy as np
import novikoff as nk
from novikoff.evaluate import holdout
random = np.random.default_rng(0)
X, y = random.normal(size=(60, 4)), random.integers(0, 3, 60)
models = [nk.LinearSVM(C=1.0, random_state=1), nk.AveragedPerceptron(max_iter=3, random_state=2), nk.HardMarginSVM()]
found = [model.fit(X, y == 1 if "Hard" in repr(model) else y).decision_function(X).tolist() for model in models[:2]]
found.append(models[2].fit(X, X[:, 0] > 0).decision_function(X).tolist())
found.append([model.get_params()["C"] for model in models[:1]])
print(json.dumps([found, "sklearn" in sys.modules]))
"""


@pytest.mark.slow
def test_learners_on_the_stand_ins_learn_the_same_bits():
    def run(*arguments):
        command = [sys.executable, "-W", "ignore", "-c", LEARN, *arguments]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    (found, with_sklearn), (expected, usual) = run("plain"), run()
    assert (with_sklearn, usual) == (False, True)
    assert found == expected
