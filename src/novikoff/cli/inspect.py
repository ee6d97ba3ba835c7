"""novikoff inspect: what is in a model file."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from ._model import loaded, names_of
from ._options import Json, ModelArgument
from ._output import show


def inspect(
    model: ModelArgument,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many of the largest weights to show.")] = 10,
    json: Json = False,
) -> None:
    """Show what MODEL is: learner, parameters, classes, certificate, largest weights."""
    learner, reading = loaded(model)
    names, classes = names_of(learner, reading), learner.classes_.tolist()
    parameters = {name: value for name, value in learner.get_params(deep=False).items() if name != "verbose"}
    coefficients = learner.coef_
    questions = classes[-1:] if len(coefficients) == 1 else classes
    weights = [largest(row, names, top) for row in coefficients]
    claims = [dict(certificate.claims()) for certificate in learner.record_.certificates]
    lines = [
        ("learner", type(learner).__name__),
        ("parameters", ", ".join(f"{name} {value}" for name, value in parameters.items())),
        ("classes", ", ".join(map(str, classes))),
        ("features", f"{learner.n_features_in_:,}"),
    ]
    for place, (label, own) in enumerate(zip(questions, weights, strict=True)):
        lines += [(claim, words) for claim, words in claims[place].items()] if place < len(claims) else []
        lines.append((f"weights for {label}", f"{learner.intercept_[place]:+.6g}  (intercept)"))
        lines += [("", f"{entry['weight']:+.6g}  {entry['feature']}") for entry in own]
    result = {
        "learner": type(learner).__name__,
        "parameters": parameters,
        "classes": classes,
        "features": learner.n_features_in_,
        "certificates": claims,
        "intercepts": learner.intercept_,
        "weights": [{"class": label, "largest": own} for label, own in zip(questions, weights, strict=True)],
    }
    show(result, json, lines)


def largest(weights: Any, names: list[str], count: int) -> list[dict[str, Any]]:
    """The largest weights, whatever their sign, and what their columns are called."""
    some = np.argsort(-np.abs(weights), kind="stable")[:count]
    return [{"feature": names[column], "weight": float(weights[column])} for column in some if weights[column] != 0]
