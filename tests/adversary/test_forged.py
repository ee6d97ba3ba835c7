"""No forged claim is ever proven, and no true one is ever refuted, with and without ``exact``.

A forgery is one altered number, array, flag, word or data set. Failures are repeated by
``forged(own_number, honest(number_of_set, learner))``.
"""

import numpy as np
import pytest

from adversary.attack import attack, data_sets
from adversary.cases import MAKERS, QUICK
from adversary.forge import forged, leaves
from share import share_of, slow_unless

FORGERIES, FORGERIES_IN_SLOW_SUITE = 10_000, 1_000_000


def assert_not_fooled(name, altered, per_set, exact_share, first=0):
    outcome = attack(name, altered, per_set, first, exact_share)
    assert not outcome.faults, "\n\n".join(list(outcome.faults.values())[:3])
    counts = outcome.counts
    assert counts["altered"] >= altered
    assert 0.3 <= counts["false cases"] / (counts["false cases"] + counts["true cases"]) <= 0.98
    assert counts["holds"] >= counts["altered"] / 5


def test_the_quick_cases_exist():
    assert set(MAKERS) >= QUICK


@pytest.mark.parametrize("name", slow_unless(QUICK.__contains__, MAKERS))
def test_forgeries_are_not_proven_and_true_claims_are_not_refuted(name):
    assert_not_fooled(name, FORGERIES // len(MAKERS) + 1, per_set=12, exact_share=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_million_forgeries(name):
    altered = share_of(FORGERIES_IN_SLOW_SUITE) // len(MAKERS) + 1
    assert_not_fooled(name, altered, per_set=60, exact_share=0.1, first=1000)


def test_a_case_is_determined_by_its_number():
    _, cases = next(data_sets("perceptron", 0))
    first, second = (forged(17, cases)[0] for _ in range(2))
    assert first.name == second.name
    for (_, a), (_, b) in zip(leaves(first.certificate), leaves(second.certificate), strict=True):
        assert np.array_equal(a, b, equal_nan=not isinstance(a, str | tuple))
