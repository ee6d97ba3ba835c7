"""The scores of the latest examples, compared with those of a plain loop over a list."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.evaluate._window import Window


class Fixed:
    """A learner whose predictions are given with the examples."""

    def predict_one(self, x):
        return x

    def learn_one(self, x, y, *weight):
        pass


class FixedBatches(Fixed):
    """The same, for rows that are predicted and learned in one call."""

    def predict_then_learn(self, X, y=None, sample_weight=None):
        return np.asarray(X)[:, 0]


def drawn(rng, count, classes):
    """Labels that come in runs, and predictions that are often right."""
    labels = rng.integers(classes, size=count)
    labels = np.where(rng.random(count) < 0.5, labels, np.roll(labels, 1))
    return labels, np.where(rng.random(count) < 0.6, labels, rng.integers(classes, size=count))


def expected(labels, predictions, end, size):
    """Examples, mistakes, recall and mistakes of the last label among the latest examples."""
    begin = max(0, end - size)
    own, guesses = labels[begin:end], predictions[begin:end]
    last = [i == 0 or labels[i - 1] != labels[i] for i in range(begin, end)]
    recall = {label: np.mean(guesses[own == label] == label) for label in set(own.tolist())}
    return end - begin, int((own != guesses).sum()), recall, sum(last)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("cut", [1, 3, 50])
def test_a_window_has_the_scores_of_the_latest_examples(size, cut):
    labels, predictions = drawn(np.random.default_rng([size, cut]), 120, 3)
    examples = zip(predictions.tolist(), labels.tolist(), strict=True)
    batches = [(predictions[i : i + cut, None], labels[i : i + cut]) for i in range(0, len(labels), cut)]
    for model, stream in ((Fixed(), examples), (FixedBatches(), batches)):
        for record in nk.evaluate.progressive(model, stream, every=1, window=size):
            count, mistakes, recall, last = expected(labels, predictions, record.examples, size)
            found = record.window
            assert (found.examples, found.mistakes, found.last_label_mistakes) == (count, mistakes, last)
            assert found.recall == pytest.approx(recall)
            assert found.loss == mistakes / count
            assert found.balanced_accuracy == pytest.approx(np.mean(list(recall.values())))
            assert found.kappa == (None if last == 0 else 1 - mistakes / last)


def test_kappa_is_one_of_perfect_predictions_and_zero_of_those_of_the_last_label():
    labels = [0, 1, 1, 0, 1, 0, 0]
    perfect, last = zip(labels, labels, strict=True), zip([None, *labels[:-1]], labels, strict=True)
    assert [*nk.evaluate.progressive(Fixed(), perfect, window=5)][-1].window.kappa == 1
    assert [*nk.evaluate.progressive(Fixed(), last, window=5)][-1].window.kappa == 0


def test_a_batch_longer_than_the_window_leaves_its_end():
    window = Window(3)
    codes = np.array([0, 1, 0, 1, 1])
    window.add(["a", "b"], codes, codes == 1, np.ones(5, dtype=bool))
    assert window.scores().recall == {"a": 0.0, "b": 1.0}
    assert window.scores().examples == 3


@pytest.mark.parametrize("wrong", [{"window": 0}, {"window": 1.5}, {"delay": -1}, {"delay": 0.5}])
def test_other_numbers_are_refused(wrong):
    with pytest.raises(nk.InvalidInputError, match=next(iter(wrong))):
        nk.evaluate.progressive(nk.Perceptron(), [], **wrong)
