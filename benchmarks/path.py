"""The path of C against single fits, and what leaving out rows that provably do not matter brings.

Paths have the grid that LinearSVMPath computes. All fits use one thread.
"""

from __future__ import annotations

import novikoff as nk

from .data.sets import at_hand, read
from .harness import Session, Suite

SETS = ("a9a", "w8a", "phishing", "ijcnn1", "pcmac", "spam_stream")
TOL = 1e-4
KINDS_TEXT = {"free": "free intercept", "penalized": "penalized intercept", "squared": "squared hinge"}
KINDS = {"free": {}, "penalized": {"penalized_intercept": True}, "squared": {"loss": "squared_hinge"}}


def compare(session: Session, name: str, kind: str, count: int) -> None:
    """Compare a path with its single fits on one set."""
    X, y = read(name)
    settings = {"n_jobs": 1, "tol": TOL, **KINDS[kind]}
    path = nk.LinearSVMPath(Cs=count, screen=True, **settings).fit(X, y)
    session.compare(
        f"{name}, {KINDS_TEXT[kind]}, {count} values",
        {
            "path": lambda: nk.LinearSVMPath(Cs=count, **settings).fit(X, y),
            "path with screening": lambda: nk.LinearSVMPath(Cs=count, screen=True, **settings).fit(X, y),
        },
        {"novikoff, single fits": lambda: [nk.LinearSVM(C=C, **settings).fit(X, y) for C in path.Cs_]},
        rounds=3,
        screened=float(path.screened_.mean()),
        most_screened=float(path.screened_.max()),
    )


def run(session: Session) -> None:
    """Measure all."""
    for name in at_hand(session.chosen(session.size["sets"])):
        for count in session.size["counts"]:
            for kind in KINDS:
                compare(session, name, kind, count)


SUITE = Suite(
    name="path",
    measures="paths of 20 and of 100 values of C, with and without leaving out rows that provably do not matter",
    contestants=("one LinearSVM for each value",),
    answers="every fit is proven to a gap of 1e-4",
    limit="a single fit for each value: a ratio of 1",
    run=run,
    quick={"sets": ("phishing",), "counts": (10,)},
    full={"sets": SETS, "counts": (20, 100)},
)
