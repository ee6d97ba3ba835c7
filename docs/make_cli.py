"""Writes docs/cli.md from the command line itself: python docs/make_cli.py. A test fails where they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer.main import get_command

from novikoff.cli._app import HELP, application

BEGIN = """# The command line

`pip install 'novikoff[cli]'` brings it; `pip install 'novikoff[cli,plot]'` the report, too. This page is made from the
help texts by `python docs/make_cli.py`.

```console
$ novikoff fit tumours.csv -o model.nvk       # read, solve, prove, save; make demo writes this table to out/
$ novikoff certify model.nvk tumours.csv      # check the proof, without the solver's code
$ novikoff separable tumours.csv              # can the classes be separated at all?
$ novikoff predict model.nvk tumours.csv -o predictions.txt
$ novikoff score model.nvk tumours.csv
$ novikoff inspect model.nvk
$ novikoff report model.nvk tumours.csv -o report.html
$ novikoff stream tumours.csv -o online.nvk   # predict, then learn, one row after the other
$ novikoff stream -i online.nvk -o online.nvk tumours.csv
$ novikoff convert model.nvk model.json         # for other programs; or model.onnx, or model.txt for LIBLINEAR
```

Results go to standard output, messages to standard error. With `--json` a verb prints one JSON object and nothing else.
Bars and colours appear on a terminal only. `novikoff --install-completion` teaches the shell to complete verbs and
options.

"""


def page() -> str:
    """The whole page."""
    command: Any = get_command(application())
    parts = [BEGIN + "\n".join(HELP.splitlines()[2:]) + "\n"]
    for name, verb in command.commands.items():
        parts.append(f"## novikoff {name}\n\n{_usage(name, verb)}\n\n{_prose(verb)}\n\n{_table(verb)}\n")
    return "\n".join(parts)


def _usage(name: str, verb: Any) -> str:
    arguments = [p.metavar or p.name.upper() for p in verb.params if p.param_type_name == "argument"]
    return f"    novikoff {name} {' '.join(arguments)} [OPTIONS]"


def _prose(verb: Any) -> str:
    return "\n".join(line.strip() for line in verb.callback.__doc__.strip().splitlines())


def _table(verb: Any) -> str:
    panels: dict[str, list[str]] = {}
    for parameter in verb.params:
        if parameter.param_type_name == "argument":
            continue
        names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
        value = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
        default = parameter.default
        shown = "" if default in (None, False, ()) or parameter.is_flag else f" Default: {default}."
        panel = getattr(parameter, "rich_help_panel", None) or "Options"
        text = (parameter.help or "").replace("|", "\\|")
        panels.setdefault(panel, []).append(f"| {names}{value} | {text}{shown} |")
    return "\n\n".join(f"| {panel} | |\n|---|---|\n" + "\n".join(rows) for panel, rows in panels.items())


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page())
