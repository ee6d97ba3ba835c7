"""separability against the linear programs of R's detectseparation, solved by HiGHS; on five million rows; on dummies.

The peer solves two programs over all rows z = y (x, 1) (Konis 2007): the first is max sum z_i.v with z_i.v >= 0 and
|v_j| <= 1, whose value is 0 where the classes overlap; the second is max t with z_i.v >= t and |v_j| <= 1, which tells
complete separation from quasi-complete. Where classes overlap the first alone would do: it is a peer of its own there,
with the time that it took as part of both. HiGHS is taken at its word; ours is proven in whole numbers within the time
measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import novikoff as nk

from .data.sets import at_hand, read
from .harness import Session, Suite, Timed
from .harness.memory import bytes_beyond
from .harness.session import show

ROUNDS = 3
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


def compare(session: Session, name: str, share: int) -> None:
    """Compare verdicts and times on one set."""
    X, y = read(name)
    X, y = X[::share], y[::share]
    proven, first = nk.separability(X, y).kind, []

    def both() -> str:
        verdict, seconds = two_programs(X, y)
        first.append(seconds)
        return verdict

    peers: dict[str, Callable[[], Any]] = {"HiGHS": both}
    if proven == "overlap":
        peers["HiGHS, first program"] = lambda: Timed(first[-1], "overlap")
    session.compare(
        f"separability, {name}",
        {"novikoff": lambda: nk.separability(X, y).kind},
        peers,
        rounds=ROUNDS,
        cost=lambda verdict: float(verdict != proven),
        set=name,
        rows=X.shape[0],
        columns=X.shape[1],
        kind=proven,
    )


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


def indicators(rows: int, power: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of 213 indicators of nine categories, whose levels are rarer with a higher power, and labels."""
    rng = np.random.default_rng(0)
    parts, scores = [], np.zeros(rows)
    for count in (60, 50, 40, 30, 20, 10, 6, 4, 2):
        shares = 1.0 / np.arange(1, count + 1) ** power
        drawn = rng.choice(count, size=rows, p=shares / shares.sum())
        drawn[:count] = np.arange(count)
        parts.append(np.eye(count)[drawn][:, 1:])
        scores += rng.normal(size=count)[drawn]
    return np.hstack(parts), (rng.random(rows) < 1 / (1 + np.exp(-scores))).astype(int)


def dummies(session: Session, share: int) -> None:
    """20,000 rows of 213 indicators, decided and verified, once exactly, against the first program alone."""
    for power in (1.0, 2.2):  # with rare levels, the separation is quasi-complete
        X, y = indicators(20_000 // share, power)
        parts: list[tuple[float, float, float]] = []

        def ours(X: Any = X, y: Any = y, parts: Any = parts) -> Timed:
            times = [time.perf_counter()]
            found = nk.separability(X, y)
            times.append(time.perf_counter())
            proven = bool(found.verify(X, y))
            times.append(time.perf_counter())
            proven &= bool(found.verify(X, y, exact=True))
            times.append(time.perf_counter())
            parts.append(tuple(np.diff(times)))
            decided, verified, exactly = parts[-1]
            return Timed(decided + max(verified, exactly), proven)

        (row,) = session.compare(
            f"separability, indicators with levels of frequency 1/k^{power:g}",
            {"novikoff, decided and verified": ours},
            {"HiGHS, first program": lambda X=X, y=y: Timed(two_programs(X, y)[1], True)},
            rounds=ROUNDS,
            cost=lambda proven: float(not proven),
            rows=X.shape[0],
            columns=X.shape[1],
            kind=nk.separability(X, y).kind,
        )
        names = ("decided", "verified", "exactly")
        row |= dict(zip(names, np.median(parts[1:], axis=0).tolist(), strict=True))  # without the warm-up
        session.keep(table=session.content["table"])


def run(session: Session) -> None:
    """Measure all."""
    share = session.size["share"]
    for name in at_hand(session.size["sets"]):
        compare(session, name, share)
    dummies(session, share)
    many = millions(share)
    show(many)
    session.keep(millions=many)


SUITE = Suite(
    name="separability",
    measures="whether a plane separates the classes, proven in whole numbers",
    contestants=("the linear programs of detectseparation, by HiGHS",),
    answers="a verdict other than the proven one is not timed",
    limit="one pass over the values",
    run=run,
    quick={"sets": ("a9a", "ijcnn1"), "share": 20},
    full={"sets": SETS, "share": 1},
)
