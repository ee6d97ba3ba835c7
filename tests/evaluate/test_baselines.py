"""What guessing reaches: the most frequent label so far and the last label, also if labels come late."""

from collections import Counter

import numpy as np
import pytest

import novikoff as nk


class Constant:
    """A learner that predicts nothing of interest."""

    def predict_one(self, x):
        return None

    def learn_one(self, x, y, *weight):
        pass


def expected(labels, delay):
    """How many labels each guess finds, by a plain loop."""
    majority = last = 0
    for i, label in enumerate(labels):
        known = labels[: max(0, i - delay)]
        counts = Counter(known)
        majority += bool(known) and max(counts, key=counts.get) == label  # of equal counts the earliest
        last += bool(known) and known[-1] == label
    return majority / len(labels), last / len(labels)


@pytest.mark.parametrize("delay", [0, 1, 5, 100])
@pytest.mark.parametrize("seed", range(5))
def test_guesses_know_the_labels_that_the_learner_knows(delay, seed):
    rng = np.random.default_rng(seed)
    labels = rng.choice(["a", "b", "c"], size=60, p=[0.5, 0.3, 0.2]).tolist()
    *_, record = nk.evaluate.progressive(Constant(), ((None, label) for label in labels), delay=delay)
    assert (record.baseline, record.last_label_baseline) == expected(labels, delay)


@pytest.mark.parametrize("cut", [1, 7, 60])
def test_guesses_do_not_depend_on_batches(cut):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    stream = [(X[i : i + cut], y[i : i + cut]) for i in range(0, 60, cut)]
    *_, record = nk.evaluate.progressive(nk.Perceptron(), stream)
    assert (record.baseline, record.last_label_baseline) == expected(y.tolist(), 0)
