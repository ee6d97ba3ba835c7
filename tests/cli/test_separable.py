"""novikoff separable."""

import pytest
from command import novikoff


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


def test_separation_that_rounding_leaves_open_is_no_proof():
    data = b"-1 1:1\n1 1:1.0000000000000002\n"
    run = novikoff("separable", "-", "--json", input=data)
    assert (run.code, run.json["kind"], run.json["verified"]) == (1, "complete", False)
    assert novikoff("separable", "-", "--exact", input=data).code == 0


def test_many_coefficients_that_diverge_are_counted():
    """Each of 300 columns occurs in one row, which is never on the wrong side; two more rows are equal."""
    rows = "".join(f"{1 if column % 3 else -1} {column}:1\n" for column in range(1, 301))
    data = f"{rows}1 5000:1\n-1 5000:1\n".encode()
    run = novikoff("separable", "-", input=data)
    (line,) = (line for line in run.out.splitlines() if line.startswith("coefficients"))
    assert line.endswith(" and 280 more")
    assert line.count("infinity") == 20
    found = novikoff("separable", "-", "--json", input=data).json
    assert found["columns"] == [str(column) for column in range(1, 301)]
    assert found["divergence"]["length"] == 5000
