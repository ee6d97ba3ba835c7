"""novikoff separable: whether a plane separates two classes."""

from __future__ import annotations

import json as json_module
from typing import Annotated, Any

import numpy as np
import typer

from novikoff._separability.verdict import separability
from novikoff.errors import input_error

from ._model import column_names, print_notes
from ._options import (
    READING,
    Attach,
    DataArgument,
    Exact,
    Format,
    Json,
    Quiet,
    opening_from,
    reading_from,
    with_options,
)
from ._output import NEGATIVE_VERDICT, print_result, progress


@with_options(READING)
def separable(
    data: DataArgument,
    exact: Exact = False,
    no_fit_intercept: Annotated[
        bool, typer.Option("--no-fit-intercept", metavar="", help="Only consider planes through the origin.")
    ] = False,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Decide whether a plane separates the two classes of DATA, with proof.

    complete: a plane has every row strictly on the correct side. quasi-complete: a plane has no row on the wrong side,
    but has some rows on itself. overlap: every plane has rows on the wrong side, or has all rows on itself.

    Exit code 0 if the separation is complete; 1 if it is not, or if rounding leaves that open (see --exact).
    """
    reading, encoder = reading_from(options | {"scale": "none"}, data, format)
    if reading.weight is not None:
        raise input_error("--weight", "separability does not depend on weights. Leave the option out.")
    batch = reading.read("separable", data, encoder=encoder, **opening_from(format, attach))
    print_notes(batch, quiet or json)
    with progress("deciding", quiet):
        found = separability(batch.X, batch.y, fit_intercept=not no_fit_intercept)
        checks = found.verify(batch.X, batch.y, exact=exact)
    proof = "verified" if checks else "not verified"
    names = column_names(reading.after(batch), batch.X.shape[1])
    diverging = [
        f"{names[j]} to {'+' if found.divergence[j] > 0 else '-'}infinity" for j in np.flatnonzero(found.divergence)
    ]
    lines = [claim for claim in found.claims() if claim[0] != "coefficients"]
    if found.kind == "quasi-complete":
        lines.append(("coefficients", ", ".join(diverging) or "only the intercept"))
    lines += [("proof", f"{proof}, {'in exact arithmetic' if exact else 'in floating point'}")]
    lines += [("", str(check).strip()) for check in checks.checks]
    result = json_module.loads(found.to_json()) | {"verified": bool(checks), "exact": exact, "columns": names}
    print_result(result, json, lines)
    if found.kind != "complete" or not checks:
        raise typer.Exit(NEGATIVE_VERDICT)
