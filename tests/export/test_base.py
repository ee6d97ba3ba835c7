"""The registry of export formats, and a format of another package in it."""

import numpy as np
import pytest
from typer.testing import CliRunner

import novikoff as nk
from novikoff.cli._app import application
from novikoff.export import EXPORTS, ExportFormat, format_by_suffix, format_of_file

X, Y = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]]), np.array([0, 0, 1, 1])


class Weights(ExportFormat):
    """One line of text: the weights and the intercept."""

    name = "weights"
    suffixes = (".weights",)
    can_read = True

    def write(self, record, path):
        [problem] = record.problems
        with open(path, "w") as file:
            print("weights", *problem.weights.tolist(), problem.intercept, file=file)

    def recognizes(self, beginning):
        return beginning.startswith(b"weights ")

    def read(self, path):
        with open(path) as file:
            *coef, intercept = map(float, file.read().split()[1:])
        return nk.LinearClassifier.of([coef], [intercept], [0, 1])


@pytest.fixture
def registered():
    EXPORTS.register("weights", Weights())
    yield
    EXPORTS.unregister("weights")


@pytest.fixture
def saved(tmp_path):
    model = nk.LinearSVM().fit(X, Y)
    model.save(tmp_path / "model.nvk")
    return tmp_path / "model.nvk"


def convert(*arguments):
    return CliRunner().invoke(application(("convert",)), ["convert", *map(str, arguments)])


@pytest.mark.usefixtures("registered")
def test_a_format_from_outside_is_written_and_read_by_convert(saved, tmp_path):
    model = nk.load(saved)
    assert convert(saved, tmp_path / "model.weights").exit_code == 0
    text = (tmp_path / "model.weights").read_text()
    assert [float(word) for word in text.split()[1:]] == [*model.coef_[0], *model.intercept_]
    assert convert(saved, tmp_path / "other", "--to", "weights").exit_code == 0
    assert (tmp_path / "other").read_text() == text
    assert convert(tmp_path / "other", tmp_path / "again.nvk").exit_code == 0
    again = nk.load(tmp_path / "again.nvk")
    assert again.decision_function(X).tolist() == pytest.approx(model.decision_function(X).tolist())


def test_a_format_that_is_not_registered_is_refused(saved, tmp_path):
    for arguments in ((tmp_path / "model.weights",), (tmp_path / "model", "--to", "weights")):
        run = convert(saved, *arguments)
        assert run.exit_code == 2
        assert f"is not a format of models. Use --to {', '.join(EXPORTS)}, or an ending among " in run.output
    assert [path.name for path in tmp_path.iterdir()] == ["model.nvk"]


def test_every_format_keeps_the_contract():
    for name, export_format in EXPORTS.items():
        assert export_format.name == name
        assert export_format.suffixes
        assert all(suffix == suffix.lower() and suffix[0] == "." for suffix in export_format.suffixes)
        assert format_by_suffix(f"MODEL{export_format.suffixes[0].upper()}") is export_format
    suffixes = [suffix for export_format in EXPORTS.values() for suffix in export_format.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_a_format_is_found_by_the_first_bytes_if_it_can_be_read(saved, tmp_path):
    model = nk.load(saved)
    for name, export_format in EXPORTS.items():
        export_format.write(model.record_, tmp_path / name)
        found = format_of_file(tmp_path / name)
        assert found is (export_format if export_format.can_read else None)
    assert format_of_file(tmp_path / "none") is None
    assert format_of_file(tmp_path) is None
