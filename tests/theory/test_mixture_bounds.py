"""Mixtures of learners, docs/theory.md N and P4 to P6. Each test names the statement it could refute."""

import itertools

import numpy as np
import pytest

from novikoff.theory import mixture_bounds as bounds
from reference import mixtures
from streams import SLACK, few_and_many

BETAS = (0.1, 0.5, 0.9)


def votes(count, seed, rounds):
    """Predictions of some members and labels: random, correlated with the labels, of three classes, or adversarial."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        members, classes = int(rng.integers(2, 6)), int(rng.choice([2, 3]))
        y = rng.integers(classes, size=rounds)
        right = rng.random((rounds, members)) < rng.random(members)
        if k % 4 == 1:  # the best member changes
            right = (np.arange(rounds)[:, None] // 10) % members == np.arange(members)
        predictions = np.where(right, y[:, None], (y[:, None] + rng.integers(1, classes, size=right.shape)) % classes)
        yield predictions, (lambda guess, classes=classes: (guess + 1) % classes) if k % 2 else y


def ages(rounds, decay):
    return decay ** np.arange(rounds - 1, -1, -1)


@few_and_many(60, 9_100)
@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_N1_N2_mistakes_of_the_majority_stay_below_the_bound_of_every_member(decay, count, rows_each):
    for predictions, y in votes(count, 21, rows_each):
        for beta in BETAS:
            wrong, labels = mixtures.weighted_majority(predictions, y, beta, decay=decay)
            errors = predictions != labels[:, None]
            for end in (1, 7, len(wrong)):  # at any time, not only at the last one
                weights = ages(end, decay)
                fewest = (weights @ errors[:end]).min()
                limit = bounds.weighted_majority(fewest, predictions.shape[1], beta)
                assert weights @ wrong[:end] <= limit * SLACK


@few_and_many(40, 9_100)
def test_N3_expected_mistakes_of_a_drawn_member_stay_below_the_bound(count, rows_each):
    for predictions, y in votes(count, 22, rows_each):
        labels = np.zeros(len(predictions)) if callable(y) else y
        errors = predictions != labels[:, None]
        for beta in BETAS:
            weights = beta ** np.vstack([np.zeros(errors.shape[1]), np.cumsum(errors, axis=0)[:-1]])
            expected = (weights * errors).sum(axis=1) / weights.sum(axis=1)
            limit = bounds.randomized_majority(errors.sum(axis=0).min(), errors.shape[1], beta)
            assert expected.sum() <= limit * SLACK


@few_and_many(40, 9_100)
@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_N4_the_member_with_the_fewest_mistakes_has_at_most_N_times_as_many(decay, count, rows_each):
    adversary = [(rows_each, members) for members in (1, 2, 3, 5)]
    rng = np.random.default_rng(23)
    for errors in [*adversary, *(1.0 * (rng.random((rows_each, 3)) < rng.random(3)) for _ in range(count))]:
        wrong, table = mixtures.fewest_mistakes(errors, decay)
        for end in range(1, rows_each + 1):
            fewest = (ages(end, decay) @ table[:end]).min()
            assert ages(end, decay) @ wrong[:end] <= bounds.fewest_mistakes(fewest, table.shape[1]) + 1e-9


def test_N4_is_attained_by_an_adversary_that_contradicts_the_leader():
    wrong, table = mixtures.fewest_mistakes((4 * 10 + 3, 4))
    assert wrong.sum() == bounds.fewest_mistakes(table.sum(axis=0).min(), 4) == 43


@few_and_many(40, 9_100)
@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.4])
def test_N5_mistakes_with_shared_weights_stay_below_the_bound_of_every_sequence(alpha, count, rows_each):
    for predictions, y in votes(count, 24, rows_each):
        wrong, labels = mixtures.weighted_majority(predictions, y, 0.5, alpha=alpha)
        errors = predictions != labels[:, None]
        for switches in range(6):
            fewest = bounds.best_sequence(errors, switches)
            limit = bounds.fixed_share(fewest, switches, len(errors), errors.shape[1], 0.5, alpha)
            assert wrong.sum() <= limit * SLACK


def test_the_best_sequence_is_that_of_a_complete_search():
    rng = np.random.default_rng(25)
    for _ in range(10):
        errors = rng.integers(2, size=(5, 3))
        for switches in range(4):
            counts = [
                sum(errors[t, member] for t, member in enumerate(sequence))
                for sequence in itertools.product(range(3), repeat=5)
                if sum(a != b for a, b in itertools.pairwise(sequence)) <= switches
            ]
            assert bounds.best_sequence(errors, switches) == min(counts)


@few_and_many(40, 9_100)
@pytest.mark.parametrize("delay", [0, 1, 3])
def test_P4_labels_that_come_late_cost_the_majority_a_factor_only(delay, count, rows_each):
    for predictions, y in votes(count, 26, rows_each):
        for beta in BETAS:
            wrong, labels = mixtures.weighted_majority(predictions, y, beta, delay=delay)
            fewest = (predictions != labels[:, None]).sum(axis=0).min()
            assert wrong.sum() <= bounds.weighted_majority(fewest, predictions.shape[1], beta, delay) * SLACK


def late(count, seed, rounds):
    """Votes with delays: constant ones, and ones that change from row to row, so that labels keep their order."""
    for k, (predictions, y) in enumerate(votes(count, seed, rounds)):
        rng = np.random.default_rng([seed, k, 1])
        most = int(rng.integers(0, 8))
        yield predictions, y, np.full(rounds, most) if k % 2 else rng.integers(0, most + 1, size=rounds)


@few_and_many(12, 9_100)
@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_P4_counts_that_decay_cost_the_late_majority_a_power_of_its_members_besides(decay, count, rows_each):
    for predictions, y, delays in late(count, 27, rows_each):
        for beta in BETAS:
            wrong, labels = mixtures.late_mixture("majority", predictions, y, beta, decay=decay, delays=delays)
            errors = predictions != labels[:, None]
            for end in (1, 7, len(wrong)):
                weights = ages(end, decay)
                fewest = (weights @ errors[:end]).min()
                limit = bounds.weighted_majority(fewest, predictions.shape[1], beta, int(delays.max()), decay)
                assert weights @ wrong[:end] <= limit * SLACK


@few_and_many(20, 9_100)
@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_P5_the_leader_makes_a_few_more_mistakes_for_each_label_that_is_missing(decay, count, rows_each):
    for predictions, y, delays in late(count, 28, rows_each):
        wrong, labels = mixtures.late_mixture("leader", predictions, y, decay=decay, delays=delays)
        errors = predictions != labels[:, None]
        for end in (1, 7, len(wrong)):
            fewest = (ages(end, decay) @ errors[:end]).min()
            limit = bounds.fewest_mistakes(fewest, predictions.shape[1], int(delays.max()), decay)
            assert ages(end, decay) @ wrong[:end] <= limit + 1e-9


@pytest.mark.parametrize("decay", [1.0, 0.5])
def test_P5_is_attained_by_an_adversary_that_contradicts_the_leader(decay):
    """Each of the first members leads until the first label of its turn comes, and is wrong all the time."""
    delay, members = 3, 4
    rows = (members - 1) * (delay + 1) if decay == 1 else delay + 1
    members = members if decay == 1 else 2
    predictions = (np.arange(rows)[:, None] // (delay + 1) == np.arange(members)) * 1
    wrong, labels = mixtures.late_mixture("leader", predictions, np.zeros(rows), decay=decay, delays=delay)
    fewest = (ages(rows, decay) @ (predictions != labels[:, None])).min()
    assert fewest == 0
    assert ages(rows, decay) @ wrong == pytest.approx(bounds.fewest_mistakes(fewest, members, delay, decay))
    assert ages(rows, decay) @ wrong > bounds.fewest_mistakes(fewest, members)  # N4 does not hold


@few_and_many(20, 9_100)
@pytest.mark.parametrize("alpha", [0.01, 0.4])
def test_P6_late_labels_cost_shared_weights_a_factor_only(alpha, count, rows_each):
    for predictions, y, delays in late(count, 29, rows_each):
        wrong, labels = mixtures.late_mixture("share", predictions, y, 0.5, alpha=alpha, delays=delays)
        errors = predictions != labels[:, None]
        for switches in range(4):
            fewest = bounds.best_sequence(errors, switches)
            own = (fewest, switches, len(errors), errors.shape[1], 0.5, alpha, int(delays.max()))
            assert wrong.sum() <= bounds.fixed_share(*own) * SLACK


def test_bounds_without_a_delay_are_those_without_the_parameter():
    assert bounds.weighted_majority(7, 3, 0.5, 0, 0.9) == bounds.weighted_majority(7, 3, 0.5)
    assert bounds.fewest_mistakes(7.5, 3, 0, 0.9) == bounds.fewest_mistakes(7.5, 3) == 24.5
    assert bounds.fixed_share(7, 1, 20, 3, 0.5, 0.1, 0) == bounds.fixed_share(7, 1, 20, 3, 0.5, 0.1)


def test_a_delay_too_long_for_a_number_bounds_nothing():
    assert bounds.weighted_majority(1, 2, 0.1, 400) == np.inf
    assert bounds.fixed_share(1, 0, 10, 2, 0.1, 0.1, 400) == np.inf
    assert bounds.fewest_mistakes(1, 2, 400) == 403


@pytest.mark.parametrize("beta", [0.2, 0.7])
@pytest.mark.parametrize("members", [1, 2, 3, 5])
@pytest.mark.parametrize(("delay", "decay"), [(0, 1.0), (1, 1.0), (3, 1.0), (1, 0.9), (3, 0.6)])
def test_the_bounds_are_those_of_the_formulas(beta, members, delay, decay):
    mistakes, late = 7.5, sum(decay**age for age in range(1, delay + 1))
    wrong = beta**late / (beta**late + max(1, members - 1) ** (1 - decay**delay))
    fall, cost = -np.log(1 - (1 - beta) * wrong), mistakes * np.log(1 / beta) + np.log(members)
    assert bounds.majority_progress(beta, members, delay, decay) == pytest.approx(fall)
    assert bounds.weighted_majority(mistakes, members, beta, delay, decay) == pytest.approx(cost / fall)
    assert bounds.randomized_majority(mistakes, members, beta) == pytest.approx(cost / (1 - beta))
    leader = members * mistakes + (members - 1) * (1 + late)
    assert bounds.fewest_mistakes(mistakes, members, delay, decay) == pytest.approx(leader)


@pytest.mark.parametrize("alpha", [0.1, 0.3])
@pytest.mark.parametrize("delay", [0, 1, 3])
@pytest.mark.parametrize("switches", [0, 1, 4])
def test_the_bound_of_shared_weights_is_that_of_the_formula(alpha, delay, switches):
    mistakes, rounds, members, beta = 7.5, 20, 3, 0.2
    fall = -np.log(1 - (1 - beta) * (beta * (1 - alpha)) ** delay / 2)
    chosen = np.log(members) + switches * np.log((members - 1) / alpha)  # the first member and those that follow
    kept = (rounds - 1 - switches) * np.log(1 / (1 - alpha))
    limit = (mistakes * np.log(1 / beta) + chosen + kept) / fall
    assert bounds.share_progress(beta, alpha, delay) == pytest.approx(fall)
    assert bounds.fixed_share(mistakes, switches, rounds, members, beta, alpha, delay) == pytest.approx(limit)
    assert delay or bounds.fixed_share(mistakes, switches, rounds, members, beta, alpha) == pytest.approx(limit)
