"""Write docs/settings.md from the table of settings: make docs. A test fails if the page is out of date."""

from __future__ import annotations

from pathlib import Path

from novikoff.serve.settings import SETTINGS, Setting, shown

BEGIN = """# Settings of the server

`novikoff serve` takes each setting from the first of these places that has it:

1. the command line: `--max-body 1MiB`;
2. the environment: `NOVIKOFF_SERVE_MAX_BODY=1MiB`;
3. the settings file in TOML that `--settings FILE` or `NOVIKOFF_SERVE_SETTINGS` names: `max_body = "1MiB"`;
4. the default.

`novikoff serve --check` prints the settings in force and where each comes from. A setting that does not exist, or a
value that is not allowed, is an error. Sizes are bytes, or have a unit: `512KiB`, `64MiB`, `1GiB`. This page is
generated from the table of settings by `make docs`; [the manual of the server](server.md) explains what they are for.

A settings file may also list models, each with its learner, the parameters of the learner, the labels if they are
known, the settings of [`Hashing`](data.md) for texts, and shadow learners. A model is made when the server starts,
unless it exists. One that exists keeps its specification, with a warning if the file has another one:

```text
port = 9000
durability = "full"

[models.spam]
learner = "arow"
parameters = { r = 0.5 }
hashing = { n_bits = 20 }

[models.spam.shadows.simple]
learner = "perceptron"
```
"""


def page() -> str:
    """Return the whole page."""
    groups: dict[str, list[Setting]] = {}
    for setting in SETTINGS.values():
        groups.setdefault(setting.group, []).append(setting)
    parts = [BEGIN]
    for group, settings in groups.items():
        rows = "\n".join(map(_row, settings))
        parts.append(f"## {group}\n\n| setting | default | allowed | meaning |\n|---|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _row(setting: Setting) -> str:
    default = "" if setting.default is None else f"`{shown(setting.default, setting.kind)}`"
    return f"| `{setting.name}` | {default} | {setting.allowed} | {setting.help} |"


if __name__ == "__main__":
    Path(__file__).with_name("settings.md").write_text(page(), encoding="utf-8")
