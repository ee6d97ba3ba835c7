import numpy as np
import pytest

import novikoff as nk
from novikoff._report.figures.confusion import MAX_CLASSES, confusion
from novikoff._report.subject import subject_of

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def test_cells_are_fractions_of_the_true_class(perceptron, perceptron_subject, digits):
    found = confusion(perceptron_subject)
    right, wrong = (np.array(trace["z"], dtype=float) for trace in found.data)
    predicted, y = perceptron.predict(digits[2]), digits[3]
    expected = [np.mean(predicted[y == k] == k) for k in range(10)]
    np.testing.assert_allclose(np.diag(right), expected, rtol=1e-3)
    assert np.all(np.isnan(right[~np.eye(10, dtype=bool)]))
    assert np.all(np.isnan(np.diag(wrong)))
    total = [np.nansum(right[k]) + np.nansum(wrong[k] ** 2) for k in range(10)]
    np.testing.assert_allclose(total, 1, rtol=1e-3)
    assert found.caption.startswith("200 test rows, by true class")


def test_two_classes_have_none(svm_subject):
    assert confusion(svm_subject) is None


@pytest.mark.slow
def test_of_many_classes_those_with_the_most_errors_are_drawn():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 3)
    X = rng.normal(size=(120, 5)) + y[:, None] % 7
    found = confusion(subject_of(nk.Perceptron(max_iter=2).fit(X, y), X, y, None, None, None))
    assert len(found.data[0]["z"]) == MAX_CLASSES
    assert "Only the 30 of 40 classes" in found.caption
    assert "text" not in found.data[0]  # the cells have no room for numbers
