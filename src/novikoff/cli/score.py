"""novikoff score: predictions compared with labels."""

from __future__ import annotations

import dataclasses

from novikoff import evaluate

from ._model import load_model, read_rows
from ._options import Attach, DataArgument, Format, Json, ModelArgument, opening_from
from ._output import print_result


def score(
    model: ModelArgument, data: DataArgument, format: Format = None, attach: Attach = None, json: Json = False
) -> None:
    """Compare the predictions of MODEL with the labels of DATA.

    Prints accuracy, balanced accuracy and the confusion matrix; for two classes also ROC AUC and average precision.
    """
    learner, reading = load_model(model)
    batch = read_rows("score", learner, reading, data, opening_from(format, attach), quiet=json)
    found = evaluate.scores(learner, batch.X, batch.y, batch.weights)
    lines = [
        ("rows", f"{found.rows:,}"),
        ("accuracy", f"{found.accuracy:.4f}"),
        ("balanced accuracy", f"{found.balanced_accuracy:.4f}"),
    ]
    if found.roc_auc is not None:
        lines += [("ROC AUC", f"{found.roc_auc:.4f}"), ("average precision", f"{found.average_precision:.4f}")]
    lines.append(("confusion", _matrix(found)))
    print_result(dataclasses.asdict(found), json, lines)


def _matrix(found: evaluate.Scores) -> str:
    """Return the confusion matrix as text: one line per label, one column per prediction."""
    names = [str(name) for name in found.labels.tolist()]
    cells = [["label \\ prediction", *names]]
    cells += [
        [name, *(f"{count:g}" for count in row)] for name, row in zip(names, found.confusion.tolist(), strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells)
