"""Columns that predict the label alone."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.evaluate import leaked_columns

rng = np.random.default_rng(3)
ROWS = 400
Y = rng.choice(["no", "yes"], ROWS, p=[0.7, 0.3])
NOISE = rng.normal(size=(ROWS, 6))


def with_leak(y, places=6):
    X = rng.normal(size=(len(y), places))
    X[:, 2] = np.unique(y, return_inverse=True)[1] + 0.01 * rng.normal(size=len(y))
    return X


@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
def test_a_column_that_predicts_the_label_alone_is_found(as_matrix):
    (found,) = leaked_columns(as_matrix(with_leak(Y)), Y)
    assert (found.name, found.rows, found.baseline_label) == (2, ROWS // 2, "no")
    assert found.accuracy > 0.99
    assert found.baseline == pytest.approx(0.7, abs=0.07)


def test_several_classes_in_the_order_of_a_column_are_found():
    y = rng.integers(0, 7, 2000)
    assert [column.name for column in leaked_columns(with_leak(y), y)] == [2]


def test_columns_of_noise_are_not_found():
    assert leaked_columns(NOISE, Y) == []
    assert leaked_columns(sp.csr_array(NOISE * (rng.random(NOISE.shape) < 0.1)), Y) == []


def test_a_column_with_a_value_of_its_own_for_every_row_does_not_predict():
    assert leaked_columns(np.column_stack([np.arange(ROWS), NOISE]), Y) == []


def test_rows_that_most_columns_classify_have_no_leak():
    X = np.unique(Y, return_inverse=True)[1][:, np.newaxis] + 0.01 * NOISE
    assert leaked_columns(X, Y) == []


def test_few_rows_one_column_and_one_label_have_no_leak():
    X = with_leak(Y)
    assert leaked_columns(X[:40], Y[:40]) == []
    assert leaked_columns(X[:, 2:3], Y) == []
    assert leaked_columns(X, np.full(ROWS, "no")) == []


def test_a_rare_class_needs_more_than_99_percent():
    y = np.where(np.arange(ROWS) % 100 == 0, "rare", "often")
    X = np.column_stack([NOISE[:, 0], np.where(np.arange(ROWS) % 200 == 0, 1.0, 0.0)])
    assert leaked_columns(X, y) == []


def test_categories_of_a_table_are_one_column_with_its_name():
    table = pl.DataFrame(
        {
            "age": NOISE[:, 0],
            "job": rng.choice(["clerk", "cook", "smith"], ROWS),
            "paid": [f"{label}{place % 2}" for place, label in enumerate(Y)],
            "y": Y,
        }
    )
    model = nk.fit(table, target="y")
    X, learner = model[:-1].transform(table.drop("y")), model[-1]
    assert [column.name for column in leaked_columns(X, Y, learner.record_)] == ["paid"]


def test_where_a_number_is_missing_may_be_a_leak():
    table = pl.DataFrame(
        {
            "age": NOISE[:, 0],
            "date": [
                None if label == "no" else 1.5 * (label == "yes") + float(place % 9) for place, label in enumerate(Y)
            ],
            "y": Y,
        }
    )
    model = nk.fit(table, target="y")
    X, learner = model[:-1].transform(table.drop("y")), model[-1]
    assert [column.name for column in leaked_columns(X, Y, learner.record_)] == ["date"]
