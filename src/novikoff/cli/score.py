"""novikoff score: how good a model's predictions are."""

from __future__ import annotations

import dataclasses

from novikoff import evaluate

from ._model import loaded, rows_for
from ._options import Attach, DataArgument, Format, Json, ModelArgument, opening_of
from ._output import show


def score(
    model: ModelArgument, data: DataArgument, format: Format = None, attach: Attach = None, json: Json = False
) -> None:
    """Predict DATA, and say how good that was.

    Accuracy, balanced accuracy and confusion; for two classes also ROC AUC and average precision.
    """
    learner, reading = loaded(model)
    found = evaluate.scores(learner, *rows_for("score", learner, reading, data, opening_of(format, attach)))
    lines = [
        ("rows", f"{found.rows:,}"),
        ("accuracy", f"{found.accuracy:.4f}"),
        ("balanced accuracy", f"{found.balanced_accuracy:.4f}"),
    ]
    if found.roc_auc is not None:
        lines += [("ROC AUC", f"{found.roc_auc:.4f}"), ("average precision", f"{found.average_precision:.4f}")]
    lines.append(("confusion", _matrix(found)))
    show(dataclasses.asdict(found), json, lines)


def _matrix(found: evaluate.Scores) -> str:
    """The confusion as a table: a line for each label, a column for each prediction."""
    names = [str(name) for name in found.labels.tolist()]
    cells = [["label \\ prediction", *names]]
    cells += [
        [name, *(f"{count:g}" for count in row)] for name, row in zip(names, found.confusion.tolist(), strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells)
