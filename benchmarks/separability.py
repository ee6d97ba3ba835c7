"""separability against the linear programs of R's detectseparation, solved by HiGHS; on five million rows; on dummies.

The peer solves two programs over all rows z = y (x, 1) (Konis 2007): the first is max sum z_i.v with z_i.v >= 0 and
|v_j| <= 1, whose value is 0 where the classes overlap; the second is max t with z_i.v >= t and |v_j| <= 1, which tells
complete separation from quasi-complete. Where classes overlap the first alone would do: its time is shown, too. HiGHS
is taken at its word; ours is proven in whole numbers within the time measured.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import novikoff as nk

from .data.sets import at_hand, read
from .harness import Session, Suite
from .harness.memory import bytes_beyond
from .harness.session import show

ROUNDS = 3
SLOW = 20.0  # seconds above which one round must do
SETS = ("a9a", "ijcnn1", "covtype")
NOTHING = 1e-7  # a value that HiGHS means to be 0
MILLIONS = (5_000_000, 20)


def two_programs(X: Any, y: np.ndarray) -> tuple[str, float]:
    """The peer's verdict, and the seconds of the first program alone."""
    start = time.perf_counter()
    signs = np.where(y == y.max(), 1.0, -1.0)
    lifted = sp.hstack([sp.csr_array(X), np.ones((X.shape[0], 1))], format="csr")
    z = sp.csr_array(lifted.multiply(signs[:, None]))
    rows, columns = z.shape
    first = linprog(-np.asarray(z.sum(axis=0)).ravel(), A_ub=-z, b_ub=np.zeros(rows), bounds=(-1, 1), method="highs")
    took = time.perf_counter() - start
    second = linprog(
        np.append(np.zeros(columns), -1.0),
        A_ub=sp.hstack([-z, np.ones((rows, 1))], format="csr"),
        b_ub=np.zeros(rows),
        bounds=[(-1, 1)] * columns + [(None, 1)],
        method="highs",
    )
    if first.status or second.status:
        return "no answer", took
    if -second.fun > NOTHING:
        return "complete", took
    return ("quasi-complete" if -first.fun > NOTHING else "overlap"), took


def measure(name: str, share: int) -> dict[str, Any]:
    """Both on one set, in turn."""
    X, y = read(name)
    X, y = X[::share], y[::share]
    ours, both, first = [], [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        verdict = nk.separability(X, y).kind
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        peer, alone = two_programs(X, y)
        both.append(time.perf_counter() - start)
        first.append(alone)
        if both[-1] > SLOW:
            break
    return {
        "set": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "ours": verdict,
        "peer": peer,
        "our seconds": float(np.median(ours)),
        "both programs": float(np.median(both)),
        "the first": float(np.median(first)),
        "ratio": float(np.median(both) / np.median(ours)),
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
        start = time.perf_counter()
        kind = nk.separability(X, y).kind
        took = time.perf_counter() - start
        beyond = bytes_beyond(lambda y=y: nk.separability(X, y)) / 2**20
        found.append({"rows": rows, "columns": columns, "kind": kind, "seconds": took, "MiB": beyond})
    return found


def dummies(share: int) -> list[dict[str, Any]]:
    """20,000 rows of 213 indicators, decided and verified, against the first program alone; best of the rounds."""
    rows, levels = 20_000 // share, (60, 50, 40, 30, 20, 10, 6, 4, 2)
    table = []
    for power in (1.0, 2.2):  # with rare levels, the separation is quasi-complete
        rng = np.random.default_rng(0)
        parts, scores = [], np.zeros(rows)
        for count in levels:
            shares = 1.0 / np.arange(1, count + 1) ** power
            drawn = rng.choice(count, size=rows, p=shares / shares.sum())
            drawn[:count] = np.arange(count)
            parts.append(np.eye(count)[drawn][:, 1:])
            scores += rng.normal(size=count)[drawn]
        X, y = np.hstack(parts), (rng.random(rows) < 1 / (1 + np.exp(-scores))).astype(int)
        nk.separability(X, y)  # imports
        seconds = []
        for _ in range(ROUNDS):
            first = two_programs(X, y)[1]
            start = time.perf_counter()
            found = nk.separability(X, y)
            decided = time.perf_counter()
            proven = bool(found.verify(X, y))
            verified = time.perf_counter()
            proven &= bool(found.verify(X, y, exact=True))
            seconds.append((first, decided - start, verified - decided, time.perf_counter() - verified))
        first, decided, verified, exactly = np.min(seconds, axis=0)
        table.append(
            {
                "rows": rows,
                "columns": X.shape[1],
                "kind": found.kind,
                "proven": proven,
                "the program": first,
                "decided": decided,
                "verified": verified,
                "exactly": exactly,
                "ratio": (decided + max(verified, exactly)) / first,
            }
        )
    return table


def run(session: Session) -> None:
    """Measure all."""
    share = session.size["share"]
    sets = [measure(name, share) for name in at_hand(session.size["sets"])]
    show(sets)
    session.keep(sets=sets)
    many, indicators = millions(share), dummies(share)
    show(many)
    show(indicators)
    session.keep(millions=many, dummies=indicators)


SUITE = Suite(
    name="separability",
    measures="whether a plane separates the classes, proven in whole numbers",
    contestants=("the linear programs of detectseparation, by HiGHS",),
    answers="the verdicts are compared; ours is proven",
    limit="one pass over the values",
    run=run,
    quick={"sets": ("a9a", "ijcnn1"), "share": 20},
    full={"sets": SETS, "share": 1},
)
