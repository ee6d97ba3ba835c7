"""novikoff fit: read, choose, solve, prove, save, and say what was done."""

from __future__ import annotations

import os
import shlex
import time
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
import typer

from novikoff import evaluate
from novikoff.data.batch import Batch
from novikoff.errors import invalid
from novikoff.persistence import model_file
from novikoff.svm import LinearSVMCV

from ._model import fitted
from ._options import (
    LEARNERS,
    READING,
    Attach,
    DataArgument,
    Extra,
    Format,
    Json,
    Quiet,
    build,
    opening_of,
    parameters_of,
    reading_of,
    takes,
)
from ._output import check_output, percent, progress, show
from ._weights import class_weight_by_label

CHOICE = tuple(
    Extra(name, kind | None, help, "Choice of C with --cv", (flag,), metavar)
    for name, kind, flag, metavar, help in (
        ("cs", int, "--Cs", "N", "How many values of C to try."),
        ("c_max", float, "--C-max", "X", "The largest C to try."),
        ("selection", str, "--selection", "VALUE", "one_standard_error or best."),
        ("scoring", str, "--scoring", "NAME", "A score that scikit-learn knows; accuracy by default."),
    )
)


@takes([*READING, *parameters_of(LEARNERS), *CHOICE])
def fit(
    data: DataArgument,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the model.")
    ] = None,
    learner: Annotated[str, typer.Option(help=f"One of {', '.join(LEARNERS)}.")] = "linear-svm",
    test: Annotated[str | None, typer.Option(metavar="DATA", help="Rows to test the model on.")] = None,
    cv: Annotated[int | None, typer.Option(metavar="K", help="Choose C by K-fold cross-validation.")] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Learn a model from DATA, and prove what it is worth."""
    check_output("fit", output, data, test)
    opening, reading = opening_of(format, attach), reading_of(options, data, format)
    choice = {extra.name: options.pop(extra.name) for extra in CHOICE}
    model = chosen_by_folds(build(learner, LEARNERS, options), cv, choice, options)
    began = time.perf_counter()
    with progress("reading", quiet):
        batch = reading.read("fit", data, **opening)
    read = time.perf_counter()
    class_weight_by_label(model, batch.y)
    with progress(type(model).__name__, quiet) as tell:
        model.watch(tell).fit(batch.X, batch.y, batch.weights)
    solved = time.perf_counter()
    model.watch(None).reading_ = reading.after(batch)
    result: dict[str, Any] = {
        **described(batch),
        "learner": type(model).__name__,
        "parameters": {name: value for name, value in model.get_params(deep=False).items() if name != "verbose"},
        "seconds": {"read": read - began, "fit": solved - read},
        "certificates": [dict(certificate.claims()) for certificate in model.record_.certificates],
        "training_accuracy": accuracy(model, batch),
    }
    if hasattr(model, "C_"):
        result["C"] = model.C_
    if output is not None:
        began = time.perf_counter()
        model_file.save(model, output)  # before the test, so that what is wrong with its data loses nothing
        result["seconds"]["save"] = time.perf_counter() - began
        result["model"] = output
    if test is not None:
        other = model.reading_.read("fit", test, **opening)
        result["test_accuracy"] = accuracy(model, Batch(fitted("fit", model, model.reading_, other, quiet), *other[1:]))
    show(result, json, _lines(data, test, result))


def chosen_by_folds(model: Any, folds: int | None, choice: dict[str, Any], options: dict[str, Any]) -> Any:
    """The learner that chooses C by cross-validation, where that was asked for."""
    given = {name: value for name, value in choice.items() if value is not None}
    if folds is None:
        if given:
            flag = next(extra.flags[0] for extra in CHOICE if extra.name in given)
            raise invalid(flag, "--cv K beside it.", "none")
        return model
    if type(model) is not LEARNERS["linear-svm"]:
        raise invalid("--cv", "The learner linear-svm.", type(model).__name__)
    for name in ("C", "lam", "probability"):
        if options.get(name):
            raise invalid("--cv", f"No --{name} beside it.", f"{options[name]}")
    shared = {name: value for name, value in model.get_params().items() if name in LinearSVMCV().get_params()}
    called = {"cs": "Cs", "c_max": "C_max"}
    return LinearSVMCV(cv=folds, **shared, **{called.get(name, name): value for name, value in given.items()})


def described(batch: Batch) -> dict[str, Any]:
    """What the data are."""
    labels, counts = np.unique(batch.y, return_counts=True)
    nonzeros = batch.X.nnz if sp.issparse(batch.X) else np.count_nonzero(batch.X)
    return {
        "rows": batch.X.shape[0],
        "columns": batch.X.shape[1],
        "nonzeros": int(nonzeros),
        "classes": [
            {"label": label, "rows": count} for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ],
    }


def accuracy(model: Any, batch: Batch) -> float:
    """The share of rows, by their weights, that the model predicts right."""
    if batch.weights is not None and not np.any(batch.weights):
        raise invalid("fit", "At least one row with a weight above 0.", "none")
    confusion, _ = evaluate.confusion_of("fit", batch.y, model.predict(batch.X), batch.weights)
    return float(np.trace(confusion) / confusion.sum())


def _lines(data: str, test: str | None, result: dict[str, Any]) -> list[tuple[str, str]]:
    """What was done, for a person."""
    classes = result["classes"]
    named = "; ".join(f"{entry['label']}: {entry['rows']:,}" for entry in classes[:6]) + "; ..." * (len(classes) > 6)
    shape = f"{result['rows']:,} rows, {result['columns']:,} columns, {result['nonzeros']:,} nonzeros"
    seconds = result["seconds"]
    lines = [
        ("data", f"{data}: {shape}"),
        ("classes", f"{len(classes)} ({named})"),
        ("learner", result["learner"] + (f", C {result['C']:g} by cross-validation" if "C" in result else "")),
        ("time", f"{seconds['read']:.2f} s to read, {seconds['fit']:.2f} s to fit"),
    ]
    for place, facts in enumerate(result["certificates"][:5]):
        label = f" ({classes[place]['label']})" if len(result["certificates"]) > 1 else ""
        lines += [(f"{claim}{label}", words) for claim, words in facts.items()]
    if len(result["certificates"]) > 5:
        lines.append(("...", f"and {len(result['certificates']) - 5} more certificates"))
    tested = "" if test is None else f", {percent(result['test_accuracy'])} on {test}"
    lines.append(("accuracy", f"{percent(result['training_accuracy'])} on {data}{tested}"))
    if "model" in result:
        path = result["model"]
        check = f"check it with: novikoff certify {shlex.quote(path)} {shlex.quote(data)}"
        lines.append(("saved", f"{path}, {os.path.getsize(path):,} bytes; {check}"))
    else:
        lines.append(("saved", "nowhere; -o MODEL saves it"))
    return lines
