"""Write docs/cli.md from the command line itself: make docs. A test fails if the page is out of date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer.main import get_command

from novikoff.cli._app import HELP, SUBCOMMANDS, application

BEGIN = """# The command line

`pip install 'novikoff[cli]'` installs it; the report also needs `pip install 'novikoff[plot]'`. This page is
generated from the help texts by `make docs`. Its examples run in this order in a folder with the table
`tumours.csv`, which `make demo` writes to `out/`, and those of `novikoff log` with the state directory `models` of a
server.

`--help` shows the common options of a subcommand. Where there are more, `--help-all` shows all, as this page does.

Results go to standard output, messages to standard error. With `--json` a subcommand prints one JSON object and
nothing else. Progress bars and colours appear on a terminal only. An error is one or two sentences, without a
traceback. Files are written completely or not at all. A result that standard output cannot take, because it is closed
or full, is exit code 2 after all files have been written; a pipe that nobody reads any more ends the process by the
signal SIGPIPE, without a message, but `novikoff stream -o` saves its model first and ends with 2. A message that
standard error cannot take is dropped, and changes no exit code.

Labels, names of columns and file names may hold anything, also what would move the cursor of a terminal or forge a
line. All text for people, on a terminal or not, therefore shows control characters, bidirectional controls and
invisible characters as escapes such as `\\x1b` and `\\u202e`. JSON holds the exact text in ASCII. The labels that
`predict` prints are exact in files and pipes, and escaped on a terminal. The report is escaped in the same way.

Under a limit on memory (`ulimit -v`) of less than 384 MB the command does not start. `novikoff --install-completion`
sets up the completion of subcommands and options in the shell.

"""


def page() -> str:
    """Return the whole page."""
    command: Any = get_command(application())
    parts = [BEGIN + "\n".join(HELP.splitlines()[2:]) + "\n"]
    for name, subcommand in command.commands.items():
        examples = "\n".join(f"$ novikoff {example}" for example in SUBCOMMANDS[name].examples)
        parts += [f"## novikoff {name}\n", _usage(name, subcommand), subcommand.help]
        parts += [f"```console\n{examples}\n```", _tables(subcommand)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _usage(name: str, subcommand: Any) -> str:
    arguments = [p.metavar or p.name.upper() for p in subcommand.params if p.param_type_name == "argument"]
    return " ".join(["    novikoff", name, *arguments, "[OPTIONS]"])


def _tables(subcommand: Any) -> str:
    """Return the options as one table per heading of the help."""
    panels: dict[str, list[str]] = {}
    for parameter in subcommand.params:
        if parameter.param_type_name == "argument":
            continue
        names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
        value = " " + parameter.metavar.replace("|", "\\|") if parameter.metavar else ""
        panel = getattr(parameter, "rich_help_panel", None) or "Options"
        text = (parameter.help or "").replace("|", "\\|")
        panels.setdefault(panel, []).append(f"| {names}{value} | {text}{_default(parameter)} |")
    return "\n\n".join(f"| {panel} | meaning |\n|---|---|\n" + "\n".join(rows) for panel, rows in panels.items())


def _default(parameter: Any) -> str:
    shown = parameter.show_default
    if isinstance(shown, str):
        return f" Default: {shown}."
    return f" Default: {parameter.default}." if shown and parameter.default not in (None, False, ()) else ""


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page(), encoding="utf-8")
