"""novikoff stream: predict, then learn, in one pass with bounded memory."""

from __future__ import annotations

import json as json_text
import sys
import time
from contextlib import closing
from typing import Annotated, Any

import typer

from novikoff import evaluate
from novikoff._counts import counted
from novikoff._json import plain
from novikoff._learner_names import ONLINE
from novikoff.errors import NovikoffError, input_error

from ._ending import INTERRUPTED, NEGATIVE_VERDICT
from ._model import IN_NOTES, target_lines, target_result
from ._options import Attach, DataArgument, Format, Json, OnBad, Quiet
from ._output import Line, as_options, check_output, print_lines, print_message, print_result
from ._stream_alarm import Alarms
from ._stream_batches import Batches, Rows
from ._stream_begin import OPTIONS as OPTIONS
from ._stream_begin import Beginning, Source, begin
from ._stream_metrics import Metrics, parse_address, served
from ._stream_numbers import as_json
from ._stream_print import header, summary_of, table_line
from ._stream_save import Prepared, Saver, parse_interval
from ._stream_stop import Stop, stoppable
from ._streams import OutputError


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
        bool,
        typer.Option(
            "--follow",
            metavar="",
            help="At the end of the file, wait for more rows, also from a file that replaces it.",
        ),
    ] = False,
    every: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Print a line every N examples.", show_default="that of --window, or 1, 2, 4, ..."
        ),
    ] = None,
    window: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Also print scores of the latest N examples.")
    ] = None,
    alarm: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Report when a condition such as 'window_loss>0.2' holds. Repeatable."),
    ] = None,
    save_every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Also save at intervals of this length, such as 60s, 5m or 1h.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", metavar="", help="Continue after the last row of DATA that MODEL has learned."),
    ] = False,
    on_bad: OnBad = "stop",
    delay: Annotated[
        int, typer.Option(metavar="N", min=0, help="Learn each label after N further rows were predicted.")
    ] = 0,
    metrics_port: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve metrics for Prometheus; without HOST, to this machine only."),
    ] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", metavar="", help="Print the lines of the table and the result as JSON objects.")
    ] = False,
    **options: Any,
) -> None:
    """Learn from DATA in one pass: predict each row, then learn from it.

    Memory grows with the number of columns, not with that of rows; --hash-bits bounds it for tables with ever new
    categories or words. Ctrl-C, SIGTERM and SIGHUP end the pass after the current batch, and what was learned so far is
    saved; after SIGTERM, the exit code is then 0.

    A model file knows the rows of DATA that it has learned. With --resume the next run continues after them, and the
    model has the bits of one run; without a model file it begins. The losses and scores that it prints are those since
    resuming. A process may be killed at any time: with --save-every, the next one repeats what came after the last
    save. With -i alone, all of DATA is learned.

    --alarm takes loss, balanced_accuracy, majority_loss and last_label_loss, and with --window also window_loss,
    window_balanced_accuracy, window_min_recall and window_kappa. An alarm is a line on standard error when its
    condition begins or ceases to hold in a line of the table; the stream goes on. If there was one, the exit code at
    the end of DATA is 1.

    With --delay, the labels that are missing at the end of DATA are learned then; if the stream is stopped or killed
    before, --resume goes on with them.
    """
    if json and jsonl:
        raise input_error("--jsonl", "give --json or --jsonl, not both.")
    check_output("stream", output, data, attach=attach)
    seconds_between, alarms = parse_interval(save_every), Alarms(alarm or (), window)
    if seconds_between is not None and output is None:
        raise input_error("--save-every", "the file to save to is needed. Name it with -o.")
    address = None if metrics_port is None else parse_address(metrics_port)
    beginning = begin(Source(data, format, attach, follow, on_bad), input, output, resume, learner, options, delay)
    shown = "jsonl" if jsonl else "" if quiet or json else "table"
    if beginning.warning is not None and shown == "table":
        print_message(f"warning: {beginning.warning}")
    options_of_run = {"every": every or window, "window": window}
    run = _Run(beginning, output, options_of_run, alarms, shown)
    with stoppable(saves=output is not None) as stop, served(run.metrics, address):
        is_saved = run.learn(stop, seconds_between, has_metrics=address is not None)
    run.print_end(json)
    if stop.asked and not (stop.is_orderly and is_saved):
        raise typer.Exit(INTERRUPTED)
    if alarms.raised and not stop.asked:
        raise typer.Exit(NEGATIVE_VERDICT)


class _Run:
    """One run of the subcommand, from its first batch to its summary."""

    def __init__(
        self,
        beginning: Beginning,
        output: str | None,
        options: dict[str, Any],
        alarms: Alarms,
        shown: str,
    ) -> None:
        self.beginning, self.model, self.output = beginning, beginning.model, output
        self.alarms, self.metrics, self.shown = alarms, Metrics(), shown
        self.has_window = options["window"] is not None
        self.model.reading_ = beginning.reading
        source = beginning.source
        self.rows = Rows(source.data, beginning.scan, beginning.skipped, self._reopen if source.follow else None)
        before = {"delay": beginning.delay, "unlearned": beginning.unlearned}
        self.options = options | before | {"list_mistakes": False}
        self.seconds = 0.0
        self.progress: evaluate.Progress
        self.batches: Batches
        self.saver: Saver

    def learn(self, stop: Stop, seconds_between: float | None, has_metrics: bool) -> bool:
        """Learn all rows, save, and return whether the file holds all that was learned."""
        begun, model = self.beginning, self.model
        began = time.perf_counter()
        with closing(self.rows.batches(lambda: self.saver)) as parts:
            hashes = self.output is not None and not begun.is_continued
            self.batches = Batches(parts, begun.reading, stop, model, self.shown != "table", hashes)
            self.progress = evaluate.progressive(model, self.batches, **self.options)
            self.saver = self.batches.saver = Saver(
                model,
                self.output,
                begun.files,
                begun.skipped,
                begun.options,
                self._prepare,
                seconds=seconds_between,
                may_cut_line=not begun.source.follow,
                is_saved=begun.path is not None and begun.path == self.output,
            )
            if has_metrics:
                self.batches.after_each = self._show_metrics
            if begun.delay:
                self.batches.at_end = lambda: self._keep_or_learn_rest(stop)
            with closing(self.saver):
                failure = self._failure(stop)
                self.seconds = time.perf_counter() - began
                is_empty = not self.progress.examples or (failure is None and not self.progress.learned)
                if stop.asked and is_empty and not begun.skipped:
                    raise KeyboardInterrupt
                is_saved = self.saver.save()  # while signals are still caught: a second Ctrl-C must not lose it
        if failure is not None:
            if is_saved and self.progress.learned:
                held = f"what was learned from the first {counted(self.progress.learned, 'example')}"
                print_message(f"note: {self.output} holds {held}")
            raise failure
        return is_saved

    def _failure(self, stop: Stop) -> Exception | None:
        """Learn all rows, and return the error that ended this, which is raised after what was learned is saved."""
        try:
            failure = self._learn(stop)
        except NovikoffError as error:
            return error
        if self.options["delay"]:
            self.saver.learned(0)  # the rest is learned, or is kept
        if failure is None and self.progress.learned and not hasattr(self.model, "certificate_"):
            return input_error("stream", "the weights of all rows are 0.")
        return failure

    def _keep_or_learn_rest(self, stop: Stop) -> None:
        """Decide what happens to rows that wait for their labels when there are no more rows.

        If the stream was stopped and the next run can go on with them, it does, as if there had been one run.
        """
        if stop.asked and self.saver.is_position_known:
            self.progress.keep_unlearned()
        else:
            self.saver.learning()

    def print_end(self, json: bool) -> None:
        """Print notes, and the summary."""
        if self.shown == "table":
            for note in self.rows.scan.notes:
                print_message(f"note: {as_options(note, IN_NOTES)}")
        if self.progress.examples == 0 and not self.beginning.skipped:
            raise input_error("stream", "DATA has no rows.")
        if self.progress.examples == 0:
            self._print_nothing_new(json)
            return
        result, lines = summary_of(
            self.model,
            self.progress,
            self.seconds,
            self.output,
            is_continued=self.beginning.is_continued,
            skipped=self.beginning.skipped,
        )
        if self.beginning.warning is not None:  # it was printed at the beginning, which a stream may last long after
            result["warnings"] = [self.beginning.warning, *result["warnings"]]
        result = target_result(*self.batches.target) | result
        lines[1:1] = target_lines(*self.batches.target)  # after an empty line
        skipped, bad = self.beginning.skipped, self.rows.bad_lines
        result |= {"skipped_rows": skipped, "bad_lines": bad, "alarms": self.alarms.raised}
        self._print_result(result, json, lines)

    def _print_nothing_new(self, json: bool) -> None:
        rows = self.beginning.skipped
        result = {"examples": 0, "mistakes": 0, "skipped_rows": rows, "model": self.output}
        words = f"none after the {counted(rows, 'row')} that were learned before"
        if late := self.progress.learned:
            words = f"none after the first {counted(rows, 'row')}, of which the last {late:,} are learned now"
        self._print_result(result, json, [("new rows", words)])

    def _print_result(self, result: dict[str, Any], json: bool, lines: list[Line]) -> None:
        is_last_of_many = self.shown == "jsonl"
        print_result({"record": "summary"} | result if is_last_of_many else result, json or is_last_of_many, lines)

    def _learn(self, stop: Stop) -> Exception | None:
        """Learn, and print the table; if printing fails, stop after the current batch, and return the reason."""
        failure: Exception | None = None
        for place, record in enumerate(self.progress):
            for sentence in self.alarms.judge(record):
                print_message(sentence)
            if failure is None:
                try:
                    self._print(record, is_first=place == 0)
                except OutputError as error:
                    failure, stop.asked = error if self.output is None else NovikoffError(str(error)), True
        return failure

    def _print(self, record: evaluate.Record, is_first: bool) -> None:
        if self.shown == "table":
            first = header(self.has_window) if is_first else []
            print_lines(*first, table_line(record))
        elif self.shown == "jsonl":
            print(json_text.dumps(plain(as_json(record)), allow_nan=False).replace("\x7f", r"\u007f"))
        else:
            return
        sys.stdout.flush()

    def _prepare(self) -> Prepared | None:
        """Bring the model up to date for a save, and return what belongs to it.

        As long as rows were predicted, and none was learned, the model does not know how these rows were encoded. It
        is not saved then: its file is that of before, and the next run predicts the rows again.
        """
        if self.batches.count and self.model.reading_.running is None:
            self.model.reading_ = self.batches.reading
        if self.progress.examples and not self.progress.learned:
            return None
        unlearned = self.progress.unlearned()
        fingerprint = None if unlearned else self.batches.fingerprint(self.progress.examples)
        return Prepared(fingerprint, unlearned)

    def _reopen(self) -> Any:
        """Open the file that has taken the place of DATA, whose rows continue those of the file before."""
        self._prepare()
        return self.model.reading_.scan(self.beginning.source.data, **self.beginning.source.opening())

    def _show_metrics(self) -> None:
        self.metrics.show(self.progress.now(), self.rows.bad_lines, self.saver.saved_at, self.alarms.active)
