"""docs/notes.md and examples/notes: every claim of the lecture notes has a call, a test and an assertion."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  (the first import writes a cache and says so)
import pytest

from novikoff import plot

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "examples" / "notes").glob("*.ipynb"))
CLAIMS_OF_NOTES = (8, 12, 7, 6, 10)
SECONDS = 60  # for a single cell; a whole notebook needs a few
LABEL = re.compile(r"# (?:claim (\d\.\d+)|erratum (\d[a-z]))$")


def rows_of(number):
    """The rows of all tables whose first cell is such a number, by that number."""
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in PAGE.splitlines() if line.startswith("|")]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in cells if re.fullmatch(number, row[0].strip())}


def code_cells(path):
    """The code cells of a notebook, each with the number of its claim or erratum; None if it has none."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            label = LABEL.match(source.partition("\n")[0])
            yield label and (label[1] or label[2]), source


CLAIMS, ERRATA = rows_of(r"\d\.\d+"), rows_of(r"\d[a-z]")
CELLS = {note: list(code_cells(path)) for note, path in enumerate(NOTEBOOKS)}
in_every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def names_in(cell):
    """The calls and attributes that a cell of a table names in backticks, without their arguments."""
    return [text.partition("(")[0] for text in re.findall(r"`([^`]*)`", cell)]


def is_used(name, source):
    """Whether code uses this name, or calls this method of any object."""
    return re.search(rf"{re.escape(name)}\b", source) is not None


def test_the_page_lists_exactly_43_claims_in_order():
    expected = [f"{note}.{k}" for note, count in enumerate(CLAIMS_OF_NOTES) for k in range(1, count + 1)]
    assert len(expected) == 43
    assert list(CLAIMS) == re.findall(r"^\| (\d\.\d+) \|", PAGE, re.M) == expected
    assert f"{' + '.join(map(str, CLAIMS_OF_NOTES))} = 43 claims" in PAGE


def test_every_claim_and_erratum_has_one_cell_in_the_notebook_of_its_note():
    assert [path.name[:7] for path in NOTEBOOKS] == [f"note_{note}_" for note in range(5)]
    for note, cells in CELLS.items():
        labels = [label for label, _ in cells if label is not None]
        assert labels == [number for number in [*CLAIMS, *ERRATA] if number.startswith(str(note))]


def test_every_cell_of_a_claim_or_erratum_asserts_something():
    for label, source in (cell for cells in CELLS.values() for cell in cells):
        asserts = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]
        assert asserts or label is None, label


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_has_a_call_a_picture_and_a_test_that_exist(claim):
    statement, call, picture, test = CLAIMS[claim]
    assert statement.endswith(".")
    cells = CELLS[int(claim[0])]
    place = [label for label, _ in cells].index(claim)
    until = "\n".join(source for _, source in cells[: place + 1])
    assert names_in(call)
    assert [name for name in names_in(call) if not is_used(name, until)] == []
    assert any(is_used(name, cells[place][1]) for name in names_in(call))
    assert picture
    for name in names_in(picture):
        assert name == "Trace.plot" or hasattr(plot, name), name
        drawn = name.replace("Trace", "")
        assert is_used(drawn, "\n".join(source for _, source in cells)), name
    path, name = re.fullmatch(r"`(tests/[a-z_/]+\.py)::(test_\w+)`", test).groups()
    body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    assert name in {node.name for node in body if isinstance(node, ast.FunctionDef)}


@in_every_notebook
def test_a_notebook_is_stored_without_outputs_and_as_jupyter_writes_it(path):
    text = path.read_text(encoding="utf-8")
    book = json.loads(text)
    assert text == json.dumps(book, indent=1, ensure_ascii=False) + "\n"
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    used = [cell["id"] for cell in code if cell["outputs"] or cell["execution_count"] is not None]
    assert used == [], 'clear them with "Restart Kernel and Clear Outputs of All Cells" in Jupyter'
    assert {key for cell in book["cells"] for key in cell["metadata"]} == set()
    assert set(book["metadata"]) == {"kernelspec", "language_info"}


@pytest.mark.slow
@in_every_notebook
def test_a_notebook_runs_without_an_error_and_without_a_warning(path, tmp_path):
    command = [sys.executable, ROOT / "tests" / "run_notebook.py", path, tmp_path / "run.ipynb", str(SECONDS)]
    run = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=5 * SECONDS)
    assert run.returncode == 0, run.stderr
    cells = json.loads((tmp_path / "run.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [(cell["id"], output) for cell in cells for output in cell.get("outputs", ())]
    assert [(cell, output["text"]) for cell, output in outputs if output.get("name") == "stderr"] == []
    assert any("image/png" in output.get("data", {}) for _, output in outputs)
