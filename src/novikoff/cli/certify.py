"""novikoff certify: the independent check of a model."""

from __future__ import annotations

import dataclasses

import typer

from novikoff._verify import verify

from ._model import loaded, rows_for
from ._options import Attach, DataArgument, Exact, Format, Json, ModelArgument, opening_of
from ._output import NEGATIVE, progress, show


def certify(
    model: ModelArgument,
    data: DataArgument,
    exact: Exact = False,
    format: Format = None,
    attach: Attach = None,
    json: Json = False,
) -> None:
    """Check what MODEL claims against the DATA it learned from, without the code that made it.

    Exit code 0: proved. 1: refuted, with the row that shows it if one does, or left open by rounding.
    """
    learner, reading = loaded(model)
    X, y, weights = rows_for("certify", learner, reading, data, opening_of(format, attach), whole=True)
    with progress("checking", quiet=json):
        found = verify(learner, X, y, weights, exact)
    verdict = "proved" if found else "refuted" if found.failures else "open"
    row = next((check.row for check in found.failures if check.row is not None), None)
    lines = [("verdict", verdict if row is None else f"{verdict} by row {row} of {data} (the first is row 0)")]
    lines += [(check.status, f"{check.claim}: {check.detail}") for check in found.checks]
    checks = [dataclasses.asdict(check) for check in found.checks]
    show({"verdict": verdict, "row": row, "checks": checks}, json, lines)
    if not found:
        raise typer.Exit(NEGATIVE)
