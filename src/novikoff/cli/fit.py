"""novikoff fit: read, fit, save, and print what was done."""

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
from novikoff.errors import input_error
from novikoff.persistence import model_file
from novikoff.svm import LinearSVMCV

from ._learners import LEARNERS
from ._model import match_columns, print_notes
from ._options import (
    READING,
    SCALING,
    Attach,
    DataArgument,
    ExtraOption,
    Format,
    Json,
    Quiet,
    build,
    learner_options,
    opening_from,
    reading_from,
    with_options,
)
from ._output import check_output, print_message, print_result, progress
from ._weights import match_class_weight

CROSS_VALIDATION = tuple(
    ExtraOption(name, kind | None, help, "Options of cross-validation (--cv)", (flag,), metavar)
    for name, kind, flag, metavar, help in (
        ("cs", int, "--Cs", "N", "Number of values of C to try."),
        ("c_max", float, "--C-max", "X", "Largest C to try."),
        ("selection", str, "--selection", "one_standard_error|best", "How C is chosen from the scores."),
        ("scoring", str, "--scoring", "NAME", "Name of a scikit-learn scorer. Accuracy, if not given."),
    )
)
MAX_CLASSES_LISTED = 6
MAX_CLASSES_EXPECTED, MIN_ROWS_PER_CLASS = 50, 10  # of labels that are whole numbers
MAX_CERTIFICATES_LISTED = 5


@with_options([*READING, *SCALING, *learner_options(LEARNERS), *CROSS_VALIDATION])
def fit(
    data: DataArgument,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="MODEL", help="File to save the model to.")
    ] = None,
    learner: Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(LEARNERS)}.")] = "linear-svm",
    test: Annotated[str | None, typer.Option(metavar="DATA", help="Also print the accuracy on these rows.")] = None,
    cv: Annotated[
        int | None, typer.Option(metavar="K", help="Choose C of linear-svm by K-fold cross-validation.")
    ] = None,
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Fit a model to DATA, and print what its certificate claims."""
    check_output("fit", output, data, test)
    opening, (reading, encoder) = opening_from(format, attach), reading_from(options, data, format)
    given = {option: value for o in CROSS_VALIDATION if (value := options.pop(option := o.name)) is not None}
    model = build(learner, LEARNERS, options)
    if cv is not None or given:
        model = cross_validated(model, learner, cv, given, options)
    began = time.perf_counter()
    with progress("reading", quiet):
        batch = reading.read("fit", data, encoder=encoder, **opening)
    print_notes(batch, quiet or json)
    read = time.perf_counter()
    _warn_of_amounts(batch.y, quiet or json)
    match_class_weight(model, batch.y)
    with progress(type(model).__name__, quiet) as update:
        model.watch(update).fit(batch.X, batch.y, batch.weights)
    solved = time.perf_counter()
    model.watch(None).reading_ = reading.after(batch)
    record = model.record_
    result: dict[str, Any] = {
        **describe(batch),
        "learner": record.learner,
        "parameters": {name: value for name, value in record.parameters.items() if name != "verbose"},
        "seconds": {"read": read - began, "fit": solved - read},
        "certificates": [dict(certificate.claims()) for certificate in record.certificates],
        "training_accuracy": accuracy(model, batch),
    }
    if hasattr(model, "best_C_"):
        result["C"] = model.C_
    if output is not None:
        began = time.perf_counter()
        model_file.save(model, output)  # before the test, so that an error in its data does not lose the model
        result["seconds"]["save"] = time.perf_counter() - began
        result["model"] = output
    if test is not None:
        other = model.reading_.read("fit", test, **opening)
        print_notes(other, quiet or json)
        X = match_columns("fit", model, model.reading_, other, quiet)
        result["test_accuracy"] = accuracy(model, Batch(X, *other[1:]))
    print_result(result, json, _lines(data, test, result))
    if not (quiet or json):
        _compare_with_most_frequent(result)


def cross_validated(
    model: Any, name: str, folds: int | None, given: dict[str, Any], options: dict[str, Any]
) -> LinearSVMCV:
    """Return the learner that chooses C by cross-validation."""
    if folds is None:
        wrong = next(option.flags[0] for option in CROSS_VALIDATION if option.name in given)
        raise input_error(wrong, "this is an option of cross-validation. Use --cv K with it.")
    if name != "linear-svm":
        raise input_error("--cv", f"cross-validation chooses C of linear-svm, not of {name}.")
    for other in ("C", "lam", "probability"):
        if options.get(other):
            raise input_error("--cv", f"it cannot be combined with --{other}.")
    shared = {name: value for name, value in model.get_params().items() if name in LinearSVMCV().get_params()}
    renamed = {"cs": "Cs", "c_max": "C_max"}
    return LinearSVMCV(cv=folds, **shared, **{renamed.get(name, name): value for name, value in given.items()})


def describe(batch: Batch) -> dict[str, Any]:
    """Return the shape and the classes of the data."""
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
    """Return the weighted fraction of rows whose label is predicted correctly."""
    if batch.weights is not None and not np.any(batch.weights):
        raise input_error("fit", "the weights of all rows are 0.")
    confusion, _ = evaluate.confusion_of("fit", batch.y, model.predict(batch.X), batch.weights)
    return float(np.trace(confusion) / confusion.sum())


def _warn_of_amounts(y: Any, quiet: bool) -> None:
    """Print a note if labels are many different numbers, as amounts are: the fit takes long and helps little."""
    labels = len(np.unique(y))
    if not quiet and y.dtype.kind in "iu" and labels > MAX_CLASSES_EXPECTED and MIN_ROWS_PER_CLASS * labels > len(y):
        print_message(f"note: the labels have {labels:,} different values; each is a class, not an amount")


def _compare_with_most_frequent(result: dict[str, Any]) -> None:
    """Print a note if one label for all rows would be correct more often than the model.

    One-vs-rest hinge losses of many rare classes are least at weights near 0, where the scores of all classes are near
    -1 and their order means little. The squared hinge loss orders them by their frequencies at least.
    """
    most = max(result["classes"], key=lambda entry: entry["rows"])
    share = most["rows"] / result["rows"]
    if result["training_accuracy"] < share:
        many = len(result["classes"]) > 2 and result["parameters"].get("loss") == "hinge"
        remedy = "; use --loss squared_hinge for many rare classes" * many
        print_message(
            f"note: the label {most['label']} alone is correct for {evaluate.percent(share)} of the rows{remedy}"
        )


def _lines(data: str, test: str | None, result: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the result as lines for a person."""
    classes = result["classes"]
    named = "; ".join(f"{entry['label']}: {entry['rows']:,}" for entry in classes[:MAX_CLASSES_LISTED])
    named += "; ..." * (len(classes) > MAX_CLASSES_LISTED)
    shape = f"{result['rows']:,} rows, {result['columns']:,} columns, {result['nonzeros']:,} nonzeros"
    seconds = result["seconds"]
    lines = [
        ("data", f"{data}: {shape}"),
        ("classes", f"{len(classes)} ({named})"),
        ("learner", result["learner"] + (f", C {result['C']:g} by cross-validation" if "C" in result else "")),
        ("time", f"{seconds['read']:.2f} s to read, {seconds['fit']:.2f} s to fit"),
    ]
    certificates = result["certificates"]
    for problem, claims in enumerate(certificates[:MAX_CERTIFICATES_LISTED]):
        label = f" ({classes[problem]['label']})" if len(certificates) > 1 else ""
        lines += [(f"{claim}{label}", text) for claim, text in claims.items()]
    if len(certificates) > MAX_CERTIFICATES_LISTED:
        lines.append(("...", f"and {len(certificates) - MAX_CERTIFICATES_LISTED} more certificates"))
    tested = "" if test is None else f", {evaluate.percent(result['test_accuracy'])} on {test}"
    lines.append(("accuracy", f"{evaluate.percent(result['training_accuracy'])} on {data}{tested}"))
    if "model" in result:
        path = result["model"]
        check = f"check it with: novikoff certify {shlex.quote(path)} {shlex.quote(data)}"
        lines.append(("saved", f"{path}, {os.path.getsize(path):,} bytes; {check}"))
    else:
        lines.append(("saved", "no; use -o MODEL to save it"))
    return lines
