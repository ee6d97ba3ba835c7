"""The reference: every public name, option, setting and call of the server is on its page, and nothing else."""

import inspect
import re
from pathlib import Path

import pytest
from public_names import public_names
from typer.main import get_command

from novikoff.cli._app import application
from novikoff.serve.http.openapi import ERRORS
from novikoff.serve.http.operations import OPERATIONS
from novikoff.serve.settings import SETTINGS

DOCS = Path(__file__).parents[2] / "docs"
PUBLIC = public_names()
TOPICS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((DOCS / "api").glob("*.rst"))}
LISTED = [name for text in TOPICS.values() for name in re.findall(r"^   (novikoff\.[\w.]+)$", text, re.M)]
ADDITIONAL = {"novikoff.serve.settings.Settings"}  # what a public function takes


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_public_name_is_on_one_page_of_the_reference():
    assert sorted(set(PUBLIC) - set(LISTED)) == [], "add it to the page of its topic in docs/api/"
    assert sorted(set(LISTED) - set(PUBLIC)) == sorted(ADDITIONAL)
    assert len(LISTED) == len(set(LISTED))


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_has_a_docstring(name):
    assert len(inspect.getdoc(PUBLIC[name]).splitlines()[0]) > 10


def test_every_topic_has_a_card():
    cards = re.findall(r":link: (\w+)$", TOPICS["index"], re.M)
    assert sorted(cards) == sorted(set(TOPICS) - {"index"})


def test_every_option_of_the_command_line_is_documented():
    text = page("cli.md")
    sections = {part.split("\n")[0]: part for part in re.split(r"^## novikoff ", text, flags=re.M)[1:]}
    for name, subcommand in get_command(application()).commands.items():
        for parameter in subcommand.params:
            if parameter.param_type_name == "option":
                for option in (*parameter.opts, *parameter.secondary_opts):
                    assert f"`{option}`" in sections[name], f"novikoff {name} {option}"


def test_every_setting_of_the_server_is_documented():
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.+) \|$", page("settings.md"), re.M)
    assert {name for name, help in rows if help.strip()} == set(SETTINGS)


def test_every_call_of_the_server_is_documented():
    sections = re.findall(r"^### (?:GET|PUT|POST|DELETE) .*$", page("server-api.md"), re.M)
    assert sorted(sections) == sorted(f"### {operation.method} {operation.path}" for operation in OPERATIONS)


def test_every_call_has_an_example_and_all_of_its_errors():
    parts = re.split(r"^### ", page("server-api.md"), flags=re.M)
    for operation in OPERATIONS:
        section = next(part for part in parts if part.startswith(f"{operation.method} {operation.path}\n"))
        errors = re.search(r"^\[Errors\]\(#errors\): (.*)\.$", section, re.M)
        assert re.findall(r"\d+", errors[1] if errors else "") == [str(status) for status in sorted(operation.errors)]
        assert section.count("```sh\ncurl ") == 1
    assert all(f"| {status} | {text} |" in page("server-api.md") for status, text in ERRORS.items())
