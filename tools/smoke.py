"""Use an installed wheel once: learn, check the certificate, save and load, read a file, and call the command line.

python tools/smoke.py [--few-dependencies]

With --few-dependencies, NumPy, SciPy, msgspec, threadpoolctl and lazy_loader suffice: the learners do without
scikit-learn, as those of the command line do, and novikoff-check, which needs no package, takes its place.
"""

import importlib.metadata
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import novikoff as nk

ROWS = 200
FEW = "--few-dependencies"
LIBRARY = re.compile(r"\.(so|pyd|dll|dylib)(\.|$)")


def main(few: bool) -> None:
    """Run each step; an exception or a failed assertion ends the program."""
    if few:
        from novikoff._plain_estimators import use_plain_estimators

        use_plain_estimators()
    assert_one_library(map(str, importlib.metadata.files("novikoff") or ()))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 5))
    y = np.where(X @ np.array([3.0, -2.0, 1.0, 0.5, -1.0]) > 0, "yes", "no")
    online, batch = nk.Perceptron().fit(X, y), nk.LinearSVM().fit(X, y)
    assert nk.verify(online, X, y)
    assert nk.verify(batch, X, y)
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder, "table.csv"), Path(folder, "model.nvk")
        lines = [",".join([*map(repr, map(float, row)), str(label)]) for row, label in zip(X, y, strict=True)]
        table.write_text("\n".join(["a,b,c,d,e,label", *lines]) + "\n", encoding="utf-8")
        nk.save(batch, model)
        assert np.array_equal(nk.load(model).decision_function(X), batch.decision_function(X))
        if few:
            check_exactly(X, (y == "yes").astype(int), Path(folder))
        else:
            use_command_line(table, Path(folder, "fitted.nvk"))
    print(f"novikoff {nk.__version__} works on Python {sys.version.split()[0]}, {sys.platform}")


def assert_one_library(names: Iterable[str]) -> None:
    """Check that a wheel has no library of others."""
    others = [name for name in names if LIBRARY.search(name) and not re.search(r"[\\/]_core\.[^\\/]*$", name)]
    assert not others, f"the wheel contains {others}"


def use_command_line(table: Path, model: Path) -> None:
    """Fit a model to a table, and verify its certificate."""
    subprocess.run([sys.executable, "-m", "novikoff", "fit", table, "-o", model], check=True)
    subprocess.run([sys.executable, "-m", "novikoff", "certify", model, table], check=True)


def check_exactly(X: np.ndarray, y: np.ndarray, folder: Path) -> None:
    """Write rows to a file and read them, fit a model to them, and have novikoff-check judge it."""
    rows, model = folder / "rows.svm", folder / "fitted.nvk"
    nk.write_svmlight(X, y, rows)
    read, labels = nk.read_svmlight(rows)
    assert np.array_equal(read.toarray(), X)
    assert np.array_equal(labels, y)
    nk.save(nk.LinearSVM().fit(read, labels), model)
    subprocess.run([sys.executable, "-m", "novikoff_check", model, rows], check=True)


if __name__ == "__main__":
    main(FEW in sys.argv[1:])
