"""novikoff certify: the independent check of a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated

import typer

from novikoff._counts import counted
from novikoff._verify import verdict_on_data, verify, with_encoder
from novikoff.errors import input_error
from novikoff.persistence import model_file
from novikoff.theory.verification import Check, Verification

from ._ending import NEGATIVE_VERDICT
from ._model import read_learned, reading_of
from ._options import Attach, DataArgument, Exact, Format, Json, ModelArgument, OnBad, opening_from
from ._output import print_result, progress

MAX_PROBLEMS = 3  # whose checks are all shown
MAX_LISTED = 10  # checks that do not hold


def certify(
    model: ModelArgument,
    data: DataArgument,
    exact: Exact = False,
    certificates: Annotated[
        bool, typer.Option("--certificates", metavar="", help="Print the check of every claim of every certificate.")
    ] = False,
    on_bad: OnBad = "stop",
    format: Format = None,
    attach: Attach = None,
    json: Json = False,
) -> None:
    """Check what MODEL claims against the DATA it was fitted to, without the code that fitted it.

    The verdict is proved (exit code 0), refuted (1; with the row that refutes it, if there is one), open (1; rounding
    leaves a claim undecided, and --exact decides it) or other data (1; MODEL was not fitted to these rows, by the
    fingerprint that it keeps of them as its encoder of tables makes them, which is taken on trust).
    """
    learner = model_file.load_learner(model)
    reading = reading_of(model, learner)
    with progress("checking", quiet=json) as say:
        opening = opening_from(format, attach, on_bad, data)
        batch, of_encoder = read_learned("certify", learner, reading, data, opening, quiet=json)
        skipped = batch.skipped or 0
        if on_bad != "stop" and reading.skipped not in (None, skipped):
            left_out = f"{counted(skipped, 'malformed line')} of {data} are skipped, and {reading.skipped:,} were"
            raise input_error("certify", f"{left_out} when the model was fitted. Use the file that it was fitted to.")
        found = verify(learner, batch.X, batch.y, batch.weights, exact, say)
        found = Verification(tuple(with_encoder(of_encoder, found.checks)))
    own = "proved" if found else "refuted" if found.failures else "open"
    verdict = verdict_on_data(found.failures) or own
    row = next((check.row for check in found.failures if check.row is not None), None)
    lines = [("verdict", verdict if row is None else f"{verdict} by row {row} of {data} (the first row is row 0)")]
    if skipped:
        lines.append(("skipped", counted(skipped, "malformed line")))
    names = [problem.name for problem in learner.record_.problems]
    shown = found.checks if certificates or len(names) <= MAX_PROBLEMS else _summary(found.checks, names)
    lines += [(check.status, f"{check.claim}: {check.detail}") for check in shown]
    checks = [dataclasses.asdict(check) for check in found.checks]
    result = {"verdict": verdict, "row": row, "checks": checks} | ({"bad_lines": skipped} if skipped else {})
    print_result(result, json, lines)
    if not found:
        raise typer.Exit(NEGATIVE_VERDICT)


def _summary(checks: Sequence[Check], names: list[str]) -> list[Check]:
    """Return one check for each claim that holds for many binary problems, and the first of those that do not hold."""
    kept: list[Check] = []
    equal: dict[tuple[str, str], list[Check]] = {}
    refuted = 0
    for check in checks:
        if not check.problem:
            kept.append(check)
        elif check.status in ("holds", "on trust"):
            equal.setdefault((check.status, check.claim.removeprefix(f"{check.problem}: ")), []).append(check)
        else:
            refuted += 1
            kept += [check] * (refuted <= MAX_LISTED)
    for (_, claim), group in equal.items():
        some = "all" if len(group) == len(names) else f"{len(group):,} of"
        kept.append(dataclasses.replace(group[0], claim=claim, detail=f"{some} {counted(len(names), 'problem')}"))
    return kept
