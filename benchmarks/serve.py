"""`novikoff serve` against services of Vowpal Wabbit and River on the same HTTP server, over loopback.

The server is durable: an example is answered when it is on the disk. The peers keep what they learn in memory. All run
in one process each, with uvicorn, httptools and uvloop. The programs of one comparison take turns in one run, because
only their ratio means something on a machine that does other work, too. The clients (serving/clients.py) send bytes
that were prepared before, from another process than the server's, on the same two cores.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import statistics
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import novikoff as nk

from .harness import Session, Suite, Timed
from .harness.race import MIN_ROUNDS, rounds_of
from .harness.ratio import Times, compared, target_met
from .harness.session import ratio_text, show
from .serving.clients import Latencies, request, single_requests, stream
from .serving.programs import FOLDER, Rows, fresh, make_rows, novikoff, novikoff_stream, peer, running

NDJSON, SVMLIGHT = "application/x-ndjson", "text/x-svmlight"
LEARNER = "perceptron"
ROUNDS = 5
Row = dict[str, Any]


def row(work: str, ours: str, peer: str, times: tuple[Times, Times], least: float | None = None) -> Row:
    """A row of the table with the ratio of seconds, those of ours first, and the least that it should be."""
    found = {"work": work, "ours": ours, "peer": peer, **compared(*times), "seconds": [own.seconds for own in times]}
    target = {} if least is None else {"bar": f">= {least:g}", "met": target_met(found, least=least)}
    return {**found, **target}


def limit_row(work: str, values: list[float], unit: str, most: float, others: str) -> Row:
    """A row of the table with a number of several rounds, and the most that it should be, over which is the ratio."""
    ours, peer = f"{statistics.median(values):.3g} {unit}", f"limit {most:g} {unit}; {others}"
    return row(work, ours, peer, (Times(values), Times([most] * len(values))), 1)


def rates_of(contestants: dict[str, Callable[[], float]], rounds: int) -> dict[str, Times]:
    """Return the seconds of one example in each round, of contestants that return examples a second."""
    work = {name: (lambda one=one: Timed(1 / one())) for name, one in contestants.items()}
    rounds_of(work, 1)  # warms up
    return rounds_of(work, rounds)


def rate_text(times: Times) -> str:
    """Return the median of the examples a second."""
    return rate(1 / statistics.median(times.seconds))


def rate(examples: float) -> str:
    return f"{examples:,.0f}/s"


def client_of(port: int) -> nk.Client:
    return nk.Client(f"http://127.0.0.1:{port}", timeout=60)


# ---- the disk --------------------------------------------------------------------------------------------------------


def synced_appends(path: Path, piece: bytes, seconds: float) -> float:
    """Appends a second of a piece to a file, each followed by fdatasync."""
    count, begin = 0, time.perf_counter()
    with path.open("wb", buffering=0) as file:
        while time.perf_counter() - begin < seconds:
            file.write(piece)
            os.fdatasync(file.fileno())
            count += 1
    path.unlink()
    return count / (time.perf_counter() - begin)


def disk(share: int) -> Iterator[Row]:
    """What the disk allows: commits a second, and bytes a second if much is written in each."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    seconds = 5.0 / share
    small = synced_appends(FOLDER / "disk", b"x" * 4096, seconds)
    large = synced_appends(FOLDER / "disk", os.urandom(1 << 20), seconds)
    yield {
        "work": "the disk: append and sync",
        "ours": f"{small:,.0f} commits/s of 4 KiB",
        "peer": f"{large:,.0f} MB/s in pieces of 1 MiB",
    }


# ---- streams ---------------------------------------------------------------------------------------------------------


def streamed(rows: Rows, connections: int, share: int) -> Iterator[Row]:
    """Examples a second of /stream: ours in two formats, Vowpal Wabbit's, and the command without a network."""
    parts = [slice(k, None, connections) for k in range(connections)]
    file = FOLDER / "rows.svm"
    file.write_bytes(b"".join(rows.svmlight))
    made, count = iter(range(10**6)), len(rows.ndjson)

    def ours(port: int, lines: list[bytes], kind: str) -> float:
        name = f"model-{next(made)}"
        with client_of(port) as client:
            client.create(name, LEARNER)
        bodies = [b"".join(lines[part]) for part in parts]
        found = stream(port, f"/v1/models/{name}/stream", bodies, kind)
        assert (found.lines, found.errors) == (count, 0), found
        return found.rate

    def theirs(port: int) -> float:
        found = stream(port, "/stream", [b"".join(rows.vw[part]) for part in parts])
        assert found.lines == count, found
        return found.rate

    with running(novikoff(fresh("stream"))) as server, running(peer("vw")) as vw:
        contestants: dict[str, Callable[[], float]] = {
            "ours": lambda: ours(server.port, rows.ndjson, NDJSON),
            "ours, svmlight": lambda: ours(server.port, rows.svmlight, SVMLIGHT),
            "VW": lambda: theirs(vw.port),
            "command": lambda: count / novikoff_stream(file, LEARNER),
            "disk": lambda: (
                synced_appends(FOLDER / "disk", os.urandom(1 << 20), 1.0) * (1 << 20) / log_bytes(server.port)
            ),
        }
        found = rates_of(contestants, max(MIN_ROUNDS, ROUNDS // share))
    over = f"/stream over {connections} connection{'s' * (connections > 1)}"
    vw_text = f"{rate_text(found['VW'])} (VW, not durable)"
    yield row(f"{over}, NDJSON", rate_text(found["ours"]), vw_text, (found["ours"], found["VW"]), 3)
    limits = {"command": "novikoff stream, no network", "disk": "append and sync of the log's bytes"}
    slower = max(limits, key=lambda name: statistics.median(found[name].seconds))
    limit_text = f"{rate_text(found[slower])} ({limits[slower]})"
    for name, kind in (("ours", "NDJSON"), ("ours, svmlight", "svmlight")):
        yield row(f"{over}, {kind}", rate_text(found[name]), limit_text, (found[name], found[slower]), 0.5)


def log_bytes(port: int) -> float:
    """Bytes of the log per example."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if line[:1] != "#"]
    values = {name: float(value) for name, value in lines}
    return values["novikoff_log_bytes"] / values["novikoff_learned_examples_total"]


def stream_1(share: int) -> Iterator[Row]:
    yield from streamed(make_rows(200_000 // share), 1, share)


def stream_8(share: int) -> Iterator[Row]:
    yield from streamed(make_rows(200_000 // share), 8, share)


# ---- single predictions ----------------------------------------------------------------------------------------------


def predict(share: int) -> Iterator[Row]:
    """Single requests to predict, against the same service of FastAPI and River."""
    rows = make_rows(2000)
    bodies = [msgspec.json.encode({"x": example["x"]}) for example in rows.examples]
    learned = [request("POST", "/learn", msgspec.json.encode({**e, "y": e["y"] > 0})) for e in rows.examples]
    asked = {
        "ours": [request("POST", "/v1/models/default/predict", body) for body in bodies],
        "River": [request("POST", "/predict", body) for body in bodies],
    }
    with running(novikoff(fresh("predict"), "--learner", LEARNER)) as server, running(peer("river")) as river:
        stream(server.port, "/v1/models/default/stream", [b"".join(rows.ndjson)])
        assert single_requests(river.port, learned, 1, count=len(learned)).failures == 0
        programs = {"ours": server, "River": river}
        for connections in (1, 8):
            details: dict[str, list[float]] = {}

            def measure(name: str, connections: int = connections, details: Any = details) -> float:
                count = (20_000 if name == "ours" else 4000) // share
                before = programs[name].cpu
                found = single_requests(programs[name].port, asked[name], connections, count=count)
                assert found.failures == 0
                spent = 1e6 * (programs[name].cpu - before) / len(found.each)
                details[name] = [*found.milliseconds(50, 99), spent]
                return found.rate

            found = rates_of({"ours": lambda: measure("ours"), "River": lambda: measure("River")}, ROUNDS)
            texts = {
                name: f"{rate_text(found[name])}, p50 {p50:.2f} ms, p99 {p99:.2f} ms, {spent:.0f} us of CPU"
                for name, (p50, p99, spent) in details.items()
            }
            work = f"single predict requests, {connections} connection{'s' * (connections > 1)}"
            times = (found["ours"], found["River"])
            yield row(work, texts["ours"], f"{texts['River']} (FastAPI and River)", times, 5)


def p99s(found: Latencies) -> list[float]:
    """Return the 99th percentile in milliseconds of each of several parts of a run, in the order of time."""
    return [1000 * float(np.percentile(part, 99)) for part in np.array_split(found.each, ROUNDS)]


def predict_while_learning(share: int) -> Iterator[Row]:
    """Latency of predictions, 500 a second, while 10,000 examples a second are learned."""
    seconds, per_second = 30 // min(share, 6), 10_000
    rows = make_rows(seconds * per_second)
    asked = [
        request("POST", "/v1/models/default/predict", msgspec.json.encode({"x": e["x"]})) for e in rows.examples[:2000]
    ]
    with running(novikoff(fresh("mixed"), "--learner", LEARNER)) as server:
        body = b"".join(rows.ndjson)
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            arguments = (server.port, "/v1/models/default/stream", [body], NDJSON, per_second, [len(rows.ndjson)])
            learning = pool.apply_async(stream, arguments)
            time.sleep(2.0)  # until the process has started
            found = single_requests(server.port, asked, 4, seconds=seconds - 2.0, rate=500)
            learned = learning.get()
    assert found.failures == learned.errors == 0
    p50, p999 = found.milliseconds(50, 99.9)
    others = f"p50 {p50:.2f} ms, p99.9 {p999:.2f} ms at {rate(found.rate)}, {rate(learned.rate)} learned"
    yield limit_row("p99 of predict while learning", p99s(found), "ms", 10, others)


# ---- many models, and the start --------------------------------------------------------------------------------------


def many_models(share: int) -> Iterator[Row]:
    """Predictions of models of which one in a hundred is in memory."""
    count, kept = 10_000 // share, 100 // share
    rows = make_rows(2000)
    specification = msgspec.json.encode({"learner": LEARNER})
    lists = [b"[" + b",".join(rows.ndjson[k : k + 20]) + b"]" for k in range(0, len(rows.ndjson), 20)]
    make = [request("PUT", f"/v1/models/m{k}", specification) for k in range(count)]
    learn = [request("POST", f"/v1/models/m{k}/learn", lists[k % len(lists)]) for k in range(count)]
    order = np.random.default_rng(0).permutation(count)
    body = msgspec.json.encode({"x": rows.examples[0]["x"]})
    ask = [request("POST", f"/v1/models/m{k}/predict", body) for k in order]
    options = ("--models-in-memory", str(kept), "--max-models", str(count + 10))
    with running(novikoff(fresh("models"), *options)) as server:
        made = single_requests(server.port, make, 1, count=count)
        taught = single_requests(server.port, learn, 1, count=count)
        assert taught.failures == 0
        found = single_requests(server.port, ask, 1, count=min(count, 5000))
        memory = server.memory
    assert found.failures == 0
    p50, p999 = found.milliseconds(50, 99.9)
    others = f"p50 {p50:.2f} ms, p99.9 {p999:.1f} ms; made {rate(made.rate)}; {memory / 1e6:.0f} MB of memory"
    yield limit_row(f"p99 of a predict that wakes one of {count:,} models", p99s(found), "ms", 50, others)


def start(share: int) -> Iterator[Row]:
    """From the start of Python to readiness, with a log of a million examples: after a stop, and after a kill."""
    count, state = 1_000_000 // share, fresh("start")
    rows = make_rows(count // 10)
    body = b"".join(rows.ndjson)
    for how, words in ((signal.SIGTERM, "after a stop"), (signal.SIGKILL, "after kill -9")):
        server = novikoff(state, "--learner", LEARNER)
        parts = 10 if how == signal.SIGTERM else 1
        for _ in range(parts):
            assert stream(server.port, "/v1/models/default/stream", [body]).errors == 0
        server.stop(how)
        seconds = []
        for _ in range(MIN_ROUNDS):
            copied = fresh("start-copy")  # a start changes what the next one finds
            shutil.copytree(state, copied, dirs_exist_ok=True)
            with running(novikoff(copied)) as again:
                seconds.append(again.seconds)
                with client_of(again.port) as client:
                    version = client.describe()["version"]
        size = (state / "log.sqlite").stat().st_size
        yield limit_row(f"start with {version:,} examples, {words}", seconds, "s", 5, f"log of {size / 1e6:.0f} MB")


MEASUREMENTS: dict[str, Callable[[int], Iterator[Row]]] = {
    "disk": disk,
    "stream": stream_1,
    "stream_8": stream_8,
    "predict": predict,
    "predict_while_learning": predict_while_learning,
    "many_models": many_models,
    "start": start,
}


def shown(entry: Row) -> Row:
    """Return the columns of a row that are printed."""
    texts = {name: entry[name] for name in ("work", "ours", "peer")}
    return {**texts, "ratio": ratio_text(entry), "bar": entry.get("bar", ""), "met": entry.get("met", "")}


def run(session: Session) -> None:
    """Measure all."""
    kept = session.content.get("measurements", {})
    for name in session.chosen(session.size["parts"]):
        kept[name] = list(MEASUREMENTS[name](session.size["share"]))
        show(shown(entry) for entry in kept[name])
        ordered = {key: kept[key] for key in MEASUREMENTS if key in kept}
        session.keep(table=[entry for rows in ordered.values() for entry in rows], measurements=ordered)


SUITE = Suite(
    name="serve",
    measures="the server over loopback, durable: streams, single requests, many models, the start",
    contestants=("Vowpal Wabbit", "FastAPI with River"),
    answers="all examples are answered without an error",
    limit="the disk: synchronous appends of what the log writes; and the command without a network",
    run=run,
    quick={"share": 20, "parts": ("disk", "stream", "predict", "start")},
    full={"share": 1, "parts": tuple(MEASUREMENTS)},
    packages=("fastapi", "river", "vowpalwabbit", "uvicorn", "apsw"),
)
