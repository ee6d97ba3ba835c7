"""The counts of a mixture, against the references of tests/reference/mixtures.py and the bounds of docs/theory.md N."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.errors import InvalidInputError
from novikoff.online._mixture import MixtureCounts, Vote, codes_of, labels_of
from novikoff.theory import mixture_bounds
from novikoff.theory.mixture_replay import NOBODY
from reference import mixtures

RIGHT = np.ones(1)


def random_votes(seed, rounds=300, members=4, classes=3):
    """Codes that members predict, which follow the labels more or less, and the codes of the labels."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rounds).astype(np.int32)
    right = random.random((members, rounds)) < random.random((members, 1))
    return np.where(right, y, (y + 1 + random.integers(0, classes - 1, right.shape)) % classes).astype(np.int32), y


def after_one_example(members):
    """Counts after an example that all members predicted rightly, so that none of the next ones is the first."""
    zero = MixtureCounts.none(members)
    return MixtureCounts(zero.decayed, zero.whole, zero.part, zero.shares, zero.fewest, 1, zero.examples)


@pytest.mark.parametrize("decay", [1.0, 0.95])
@pytest.mark.parametrize("seed", range(3))
def test_the_leader_is_that_of_the_reference(seed, decay):
    predictions, y = random_votes(seed)
    counts, chosen = after_one_example(4).after(Vote("leader", decay, 0.5, 0.1), predictions, y, np.ones(len(y)))
    wrong, _ = mixtures.fewest_mistakes((predictions != y).T.astype(float), decay)
    np.testing.assert_array_equal(chosen != y, wrong)
    ages = decay ** np.arange(len(y) - 1, -1, -1)
    np.testing.assert_allclose(counts.decayed[:-1], (predictions != y) @ ages, rtol=1e-12)
    assert counts.mistakes == [*(predictions != y).sum(axis=1), wrong.sum()]


@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_votes_are_those_of_the_reference(seed, alpha):
    predictions, y = random_votes(seed, members=3, classes=2)  # without ties, which the reference decides by label
    decay = 1.0 if alpha else 0.95
    vote = Vote("share" if alpha else "majority", decay, 0.7, alpha or 0.1)
    counts, chosen = after_one_example(3).after(vote, predictions, y, np.ones(len(y)))
    wrong, _ = mixtures.weighted_majority(predictions.T, y, 0.7, decay=decay, alpha=alpha)
    np.testing.assert_array_equal(chosen != y, wrong)
    fewest = counts.fewest.reshape(-1, 3).min(axis=1)
    if alpha:
        assert fewest.tolist() == [mixture_bounds.best_sequence((predictions != y).T, k) for k in range(len(fewest))]


@pytest.mark.parametrize("kind", ["leader", "majority", "share"])
def test_batches_of_any_size_give_the_same_bits(kind):
    predictions, y = random_votes(7)
    vote, amounts = Vote(kind, 0.99, 0.6, 0.01), np.random.default_rng(0).choice([0.0, 1.0, 0.3], len(y))
    whole, chosen = MixtureCounts.none(4).after(vote, predictions.copy(), y, amounts)
    counts, found = MixtureCounts.none(4), []
    for begin, end in [(0, 1), (1, 2), (2, 90), (90, 91), (91, 300)]:
        part = predictions[:, begin:end].copy()
        counts, own = counts.after(vote, part, y[begin:end], amounts[begin:end])
        found.append(own)
    assert np.concatenate(found).tolist() == chosen.tolist()
    for name in ("decayed", "whole", "part", "shares", "fewest"):
        assert getattr(counts, name).tobytes() == getattr(whole, name).tobytes()
    assert (counts.rounds, counts.examples) == (whole.rounds, whole.examples)


@pytest.mark.parametrize("kind", ["leader", "majority", "share"])
def test_mistakes_stay_below_the_bound_if_the_best_member_changes(kind):
    rounds, members = 400, 3
    turns = (np.arange(rounds) // 50) % members
    y = np.zeros(rounds, dtype=np.int32)
    predictions = (turns != np.arange(members)[:, None]).astype(np.int32)
    counts, _ = after_one_example(members).after(Vote(kind, 0.9, 0.5, 0.02), predictions, y, np.ones(rounds))
    least = counts.decayed[:-1].min()
    if kind == "leader":
        assert counts.decayed[-1] <= mixture_bounds.fewest_mistakes(least, members)
    elif kind == "majority":
        assert counts.decayed[-1] <= mixture_bounds.weighted_majority(least, members, 0.5)
    else:
        fewest = counts.fewest.reshape(-1, members).min(axis=1)
        assert fewest[7] == 0  # it changes seven times
        assert counts.mistakes[-1] <= mixture_bounds.fixed_share(0, 7, rounds, members, 0.5, 0.02)


def test_a_choice_is_the_next_prediction_and_counts_nothing():
    predictions, y = random_votes(3)
    for kind in ("leader", "majority", "share"):
        vote, counts = Vote(kind, 0.99, 0.6, 0.01), after_one_example(4)
        for t in range(40):
            expected = counts.choose(vote, predictions[:, t : t + 1])
            counts, found = counts.after(vote, predictions[:, t : t + 1], y[t : t + 1], RIGHT)
            assert found == expected


def test_vote_weights_are_powers_of_the_counts():
    counts, _ = after_one_example(4).after(Vote("majority", 0.9, 0.5, 0.1), *random_votes(1), np.ones(300))
    expected = 0.5 ** (0.9 * (counts.decayed[:-1] - counts.decayed[:-1].min()))
    np.testing.assert_allclose(counts.vote_weights(Vote("majority", 0.9, 0.5, 0.1)), expected, rtol=1e-12)


def test_codes_are_places_among_the_classes_and_back():
    classes = np.array(["a", "b", "d"])
    assert codes_of(classes, np.array(["d", "a"])).tolist() == [2, 0]
    assert codes_of(classes, np.array([None, "b"], dtype=object)).tolist() == [-1, 1]
    assert labels_of(classes, np.array([2, -1], dtype=np.int32)).tolist() == ["d", None]
    assert labels_of(np.zeros(0), np.array([-1], dtype=np.int32)).tolist() == [None]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"vote": "all"}, 'vote must be "leader", "majority" or "share"'),
        ({"decay": 1.5}, "decay must be a positive number of at most 1"),
        ({"decay": 0}, "decay must be a positive number"),
        ({"beta": 1.0}, "beta must be a positive number"),
        ({"share": 0.9}, "share must be a positive number of at most 0.5"),
        ({"learners": [nk.Perceptron()], "vote": "share"}, "needs at least two learners"),
    ],
)
def test_wrong_parameters_are_refused(parameters, words):
    with pytest.raises(InvalidInputError, match=words):
        nk.Tracker(**parameters).partial_fit([[1.0], [2.0]], [0, 1])


def test_leaders_are_those_before_each_example():
    predictions, y = random_votes(7, rounds=40)
    vote, counts = Vote("leader", 0.9, 0.5, 0.1), MixtureCounts.none(4)
    found = counts.leaders(vote, predictions.copy(), y, np.ones(len(y)))
    for t in range(len(y)):
        before, _ = counts.after(vote, predictions[:, :t].copy(), y[:t], np.ones(t))
        assert found[t] == (before.leader() if t else NOBODY)
    assert len(set(found.tolist())) > 1
