"""novikoff separable: can a plane separate the classes, yes or no, with proof."""

from __future__ import annotations

import json as json_module
from typing import Annotated, Any

import numpy as np
import typer

from novikoff._separability.verdict import separability
from novikoff.errors import invalid

from ._model import column_names
from ._options import READING, Attach, DataArgument, Exact, Format, Json, Quiet, opening_of, reading_of, takes
from ._output import NEGATIVE, progress, show


@takes(READING)
def separable(
    data: DataArgument,
    exact: Exact = False,
    fit_intercept: Annotated[bool, typer.Option(help="Let the plane lie off the origin.")] = True,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Say whether a plane separates the two classes of DATA, with proof.

    complete: a plane has every row on its right side. quasi-complete: one has no row on its wrong side. overlap: none.

    Exit code 0: it does, completely. 1: it does not, or not completely, or rounding leaves that open.
    """
    reading = reading_of(options, data, format)
    if reading.weight is not None:
        raise invalid("--weight", "No weights: a row is on its side of a plane or not.", reading.weight)
    batch = reading.read("separable", data, **opening_of(format, attach))
    with progress("deciding", quiet):
        found = separability(batch.X, batch.y, fit_intercept=fit_intercept)
        checks = found.verify(batch.X, batch.y, exact=exact)
    proof = "verified" if checks else "not verified"
    names = column_names(reading.after(batch), batch.X.shape[1])
    diverging = [
        f"{names[j]} to {'+' if found.divergence[j] > 0 else '-'}infinity" for j in np.flatnonzero(found.divergence)
    ]
    lines = [fact for fact in found.claims() if fact[0] != "coefficients"]
    if found.kind == "quasi-complete":
        lines.append(("coefficients", ", ".join(diverging) or "none but the intercept"))
    lines += [("proof", f"{proof}, {'in whole numbers' if exact else 'in floating point'}")]
    lines += [("", str(check).strip()) for check in checks.checks]
    result = json_module.loads(found.to_json()) | {"verified": bool(checks), "exact": exact, "columns": names}
    show(result, json, lines)
    if found.kind != "complete" or not checks:
        raise typer.Exit(NEGATIVE)
