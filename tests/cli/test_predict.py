"""novikoff predict: what the model predicts, one line per row."""

import numpy as np
import pytest
import sets
from command import assert_refused, done, novikoff, start

import novikoff as nk


def lines(values):
    return "".join(f"{value}\n" for value in values.tolist())


@pytest.mark.parametrize(
    ("name", "data"),
    [(name, "two.svm") for name in sets.LEARNERS] + [(name, "three.svm") for name in sets.LEARNERS],
)
def test_predictions_are_those_of_the_model_on_the_rows(fitted, folder, name, data):
    path = fitted(data, "--learner", name)
    expected = nk.load(path).predict(nk.read(str(folder / data))[0])
    assert done("predict", path, data, folder=folder).out == lines(expected)


def test_a_file_gets_what_standard_output_would(fitted, folder, tmp_path):
    path = fitted("three.svm")
    for option in ([], ["--scores"]):
        told = done("predict", path, "three.svm", *option, folder=folder).out
        assert done("predict", path, "three.svm", *option, "-o", tmp_path / "answers", folder=folder).out == ""
        assert (tmp_path / "answers").read_text() == told


def test_scores_and_probabilities_read_back_to_the_same_bits(fitted, folder):
    two, three = fitted("two.svm", "--probability"), fitted("three.svm")
    X, Z = nk.read(str(folder / "two.svm"))[0], nk.read(str(folder / "three.svm"))[0]
    found = done("predict", two, "two.svm", "--scores", folder=folder).out.split()
    assert np.array_equal(np.array(found, float), nk.load(two).decision_function(X))
    header, *rows = done("predict", three, "three.svm", "--scores", folder=folder).out.splitlines()
    assert header == "1\t2\t3"
    assert np.array_equal(np.array([r.split("\t") for r in rows], float), nk.load(three).decision_function(Z))
    header, *rows = done("predict", two, "two.svm", "--proba", folder=folder).out.splitlines()
    assert header == "-1\t1"
    assert np.array_equal(np.array([r.split("\t") for r in rows], float), nk.load(two).predict_proba(X))


def test_json_has_the_classes_and_the_answers(fitted, folder):
    path = fitted("two.svm", "--probability")
    model, X = nk.load(path), nk.read(str(folder / "two.svm"))[0]
    for option, name, expected in (
        ([], "predictions", model.predict(X)),
        (["--scores"], "scores", model.decision_function(X)),
        (["--proba"], "probabilities", model.predict_proba(X)),
    ):
        run = done("predict", path, "two.svm", "--json", *option, folder=folder)
        assert run.json == {"classes": [-1, 1], name: expected.tolist()}


def test_json_beside_a_file_says_where_the_answers_are(model, folder, tmp_path):
    told = done("predict", model, "two.svm", folder=folder).out
    run = done("predict", model, "two.svm", "--json", "-o", tmp_path / "answers", folder=folder)
    assert run.json == {"classes": [-1, 1], "file": str(tmp_path / "answers")}
    assert (tmp_path / "answers").read_text() == told


def test_labels_are_not_looked_at(model, folder, tmp_path):
    content = (folder / "two.svm").read_bytes().replace(b"\n-1 ", b"\n0 ").replace(b"\n1 ", b"\n0 ")
    (tmp_path / "zeros.svm").write_bytes(content)
    expected = done("predict", model, "two.svm", folder=folder).out
    assert done("predict", model, tmp_path / "zeros.svm").out == expected


def test_features_that_the_model_never_met_are_ignored_with_a_note(model, folder, tmp_path):
    wide = np.hstack([sets.X, np.ones((40, 3))])
    (tmp_path / "wide.svm").write_bytes(sets.svmlight(wide, sets.TWO))
    expected = done("predict", model, "two.svm", folder=folder).out
    run = novikoff("predict", model, tmp_path / "wide.svm")
    assert (run.code, run.out) == (0, expected)
    assert run.err == "note: ignoring 3 columns beyond the model's 4\n"
    assert done("predict", model, tmp_path / "wide.svm", "-q").out == expected


def test_fewer_features_than_the_model_met_are_zeros(model, tmp_path):
    (tmp_path / "narrow.svm").write_bytes(b"0 1:1\n0\n0 2:0.5\n")
    X = np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [0, 0.5, 0, 0]])
    assert done("predict", model, tmp_path / "narrow.svm").out == lines(nk.load(model).predict(X))


def test_probabilities_need_a_model_that_has_them(model, folder):
    assert_refused(novikoff("predict", model, "two.svm", "--proba", folder=folder), "--probability")
    assert_refused(novikoff("predict", model, "two.svm", "--proba", "--scores", folder=folder), "not both")


def test_a_reader_that_has_seen_enough_ends_it_quietly(model, folder, tmp_path):
    (tmp_path / "long.svm").write_bytes((folder / "two.svm").read_bytes() * 5000)
    process = start("predict", model, tmp_path / "long.svm")
    assert process.stdout.readline() in (b"1\n", b"-1\n")
    process.stdout.close()
    process.stdin.close()
    assert process.wait(60) != 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_labels_with_line_ends_are_for_json_only(tmp_path):
    (tmp_path / "rows.csv").write_text('x,label\n1,"a\nb"\n2,c\n3,c\n0,"a\nb"\n')
    assert novikoff("fit", tmp_path / "rows.csv", "-o", tmp_path / "model.nvk").code == 0
    run = novikoff("predict", tmp_path / "model.nvk", tmp_path / "rows.csv")
    assert (run.code, run.out) == (2, "")
    run = novikoff("predict", tmp_path / "model.nvk", tmp_path / "rows.csv", "--json")
    assert run.json["predictions"] == ["a\nb", "c", "c", "a\nb"]


TABLES = {  # the table that is predicted, and what is wrong with it
    "no column": (
        lambda i: f"{i % 3}",
        "b",
        "the table lacks columns that the model uses: a. Use --missing-columns impute",
    ),
    "other values": (lambda i: f"{'abc' if i < 2 else i % 5},{i % 3}", "a,b", "a (2 of 100, such as 'abc' in "),
    "few other values": (lambda i: f"{'abc' if i < 1 else i % 5},{i % 3}", "a,b", None),
    "missing values": (lambda i: f"{['', 'NA', '?', i % 5][i % 4]},{i % 3}", "a,b", None),
}


@pytest.mark.parametrize("subcommand", ["fit", "stream"])
@pytest.mark.parametrize("case", TABLES)
def test_a_table_that_the_model_cannot_use_is_refused_unless_it_is_to_be_imputed(tmp_path, case, subcommand):
    row, header, message = TABLES[case]
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(f"{i % 5},{i % 3},{'uv'[i % 5 > 2]}\n" for i in range(100)))
    (tmp_path / "later.csv").write_text(f"{header}\n" + "".join(f"{row(i)}\n" for i in range(100)))
    done(subcommand, "t.csv", "-q", "-o", "m.nvk", folder=tmp_path)
    run = novikoff("predict", "m.nvk", "later.csv", folder=tmp_path)
    if message is None:
        assert run.code == 0, run
    else:
        assert_refused(run, message)
    run = novikoff("predict", "m.nvk", "later.csv", "--missing-columns", "impute", folder=tmp_path)
    assert (run.code, len(run.out.splitlines())) == (0, 100), run
    assert "missing" in run.err


def test_a_word_that_marked_missing_numbers_does_so_again(tmp_path):
    rows = [f"{'unknown' if i % 4 == 0 else i % 5},{i % 3},{'uv'[i % 5 > 2]}\n" for i in range(100)]
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(rows))
    assert novikoff("fit", "t.csv", "-o", "m.nvk", folder=tmp_path).code == 0
    assert novikoff("predict", "m.nvk", "t.csv", folder=tmp_path).code == 0


def test_missing_columns_are_of_tables(model, folder):
    assert_refused(novikoff("predict", model, "two.svm", "--missing-columns", "impute", folder=folder), "encode tables")
    assert_refused(novikoff("predict", model, "two.svm", "--missing-columns", "no", folder=folder), "error or impute")
