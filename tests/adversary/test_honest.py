"""What learners claim is true, on data of every scale, and verifies without ``exact``."""

import pytest

from adversary.attack import honest_claims
from adversary.cases import MAKERS, QUICK
from share import share_of, slow_unless

CLAIMS, CLAIMS_IN_SLOW_SUITE = 10_000, 100_000
SEVERAL = 3  # claims of one run that a score of 0 leaves open; of a few claims, this may be more than 2 %


def assert_honest(name, claims, first=0):
    outcome = honest_claims(name, claims, first)
    assert not outcome.faults, "\n\n".join(list(outcome.faults.values())[:3])
    counts = outcome.counts
    assert counts["claims"] >= claims
    assert counts["fails"] == counts["fails, exact"] == 0
    allowed = SEVERAL + 0.02 * (counts["holds"] + counts["open"])
    assert counts["open"] <= allowed


@pytest.mark.parametrize("name", slow_unless(QUICK.__contains__, MAKERS))
def test_claims_are_true(name):
    assert_honest(name, CLAIMS // len(MAKERS) + 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_hundred_thousand_claims_are_true(name):
    assert_honest(name, share_of(CLAIMS_IN_SLOW_SUITE) // len(MAKERS) + 1, first=1000)
