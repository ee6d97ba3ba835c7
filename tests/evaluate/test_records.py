"""The records of a progressive evaluation."""

import novikoff as nk
from novikoff.evaluate._records import WithSets


def test_losses_are_fractions_of_the_examples_so_far_and_since_the_record_before():
    stream = [([1.0], "a"), ([-1.0], "b"), ([2.0], "a"), ([1.5], "b")]
    first, second = nk.evaluate.progressive(nk.Perceptron(), stream, every=2)
    assert (first.loss, first.loss_since) == (1.0, 1.0)
    assert (second.mistakes, second.loss, second.loss_since) == (3, 0.75, 0.5)
    assert second.loss == 1 - second.accuracy
    assert second.window is second.sets is None


def test_only_learners_with_sets_have_counts_of_them():
    assert isinstance(nk.evaluate.AdaptiveSets(nk.Perceptron()), WithSets)
    assert not isinstance(nk.Perceptron(), WithSets)
