"""novikoff report: an HTML page about a model."""

import re

from command import assert_refused, done, novikoff


def test_a_page_is_written_with_the_title_that_was_given(model, folder, tmp_path):
    run = done(
        "report", model, "two.svm", "-o", tmp_path / "r.html", "--title", "Forty <rows>", "--json", folder=folder
    )
    assert run.json["report"] == str(tmp_path / "r.html")
    assert "Forty &lt;rows&gt;" in (tmp_path / "r.html").read_text()


def test_data_with_other_columns_than_the_model_are_refused(model, tmp_path):
    (tmp_path / "wide.svm").write_text("1 1:1 9:1\n-1 2:1\n")
    assert_refused(novikoff("report", model, tmp_path / "wide.svm", "-o", tmp_path / "r.html"), "9 features", "4")
    assert not (tmp_path / "r.html").exists()


def test_the_accuracy_is_measured_on_rows_that_a_copy_of_the_model_did_not_see(model, folder, tmp_path):
    run = done("report", model, "two.svm", "-o", tmp_path / "r.html", folder=folder)
    assert re.match(r"verdict +Accuracy \S+% on 8 held-out rows \(always ", run.out)
    assert re.search(r"^certificate +verified\. The certificate was recomputed", run.out, re.MULTILINE)
    assert "8 held-out rows" in (tmp_path / "r.html").read_text()
    alone = done("report", model, "two.svm", "-o", tmp_path / "r.html", "--holdout", "0", folder=folder).out
    assert re.match(r"verdict +Training accuracy \S+% on 40 training rows", alone)
    tested = done("report", model, "two.svm", "--test", "two.svm", "-o", tmp_path / "r.html", "--json", folder=folder)
    assert (tested.json["rows"], tested.json["certificate"]) == ("test", "holds")


def test_other_rows_are_not_called_those_that_the_model_learned_from(model, folder, tmp_path):
    other = tmp_path / "other.svm"
    other.write_bytes(b"".join((folder / "two.svm").read_bytes().splitlines(keepends=True)[:30]))
    run = done("report", model, other, "-o", tmp_path / "r.html")
    assert re.match(r"verdict +Accuracy \S+% on 30 given rows, which are not the training rows \(always ", run.out)
    assert "so they count as test rows" in run.out


def test_a_model_of_a_stream_is_not_fitted_again(fitted, folder, tmp_path):
    path = fitted("two.svm", subcommand="stream")
    run = done("report", path, "two.svm", "-o", tmp_path / "r.html", "--json", folder=folder)
    assert run.json["rows"] == "training"


def test_rows_without_a_known_label_are_refused(model, folder, tmp_path):
    (tmp_path / "other.svm").write_text("7 1:1\n8 2:1 4:1\n")
    run = novikoff("report", model, tmp_path / "other.svm", "-o", tmp_path / "r.html")
    assert_refused(run, "none of the labels", "7, 8")
    arguments = (folder / "two.svm", "--test", tmp_path / "other.svm", "-o", tmp_path / "r.html")
    assert_refused(novikoff("report", model, *arguments), "none of the labels of", "other.svm", "7, 8")
    assert not (tmp_path / "r.html").exists()
