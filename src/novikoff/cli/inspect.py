"""novikoff inspect: the contents of a model file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer

from novikoff._counts import counted
from novikoff._wide_array import narrowed, occurring
from novikoff.evaluate import listed, warnings_of

from ._certificates import certificate_lines, learner_words
from ._model import feature_names, load_model, target_lines, target_result
from ._options import Json, ModelArgument
from ._output import Line, as_fit_options, print_result

MANY, FEW = 10, 3  # weights of a binary problem that are shown
MAX_PROBLEMS = 5  # with many weights each
MAX_SUMMARIES = 20  # binary problems that have a line each
MAX_LABELS = 20


def inspect(
    model: ModelArgument,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Number of the largest weights to show.",
            show_default=f"{MANY}, or {FEW} for more than {MAX_PROBLEMS} binary problems",
        ),
    ] = None,
    certificates: Annotated[
        bool, typer.Option("--certificates", metavar="", help="Print the claims of every certificate.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the learner, parameters, classes, certificate and largest weights of MODEL."""
    learner, reading = load_model(model)
    record, names = learner.record_, feature_names(learner, reading)
    parameters = {name: value for name, value in record.parameters.items() if name != "verbose"}
    scales = {} if reading.encoding is None else reading.encoding.scales
    is_long = top is None and len(record.problems) > MAX_PROBLEMS
    count = (FEW if is_long else MANY) if top is None else top
    weights = [largest(problem.weights, names, count, scales) for problem in record.problems]
    claims = [dict(certificate.claims()) for certificate in record.certificates]
    classes = record.strategy.classes.tolist()
    target = None if reading.target is None else str(reading.target)
    lines: list[Line] = [
        *target_lines(target),
        ("learner", learner_words(record)),
        ("parameters", ", ".join(f"{name} {value}" for name, value in parameters.items())),
        ("classes", f"{len(classes)}: {listed([str(label) for label in classes], MAX_LABELS)}"),
        ("features", f"{record.n_features:,}"),
    ]
    if reading.encoding is not None:
        lines.append(("columns", reading.encoding.summary()))
    if record.fingerprint is not None:
        lines.append(("fingerprint", f"{record.fingerprint} of the rows that it was learned from"))
    lines += certificate_lines(record, certificates, "--certificates shows all claims")
    lines += [("warning", sentence) for sentence in as_fit_options(warnings_of(None, record))]
    shown = len(record.problems) if top is not None else MAX_SUMMARIES
    for problem, own in zip(record.problems[:shown], weights, strict=False):
        entries = [f"{problem.intercept:+.6g}  (intercept)", *map(_line, own)]
        lines.append((f"weights for {problem.name}", "; ".join(entries) if is_long else entries))
    if len(record.problems) > shown:
        lines.append(
            ("", f"and {counted(len(record.problems) - shown, 'more binary problem')} (--top {FEW} shows all)")
        )
    result = target_result(target) | {
        "learner": record.learner,
        "parameters": parameters,
        "classes": classes,
        "features": record.n_features,
        "strategy": record.strategy.name,
        "problems": [problem.name for problem in record.problems],
        "fingerprint": record.fingerprint,
        "certificates": claims,
        "intercepts": [problem.intercept for problem in record.problems],
        "weights": [
            {"class": problem.positive, "against": problem.negative, "largest": own}
            for problem, own in zip(record.problems, weights, strict=True)
        ],
    }
    print_result(result, json, lines)


def largest(weights: Any, names: Sequence[str], count: int, scales: dict[str, float]) -> list[dict[str, Any]]:
    """Return the weights of largest magnitude, with the names of their columns.

    If the units of a column were changed, the weight of one unit as it is in the file is also returned.
    """
    nonzero = occurring(weights)
    values = narrowed(weights, nonzero)
    found: list[dict[str, Any]] = []
    for place in np.argsort(-np.abs(values), kind="stable")[:count].tolist():
        name, weight = names[int(nonzero[place])], float(values[place])
        found.append({"feature": name, "weight": weight})
        if name in scales:
            found[-1]["per_unit"] = weight / scales[name]
    return found


def _line(entry: dict[str, Any]) -> str:
    per_unit = f", {entry['per_unit']:+.4g} per unit" if "per_unit" in entry else ""
    return f"{entry['weight']:+.6g}  {entry['feature']}{per_unit}"
