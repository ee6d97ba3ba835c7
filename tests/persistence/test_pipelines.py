"""Which pipelines are those of a table encoder and a learner, and which learners make one."""

import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novikoff as nk
from novikoff import TableEncoder
from novikoff.persistence.model_file import load_learner
from novikoff.persistence.pipelines import encoder_of, is_table_pipeline
from novikoff.persistence.table_pipeline import pipeline_of

TABLE = pl.DataFrame({"x": [1.1 * (i % 7) for i in range(24)], "city": [f"city {i % 9}" for i in range(24)]})
Y = ["yes" if i % 3 == 0 else "no" for i in range(24)]


def test_only_an_encoder_and_a_learner_make_a_table_pipeline():
    assert is_table_pipeline(make_pipeline(TableEncoder(), nk.LinearSVM()))
    assert not is_table_pipeline(make_pipeline(StandardScaler(), nk.LinearSVM()))
    assert not is_table_pipeline(make_pipeline(TableEncoder(), StandardScaler(with_mean=False), nk.LinearSVM()))
    assert not is_table_pipeline(nk.LinearSVM())


def test_a_learner_with_another_number_of_weights_is_refused():
    model = nk.fit(TABLE.with_columns(y=pl.Series(Y)))
    learner = model[-1]
    assert pipeline_of(learner)[0].encoding_ == model[0].encoding_
    learner.reading_ = nk.fit(TABLE.select("x", y=pl.Series(Y)))[-1].reading_
    with pytest.raises(nk.InvalidInputError, match=r"the encoder makes 1 columns, but the model has weights for \d+"):
        pipeline_of(learner)


def test_the_learner_of_a_table_is_loaded_without_its_pipeline(tmp_path):
    model = nk.fit(TABLE.with_columns(y=pl.Series(Y)))
    model.save(tmp_path / "m.nvk")
    learner = load_learner(tmp_path / "m.nvk")
    assert type(learner) is nk.LinearSVM
    assert learner.reading_.encoding == model[0].encoding_
    assert encoder_of(learner).encoding_ == model[0].encoding_
    assert encoder_of(nk.LinearSVM()) is None
    assert pipeline_of(learner).predict(TABLE).tolist() == model.predict(TABLE).tolist()
