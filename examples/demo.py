"""From a table to a proven model and a report, with the command line alone.

The table is scikit-learn's copy of the Wisconsin breast cancer data: 569 tumours with 30 measurements each, benign or
malignant.
"""

from __future__ import annotations

import csv
import shlex
import subprocess
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer

OUT = Path("out")
STEPS = (
    ("Fit a support vector machine, to a proven gap:", "fit out/tumours.csv -o out/model.nvk"),
    ("Check the proof without the code of the solver:", "certify out/model.nvk out/tumours.csv"),
    ("Does a plane separate the two classes?", "separable out/tumours.csv"),
    ("Write a report:", "report out/model.nvk out/tumours.csv -o out/report.html"),
)
NEXT = (
    ("novikoff stream out/tumours.csv -o out/online.nvk", "predict each row, then learn from it"),
    ("novikoff fit out/tumours.csv --cv 5 --C-max 0.001 -o out/chosen.nvk", "choose C by cross-validation"),
    ("novikoff inspect out/model.nvk", "show the largest weights"),
)


def write_table(path: Path) -> None:
    """The set as a table with names."""
    found = load_breast_cancer()
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*found.feature_names, "label"])
        for row, label in zip(found.data.tolist(), found.target_names[found.target].tolist(), strict=True):
            rows.writerow([*row, label])


def run(arguments: str) -> None:
    """Run a subcommand and show its command line."""
    print(f"$ novikoff {arguments}", flush=True)
    subprocess.run([sys.executable, "-m", "novikoff", *shlex.split(arguments)], check=True)


def main() -> None:
    write_table(OUT / "tumours.csv")
    for words, arguments in STEPS:
        print(f"\n{words}")
        run(arguments)
    print("\nOpen out/report.html in a browser. With .venv/bin on your PATH, try next:")
    for command, purpose in NEXT:
        print(f"  {command:<70} # {purpose}")


if __name__ == "__main__":
    main()
