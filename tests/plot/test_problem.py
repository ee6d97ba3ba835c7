import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import novikoff as nk
from novikoff.plot import BoundaryDisplay, MarginDisplay, WeightsDisplay
from novikoff.plot._problem import binary_problem, column_names, table_of
from wide_rows import never_dense, wide_rows

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.5], [3.0, 1.5], [4.0, 4.0], [5.0, 3.0]])
TWO, THREE = np.array(["a", "b"] * 3), np.array(["a", "a", "b", "b", "c", "c"])


@pytest.mark.parametrize("model", [nk.LinearSVM(multi_class="ovr"), nk.Perceptron(), LogisticRegression()])
def test_score_of_the_problem_is_that_of_its_weights(model):
    for y in (TWO, THREE):
        model.fit(X, y)
        for label in model.classes_:
            problem = binary_problem("test", model, label)
            np.testing.assert_allclose(problem.scores(X), X @ problem.weights + problem.intercept, atol=1e-12)
            assert problem.positive == label
            assert problem.is_linear
            assert problem.signs(y, 6).tolist() == [1.0 if each == label else -1.0 for each in y]


def test_a_class_of_pairs_is_opposed_to_the_most_frequent_other_one():
    weights = [1.0, 1.0, 1.0, 2.0, 5.0, 1.0]
    model = nk.LinearSVM(multi_class="ovo").fit(X, THREE, weights)
    for class_, names in ((None, ("c", "a")), ("b", ("c", "b")), ("c", ("b", "c")), (("a", "b"), ("b", "a"))):
        problem = binary_problem("test", model, class_)
        assert problem.names == names
        signs = problem.signs(THREE, 6)
        assert signs.tolist() == [{names[0]: -1.0, names[1]: 1.0}.get(label, 0.0) for label in THREE]
        np.testing.assert_allclose(problem.scores(X), X @ problem.weights + problem.intercept)
        assert np.all((signs * problem.scores(X))[signs != 0] > 0)
        assert {problem.certificate.model.positive, problem.certificate.model.negative} == set(names)
    for class_, words in ((("a", "a"), "two different classes"), (("a", "d"), "must be one of")):
        with pytest.raises(nk.InvalidInputError, match=words):
            binary_problem("test", model, class_)


def test_a_class_of_a_joint_machine_is_opposed_to_the_most_frequent_other_one():
    for y in (TWO, THREE):
        model = nk.LinearSVM(multi_class="crammer_singer", loss="hinge").fit(X, y, [1.0, 1.0, 1.0, 2.0, 5.0, 1.0])
        for class_ in ("b", ("b", "a"), None):
            problem = binary_problem("test", model, class_)
            code = {"a": 0, "b": 1, "c": 2}
            difference = model.coef_[code[problem.positive]] - model.coef_[code[problem.negative]]
            np.testing.assert_array_equal(problem.weights, difference)
            np.testing.assert_allclose(problem.scores(X), X @ problem.weights + problem.intercept)
            assert problem.certificate is model.certificate_
            assert problem.record.history is model.history_
        assert problem.names == (("a", "b") if y is TWO else ("c", "a"))


def test_wrong_arguments_are_refused():
    model = nk.LinearSVM().fit(X, TWO)
    with pytest.raises(nk.InvalidInputError, match=r"test: class_ must be one of \['a', 'b'\], but it is 'c'\."):
        binary_problem("test", model, "c")
    with pytest.raises(nk.InvalidInputError, match="at least two classes, but it knows 1"):
        binary_problem("test", nk.Perceptron().partial_fit(X, ["a"] * 6))
    with pytest.raises(nk.InvalidInputError, match="must be linear, with coef_, but it is a GaussianNB"):
        binary_problem("test", GaussianNB().fit(X, TWO)).weights  # noqa: B018  # reading it is the test
    with pytest.raises(nk.InvalidInputError, match="test: X must be a table of numbers"):
        table_of("test", [1.0, 2.0])
    with pytest.raises(nk.InvalidInputError, match="feature_names must have 2 entries, one per column, but it has 1"):
        column_names("test", model, ["x"], 2, (0,))
    assert column_names("test", model, ["x", 7], 2, (1, 0)) == ["7", "x"]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "crammer_singer"])
def test_wide_models_of_several_classes_are_displayed_without_dense_weights(multi_class):
    X, y = wide_rows(classes=3)
    model = nk.LinearSVM(multi_class=multi_class, loss="hinge").fit(X, y)
    with never_dense():
        assert WeightsDisplay.measure(model).nonzero
        assert BoundaryDisplay.measure(model, X, y).total
        assert MarginDisplay.measure(model, X, y) is not None
