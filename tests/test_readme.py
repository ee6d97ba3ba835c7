"""What the README and the page of the command line show is run, and that page is what the command line says."""

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CLI_PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def module_at(path):
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_the_code_runs(code, capsys):
    exec(code, {"nk": __import__("novikoff")})
    assert capsys.readouterr().out


def test_the_first_screen_has_two_commands():
    commands = re.findall(r"^(make [a-z-]+)", README, re.M)
    assert commands == ["make demo", "make test"]


@pytest.mark.parametrize(
    "name",
    ["CONTRIBUTING.md", "CHANGELOG.md"]
    + [f"docs/{page}.md" for page in ["cli", "data", "export", "models", "report", "separability", "svm", "theory"]],
)
def test_pages_it_links_to_exist(name):
    assert f"({name})" in README
    assert (Path(__file__).parents[1] / name).is_file()


def test_the_page_of_the_command_line_is_what_it_says_of_itself():
    made = module_at(ROOT / "docs" / "make_cli.py").page()
    assert made == CLI_PAGE, "run python docs/make_cli.py"


@pytest.mark.parametrize("page", [README, CLI_PAGE], ids=["README", "cli"])
def test_every_command_runs(page, tmp_path):
    commands = [line[2:] for line in page.splitlines() if line.startswith("$ ")]
    assert len(commands) >= 4
    module_at(ROOT / "examples" / "demo.py").write_table(tmp_path / "tumours.csv")
    for command in commands:
        program, *arguments = shlex.split(command, comments=True)
        assert program == "novikoff"
        subprocess.run([sys.executable, "-m", "novikoff", *arguments], cwd=tmp_path, check=True, capture_output=True)


def test_the_summary_that_the_readme_shows_is_what_fit_says(tmp_path):
    module_at(ROOT / "examples" / "demo.py").write_table(tmp_path / "tumours.csv")
    command = [sys.executable, "-m", "novikoff", "fit", "tumours.csv", "-o", "model.nvk"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    begin = README.index("data          tumours.csv")
    shown = README[begin : README.index("```", begin)]
    timeless = [[line for line in text.splitlines() if not line.startswith("time ")] for text in (said, shown)]
    assert timeless[0] == timeless[1]


def test_the_demo_runs_and_names_three_commands_that_run(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    following = re.findall(r"^  novikoff (.*?) +#", done.stdout, re.M)
    assert (tmp_path / "out" / "report.html").stat().st_size > 1_000_000  # all of it is in the file
    assert len(following) == 3
    for arguments in following:
        subprocess.run(
            [sys.executable, "-m", "novikoff", *shlex.split(arguments)], cwd=tmp_path, check=True, capture_output=True
        )
