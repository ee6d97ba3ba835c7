"""The result of a verification."""

import pytest

from novikoff.theory.verification import Check, Verification, compare


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ([], False),
        (["on trust"], False),
        (["holds"], True),
        (["holds", "on trust"], True),
        (["holds", "open"], False),
        (["holds", "fails"], False),
    ],
)
def test_it_is_true_if_a_check_was_made_and_all_hold(statuses, verdict):
    found = Verification(tuple(Check("claim", status, "detail") for status in statuses))
    assert bool(found) == verdict
    assert str(found).startswith("verified" if verdict else "not verified")
    assert len(found.failures) == statuses.count("fails")


def test_a_number_may_exceed_its_claim_by_the_slack_only():
    assert compare("x", 1.0, 1.1, slack=0.1 + 1e-9).status == "holds"
    assert compare("x", 1.0, 1.2, slack=0.1).status == "fails"
    assert compare("x", 1.0, 0.5, slack=0.1).status == "holds"
    assert compare("x", 1.0, 0.5, slack=0.1, exact_match=True).status == "fails"
    assert compare("x", 1.0, float("nan"), slack=0.1).status == "fails"
