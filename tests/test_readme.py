"""What the README shows is run."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_the_code_runs(code, capsys):
    exec(code, {"nk": __import__("novikoff")})
    assert capsys.readouterr().out


def test_the_first_screen_has_two_commands():
    commands = re.findall(r"^(make [a-z-]+)", README, re.M)
    assert commands == ["make demo", "make test"]


@pytest.mark.parametrize(
    "name", ["CONTRIBUTING.md", "CHANGELOG.md", "docs/data.md", "docs/separability.md", "docs/svm.md", "docs/theory.md"]
)
def test_pages_it_links_to_exist(name):
    assert f"({name})" in README
    assert (Path(__file__).parents[1] / name).is_file()
