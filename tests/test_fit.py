"""From a table to a model in one line: any source, any learner, and back from a file."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import novikoff as nk
from novikoff import TableEncoder

ROWS = 60
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, ROWS).round(1),
        "job": RNG.choice(["cook", "clerk", "smith"], ROWS),
        "new": RNG.random(ROWS) < 0.5,
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 999, ROWS), "D"),
    }
)
FRAME.loc[::9, "age"] = np.nan
FRAME.loc[::7, "job"] = None
Y = np.where(FRAME["age"].fillna(40) + 15 * (FRAME["job"] == "cook") > 44, "yes", "no")
LABELLED = FRAME.assign(y=Y)


@pytest.fixture(scope="module")
def model():
    return nk.fit(LABELLED)


def test_a_pipeline_predicts_from_frames_with_the_names_of_its_columns(model):
    assert isinstance(model, Pipeline)
    assert [name for name, _ in model.steps] == ["encoder", "model"]
    assert model.score(FRAME, Y) > 0.9
    assert set(model.weights_) >= {"age", "age=missing", "job=cook", "job=missing", "new", "since"}
    assert list(model["encoder"].feature_names_in_) == list(FRAME.columns)
    assert model.certificate_ is model["model"].certificate_
    assert model.record_.column_names == model["encoder"].encoding_.names


def sources(folder):
    LABELLED.to_csv(folder / "t.csv", index=False)
    LABELLED.to_csv(folder / "semicolons.csv", index=False, sep=";", decimal=",")
    LABELLED.to_parquet(folder / "t.parquet")
    halves = [folder / "part1.csv", folder / "part2.csv"]
    LABELLED[:25].to_csv(halves[0], index=False)
    LABELLED[25:].to_csv(halves[1], index=False)
    records = json.loads(LABELLED.to_json(orient="records", date_format="iso"))
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "t.ndjson").write_text(lines.replace("T00:00:00.000", ""))
    return {
        "path": (folder / "t.csv", {}),
        "text path": (str(folder / "t.csv"), {}),
        "semicolons": (folder / "semicolons.csv", {}),
        "parquet": (folder / "t.parquet", {}),
        "ndjson": (folder / "t.ndjson", {}),
        "files": (halves, {}),
        "pattern": (str(folder / "part*.csv"), {}),
        "bytes": ((folder / "t.csv").read_bytes(), {"format": "csv"}),
        "polars": (pl.from_pandas(LABELLED), {}),
        "labels beside the table": (FRAME, {"y": Y}),
        "SQL": (f"SELECT * FROM '{folder}/t.parquet'", {}),
    }


def test_every_source_gives_the_same_model(tmp_path, model):
    for name, (source, options) in sources(tmp_path).items():
        found = nk.fit(source, **options)
        assert found["encoder"].encoding_.names == model["encoder"].encoding_.names, name
        np.testing.assert_allclose(found["model"].coef_, model["model"].coef_, rtol=1e-6, atol=1e-8, err_msg=name)
        np.testing.assert_array_equal(found.predict(FRAME), model.predict(FRAME))


def test_svmlight_gives_the_learner_itself():
    model = nk.fit(b"1 1:0.5 3:2\n-1 2:1\n1 1:1 3:1\n-1 2:2\n")
    assert isinstance(model, nk.LinearSVM)
    assert model.coef_.shape == (1, 3)


def test_the_learner_and_the_encoder_may_be_given():
    encoder = TableEncoder(scale="minmax", indicator=False)
    model = nk.fit(LABELLED, model=nk.Perceptron(), encoder=encoder)
    assert isinstance(model["model"], nk.Perceptron)
    assert model["encoder"].get_params() == encoder.get_params()
    assert "age=missing" not in model.weights_


def test_options_choose_the_columns():
    table = LABELLED.assign(weight=np.arange(ROWS) % 3, note="some words here and there")
    model = nk.fit(table, target="new", features=["age", "job"], weight="weight")
    assert {name.split("=")[0] for name in model.weights_} == {"age", "job"}
    assert set(model.classes_) == {False, True}
    model = nk.fit(table, exclude=["weight", "note", "since"])
    assert {name.split("=")[0] for name in model.weights_} == {"age", "job", "new"}
    assert "note:words" in nk.fit(table, text="note", exclude="weight").weights_
    weighted = nk.fit(table.drop(columns="note"), weight="weight")
    assert weighted.record_.reading.weight == "weight"
    assert nk.verify(weighted, FRAME, Y, sample_weight=table["weight"])
    assert not nk.verify(weighted, FRAME, Y)


def test_options_say_how_text_is_written():
    data = b"1,5|0|n/k\n2,5|1|a\n4,5|1|b\n0,5|0|a\n"
    options = {"delimiter": "|", "decimal": ",", "header": False, "names": ["x", "label", "s"], "na": ["n/k"]}
    model = nk.fit(data, format="csv", **options)
    assert list(model["encoder"].get_feature_names_out()) == ["x", "s=a", "s=b", "s=missing"]
    assert model.predict(pd.DataFrame({"x": [9.5], "s": ["a"]})).tolist() == [1]


DAYS = "when,y\n" + "".join(f"{day:02}/03/2023,{'late' if day > 15 else 'early'}\n" for day in range(1, 31))
ONE_DAY = b"when\n05/03/2023\n"  # which alone would be the third of May


def test_text_is_read_as_the_first_text_was(tmp_path):
    model = nk.fit(DAYS.encode(), format="csv")
    assert model.predict(ONE_DAY).tolist() == ["early"]
    model.save(tmp_path / "m.nvk")
    assert nk.load(tmp_path / "m.nvk").predict(ONE_DAY).tolist() == ["early"]
    table = tmp_path / "t.csv"
    table.write_text(DAYS.replace(",early", "").replace(",late", "").replace(",y", ""))
    own = make_pipeline(TableEncoder(), nk.LinearSVM()).fit(table, ["early"] * 15 + ["late"] * 15)
    assert own.predict(ONE_DAY).tolist() == ["early"]
    nk.save(own, tmp_path / "own.nvk")
    assert nk.load(tmp_path / "own.nvk").predict(ONE_DAY).tolist() == ["early"]


def test_text_without_a_header_has_the_columns_of_the_model():
    model = nk.fit(b"1|0|a\n2|1|b\n4|1|b\n0|0|a\n", format="csv", names=["x", "label", "s"], delimiter="|")
    assert model.predict(b"9|b\n-1|a\n").tolist() == [1, 0]


# ---- pipelines of scikit-learn ---------------------------------------------------------------------------------------


def test_the_pipeline_is_what_scikit_learn_would_make(model):
    own = make_pipeline(TableEncoder(), nk.LinearSVM()).fit(FRAME, Y)
    np.testing.assert_array_equal(own.decision_function(FRAME), model.decision_function(FRAME))
    np.testing.assert_array_equal(clone(model).fit(FRAME, Y).predict(FRAME), model.predict(FRAME))


def test_encoders_can_be_searched_and_cross_validated():
    pipeline = make_pipeline(TableEncoder(), nk.LinearSVM())
    assert cross_val_score(pipeline, FRAME, Y, cv=3).mean() > 0.8
    grid = {"tableencoder__scale": ["standard", "minmax"], "linearsvm__C": [0.1, 10.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(FRAME, Y)
    assert search.best_score_ > 0.8
    assert search.predict(FRAME).shape == (ROWS,)


def test_pickles_predict_the_same(model):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(FRAME), model.decision_function(FRAME))


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((StandardScaler(), nk.LinearSVM()), "a pipeline must be of a TableEncoder and a learner"),
        ((TableEncoder(), StandardScaler(), nk.LinearSVM()), "a pipeline must be of a TableEncoder and a learner"),
        ((TableEncoder(), nk.LinearSVM()), "fitted"),
    ],
)
def test_other_pipelines_are_not_saved(tmp_path, steps, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        nk.save(make_pipeline(*steps), tmp_path / "m.nvk")
    assert list(tmp_path.iterdir()) == []


def test_certificates_of_a_pipeline_are_checked_from_the_raw_table(model):
    found = nk.verify(model, FRAME, Y)
    assert found
    assert (found.checks[0].claim, found.checks[0].status) == ("encoder", "on trust")
    assert nk.verify(make_pipeline(TableEncoder(), nk.LinearSVM()).fit(FRAME, Y), FRAME, Y)
    changed = FRAME.assign(age=FRAME["age"] + 1e-3)
    failed = nk.verify(model, changed, Y)
    assert not failed


def test_a_row_with_nothing_known_is_predicted_and_said(model):
    table = pd.DataFrame({"job": ["astronaut"], "age": np.nan, "new": None, "since": None})
    unknown = "values that did not occur when the model was fitted, and have no weight: job"
    with (
        pytest.warns(UserWarning, match=unknown),
        pytest.warns(UserWarning, match="in columns that had none"),
    ):
        assert model.predict(table).shape == (1,)


def test_a_frame_has_dates_in_the_order_of_the_text_that_was_fitted():
    days = [f"{day:02}/03/2023" for day in range(1, 31)]
    text = "when,other,label\n" + "".join(f"{day},{i % 3},{'ab'[i > 14]}\n" for i, day in enumerate(days))
    model = nk.fit(text.encode(), format="csv")
    later = pd.DataFrame({"when": ["05/03/2023", "28/03/2023"], "other": [1, 1]})
    assert model.predict(later).tolist() == ["a", "b"]


def test_options_of_a_scan_are_kept_by_the_pipeline_of_a_fit():
    text = b"x;y\n" + b"".join(b"%d;%d\n" % (i, i > 20) for i in range(40)) + b"-999;0\n"
    model = nk.LinearSVM().fit(nk.scan(text, format="csv", na=["-999"], scale="none", missing="zero"))
    assert model[0].get_params()["missing"] == "zero"
    assert model[0].encoding_.scales == {}
    assert model.predict(b"x\n-999\n").tolist() == model.predict(b"x\nNA\n").tolist()
    labels = [int(line.partition(b";")[2]) for line in text.split()[1:]]
    assert nk.verify(model, text, labels)


def test_a_guess_and_values_of_another_kind_give_a_warning():
    text = b"".join(b"%d,%s\n" % (i % 7, [b"no", b"yes"][i % 7 > 3]) for i in range(300)) + b"many,no\n"
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        nk.fit(text, format="csv")
    messages = [str(warning.message) for warning in found]
    assert any("last column" in message for message in messages)
    assert any("'many'" in message for message in messages)


def test_no_rows_give_no_predictions():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "job": ["x", "y", "x", "y"]})
    model = nk.fit(frame.assign(y=[0, 1, 0, 1]))
    assert model[0].transform(frame.iloc[:0]).shape == (0, 3)


def test_columns_may_be_numbers_and_ranges_and_misspelled_options_are_told(tmp_path):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 5, "b": range(20), "c": range(20), "kind": list("uuvv") * 5})
    for exclude in (2, [2, 3], "2-3", "b,c"):
        model = nk.fit(table, target=-1, exclude=exclude)
        assert "b" not in model[0].feature_names_in_.tolist()
        model.save(tmp_path / "m.nvk")
        assert nk.load(tmp_path / "m.nvk").predict(table).tolist() == table["kind"].tolist()
    with pytest.raises(nk.InvalidInputError, match=r"there is no option exlude\. Did you mean 'exclude'\?"):
        nk.fit(table, target="kind", exlude="b")


def test_arrays_and_files_of_arrays_give_the_same_model(tmp_path):
    X, y = RNG.normal(size=(40, 3)), np.repeat(["no", "yes"], 20)
    X[5, 1] = np.nan
    np.savez(tmp_path / "named.npz", X=X, y=y, more=y[:2])
    np.savez(tmp_path / "others.npz", labels=y, rows=X)
    np.save(tmp_path / "rows.npy", X)
    expected = nk.fit(X, y, C=0.5)
    for source, labels in (("named.npz", None), ("others.npz", None), ("rows.npy", y)):
        found = nk.fit(tmp_path / source, labels, C=0.5)
        np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X))
        assert found["model"].C == 0.5
    nk.save(expected, tmp_path / "m.nvk")
    assert nk.load(tmp_path / "m.nvk").predict(tmp_path / "rows.npy").tolist() == expected.predict(X).tolist()
    assert isinstance(nk.fit(sp.csr_array(np.nan_to_num(X)), y), nk.LinearSVM)


AMOUNTS = pd.DataFrame({"a": np.arange(200) % 7, "price": np.arange(200), "share": np.arange(200) / 8})
REFUSED = [
    (lambda: nk.fit(np.eye(3)), r"an array needs labels. Write fit\(X, y\)."),
    (lambda: nk.fit(LABELLED, "y"), "use target='y'"),
    (lambda: nk.fit(FRAME, Y, target="y"), "target cannot be combined with y"),
    (lambda: nk.fit(LABELLED, model=nk.Perceptron(), max_iter=3), r"model=Perceptron\(max_iter=...\)"),
    (lambda: nk.fit(LABELLED, depth=3), "there is no option depth. The options are features, exclude"),
    (lambda: nk.fit(LABELLED, target="q"), "there is no column 'q', which target= names"),
    (lambda: nk.fit(b"x,y\n1,0\n2,1\n", format="csv", delimiter=",;"), "delimiter"),
    (lambda: nk.fit(LABELLED, encoder=TableEncoder(scale="log")), "scale must be"),
    (lambda: nk.fit("no.csv"), r"no\.csv"),
    (lambda: nk.fit(AMOUNTS, target="price"), "200 different numbers in 200 rows: a regression target"),
    (lambda: nk.fit(AMOUNTS[["a"]], AMOUNTS["price"]), "numbers_as_classes=True"),
    (lambda: nk.fit(AMOUNTS, target="share"), "'share' holds '0.125', so it looks like a regression target"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_the_message_says_what_to_write(call, message):
    with pytest.raises((nk.InvalidInputError, nk.MissingFileError), match=message):
        call()


def test_numbers_are_classes_if_asked_for():
    assert len(nk.fit(AMOUNTS[:60], target="price", numbers_as_classes=True).classes_) == 60


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.eye(3), "b": np.eye(3)}, "a matrix X of numbers and a vector y"),
        ({"X": np.eye(3), "y": [1, 2]}, "y must have one label per row, 3 in all"),
        ({"X": np.array([[1, "a"]], dtype=object), "y": [1]}, "not a readable array of NumPy: Object arrays cannot"),
        ({}, "no arrays"),
    ],
)
def test_other_arrays_of_a_file_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(nk.InvalidInputError, match=message):
        nk.fit(tmp_path / "a.npz")
