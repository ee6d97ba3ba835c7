"""novikoff separable."""

import pytest
from command import novikoff

from novikoff.theory import separability_checks


@pytest.mark.parametrize(
    ("data", "code", "kind"),
    [
        (b"1 1:1\n-1 1:2\n", 0, "complete"),
        (b"1 1:1\n-1 1:1\n-1 1:2\n", 1, "quasi-complete"),
        (b"1 1:1\n-1 1:2\n1 1:3\n", 1, "overlap"),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_separable_says_what_is_so(data, code, kind, exact):
    run = novikoff("separable", "-", "--json", *(["--exact"] * exact), input=data)
    assert (run.code, run.err) == (code, "")
    assert (run.json["kind"], run.json["verified"], run.json["exact"]) == (kind, True, exact)


def test_separable_through_the_origin_is_another_question():
    data = b"1 1:1\n-1 1:2\n"
    assert novikoff("separable", "-", input=data).code == 0
    assert novikoff("separable", "-", "--no-fit-intercept", input=data).code == 1


def test_separation_by_the_last_digit_is_proven():
    data = b"-1 1:1\n1 1:1.0000000000000002\n"
    run = novikoff("separable", "-", "--json", input=data)
    assert (run.code, run.json["kind"], run.json["verified"]) == (0, "complete", True)
    assert novikoff("separable", "-", "--exact", input=data).code == 0


def test_separation_that_takes_too_much_work_without_exact_is_no_proof(monkeypatch):
    monkeypatch.setattr(separability_checks, "SMALL_WORK", 0.0)
    data = b"-1 1:1\n1 1:1.0000000000000002\n"
    run = novikoff("separable", "-", "--json", input=data)
    assert (run.code, run.json["kind"], run.json["verified"]) == (1, "complete", False)
    assert novikoff("separable", "-", "--exact", input=data).code == 0


READ = ("separable", "-", "--format", "csv", "--target", "ill")
TABLE = b"""age,site,n,ill
20,b,1,no
30,a,1,yes
40,c,2,no
25,b,1,yes
60,c,1,yes
30,b,1,no
70,c,1,no
33,a,0,no
70,a,1,yes
"""


def test_a_table_has_a_sentence_and_a_table_of_named_coefficients():
    run = novikoff(*READ, "--weight", "n", input=TABLE)
    assert run.out.endswith("on trust  response: y is called 'ill'\n")
    assert run.code == 1
    lines = run.out.splitlines()
    assert lines[0] == "target        ill"
    assert (
        lines[1]
        .split(maxsplit=1)[1]
        .startswith(
            "The maximum likelihood estimate of the logistic regression of P(ill = yes) does not exist: the data are "
            "quasi-completely separated."
        )
    )
    first = next(i for i, line in enumerate(lines) if line.startswith("coefficients"))
    assert [line.split()[-2] for line in lines[first : first + 5]] == [
        "coefficient",
        "(Intercept)",
        "age",
        "site=b",
        "site=c",
    ]
    assert "reference     site=a" in lines


def test_without_an_intercept_the_first_column_of_categories_keeps_all_of_them():
    table = b"age,site,arm,ill\n20,b,u,no\n30,a,v,yes\n40,c,u,no\n25,b,u,yes\n60,c,v,yes\n70,a,u,no\n"
    found = novikoff(*READ, "--no-fit-intercept", "--json", input=table).json
    assert found["names"] == ["age", "site=a", "site=b", "site=c", "arm=v"]
    assert found["references"] == ["arm=u"]


def test_json_has_names_and_words():
    found = novikoff(*READ, "--weight", "n", "--json", input=TABLE).json
    assert list(found["coefficients"]) == ["age", "site=b", "site=c", "(Intercept)"]
    assert (found["names"], found["response"], found["positive"]) == (["age", "site=b", "site=c"], "ill", "yes")
    assert "does not exist" in found["sentence"]
    assert found["estimate_exists"] is False
    assert found["references"] == ["site=a"]
    assert found["verified"]


def test_rows_of_weight_zero_are_absent():
    with_weights = novikoff(*READ, "--weight", "n", "--json", input=TABLE)
    without = novikoff(*READ, "--exclude", "n", "--json", input=TABLE)
    assert (with_weights.json["kind"], without.json["kind"]) == ("quasi-complete", "overlap")


def test_the_modelled_class_can_be_named():
    options = ("--format", "csv", "--target", "ill", "--exclude", "n")
    run = novikoff("separable", "-", *options, "--positive", "no", input=TABLE)
    assert "P(ill = no)" in run.out
    run = novikoff("separable", "-", *options, "--positive", "nein", input=TABLE)
    assert run.code == 2
    assert "'nein', but the labels of y are 'no', 'yes'" in run.err
    for word in ("-1", "-1.0"):
        run = novikoff("separable", "-", "--positive", word, "--json", input=b"1 1:1\n-1 1:2\n")
        assert (run.code, run.json["positive"]) == (0, -1)


COUNTS = b"dose,dead,alive\n1,0,5\n2,1,4\n3,2,0\n"


def test_counts_of_successes_and_failures():
    run = novikoff("separable", "-", "--format", "csv", "--counts", "dead,alive", "--json", input=COUNTS)
    assert (run.json["kind"], run.json["verified"], run.json["positive"]) == ("quasi-complete", True, "dead")
    assert "P(dead) does not exist" in run.json["sentence"]
    assert run.json["names"] == ["dose"]
    run = novikoff(
        "separable", "-", "--format", "csv", "--counts", "dead,alive", "--positive", "alive", "--json", input=COUNTS
    )
    assert (run.json["positive"], run.json["boundary"]) == ("alive", [1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--counts", "dead"), "--counts: the names of two columns of a table are needed, as in A,B, not 'dead'"),
        (("--counts", "dead,alive", "--target", "dose"), "--counts: this replaces --target and --weight"),
        (
            ("--counts", "dead,alive", "--positive", "dose"),
            "--positive: one of the columns dead, alive is needed, not 'dose'",
        ),
        (("--counts", "dead,killed"), "there is no column 'killed', which --counts names"),
        (("--counts", "killed,dead"), "there is no column 'killed', which --counts names"),
        (("--counts", "dead,dead"), "--counts: the names of two columns"),
        (("--counts", "dead,alive", "--features", "dead"), "column 'dead' cannot be both a feature and the count"),
    ],
)
def test_counts_that_cannot_be_used(options, message):
    run = novikoff("separable", "-", "--format", "csv", *options, input=COUNTS)
    assert (run.code, message in run.err) == (2, True), run.err


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"4,x,1", "counts in column 'dead' must be finite numbers of at least 0, but there is no value"),
        (b"4,,1", "line 5: counts in column 'dead' must be finite numbers of at least 0, but there is no value"),
        (b"4,1,-2", "line 5: counts in column 'alive' must be finite numbers of at least 0, but there is -2.0"),
    ],
)
def test_counts_that_are_not_numbers_are_refused_as_counts(row, message):
    run = novikoff("separable", "-", "--format", "csv", "--counts", "dead,alive", input=COUNTS + row + b"\n")
    assert (run.code, message in run.err or "column 'dead' of counts must hold numbers" in run.err) == (2, True), (
        run.err
    )
    assert not any(word in run.err for word in ("--weight", "--target", "label", "weights"))


def test_counts_may_have_fractions_and_may_not_all_be_zero():
    options = ("separable", "-", "--format", "csv", "--counts", "dead,alive")
    run = novikoff(*options, "--json", input=b"dose,dead,alive\n1,0,5.5\n2,1.5,4\n3,2,0\n")
    assert (run.json["kind"], run.json["verified"]) == ("quasi-complete", True)
    run = novikoff(*options, input=b"dose,dead,alive\n1,0,0\n2,0,0\n3,0,0\n")
    assert (run.code, "all counts" in run.err) == (2, True), run.err


def test_many_coefficients_are_counted():
    """Each of 300 columns occurs in one row, which is never on the wrong side; two more rows are equal."""
    rows = "".join(f"{1 if column % 3 else -1} {column}:1\n" for column in range(1, 301))
    data = f"{rows}1 5000:1\n-1 5000:1\n".encode()
    run = novikoff("separable", "-", "--no-fit-intercept", input=data)
    (line,) = (line for line in run.out.splitlines() if line.strip().startswith("and "))
    assert line.strip().startswith("and 4,970 more (")
    assert "4,699 aliased, 1 finite)" in line
    found = novikoff("separable", "-", "--no-fit-intercept", "--json", input=data).json
    assert len(found["coefficients"]) == 5000
    assert found["names"] == [str(column) for column in range(1, 5001)]
