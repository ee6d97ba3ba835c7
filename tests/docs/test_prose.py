"""The style of the pages, which `make lint` checks: mistakes are found, with the line of the page."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def check_prose():
    pytest.importorskip("proselint", reason="proselint is not installed (make lint)")
    spec = importlib.util.spec_from_file_location("check_prose", ROOT / "tools" / "check_prose.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_remarks_have_the_line_of_the_page_and_code_has_none():
    text = "# The the\n\n```python\nthe the\n```\n\nThe margin of of a plane, `of of` it.\n\n| a | a |\n"
    found = check_prose().remarks({"page.md": text})
    assert len(found) == 1
    assert found[0].startswith("page.md:7:")
    assert "of of" in found[0]


def test_the_pages_are_those_that_people_write():
    names = {path.relative_to(ROOT).as_posix() for path in check_prose().pages()}
    assert {"README.md", "CHANGELOG.md", "docs/index.md", "docs/svm.md", "docs/guide/index.md"} <= names
    assert not any("generated" in name for name in names)
