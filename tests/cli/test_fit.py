"""novikoff fit: what it prints and saves is what the library finds."""

import os
import signal

import pytest
from command import assert_refused, done, feed, fresh, novikoff, start

import novikoff as nk


def test_fit_prints_what_the_library_finds(model, folder):
    loaded, (X, y) = nk.load(model), nk.read(str(folder / "two.svm"))
    fit = novikoff("fit", "two.svm", "--json", folder=folder).json
    assert (fit["rows"], fit["columns"], fit["training_accuracy"]) == (40, 4, loaded.score(X, y))
    assert fit["classes"] == [{"label": -1, "rows": int((y == -1).sum())}, {"label": 1, "rows": int((y == 1).sum())}]


def test_a_model_that_did_not_converge_is_a_warning_on_standard_error(folder):
    run = fresh("fit", "three.svm", "--max-iter", "1", "--tol", "1e-12", "--json", folder=folder)
    assert run.code == 0
    assert run.err.startswith("warning: ")
    assert "Traceback" not in run.err
    assert "/" not in run.err  # no file and line of the library
    assert run.json["rows"] == 40


def test_an_error_in_the_test_data_does_not_lose_the_model(tmp_path):
    (tmp_path / "weightless.csv").write_text("x,w,label\n1,0,a\n2,0,b\n")
    (tmp_path / "rows.csv").write_text("x,w,label\n1,1,a\n2,1,b\n")
    for test in ("nowhere.csv", "weightless.csv"):
        words = ["fit", tmp_path / "rows.csv", "--weight", "w", "--test", tmp_path / test, "-o", tmp_path / "m.nvk"]
        run = novikoff(*words)
        assert (run.code, run.out) == (2, "")
        assert nk.load(tmp_path / "m.nvk").classes_.tolist() == ["a", "b"]
        (tmp_path / "m.nvk").unlink()


def test_standard_input_is_data(model, folder, tmp_path):
    content = (folder / "two.svm").read_bytes()
    expected = novikoff("predict", model, "two.svm", folder=folder).out
    assert done("predict", model, "-", input=content).out == expected
    run = fresh("fit", "-", "-o", tmp_path / "m.nvk", "-q", input=content)
    assert (run.code, run.err) == (0, "")
    assert nk.load(tmp_path / "m.nvk").coef_.tobytes() == nk.load(model).coef_.tobytes()


def test_interruption_is_exit_code_130_without_a_traceback(tmp_path):
    """SIGINT, as Ctrl-C sends it, while the process waits for rows."""
    os.mkfifo(tmp_path / "pipe")
    process = start("fit", tmp_path / "pipe", "-o", tmp_path / "m.nvk")
    with feed(tmp_path / "pipe", b"1 1:1\n"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"novikoff: interrupted\n")
    assert os.listdir(tmp_path) == ["pipe"]


def test_data_that_a_hard_margin_cannot_separate_are_refused(tmp_path):
    (tmp_path / "x.svm").write_bytes(b"1 1:1\n-1 1:2\n1 1:3\n")
    assert_refused(novikoff("fit", tmp_path / "x.svm", "--learner", "hard-margin"), "separate")


def test_a_note_says_that_one_label_is_correct_more_often(tmp_path):
    rows = "".join(f"{row % 7},{'abcdefg'[row * row % 11 % 7]}\n" for row in range(70))
    (tmp_path / "noise.csv").write_text("x,label\n" + rows)
    run = novikoff("fit", tmp_path / "noise.csv", "--C", "0.001")
    frequent = max("abcdefg", key=rows.count)
    share = rows.count(frequent) / 70
    assert (
        f"note: the label {frequent} alone is correct for {share:.2%} of the rows; use --loss squared_hinge" in run.err
    )
    assert novikoff("fit", tmp_path / "noise.csv", "--C", "0.001", "-q").err == ""


def test_a_note_says_that_labels_look_like_amounts(tmp_path):
    (tmp_path / "prices.csv").write_text("x,label\n" + "".join(f"{row % 50},{100 * row}\n" for row in range(60)))
    assert "the labels have 60 different values" in novikoff("fit", tmp_path / "prices.csv").err


def test_cross_validation_takes_its_options(folder):
    words = ["fit", "two.svm", "--cv", "3", "--Cs", "4", "--C-max", "2", "--selection", "best", "--json"]
    run = done(*words, folder=folder)
    parameters = run.json["parameters"]
    assert (parameters["cv"], parameters["Cs"], parameters["C_max"], parameters["selection"]) == (3, 4, 2.0, "best")
    assert 0 < run.json["C"] <= 2


@pytest.mark.parametrize(("classes", "shown"), [(3, 3), (8, 5)])
def test_of_many_classes_the_first_certificates_are_printed(tmp_path, classes, shown):
    lines = "".join(f"{label} {label}:1\n{label} {label}:2\n" for label in range(1, classes + 1))
    (tmp_path / "x.svm").write_text(lines)
    out = done("fit", tmp_path / "x.svm", "--learner", "perceptron").out
    assert out.count("mistakes (") == shown
    assert ("more certificates" in out) == (classes > shown)
