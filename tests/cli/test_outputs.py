"""Outputs are refused before the work is done, and never replace what is read."""

import pytest
from command import done, fresh, novikoff


@pytest.mark.parametrize("verb", ["fit", "stream"])
def test_a_model_does_not_replace_its_data(folder, tmp_path, verb):
    data = tmp_path / "rows.svm"
    data.write_bytes((folder / "two.svm").read_bytes())
    run = novikoff(verb, data, "-o", data)
    assert (run.code, run.out) == (2, "")
    assert "does not replace what is read" in run.err
    assert data.read_bytes() == (folder / "two.svm").read_bytes()


def test_predictions_replace_neither_model_nor_data(folder, fitted, tmp_path):
    model = tmp_path / "model.nvk"
    model.write_bytes(fitted("two.svm").read_bytes())
    run = novikoff("predict", model, folder / "two.svm", "-o", model)
    assert run.code == 2
    assert model.read_bytes() == fitted("two.svm").read_bytes()


@pytest.mark.parametrize("verb", ["fit", "stream"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path, verb):
    run = novikoff(verb, "no such data", "-o", tmp_path / "no such folder" / "model.nvk")
    assert run.code == 2
    assert "no such folder" in run.err
    run = novikoff(verb, "no such data", "-o", tmp_path)
    assert "directory" in run.err


def test_labels_with_line_ends_are_for_json_only(tmp_path):
    (tmp_path / "rows.csv").write_text('x,label\n1,"a\nb"\n2,c\n3,c\n0,"a\nb"\n')
    assert novikoff("fit", tmp_path / "rows.csv", "-o", tmp_path / "model.nvk").code == 0
    run = novikoff("predict", tmp_path / "model.nvk", tmp_path / "rows.csv")
    assert (run.code, run.out) == (2, "")
    run = novikoff("predict", tmp_path / "model.nvk", tmp_path / "rows.csv", "--json")
    assert run.json["predictions"] == ["a\nb", "c", "c", "a\nb"]


def test_a_stream_that_a_learner_refuses_ends_with_a_sentence(folder, tmp_path):
    """More is being read ahead when the first batch is refused."""
    done("stream", folder / "mails.csv", "--features", "size", "--features", "cost", "-q", "-o", tmp_path / "named.nvk")
    lines = [f"{i % 2} " + " ".join(f"{j}:1" for j in range(1, 150)) + "\n" for i in range(20_000)]
    (tmp_path / "long.svm").write_text("".join(lines))
    run = fresh("stream", tmp_path / "long.svm", "-q", "-i", tmp_path / "named.nvk", "-o", tmp_path / "next.nvk")
    assert run.code == 2
    assert "columns" in run.err
    assert "terminate" not in run.err


def test_data_are_not_written_under_the_name_of_a_model(folder, tmp_path):
    for ending in ("onnx", "nvk", "model"):
        assert novikoff("convert", folder / "two.svm", tmp_path / f"rows.{ending}").code == 2
    assert list(tmp_path.iterdir()) == []
