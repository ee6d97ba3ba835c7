"""From the command to the saved model, against LIBLINEAR's train and Vowpal Wabbit.

`novikoff fit` solves the linear support vector machine for C = 1 to a proven gap of 1e-4; `liblinear-train -s 3 -c 1`
(Debian: liblinear-tools) the same problem to its default tolerance, which is much looser. Both are processes of their
own, from text to a model on the disk. `novikoff stream` is a process of its own, too; Vowpal Wabbit is timed inside one
that has already started, since its Python package has no command: its start is not counted, ours is.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nk

from .harness import Session, Suite
from .harness.session import BUILD
from .parse import write_files
from .stream import vw, write_vw

OPTIONS = ("--loss", "hinge", "--C", "1", "--holdout", "0")  # the same problem as the peer, and only one fit
MODEL, OTHER = BUILD / "end_to_end.nvk", BUILD / "end_to_end.model"


def novikoff(*arguments: str) -> dict[str, Any]:
    """Run a subcommand and return its output."""
    command = [sys.executable, "-m", "novikoff", *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def times_as_long(path: Path, copies: int) -> Path:
    """Return a file of several copies of another."""
    if copies == 1:
        return path
    longer = path.with_name(f"{path.stem}-x{copies}{path.suffix}")
    if not longer.exists():
        with longer.open("wb") as out:
            for _ in range(copies):
                with path.open("rb") as text:
                    shutil.copyfileobj(text, out)
    return longer


def objective(path: Path, w: np.ndarray) -> float:
    """Return 1/2 |w|^2 + sum of the hinge losses, without an intercept, of the rows of a file."""
    X, y = nk.read_svmlight(path, n_features=len(w))
    return float(0.5 * w @ w + np.maximum(0, 1 - y * (X @ w)).sum())


def liblinear_weights() -> np.ndarray:
    """Return the weights that LIBLINEAR has written, for labels 1 and -1."""
    text = OTHER.read_text()
    header, numbers = text.split("\nw\n")
    sign = -1.0 if "label -1 1" in header else 1.0
    return sign * np.array(numbers.split(), dtype=np.float64)


def fits(session: Session, text: Path, rounds: int) -> None:
    """Compare a fit with LIBLINEAR's."""
    parts: list[dict[str, float]] = []

    def ours() -> np.ndarray:
        parts.append(novikoff("fit", str(text), *OPTIONS, "--no-fit-intercept", "-o", str(MODEL))["seconds"])
        return nk.load(MODEL).coef_[0]

    def theirs() -> np.ndarray:
        subprocess.run(["liblinear-train", "-q", "-s", "3", "-c", "1", str(text), str(OTHER)], check=True)
        return liblinear_weights()

    session.compare(
        "fit",
        {"novikoff": ours},
        {"liblinear-train": theirs},
        rounds=rounds,
        cost=lambda w: objective(text, w),
        tolerance=0.01,  # the default of LIBLINEAR is loose
        limit=session.reading(text.stat().st_size),
        bytes=text.stat().st_size,
    )
    session.keep(fit_parts_s=sorted(parts, key=lambda part: sum(part.values()))[len(parts) // 2])


def run(session: Session) -> None:
    """Measure fits, and streams of one and of ten copies."""
    rows, rounds = session.size["rows"], session.size["rounds"]
    text, *_ = write_files(rows)
    fits(session, text, rounds)
    for copies in session.size["copies"]:
        ours, theirs = times_as_long(text, copies), times_as_long(write_vw(text), copies)
        session.compare(
            f"stream, {copies * rows:,} rows",
            {"novikoff": lambda path=ours: novikoff("stream", str(path))["examples"]},
            {name: lambda path=theirs, name=name: vw(path, name[3:]) for name in ("VW", "VW --sgd")},
            rounds=rounds,
            cost=lambda examples, copies=copies: abs(examples - copies * rows),
            limit=session.reading(ours.stat().st_size),
            bytes=ours.stat().st_size,
        )


SUITE = Suite(
    name="end_to_end",
    measures="commands from text to a saved model, the start of the program included",
    contestants=("LIBLINEAR", "Vowpal Wabbit"),
    answers="objectives of fits differ by at most 1 percent; streams learn all examples",
    limit="reading the bytes of the file from memory once",
    run=run,
    quick={"rows": 20_000, "rounds": 3, "copies": (1,)},
    full={"rows": 200_000, "rounds": 5, "copies": (1, 10)},
    packages=("vowpalwabbit",),
    programs=("liblinear-train",),
)
