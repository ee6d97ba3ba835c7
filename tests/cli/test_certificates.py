"""One line about the certificates of several classes."""

from types import SimpleNamespace

import numpy as np
import pytest

import novikoff as nk
from novikoff.cli._certificates import certificate_lines, learner_words, problem_words, summary
from novikoff.theory.gap_checks import gap_shown

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

rng = np.random.default_rng(6)
X = rng.normal(size=(60, 3))
TWO, FOUR = rng.integers(0, 2, 60), rng.integers(0, 4, 60)
APART = np.eye(4)[FOUR] + 0.01 * rng.normal(size=(60, 4))


def test_the_largest_gap_of_several_is_shown_with_its_class():
    record = nk.HardMarginSVM().fit(APART, FOUR).record_
    name, widest = max(record.named_certificates, key=lambda entry: entry[1].relative_gap)
    ((title, text),) = certificate_lines(record, False, "ask")
    assert title == "certificates"
    assert text == (
        f"4 certificates: the relative gaps are at most {gap_shown(widest.relative_gap)} ({name}), "
        f"all within the requested {widest.tol:g}; ask"
    )


def test_those_that_did_not_converge_are_counted():
    gaps = [("a", 1e-3), ("b", 1e-9), ("c", 2.0**-9)]
    named = [(name, SimpleNamespace(relative_gap=gap, tol=1e-4, converged=gap <= 1e-4)) for name, gap in gaps]
    assert summary(named) == (
        "3 certificates: the relative gaps are at most 0.00196 (c), all but 2 within the requested 0.0001"
    )


def test_the_mistakes_of_several_online_problems_are_a_range():
    record = nk.Perceptron(max_iter=3).fit(X, FOUR).record_
    counts = [certificate.mistakes for certificate in record.certificates]
    ((_, text),) = certificate_lines(record, False, "ask")
    assert f"{min(counts):g} to {max(counts):g} mistakes each" in text


def test_the_strategy_is_named_for_several_classes():
    assert learner_words(nk.Perceptron(max_iter=3).fit(X, TWO).record_) == "Perceptron"
    assert learner_words(nk.Perceptron(max_iter=3).fit(X, FOUR).record_) == "Perceptron, one-vs-rest"


def test_the_loss_and_C_of_several_certificates_are_named_if_they_share_them():
    assert problem_words(nk.LinearSVM(C=0.25).fit(X, FOUR).record_) == "squared hinge, C 0.25"
    assert problem_words(nk.LinearSVM(C=0.25).fit(X, TWO).record_) == ""  # its claims say it
    assert problem_words(nk.Perceptron(max_iter=3).fit(X, FOUR).record_) == ""
    assert problem_words(nk.HardMarginSVM().fit(APART, FOUR).record_) == ""
