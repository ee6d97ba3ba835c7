import pytest

import novikoff as nk
from novikoff._report.certificate import certificate_table, meanings, split
from novikoff.theory.verification import Check, Verification

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def test_checks_of_several_certificates_are_assigned_by_label():
    own = [Check("a: gap", "holds", "1", problem="a"), Check("b: gap", "fails", "2", problem="b")]
    checks = [Check("labels", "holds", ""), *own]
    parts, general = split([("a", None), ("b", None)], Verification((*checks, Check("probabilities", "on trust", ""))))
    assert [(part.name, part.verification.checks[0].claim, bool(part.verification)) for part in parts] == [
        ("a", "gap", True),
        ("b", "gap", False),
    ]
    assert [check.claim for check in general] == ["labels", "probabilities"]


def test_only_certificate_has_all_checks():
    certificate = nk.LinearSVM().fit([[0.0], [1.0]], ["a", "a: b"]).certificate_
    found = Verification((Check("a: labels", "holds", ""),))
    ((part,), general) = split([("", certificate)], found)
    assert part.verification is found
    assert general == []
    assert split([], None) == ([], [])


def test_statuses_that_occur_are_explained():
    found = Verification((Check("x", "open", ""), Check("y", "holds", "")))
    assert [status for status, _ in meanings(found)] == ["holds", "open"]
    assert meanings(None) == []


def test_every_certificate_has_one_line_with_its_first_claim():
    X, y = [[0.0], [1.0], [2.0], [2.5], [4.0], [4.5]], list("aabbcc")
    model = nk.Perceptron(max_iter=2).fit(X, y)
    found = nk.verify(model, X, y)
    parts, _ = split(model.record_.named_certificates, found)
    rows = certificate_table(parts).rows
    assert [row[:2] for row in rows] == [("a", "verified"), ("b", "verified"), ("c", "verified")]
    assert rows[0][2] == ": ".join(model.record_.certificates[0].claims()[0])
