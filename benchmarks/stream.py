"""One pass over a text file, predict then learn, against Vowpal Wabbit: ratios from one interleaved run.

python benchmarks/stream.py            # a file of about 270 MB, written to build/ first, in both formats
python benchmarks/stream.py --quick    # a tenth of it

Both read the same examples as text, predict each, count, and learn from it. Vowpal Wabbit reads its own format, with
hinge loss and 2^18 weights; it parses in a thread of its own, as novikoff does. Its default update is adaptive,
normalised and invariant; --sgd is the plain one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import vowpalwabbit
from harness import interleave, report, share_of_rows
from parse import write_files

import novikoff as nk


def write_vw(text: Path) -> Path:
    """The same examples in Vowpal Wabbit's format."""
    path = text.with_suffix(".vw")
    if not path.exists():
        with text.open("rb") as lines, path.open("wb") as out:
            out.writelines(line.replace(b" ", b" | ", 1) for line in lines)
    return path


def vw(path: Path, options: str) -> None:
    usual = "--loss_function hinge --binary --bit_precision 18 --quiet"
    vowpalwabbit.Workspace(f"--data {path} {usual} {options}").finish()


def progressive(model: Any, path: Path) -> int:
    progress = nk.evaluate.progressive(model, nk.scan(path))
    for _ in progress:
        pass
    return progress.examples


def main() -> None:
    share = share_of_rows(__doc__)
    rows = 200_000 // share
    text, *_ = write_files(Path("build") / "bench", rows)
    theirs = write_vw(text)
    cached = text.with_suffix(".nvk")
    nk.cache(text, cached)
    times = interleave(
        {
            "perceptron": lambda: progressive(nk.Perceptron(), text),
            "passive-aggressive I": lambda: progressive(nk.PassiveAggressiveI(), text),
            "tracker": lambda: progressive(nk.Tracker(), text),
            "perceptron, cached rows": lambda: progressive(nk.Perceptron(), cached),
            "tracker, cached rows": lambda: progressive(nk.Tracker(), cached),
            "VW": lambda: vw(theirs, ""),
            "VW --sgd": lambda: vw(theirs, "--sgd"),
        },
        rounds=5,
    )
    size = text.stat().st_size
    table = [
        {
            "work": mine,
            "ours": f"{times[mine]:.3f} s",
            "peer": f"{times[other]:.3f} s ({other})",
            "ratio": times[other] / times[mine],
            "MB/s": size / times[mine] / 1e6,
            "us an example": 1e6 * times[mine] / rows,
        }
        for mine in ("perceptron", "passive-aggressive I", "tracker", "perceptron, cached rows", "tracker, cached rows")
        for other in ("VW", "VW --sgd")
    ]
    report("stream", share, table, file_MB=size / 1e6, rows=rows)


if __name__ == "__main__":
    main()
