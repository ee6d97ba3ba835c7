"""LinearSVM against LinearSVC and SVC on real data: times to a gap, and to the same objective.

Parts, of which `--only` names some, with or without names of data sets; earlier results of the others are kept:

A  Every set, C = 0.01, 1, 100, both losses, with LinearSVC's penalised intercept: LinearSVM to the gaps 1e-4 and 1e-6;
   LinearSVC with its defaults, and with growing effort until its objective is within 1e-6 of the optimum. A fit is
   stopped after the seconds of ``cap``; ratios to fits that were stopped are lower bounds.
B  SVC with the linear kernel, C = 1, against LinearSVM with a free intercept.
C  covtype, hinge, C = 1, free intercept, gap 1e-6; and four copies of it.
D  Two threads against one, on the five slowest cells of A; and the peak of memory beyond the data.
E  SVC's points for the figures of the distance from the optimum against time.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from typing import Any

from .data.sets import SETS, at_hand, read
from .harness import Session, Suite, Worker
from .harness.memory import bytes_beyond
from .harness.session import show
from .page.svm import overview, summary
from .svm_cells import Cell, Data, Kernel, Ours, again, fit, measure

COSTS = (0.01, 1.0, 100.0)
LOSSES = ("hinge", "squared_hinge")
SLOW = 20.0  # seconds above which one round must do
MOST_ROWS = 20_000  # that SVC is given for a picture
SVC_CAP = 60.0  # seconds it may take for a point of a picture


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def keep(session: Session, part: str, key: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    """Save the rows of a part, in place of earlier ones with the same key; without a key, of all."""
    results = session.content
    new = {tuple(row[k] for k in key) for row in rows}
    old = [row for row in results.get(part, {}).get("table", []) if tuple(row[k] for k in key) not in new]
    table = sorted(old + rows, key=lambda row: (SETS.index(row["set"]), *(str(row[k]) for k in key)))
    session.keep(**{part: {"table": table, "cap": session.size["cap"], "machine": session.machine}})


def sets_of(session: Session) -> list[str]:
    """Return the sets that are measured and whose files are there."""
    return at_hand(session.chosen(session.size["sets"]))


def grid(session: Session) -> None:
    """Part A."""
    for name in sets_of(session):
        worker = Worker(read, name)
        for cell in (Cell(name, C, loss) for C in session.size["costs"] for loss in LOSSES):
            row = measure(cell, worker, session.size["cap"])
            keep(session, "A", ("set", "C", "loss"), [row])
            seconds = {name: f"{value:.3g} s" for name, value in row["seconds"].items()}
            peer = f"LinearSVC {seconds['defaults']} and {'' if row['reached'] else '>='}{seconds['same objective']}"
            doubt = "" if row["ours"]["1e-6"]["proven"] else "; NOT PROVEN"
            say(f"A {cell}: ours {seconds['1e-4']} and {seconds['1e-6']}, {peer}{doubt}")
        worker.close()


def kernel_machine(session: Session) -> None:
    """Part B."""
    for name in at_hand(session.size["kernel"]):
        worker = Worker(read, name)
        contestants = {"ours": Ours(1.0, "hinge", 1e-4, penalized=False), "SVC": Kernel(1.0)}
        runs = {who: worker(session.size["cap"], fit, one) for who, one in contestants.items()}
        seconds = {who: run["seconds"] if run else session.size["cap"] for who, run in runs.items()}
        again(worker, session.size["cap"], contestants, seconds)
        worker.close()
        objectives = {who: run and run["objective"] for who, run in runs.items()}
        reached = {who: run is not None for who, run in runs.items()}
        keep(session, "B", ("set",), [{"set": name, "seconds": seconds, "objective": objectives, "reached": reached}])
        say(f"B {name}: {seconds}")


def large(session: Session) -> None:
    """Part C."""
    for name in at_hand((session.size["large"],)):
        workers = {copies: Worker(read, name, copies) for copies in (1, 4)}
        runs: dict[int, list[Any]] = {copies: [] for copies in workers}
        for _ in range(3):
            for copies, worker in workers.items():
                runs[copies].append(
                    worker(session.size["cap"] * copies, fit, Ours(1.0, "hinge", 1e-6, penalized=False))
                )
                say(f"C {name} x {copies}: {runs[copies][-1] and runs[copies][-1]['seconds']} s")
            if any(run is None or run["seconds"] > SLOW * copies for copies in runs for run in runs[copies]):
                break
        for worker in workers.values():
            worker.close()
        rows = [
            {
                "set": name,
                "copies": copies,
                "seconds": statistics.median(run["seconds"] if run else copies * session.size["cap"] for run in done),
                "objective": done[0] and done[0]["objective"],
                "gap": done[0] and done[0]["gap"],
            }
            for copies, done in runs.items()
        ]
        keep(session, "C", ("set", "copies"), rows)


def peak(data: Data, contestant: Ours) -> int:
    """Return the most bytes that a fit held beyond what was held before it."""
    X, y = data
    few = slice(None, None, max(1, X.shape[0] // 50))
    contestant.model().fit(X[few], y[few])  # what is allocated once for all fits is not part of this one
    return bytes_beyond(lambda: contestant.model().fit(X, y))


def threads_and_memory(session: Session) -> None:
    """Part D."""
    table = [row for row in session.content.get("A", {}).get("table", []) if row["set"] in sets_of(session)]
    solved = [row for row in table if row["ours"]["1e-6"]["proven"]]
    if not solved:
        say("D needs the times of part A: threads are left out")
    measured = []
    for row in sorted(solved, key=lambda row: -row["seconds"]["1e-6"])[:5]:
        cell = Cell(row["set"], row["C"], row["loss"])
        worker = Worker(read, cell.set)
        runs: dict[int, list[Any]] = {1: [], 2: []}
        while len(runs[2]) < (1 if row["seconds"]["1e-6"] > SLOW else 3):
            for n_jobs in runs:
                run = worker(10 * session.size["cap"], fit, Ours(cell.C, cell.loss, 1e-6, n_jobs=n_jobs))
                runs[n_jobs].append(run or {"seconds": 10 * session.size["cap"], "cores": 0.0})
        worker.close()
        seconds = {str(n_jobs): statistics.median(run["seconds"] for run in done) for n_jobs, done in runs.items()}
        cores = {str(n_jobs): statistics.median(run["cores"] for run in done) for n_jobs, done in runs.items()}
        measured.append({**vars(cell), "seconds": seconds, "cores": cores})
        keep(session, "D", (), measured)
        say(f"D {cell}: {seconds}")
    for name in at_hand(("pcmac", "mushrooms") if session.quick else ("covtype", "news20")):
        worker = Worker(read, name)
        beyond = worker(10 * session.size["cap"], peak, Ours(1.0, "hinge", 1e-6, penalized=False))
        rows, columns = worker(session.size["cap"], shape)
        worker.close()
        row = {"set": name, "rows": rows, "columns": columns, "bytes": beyond, "vectors": beyond and beyond / 8 / rows}
        keep(session, "memory", ("set",), [row])
        say(f"D {name}: {beyond} bytes beyond the data")


def shape(data: Data) -> tuple[int, int]:
    return data[0].shape


def kernel_points(session: Session) -> None:
    """Part E."""
    for name in sets_of(session):
        worker = Worker(read, name)
        feasible = worker(session.size["cap"], shape)[0] <= MOST_ROWS
        for C in (1.0, 100.0) if feasible else ():
            best = worker(session.size["cap"], fit, Ours(C, "hinge", 1e-9, penalized=False))
            run = worker(min(SVC_CAP, session.size["cap"]), fit, Kernel(C))
            if best and run:
                least = min(best["objective"], run["objective"], *best["history"][1])
                point = {"seconds": run["seconds"], "distance": run["objective"] / least - 1}
                keep(session, "E", ("set", "C"), [{"set": name, "C": C, **point}])
        worker.close()


PARTS: dict[str, Callable[[Session], None]] = {
    "A": grid,
    "B": kernel_machine,
    "C": large,
    "D": threads_and_memory,
    "E": kernel_points,
}


def run(session: Session) -> None:
    """Measure the chosen parts, and print an overview and the claims."""
    for part in session.chosen(session.size["parts"]):
        PARTS[part](session)
    if "A" in session.content:
        show(overview(session.content["A"]["table"]))
    if claims := summary(session.content):
        show(claims)


SUITE = Suite(
    name="svm",
    measures="the soft margin: times to a proven gap, and to the same objective; threads and memory",
    contestants=("LinearSVC", "SVC"),
    answers="LinearSVC works harder until its objective is within 1e-6 of the optimum, which a dual bound proves",
    limit="one pass over the values, which every solver needs several times",
    run=run,
    quick={"parts": "ACD", "sets": ("colon",), "costs": (1.0,), "cap": 10.0, "kernel": (), "large": "pcmac"},
    full={
        "parts": "ABCDE",
        "sets": SETS,
        "costs": COSTS,
        "cap": 20.0,
        "kernel": ("a9a", "ijcnn1"),
        "large": "covtype",
    },
)
