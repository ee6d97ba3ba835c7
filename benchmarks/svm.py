"""LinearSVM against LinearSVC and SVC on real data: times to a gap, and to the same objective.

python benchmarks/svm.py                              # everything: hours, most of them LinearSVC's
python benchmarks/svm.py --quick                      # tiny sets only: minutes
python benchmarks/svm.py --parts A,E --sets a9a,w8a   # a part; other results are kept

A  Every set, C = 0.01, 1, 100, both losses, with LinearSVC's penalised intercept: LinearSVM to the gaps 1e-4 and 1e-6;
   LinearSVC as it comes, and with growing effort until its objective is within 1e-6 of the optimum. A fit is stopped
   after --cap seconds; ratios to what did not get there are lower bounds.
B  SVC with the linear kernel, C = 1, against LinearSVM with a free intercept.
C  covtype, hinge, C = 1, free intercept, gap 1e-6; and four copies of it.
D  Two threads against one, on the five slowest cells of A; and the peak of memory beyond the data.
E  Figures of the distance from the optimum against time, from A, with SVC's points; written beside the JSON file.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import Worker, command_line, machine, result_path, save, saved, show
from svm_cells import Cell, Data, Kernel, Ours, again, fit, measure
from svm_plot import draw
from svm_sets import SETS, TINY, at_hand, read
from svm_tables import cells, overview, summary

COSTS = (0.01, 1.0, 100.0)
LOSSES = ("hinge", "squared_hinge")
SLOW = 20.0  # seconds above which one round must do
MOST_ROWS = 20_000  # that SVC is given for a picture
SVC_CAP = 60.0  # seconds it may take for a point of a picture


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def keep(options: Namespace, part: str, key: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    """Save the rows of a part, in place of earlier ones with the same key; without a key, of all."""
    results = saved("svm", options.share)
    new = {tuple(row[k] for k in key) for row in rows}
    old = [row for row in results.get(part, {}).get("table", []) if tuple(row[k] for k in key) not in new]
    table = sorted(old + rows, key=lambda row: (SETS.index(row["set"]), *(str(row[k]) for k in key)))
    results[part] = {"table": table, "cap": options.cap, **machine()}
    save("svm", options.share, results)


def grid(options: Namespace) -> None:
    """Part A."""
    for name in options.sets:
        worker = Worker(read, name)
        for cell in (Cell(name, C, loss) for C in COSTS for loss in LOSSES):
            row = measure(cell, worker, options.cap)
            keep(options, "A", ("set", "C", "loss"), [row])
            seconds = {name: f"{value:.3g} s" for name, value in row["seconds"].items()}
            peer = f"LinearSVC {seconds['defaults']} and {'' if row['reached'] else '>='}{seconds['same objective']}"
            doubt = "" if row["ours"]["1e-6"]["proven"] else "; NOT PROVEN"
            say(f"A {cell}: ours {seconds['1e-4']} and {seconds['1e-6']}, {peer}{doubt}")
        worker.close()


def kernel_machine(options: Namespace) -> None:
    """Part B."""
    for name in at_hand(("mushrooms",) if options.quick else ("a9a", "ijcnn1")):
        worker = Worker(read, name)
        contestants = {"ours": Ours(1.0, "hinge", 1e-4, penalized=False), "SVC": Kernel(1.0)}
        runs = {who: worker(options.cap, fit, one) for who, one in contestants.items()}
        seconds = {who: run["seconds"] if run else options.cap for who, run in runs.items()}
        again(worker, options.cap, contestants, seconds)
        worker.close()
        objectives = {who: run and run["objective"] for who, run in runs.items()}
        reached = {who: run is not None for who, run in runs.items()}
        keep(options, "B", ("set",), [{"set": name, "seconds": seconds, "objective": objectives, "reached": reached}])
        say(f"B {name}: {seconds}")


def large(options: Namespace) -> None:
    """Part C."""
    for name in at_hand(("mushrooms" if options.quick else "covtype",)):
        workers = {copies: Worker(read, name, copies) for copies in (1, 4)}
        runs: dict[int, list[Any]] = {copies: [] for copies in workers}
        for _ in range(3):
            for copies, worker in workers.items():
                runs[copies].append(worker(options.cap * copies, fit, Ours(1.0, "hinge", 1e-6, penalized=False)))
                say(f"C {name} x {copies}: {runs[copies][-1] and runs[copies][-1]['seconds']} s")
            if any(run is None or run["seconds"] > SLOW * copies for copies in runs for run in runs[copies]):
                break
        for worker in workers.values():
            worker.close()
        rows = [
            {
                "set": name,
                "copies": copies,
                "seconds": statistics.median(run["seconds"] if run else copies * options.cap for run in done),
                "objective": done[0] and done[0]["objective"],
                "gap": done[0] and done[0]["gap"],
            }
            for copies, done in runs.items()
        ]
        keep(options, "C", ("set", "copies"), rows)


def peak(data: Data, contestant: Ours) -> int:
    """The most bytes that a fit held beyond what was held before it; the record of the peak is reset first."""
    X, y = data
    few = slice(None, None, max(1, X.shape[0] // 50))
    contestant.model().fit(X[few], y[few])  # what is allocated once for all fits is not part of this one
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")

    def status(field: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))

    before = status("VmRSS")
    contestant.model().fit(X, y)
    return status("VmHWM") - before


def threads_and_memory(options: Namespace) -> None:
    """Part D."""
    table = [row for row in saved("svm", options.share).get("A", {}).get("table", []) if row["set"] in options.sets]
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
                run = worker(10 * options.cap, fit, Ours(cell.C, cell.loss, 1e-6, n_jobs=n_jobs))
                runs[n_jobs].append(run or {"seconds": 10 * options.cap, "cores": 0.0})
        worker.close()
        seconds = {str(n_jobs): statistics.median(run["seconds"] for run in done) for n_jobs, done in runs.items()}
        cores = {str(n_jobs): statistics.median(run["cores"] for run in done) for n_jobs, done in runs.items()}
        measured.append({**vars(cell), "seconds": seconds, "cores": cores})
        keep(options, "D", (), measured)
        say(f"D {cell}: {seconds}")
    for name in at_hand(("pcmac", "mushrooms") if options.quick else ("covtype", "news20")):
        worker = Worker(read, name)
        beyond = worker(10 * options.cap, peak, Ours(1.0, "hinge", 1e-6, penalized=False))
        rows, columns = worker(options.cap, shape)
        worker.close()
        row = {"set": name, "rows": rows, "columns": columns, "bytes": beyond, "vectors": beyond and beyond / 8 / rows}
        keep(options, "memory", ("set",), [row])
        say(f"D {name}: {beyond} bytes beyond the data")


def shape(data: Data) -> tuple[int, int]:
    return data[0].shape


def pictures(options: Namespace) -> None:
    """Part E."""
    for name in options.sets:
        worker = Worker(read, name)
        feasible = worker(options.cap, shape)[0] <= MOST_ROWS
        for C in (1.0, 100.0) if feasible else ():
            best = worker(options.cap, fit, Ours(C, "hinge", 1e-9, penalized=False))
            run = worker(min(SVC_CAP, options.cap), fit, Kernel(C))
            if best and run:
                least = min(best["objective"], run["objective"], *best["history"][1])
                point = {"seconds": run["seconds"], "distance": run["objective"] / least - 1}
                keep(options, "E", ("set", "C"), [{"set": name, "C": C, **point}])
        worker.close()
        results = saved("svm", options.share)
        table = [row for row in results.get("A", {}).get("table", []) if row["set"] == name]
        points = [row for row in results.get("E", {}).get("table", []) if row["set"] == name]
        if table:
            draw(name, table, points, result_path(f"svm_{name}", options.share, "png"))
            say(f"E {name}: drawn")
        else:
            say(f"E {name}: a picture needs part A")


PARTS: dict[str, Callable[[Namespace], None]] = {
    "A": grid,
    "B": kernel_machine,
    "C": large,
    "D": threads_and_memory,
    "E": pictures,
}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--cap", type=float, default=300.0, metavar="SECONDS", help="the most that one fit may take")
    parser.add_argument("--sets", type=lambda names: tuple(names.split(",")), help="some of " + ",".join(SETS))
    parser.add_argument("--parts", type=lambda names: names.split(","), default=list(PARTS), help="some of A,B,C,D,E")
    options = parser.parse_args()
    if unknown := [*(set(options.sets or ()) - set(SETS)), *(set(options.parts) - set(PARTS))]:
        parser.error(f"there is no set or part called {', '.join(unknown)}")
    options.share = 10 if options.quick else 1
    options.sets = at_hand(options.sets or (TINY if options.quick else SETS))
    for part in options.parts:
        PARTS[part](options)
    results = saved("svm", options.share)
    if "A" in results:
        show(overview(results["A"]["table"]))
        print("\n" + cells(results))
    if claims := summary(results):
        show(claims)


if __name__ == "__main__":
    main()
