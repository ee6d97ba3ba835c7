"""From a table to a proven model and a page about it, by the command line alone.

The table is scikit-learn's copy of the breast cancer data of Wisconsin: 569 tumours, 30 measurements of each, benign or
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
    ("Fit a support vector machine to a gap that is proven:", "fit out/tumours.csv -o out/model.nvk"),
    ("Check that proof, without the solver's code:", "certify out/model.nvk out/tumours.csv"),
    ("Can a plane separate the classes at all?", "separable out/tumours.csv"),
    ("A page to look at:", "report out/model.nvk out/tumours.csv -o out/report.html"),
)
NEXT = (
    ("novikoff stream out/tumours.csv -o out/online.nvk", "predict each row, then learn from it"),
    ("novikoff fit out/tumours.csv --cv 5 --C-max 0.001 -o out/chosen.nvk", "let held-out rows choose C"),
    ("novikoff inspect out/model.nvk", "the weights by name"),
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
    """Run a verb as a person would."""
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
