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

MAX_SHOWN = 20  # columns whose coefficients diverge


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
    reading, encoder = reading_from(options, data, format)
    if encoder is not None:
        encoder.set_params(scale="none")  # whether rows are separable does not depend on units
    if reading.weight is not None:
        raise input_error("--weight", "separability does not depend on weights. Leave the option out.")
    batch = reading.read("separable", data, encoder=encoder, **opening_from(format, attach))
    print_notes(batch, quiet or json)
    with progress("deciding", quiet):
        found = separability(batch.X, batch.y, fit_intercept=not no_fit_intercept)
        checks = found.verify(batch.X, batch.y, exact=exact)
    proof = "verified" if checks else "not verified"
    names = column_names(reading.after(batch), batch.X.shape[1])
    lines = [claim for claim in found.claims() if claim[0] != "coefficients"]
    if found.kind == "quasi-complete":
        lines.append(("coefficients", diverging(found.divergence, names) or "only the intercept"))
    lines += [("proof", f"{proof}, {'in exact arithmetic' if exact else 'in floating point'}")]
    lines += [("", str(check).strip()) for check in checks.checks]
    result = json_module.loads(found.to_json()) | {"verified": bool(checks), "exact": exact}
    listed = result["divergence"]
    result["columns"] = names if isinstance(listed, list) else [names[j] for j in listed["indices"]]
    print_result(result, json, lines)
    if found.kind != "complete" or not checks:
        raise typer.Exit(NEGATIVE_VERDICT)


def diverging(divergence: Any, names: list[str]) -> str:
    """Return the first columns whose coefficients diverge, in words, and the number of the others."""
    columns = np.flatnonzero(divergence).tolist()
    words = ", ".join(f"{names[j]} to {'+' if divergence[j] > 0 else '-'}infinity" for j in columns[:MAX_SHOWN])
    return words + (f" and {len(columns) - MAX_SHOWN:,} more" if len(columns) > MAX_SHOWN else "")
