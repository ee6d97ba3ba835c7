"""What learners claim is true, on data of every scale, and verifies without ``exact``."""

import pytest

from adversary.attack import honest_claims
from adversary.cases import MAKERS, QUICK
from share import share_of, slow_unless

CLAIMS, CLAIMS_IN_SLOW_SUITE = 10_000, 100_000
LEAST = 400  # claims of a learner; one score of 0 leaves three of them open, which may be more than 2 % of fewer


def assert_honest(name, claims, first=0):
    outcome = honest_claims(name, claims, first)
    assert not outcome.faults, "\n\n".join(list(outcome.faults.values())[:3])
    counts = outcome.counts
    assert counts["claims"] >= claims
    assert counts["fails"] == counts["fails, exact"] == 0
    assert counts["holds"] >= 0.98 * (counts["holds"] + counts["open"])


@pytest.mark.parametrize("name", slow_unless(QUICK.__contains__, MAKERS))
def test_claims_are_true(name):
    assert_honest(name, CLAIMS // len(MAKERS) + 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_hundred_thousand_claims_are_true(name):
    assert_honest(name, max(LEAST, share_of(CLAIMS_IN_SLOW_SUITE) // len(MAKERS) + 1), first=1000)
