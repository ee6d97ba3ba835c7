"""What a stream prints: the table, and the summary."""

from __future__ import annotations

import dataclasses
from typing import Any

from novikoff import evaluate
from novikoff._counts import count, counted
from novikoff._printable import printable
from novikoff.errors import quote
from novikoff.record import RunRecord

from ._halting import impossible_margins
from ._output import Line, as_fit_options
from ._stream_numbers import window_numbers

MAX_LABELS = 10  # whose recall is printed
HEADER = (
    f"{'average':>8} {'since':>8} {'example':>12} {'current':>12} {'current':>12}",
    f"{'loss':>8} {'last':>8} {'counter':>12} {'label':>12} {'prediction':>12}",
)
WINDOW_HEADER = (f" {'window':>8} {'balanced':>8} {'kappa':>8}", f" {'loss':>8} {'accuracy':>8} {'of last':>8}")


def header(has_window: bool) -> list[str]:
    """Return the first lines of the table."""
    return [line + window * has_window for line, window in zip(HEADER, WINDOW_HEADER, strict=True)]


def table_line(record: evaluate.Record) -> str:
    """Return a line of the table."""
    label, prediction = (printable("-" if value is None else str(value)) for value in (record.label, record.prediction))
    losses = f"{record.loss:8.6f} {record.loss_since:8.6f}"
    line = f"{losses} {record.examples:12,} {label:>12.12} {prediction:>12.12}"
    if (window := record.window) is not None:
        kappa = "-" if window.kappa is None else f"{window.kappa:8.6f}"
        line += f" {window.loss:8.6f} {window.balanced_accuracy:8.6f} {kappa:>8.8}"
    return line


def summary_of(
    model: Any,
    progress: evaluate.Progress,
    seconds: float,
    output: str | None,
    *,
    is_continued: bool,
    skipped: int,
) -> tuple[dict[str, Any], list[Line]]:
    """Return what was learned, as a dict and as lines of name and value."""
    mistakes, record = progress.wrong, model.record_
    other_count = _other_count(record, progress, is_continued)
    accuracy = 1 - mistakes / progress.examples
    rows = f"{counted(progress.examples, 'row')}, each predicted before it was learned"
    words = evaluate.progressive_words(accuracy, rows, progress.baseline, progress.last_label_baseline)
    best = max(progress.baseline, progress.last_label_baseline)
    warnings = [f"the predictions are no better than guessing: {words}"] * (accuracy <= best)
    if evaluate.has_class_weight(record):
        balanced, chance = progress.now().balanced_accuracy, 1 / len(model.classes_)
        compared = f"{evaluate.percent(balanced)} on {rows} (always one label: {evaluate.percent(chance)})"
        warnings = ["the predictions are no better than guessing, by balanced accuracy: " + compared]
        warnings *= balanced <= chance
    warnings += [*as_fit_options(evaluate.warnings_of(None, record)), *impossible_margins(model)]
    result = {
        "learner": record.learner,
        "examples": progress.examples,
        "mistakes": mistakes,
        "mistakes_at_learning": progress.mistakes_at_learning,
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
    if (window := progress.now().window) is not None:
        result["window"] = window_numbers(window)
        lines.append(("window", window_words(window)))
    if skipped:
        lines.append(("rows", f"the numbers count since resuming, after {counted(skipped, 'row')} of earlier runs"))
    lines += [
        ("mistakes", f"{counted(mistakes, 'wrong prediction')} in {counted(progress.examples, 'row')}"),
        ("time", f"{seconds:.2f} s, {counted(round(progress.examples / seconds), 'row')} per second"),
    ]
    if (late := progress.served_mistakes()) is not None:
        result["served_mistakes"] = dataclasses.asdict(late) | {"bound": late.bound}
        lines.append(("delay", late.explain()))
    if other_count is not None:
        lines.append(("certificate", other_count))
    if len(record.certificates) == 1:
        lines += [claim for claim in record.certificates[0].claims() if claim[0] != "mistakes"]
    if output is not None:
        again = f"novikoff stream -o {output} --resume DATA"
        lines.append(("saved", f"{output}; continue with the rows after these: {again}"))
    return result, lines


def window_words(window: evaluate.WindowScores) -> str:
    """Return the scores of the latest examples in words."""
    recall = ", ".join(f"{quote(label)} {evaluate.percent(value)}" for label, value in _shown(window.recall))
    more = ", ..." if len(window.recall) > MAX_LABELS else ""
    kappa = "" if window.kappa is None else f", Kappa against the label before {window.kappa:.4f}"
    right = f"{evaluate.percent(1 - window.loss)} of the last {counted(window.examples, 'row')}"
    return f"{right}, balanced {evaluate.percent(window.balanced_accuracy)}{kappa}; recall: {recall}{more}"


def _shown(recall: dict[Any, float]) -> list[tuple[Any, float]]:
    """Return the labels with the lowest recall, which matter most if there are many."""
    return sorted(recall.items(), key=lambda pair: pair[1])[:MAX_LABELS]


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
    if progress.mistakes_at_learning != progress.wrong:
        return f"{found}it counts what would have been predicted just before each label was learned"
    if run is not None and run.rule.keep != "last":
        combined = "average" if run.rule.keep == "average" else "vote"
        return f"{found}it counts those of the latest weights, and the {combined} of all weights predicts"
    if record.strategy.is_joint:
        return f"{found}it counts examples whose class does not lead, also in a tie, and none while there is one class"
    return f"{found}it counts a score of exactly 0 as one, also where the prediction is right"
