"""novikoff inspect: the contents of a model file."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from ._model import feature_names, load_model
from ._options import Json, ModelArgument
from ._output import print_result


def inspect(
    model: ModelArgument,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="Number of the largest weights to show.")] = 10,
    json: Json = False,
) -> None:
    """Show the learner, parameters, classes, certificate and largest weights of MODEL."""
    learner, reading = load_model(model)
    record, names = learner.record_, feature_names(learner, reading)
    parameters = {name: value for name, value in record.parameters.items() if name != "verbose"}
    scales = {} if reading.encoding is None else reading.encoding.scales
    weights = [largest(problem.weights, names, top, scales) for problem in record.problems]
    claims = [dict(certificate.claims()) for certificate in record.certificates]
    classes = record.strategy.classes.tolist()
    lines = [
        ("learner", record.learner),
        ("parameters", ", ".join(f"{name} {value}" for name, value in parameters.items())),
        ("classes", ", ".join(map(str, classes))),
        ("features", f"{record.n_features:,}"),
    ]
    if reading.encoding is not None:
        lines.append(("columns", reading.encoding.summary()))
    lines += [] if record.joint is None else record.joint.claims()
    for problem, own in zip(record.problems, weights, strict=True):
        lines += [] if problem.certificate is None else problem.certificate.claims()
        lines.append((f"weights for {problem.name}", f"{problem.intercept:+.6g}  (intercept)"))
        lines += [("", _line(entry)) for entry in own]
    result = {
        "learner": record.learner,
        "parameters": parameters,
        "classes": classes,
        "features": record.n_features,
        "certificates": claims,
        "intercepts": [problem.intercept for problem in record.problems],
        "weights": [
            {"class": problem.positive, "against": problem.negative, "largest": own}
            for problem, own in zip(record.problems, weights, strict=True)
        ],
    }
    print_result(result, json, lines)


def largest(weights: Any, names: list[str], count: int, scales: dict[str, float]) -> list[dict[str, Any]]:
    """Return the weights of largest magnitude, with the names of their columns.

    If the units of a column were changed, the weight of one unit as it is in the file is also returned.
    """
    nonzero = np.flatnonzero(weights)
    found: list[dict[str, Any]] = []
    for column in nonzero[np.argsort(-np.abs(weights[nonzero]), kind="stable")[:count]]:
        name, weight = names[column], float(weights[column])
        found.append({"feature": name, "weight": weight})
        if name in scales:
            found[-1]["per_unit"] = weight / scales[name]
    return found


def _line(entry: dict[str, Any]) -> str:
    per_unit = f", {entry['per_unit']:+.4g} per unit" if "per_unit" in entry else ""
    return f"{entry['weight']:+.6g}  {entry['feature']}{per_unit}"
