"""Adaptive sets, repeated from the scores of the rows: the counts of T1, and doubts where rounding may decide."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from novikoff.theory.conformal import SetCertificate, replayed_errors
from novikoff.theory.mixture_replay import RowScores
from novikoff.theory.set_replay import replay_sets

RATE, STEP, START = 0.2, 0.05, 0.2
NONE = SetCertificate(RATE, STEP, START, 0, 0, 0, 0, 0)


def two_labels(rows=200, seed=0, tolerance=1e-12):
    """Scores of the last of two labels, and labels."""
    rng = np.random.default_rng(seed)
    values = np.vstack([np.zeros(rows), rng.normal(size=rows)])
    return RowScores(values, np.full(values.shape, tolerance), None), rng.integers(2, size=rows)


@pytest.mark.parametrize("window", [1, 30, 1000])
def test_the_errors_are_those_of_the_nonconformity_of_the_labels(window):
    scores, codes = two_labels()
    again = replay_sets(scores, codes, True, NONE, window)
    own = np.where(codes == 1, -scores.values[1], scores.values[1])[1:]
    errors = replayed_errors(own, RATE, STEP, START, window)
    assert again.state.certificate.rounds == 199
    assert again.state.certificate.errors == errors.sum() > 0
    assert again.state.recent == tuple(own[-window:])
    assert again.state.certificate.verify()
    assert again.doubtful is None


def test_of_more_labels_the_best_other_one_counts_and_a_new_one_is_skipped():
    values = np.array([[0.0, 3.0, 1.0, 2.0], [0.0, 1.0, 2.0, 2.5], [0.0, 0.0, 0.0, 1.0]])
    scores = RowScores(values, np.zeros((3, 4)), None)
    again = replay_sets(scores, np.array([0, 1, 2, 2]), False, NONE, 10)
    assert again.state.skipped == 3  # no label is known, then one, and the third label is new
    assert again.state.recent == (2.5 - 1.0,)
    declared = replay_sets(scores, np.array([0, 1, 2, 2]), True, NONE, 10)
    assert declared.state.skipped == 1  # the first row makes the problems
    assert declared.state.recent == (3.0 - 1.0, 2.0 - 0.0, 2.5 - 1.0)


def test_sets_may_begin_later_than_the_learner():
    scores, codes = two_labels()
    late = replay_sets(scores, codes, True, NONE, 30, first=150)
    assert (late.state.certificate.rounds, late.state.skipped) == (50, 0)


def test_a_label_at_the_limit_is_doubtful():
    scores, codes = two_labels(tolerance=1e-2)
    again = replay_sets(scores, codes, True, NONE, 30)
    assert again.doubtful is not None
    wrong = replay_sets(*two_labels(seed=1), True, NONE, 30).state
    assert {check.status for check in again.check(wrong)} <= {"holds", "open"}
    clear = replay_sets(*two_labels(), True, NONE, 30)
    assert "fails" in {check.status for check in clear.check(wrong)}
    assert {check.status for check in clear.check(clear.state)} == {"holds"}


def test_a_run_that_is_doubtful_stays_so():
    scores, codes = two_labels()
    doubtful = RowScores(scores.values, scores.tolerances, 7)
    assert replay_sets(doubtful, codes, True, NONE, 30).doubtful == 7
    assert doubtful.at(np.array([0, 5, 9])).doubtful == 1  # row 7 is learned between rows 5 and 9


def test_scores_that_overflow_are_the_largest_numbers():
    values = np.array([[0.0, 0.0, 0.0], [0.0, np.inf, np.nan]])
    again = replay_sets(RowScores(values, np.zeros((2, 3)), None), np.array([1, 1, 1]), True, NONE, 9)
    assert np.all(np.isfinite(again.state.recent))


def counts_of(values, codes, parameters, window):
    """Errors, empty sets, sets of one label and labels of all sets, by the definition, with all labels known."""
    level, latest, found = Fraction(parameters.start), [], np.zeros(4, dtype=int)
    for scores, code in zip(values.T[1:], codes[1:], strict=True):
        others = [max(v for i, v in enumerate(scores) if i != j) for j in range(len(scores))]
        own = [other - score for other, score in zip(others, scores, strict=True)]
        past = sorted(latest[-window:])
        k = math.ceil((1 - level) * (len(past) + 1))
        size = len(own) if k > len(past) else 0 if k < 1 else sum(v <= past[k - 1] for v in own)
        wrong = k <= len(past) and (k < 1 or own[code] > past[k - 1])
        found += [wrong, size == 0, size == 1, size]
        level += Fraction(parameters.step) * (Fraction(parameters.error_rate) - wrong)
        latest.append(own[code])
    return found.tolist(), tuple(latest[-window:])


@pytest.mark.parametrize("start", [0.1, 0.9])
@pytest.mark.parametrize("window", [3, 50])
def test_sets_of_three_labels_are_those_of_the_definition_also_at_ties(window, start):
    rng = np.random.default_rng(3)
    values, codes = rng.integers(-2, 3, size=(3, 60)).astype(float), rng.integers(3, size=60)
    parameters = SetCertificate(0.5, 0.5, start, 0, 0, 0, 0, 0)
    state = replay_sets(RowScores(values, np.zeros((3, 60)), None), codes, True, parameters, window).state
    own = state.certificate
    assert ([own.errors, own.empty, own.single, own.labels], state.recent) == counts_of(
        values, codes, parameters, window
    )
    assert own.errors > 0 < own.empty
    assert own.rounds == 59


@pytest.mark.parametrize(("gap", "doubtful"), [(0.25, 2), (0.25 + 2.0**-10, None)])
def test_a_label_is_doubtful_if_it_is_not_beyond_both_tolerances(gap, doubtful):
    values = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 1.0 + gap]])
    half = SetCertificate(0.5, 0.05, 0.5, 0, 0, 0, 0, 0)  # the limit is the nonconformity of row 1, which is -1
    again = replay_sets(RowScores(values, np.full((2, 3), 0.125), None), np.array([1, 1, 1]), True, half, 9)
    assert again.doubtful == doubtful
    assert again.tolerance == 0.125


def test_the_tolerance_of_a_difference_is_that_of_both_scores_and_its_rounding():
    values = np.array([[0.0, 4.0], [0.0, 1.0], [0.0, -4.0]])
    for tolerances, expected in (([0.0] * 3, 4 * 2.0**-52 * 8), ([0.25, 0.5, 0.125], 1.0)):
        scores = RowScores(values, np.array([tolerances, tolerances]).T, None)
        found = replay_sets(scores, np.array([0, 0]), True, NONE, 9)
        assert found.tolerance == pytest.approx(expected, rel=1e-14, abs=0)
        assert found.state.recent == (-3.0,)


def test_latest_rounds_hold_up_to_twice_the_tolerance():
    again = replay_sets(*two_labels(), True, NONE, 3)
    tolerance = 0.125
    again.tolerance = tolerance

    def status(recent):
        return again.check(replace(again.state, recent=recent))[-1].status

    own = again.state.recent
    assert status(own) == "holds"
    assert status((round(own[0] + 0.24, 3), *own[1:])) == "holds"
    assert status((own[0] + 0.26, *own[1:])) == "fails"
    assert status((own[0] - 0.26, *own[1:])) == "fails"
    assert status(own[1:]) == "fails"


def test_scores_without_a_bound_are_the_largest_numbers_of_their_sign():
    largest = float(np.finfo(np.float64).max)
    for score, own in ((np.inf, -largest), (-np.inf, largest), (np.nan, -largest)):
        scores = RowScores(np.array([[0.0, 0.0], [0.0, score]]), np.zeros((2, 2)), None)
        assert replay_sets(scores, np.array([1, 1]), True, NONE, 9).state.recent == (own,)
    three = RowScores(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, -np.inf]]), np.zeros((3, 2)), None)
    assert replay_sets(three, np.array([2, 2]), True, NONE, 9).state.recent == (largest,)
    assert replay_sets(three, np.array([1, 1]), True, NONE, 9).state.recent == (-1.0,)
