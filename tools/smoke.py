"""Use an installed wheel once: learn, check the certificate, save and load, read a file, and call the command line."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import novikoff as nk

ROWS = 200


def main() -> None:
    """Run each step; an exception or a failed assertion ends the program."""
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
        command = [sys.executable, "-m", "novikoff", "fit", table, "-o", Path(folder, "fitted.nvk")]
        subprocess.run(command, check=True)
        subprocess.run([sys.executable, "-m", "novikoff", "certify", Path(folder, "fitted.nvk"), table], check=True)
    print(f"novikoff {nk.__version__} works on Python {sys.version.split()[0]}, {sys.platform}")


if __name__ == "__main__":
    main()
