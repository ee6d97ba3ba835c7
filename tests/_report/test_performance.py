import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

import novikoff as nk
from novikoff._report.performance import MAX_CLASSES, performance_of
from novikoff.evaluate import percent, scores

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def test_classes_have_the_precision_recall_and_f1_of_scikit_learn(perceptron, digits):
    X, y = digits[2:]
    found = performance_of(scores(perceptron, X, y))
    expected = zip(*precision_recall_fscore_support(y, perceptron.predict(X)), strict=True)
    for row, (precision, recall, f1, support) in zip(found.by_class.rows, expected, strict=True):
        assert row[1:] == (str(support), percent(precision), percent(recall), percent(f1))
    assert found.all_classes is None


def test_errors_are_listed_by_frequency(perceptron, digits):
    X, y = digits[2:]
    predicted = perceptron.predict(X)
    rows = performance_of(scores(perceptron, X, y)).errors.rows
    counts = [int(row[2]) for row in rows]
    assert counts == sorted(counts, reverse=True)
    true, wrong = map(int, rows[0][:2])
    assert counts[0] == np.count_nonzero((y == true) & (predicted == wrong))


def test_many_classes_are_shown_by_the_lowest_f1():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(25), 3)
    X = rng.normal(size=(75, 5)) + y[:, None] % 7
    measured = scores(nk.Perceptron(max_iter=2).fit(X, y), X, y)
    found = performance_of(measured)
    assert [row[4] for row in found.by_class.rows] == list(map(percent, np.sort(measured.f1)[:MAX_CLASSES]))
    assert len(found.all_classes.rows) == 25
    assert found.cells == []
