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
from .harness import Session, Suite, Timed, Worker
from .harness.memory import bytes_beyond
from .harness.race import MIN_ROUNDS, race
from .harness.session import ratio_text, show
from .page.svm import overview, summary
from .svm_cells import Cell, Contestant, Data, Kernel, Ours, fit, measure, timed_fit

COSTS = (0.01, 1.0, 100.0)
LOSSES = ("hinge", "squared_hinge")
TOLERANCE = 1e-4  # to which objectives are equal in part B, relative to the best
ROUNDS = 9  # of part B, in which our first fit after SVC was stopped is the first of a new process
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


def contestant(worker: Worker, cap: float, one: Contestant, runs: list[dict[str, Any]]) -> Callable[[], Timed]:
    """Return a contestant whose answer is what ``fit`` says of it; a list keeps the answers."""
    work = worker.contestant(cap, timed_fit, one)

    def run() -> Timed:
        found = work()
        runs.extend([found.answer] if found.answer else [])
        return found

    return run


def kernel_machine(session: Session) -> None:
    """Part B."""
    cap = session.size["cap"]
    for name in at_hand(session.size["kernel"]):
        worker = Worker(read, name)
        (row,) = race(
            f"free intercept, {name}",
            {"novikoff": worker.contestant(cap, timed_fit, Ours(1.0, "hinge", TOLERANCE, penalized=False))},
            {"SVC": worker.contestant(cap, timed_fit, Kernel(1.0))},
            rounds=ROUNDS,
            cost=lambda found: found["objective"],
            tolerance=TOLERANCE,
            less_exact_peers=True,
        )
        worker.close()
        keep(session, "B", ("set",), [{"set": name, **row}])
        say(f"B {name}: {ratio_text(row['peers'][0])}")


def large(session: Session) -> None:
    """Part C."""
    cap, one = session.size["cap"], Ours(1.0, "hinge", 1e-6, penalized=False)
    for name in at_hand((session.size["large"],)):
        workers = {copies: Worker(read, name, copies) for copies in (1, 4)}
        runs: dict[int, list[dict[str, Any]]] = {copies: [] for copies in workers}
        own, copied = (contestant(workers[n], cap * n, one, runs[n]) for n in workers)
        (row,) = race(name, {"novikoff": own}, {"novikoff, four copies": copied}, rounds=MIN_ROUNDS)
        for worker in workers.values():
            worker.close()
        gaps = [done[0]["gap"] if done else None for done in runs.values()]
        keep(session, "C", ("set",), [{"set": name, **row, "gaps": gaps}])
        say(f"C {name}: {row['ours']['seconds']:.3g} s; four copies: {ratio_text(row['peers'][0])}")


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
        runs: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
        alone, both = (
            contestant(worker, 10 * session.size["cap"], Ours(cell.C, cell.loss, 1e-6, n_jobs=n), runs[n]) for n in runs
        )
        work = f"two threads, {cell}"
        (found,) = race(
            work,
            {"novikoff": both},
            {"novikoff, one thread": alone},
            rounds=MIN_ROUNDS,
            cost=lambda run: run["objective"],
            tolerance=1e-6,
        )
        worker.close()
        cores = [statistics.median(run["cores"] for run in done) if done else 0.0 for done in runs.values()]
        measured.append({**vars(cell), **found, "cores": cores})
        keep(session, "D", (), measured)
        say(f"D {cell}: {ratio_text(found['peers'][0])}")
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
