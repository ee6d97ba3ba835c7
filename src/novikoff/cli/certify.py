"""novikoff certify: the independent check of a model."""

from __future__ import annotations

import dataclasses

import typer

from novikoff._verify import verify
from novikoff.theory.verification import Verification

from ._model import load_model, read_learned
from ._options import Attach, DataArgument, Exact, Format, Json, ModelArgument, opening_from
from ._output import NEGATIVE_VERDICT, print_result, progress


def certify(
    model: ModelArgument,
    data: DataArgument,
    exact: Exact = False,
    format: Format = None,
    attach: Attach = None,
    json: Json = False,
) -> None:
    """Check what MODEL claims against the DATA it was fitted to, without the code that fitted it.

    The verdict is proved (exit code 0), refuted (1; with the row that refutes it, if there is one) or open (1; rounding
    leaves a claim undecided, and --exact decides it).
    """
    learner, reading = load_model(model)
    with progress("checking", quiet=json):
        batch, of_encoder = read_learned("certify", learner, reading, data, opening_from(format, attach), quiet=json)
        found = verify(learner, batch.X, batch.y, batch.weights, exact)
        found = Verification((*of_encoder, *found.checks))
    verdict = "proved" if found else "refuted" if found.failures else "open"
    row = next((check.row for check in found.failures if check.row is not None), None)
    lines = [("verdict", verdict if row is None else f"{verdict} by row {row} of {data} (the first row is row 0)")]
    lines += [(check.status, f"{check.claim}: {check.detail}") for check in found.checks]
    checks = [dataclasses.asdict(check) for check in found.checks]
    print_result({"verdict": verdict, "row": row, "checks": checks}, json, lines)
    if not found:
        raise typer.Exit(NEGATIVE_VERDICT)
