"""Real tables, where they are at hand: counts and orders are the published ones."""

import gzip

import numpy as np
import pandas as pd
import pytest

import novikoff as nk
from real_data import real
from table_files import HASHING, rows


def test_endometrial_is_what_it_is_known_to_be():
    X, y = rows(real("endometrial.csv"), target="HG")
    assert X.shape == (79, 3)
    assert np.all(y[X[:, 0] == 1] == 1)
    assert np.sum(X[:, 0] == 1) == 13


def test_elec2_is_read_whole_and_in_order():
    path = real("elec2.csv.gz")
    X, y = rows(path, target=None)
    frame = pd.read_csv(path)
    assert X.shape == (45312, 6)
    np.testing.assert_array_equal(X, frame.drop(columns="target").to_numpy())
    np.testing.assert_array_equal(y, frame["target"])


def test_lizards_mix_numbers_and_strings():
    path = real("lizards.csv")
    X, y = rows(path, target="time", weight="grahami")[:2]
    assert X.shape == (23, 2**HASHING.n_bits)
    assert set(y) == {"early", "late", "midday"}


@pytest.mark.slow
def test_covtype_is_read_whole():
    path = real("covtype.csv.gz")
    with gzip.open(path, "rt") as file:
        names = file.readline().strip().split(",")
    X, y = rows(path, target=names[-1])
    assert X.shape == (581012, 54)
    assert np.bincount(y).tolist() == [0, 211840, 283301, 35754, 2747, 9493, 17367, 20510]


@pytest.mark.parametrize(
    ("name", "rows_known"), [("sms.tsv.gz", 5574), pytest.param("imdb_train.tsv.gz", 25000, marks=pytest.mark.slow)]
)
def test_texts_are_read_by_sql(name, rows_known):
    path = real(name)
    columns = {"sms.tsv.gz": "column0 AS label, column1 AS body"}.get(name, "column0 AS label, column2 AS body")
    sql = f"SELECT {columns} FROM read_csv('{path}', delim='\t', header=false, quote='', all_varchar=true)"
    batches = list(nk.scan(sql, target="label", text="body"))
    assert sum(len(batch.y) for batch in batches) == rows_known
    assert len({label for batch in batches for label in batch.y}) == 2
