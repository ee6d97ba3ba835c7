"""novikoff report: an HTML page about a model."""

from __future__ import annotations

from typing import Annotated

import typer

from novikoff.errors import input_error

from ._model import feature_names, load_model, read_learned
from ._options import Attach, DataArgument, Format, Json, ModelArgument, Quiet, opening_from
from ._output import check_output, print_message, print_result, progress


def report(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write.")] = "report.html",
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write an HTML page about MODEL, with figures and the check of its certificate.

    The page is one file, which needs no network.
    """
    from novikoff._report import report as write

    check_output("report", output, model, data)
    learner, reading = load_model(model)
    opening = opening_from(format, attach)
    batch, of_encoder = read_learned("report", learner, reading, data, opening, quiet=quiet or json)
    for check in of_encoder:
        if check.status == "fails":
            print_message(f"warning: the check of the {check.claim} fails: {check.detail}")
    if batch.X.shape[1] != learner.n_features_in_:
        wrong = f"DATA has {batch.X.shape[1]} features, but the model was fitted to {learner.n_features_in_}."
        raise input_error("report", wrong)
    with progress("drawing", quiet):
        write(
            learner,
            batch.X,
            batch.y,
            output,
            sample_weight=batch.weights,
            title=title,
            feature_names=feature_names(learner, reading),
            model_path=model,
            data_path=data,
        )
    print_result({"report": output}, json, [("report", output)])
