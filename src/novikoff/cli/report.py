"""novikoff report: an HTML page about a model."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

from novikoff._atomic import replacing
from novikoff._counts import counted
from novikoff.data.batch import Batch
from novikoff.errors import input_error

from ._model import feature_names, load_model, read_learned, read_rows
from ._options import (
    Attach,
    DataArgument,
    Format,
    HeldOut,
    Json,
    ModelArgument,
    OnBad,
    Quiet,
    check_fraction,
    opening_from,
)
from ._output import Line, as_fit_options, check_output, print_message, print_result, progress
from ._quality import held_out
from ._scores import refuse_unknown_labels


def report(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write.")] = "report.html",
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    test: Annotated[str | None, typer.Option(metavar="DATA", help="Measure the accuracy on these rows.")] = None,
    holdout: HeldOut = None,
    on_bad: OnBad = "stop",
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write an HTML page about MODEL, with figures and the check of its certificate.

    DATA are the rows that MODEL was fitted to; its certificate shows whether they are. If they are, the accuracy is
    measured on part of them, by a second fit to the others, or on the rows of --test. If they are not, they count as
    test rows. The page is one file, which needs no network.
    """
    from novikoff._report import page_of, subject_of, verdict_of, with_held_out

    check_output("report", output, model, data, test, attach=attach)
    check_fraction(holdout)
    learner, reading = load_model(model)
    opening = opening_from(format, attach, on_bad, data)
    batch, of_encoder = read_learned("report", learner, reading, data, opening, quiet=quiet or json)
    if batch.X.shape[1] != learner.n_features_in_:
        wrong = (
            f"DATA has {counted(batch.X.shape[1], 'feature')}, but the model was fitted to {learner.n_features_in_}."
        )
        raise input_error("report", wrong)
    other = None
    if test is not None:
        rows = read_rows("report", learner, reading, test, opening, quiet=quiet or json)
        other = (rows.X, rows.y)
    with progress("checking", quiet):
        subject = subject_of(learner, batch.X, batch.y, None, other, feature_names(learner, reading), batch.weights)
    refuse_unknown_labels("report", data, subject.first.scores, learner.classes_)
    if test is not None and subject.test is not None:
        refuse_unknown_labels("report", test, subject.test.scores, learner.classes_)
    if subject.first.kind != "other":
        _print_failures(of_encoder)
    if subject.first.kind == "training" and test is None and holdout != 0 and not _is_stream(learner):
        found = held_out(learner, Batch(batch.X, batch.y, batch.weights), holdout, quiet)
        subject = subject if isinstance(found, str) else with_held_out(subject, found)
    with progress("drawing", quiet):
        page = page_of(subject, title=title, model_path=model, data_path=data)
    with replacing(output) as file:
        file.write(page.encode())
    verdict = verdict_of(subject)
    warnings = as_fit_options(verdict.warnings)
    lines: list[Line] = [
        ("verdict", verdict.headline),
        *(("", sentence) for sentence in verdict.sentences),
        *(("warning", sentence) for sentence in warnings),
        ("certificate", f"{re.sub('^certificates? ', '', verdict.chip)}. {verdict.certificate}"),
        ("report", output),
    ]
    result = {
        "report": output,
        "verdict": verdict.headline,
        "rows": subject.scored.kind,
        "accuracy": subject.scored.scores.accuracy,
        "baseline": subject.scored.scores.baseline,
        "baseline_label": subject.scored.scores.baseline_label,
        "warnings": warnings,
        "certificate": verdict.status,
    }
    if batch.skipped:
        result["bad_lines"] = batch.skipped
    print_result(result, json, lines)


def _print_failures(checks: list[Any]) -> None:
    for check in checks:
        if check.status == "fails":
            print_message(f"warning: the check of the {check.claim} fails: {check.detail}")


def _is_stream(learner: Any) -> bool:
    """Return whether the model learned from a stream, which a second fit would not repeat."""
    return any(problem.run is not None and problem.run.is_stream for problem in learner.record_.problems)
