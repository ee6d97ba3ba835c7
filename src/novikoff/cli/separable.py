"""novikoff separable: whether the estimates of a logistic regression exist, that is, whether a plane separates."""

from __future__ import annotations

import dataclasses
import json as json_module
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer

from novikoff._design.response import FAILURE, SUCCESS
from novikoff._separability.verdict import separability
from novikoff.data.batch import Batch
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.reading import Reading
from novikoff.errors import input_error, quote
from novikoff.theory.separability import Separability
from novikoff.theory.verification import Verification

from ._ending import NEGATIVE_VERDICT
from ._model import column_names, print_notes, target_lines, target_result
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
from ._output import Line, print_result, progress

MAX_LISTED = 10_000  # coefficients, above which JSON lists only those that are not aliased


@with_options(READING)
def separable(
    data: DataArgument,
    exact: Exact = False,
    no_fit_intercept: Annotated[
        bool, typer.Option("--no-fit-intercept", metavar="", help="Only consider planes through the origin.")
    ] = False,
    positive: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Label whose probability is modelled.", show_default="the second, sorted"),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Columns of counts of successes and failures, instead of --target."),
    ] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Decide whether the maximum likelihood estimate of a logistic regression of DATA exists, with proof.

    It exists if no plane separates the two classes. complete: a plane has every row strictly on the correct side.
    quasi-complete: a plane has no row on the wrong side, but has some rows on itself. overlap: every plane has rows on
    the wrong side, or has all rows on itself; the estimate exists. For each coefficient: finite, +infinity, -infinity,
    infinite (either sign), or aliased (not identifiable). Of the categories of a column the first is the reference
    level, except that without an intercept the first column of categories has none. Rows of weight 0 are absent.

    Exit code 0 if the separation is complete; 1 if it is not, or if rounding leaves that open (see --exact).
    """
    reading, encoder = reading_from(options, data, format)
    if encoder is not None:
        encoder.set_params(scale="none")  # whether rows are separable does not depend on units
    columns = None if counts is None else _columns_of_counts(reading, counts, encoder)
    more = opening_from(format, attach) | ({} if columns is None else {"counts": tuple(columns.values())})
    batch = reading.read("separable", data, encoder=encoder, **more)
    print_notes(batch, quiet or json)
    names = column_names(reading.after(batch), batch.X.shape[1])
    X, names, references = _with_references(batch, names, not no_fit_intercept)
    y, weights = batch.y, batch.weights
    label = None if positive is None else _label(positive, y) if columns is None else _side(positive, columns)
    with progress("deciding", quiet):
        found = separability(X, y, fit_intercept=not no_fit_intercept, positive=label, sample_weight=weights)
        found = dataclasses.replace(found, response=(batch.target or "y") if columns is None else None)
        checks = found.verify(X, y, weights, exact=exact)
    modelled = found.positive if columns is None else columns[found.positive]
    own = names if found.columns is None else [names[column] for column in found.columns.tolist()]
    found = dataclasses.replace(found, names=tuple(own), positive=modelled)
    target = batch.target, batch.target_choice, batch.target_rivals
    _print(found, checks, exact, references, json, target)
    if found.kind != "complete" or not checks:
        raise typer.Exit(NEGATIVE_VERDICT)


def _print(
    found: Separability, checks: Verification, exact: bool, references: list[str], as_json: bool, target: Any
) -> None:
    summary = found.summary()
    lines: list[Line] = [*target_lines(*target), ("estimate", summary.sentence)]
    lines += [claim for claim in found.claims() if claim[0] != "coefficients"]
    lines += [("coefficients", summary.table().split("\n"))]
    lines += [("reference", ", ".join(references))] * bool(references)
    lines += [("proof", f"{'verified' if checks else 'not verified'}{', in exact arithmetic' if exact else ''}")]
    lines += [("", str(check).strip()) for check in checks.checks]
    result = target_result(*target) | json_module.loads(found.to_json()) | {"verified": bool(checks), "exact": exact}
    result |= {"estimate_exists": None if found.kind == "undecided" else not found.separated}
    result |= {"sentence": summary.sentence, "coefficients": _listed(found.coefficients), "references": references}
    print_result(result, as_json, lines)


def _columns_of_counts(reading: Reading, counts: str, encoder: TableEncoder | None) -> dict[str, str]:
    """Return the columns of successes and failures."""
    columns = [name.strip() for name in counts.split(",")]
    if encoder is None or len(set(columns)) != 2 or len(columns) != 2 or not all(columns):
        wanted = "the names of two columns of a table are needed, as in A,B"
        raise input_error("--counts", f"{wanted}, not {quote(counts)}.")
    if reading.target is not None or reading.weight is not None:
        raise input_error("--counts", "this replaces --target and --weight. Leave them out.")
    return {SUCCESS: columns[0], FAILURE: columns[1]}


def _side(positive: str, columns: dict[str, str]) -> str:
    """Return which of the counts the user wants to model."""
    for side, column in columns.items():
        if column == positive:
            return side
    raise input_error(
        "--positive", f"one of the columns {', '.join(columns.values())} is needed, not {quote(positive)}."
    )


def _with_references(batch: Batch, names: Sequence[str], fit_intercept: bool) -> tuple[Any, Sequence[str], list[str]]:
    """Return rows without the first category of each column, the names of the columns, and the categories left out.

    The indicators of all categories add up to 1, like the intercept, so that no coefficient could be identified.
    Without an intercept, the first column of categories keeps all of them, as in R.
    """
    encoding = None if batch.encoder is None else batch.encoder.encoding_
    if encoding is None:
        return batch.X, names, []
    first = sorted(encoding.spans[column.name].start for column in encoding.categories)
    left_out = first if fit_intercept else first[1:]
    kept = [j for j in range(len(names)) if j not in set(left_out)]
    if not kept or not left_out:
        return batch.X, names, []
    return batch.X[:, kept], [names[j] for j in kept], [names[j] for j in left_out]


def _label(text: str, y: Any) -> Any:
    """Return the label that a text on the command line means; the text itself if there is none."""
    for label in np.unique(y).tolist():
        if str(label) == text or (isinstance(label, bool) and str(label).lower() == text.lower()):
            return label
    try:
        return float(text) if np.asarray(y).dtype.kind in "iuf" else text
    except ValueError:
        return text


def _listed(coefficients: dict[str, str]) -> dict[str, str]:
    if len(coefficients) <= MAX_LISTED:
        return coefficients
    return {name: status for name, status in coefficients.items() if status != "aliased"}
