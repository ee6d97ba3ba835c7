"""Commands of the pages that are shown and not run: their subcommands, options and targets exist."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from novikoff.cli._app import application

ROOT = Path(__file__).parents[2]
NAMED = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*NAMED, *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SUBCOMMANDS = get_command(application()).commands
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
FOR_ALL = {"--help", "--help-all", "--version", "--install-completion", "--show-completion"}


def commands(text):
    """Each command of the blocks of a page, as words."""
    for block in SHELL.findall(text):
        lines = re.sub(r"\\\n\s*", " ", block).splitlines()
        shown = [line.removeprefix("$ ") for line in lines if not block.startswith("$ ") or line.startswith("$ ")]
        for line in shown:
            for part in re.split(r"\s(?:\||&&|;)\s|[&;]$", line):
                try:
                    words = shlex.split(part, comments=True)
                except ValueError:  # a line of a quoted text
                    continue
                yield [word for word in words if not re.fullmatch(r"[A-Z_]+=\S*|sudo", word)]


def mistakes(text):
    for words in commands(text):
        if words[:1] == ["novikoff"] and len(words) > 1 and not words[1].startswith("-"):
            if words[1] not in SUBCOMMANDS:
                yield " ".join(words)
                continue
            known = {option for p in SUBCOMMANDS[words[1]].params for option in (*p.opts, *p.secondary_opts)}
            options = {word.partition("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)}
            yield from (f"novikoff {words[1]} {option}" for option in sorted(options - known - FOR_ALL))
        elif words[:1] == ["make"]:
            yield from (f"make {word}" for word in words[1:] if word not in TARGETS and not word.startswith("-"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_exist(path):
    assert list(mistakes(path.read_text(encoding="utf-8"))) == []


def test_commands_that_do_not_exist_are_found():
    text = "```sh\nnovikoff fit a.csv --nothing 3 # why\nmake nothing\nls | novikoff gess\nmake test\n```\n"
    assert list(mistakes(text)) == ["novikoff fit --nothing", "make nothing", "novikoff gess"]
