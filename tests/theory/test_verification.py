"""The result of a verification."""

import pytest

from novikoff.theory.verification import COLOURS, MAX_SHOWN_PROBLEMS, Check, Verification


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


FOUND = Verification(
    (
        Check("labels", "holds", "all"),
        Check("a: gap", "holds", "0.1", problem="a"),
        Check("a: iterations", "on trust", "7", problem="a"),
        Check("<b>: gap", "fails", "claimed 0.1, found 0.2", problem="<b>"),
    )
)


def test_verdict_and_counts_are_in_the_first_line():
    assert str(FOUND).splitlines()[0] == "not verified: 1 claim fails, 2 claims hold, 1 claim is on trust"
    assert Verification(()).summary() == "not verified: there are no claims"
    assert Verification((Check("x", "holds", ""),) * 1234).summary() == "verified: 1,234 claims hold"


def test_short_text_names_what_does_not_hold():
    summary = "not verified: 1 claim fails, 2 claims hold, 1 claim is on trust"
    assert repr(FOUND) == f"<Verification: {summary}: <b>: gap>"
    assert repr(Verification((Check("x", "open", ""),) * 5)).endswith(": x; x; x; x; x>")
    assert repr(Verification((Check("x", "fails", ""),) * 6)).endswith("x; x; x; x; x; and 1 more>")
    assert repr(Verification((Check("x", "holds", ""),))) == "<Verification: verified: 1 claim holds>"


def test_problems_have_their_own_checks():
    parts = FOUND.problems
    assert {name: [check.claim for check in part.checks] for name, part in parts.items()} == {
        "": ["labels"],
        "a": ["gap", "iterations"],
        "<b>": ["gap"],
    }
    assert [bool(part) for part in parts.values()] == [True, True, False]


def test_notebook_shows_the_verdict_first_and_folds_the_problems():
    page = FOUND._repr_html_()
    assert page.index(FOUND.summary()) < page.index("labels") < page.index("<details")
    assert page.count("<details>") == 1
    assert page.count("<details open>") == 1  # the problem that fails, which comes first
    assert page.index("<details open>") < page.index("<details>")
    assert "<b>" not in page
    assert page.count("<tr>") == len(FOUND.checks) + 3  # and the names of the columns
    for beyond, words in ((0, False), (5, True)):
        checks = (Check(f"{k}: x", "holds", "", problem=str(k)) for k in range(MAX_SHOWN_PROBLEMS + beyond))
        page = Verification(tuple(checks))._repr_html_()
        assert page.count("<details>") == MAX_SHOWN_PROBLEMS == 20
        assert ("and 5 more in checks" in page) == words


def test_colours_of_statuses_are_readable_behind_white_text():
    for colour in COLOURS.values():
        channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) >= 4.5  # WCAG 2, level AA
