"""The counts of a mixture, against the references of tests/reference/mixtures.py and the bound of docs/theory.md N."""

import numpy as np
import pytest

from novikoff.online._mixture import MixtureCounts, chosen_by, codes_of, labels_of
from novikoff.theory import mixture_bounds
from novikoff.theory.mixture_replay import NOBODY
from reference import mixtures


def random_votes(seed, rounds=300, members=4, classes=3):
    """Codes that members predict, which follow the labels more or less, and the codes of the labels."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rounds).astype(np.int32)
    right = random.random((members, rounds)) < random.random((members, 1))
    return np.where(right, y, (y + 1 + random.integers(0, classes - 1, right.shape)) % classes).astype(np.int32), y


def after_one_example(members):
    """Counts after an example that all members predicted rightly, so that none of the next ones is the first."""
    zero = MixtureCounts.none(members)
    return MixtureCounts(zero.decayed, zero.whole, zero.part, 1, zero.examples)


@pytest.mark.parametrize("decay", [1.0, 0.95])
@pytest.mark.parametrize("seed", range(3))
def test_the_leader_is_that_of_the_reference(seed, decay):
    predictions, y = random_votes(seed)
    counts, leaders = after_one_example(4).after(decay, predictions, y, np.ones(len(y)))
    wrong, _ = mixtures.fewest_mistakes((predictions != y).T.astype(float), decay)
    np.testing.assert_array_equal(chosen_by(leaders, predictions) != y, wrong)
    ages = decay ** np.arange(len(y) - 1, -1, -1)
    np.testing.assert_allclose(counts.decayed[:-1], (predictions != y) @ ages, rtol=1e-12)
    assert counts.mistakes == [*(predictions != y).sum(axis=1), wrong.sum()]


def test_batches_of_any_size_give_the_same_bits():
    predictions, y = random_votes(7)
    amounts = np.random.default_rng(0).choice([0.0, 1.0, 0.3], len(y))
    whole, leaders = MixtureCounts.none(4).after(0.99, predictions.copy(), y, amounts)
    counts, found = MixtureCounts.none(4), []
    for begin, end in [(0, 1), (1, 2), (2, 90), (90, 91), (91, 300)]:
        counts, own = counts.after(0.99, predictions[:, begin:end].copy(), y[begin:end], amounts[begin:end])
        found.append(own)
    assert np.concatenate(found).tolist() == leaders.tolist()
    for name in ("decayed", "whole", "part"):
        assert getattr(counts, name).tobytes() == getattr(whole, name).tobytes()
    assert (counts.rounds, counts.examples) == (whole.rounds, whole.examples)


def test_mistakes_stay_below_the_bound_if_the_best_member_changes():
    rounds, members = 400, 3
    turns = (np.arange(rounds) // 50) % members
    y = np.zeros(rounds, dtype=np.int32)
    predictions = (turns != np.arange(members)[:, None]).astype(np.int32)
    counts, _ = after_one_example(members).after(0.9, predictions, y, np.ones(rounds))
    assert counts.decayed[-1] <= mixture_bounds.fewest_mistakes(counts.decayed[:-1].min(), members)


def test_codes_are_places_among_the_classes_and_back():
    classes = np.array(["a", "b", "d"])
    assert codes_of(classes, np.array(["d", "a"])).tolist() == [2, 0]
    assert codes_of(classes, np.array([None, "b"], dtype=object)).tolist() == [-1, 1]
    assert labels_of(classes, np.array([2, -1], dtype=np.int32)).tolist() == ["d", None]
    assert labels_of(np.zeros(0), np.array([-1], dtype=np.int32)).tolist() == [None]


def test_leaders_are_those_before_each_example():
    predictions, y = random_votes(7, rounds=40)
    counts = MixtureCounts.none(4)
    _, found = counts.after(0.9, predictions.copy(), y, np.ones(len(y)))
    for t in range(len(y)):
        before, _ = counts.after(0.9, predictions[:, :t].copy(), y[:t], np.ones(t))
        assert found[t] == (before.leader() if t else NOBODY)
    assert len(set(found.tolist())) > 1
