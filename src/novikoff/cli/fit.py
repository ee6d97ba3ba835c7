"""novikoff fit: read, fit, save, and print what was done."""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
import typer

from novikoff._counts import counted
from novikoff._fingerprint import fingerprint
from novikoff._labels import encode, refuse_amounts
from novikoff._learner_names import LEARNERS
from novikoff.data.batch import Batch
from novikoff.data.reading import Reading
from novikoff.errors import input_error, quote
from novikoff.evaluate import Scores, listed, scores_of_labels
from novikoff.online import stopped_in_words
from novikoff.persistence import model_file
from novikoff.record import RunRecord

from ._certificates import certificate_lines, learner_words, problem_words
from ._halting import fitted_quietly
from ._learner_options import LearnerOptions, build
from ._model import match_columns, print_notes, target_lines, target_result
from ._options import (
    READING,
    SCALING,
    Attach,
    DataArgument,
    ExtraOption,
    Format,
    HeldOut,
    Json,
    OnBad,
    Quiet,
    check_fraction,
    opening_from,
    reading_from,
)
from ._output import Line, check_output, print_message, print_result, progress
from ._quality import (
    Qualities,
    Quality,
    cross_validation_of,
    on_held_out_rows,
    on_test_rows,
    on_training_rows,
)
from ._scores import refuse_unknown_labels
from ._weights import match_class_weight

CROSS_VALIDATION = tuple(
    ExtraOption(name, kind | None, help, "Options of cross-validation (--cv)", (flag,), metavar)
    for name, kind, flag, metavar, help in (
        ("cs", int, "--Cs", "N", "Number of values of C to try."),
        ("c_max", float, "--C-max", "X", "Largest C to try."),
        ("selection", str, "--selection", "best|one_standard_error", "How C is chosen from the scores."),
        ("scoring", str, "--scoring", "NAME", "Name of a scikit-learn scorer. Accuracy, if not given."),
    )
)
OPTIONS = LearnerOptions(LEARNERS, "linear-svm", (*READING, *SCALING), CROSS_VALIDATION)
MAX_CLASSES_LISTED = 6


def fit(
    data: DataArgument,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="MODEL", help="File to save the model to.")
    ] = None,
    learner: Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(LEARNERS)}.")] = OPTIONS.default,
    test: Annotated[str | None, typer.Option(metavar="DATA", help="Measure the accuracy on these rows.")] = None,
    holdout: HeldOut = None,
    cv: Annotated[
        int | None, typer.Option(metavar="K", help="Choose C of linear-svm by K-fold cross-validation.")
    ] = None,
    certificates: Annotated[
        bool, typer.Option("--certificates", metavar="", help="Print the claims of every certificate.")
    ] = False,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Fit in rounds on a cluster, or on threads: dask://HOST:PORT, spark or local:THREADS.",
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="With --on, keep the state here, and go on from it after an interruption."),
    ] = None,
    checkpoint_every: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="With --checkpoint, the number of rounds between two; 5 by default."),
    ] = None,
    numbers_as_classes: Annotated[
        bool,
        typer.Option("--numbers-as-classes", metavar="", help="Accept a target of many different whole numbers."),
    ] = False,
    on_bad: OnBad = "stop",
    format: Format = None,
    attach: Attach = None,
    quiet: Quiet = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Fit a model to DATA, and print its accuracy on held-out rows and what its certificate claims.

    The model is fitted to all rows. To measure its accuracy, the same learner is also fitted to 80 % of the rows, drawn
    from each class, and compared with the others. The encoder of a table, which does not see labels, is fitted to all
    rows. With --test the rows of that file are used instead, with --cv the mean over the held-out folds.

    With --on, DATA is files: a path, a pattern or a directory. Their row groups, or the files, are read where they are
    learned, so they may be larger than the memory of one machine. Numbers are used as they are, columns of strings need
    --hash-bits, and the accuracy is measured with --test only.
    """
    if on is not None or checkpoint is not None or checkpoint_every is not None:
        from ._distributed import Command, fit_in_rounds  # which other fits do not need

        command = Command(
            data, output, learner, test, on, checkpoint, checkpoint_every, format, quiet, json, certificates
        )
        fit_in_rounds(command, {"cv": cv, "holdout": holdout, "attach": attach, "on_bad": on_bad != "stop"}, options)
        return
    check_output("fit", output, data, test, attach=attach)
    check_fraction(holdout)
    opening, (reading, encoder) = opening_from(format, attach, on_bad, data), reading_from(options, data, format)
    given = {option: value for o in CROSS_VALIDATION if (value := options.pop(option := o.name)) is not None}
    model = build(learner, LEARNERS, options)
    if cv is not None or given:
        model = cross_validated(model, learner, cv, given, options)
    seconds: dict[str, float] = {}
    with timed(seconds, "read"), progress("reading", quiet):
        batch = reading.read("fit", data, encoder=encoder, **opening)
    print_notes(batch, quiet or json)
    if not numbers_as_classes:
        refuse_amounts(data, batch.y)
    match_class_weight(model, batch.y)
    learned = reading.after(batch)
    other = None if test is None else _test_rows(learned, test, opening, batch, quiet or json)
    known = None if output is None else _Meanwhile(fingerprint, batch.X, batch.y, batch.weights)
    with timed(seconds, "fit"), progress(type(model).__name__, quiet) as update:
        unfinished = fitted_quietly(model, partial(model.watch(update).fit, batch.X, batch.y, batch.weights))
    model.watch(None).reading_ = learned
    if output is not None and known is not None:
        with timed(seconds, "save"):
            # before anything else, which might fail or be interrupted
            model_file.save(model, output, fingerprint=known.result())
    with timed(seconds, "holdout"):
        found = _measured(model, batch, other, test, holdout, quiet)
    if output is not None:
        _warn_if_constant(model, found.training.scores)
    warnings = found.warnings(model.record_, batch) + unfinished + _fewer_folds(found, cv)
    target = batch.target, batch.target_choice, batch.target_rivals
    result = target_result(*target) | _result(model, batch, found, warnings, seconds, output)
    lines = _lines(data, result, model.record_, found.lines(warnings), certificates)
    print_result(result, json, [*target_lines(*target), *lines])


def _test_rows(reading: Reading, test: str, opening: dict[str, Any], batch: Batch, quiet: bool) -> Batch:
    """Return the rows of the test file, which are refused before the fit if the model could not be measured on them."""
    read = reading.read("fit", test, **opening)
    print_notes(read, quiet)
    known = np.unique(batch.y)
    as_if = scores_of_labels("fit", read.y, np.repeat(known[:1], len(read.y)), known, read.weights)
    refuse_unknown_labels("fit", test, as_if, known)
    return Batch(match_columns("fit", batch.X.shape[1], reading, read, quiet), *read[1:])


def _warn_if_constant(model: Any, training: Scores) -> None:
    """Print a warning if the model that was saved predicts one label for all rows it was fitted to."""
    if training.constant is not None and np.count_nonzero(training.support) > 1:
        remedy = "; --scoring balanced_accuracy may help" if hasattr(model, "scoring") else ""
        if not remedy and getattr(model, "class_weight", {}) is None:
            remedy = "; --class-weight balanced may help"
        print_message(f"warning: the model predicts {quote(training.constant)} for every row it was fitted to{remedy}")


def _fewer_folds(found: Qualities, asked: int | None) -> list[str]:
    """Say that there were fewer folds than asked for: each needs a row."""
    if asked is None or found.folds is None or found.folds.folds >= asked:
        return []
    return [f"{found.folds.folds:,} folds instead of --cv {asked:,}: there are no more rows"]


def _measured(
    model: Any, batch: Batch, other: Batch | None, name: str | None, fraction: float | None, quiet: bool
) -> Qualities:
    """Measure the accuracy on the rows of the test file, on held-out rows and in the folds, as far as asked for."""
    test = folds = None
    if other is not None and name is not None:
        test = on_test_rows(model, other, name)
    if hasattr(model, "mean_scores_"):
        folds = cross_validation_of(model)
    held_out: Quality | str = "--holdout is 0"
    if fraction or (fraction is None and test is None and folds is None):
        held_out = on_held_out_rows(model, batch, fraction, quiet)
    return Qualities(on_training_rows(model, batch), test, held_out, folds)


def _result(
    model: Any, batch: Batch, found: Qualities, warnings: list[str], seconds: dict[str, float], output: str | None
) -> dict[str, Any]:
    """Return the result as a JSON object."""
    record = model.record_
    result = {
        **describe(batch),
        "learner": record.learner,
        "strategy": record.strategy.name,
        "parameters": {name: value for name, value in record.parameters.items() if name != "verbose"},
        "seconds": seconds,
        "problems": [problem.name for problem in record.problems],
        "certificates": [dict(certificate.claims()) for certificate in record.certificates],
        **found.result(),
        "warnings": warnings,
    }
    if hasattr(model, "best_C_"):
        result["C"] = model.C_
    if hasattr(model, "stopped_"):
        result |= {"passes": model.n_iter_, "stopped": model.stopped_}
    if left_out := _left_out(batch):
        result["left_out"] = left_out
    if batch.skipped:
        result["bad_lines"] = batch.skipped
    if output is not None:
        result["model"] = output
    return result


def _left_out(batch: Batch) -> dict[str, str]:
    """Return the columns of a table that give no feature, with the reason."""
    encoding = None if batch.encoder is None else batch.encoder.encoding_
    return {} if encoding is None else {column.name: column.reason for column in encoding.left_out}


def cross_validated(model: Any, name: str, folds: int | None, given: dict[str, Any], options: dict[str, Any]) -> Any:
    """Return the learner that chooses C by cross-validation."""
    if folds is None:
        wrong = next(option.flags[0] for option in CROSS_VALIDATION if option.name in given)
        raise input_error(wrong, "this is an option of cross-validation. Use --cv K with it.")
    if name != "linear-svm":
        raise input_error("--cv", f"cross-validation chooses C of linear-svm, not of {name}.")
    for other in ("C", "lam", "probability"):
        if options.get(other):
            raise input_error("--cv", f"it cannot be combined with --{other}.")
    from novikoff.svm import LinearSVMCV  # which other fits do not need

    shared = {name: value for name, value in model.get_params().items() if name in LinearSVMCV().get_params()}
    renamed = {"cs": "Cs", "c_max": "C_max"}
    return LinearSVMCV(cv=folds, **shared, **{renamed.get(name, name): value for name, value in given.items()})


class _Meanwhile:
    """A function that is called in a thread of its own. The process does not wait for it unless it needs the result."""

    def __init__(self, function: Callable[..., str], *arguments: Any) -> None:
        self._call = partial(function, *arguments)
        self._found: str | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # no memory for another thread
            self._run()

    def _run(self) -> None:
        with suppress(Exception):  # the call in ``result`` meets it again, where it is reported
            self._found = self._call()

    def result(self) -> str:
        """Return what the function returns."""
        if self._thread.ident is not None:
            self._thread.join()
        return self._call() if self._found is None else self._found


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Enter the seconds that a block takes under a name."""
    began = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - began


def describe(batch: Batch) -> dict[str, Any]:
    """Return the shape and the classes of the data."""
    labels, codes = encode("fit", batch.y)
    counts = np.bincount(codes)
    nonzeros = batch.X.nnz if sp.issparse(batch.X) else np.count_nonzero(batch.X)
    return {
        "rows": batch.X.shape[0],
        "columns": batch.X.shape[1],
        "nonzeros": int(nonzeros),
        "classes": [
            {"label": label, "rows": count} for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ],
    }


def _lines(
    data: str, result: dict[str, Any], record: RunRecord, accuracies: list[Line], certificates: bool
) -> list[Line]:
    """Return the result as lines for a person: first how accurate the model is, and what is wrong with it."""
    classes = result["classes"]
    named = "; ".join(f"{entry['label']}: {entry['rows']:,}" for entry in classes[:MAX_CLASSES_LISTED])
    named += "; ..." * (len(classes) > MAX_CLASSES_LISTED)
    shape = ", ".join(counted(result[f"{noun}s"], noun) for noun in ("row", "column", "nonzero"))
    seconds, left_out = result["seconds"], result.get("left_out", {})
    again = f", {seconds['holdout']:.2f} s to fit without the held-out rows" if "holdout" in result else ""
    passes = [("passes", stopped_in_words(result["passes"], result["stopped"]))] if "stopped" in result else []
    problem = "" if certificates else problem_words(record)  # claims say it, too
    if "C" in result:
        problem = (problem or f"C {result['C']:g}") + " by cross-validation"
    lines: list[Line] = [
        *accuracies,
        ("data", f"{data}: {shape}"),
        *[("left out", listed([f"{name} ({reason})" for name, reason in left_out.items()]))] * bool(left_out),
        ("classes", f"{len(classes)} ({named})"),
        ("learner", ", ".join(filter(None, (learner_words(record), problem)))),
        *passes,
        *certificate_lines(record, certificates, "--certificates shows all claims"),
        ("time", f"{seconds['read']:.2f} s to read, {seconds['fit']:.2f} s to fit{again}"),
    ]
    if "model" in result:
        path = result["model"]
        rows = "FILE, which holds the rows that came through the pipe" if data == "-" else shlex.quote(data)
        skips = " --on-bad skip" * ("bad_lines" in result)
        check = f"check it with: novikoff certify {shlex.quote(path)} {rows}{skips}"
        size = f"{path}, fitted to all {counted(result['rows'], 'row')}, {counted(os.path.getsize(path), 'byte')}"
        lines.append(("saved", f"{size}; {check}"))
    else:
        lines.append(("saved", "no; use -o MODEL to save it"))
    return lines
