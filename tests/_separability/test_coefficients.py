"""The status of each coefficient: known answers, linear programs, and independence of how columns are written."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import novikoff as nk
from novikoff._separability import coefficients as module
from random_designs import random_design
from real_data import real
from reference.coefficient_statuses import coefficient_statuses, statuses_of_many
from share import share_of

INTERACTION = {"d": [0, 0, 0, 0, 1, 1], "dx": [0, 0, 0, 0, 1, 2], "t": [1, 2, 3, 4, 1, 2]}
INTERACTION_LABELS = np.array([0, 1, 0, 1, 1, 1])
AT_ONCE = 25  # random designs that share a linear program


def statuses(X, y, fit_intercept=True):
    """The words, of a verdict that is proven."""
    found = nk.separability(X, y, fit_intercept=fit_intercept)
    for exact in (False, True):
        assert found.verify(X, y, exact=exact), str(found.verify(X, y, exact=exact))
    return found.status.tolist()


def assert_independent_of_coding(columns, y, expected):
    """In any order of columns, with an intercept that is fitted, or that is a column of any constant and place."""
    names = [name for name in expected if name != "intercept"]
    for order in itertools.islice(itertools.permutations(names), 24):
        X = np.column_stack([columns[name] for name in order]).astype(float)
        right = [expected[name] for name in order]
        assert statuses(X, y) == [*right, expected["intercept"]]
        for constant, place in ((1.0, 0), (-2.0, len(order)), (4.0, 1)):
            with_constant = np.insert(X, place, constant, axis=1)
            sign = {"+infinity": "-infinity", "-infinity": "+infinity"} if constant < 0 else {}
            own = sign.get(expected["intercept"], expected["intercept"])
            assert statuses(with_constant, y, fit_intercept=False) == [*right[:place], own, *right[place:]]


def test_an_interaction_is_infinite_with_undetermined_sign_in_any_order():
    expected = {"d": "infinite", "dx": "infinite", "t": "finite", "intercept": "finite"}
    assert_independent_of_coding(INTERACTION, INTERACTION_LABELS, expected)


def endometrial(*terms):
    """Columns of the endometrial study; a term with ":" is a product."""
    table = pd.read_csv(real("endometrial.csv"))
    columns = {term: np.prod([table[name] for name in term.split(":")], axis=0) for term in terms}
    return columns, table["HG"].to_numpy()


@pytest.mark.parametrize(
    "expected",
    [
        # library(detectseparation); data("endometrial", package = "detectseparation")
        # update(glm(HG ~ NV + PI + EH, binomial, endometrial), method = "detect_separation"): NV Inf, others 0
        {"NV": "+infinity", "PI": "finite", "EH": "finite", "intercept": "finite"},
        # a row with NV = 1 has PI = 0, which decides the sign of NV
        {"NV": "+infinity", "PI": "finite", "NV:PI": "infinite", "EH": "finite", "intercept": "finite"},
    ],
    ids=["main effects", "NV*PI + EH"],
)
def test_the_endometrial_study(expected):
    columns, y = endometrial(*(name for name in expected if name != "intercept"))
    assert coefficient_statuses(np.column_stack(list(columns.values())), y, True) == list(expected.values())
    assert_independent_of_coding(columns, y, expected)


def test_all_four_terms_of_a_threefold_interaction_are_infinite():
    terms = ["NV", "EH", "PI", "NV:EH", "NV:PI", "EH:PI", "NV:EH:PI"]
    columns, y = endometrial(*terms)
    found = dict(zip([*terms, "intercept"], statuses(np.column_stack(list(columns.values())), y), strict=True))
    assert found == {name: "infinite" if "NV" in name else "finite" for name in found}
    backwards = statuses(np.column_stack([columns[name] for name in terms[::-1]]), y)
    assert backwards[:-1] == [found[name] for name in terms[::-1]]


def test_a_single_column_that_separates():
    assert statuses(np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1]) == ["+infinity", "-infinity"]
    assert statuses(np.array([[-2.0], [-1.0], [1.0], [2.0]]), [1, 1, 0, 0]) == ["-infinity", "infinite"]


def test_equal_columns_and_columns_of_zeros_are_aliased():
    X = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0], [1.0, 1.0, 2.0, 0.0]])
    assert statuses(X, [0, 1, 0, 1]) == ["aliased", "finite", "aliased", "aliased", "finite"]


def test_southern_states_all_had_executions():
    """The example of ?detect_separation in R: the estimate of southernyes is infinite (McManus 1985, in AER)."""
    table = pd.read_csv(Path(__file__).with_name("murder_rates.csv"))
    y = (table["executions"] > 0).rename("executions")
    X = table[["time", "income", "noncauc", "lfp", "southern"]]
    found = nk.separability(X, y)
    assert found.coefficients == {
        **dict.fromkeys(["time", "income", "noncauc", "lfp"], "finite"),
        "southernyes": "+infinity",
        "(Intercept)": "finite",
    }
    assert found.verify(X, y, exact=True)


def assert_right(first, last):
    """Random designs with these numbers agree with linear programs, and are proven."""
    for start in range(first, last, AT_ONCE):
        designs = [random_design(seed) for seed in range(start, min(start + AT_ONCE, last))]
        for place, (design, expected) in enumerate(zip(designs, statuses_of_many(designs), strict=True)):
            X, y, fit_intercept = design
            found = nk.separability(X, y, fit_intercept=fit_intercept)
            assert found.status.tolist() == expected, start + place
            assert found.verify(X, y), start + place


@pytest.mark.slow
def test_random_designs_agree_with_linear_programs():
    assert_right(0, 200)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(share_of(8)))
def test_ten_thousand_random_designs_agree_with_linear_programs(part):
    assert_right(1250 * part, 1250 * (part + 1))


@pytest.mark.slow
def test_statuses_do_not_depend_on_order_units_or_the_coding_of_the_intercept():
    for seed in range(60):
        X, y, fit_intercept = random_design(seed)
        rng = np.random.default_rng(seed)
        expected = np.array(nk.separability(X, y, fit_intercept=fit_intercept).status)
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        scaled = X[rows][:, columns] * 2.0 ** rng.integers(-30, 30, X.shape[1])
        order = [*columns, *range(X.shape[1], len(expected))]
        assert statuses(scaled, y[rows], fit_intercept) == expected[order].tolist()
        if fit_intercept:
            with_ones = np.column_stack([X, np.full(len(X), 8.0)])
            assert statuses(with_ones, y, fit_intercept=False) == expected.tolist()


@pytest.mark.parametrize(("limit", "value"), [("MAX_COLUMNS", 3), ("MAX_SEARCH_WORK", 1.0)])
def test_too_many_columns_or_too_much_work_are_undecided(limit, value, monkeypatch):
    monkeypatch.setattr(module, limit, value)
    X = np.column_stack(list(INTERACTION.values()))
    found = nk.separability(X, INTERACTION_LABELS)
    assert found.status.tolist() == ["undecided"] * 4
    assert found.verify(X, INTERACTION_LABELS)
