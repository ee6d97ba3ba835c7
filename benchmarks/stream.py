"""One pass over a file of text, predicting each example before learning from it, against Vowpal Wabbit.

Vowpal Wabbit reads its own format, with hinge loss and 2^18 weights; it parses in a thread of its own, as novikoff
does. Its default update is adaptive, normalised and invariant; --sgd is the plain one.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import novikoff as nk

from .harness import Session, Suite
from .parse import write_files


def write_vw(text: Path) -> Path:
    """Write the same examples in Vowpal Wabbit's format."""
    path = text.with_suffix(".vw")
    if not path.exists():
        with text.open("rb") as lines, path.open("wb") as out:
            out.writelines(line.replace(b" ", b" | ", 1) for line in lines)
    return path


def vw(path: Path, options: str) -> int:
    """Learn from a file, and return the number of examples."""
    import vowpalwabbit

    usual = "--loss_function hinge --binary --bit_precision 18 --quiet"
    model = vowpalwabbit.Workspace(f"--data {path} {usual} {options}")
    model.finish()
    return int(model.get_weighted_examples())


def progressive(make: Any, path: Path) -> int:
    """Predict and learn each example of a file, and return their number."""
    progress = nk.evaluate.progressive(make(), nk.scan(path))
    for _ in progress:
        pass
    return int(progress.examples)


def run(session: Session) -> None:
    """Measure all."""
    rows = session.size["rows"]
    text, *_ = write_files(rows)
    theirs = write_vw(text)
    makers = {"perceptron": nk.Perceptron, "passive-aggressive I": nk.PassiveAggressiveI, "tracker": nk.Tracker}
    ours = {name: partial(progressive, make, text) for name, make in makers.items()}
    session.compare(
        "predict, then learn",
        ours,
        {"VW": partial(vw, theirs, ""), "VW --sgd": partial(vw, theirs, "--sgd")},
        rounds=5,
        cost=lambda examples: abs(examples - rows),
        limit=session.reading(text.stat().st_size),
        bytes=text.stat().st_size,
        examples=rows,
    )


SUITE = Suite(
    name="stream",
    measures="one pass over an svmlight file: each example is parsed, predicted and learned",
    contestants=("Vowpal Wabbit",),
    answers="all examples were learned; the suite stream_accuracy compares the predictions",
    limit="reading the bytes of the file from memory once",
    run=run,
    quick={"rows": 20_000},
    full={"rows": 200_000},
    packages=("vowpalwabbit",),
)
