"""novikoff stream: predict, then learn, in one pass with bounded memory."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Annotated, Any

import typer

from novikoff import evaluate
from novikoff._counts import count, counted
from novikoff._fingerprint import RunningFingerprint
from novikoff._printable import printable
from novikoff.data.batch import Batch
from novikoff.data.encoding.running import POLICIES, SCALES
from novikoff.data.reading import Reading
from novikoff.data.stream import Scan
from novikoff.errors import NovikoffError, input_error, quote
from novikoff.persistence import model_file
from novikoff.record import RunRecord

from ._ending import INTERRUPTED
from ._halting import impossible_margins
from ._learner_options import LearnerOptions, build, is_given
from ._learners import ONLINE
from ._model import load_model, print_notes
from ._options import (
    READING,
    SCALING,
    Attach,
    DataArgument,
    Format,
    Json,
    Quiet,
    opening_from,
    reading_from,
)
from ._output import Line, as_fit_options, check_output, flag, print_lines, print_message, print_result
from ._streams import OutputError
from ._weights import convert_class_weight

OPTIONS = LearnerOptions(ONLINE, "perceptron", (*READING, *SCALING))
NOT_IN_STREAMS = ("no_indicator", "max_categories", "keep", "idf")  # options that need all rows
HEADER = (
    f"{'average':>8} {'since':>8} {'example':>12} {'current':>12} {'current':>12}",
    f"{'loss':>8} {'last':>8} {'counter':>12} {'label':>12} {'prediction':>12}",
)


def stream(
    data: DataArgument = "-",
    input: Annotated[
        str | None, typer.Option("--input", "-i", metavar="MODEL", help="Model file to continue from.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="MODEL", help="File to save to, also when interrupted.")
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of {', '.join(ONLINE)}.", show_default=OPTIONS.default),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", metavar="", help="At the end of the file, wait for more until interrupted.")
    ] = False,
    every: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Print a line every N examples.", show_default="after 1, 2, 4, 8, ..."),
    ] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Learn from DATA in one pass: predict each row, then learn from it.

    Memory grows with the number of columns, not with that of rows; --hash-bits bounds it for tables with ever new
    categories or words. Ctrl-C, SIGTERM and SIGHUP end the pass after the current batch, and what was learned so far is
    saved.
    """
    check_output("stream", output, data, attach=attach)
    opening: dict[str, Any] = {"follow": follow, **opening_from(format, attach)}
    if input is None:
        settings = _given(options)
        reading, encoder = reading_from(options, data, format)
        model = build(learner or OPTIONS.default, ONLINE, options)
        rows = reading.scan(data, **opening) if encoder is None else _begun(reading, data, encoder, settings, opening)
    else:
        model, reading = _continued(input, options | {"learner": learner})
        rows = reading.scan(data, **opening)
    model.reading_ = reading
    began = time.perf_counter()
    with stoppable(saves=output is not None) as stop, closing(rows.widening()) as parts:
        batches = Batches(parts, reading, stop, model, quiet or json, hashes=output is not None and input is None)
        progress = evaluate.progressive(model, batches, every=every, list_mistakes=False)
        failure: Exception | None
        try:
            failure = _learn(progress, stop, print_table=not (quiet or json))
        except NovikoffError as error:
            failure = error  # raised again after what was learned before it is saved
        seconds = time.perf_counter() - began
        if stop.asked and not progress.examples:
            raise KeyboardInterrupt
        if failure is None and progress.examples and not hasattr(model, "certificate_"):
            failure = input_error("stream", "the weights of all rows are 0.")
        if batches.count and model.reading_.running is None:
            model.reading_ = batches.reading
        if output is not None and hasattr(model, "certificate_"):
            fingerprint = batches.fingerprint(progress.examples)
            # while signals are still caught: a second Ctrl-C must not lose it
            model_file.save(model, output, fingerprint=fingerprint)
    if failure is not None:
        if output is not None and progress.examples and hasattr(model, "certificate_"):
            print_message(
                f"note: {output} holds what was learned from the first {counted(progress.examples, 'example')}"
            )
        raise failure
    if not (quiet or json):
        for note in rows.notes:
            print_message(f"note: {note}")
    _print_summary(model, progress, seconds, output, json, is_continued=input is not None)
    if stop.asked:
        raise typer.Exit(INTERRUPTED)


def _given(options: dict[str, Any]) -> list[str]:
    """Return the names of the options of how to read DATA that are not at their defaults."""
    known = (*READING, *SCALING)
    return [option.name for option in known if options.get(option.name, option.default) not in (option.default, [])]


def _begun(reading: Reading, data: str, encoder: Any, given: list[str], opening: dict[str, Any]) -> Scan:
    """Open a table, whose numbers are standardised and whose columns grow with its rows."""
    if wrong := [name for name in given if name in NOT_IN_STREAMS]:
        message = f"{flag(wrong[0])} is not available in a stream, whose rows are encoded as they come."
        raise input_error("stream", f"{message} Use 'novikoff fit'.")
    for name, value, known in (("scale", encoder.scale, SCALES), ("missing", encoder.missing, POLICIES)):
        if value not in known:
            raise input_error(flag(name), f"a stream knows {', '.join(known)}, but not {quote(value)}.")
    return reading.begin(data, scale=encoder.scale, missing=encoder.missing, words=encoder.word_settings(), **opening)


def _continued(path: str, options: dict[str, Any]) -> tuple[Any, Reading]:
    """Return the model to continue from; it knows its parameters and how its data became rows."""
    model, known = load_model(path, allow_unlearned=True)
    if not hasattr(model, "learn_one"):
        raise input_error(path, f"{type(model).__name__} is not an online learner; a stream cannot continue from it.")
    reading = _given(options)
    others = {name: value for name, value in options.items() if name not in {o.name for o in (*READING, *SCALING)}}
    if given := reading + sorted(name for name, value in others.items() if is_given(value)):
        wrong = f"{flag(given[0])} cannot"
        raise input_error("stream", f"{wrong} be combined with -i: the model keeps the options it began with.")
    return model, known


def _learn(progress: evaluate.Progress, stop: Stop, print_table: bool) -> NovikoffError | None:
    """Learn, and print the table; if printing fails, stop after the current batch, and return the reason."""
    failure = None
    for place, record in enumerate(progress):
        if print_table and failure is None:
            try:
                print_lines(*HEADER * (place == 0), _line(record))
                sys.stdout.flush()
            except OutputError as error:
                failure, stop.asked = NovikoffError(str(error)), True
    return failure


class Stop:
    """Whether a signal asked to stop, and whether the stream is waiting for rows."""

    asked = False
    waiting = False


class _Stopped(BaseException):
    """Ends a wait for rows. It is not an Exception, so that no reader catches it."""


@contextmanager
def stoppable(saves: bool) -> Iterator[Stop]:
    """Make Ctrl-C, SIGTERM and SIGHUP end a wait for rows at once, and let any other step finish first.

    If there is something to save, a closed pipe at the end of the table does not end the process either.
    """
    stop = Stop()

    def ask(*_: Any) -> None:
        stop.asked = True
        if stop.waiting:
            raise _Stopped

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # ignored under nohup
        numbers.append(signal.SIGHUP)
    before: dict[int, Any] = {number: signal.signal(number, ask) for number in numbers}
    if saves and hasattr(signal, "SIGPIPE"):
        before[signal.SIGPIPE] = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Batches:
    """The batches of a stream until its end, or until a signal asks to stop.

    With ``hashes``, the rows that were learned are hashed, which takes longer than to learn from them.
    """

    def __init__(
        self, batches: Iterator[Batch], reading: Reading, stop: Stop, model: Any, quiet: bool, hashes: bool
    ) -> None:
        self._batches, self._stop, self._model, self._quiet = batches, stop, model, quiet
        self.reading, self.count = reading, 0
        self._learned = RunningFingerprint() if hashes else None

    def __iter__(self) -> Iterator[Batch]:
        while (batch := self._next()) is not None:
            if self.count == 0:
                print_notes(batch, self._quiet)
                self.reading = self.reading.after(self.reading.checked("stream", batch))
                convert_class_weight(self._model, batch.y)
            self.count += 1
            yield batch
            if self._learned is not None:
                self._learned.add(batch.X, batch.y, batch.weights)

    def fingerprint(self, rows: int) -> str | None:
        """Return the fingerprint of the learned rows; None if they are not hashed, or not the last batch as a whole."""
        return self._learned.text() if self._learned is not None and self._learned.rows == rows else None

    def _next(self) -> Batch | None:
        if self._stop.asked:
            return None
        try:
            self._stop.waiting = True
            return next(self._batches, None)
        except _Stopped:
            return None
        finally:
            self._stop.waiting = False


def _line(record: evaluate.Record) -> str:
    """Return a line of the table."""
    label, prediction = (printable("-" if value is None else str(value)) for value in (record.label, record.prediction))
    losses = f"{record.loss:8.6f} {record.loss_since:8.6f}"
    return f"{losses} {record.examples:12,} {label:>12.12} {prediction:>12.12}"


def _print_summary(
    model: Any, progress: evaluate.Progress, seconds: float, output: str | None, json: bool, is_continued: bool
) -> None:
    """Print what was learned."""
    if progress.examples == 0:
        raise input_error("stream", "DATA has no rows.")
    mistakes, record = progress.wrong, model.record_
    other_count = _other_count(record, progress, is_continued)
    accuracy = 1 - mistakes / progress.examples
    rows = f"{counted(progress.examples, 'row')}, each predicted before it was learned"
    words = evaluate.progressive_words(accuracy, rows, progress.baseline, progress.last_label_baseline)
    best = max(progress.baseline, progress.last_label_baseline)
    warnings = [f"the predictions are no better than guessing: {words}"] * (accuracy <= best)
    warnings += as_fit_options(evaluate.warnings_of(None, record))
    warnings += impossible_margins(model)
    result = {
        "learner": record.learner,
        "examples": progress.examples,
        "mistakes": mistakes,
        "loss": mistakes / progress.examples,
        "accuracy": accuracy,
        "baseline": progress.baseline,
        "last_label_baseline": progress.last_label_baseline,
        "warnings": warnings,
        "seconds": seconds,
        "certificates": [dict(certificate.claims()) for certificate in record.certificates],
        "other_count": other_count,
        "model": output,
    }
    lines: list[Line] = [("", ""), ("accuracy", words), *(("warning", sentence) for sentence in warnings)]
    lines += [
        ("mistakes", f"{counted(mistakes, 'wrong prediction')} in {counted(progress.examples, 'row')}"),
        ("time", f"{seconds:.2f} s, {counted(round(progress.examples / seconds), 'row')} per second"),
    ]
    if other_count is not None:
        lines.append(("certificate", other_count))
    if len(record.certificates) == 1:
        lines += [claim for claim in record.certificates[0].claims() if claim[0] != "mistakes"]
    if output is not None:
        lines.append(("saved", f"{output}; continue with: novikoff stream -i {output} -o {output} DATA"))
    print_result(result, json, lines)


def _other_count(record: RunRecord, progress: evaluate.Progress, is_continued: bool) -> str | None:
    """Return why the certificates count other mistakes than the predictions, in words; None if they count the same."""
    counts: list[Any] = [getattr(certificate, "mistakes", None) for certificate in record.certificates]
    if not counts or None in counts or counts == [progress.wrong]:
        return None
    if len(counts) > 1:
        found = f"{count(min(counts))} to {counted(max(counts), 'mistake')}"
        return f"{len(counts):,}, one per class: each counts the mistakes of its own yes-or-no decisions, {found}"
    found = f"{counted(counts[0], 'mistake')}: "
    run = record.problems[0].run
    examples: Any = getattr(record.certificates[0], "examples", progress.examples)
    if is_continued:
        return f"{found}it also counts the examples before this run, {count(examples)} in all"
    if examples != progress.examples:
        return f"{found}it counts examples by their weights, {count(examples)} in all"
    if run is not None and run.rule.keep != "last":
        combined = "average" if run.rule.keep == "average" else "vote"
        return f"{found}it counts those of the latest weights, and the {combined} of all weights predicts"
    return f"{found}it counts a score of exactly 0 as one, also where the prediction is right"
