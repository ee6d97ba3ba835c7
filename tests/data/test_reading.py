"""The options of a model's files: other files are read in the same way, or refused."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff import TableEncoder
from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.reading import HashingSettings, Reading, fitting

TABLE = b"a,job,y\n1,clerk,0\n2,cook,1\n"


def test_settings_make_the_transformer_with_these_parameters():
    settings = HashingSettings(n_bits=5, ngram_range=(1, 2), binary=True, norm="l2")
    parameters = settings.transformer().get_params()
    expected = {"n_bits": 5, "ngram_range": (1, 2), "binary": True, "norm": "l2", "lowercase": True}
    assert parameters | expected == parameters


def test_columns_of_a_batch_are_then_required():
    reading = Reading(hashing=HashingSettings(n_bits=6))
    batch = reading.read("fit", TABLE, format="csv")
    after = reading.after(batch)
    assert (after.target, after.features, after.kinds) == ("y", ("a", "job"), ("number", "string"))
    same = after.read("predict", b"job,a,other,y\ncook,3,x,1\n", format="csv")
    assert same.X.shape == (1, 64)
    with pytest.raises(
        nk.InvalidInputError, match=r"^predict: column 'job' must hold strings, .* but it holds numbers"
    ):
        after.read("predict", b"job,a,y\n1,3,1\n", format="csv")


def test_without_labels_only_the_features_are_read():
    reading = Reading(target="y", weight="w", features=("a",))
    batch = reading.read("predict", b"a\n1\n2\n", format="csv", labelled=False)
    assert batch.y is None
    assert batch.weights is None
    ((X, y),) = reading.scan(b"a\n1\n2\n", format="csv", labelled=False)
    assert (X.tolist(), y) == ([[1.0], [2.0]], None)


def test_svmlight_gets_the_options_that_it_takes():
    reading = Reading(target="y", index_base=0)
    assert reading.read("fit", b"1 0:5\n").X.toarray().tolist() == [[5.0]]
    assert reading.after(reading.read("fit", b"1 0:5\n")).index_base == 0


def test_sparse_rows_are_made_as_wide_as_the_model_and_dense_ones_refused():
    X = sp.csr_array(np.array([[1.0, 0.0, 2.0]]))
    assert fitting("predict", X, 3) == (X, 0)
    wide, dropped = fitting("predict", X, 5)
    assert (wide.toarray().tolist(), dropped) == ([[1.0, 0.0, 2.0, 0.0, 0.0]], 0)
    narrow, dropped = fitting("predict", X, 1)
    assert (narrow.toarray().tolist(), dropped) == ([[1.0]], 2)
    with pytest.raises(nk.InvalidInputError, match="the model was fitted on 2 features, but the rows have 3"):
        fitting("predict", np.ones((1, 3)), 2)


def test_later_dates_have_the_order_of_day_and_month_of_the_first_table():
    days = [f"{day:02}/03/2023" for day in range(1, 31)]
    text = "when,label\n" + "".join(f"{day},{'late' if i > 14 else 'early'}\n" for i, day in enumerate(days))
    model = nk.fit(text.encode(), format="csv")
    later = b"when\n05/03/2023\n"  # which alone would be the third of May, far behind all other days
    assert model[-1].reading_.dialect.day_first is True
    assert model[-1].reading_.read("predict", later, labelled=False, format="csv").X[0, 0] < 0


# ---- with an encoder -------------------------------------------------------------------------------------------------


def after_fit(text=TABLE, encoder=None, **options):
    reading = Reading(**options)
    batch = reading.read("fit", text, format="csv", encoder=encoder or TableEncoder(scale="none"))
    return batch, reading.after(batch)


def test_the_encoder_of_a_model_encodes_other_files():
    batch, reading = after_fit()
    assert reading.column_names == batch.feature_names == ("a", "job=clerk", "job=cook")
    assert (reading.features, reading.columns, reading.target) == (("a", "job"), ("a", "job", "y"), "y")
    other = b"job;other;a\ncook;x;3\nthief;x;?\n"
    found = reading.read("predict", other, format="csv", labelled=False)
    assert found.X.toarray().tolist() == [[3, 0, 1], [1.5, 0, 0]]
    assert found.y is None
    assert len(found.notes) == 2
    scan = reading.scan(other, format="csv", labelled=False, batch_size=1)
    assert [batch.X.toarray().tolist() for batch in scan] == [[[3, 0, 1]], [[1.5, 0, 0]]]
    assert list(scan.notes) == list(found.notes)
    labelled = reading.read("score", b"y,a,job\n1,3,cook\n", format="csv")
    assert labelled.y.tolist() == [1]


def test_a_file_without_a_header_has_the_columns_of_the_model():
    _, reading = after_fit()
    found = reading.read("predict", b"5,cook\n6,clerk\n", format="csv", labelled=False)
    assert found.X.toarray().tolist() == [[5, 0, 1], [6, 1, 0]]


def test_the_fitted_encoder_is_made_again():
    encoder = TableEncoder(scale="minmax", missing=-1.0, ngram_range=(1, 2))
    batch, reading = after_fit(encoder=encoder)
    again = reading.table_encoder()
    assert again.get_params() == encoder.get_params()
    assert again.encoding_ == batch.encoder.encoding_
    assert (again.n_features_in_, again.feature_names_in_.tolist()) == (2, ["a", "job"])
    assert Reading().table_encoder() is None


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"power": 2}, "there is no parameter 'power'"),
        ({"scale": "log"}, "scale must be"),
        ({"scale": {"int": "x"}}, "reading.encoder: "),
    ],
)
def test_parameters_that_no_encoder_has_are_refused(parameters, message):
    _, reading = after_fit()
    with pytest.raises(nk.InvalidInputError, match=message):
        dataclasses.replace(reading, encoder=parameters).table_encoder()


def test_options_of_columns_and_dialect_are_those_of_the_model():
    text = b"a|job|id|w|y\n1,5|clerk|7|1|0\n2,5|cook|8|2|1\n"
    dialect = DialectOptions(delimiter="|", decimal=",")
    batch, reading = after_fit(text, dialect=dialect, exclude=("id",), weight="w")
    assert batch.feature_names == ("a", "job=clerk", "job=cook")
    assert batch.weights.tolist() == [1, 2]
    again = reading.read("score", text, format="csv")
    np.testing.assert_array_equal(again.X.toarray(), batch.X.toarray())
    assert again.weights.tolist() == [1, 2]


def test_a_column_that_is_missing_is_not_taken_from_the_weights():
    _, reading = after_fit(b"a,job,w,y\n1,clerk,1,0\n2,cook,2,1\n", weight="w")
    found = reading.read("score", b"job,w,y\ncook,7,1\n", format="csv", missing_columns="impute")
    assert (found.X.toarray().tolist(), found.weights.tolist()) == ([[1.5, 0, 1]], [7])
