"""separability against the linear programs of R's detectseparation, solved by HiGHS; and on five million rows.

python benchmarks/separability.py            # a9a, ijcnn1, covtype: the programs take minutes on the last
python benchmarks/separability.py --quick    # a tenth of the rows

The peer solves one program, or two, over all rows z = y (x, 1) (Konis 2007): max sum z_i.v with z_i.v >= 0 and |v_j| <= 1,
whose value is 0 where the classes overlap; and max t with z_i.v >= t and |v_j| <= 1, which tells complete separation
from quasi-complete where that value is above 0.
It takes the answers of HiGHS as they are; ours are proven in whole numbers within the time measured.
"""

from __future__ import annotations

import resource
import time
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse as sp
from harness import machine, save, share_of_rows, show
from svm_sets import read

import novikoff as nk

ROUNDS = 3
SLOW = 20.0  # seconds above which one round must do
SETS = ("a9a", "ijcnn1", "covtype")
MILLIONS = (5_000_000, 20)


def two_programs(X: Any, y: np.ndarray) -> str:
    """The peer's verdict."""
    signs = np.where(y == y.max(), 1.0, -1.0)
    lifted = sp.hstack([sp.csr_array(X), np.ones((X.shape[0], 1))], format="csr")
    z = sp.csr_array(lifted.multiply(signs[:, None]))
    rows, columns = z.shape
    first = scipy.optimize.linprog(
        -np.asarray(z.sum(axis=0)).ravel(), A_ub=-z, b_ub=np.zeros(rows), bounds=(-1, 1), method="highs"
    )
    if -first.fun <= 1e-7:
        return "overlap"
    second = scipy.optimize.linprog(
        np.append(np.zeros(columns), -1.0),
        A_ub=sp.hstack([-z, np.ones((rows, 1))], format="csr"),
        b_ub=np.zeros(rows),
        bounds=[(-1, 1)] * columns + [(None, 1)],
        method="highs",
    )
    return "complete" if -second.fun > 1e-7 else "quasi-complete"


def measure(name: str, share: int) -> dict[str, Any]:
    """Both on one set, in turn."""
    X, y = read(name)
    X, y = X[::share], y[::share]
    contestants = {"ours": lambda: nk.separability(X, y).kind, "two programs": lambda: two_programs(X, y)}
    seconds: dict[str, list[float]] = {who: [] for who in contestants}
    verdicts = {}
    for _ in range(ROUNDS):
        for who, decide in contestants.items():
            start = time.perf_counter()
            verdicts[who] = decide()
            seconds[who].append(time.perf_counter() - start)
        if seconds["two programs"][-1] > SLOW:
            break
    ours, theirs = (float(np.median(times)) for times in seconds.values())
    return {
        "set": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "ours": verdicts["ours"],
        "two programs": verdicts["two programs"],
        "our seconds": ours,
        "their seconds": theirs,
        "ratio": theirs / ours,
    }


def millions(share: int) -> list[dict[str, Any]]:
    """Five million rows, separable and not."""
    rows, columns = MILLIONS[0] // share, MILLIONS[1]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = X @ rng.normal(size=columns) + 0.1 > 0
    found = []
    for wrong in (0, 1):
        y[:wrong] = ~y[:wrong]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        kind = nk.separability(X, y).kind
        took = time.perf_counter() - start
        beyond = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        found.append({"rows": rows, "columns": columns, "kind": kind, "seconds": took, "MiB": beyond})
    return found


def main() -> None:
    share = share_of_rows(__doc__ or "")
    many = millions(share)  # first: the peak of memory is that of the whole process
    table = [measure(name, share) for name in SETS]
    show(table)
    show(many)
    save("separability", share, {"sets": table, "millions": many, **machine()})


if __name__ == "__main__":
    main()
