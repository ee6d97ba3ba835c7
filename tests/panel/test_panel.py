"""Raw files through all subcommands: without options, or with the one option that the refusal names."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import Run, novikoff
from raw_files import FILES, RawFile, Table

NAMED = [file for file in FILES if file.names_columns]
BINARY = [file for file in FILES if len(set(file.table().labels)) == 2]
OPTION = re.compile(r"(--[a-z-]+)(?: (last|first)\b)?")


@dataclass(frozen=True)
class Fitted:
    """A raw file on the disk, and the model that was fitted to it."""

    file: RawFile
    table: Table
    folder: Path
    run: Run
    option: tuple[str, ...]

    @property
    def data(self):
        return self.folder / self.file.name

    @property
    def model(self):
        return self.folder / "model.nvk"

    def write(self, table, prefix):
        """Write another table in the same dialect, and return its path."""
        path = self.folder / f"{prefix}_{self.file.name}"
        path.write_bytes(self.file.write(table))
        return path


def with_named_option(known, *arguments):
    """Run a subcommand; if it is refused, run it once more with the option that the refusal names.

    ``known`` has the values of the options that a user would know.
    """
    run = novikoff(*arguments)
    if run.code != 2:
        return run, ()
    named, value = OPTION.search(run.err).groups()
    option = (named, known.get(named, value)) if known.get(named, value) else (named,)
    return novikoff(*arguments, *option), option


@pytest.fixture(scope="module", params=FILES, ids=lambda file: file.name)
def fitted(request, tmp_path_factory):
    file, folder = request.param, tmp_path_factory.mktemp("panel")
    table = file.table()
    path = folder / file.name
    path.write_bytes(file.write(table))
    run, option = with_named_option({"--target": table.label}, "fit", path, "-o", folder / "model.nvk")
    assert run.code == 0, run
    return Fitted(file, table, folder, run, option)


def done(*arguments):
    run = novikoff(*arguments)
    assert run.code == 0, run
    return run


def predictions(fitted, path):
    return done("predict", fitted.model, path).out.splitlines()


def test_the_note_says_how_the_file_was_read(fitted):
    assert fitted.file.read_as in fitted.run.err
    for name in fitted.file.left_out:
        assert re.search(rf"\b{name}\b", fitted.run.err), fitted.run


def test_rows_are_predicted_as_well_as_a_plane_can(fitted):
    score = done("score", fitted.model, fitted.data, "--json").json
    assert score["accuracy"] >= fitted.file.accuracy
    agreed = [one == other for one, other in zip(predictions(fitted, fitted.data), fitted.table.labels, strict=True)]
    assert sum(agreed) / len(agreed) == pytest.approx(score["accuracy"])


def test_labels_are_not_needed_to_predict(fitted):
    unlabelled = fitted.write(fitted.table.without(fitted.table.label), "unlabelled")
    assert predictions(fitted, unlabelled) == predictions(fitted, fitted.data)


@pytest.mark.parametrize("fitted", NAMED, ids=lambda file: file.name, indirect=True)
def test_the_order_of_named_columns_does_not_matter(fitted):
    turned = fitted.write(fitted.table.arranged(fitted.table.columns[::-1]), "turned")
    assert predictions(fitted, turned) == predictions(fitted, fitted.data)


def test_missing_values_and_unknown_categories_are_counted(fitted):
    unusual = fitted.table.unusual()
    run = done("predict", fitted.model, fitted.write(unusual, "unusual"))
    assert len(run.out.splitlines()) == len(unusual.rows)
    assert set(run.out.splitlines()) <= set(fitted.table.labels)
    assert "missing" in run.err or "did not occur" in run.err, run


@pytest.mark.parametrize("fitted", NAMED, ids=lambda file: file.name, indirect=True)
def test_a_column_that_is_missing_is_refused_or_counts_as_missing_values(fitted):
    used = fitted.file.shown[0].split("=")[0].split(":")[0]
    narrow = fitted.write(fitted.table.without(used), "narrow")
    refused = novikoff("predict", fitted.model, narrow)
    assert (refused.code, refused.out) == (2, "")
    assert f"the table lacks columns that the model uses: {used}. Use --missing-columns impute" in refused.err
    run = done("predict", fitted.model, narrow, "--missing-columns", "impute")
    assert len(run.out.splitlines()) == len(fitted.table.rows)
    assert used in run.err


def test_the_model_is_certified_from_the_raw_file(fitted):
    assert done("certify", fitted.model, fitted.data, "--json").json["verdict"] == "proved"


def test_inspect_names_the_columns(fitted):
    found = done("inspect", fitted.model, "--top", 100_000, "--json").json["weights"]
    names = {entry["feature"] for problem in found for entry in problem["largest"]}
    assert names >= set(fitted.file.shown)
    assert not any(name.isdigit() for name in names)
    assert not any(re.match(rf"{name}\b", shown) for name in fitted.file.left_out for shown in names)


def every_fourth(files):
    """Files for a test of what does not depend on their formats: a fourth of them, and the others if slow ones run."""
    return [pytest.param(file, marks=pytest.mark.slow if k % 4 else ()) for k, file in enumerate(files)]


@pytest.mark.parametrize("fitted", every_fourth(FILES), ids=lambda file: file.name, indirect=True)
def test_a_report_names_the_columns(fitted):
    found = done("inspect", fitted.model, "--top", 1, "--json").json["weights"]
    done("report", fitted.model, fitted.data, "-o", fitted.folder / "report.html")
    page = (fitted.folder / "report.html").read_text()
    largest = [problem["largest"][0]["feature"] for problem in found]
    assert any(name in page for name in (*fitted.file.shown, *largest))


@pytest.mark.parametrize("fitted", every_fourth(BINARY), ids=lambda file: file.name, indirect=True)
def test_two_classes_are_separable_or_not(fitted):
    run = novikoff("separable", fitted.data, "--json", *fitted.option)
    assert run.code in (0, 1), run
    assert run.json["kind"] in ("complete", "quasi-complete", "overlap")


def streamed(fitted):
    """The model of a stream of the file."""
    model = fitted.folder / "streamed.nvk"
    run = done("stream", fitted.data, "-o", model, "--json", *fitted.option)
    assert run.json["examples"] == len(fitted.table.rows)
    return model


@pytest.mark.parametrize("fitted", every_fourth(FILES), ids=lambda file: file.name, indirect=True)
def test_a_stream_of_the_file_is_certified(fitted):
    assert done("certify", streamed(fitted), fitted.data, "--json").json["verdict"] == "proved"


def test_a_stream_of_the_file_names_the_columns_and_goes_on(fitted):
    model = streamed(fitted)
    found = done("inspect", model, "--json").json["weights"]
    assert not any(entry["feature"].isdigit() for problem in found for entry in problem["largest"])
    done("predict", model, fitted.write(fitted.table.unusual(), "unusual"))
    done("stream", fitted.data, "-i", model, "-o", model, "--json")
    assert done("score", model, fitted.data, "--json").json["accuracy"] > 0.8


def test_a_small_table_makes_a_small_model(tmp_path):
    text = "text,label\nfree money now,spam\nsee you at home,ham\ncash prize call,spam\ndinner with you,ham\n"
    (tmp_path / "small.csv").write_text(text)
    done("fit", tmp_path / "small.csv", "-o", tmp_path / "small.nvk")
    assert (tmp_path / "small.nvk").stat().st_size < 20_000
