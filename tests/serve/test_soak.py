"""Minutes of mixed load: memory stays flat, no request fails, and nothing is lost or learned twice."""

import http.client
import itertools
import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import novikoff as nk
from novikoff.persistence import dumps
from novikoff.serve.log.store import Store
from predict_latency import row
from server_process import SECONDS, LoggedModel, ServerProcess, ask, replayed
from share import SHARE

DURATION = max(20.0, 600.0 * SHARE)  # seconds
WARM_UP = DURATION / 3
MAX_GROWTH = 64 * 2**20  # bytes of memory after the warm-up
MODEL = "/v1/models/default"
OPTIONS = ("--snapshot-every", "50000", "--remembered-ids", "20000", "--pending-limit", "2000")
PREDICTING = Path(__file__).parents[1] / "predict_latency.py"


class Load:
    """The server, and what its clients have done."""

    def __init__(self, server):
        self.server, self.counts, self.problems = server, Counter(), []
        self.ids, self.latencies = set(), []
        self.until = time.monotonic() + DURATION

    @property
    def goes_on(self):
        return time.monotonic() < self.until and not self.problems

    def run(self, work):
        """Run a client until the end of the time; what it raises is a problem."""
        connection = self.server.connect()
        try:
            for number in itertools.count():
                if not self.goes_on:
                    return
                work(self, connection, number)
        except BaseException as error:
            self.problems.append(f"{work.__name__}: {error!r}")
        finally:
            connection.close()

    def ask(self, connection, method, path, body=None):
        """Return the answer to a request, sent again if the queue is full; no other error may come."""
        while True:
            status, answer = ask(connection, method, path, None if body is None else json.dumps(body))
            if status != 429:
                assert status in (200, 201), (method, path, status, answer[:300])
                return answer
            self.counts["429"] += 1
            time.sleep(0.05)


LINES = b"".join(json.dumps(row(random.Random(seed))).encode() + b"\n" for seed in range(500))


# ---- clients -------------------------------------------------------------------------------------------------------


def stream(load, connection, number):
    """Send 20,000 examples as fast as the server takes them."""
    pieces = 40
    with socket.create_connection(("127.0.0.1", load.server.port), SECONDS) as own:
        head = f"POST {MODEL}/stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: {pieces * len(LINES)}\r\n\r\n"
        sending = threading.Thread(target=_send, args=(own, head.encode(), pieces))
        sending.start()
        response = http.client.HTTPResponse(own, method="POST")
        response.begin()
        assert response.status == 200
        lines = 0
        while line := response.readline():
            lines += 1
            last = line
        sending.join(SECONDS)
        response.close()
    summary = json.loads(last)["summary"]
    assert (summary["examples"], summary["errors"], lines) == (500 * pieces, 0, 500 * pieces + 1)
    load.counts["examples"] += summary["examples"]


def _send(own, head, pieces):
    own.sendall(head)
    for _ in range(pieces):
        own.sendall(LINES)


def learn_with_ids(load, connection, number):
    """Learn an example with an id, and now and then once more."""
    id = f"learned {number}"
    body = row(random.Random(number)) | {"id": id}
    assert "repeated" not in json.loads(load.ask(connection, "POST", f"{MODEL}/learn", body))
    if number % 3 == 0:
        assert json.loads(load.ask(connection, "POST", f"{MODEL}/learn", body))["repeated"]
    load.ids.add(id)
    load.counts["examples"] += 1


def predict(load, connection, number):
    """Predict in a process of its own, whose latencies do not depend on the other clients."""
    seconds = max(1.0, load.until - time.monotonic())
    command = [sys.executable, str(PREDICTING), str(load.server.port), str(seconds)]
    found = subprocess.run(command, capture_output=True, timeout=seconds + SECONDS, check=False)
    assert found.returncode == 0, found.stderr[-500:]
    load.latencies += json.loads(found.stdout)


def label_late(load, connection, number):
    """Predict with ids, and send the labels of the ones before; some never get one."""
    ids = [f"late {number} {k}" for k in range(20)]
    given = [row(random.Random(number * 20 + k)) for k in range(20)]
    load.ask(
        connection, "POST", f"{MODEL}/predict", [{"x": own["x"], "id": id} for own, id in zip(given, ids, strict=True)]
    )
    time.sleep(0.02)
    labels = [{"id": id, "y": own["y"]} for own, id in zip(given[:15], ids[:15], strict=True)]
    answers = json.loads(load.ask(connection, "POST", f"{MODEL}/learn", labels))
    assert all("served" in answer for answer in answers)
    load.ids.update(ids[:15])
    load.counts["examples"] += 15


def make_models(load, connection, number):
    """Make a model, let it learn, copy it, and delete both."""
    one, two = f"/v1/models/one-{number}", f"/v1/models/two-{number}"
    load.ask(connection, "PUT", one, {"learner": "arow"})
    load.ask(connection, "POST", f"{one}/learn", [{"x": {"a": 1}, "y": "p"}, {"x": {"b": 1}, "y": "q"}])
    load.ask(connection, "POST", f"{one}/copy", {"to": f"two-{number}"})
    assert json.loads(load.ask(connection, "GET", two))["version"] == 2
    load.ask(connection, "PUT", f"{two}/shadows/other", {"learner": "perceptron"})
    load.ask(connection, "DELETE", one)
    load.ask(connection, "DELETE", two)
    time.sleep(0.1)


def look(load, connection, number):
    """Ask for all that is to be seen."""
    for path in ("/metrics", "/v1/models", "/readyz", *(f"{MODEL}{end}" for end in ("", "/overview", "/certificate"))):
        load.ask(connection, "GET", path)
    assert nk.loads(load.ask(connection, "GET", f"{MODEL}/model")) is not None if number % 10 == 1 else True
    time.sleep(0.3)


def watch(load, connection, number):
    """Watch the events for some seconds."""
    connection.request("GET", "/events?model=default")
    response = connection.getresponse()
    assert response.status == 200
    end = min(load.until, time.monotonic() + 5)
    while time.monotonic() < end:
        line = response.readline()
        assert line.endswith(b"\n"), line
        load.counts["events"] += line.startswith(b"data:")
    response.close()
    connection.close()


CLIENTS = (stream, stream, learn_with_ids, predict, label_late, make_models, look, watch)


# ---- the test ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_mixed_load_neither_loses_examples_nor_takes_ever_more_memory(tmp_path, record_property):
    state = tmp_path / "state"
    with ServerProcess(state, *OPTIONS) as server:
        load = Load(server)
        threads = [threading.Thread(target=load.run, args=(work,)) for work in CLIENTS]
        for thread in threads:
            thread.start()
        sizes = []
        while load.goes_on:
            time.sleep(min(1.0, DURATION / 60))
            sizes.append((time.monotonic() - load.until + DURATION, server.rss()))
        for thread in threads:
            thread.join(SECONDS)
        assert not load.problems
        assert "Traceback" not in server.errors.read_text()
        check_memory(sizes, record_property)
        report(load, record_property)
        status, model = server.request("GET", f"{MODEL}/model")
        assert status == 200
        assert server.stop() == 0
    check_log(state, load, model)


def check_memory(sizes, record_property):
    """Check that the largest size after the warm-up is not much above that at its end."""
    warm = max(size for at, size in sizes if at <= WARM_UP)
    later = max(size for at, size in sizes if at > WARM_UP)
    record_property("memory after the warm-up, MiB", round(warm / 2**20))
    record_property("memory at most, MiB", round(later / 2**20))
    print(f"\nmemory: {warm / 2**20:.0f} MiB after the warm-up, {later / 2**20:.0f} MiB at most")
    assert later < warm + MAX_GROWTH


def report(load, record_property):
    """Print and record the latencies of predictions, and how much was learned meanwhile."""
    ordered = sorted(load.latencies)
    for share in (50, 99, 99.9):
        found = 1000 * ordered[int(len(ordered) * share / 100)]
        record_property(f"predict p{share:g}, ms", round(found, 3))
        print(f"predict p{share:g}: {found:.2f} ms")
    speed = load.counts["examples"] / DURATION
    record_property("examples learned per second", round(speed))
    print(f"{len(ordered)} predictions while {speed:.0f} examples a second were learned; {dict(load.counts)}")
    assert load.counts["events"] > 0


def check_log(state, load, model):
    """Check that the log has every example once, and replays to the bits of the server."""
    with Store.open(state, read_only=True) as store:
        store.verify()
    found = LoggedModel(keeps=False)
    found.read(state)
    assert len(found.ids) == load.counts["examples"]
    counts = Counter(id for id in found.ids if id is not None)
    assert set(counts) == load.ids
    assert set(counts.values()) == {1}
    assert model == dumps(replayed(state, nk.Tracker()))
