"""Pipelines of an encoder and a learner in one file: bit for bit, whatever the strings, and refused if damaged."""

import copy
import json
import random
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import novikoff as nk
from frames import frame, tables
from fuzz.documents import mutate_tree
from novikoff import TableEncoder
from novikoff.persistence.model_file import load_learner
from novikoff.persistence.pipelines import encoder_of, table_record
from novikoff.persistence.table_pipeline import TablePipeline, pipeline_of
from saved import rewritten
from strategies import seeds

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

ROWS = 24
TABLE = pl.DataFrame(
    {
        "x": np.arange(ROWS) % 7 * 1.1,
        "z": [None if i % 5 == 0 else i % 4 + 1e-9 for i in range(ROWS)],
        "when": pl.Series([f"2020-01-{i % 28 + 1:02}" for i in range(ROWS)]).str.to_datetime("%Y-%m-%d"),
        "new": [i % 3 == 0 for i in range(ROWS)],
        "job": [['say "hi"', "two\nlines", "", "ünï\u2028", "a=b", None][i % 6] for i in range(ROWS)],
        "city": [f"city {i % 9}" for i in range(ROWS)],
        "mail": [f"free money of number{i} {'now' * (i % 2)}" for i in range(ROWS)],
        "row": np.arange(ROWS),
        "one": [1.0] * ROWS,
    }
)
Y = ["yes" if i % 3 == 0 else "no" for i in range(ROWS)]
LABELLED = TABLE.with_columns(y=pl.Series(Y))
ENCODERS = [
    TableEncoder(),
    TableEncoder(scale="robust", missing="median", indicator=False, max_categories=3, keep=True),
    TableEncoder(scale="minmax", missing=-1.5, text=["mail", "city"], idf=True, norm="l2", ngram_range=(1, 2)),
]


def saved(encoder, path, table=TABLE, y=Y):
    model = make_pipeline(encoder, nk.Perceptron()).fit(table, y)
    nk.save(model, path)
    return model


@pytest.mark.filterwarnings("ignore:TableEncoder")  # missing values without an indicator
@pytest.mark.parametrize("encoder", ENCODERS, ids=["default", "robust", "words"])
def test_what_is_loaded_makes_the_same_rows_bit_for_bit(encoder, tmp_path):
    model = saved(encoder, tmp_path / "m.nvk")
    again = nk.load(tmp_path / "m.nvk")
    assert isinstance(again, TablePipeline)
    assert again[0].encoding_ == model[0].encoding_
    assert again[0].get_params() == model[0].get_params()
    assert again[0].feature_names_in_.tolist() == TABLE.columns
    before, now = model[0].transform(TABLE), again[0].transform(TABLE)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(now, part), getattr(before, part))
    np.testing.assert_array_equal(again.decision_function(TABLE), model.decision_function(TABLE))
    again.save(tmp_path / "again.nvk")
    assert (tmp_path / "again.nvk").read_bytes() == (tmp_path / "m.nvk").read_bytes()


@settings(max_examples=15)
@given(tables(rows=st.integers(2, 10)))
def test_any_encoder_survives(tmp_path_factory, table):
    columns, kinds = table
    found, path = frame(columns, kinds), tmp_path_factory.mktemp("m") / "m.nvk"
    y = np.arange(len(found)) % 2
    model = saved(TableEncoder(keep=True), path, found, y)
    again = nk.load(path)
    assert again[0].encoding_ == model[0].encoding_
    np.testing.assert_array_equal(again.decision_function(found), model.decision_function(found))


@settings(max_examples=15)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=2, max_size=6, unique=True))
def test_any_string_survives(tmp_path_factory, strings):
    path = tmp_path_factory.mktemp("m") / "m.nvk"
    table = pl.DataFrame({f"c {strings[0]}".replace("\0", "NUL"): strings})  # polars has no such names
    saved(TableEncoder(keep=True), path, table, np.arange(len(strings)) % 2)
    assert nk.load(path)[0].encoding_.categories[0].categories == tuple(sorted(strings))


def test_a_lone_surrogate_is_refused_or_survives(tmp_path):
    table = pl.DataFrame({"s": ["a", "b"]})
    model = make_pipeline(TableEncoder(), nk.Perceptron()).fit(table, [0, 1])
    encoding = model[0].encoding_
    (column,) = encoding.categories
    object.__setattr__(column, "categories", ("a", "\udc80"))
    path = tmp_path / "m.nvk"
    try:
        nk.save(model, path)
    except nk.InvalidInputError:
        assert not path.exists()
    else:
        assert nk.load(path)[0].encoding_.categories[0].categories == ("a", "\udc80")


# ---- damage ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def good():
    return nk.dumps(make_pipeline(TableEncoder(max_categories=3, keep=True, idf=True), nk.Perceptron()).fit(TABLE, Y))


def set_at(*path):
    """A change of the header: the value at a path below the encoding."""
    *keys, value = path

    def change(tree):
        for key in keys[:-1]:
            tree = tree[key]
        tree[keys[-1]] = value

    return change


def repeated(*path):
    """A change of the header: the last entry of a list occurs twice."""

    def change(tree):
        for key in path:
            tree = tree[key]
        tree.append(copy.deepcopy(tree[-1]))

    return change


ENCODING = ("reading", "encoding")
DAMAGE = {
    "scale 0": set_at(*ENCODING, "numbers", 0, "scale", 0.0),
    "scale negative": set_at(*ENCODING, "numbers", 0, "scale", -1.0),
    "scale infinite": set_at(*ENCODING, "numbers", 0, "scale", "inf"),
    "scale no number": set_at(*ENCODING, "numbers", 0, "scale", "NaN"),
    "shift no number": set_at(*ENCODING, "numbers", 0, "shift", None),
    "shift infinite": set_at(*ENCODING, "numbers", 0, "shift", "-inf"),
    "fill infinite": set_at(*ENCODING, "numbers", 0, "fill", "inf"),
    "kind unknown": set_at(*ENCODING, "numbers", 0, "kind", "string"),
    "indicator no flag": set_at(*ENCODING, "numbers", 0, "indicator", 2),
    "indicator wrong": set_at(*ENCODING, "numbers", 0, "indicator", True),
    "number renamed": set_at(*ENCODING, "numbers", 0, "name", "q"),
    "number twice": repeated(*ENCODING, "numbers"),
    "column twice": repeated(*ENCODING, "columns"),
    "column removed": set_at(*ENCODING, "columns", []),
    "categories twice": repeated(*ENCODING, "categories", 0, "categories"),
    "categories fewer": set_at(*ENCODING, "categories", 0, "categories", ["a"]),
    "category no text": set_at(*ENCODING, "categories", 0, "categories", 0, 7),
    "buckets negative": set_at(*ENCODING, "categories", 0, "buckets", -1),
    "buckets many": set_at(*ENCODING, "categories", 0, "buckets", 2**60),
    "words twice": repeated(*ENCODING, "texts", 0, "words"),
    "words fewer": set_at(*ENCODING, "texts", 0, "words", []),
    "idf shorter": set_at(*ENCODING, "texts", 0, "idf", [1.0]),
    "idf infinite": set_at(*ENCODING, "texts", 0, "idf", 0, "inf"),
    "n-grams": set_at(*ENCODING, "words", "ngram_range", [2, 1]),
    "n-grams of three numbers": set_at(*ENCODING, "words", "ngram_range", [1, 1, 1]),
    "norm": set_at(*ENCODING, "words", "norm", "l3"),
    "no words": set_at(*ENCODING, "words", None),
    "left out for no reason": set_at(*ENCODING, "left_out", [{"name": "x", "reason": "ugly"}]),
    "no encoding": set_at("reading", "encoding", {}),
    "unknown parameter": set_at("reading", "encoder", {"power": 9}),
    "parameter of another kind": set_at("reading", "encoder", "scale", "log"),
    "parameter that is not a value": set_at("reading", "encoder", "scale", {"tuple": 3}),
    "features none": set_at("reading", "features", 3),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_encoder_is_refused(case, good):
    with pytest.raises(nk.InvalidInputError, match="the model file is damaged: "):
        nk.loads(rewritten(good, DAMAGE[case]))


@settings(max_examples=60)
@given(seed=seeds, part=st.sampled_from(["encoding", "encoder"]))
def test_any_change_of_the_encoding_is_refused_or_gives_a_model(good, seed, part):
    def change(tree):
        rng, held = random.Random(seed), tree["reading"][part]
        name = rng.choice([*held])
        held[name] = json.loads(json.dumps(mutate_tree(rng, held[name])), parse_constant=str)  # files cannot hold NaN

    try:
        model = nk.loads(rewritten(good, change))
    except nk.InvalidInputError:
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # numbers and names may be absurd
        assert len(model.predict(TABLE)) == ROWS


# ---- the record ------------------------------------------------------------------------------------------------------


def test_a_pipeline_has_a_record_once_it_is_fitted():
    pipeline = TablePipeline([("encoder", TableEncoder()), ("model", nk.LinearSVM())])
    assert not hasattr(pipeline, "record_")
    with pytest.raises(AttributeError, match="has not been fitted"):
        table_record(pipeline)
    pipeline.fit(TABLE, Y)
    record = pipeline.record_
    assert record.reading.encoding is pipeline[0].encoding_
    assert record.column_names == pipeline[0].encoding_.names
    assert record.reading.features == tuple(TABLE.columns)


def test_a_learner_with_another_number_of_weights_is_refused():
    learner = nk.fit(LABELLED)[-1]
    learner.reading_ = nk.fit(LABELLED.select("x", "y"))[-1].reading_
    with pytest.raises(nk.InvalidInputError, match=r"the encoder makes 1 columns, but the model has weights for \d+"):
        pipeline_of(learner)


def test_the_learner_of_a_table_is_loaded_without_its_pipeline(tmp_path):
    model = nk.fit(LABELLED)
    model.save(tmp_path / "m.nvk")
    learner = load_learner(tmp_path / "m.nvk")
    assert type(learner) is nk.LinearSVM
    assert learner.reading_.encoding == encoder_of(learner).encoding_ == model[0].encoding_
    assert encoder_of(nk.LinearSVM()) is None
    assert pipeline_of(learner).predict(TABLE).tolist() == model.predict(TABLE).tolist()
