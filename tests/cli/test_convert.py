"""novikoff convert: data and models in other formats are the same data and models."""

import json

import numpy as np
import pytest
from command import assert_refused, done, novikoff

import novikoff as nk


@pytest.mark.parametrize("to", ["svmlight", "csv", "tsv", "ndjson", "parquet", "arrow"])
def test_converted_data_are_the_same_data(folder, tmp_path, to):
    place = tmp_path / f"two.{to}"
    run = done("convert", "two.svm", place, "--to", to, "--json", folder=folder)
    assert run.json == {"kind": "data", "file": str(place), "bytes": place.stat().st_size}
    X, y = nk.read(str(folder / "two.svm"))
    Z, z = nk.read(str(place))
    Z = Z.toarray() if hasattr(Z, "toarray") else Z
    assert np.array_equal(X.toarray(), Z)
    assert np.array_equal(y, z)


@pytest.mark.parametrize("name", ["two.svm", "three.svm"])
def test_converted_models_predict_the_same(fitted, folder, tmp_path, name):
    source = fitted(name, "--multi-class", "ovr")
    expected = done("predict", source, name, "--scores", folder=folder).out
    done("convert", source, tmp_path / "m.model")
    done("convert", tmp_path / "m.model", tmp_path / "again.nvk")
    told = done("predict", tmp_path / "again.nvk", name, "--scores", folder=folder).out
    numbers = [np.array(text.split()[3 * (name == "three.svm") :], float) for text in (expected, told)]
    np.testing.assert_allclose(numbers[1], numbers[0], rtol=1e-12)
    done("convert", source, tmp_path / "copy.nvk")
    assert done("predict", tmp_path / "copy.nvk", name, "--scores", folder=folder).out == expected
    done("convert", source, tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())
    import onnxruntime

    done("convert", source, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    rows = nk.read(str(folder / name))[0].toarray()
    answers = session.run(["label"], {session.get_inputs()[0].name: rows.astype(_dtype(session))})[0]
    assert [str(answer) for answer in answers] == done("predict", source, name, folder=folder).out.split()


def test_a_model_of_pairs_is_refused_for_liblinear(fitted, tmp_path):
    run = novikoff("convert", fitted("three.svm"), tmp_path / "m.model")
    assert run.code == 2
    assert "one per pair of classes" in run.err


def test_a_file_without_the_encoder_says_which_rows_it_expects(fitted, tmp_path):
    source = fitted("mails.csv", "--text", "subject")
    for name in ("m.onnx", "m.json", "m.nvk"):
        run = novikoff("convert", source, tmp_path / name)
        assert ("m.onnx expects encoded rows (" in run.err) == (name == "m.onnx")
        assert ("standardised, " in run.err) == (name == "m.onnx")
    streamed = fitted("mails.csv", "--text", "subject", subcommand="stream")
    assert "m.json expects encoded rows (" in novikoff("convert", streamed, tmp_path / "m.json").err
    hashed = fitted("mails.csv", "--text", "subject", "--hash-bits", "10")
    assert "m.onnx expects hashed rows (1,024 columns), " in novikoff("convert", hashed, tmp_path / "m.onnx").err


def test_columns_that_are_not_changed_need_no_note(model, fitted, tmp_path):
    raw = fitted("mails.csv", "--features", "size", "--features", "cost", "--scale", "none")
    for source in (model, raw):
        done("convert", source, tmp_path / "m.onnx")  # which fails if there is a word on standard error


def _dtype(session):
    return {"tensor(float)": np.float32, "tensor(double)": np.float64}[session.get_inputs()[0].type]


def test_what_a_model_is_converted_to_must_be_known(model, tmp_path):
    assert_refused(novikoff("convert", model, tmp_path / "m.pickle"), "m.pickle")
    assert_refused(novikoff("convert", model, tmp_path / "m.csv"), "m.csv")
    assert_refused(novikoff("convert", model, tmp_path / "m", "--to", "csv"), "csv")
    assert list(tmp_path.iterdir()) == []


def test_data_are_not_written_under_the_name_of_a_model(folder, tmp_path):
    for ending in ("onnx", "nvk", "model"):
        assert novikoff("convert", folder / "two.svm", tmp_path / f"rows.{ending}").code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["missing.nvk", "missing.onnx", "missing.json", "missing.txt"])
def test_a_missing_model_is_a_missing_file(tmp_path, name):
    run = novikoff("convert", tmp_path / name, tmp_path / "o.json")
    assert_refused(run, f"{name}: the file cannot be read: No such file or directory")
