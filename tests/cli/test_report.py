"""novikoff report: an HTML page about a model."""

from command import assert_refused, done, novikoff


def test_a_page_is_written_with_the_title_that_was_given(model, folder, tmp_path):
    run = done(
        "report", model, "two.svm", "-o", tmp_path / "r.html", "--title", "Forty <rows>", "--json", folder=folder
    )
    assert run.json == {"report": str(tmp_path / "r.html")}
    assert "Forty &lt;rows&gt;" in (tmp_path / "r.html").read_text()


def test_data_with_other_columns_than_the_model_are_refused(model, tmp_path):
    (tmp_path / "wide.svm").write_text("1 1:1 9:1\n-1 2:1\n")
    assert_refused(novikoff("report", model, tmp_path / "wide.svm", "-o", tmp_path / "r.html"), "9 features", "4")
    assert not (tmp_path / "r.html").exists()
