"""novikoff report: a page to look at."""

from __future__ import annotations

from typing import Annotated

import typer

from novikoff.errors import invalid

from ._model import loaded, names_of, rows_for
from ._options import Attach, DataArgument, Format, Json, ModelArgument, Quiet, opening_of
from ._output import check_output, progress, show


def report(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write the page.")
    ] = "report.html",
    title: Annotated[str | None, typer.Option(help="The title of the page.")] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write one HTML page about MODEL, with pictures and the check of its certificate.

    The page needs no network.
    """
    from novikoff._report import report as write

    check_output("report", output, model, data)
    learner, reading = loaded(model)
    X, y, weights = rows_for("report", learner, reading, data, opening_of(format, attach), whole=True)
    if X.shape[1] != learner.n_features_in_:
        need = f"Rows of {learner.n_features_in_} features, as the model learned from."
        raise invalid("report", need, f"{X.shape[1]}")
    with progress("drawing", quiet):
        write(
            learner,
            X,
            y,
            output,
            sample_weight=weights,
            title=title,
            feature_names=names_of(learner, reading),
            model_path=model,
            data_path=data,
        )
    show({"report": output}, json, [("report", output)])
