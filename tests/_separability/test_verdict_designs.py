"""Verdicts on data frames, formulas, counts and weights: the same as on the arrays that they stand for."""

import formulaic
import numpy as np
import pandas as pd
import patsy
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import novikoff as nk
from real_data import real

ENDOMETRIAL = pd.read_csv(real("endometrial.csv"))
LIZARDS = pd.read_csv(real("lizards.csv"))
TERMS = ["height", "diameter", "light", "time"]


def assert_proven(found, X, y, **more):
    verification = found.verify(X, y, exact=True, **more)
    assert verification, str(verification)


@pytest.mark.parametrize(
    "read",
    [
        lambda table: (table[["NV", "PI", "EH"]], table["HG"]),
        lambda table: (pl.DataFrame(table[["NV", "PI", "EH"]]), pl.Series("HG", table["HG"].to_numpy())),
        lambda table: (pl.DataFrame(table[["NV", "PI", "EH"]]).to_arrow(), table[["HG"]]),
        lambda table: tuple(reversed(list(formulaic.model_matrix("HG ~ NV + PI + EH", table)))),
        lambda table: tuple(reversed(list(formulaic.model_matrix("HG ~ NV + PI + EH", table, output="sparse")))),
        lambda table: tuple(reversed(patsy.dmatrices("HG ~ NV + PI + EH", table))),
        lambda table: tuple(reversed(patsy.dmatrices("HG ~ NV + PI + EH", table, return_type="dataframe"))),
    ],
)
def test_the_endometrial_study_in_every_form(read):
    X, y = read(ENDOMETRIAL)
    found = nk.separability(X, y)
    assert (found.kind, found.names, found.response, found.positive) == ("quasi-complete", ("NV", "PI", "EH"), "HG", 1)
    assert found.fit_intercept
    assert found.boundary.tolist() == np.flatnonzero(ENDOMETRIAL["NV"] == 0).tolist()
    assert_proven(found, X, y)
    assert_proven(found, ENDOMETRIAL[["NV", "PI", "EH"]].to_numpy(), ENDOMETRIAL["HG"].to_numpy())


def test_counts_of_the_lizards_are_rows_of_both_classes():
    X, y = LIZARDS[TERMS], LIZARDS[["grahami", "opalinus"]]
    found = nk.separability(X, y)
    assert (found.kind, found.positive, found.response, found.examples) == ("overlap", "grahami", None, len(LIZARDS))
    assert set(found.coefficients.values()) == {"finite"}  # as detectseparation says
    assert found.witness.rows.max() < 2 * len(LIZARDS)
    assert_proven(found, X, y)
    other = nk.separability(X, y, positive="opalinus")
    assert other.positive == "opalinus"
    assert_proven(other, X, y)


def test_counts_agree_with_the_rows_that_they_stand_for():
    rng = np.random.default_rng(0)
    for _ in range(40):
        X, counts = rng.integers(0, 3, (6, 2)).astype(float), rng.integers(0, 2, (6, 2)) * rng.integers(0, 4, (6, 2))
        if not counts.any(axis=0).all():
            continue
        rows = np.repeat(np.tile(np.arange(6), 2), counts.T.ravel())
        y = np.repeat([1, 0], counts.sum(axis=0))
        found, plain = nk.separability(X, counts), nk.separability(X[rows], y)
        assert found.kind == plain.kind
        assert found.status.tolist() == plain.status.tolist()
        assert set(found.boundary.tolist()) == {int(rows[i]) for i in plain.boundary}
        assert_proven(found, X, counts)


def test_proportions_with_weights_are_counts():
    X, n = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([4, 4, 0, 4])
    found = nk.separability(X, [0.0, 0.5, 0.25, 1.0], sample_weight=n)
    assert (found.kind, found.boundary.tolist()) == ("quasi-complete", [1])
    assert_proven(found, X, [0.0, 0.5, 0.25, 1.0], sample_weight=n)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
def test_rows_of_weight_zero_are_absent_and_numbers_are_those_of_the_user(form):
    X = form(np.array([[9.0], [0.0], [1.0], [1.0], [2.0], [-9.0]]))
    y, weights = [0, 0, 0, 1, 1, 1], [0, 1, 1, 2.5, 1, 0]
    found = nk.separability(X, y, sample_weight=weights)
    assert (found.kind, found.boundary.tolist(), found.examples) == ("quasi-complete", [2, 3], 6)
    assert set(found.witness.rows.tolist()) == {2, 3}
    assert_proven(found, X, y, sample_weight=weights)
    assert not found.verify(X, y)
    assert nk.separability(X, y).kind == "overlap"


def test_offsets_are_checked_and_have_no_influence():
    X, y = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]
    found = nk.separability(X, y, offset=[100.0, -5, 3, 2])
    assert found.to_json() == nk.separability(X, y).to_json()
    assert_proven(found, X, y, offset=[1, 2, 3, 4])
    assert not found.verify(X, y, offset=[1, 2, 3, np.nan])
    with pytest.raises(nk.InvalidInputError, match="offset has shape"):
        nk.separability(X, y, offset=[1, 2])


def test_the_modelled_class_does_not_depend_on_the_alphabet_if_it_is_named():
    X = ENDOMETRIAL[["NV", "PI", "EH"]]
    for low, high in (("a", "b"), ("b", "a")):
        y = np.where(ENDOMETRIAL["HG"] == 1, high, low)
        found = nk.separability(X, y, positive=high)
        assert found.positive == high
        assert found.coefficients == {"NV": "+infinity", "PI": "finite", "EH": "finite", "(Intercept)": "finite"}
        assert_proven(found, X, y)
        assert nk.separability(X, y, positive=low).coefficients["NV"] == "-infinity"


@pytest.mark.parametrize("positive", [0, 1])
def test_F5_estimates_under_a_vanishing_penalty_go_where_the_statuses_say(positive):
    X, y = ENDOMETRIAL[["NV", "PI", "EH"]], ENDOMETRIAL["HG"]
    found = nk.separability(X, y, positive=positive)
    fits = [LogisticRegression(C=C, tol=1e-9, max_iter=10_000).fit(X, y == positive).coef_[0] for C in (1e2, 1e4, 1e6)]
    for j, status in enumerate(found.status[:3]):
        steps = np.diff([coefficients[j] for coefficients in fits])
        if status == "finite":
            assert abs(steps[-1]) < 0.01
        else:
            assert np.all(steps > 2 if status == "+infinity" else steps < -2)


def test_the_second_level_of_a_categorical_is_modelled():
    X = ENDOMETRIAL[["NV", "PI", "EH"]]
    words = ENDOMETRIAL["HG"].map({0: "low", 1: "high"})
    y = words.astype(pd.CategoricalDtype(["low", "high"]))
    assert nk.separability(X, y).positive == "high"
    assert nk.separability(X, words).positive == "low"  # strings are sorted
    ordered = pl.Series(words.tolist(), dtype=pl.Enum(["low", "high"]))
    assert nk.separability(X, ordered).positive == "high"


def test_factors_are_coded_as_r_codes_them():
    table = pd.DataFrame({"dose": [1, 2, 3, 4, 1, 2], "site": ["b", "a", "b", "a", "c", "c"]})
    y = [0, 1, 0, 1, 1, 1]
    found = nk.separability(table, y)
    assert found.names == ("dose", "siteb", "sitec")
    assert_proven(found, table, y)
    again = nk.separability(table.astype({"site": pd.CategoricalDtype(["c", "b", "a"])}), y)
    assert again.names == ("dose", "siteb", "sitea")
    assert again.kind == found.kind


def test_columns_in_another_order_or_of_other_names_are_other_data():
    X, y = ENDOMETRIAL[["NV", "PI", "EH"]], ENDOMETRIAL["HG"]
    found = nk.separability(X, y)
    assert "the columns are those of the verdict in another order" in str(found.verify(X[["PI", "NV", "EH"]], y))
    assert "names: the data have no names" in str(found.verify(X.to_numpy(), y))
    assert "names" not in str(found.verify(X, y))
    renamed = found.verify(X.rename(columns={"NV": "nv"}), y)
    assert not renamed
    assert "other names: the verdict is about a column 'NV'" in str(renamed)
    assert "there is a further column 'PI2'" in str(found.verify(X.assign(PI2=X["PI"]), y))
    assert not found.verify(X, y.map({0: "no", 1: "yes"}))


def test_data_that_cannot_be_used_make_a_check_fail():
    X, y = ENDOMETRIAL[["NV", "PI", "EH"]], ENDOMETRIAL["HG"]
    found = nk.separability(X, y)
    assert "column 'PI' has no value" in str(found.verify(X.assign(PI=np.nan), y))
    assert "given: 3" in str(found.verify(X[:3], [0, 1, 0]))
    words = nk.separability(X, np.where(y == 1, "success", "failure"))
    assert "has counts" in str(words.verify(X, np.column_stack([y, 1 - y])))
    assert "intercept" in str(found.verify(formulaic.model_matrix("NV + PI + EH - 1", X), y))
