"""What the parts of a round cost, for docs/scaling.md: seconds per stored value, per vector and per task, and rounds.

Each number is the least of several short runs, because the machine may do other work: it is what the code needs, not
what a loaded machine takes. Passes are those of one core over rows of float32 values and int32 columns, of which there
are a million, as in words (frequent ones are in the caches) or as in hashed identifiers (all equally frequent).
"""

from __future__ import annotations

import math
import pickle
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nk
import novikoff._core as _core
from novikoff.distributed.block import checked_block
from novikoff.distributed.codec import encode
from novikoff.distributed.engine import choose_engine
from novikoff.distributed.fitting import fit_outcome
from novikoff.distributed.mixing_pass import Pass, Task, mix_round
from novikoff.distributed.protocol import size_of
from novikoff.distributed.rounds import Data
from novikoff.distributed.soft_margin import plan
from novikoff.distributed.soft_margin.duals import MeasureCommand, part_of
from novikoff.distributed.soft_margin.newton import NewtonCommand, newton_step
from novikoff.distributed.soft_margin.setup import LocalProblem, Setup, begin
from novikoff.distributed.survey import survey_block
from novikoff.online.mixed_fit import MixedFit

from .data.text import text_like
from .harness import Session, Suite
from .harness.session import show

COLUMNS, NONZEROS = 1_000_000, 100
REPEATS = 9
PARTITIONS = (8, 16, 32)
TOLERANCES = (1e-1, 1e-2, 1e-3)
MAX_ROUNDS = {0.1: 400, 1.0: 200, 10.0: 200}  # by C


def least(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the least number of seconds of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def uniform(rows: int, columns: int, nonzeros: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return rows whose columns are all equally frequent, as those of hashed identifiers."""
    random = np.random.default_rng(0)
    indices = np.sort(random.integers(0, columns, (rows, nonzeros)), axis=1).astype(np.int32)
    data = np.full(indices.size, 1 / math.sqrt(nonzeros))
    X = sp.csr_matrix((data, indices.ravel(), np.arange(0, indices.size + 1, nonzeros)), shape=(rows, columns))
    return X, np.where(np.arange(rows) % 2, 1, -1)


def problem_of(X: Any, y: np.ndarray) -> tuple[Any, LocalProblem]:
    """Return rows as one partition, and their binary problem."""
    block = checked_block("benchmark", X, y)
    setup = Setup((-1, 1), None, ((1, -1),), None, X.shape[1], (0,), 1.0, "hinge", "free", 1.0, 1.0)
    state, _ = begin(block, 0, setup)
    return block, LocalProblem(block, state, 0)


def passes(share: int) -> list[dict[str, Any]]:
    """Return nanoseconds per stored value of each pass over sparse rows."""
    table = []
    for kind, make in (("words", text_like), ("hashed", uniform)):
        X, y = make(100_000 // share, COLUMNS, NONZEROS)
        X = X.astype(np.float32)
        block, problem = problem_of(X, y)
        count, v = problem.count, np.zeros(COLUMNS + 1)
        alpha, margins, norms = np.full(count, 0.5), np.zeros(count), np.zeros(count)
        order, vectors = np.arange(count, dtype=np.int32), np.zeros(2 * (COLUMNS + 1))
        problem.kernel.squared_norms(norms)
        random, response = _core.Random(1), problem.setup.loss_function.response(math.inf)
        ends, command = (math.inf, -math.inf, count), first_round(X, y)
        measure = MeasureCommand(v[:-1], 0.0, (1.0, 1.0), order[:0].astype(np.int64), v[:0], 1)
        work = {
            "survey": partial(survey_block, block, 0, None),
            "coordinate descent": partial(problem.kernel.descend, alpha, norms, order, v, ends, 1e3, 1e-3, random),
            "margins": partial(problem.kernel.margins, v, margins),
            "sums for the bounds": partial(problem.kernel.dual_sums, alpha, margins, response, vectors),
            "certificate": partial(part_of, problem, measure, alpha),
            "perceptron": partial(mix_round, block, 0, command),
        }
        for name, job in work.items():
            table.append({"part": name, "rows": kind, "ns a value": 1e9 * least(job) / X.nnz})
    return table


def first_round(X: Any, y: np.ndarray) -> Pass:
    """Return the command of the first round of a perceptron."""
    labels, counts = np.unique(y, return_counts=True)
    mixed = MixedFit(nk.Perceptron(), labels, counts.astype(np.float64), X.shape[1], [X.shape[0]])
    task = Task(mixed.rule, mixed.labels, mixed.class_weights, X.shape[1], mixed.problems, mixed.seed)
    return Pass(task, 0, {0: mixed.start(0)}, {})


def vectors(share: int) -> list[dict[str, Any]]:
    """Return milliseconds for a vector of a million doubles, and for the reply of a certificate."""
    a, b = np.random.default_rng(0).normal(size=(2, COLUMNS))
    X, y = uniform(1000, COLUMNS, NONZEROS)
    _, problem = problem_of(X.astype(np.float32), y)
    part = part_of(problem, MeasureCommand(a, 0.0, (1.0, 1.0), np.zeros(0, np.int64), a[:0], 1), np.full(1000, 0.5))
    work: dict[str, Callable[[], Any]] = {
        "add two": lambda: a + b,
        "pickle": lambda: pickle.loads(pickle.dumps(a, protocol=5)),
        "encode for a checkpoint": lambda: encode(a),
        "add two parts of a certificate": lambda: part + part,
    }
    table = [{"part": name, "ms a vector": 1e3 * least(job)} for name, job in work.items()]
    return [*table, {"part": "bytes of a part of a certificate", "MB": size_of(part) / 1e6}]


def dense(share: int) -> list[dict[str, Any]]:
    """Return seconds per million dense rows of 1,000 columns in a round of Newton's method."""
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000 // share, 1000)).astype(np.float32)
    _, problem = problem_of(X, np.where(X[:, 0] + random.normal(size=len(X)) > 0, 1, -1))
    v = random.normal(size=1001) / 100
    table = []
    for width, start, name in ((1e-9, 0.0, "no row is free"), (1e6, 0.5, "every row is free")):
        job = partial(newton_step, problem, np.full(problem.count, start), NewtonCommand(v, width, v / 10))
        table.append({"part": f"Newton round, {name}", "s a million rows": 1e6 * least(job, 3) / problem.count})
    return table


def tiny_step(block: Any, state: Any, command: Any) -> tuple[Any, Any]:
    """Return what was sent: a step that takes no time."""
    return state, command


def tasks(share: int) -> list[dict[str, Any]]:
    """Return milliseconds of rounds that compute nothing, on two worker processes."""
    engine, table = choose_engine("benchmark", "dask", None), []
    for count in (16, 64, 256):
        for kind, command in (("nothing", 1.0), ("a million doubles", np.zeros(COLUMNS))):
            if count > 16 and kind != "nothing":
                continue
            parts = [("benchmark", np.ones((1, 1)), np.ones(1)) for _ in range(count)]
            with engine.open(Data(checked_block, parts)) as rounds:
                rounds.run(tiny_step, command)
                seconds = least(partial(rounds.run, tiny_step, command))
            table.append({"part": "dask", "partitions": count, "sent": kind, "ms a round": 1e3 * seconds})
    return table


def rounds(share: int) -> list[dict[str, Any]]:
    """Return the rounds of CoCoA+ to several gaps, where the driver may gather no rows."""
    rows = 40_000 // share
    X, y = text_like(rows, rows, 60)
    plan.BYTES_PER_ELEMENT = 2**40  # nothing fits the driver
    table = []
    for C, most in MAX_ROUNDS.items():
        for count in PARTITIONS:
            parts = np.array_split(np.arange(rows), count)
            model = nk.LinearSVM(C=C, tol=min(TOLERANCES), max_iter=most)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = fit_outcome(model, [X[part] for part in parts], [y[part] for part in parts], on="local:2")
            row = {"C": C, "partitions": count}
            for tol in TOLERANCES:
                at = np.flatnonzero(model.history_["gap"] <= tol)
                row[f"rounds to {tol:g}"] = int(model.history_["step"][at[0]]) if len(at) else f"more than {most}"
            table.append({**row, "MB a round and partition": found.bytes_sent / found.rounds / count / 1e6})
    return table


def dense_rounds(share: int) -> list[dict[str, Any]]:
    """Return the rounds of the method for few columns."""
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000 // share, 100))
    y = np.where(X @ random.normal(size=100) + 5 * random.normal(size=len(X)) > 0, 1, -1)
    table = []
    for loss in ("hinge", "squared_hinge"):
        for count in PARTITIONS:
            row: dict[str, Any] = {"loss": loss, "partitions": count}
            for C in (0.01, 1.0, 100.0):
                parts = np.array_split(np.arange(len(X)), count)
                model = nk.LinearSVM(C=C, loss=loss, tol=1e-6)
                found = fit_outcome(model, [X[part] for part in parts], [y[part] for part in parts], on="local:2")
                row[f"rounds for C = {C:g}"] = found.rounds
            table.append(row)
    return table


WORK = (passes, vectors, dense, tasks, rounds, dense_rounds)


def run(session: Session) -> None:
    """Measure all."""
    names = {work.__name__: work for work in WORK}
    for name in session.chosen(session.size["parts"]):
        table = names[name](session.size["share"])
        show(table)
        session.keep(**{name: table})


SUITE = Suite(
    name="scaling_costs",
    measures="what the parts of a round over partitions cost: values, vectors, tasks, and rounds",
    contestants=(),
    answers="fits are proven to their gaps",
    limit="one core reading the values from memory",
    run=run,
    quick={"share": 50, "parts": ("passes", "vectors", "dense", "dense_rounds")},
    full={"share": 1, "parts": tuple(work.__name__ for work in WORK)},
)
