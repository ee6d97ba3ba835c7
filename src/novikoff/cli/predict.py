"""novikoff predict: labels, scores or probabilities of rows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated, Any

import numpy as np
import typer

from novikoff._atomic import replacing
from novikoff.data.batch import Batch
from novikoff.errors import input_error, quote

from ._model import check_missing_columns, load_model, match_columns
from ._options import Attach, DataArgument, Format, Json, MissingColumns, ModelArgument, OnBad, Quiet, opening_from
from ._output import check_output, print_exactly, print_message, print_result

NOT_IN_LINES = re.compile("[\n\r\t\ud800-\udfff]")  # what would end a line or a field, or UTF-8 cannot express


def predict(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="File to write to.")] = None,
    scores: Annotated[bool, typer.Option("--scores", metavar="", help="Print scores instead of labels.")] = False,
    proba: Annotated[bool, typer.Option("--proba", metavar="", help="Print probabilities instead of labels.")] = False,
    missing_columns: MissingColumns = "error",
    on_bad: OnBad = "stop",
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict the labels of DATA, one per line.

    Labels in DATA are ignored. In svmlight each line must begin with a label; any number, such as 0, will do.
    With --on-bad skip, a malformed line gives no prediction; how many there are is told on standard error, and with
    --json in bad_lines.
    """
    check_output("predict", output, model, data, attach=attach)
    learner, reading = load_model(model)
    if scores and proba:
        raise input_error("predict", "use --scores or --proba, not both.")
    if proba and not hasattr(learner, "predict_proba"):
        raise input_error(model, "the model gives no probabilities. Fit it with --probability.")
    opening = opening_from(format, attach, on_bad, data)
    opening |= {"missing_columns": check_missing_columns(reading, missing_columns)}
    stream = reading.scan(data, labelled=False, **opening)

    def predictions(index: int, batch: Batch) -> Any:
        checked = reading.checked("predict", batch)
        X = match_columns("predict", learner.n_features_in_, reading, checked, quiet or index > 0)
        return learner.decision_function(X) if scores else learner.predict_proba(X) if proba else learner.predict(X)

    def parts() -> Iterator[Any]:
        with closing(stream.widening()) as batches:  # ends the readers, also after an error
            yield from map(predictions, itertools.count(), batches)
        if not quiet:
            for note in stream.notes:
                print_message(f"note: {note}")

    def bad_lines() -> dict[str, int]:
        return {"bad_lines": stream.bad_lines} if stream.bad_lines else {}

    several = proba or (scores and len(learner.classes_) > 2)
    if json and output is None:
        entries = [entry for part in parts() for entry in part.tolist()]
        kind = "probabilities" if proba else "scores" if scores else "predictions"
        print_result({"classes": learner.classes_.tolist(), kind: entries} | bad_lines(), True, [])
        return
    names = [str(label) for label in learner.classes_.tolist()]
    if any(NOT_IN_LINES.search(name) for name in names) and (several or not scores):
        wrong = "a label contains a tab, a line end or half a character"
        raise input_error("predict", f"{wrong}: {quote(names)}. Use --json.")
    header = "\t".join(names) if several else None
    if output is None:
        for text in _lines(parts(), header):
            print_exactly(text)
        return
    with replacing(output) as file:
        for line in _lines(parts(), header):
            file.write(line.encode())
    if json:
        print_result({"classes": learner.classes_.tolist(), "file": output} | bad_lines(), True, [])


def _lines(parts: Iterator[Any], header: str | None) -> Iterator[str]:
    """Yield the text of the predictions, one batch at a time."""
    if header is not None:
        yield header + "\n"
    for part in parts:
        rows = part.tolist()
        if np.ndim(part) == 1:
            yield "".join(f"{entry}\n" for entry in rows)
        else:
            yield "".join("\t".join(map(repr, row)) + "\n" for row in rows)
