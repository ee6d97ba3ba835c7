"""The sentence and the table of a verdict on separability."""

import re

import pandas as pd
import pytest

import novikoff as nk
from novikoff.theory.separability_summary import MAX_ROWS, SeparabilitySummary, model_of, summary_of
from real_data import real


def test_the_sentence_of_a_quasi_complete_separation():
    found = summary_of("quasi-complete", "P(y = yes)", {"NV": "+infinity", "PI": "finite", "(Intercept)": "finite"})
    assert found.sentence == (
        "The maximum likelihood estimate of the logistic regression of P(y = yes) does not exist: the data are "
        "quasi-completely separated. Coefficient of NV: +infinity."
    )
    assert found.table().split("\n") == [
        "coefficient  estimate",
        "(Intercept)  finite",
        "NV           +infinity",
        "PI           finite",
    ]
    assert str(found) == f"{found.sentence}\n\n{found.table()}"


def test_the_sentence_of_a_complete_separation():
    found = summary_of("complete", "P(y = 1)", {"a": "infinite", "b": "-infinity", "(Intercept)": "+infinity"})
    assert found.sentence.endswith(
        "does not exist: the data are completely separated. "
        "Infinite coefficients: (Intercept) (+infinity), a (either sign), b (-infinity)."
    )
    assert ("a", "infinite (either sign)") in found.coefficients


@pytest.mark.parametrize(
    ("names", "end"),
    [
        (["a"], "exists: the data overlap, and its coefficient is finite."),
        (["a", "b"], "exists: the data overlap, and both coefficients are finite."),
        (["a", "b", "c"], "exists: the data overlap, and all 3 coefficients are finite."),
    ],
)
def test_the_sentence_of_an_overlap(names, end):
    assert summary_of("overlap", "P(y = 1)", dict.fromkeys(names, "finite")).sentence.endswith(end)


def test_aliased_and_undecided_coefficients_are_named():
    statuses = {"a": "aliased", "b": "aliased", "c": "finite", "d": "undecided"}
    sentence = summary_of("overlap", "P(y = 1)", statuses).sentence
    assert sentence.endswith("the data overlap. Aliased, that is, not identifiable: a, b. Undecided: d.")


def test_the_sentence_of_an_undecided_verdict():
    sentence = summary_of("undecided", "P(y = 1)", {"a": "undecided"}).sentence
    assert sentence.startswith(
        "Whether the maximum likelihood estimate of the logistic regression of P(y = 1) exists is"
    )


def test_long_lists_and_tables_say_how_many_more():
    statuses = {f"x{j}": "+infinity" if j % 100 == 99 else "finite" for j in range(1200)} | {"(Intercept)": "finite"}
    found = summary_of("quasi-complete", "P(y = 1)", statuses)
    assert found.sentence.endswith("x999 (+infinity) and 2 more.")
    lines = found.table().split("\n")
    assert len(lines) == MAX_ROWS + 2
    assert lines[1].split() == ["(Intercept)", "finite"]
    assert [line.split()[1] for line in lines[2:14]] == ["+infinity"] * 12
    assert lines[-1] == "and 1,171 more (1,171 finite)"
    assert "and 1,171 more" in found._repr_html_()


def rows_of(**counts):
    """Coefficients of each status, in turns."""
    words = {"infinity": "+infinity", "either": "infinite (either sign)"}
    rows = [(k, words.get(word, word)) for word, count in counts.items() for k in range(count)]
    return tuple((f"{estimate} {k}", estimate) for k, estimate in sorted(rows))


def test_a_table_of_30_coefficients_has_their_order_and_a_longer_one_begins_with_infinite_ones():
    short = SeparabilitySummary("", rows_of(finite=28, infinity=2))
    assert short.shown() == (list(short.coefficients), "")
    rows = rows_of(finite=13, aliased=6, undecided=5, infinity=4, either=2)
    assert len(rows) == MAX_ROWS == 30
    long = SeparabilitySummary("", (*rows[:9], ("(Intercept)", "finite"), *rows[9:]))
    shown, more = long.shown()
    assert shown[0] == ("(Intercept)", "finite")
    counts = {"+infinity": 4, "infinite (either sign)": 2, "undecided": 5, "aliased": 6, "finite": 12}
    found = [estimate for _, estimate in shown[1:]]
    assert found[:6].count("+infinity") == 4
    assert found[6:] == [word for word in ("undecided", "aliased", "finite") for _ in range(counts[word])]
    assert len(set(shown)) == MAX_ROWS
    assert more == "and 1 more (1 finite)"


def test_the_sentence_names_10_coefficients():
    for count, end in ((10, "x8, x9."), (11, "x8, x9 and 1 more.")):
        statuses = {f"x{j}": "aliased" for j in range(count)}
        assert summary_of("overlap", "P(y = 1)", statuses).sentence.endswith(end)


def test_columns_of_zeros_are_counted():
    for others, text in ((1, "1 column of zeros"), (1500, "1,500 columns of zeros")):
        found = summary_of("overlap", "P(y = 1)", {"a": "finite"}, others)
        assert found.sentence.endswith(f"exists: the data overlap. {text} cannot be estimated.")
    assert "zeros" not in summary_of("overlap", "P(y = 1)", {"a": "finite"}).sentence


def test_coefficients_of_which_nothing_is_known_are_not_listed():
    sentence = summary_of("complete", "P(y = 1)", {"a": "undecided", "b": "undecided"}).sentence
    assert sentence.endswith("separated. The status of each coefficient is undecided.")


@pytest.mark.parametrize(
    ("response", "positive", "text"),
    [
        ("y", "yes", "P(y = yes)"),
        ("HG", 1.0, "P(HG = 1)"),
        ("HG", 1.5, "P(HG = 1.5)"),
        ("b", True, "P(b = True)"),
        (None, "grahami", "P(grahami)"),
    ],
)
def test_the_modelled_probability(response, positive, text):
    assert model_of(response, positive) == text


def test_html_is_escaped():
    page = SeparabilitySummary("a < b", (("<x>", "finite"),))._repr_html_()
    assert "a &lt; b" in page
    assert "&lt;x&gt;" in page
    assert "<x>" not in page


@pytest.mark.parametrize(
    ("X", "y", "kind"),
    [
        ([[0.0], [1.0]], [0, 1], "completely"),
        ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], "quasi-completely"),
        ([[0.0], [1.0], [0.0], [1.0]], [0, 1, 1, 0], "overlap"),
    ],
)
def test_every_verdict_has_a_summary(X, y, kind):
    found = nk.separability(X, y)
    assert kind in found.summary().sentence
    assert [name for name, _ in found.summary().coefficients] == ["(Intercept)", "x0"]
    assert str(found) == str(found.summary())
    assert found.summary()._repr_html_() in found._repr_html_()
    assert "<caption" in found._repr_html_()
    assert re.fullmatch("<Separability: kind .*>", repr(found))
    assert repr(found.summary()).startswith("<SeparabilitySummary: The maximum")


def test_a_summary_has_the_names_of_a_data_frame_and_of_the_response():
    table = pd.read_csv(real("endometrial.csv"))
    found = nk.separability(table[["NV", "PI", "EH"]], table["HG"]).summary()
    assert [name for name, _ in found.coefficients] == ["(Intercept)", "NV", "PI", "EH"]
    assert "of P(HG = 1) does not exist: the data are quasi-completely separated." in found.sentence
