"""novikoff fit: what it prints and saves is what the library finds."""

import os
import re
import signal

import numpy as np
import pytest
from command import assert_refused, done, feed, novikoff, start

import novikoff as nk


def test_fit_prints_what_the_library_finds(model, folder):
    loaded, (X, y) = nk.load(model), nk.read(str(folder / "two.svm"))
    fit = novikoff("fit", "two.svm", "--json", folder=folder).json
    assert (fit["rows"], fit["columns"], fit["training_accuracy"]) == (40, 4, loaded.score(X, y))
    assert fit["classes"] == [{"label": -1, "rows": int((y == -1).sum())}, {"label": 1, "rows": int((y == 1).sum())}]


def test_a_model_that_did_not_converge_has_one_warning(folder):
    run = novikoff("fit", "three.svm", "--max-iter", "1", "--tol", "1e-12", folder=folder)
    assert (run.code, run.err) == (0, "")
    assert re.search(r"^warning +not converged: .*above the tolerance of 1e-12", run.out, re.MULTILINE)


def test_test_data_that_cannot_be_used_are_refused_before_the_fit(tmp_path):
    """Afterwards, the exit code would say that there is no model, although it was saved."""
    (tmp_path / "weightless.csv").write_text("x,w,label\n1,0,a\n2,0,b\n")
    (tmp_path / "rows.csv").write_text("x,w,label\n1,1,a\n2,1,b\n")
    for test in ("nowhere.csv", "weightless.csv"):
        words = ["fit", tmp_path / "rows.csv", "--weight", "w", "--test", tmp_path / test, "-o", tmp_path / "m.nvk"]
        run = novikoff(*words)
        assert (run.code, run.out) == (2, "")
        assert test in run.err or "weights of all rows are 0" in run.err
        assert not (tmp_path / "m.nvk").exists()


def test_standard_input_is_data(model, folder, tmp_path):
    content = (folder / "two.svm").read_bytes()
    expected = novikoff("predict", model, "two.svm", folder=folder).out
    assert done("predict", model, "-", input=content).out == expected
    done("fit", "-", "-o", tmp_path / "m.nvk", "-q", input=content)
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


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Seven classes, of which the most frequent one has 45 % of the rows, and columns that say nothing about them."""
    rng = np.random.default_rng(7)
    labels = rng.choice(list("3456789"), 600, p=[0.02, 0.05, 0.25, 0.45, 0.15, 0.06, 0.02])
    path = tmp_path_factory.mktemp("noise") / "wine.csv"
    rows = (",".join([*(f"{value:.3f}" for value in rng.normal(size=4)), label]) for label in labels)
    path.write_text("a,b,c,d,quality\n" + "\n".join(rows) + "\n")
    return path


def test_a_model_that_is_no_better_than_the_most_frequent_label_says_so(noise):
    run = done("fit", noise, "--target", "quality")
    target, first, *rest = run.out.splitlines()
    assert target == "target             quality"
    assert re.fullmatch(r"accuracy +\d+\.\d\d% on 120 held-out rows \(always 6: 4\d\.\d\d%\)", first)
    found = done("fit", noise, "--target", "quality", "--json").json
    held_out = found["holdout"]
    warned = any(line.startswith("warning") and "(always 6: 4" in line for line in rest)
    assert warned == (held_out["accuracy"] <= held_out["baseline"])
    constant = done("fit", noise, "--target", "quality", "--C", "1e-9", "--loss", "hinge").out
    assert re.search(
        r"^warning +the model (predicts \d for every row|is no better than always).*\(always 6: 4", constant, re.M
    )


def test_the_rows_held_out_are_scored_by_a_model_of_the_others(noise):
    found = done("fit", noise, "--target", "quality", "--json", "--holdout", "0.25").json
    batch = nk.fit(noise, target="quality")
    X, y = batch[:-1].transform(noise), nk.read(noise, target="quality").y
    expected = nk.evaluate.holdout(nk.LinearSVM(), X, y, fraction=0.25).scores
    assert (found["holdout"]["rows"], found["holdout"]["accuracy"]) == (150, expected.accuracy)
    assert (found["baseline_label"], found["baseline"]) == (6, float(np.mean(y == 6)))
    assert found["rows"] == 600


def test_the_saved_model_is_fitted_to_all_rows(noise, tmp_path):
    out = novikoff("fit", noise, "--target", "quality", "-o", tmp_path / "m.nvk").out
    novikoff("fit", noise, "--target", "quality", "-o", tmp_path / "same.nvk", "--holdout", "0")
    assert "fitted to all 600 rows" in out
    one, other = (nk.load(tmp_path / name)[-1] for name in ("m.nvk", "same.nvk"))
    assert one.coef_.tolist() == other.coef_.tolist()


def test_without_held_out_rows_the_reason_is_said_and_training_accuracy_called_so(folder, tmp_path):
    out = done("fit", "two.svm", "--holdout", "0", folder=folder).out
    assert re.search(r"^held out +nothing: --holdout is 0$", out, re.MULTILINE)
    assert not re.search(r"^accuracy", out, re.MULTILINE)
    assert re.search(r"^training accuracy +\S+ on the 40 rows it was fitted to \(always", out, re.MULTILINE)
    (tmp_path / "few.csv").write_text("x,label\n1,a\n2,b\n3,b\n")
    assert re.search(r"^held out +nothing: there are fewer than 20 rows$", done("fit", tmp_path / "few.csv").out, re.M)
    (tmp_path / "single.csv").write_text("x,label\n" + "".join(f"{row % 7},c{row}\n" for row in range(30)))
    assert re.search(r"^held out +nothing: there are too few rows", done("fit", tmp_path / "single.csv").out, re.M)


@pytest.mark.parametrize("fraction", ["1", "-0.1", "nan"])
def test_a_fraction_that_cannot_be_held_out_is_refused(folder, fraction):
    assert_refused(novikoff("fit", "two.svm", "--holdout", fraction, folder=folder), "--holdout", "below 1")


def test_cross_validation_gives_the_mean_over_the_held_out_folds(folder):
    run = done("fit", "two.svm", "--cv", "4", "--C-max", "2", folder=folder)
    assert re.match(r"accuracy +\S+% on the held-out rows of 4 folds, with a standard error of \S+% \(always ", run.out)
    found = done("fit", "two.svm", "--cv", "4", "--C-max", "2", "--json", folder=folder).json
    assert found["cross_validation"]["folds"] == 4
    assert "holdout" not in found
    named = done("fit", "two.svm", "--cv", "4", "--C-max", "2", "--scoring", "roc_auc", folder=folder).out
    assert re.match(r"roc_auc +[01]\.\d{4} in the mean over the held-out rows of 4 folds", named)


def rare(path, distance, seed):
    """Write a table in which a class has 5 % of the rows, and a mean at this distance."""
    rng, is_rare = np.random.default_rng(seed), np.arange(400) % 20 == 0
    X = rng.normal(size=(400, 3)) + distance * is_rare[:, None] * [1, 0, 0]
    labels = np.where(is_rare, "yes", "no")
    rows = (f"{x:.3f},{z:.3f},{w:.3f},{label}" for (x, z, w), label in zip(X, labels, strict=True))
    path.write_text("x,z,w,label\n" + "\n".join(rows) + "\n")
    return path


def test_cross_validation_by_a_ranking_takes_the_best_c_and_a_constant_model_has_a_warning(tmp_path):
    table = rare(tmp_path / "rare.csv", distance=3, seed=3)
    words = ["fit", table, "--cv", "3", "--Cs", "6", "--scoring", "roc_auc", "-o", tmp_path / "m.nvk"]
    done(*words)  # without a word on standard error
    assert set(nk.load(tmp_path / "m.nvk").predict(table)) == {"yes", "no"}
    constant = novikoff(*words, "--selection", "one_standard_error", "--json")
    warning = "the model predicts 'no' for every row it was fitted to; --scoring balanced_accuracy may help"
    assert (constant.code, constant.err) == (0, f"warning: {warning}\n")
    assert constant.json["warnings"][0].startswith("the model predicts 'no' for every row")
    report = done("report", tmp_path / "m.nvk", table, "-o", tmp_path / "r.html").out
    assert re.match(r"verdict +The model predicts 'no' for every row", report)


@pytest.mark.parametrize("more", [("--holdout", "0"), ("--cv", "3", "--Cs", "4")])
def test_class_weights_that_cost_accuracy_are_not_worse_than_guessing(tmp_path, more):
    table = rare(tmp_path / "rare.csv", distance=1.5, seed=2)
    run = done("fit", table, "--class-weight", "balanced", "-o", tmp_path / "m.nvk", "--json", *more)
    assert run.json["training_accuracy"] < run.json["baseline"]
    assert run.json["warnings"] == []
    scored = done("score", tmp_path / "m.nvk", table, "--json").json
    assert scored["balanced_accuracy"] > 0.8
    assert scored["warnings"] == []
    streamed = done("stream", table, "--learner", "arow", "--class-weight", '{"yes": 30}', "--json").json
    assert streamed["accuracy"] < streamed["baseline"]
    assert streamed["warnings"] == []


def test_the_test_file_takes_the_place_of_held_out_rows(folder, tmp_path):
    other = tmp_path / "other.svm"
    other.write_bytes((folder / "two.svm").read_bytes()[:200].rpartition(b"\n")[0] + b"\n")
    rows = other.read_bytes().count(b"\n")
    found = done("fit", folder / "two.svm", "--test", other, "--json").json
    assert (found["test"]["rows"], "holdout" in found) == (rows, False)
    assert done("fit", folder / "two.svm", "--test", other).out.startswith("accuracy")
    both = done("fit", folder / "two.svm", "--test", other, "--holdout", "0.5", "--json").json
    assert both["holdout"]["rows"] == 20


def test_labels_of_the_test_file_that_the_model_never_saw_are_named(tmp_path):
    text = "".join(f"{row % 7},{'no' if row % 3 else 'yes'}\n" for row in range(60))
    (tmp_path / "t.csv").write_text("x,label\n" + text)
    (tmp_path / "some.csv").write_text("x,label\n" + text.replace("no", "no."))
    (tmp_path / "all.csv").write_text("x,label\n" + text.replace("no", "no.").replace("yes", "yes."))
    words = ["fit", tmp_path / "t.csv", "-o", tmp_path / "m.nvk", "--test"]
    assert (
        "labels that the model does not know: 'no.' (40 rows; it knows 'no')"
        in novikoff(*words, tmp_path / "some.csv").out
    )
    assert_refused(novikoff(*words, tmp_path / "all.csv"), "none of the labels", "'no.'", "'yes'")
    assert done("score", tmp_path / "m.nvk", tmp_path / "some.csv", "--json").json["unseen"] == [["no.", 40]]
    assert_refused(novikoff("score", tmp_path / "m.nvk", tmp_path / "all.csv"), "none of the labels")


def test_a_column_that_predicts_the_label_alone_has_a_warning(tmp_path):
    rng = np.random.default_rng(2)
    rows = "".join(f"{rng.normal():.3f},{rng.normal():.3f},{'ab'[row % 2]}{row % 3},{row % 2}\n" for row in range(200))
    (tmp_path / "t.csv").write_text("x,z,paid,label\n" + rows)
    assert (
        "warning            column 'paid' alone predicts the label: 100.00% on 100 rows"
        in done("fit", tmp_path / "t.csv").out
    )


def test_cross_validation_takes_its_options(folder):
    words = ["fit", "two.svm", "--cv", "3", "--Cs", "4", "--C-max", "2", "--selection", "best", "--json"]
    run = done(*words, folder=folder)
    parameters = run.json["parameters"]
    assert (parameters["cv"], parameters["Cs"], parameters["C_max"], parameters["selection"]) == (3, 4, 2.0, "best")
    assert 0 < run.json["C"] <= 2


@pytest.mark.parametrize("learner", ["perceptron", "hard-margin"])
def test_the_certificates_of_several_classes_are_one_line_unless_asked_for(tmp_path, learner):
    lines = "".join(f"{label} {label}:1\n{label} {label}:2\n" for label in range(1, 9))
    (tmp_path / "x.svm").write_text(lines)
    out = done("fit", tmp_path / "x.svm", "--learner", learner).out
    assert re.search(r"^certificates +\d+ certificates: .*--certificates shows all claims$", out, re.MULTILINE)
    claim = "mistakes (" if learner == "perceptron" else "best margin ("
    assert claim not in out
    assert done("fit", tmp_path / "x.svm", "--learner", learner, "--certificates").out.count(claim) >= 8


def test_test_rows_with_unknown_labels_are_refused_before_the_fit(folder, tmp_path):
    (tmp_path / "other.svm").write_bytes(b"7 1:1\n8 1:2\n")
    run = novikoff("fit", folder / "two.svm", "--test", tmp_path / "other.svm", "-o", tmp_path / "m.nvk")
    assert_refused(run, "other.svm", "they are 7, 8, and it knows -1, 1")
    assert not (tmp_path / "m.nvk").exists()


def test_columns_that_are_left_out_are_part_of_the_result(tmp_path):
    lines = [f"u{i},{i % 7},1,{'xy'[i % 2]}" for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["id,a,b,label", *lines]))
    run = done("fit", tmp_path / "t.csv", "-q")
    assert re.search(r"^left out +b \(constant\), id \(identifier\)$", run.out, re.MULTILINE)
    assert done("fit", tmp_path / "t.csv", "--json").json["left_out"] == {"b": "constant", "id": "identifier"}


def test_fewer_folds_than_asked_for_are_a_warning(folder):
    found = done("fit", folder / "two.svm", "--cv", "1000", "--Cs", "2", "--json").json
    assert "40 folds instead of --cv 1,000: there are no more rows" in found["warnings"]
    found = done("fit", folder / "two.svm", "--cv", "4", "--Cs", "2", "--json").json
    assert not any("folds instead" in warning for warning in found["warnings"])
