"""novikoff predict: labels, scores or probabilities of new rows."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated, Any

import numpy as np
import typer

from novikoff._atomic import replacing
from novikoff.data.batch import Batch
from novikoff.errors import invalid

from ._model import fitted, loaded
from ._options import Attach, DataArgument, Format, Json, ModelArgument, Quiet, opening_of
from ._output import check_output, show


def predict(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write them.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Scores instead of labels.")] = False,
    proba: Annotated[bool, typer.Option("--proba", help="Probabilities instead of labels.")] = False,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict the labels of DATA, a line for each row.

    Labels that DATA has are not looked at. Of svmlight, every line must begin with one all the same: write 0.
    """
    check_output("predict", output, model, data)
    learner, reading = loaded(model)
    if scores and proba:
        raise invalid("predict", "--scores or --proba, not both.", "both")
    if proba and not hasattr(learner, "predict_proba"):
        raise invalid("predict", "A model with probabilities, for --proba: novikoff fit --probability.", model)
    stream = reading.scan(data, labelled=False, **opening_of(format, attach))

    def answers(place: int, batch: Batch) -> Any:
        X = fitted("predict", learner, reading, reading.checked("predict", batch), quiet or place > 0)
        return learner.decision_function(X) if scores else learner.predict_proba(X) if proba else learner.predict(X)

    def parts() -> Iterator[Any]:
        with closing(stream.widening()) as batches:  # also where a batch is refused: readers end with it
            yield from map(answers, itertools.count(), batches)

    several = proba or (scores and len(learner.classes_) > 2)
    if json and output is None:
        entries = [entry for part in parts() for entry in part.tolist()]
        kind = "probabilities" if proba else "scores" if scores else "predictions"
        show({"classes": learner.classes_.tolist(), kind: entries}, True, [])
        return
    names = [str(label) for label in learner.classes_.tolist()]
    if any(set(name) & set("\n\r\t") for name in names) and (several or not scores):
        raise invalid("predict", "Labels without tabs and line ends, or --json.", repr(names))
    header = "\t".join(names) if several else None
    if output is None:
        for line in _lines(parts(), header):
            sys.stdout.write(line)
        return
    with replacing("predict", output) as file:
        for line in _lines(parts(), header):
            file.write(line.encode())
    if json:
        show({"classes": learner.classes_.tolist(), "file": output}, True, [])


def _lines(parts: Iterator[Any], header: str | None) -> Iterator[str]:
    """The text of the predictions, a block at a time."""
    if header is not None:
        yield header + "\n"
    for part in parts:
        rows = part.tolist()
        if np.ndim(part) == 1:
            yield "".join(f"{entry}\n" for entry in rows)
        else:
            yield "".join("\t".join(map(repr, row)) + "\n" for row in rows)
