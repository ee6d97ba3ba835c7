"""From the command to the saved model, against LIBLINEAR's train and Vowpal Wabbit: ratios from one interleaved run.

python benchmarks/end_to_end.py              # a file of about 270 MB, written to build/ first
python benchmarks/end_to_end.py --quick      # a tenth of it
python benchmarks/end_to_end.py --copies 10  # the stream ten times as long: what is left of the time to start

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

from harness import command_line, interleave, report
from parse import write_files
from stream import vw, write_vw

OPTIONS = ("--loss", "hinge", "--C", "1", "--holdout", "0")  # the same problem as the peer, and only one fit


def novikoff(*arguments: str) -> dict[str, Any]:
    """Run a subcommand and return its output."""
    command = [sys.executable, "-m", "novikoff", *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def times_as_long(path: Path, copies: int) -> Path:
    """A file of several copies of another."""
    if copies == 1:
        return path
    longer = path.with_name(f"{path.stem}-x{copies}{path.suffix}")
    if not longer.exists():
        with longer.open("wb") as out:
            for _ in range(copies):
                with path.open("rb") as text:
                    shutil.copyfileobj(text, out)
    return longer


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--copies", type=int, default=1, help="how often the stream repeats the file")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    share = 10 if options.quick else 1
    folder = Path("build") / "bench"
    text, *_ = write_files(folder, 200_000 // share)
    ours, theirs = times_as_long(text, options.copies), times_as_long(write_vw(text), options.copies)
    model, other = folder / "end_to_end.nvk", folder / "end_to_end.model"
    parts: list[dict[str, Any]] = []
    train = shutil.which("liblinear-train")
    if train is None:
        sys.exit("liblinear-train is not installed: apt-get install liblinear-tools")
    train_command = [train, "-q", "-s", "3", "-c", "1", str(text), str(other)]
    contestants = {
        "fit": lambda: parts.append(novikoff("fit", str(text), *OPTIONS, "-o", str(model))["seconds"]),
        "liblinear-train": lambda: subprocess.run(train_command, check=True),
        "stream": lambda: novikoff("stream", str(ours)),
        "VW": lambda: vw(theirs, ""),
        "VW --sgd": lambda: vw(theirs, "--sgd"),
    }
    contestants["fit"]()
    times = interleave(contestants, options.rounds)
    pairs = (("fit", "liblinear-train"), ("stream", "VW"), ("stream", "VW --sgd"))
    table = [
        {
            "work": mine,
            "ours": f"{times[mine]:.3f} s",
            "peer": f"{times[peer]:.3f} s ({peer})",
            "ratio": times[peer] / times[mine],
        }
        for mine, peer in pairs
    ]
    middle = sorted(parts, key=lambda part: sum(part.values()))[len(parts) // 2]
    spent = {f"fit_{name}_s": seconds for name, seconds in middle.items()}
    spent["fit_start_s"] = times["fit"] - sum(middle.values())
    report(f"end_to_end{f'_x{options.copies}' * (options.copies > 1)}", share, table, **spent)


if __name__ == "__main__":
    main()
