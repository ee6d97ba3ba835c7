"""A path of C against fits from scratch, and what leaving out rows that provably do not matter brings.

Each line is the median of three interleaved runs in one thread: the path of 20 or 100 values of C with the grid that
LinearSVMPath computes, the same with ``screen=True``, and one LinearSVM for each of the same values.
"""

from __future__ import annotations

from harness import command_line, interleave
from svm_sets import at_hand, read

import novikoff as nk

SETS = ("a9a", "w8a", "phishing", "ijcnn1", "pcmac", "spam_stream")
KINDS = {"free": {}, "penalized": {"penalized_intercept": True}, "squared": {"loss": "squared_hinge"}}


def compare(name: str, kind: str, count: int, tol: float, rounds: int) -> None:
    X, y = read(name)
    settings = {"n_jobs": 1, "tol": tol, **KINDS[kind]}
    path = nk.LinearSVMPath(Cs=count, screen=True, **settings).fit(X, y)
    contestants = {
        "path": lambda: nk.LinearSVMPath(Cs=count, **settings).fit(X, y),
        "screened": lambda: nk.LinearSVMPath(Cs=count, screen=True, **settings).fit(X, y),
        "alone": lambda: [nk.LinearSVM(C=C, **settings).fit(X, y) for C in path.Cs_],
    }
    seconds = interleave(contestants, rounds)
    print(
        f"{name:12} {kind:10} {count:4} values, gap {tol:g}: path {seconds['path']:6.2f} s,"
        f" single fits {seconds['alone'] / seconds['path']:5.2f} times as long,"
        f" screened {seconds['screened'] / seconds['path']:5.2f} times as long,"
        f" rows left out {path.screened_.mean():.0%}, at most {path.screened_.max():.0%}",
        flush=True,
    )


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--counts", nargs="*", type=int, default=(20, 100))
    parser.add_argument("--tol", type=float, default=1e-4)
    given = parser.parse_args()
    for name in at_hand(tuple(given.sets)):
        for count in given.counts:
            for kind in KINDS:
                compare(name, kind, count, given.tol, 1 if given.quick else 3)


if __name__ == "__main__":
    main()
