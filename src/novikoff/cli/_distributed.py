"""novikoff fit --on: files as partitions, fitted in rounds on a cluster or on threads."""

from __future__ import annotations

import dataclasses
import os
import shlex
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from novikoff._counts import counted
from novikoff._learner_names import LEARNERS
from novikoff.data.batch import Batch
from novikoff.data.hashing import Hashing
from novikoff.distributed.files import files_data, files_of
from novikoff.distributed.fitting import Outcome, fit_outcome
from novikoff.distributed.plan import PLANS
from novikoff.distributed.rounds import Data
from novikoff.errors import InvalidInputError, input_error
from novikoff.evaluate import warnings_of
from novikoff.online import stopped_in_words
from novikoff.persistence import model_file

from ._certificates import certificate_lines, learner_words, problem_words
from ._halting import fitted_quietly
from ._learner_options import build
from ._model import match_columns, print_notes, target_lines, target_result
from ._options import reading_from
from ._output import Line, as_fit_options, check_output, flag, print_result, progress
from ._quality import Quality, on_test_rows
from ._scores import accuracy_line, as_result, class_lines
from ._weights import convert_class_weight

OF_ENCODERS = ("scale", "idf", "keep", "no_indicator", "max_categories")  # which need a pass over all rows
OF_CROSS_VALIDATION = ("cs", "c_max", "selection", "scoring")
MISSING = ("error", "zero", "indicator")
NOTHING_HELD_OUT = "nothing: with --on, the accuracy is measured with --test DATA only"
MAX_CLASSES_LISTED = 6


@dataclass(frozen=True)
class Command:
    """The options of ``novikoff fit`` that a fit in rounds takes; see there for each."""

    data: str
    output: str | None
    learner: str
    test: str | None
    on: str | None
    checkpoint: str | None
    checkpoint_every: int | None
    format: str | None
    quiet: bool
    json: bool
    certificates: bool


def fit_in_rounds(command: Command, others: dict[str, Any], options: dict[str, Any]) -> None:
    """Fit, save and print, as ``novikoff fit --on`` does.

    Parameters
    ----------
    command : Command
        The options.
    others : dict
        Options that cannot be combined with ``--on``, which are refused if they were given.
    options : dict
        The options of files, of tables and of the learner.
    """
    if command.on is None:
        name = "--checkpoint-every" if command.checkpoint is None else "--checkpoint"
        raise input_error(name, "this is an option of a fit in rounds. Use --on with it, such as --on local.")
    if command.checkpoint is None and command.checkpoint_every is not None:
        raise input_error("--checkpoint-every", "this needs a directory. Use --checkpoint DIR with it.")
    _refuse(others | {name: options.pop(name, None) for name in OF_CROSS_VALIDATION}, options)
    files = files_of("fit", command.data)
    check_output("fit", command.output, *files, command.test)
    reading = _reading(command, files, options)
    model = build(command.learner, LEARNERS, options)
    if type(model).__name__ not in PLANS:
        known = ", ".join(name for name, kind in LEARNERS.items() if kind.__name__ in PLANS)
        raise input_error("--learner", f"with --on, it must be one of {known}, not {command.learner}.")
    began = time.perf_counter()
    with progress("reading", command.quiet):
        data = _described(files, reading)
    match_labels(model, data)
    test = None if command.test is None else _test_rows(command, data)
    with progress(type(model).__name__, command.quiet) as update:
        arguments: dict[str, Any] = {"on": command.on, "checkpoint": command.checkpoint, "progress": update}
        if command.checkpoint_every is not None:
            arguments["checkpoint_every"] = command.checkpoint_every
        found: list[Outcome] = []
        call = partial(_fitted, found, model, files, arguments | reading)
        unfinished = fitted_quietly(model, call)
    seconds = time.perf_counter() - began
    if command.output is not None:
        model_file.save(model, command.output)
    X = None if test is None else match_columns("fit", model.n_features_in_, data.reading, test, command.quiet)
    quality = None if test is None else on_test_rows(model, Batch(X, *test[1:]), str(command.test))
    columns = getattr(data.parts[0][1], "columns", None)  # of a table
    target = (None,) if columns is None else (columns.target, columns.choice, columns.rivals)
    _print(command, found[0], quality, unfinished, seconds, target)


def _fitted(found: list[Outcome], model: Any, files: list[str], arguments: dict[str, Any]) -> None:
    """Fit a model, and append what is known about the fit."""
    found.append(fit_outcome(model, files, **arguments))


def _refuse(others: dict[str, Any], options: dict[str, Any]) -> None:
    """Refuse options that need all rows on one machine."""
    for name, value in others.items():
        if value:
            shown = {"cs": "--Cs", "c_max": "--C-max"}.get(name, flag(name))
            raise input_error(shown, "this cannot be combined with --on. Leave one of them out.")
    for name in OF_ENCODERS:
        if options.get(name) and options[name] not in ("running", "none"):
            reason = "this needs a pass over all rows before the first one is learned, and cannot be combined with --on"
            raise input_error(flag(name), f"{reason}. Leave one of them out.")
    if options.get("missing") not in (None, *MISSING):
        raise input_error("--missing", f"with --on, it must be {', '.join(MISSING[:-1])} or {MISSING[-1]}.")


def _reading(command: Command, files: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Take the options that say how files become rows out of those of the subcommand."""
    missing, bits = options.get("missing"), options.get("hash_bits")
    if options.get("scale") == "none":
        options["scale"] = None
    filled = next((path for path in files if os.path.getsize(path)), files[0])
    reading, _ = reading_from(options, filled, command.format)
    given: dict[str, Any] = {
        "format": command.format,
        "target": reading.target,
        "features": reading.features,
        "exclude": reading.exclude or None,
        "weight": reading.weight,
        "text": reading.text or None,
        "missing": missing,
        "hashing": None if bits is None else Hashing(**dataclasses.asdict(reading.hashing)),
        **({} if reading.dialect is None else vars(reading.dialect)),
        "index_base": None if reading.index_base == 1 else reading.index_base,
    }
    return {name: value for name, value in given.items() if value is not None}


def _described(files: list[str], reading: dict[str, Any]) -> Data:
    """Return the partitions, with errors in the words of the command line."""
    try:
        return files_data("fit", files, **reading)
    except InvalidInputError as error:
        error.args = (str(error).replace("hashing=Hashing(n_bits=20)", "--hash-bits 20"),)
        raise


def match_labels(model: Any, data: Data) -> None:
    """Convert the text in the keys of ``class_weight`` to the type of the labels of the first partition with rows."""
    if isinstance(getattr(model, "class_weight", None), dict):
        blocks = (data.make(*part) for part in data.parts)
        labels = next((block.y for block in blocks if block.count), None)
        if labels is not None:
            convert_class_weight(model, labels)


def _test_rows(command: Command, data: Data) -> Batch:
    """Return the rows of the test file, which are refused before the fit if they cannot be read."""
    batch: Batch = data.reading.read("fit", command.test)
    print_notes(batch, command.quiet or command.json)
    return batch


def _print(
    command: Command,
    outcome: Outcome,
    quality: Quality | None,
    unfinished: list[str],
    seconds: float,
    target: tuple[Any, ...],
) -> None:
    """Print what was done."""
    record, survey = outcome.estimator.record_, outcome.survey
    scores = None if quality is None else quality.scores
    rows = "" if quality is None else quality.rows
    warnings = [*as_fit_options(warnings_of(scores, record, rows=rows)), *unfinished]
    labels, counts = survey.classes("fit")
    noun = "weight" if survey.has_weights else "rows"
    numbers = [count if survey.has_weights else int(count) for count in counts.tolist()]
    result: dict[str, Any] = target_result(*target) | {
        "rows": survey.count,
        "columns": survey.columns,
        "partitions": len(survey.rows),
        "classes": [{"label": label, noun: number} for label, number in zip(labels.tolist(), numbers, strict=True)],
        "learner": record.learner,
        "strategy": record.strategy.name,
        "parameters": {name: value for name, value in record.parameters.items() if name != "verbose"},
        "engine": outcome.engine,
        "rounds": outcome.rounds,
        "bytes_sent": outcome.bytes_sent,
        "seconds": {"fit": seconds},
        "problems": [problem.name for problem in record.problems],
        "certificates": [dict(certificate.claims()) for certificate in record.certificates],
        "warnings": warnings,
    }
    if scores is not None:
        result |= {"test_accuracy": scores.accuracy, "test": as_result(scores)}
    if hasattr(outcome.estimator, "stopped_"):
        result |= {"passes": outcome.estimator.n_iter_, "stopped": outcome.estimator.stopped_}
    if command.output is not None:
        result["model"] = command.output
    lines = _lines(command, result, record, quality, labels)
    print_result(result, command.json, [*target_lines(*target), *lines])


def _lines(command: Command, result: dict[str, Any], record: Any, quality: Quality | None, labels: Any) -> list[Line]:
    """Return the result as lines for a person."""
    classes = result["classes"]
    named = "; ".join(
        f"{entry['label']}: {entry.get('rows', entry.get('weight')):,}" for entry in classes[:MAX_CLASSES_LISTED]
    )
    named += "; ..." * (len(classes) > MAX_CLASSES_LISTED)
    shape = ", ".join(counted(result[f"{noun}s"], noun) for noun in ("row", "column", "partition"))
    passes = [("passes", stopped_in_words(result["passes"], result["stopped"]))] if "stopped" in result else []
    problem = "" if command.certificates else problem_words(record)  # claims say it, too
    rounds = f"{counted(result['rounds'], 'round')} on {result['engine']}, {result['bytes_sent']:,} bytes sent"
    lines: list[Line] = [
        ("held out", NOTHING_HELD_OUT) if quality is None else accuracy_line(quality.scores, quality.rows),
        *[("warning", sentence) for sentence in result["warnings"]],
        *([] if quality is None else class_lines(quality.scores, labels, "test rows")),
        ("data", f"{command.data}: {shape}"),
        ("classes", f"{len(classes)} ({named})"),
        ("learner", ", ".join(filter(None, (learner_words(record), problem)))),
        *passes,
        *certificate_lines(record, command.certificates, "--certificates shows all claims"),
        ("rounds", rounds),
        ("time", f"{result['seconds']['fit']:.2f} s to read and fit"),
    ]
    if command.output is None:
        return [*lines, ("saved", "no; use -o MODEL to save it")]
    size = counted(os.path.getsize(command.output), "byte")
    check = f"; check it with: novikoff certify {shlex.quote(command.output)} {shlex.quote(command.data)}"
    saved = f"{command.output}, fitted to all {counted(result['rows'], 'row')}, {size}"
    return [*lines, ("saved", saved + check * os.path.isfile(command.data))]
