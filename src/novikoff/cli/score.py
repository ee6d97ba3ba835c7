"""novikoff score: predictions compared with labels."""

from __future__ import annotations

from novikoff._counts import counted
from novikoff.evaluate import scores, warnings_of

from ._model import check_missing_columns, load_model, read_rows, target_lines, target_result
from ._options import Attach, DataArgument, Format, Json, MissingColumns, ModelArgument, OnBad, opening_from
from ._output import Line, as_fit_options, print_result
from ._scores import accuracy_line, as_result, balanced_line, class_lines, confusion_lines, refuse_unknown_labels


def score(
    model: ModelArgument,
    data: DataArgument,
    missing_columns: MissingColumns = "error",
    on_bad: OnBad = "stop",
    format: Format = None,
    attach: Attach = None,
    json: Json = False,
) -> None:
    """Compare the predictions of MODEL with the labels of DATA.

    Prints accuracy and balanced accuracy beside those of the most frequent label, precision, recall and F1 of each
    class, and the confusion matrix; for two classes also ROC AUC and average precision.
    """
    learner, reading = load_model(model)
    opening = opening_from(format, attach, on_bad, data)
    opening |= {"missing_columns": check_missing_columns(reading, missing_columns)}
    batch = read_rows("score", learner, reading, data, opening, quiet=json)
    found = scores(learner, batch.X, batch.y, batch.weights)
    refuse_unknown_labels("score", data, found, learner.classes_)
    rows = f"{counted(found.rows, 'row')} of {data}"
    warnings = as_fit_options(warnings_of(found, learner.record_, rows=rows))
    lines: list[Line] = [
        *target_lines(batch.target),
        accuracy_line(found, rows),
        *(("warning", sentence) for sentence in warnings),
    ]
    lines.append(balanced_line(found, rows))
    if found.roc_auc is not None:
        lines += [("ROC AUC", f"{found.roc_auc:.4f}"), ("average precision", f"{found.average_precision:.4f}")]
    lines += [*class_lines(found, learner.classes_), *confusion_lines(found)]
    result = target_result(batch.target) | as_result(found) | {"warnings": warnings}
    if batch.skipped:
        result["bad_lines"] = batch.skipped
    print_result(result, json, lines)
