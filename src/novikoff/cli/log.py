"""novikoff log: the log of a server, checked, shown, replayed, exported and compacted."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff import evaluate
from novikoff.errors import input_error, missing_package, quote
from novikoff.serve.names import DEFAULT_MODEL

from ._ending import NEGATIVE_VERDICT
from ._options import Json, Quiet
from ._output import Line, check_output, flag, print_result, progress

ACTIONS = ("verify", "show", "replay", "export", "compact")
OPTIONS_OF = {
    "last": ("show",),
    "model": ("replay", "export"),
    "learner": ("replay",),
    "parameter": ("replay",),
    "only_examples": ("export",),
    "output": ("replay", "export"),
    "discard": ("compact",),
}
SHOWN_RECORDS = 10


def log(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="verify, show, replay, export or compact.")],
    state: Annotated[str, typer.Argument(metavar="STATE", help="The state directory of a server.")],
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Model to replay or export.", show_default=DEFAULT_MODEL),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(metavar="LEARNER", help="Learner that replays the examples.", show_default="that of the model"),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Parameter of the learner that replays, such as C=0.1. Repeatable."),
    ] = None,
    only_examples: Annotated[
        bool,
        typer.Option("--only-examples", metavar="", help="Export what /stream takes, without what had been served."),
    ] = False,
    last: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Records to show from the end.", show_default=str(SHOWN_RECORDS)),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Model file of a replay; .ndjson, .jsonl or .parquet of an export."
        ),
    ] = None,
    discard: Annotated[
        bool, typer.Option("--discard", metavar="", help="Keep no copy of the log as it was before compaction.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check, show, replay, export or compact the log of a server, which has every example that it learned.

    verify checks the chain of checksums and every record; exit code 1 if the log is damaged. show lists the models and
    the last records. replay lets another learner learn the examples of a model, exactly as a shadow from the beginning
    would have, and prints the mistakes of both; -o saves it. export writes the examples of a model to a file. These
    four only read, also while a server runs.

    compact removes examples that snapshots have, when no server runs, and keeps the log as it was in
    log.sqlite.before-compaction. The models stay as they are, but cannot be replayed or exported from then on.
    """
    if action not in ACTIONS:
        raise input_error("log", f"{quote(action)} is not an action. Use {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}.")
    given = {
        "model": model,
        "learner": learner,
        "parameter": parameter or None,
        "only_examples": only_examples or None,
        "last": last,
        "output": output,
        "discard": discard or None,
    }
    for name, value in given.items():
        if value is not None and action not in OPTIONS_OF[name]:
            raise input_error(flag(name), f"this is an option of {' and '.join(OPTIONS_OF[name])}. Leave it out.")
    try:
        import novikoff.serve.history.past as past
    except ModuleNotFoundError as error:
        raise missing_package("log", error.name, "serve") from None
    if action == "compact":
        _compact(state, discard, quiet, json)
        return
    if action == "verify":
        _verify(state, json)
        return
    check_output("log", output)
    with past.Past(state) as opened:
        if action == "show":
            _show(past.overview(opened, SHOWN_RECORDS if last is None else last), json)
        elif action == "replay":
            parameters = _parameters(parameter or [])
            _replay(opened, model or DEFAULT_MODEL, learner, parameters, output, quiet, json)
        else:
            _export(opened, model or DEFAULT_MODEL, only_examples, output, quiet, json)


def _verify(state: str, json: bool) -> None:
    from novikoff.serve.log.errors import StoreError
    from novikoff.serve.log.store import Store

    try:
        with Store.open(Path(state), read_only=True) as store:
            found = store.verify()
    except StoreError as error:
        if error.code != "corrupt":
            raise
        print_result({"verdict": "damaged", "reason": error.message}, json, [("damaged", error.message)])
        raise typer.Exit(NEGATIVE_VERDICT) from None
    lines: list[Line] = [
        ("verdict", "whole"),
        ("records", f"{found.records:,}"),
        ("models", f"{found.models:,}"),
        ("examples", f"{found.examples:,}" + _removed(found.removed_examples)),
        ("bytes", f"{found.payload_bytes:,}"),
        ("checksum", found.checksum.hex()),
    ]
    print_result({"verdict": "whole"} | vars(found) | {"checksum": found.checksum.hex()}, json, lines)


def _removed(count: int) -> str:
    return f", of which {count:,} were removed by compaction" if count else ""


def _show(found: dict[str, Any], json: bool) -> None:
    lines: list[Line] = [
        ("records", f"{found['records']:,}"),
        ("bytes", f"{found['bytes']:,}"),
        ("checksum", found["checksum"]),
    ]
    if found["removed_examples"]:
        lines.append(("removed", f"{found['removed_examples']:,} examples, by compaction"))
    for model in found["models"]:
        words = f"{model['name']}, {model['learner']}, {model['examples']:,} examples"
        lines.append(("model", f"{words}, made by record {model['number']}"))
    for record in found["last"]:
        words = f"{record['sequence']}: {record['kind']}" + (f" of {record['model']}" if record["model"] else "")
        words += f", {record['examples']:,} examples" if record["examples"] else ""
        lines.append(("record", f"{words}, {record['bytes']:,} bytes"))
    print_result(found, json, lines)


def _parameters(given: list[str]) -> dict[str, Any]:
    """Return parameters by name; values are numbers, true, false, null and lists as in JSON, or else words."""
    found: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not name or not sign:
            raise input_error("--parameter", f"NAME=VALUE is needed, such as C=0.1, not {quote(text)}.")
        if name in found:
            raise input_error("--parameter", f"{quote(name)} is given twice. Give it once.")
        try:
            found[name] = json_module.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found


def _replay(
    past: Any,
    model: str,
    learner: str | None,
    parameters: dict[str, Any],
    output: str | None,
    quiet: bool,
    json: bool,
) -> None:
    from novikoff.online.named import named
    from novikoff.persistence import save
    from novikoff.serve.history.replay import replay

    with progress("replaying", quiet or json) as say:
        found = replay(past, model, learner, parameters, say)
    if output is not None:
        save(named(found.learner, found.names), output)
    original, own = found.original.learner, found.specification.learner
    names = (original, own) if own != original else (f"{original} of the model", f"{own} replayed")
    lines: list[Line] = [("model", model), ("examples", f"{found.examples:,}")]
    rows = f"{found.examples:,} rows, each predicted before it was learned"
    counts = (found.original_mistakes, found.mistakes, found.majority_mistakes, found.last_label_mistakes)
    original_share, own_share, *guesses = [1 - mistakes / found.examples for mistakes in counts]
    lines.append((names[0], evaluate.progressive_words(original_share, rows, *guesses)))
    lines.append((names[1], evaluate.progressive_words(own_share, rows, *guesses)))
    lines += [("saved", output)] if output is not None else []
    result = {
        "model": model,
        "examples": found.examples,
        "original": found.original.plain() | {"mistakes": found.original_mistakes},
        "replayed": found.specification.plain() | {"mistakes": found.mistakes},
        "output": output,
    }
    print_result(result, json, lines)


def _export(past: Any, model: str, only_examples: bool, output: str | None, quiet: bool, json: bool) -> None:
    from novikoff.serve.history.exporting import export

    if output is None:
        raise input_error("log", "output= is needed, a file that ends in .ndjson, .jsonl or .parquet.")
    with progress("exporting", quiet or json) as say:
        count = export(past, model, output, only_examples, say)
    lines: list[Line] = [("model", model), ("examples", f"{count:,}"), ("saved", output)]
    print_result({"model": model, "examples": count, "output": output}, json, lines)


def _compact(state: str, discard: bool, quiet: bool, json: bool) -> None:
    from novikoff.serve.history.compaction import compact

    with progress("compacting", quiet or json) as say:
        found = compact(state, discard, say)
    lines: list[Line] = [
        ("removed", f"{found.examples:,} examples in {found.records:,} records, by this and earlier compactions"),
        ("bytes", f"{found.bytes_before:,} before, {found.bytes_after:,} now"),
    ]
    lines += [("kept", found.kept)] if found.kept is not None else []
    print_result(vars(found), json, lines)
