"""Adaptive sets, repeated from the scores of the rows: the counts of T1, and doubts where rounding may decide."""

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
