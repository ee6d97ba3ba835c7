"""novikoff stream: predict, then learn, in one pass of bounded memory."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Annotated, Any

import typer

from novikoff import evaluate
from novikoff.data.batch import Batch
from novikoff.data.reading import Reading
from novikoff.errors import NovikoffError, invalid
from novikoff.persistence import model_file

from ._model import loaded
from ._options import (
    ONLINE,
    READING,
    Attach,
    DataArgument,
    Format,
    Json,
    Output,
    Quiet,
    build,
    is_given,
    opening_of,
    parameters_of,
    reading_of,
    takes,
)
from ._output import INTERRUPTED, check_output, say, show
from ._weights import class_weight_of_kind

HEADER = f"{'average':>8} {'since':>8} {'example':>12} {'current':>12} {'current':>12}\n"
HEADER += f"{'loss':>8} {'last':>8} {'counter':>12} {'label':>12} {'prediction':>12}"


@takes([*READING, *parameters_of(ONLINE)])
def stream(
    data: DataArgument = "-",
    input: Annotated[str | None, typer.Option("--input", "-i", metavar="MODEL", help="Go on from this model.")] = None,
    output: Output = None,
    learner: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(ONLINE)}. Default: perceptron.", show_default=False)
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more where the file ends, until stopped.")] = False,
    every: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="A line every N examples; by default after 1, 2, 4, 8, ...")
    ] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Predict each row of DATA, then learn from it, and count the mistakes, in one pass.

    Ctrl-C, SIGTERM and a closed terminal end it after the batch at hand; what was learned is saved all the same.
    """
    check_output("stream", output, data)
    reading = reading_of(options, data, format)
    if input is None:
        model = build(learner or "perceptron", ONLINE, options)
    else:
        model, reading = _going_on(input, reading, options | {"learner": learner})
    rows = reading.scan(data, follow=follow, **opening_of(format, attach))
    began = time.perf_counter()
    with stoppable(saves=output is not None) as stop, closing(rows.widening()) as parts:
        batches = Batches(parts, reading, stop, model)
        progress = evaluate.progressive(model, batches, every=every, list_mistakes=False)
        failure: Exception | None
        try:
            failure = _learn(progress, stop, talk=not (quiet or json))
        except NovikoffError as error:
            failure = error  # what was learned before it is worth keeping
        seconds = time.perf_counter() - began
        if stop.asked and not progress.examples:
            raise KeyboardInterrupt
        if failure is None and progress.examples and not hasattr(model, "certificate_"):
            failure = invalid("stream", "At least one row with a weight above 0.", "none")
        if batches.count:
            model.reading_ = batches.reading
        if output is not None and hasattr(model, "certificate_"):
            model_file.save(model, output)  # before a second Ctrl-C can end it
    if failure is not None:
        if output is not None and progress.examples and hasattr(model, "certificate_"):
            say(f"note: {output} has what was learned from the {progress.examples:,} examples before this")
        raise failure
    _close(model, progress, seconds, output, json)
    if stop.asked:
        raise typer.Exit(INTERRUPTED)


def _going_on(path: str, reading: Reading, options: dict[str, Any]) -> tuple[Any, Reading]:
    """The model to go on from; it knows its parameters and how its data became rows."""
    model, known = loaded(path, to_go_on=True)
    if not hasattr(model, "learn_one"):
        raise invalid("stream", "A model of an online learner to go on from.", f"{type(model).__name__} in {path}")
    given = sorted(name for name, value in options.items() if is_given(value))
    if given or reading != Reading():
        what = f"--{given[0].replace('_', '-')}" if given else "options of how to read DATA"
        raise invalid("stream", "With -i no further options: the model keeps those it began with.", what)
    return model, known


def _learn(progress: evaluate.Progress, stop: Stop, talk: bool) -> OSError | None:
    """Learn, and print the table on the way; where that fails, end after the batch at hand, and return why."""
    failure = None
    for place, record in enumerate(progress):
        if talk and failure is None:
            try:
                print((HEADER + "\n") * (place == 0) + _line(record), flush=True)
            except OSError as error:
                failure, stop.asked = error, True
    return failure


class Stop:
    """Whether somebody asked to stop, and whether rows are being waited for."""

    asked = False
    waiting = False


class _Stopped(BaseException):
    """Ends a wait for rows; no reader takes it for an error of its own."""


@contextmanager
def stoppable(saves: bool) -> Iterator[Stop]:
    """Let Ctrl-C, SIGTERM and SIGHUP end a wait for rows at once, and anything else only when it is done.

    If there is something to save, that nobody reads the table any longer does not end the process either.
    """
    stop = Stop()

    def ask(*_: Any) -> None:
        stop.asked = True
        if stop.waiting:
            raise _Stopped

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # which is what nohup asks for
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
    """The batches of a stream, until there are no more or somebody asks to stop."""

    def __init__(self, batches: Iterator[Batch], reading: Reading, stop: Stop, model: Any) -> None:
        self._batches, self._stop, self._model = batches, stop, model
        self.reading, self.count = reading, 0

    def __iter__(self) -> Iterator[Batch]:
        while (batch := self._next()) is not None:
            if self.count == 0:
                self.reading = self.reading.after(self.reading.checked("stream", batch))
                class_weight_of_kind(self._model, batch.y)
            self.count += 1
            yield batch

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
    """A line of the table."""
    prediction = "-" if record.prediction is None else record.prediction
    losses = f"{record.loss:8.6f} {record.loss_since:8.6f}"
    return f"{losses} {record.examples:12,} {record.label!s:>12.12} {prediction!s:>12.12}"


def _close(model: Any, progress: evaluate.Progress, seconds: float, output: str | None, json: bool) -> None:
    """Say what was learned."""
    if progress.examples == 0:
        raise invalid("stream", "At least one row.", "none")
    mistakes = progress.wrong
    claims = [dict(certificate.claims()) for certificate in model.record_.certificates]
    result = {
        "learner": type(model).__name__,
        "examples": progress.examples,
        "mistakes": mistakes,
        "loss": mistakes / progress.examples,
        "seconds": seconds,
        "certificates": claims,
        "model": output,
    }
    lines = [
        ("", ""),
        ("examples", f"{progress.examples:,} in {seconds:.2f} s, {progress.examples / seconds:,.0f} a second"),
        (
            "wrong",
            f"{mistakes:,} predictions ({mistakes / progress.examples:.2%}), each made before the label was seen",
        ),
    ]
    if len(claims) == 1:
        lines += [(claim, words) for claim, words in claims[0].items()]
    if output is not None:
        lines.append(("saved", f"{output}; go on with: novikoff stream -i {output} -o {output} DATA"))
    show(result, json, lines)
