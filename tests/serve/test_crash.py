"""Kills of the server under load: what it acknowledged is in its log exactly once, and it replays to the same bits."""

import http.client
import itertools
import json
import random
import socket
import threading
import time
from collections import Counter

import pytest

import novikoff as nk
from novikoff.persistence import dumps
from novikoff.serve.engine.engine import Engine
from novikoff.serve.log.store import Store
from novikoff.serve.settings import Settings
from server_process import SECONDS, LoggedModel, ServerProcess, ask, replayed
from share import share_of

PATH = "/v1/models/default"
LOST = (OSError, http.client.HTTPException, ValueError)  # what a client sees of a kill
UNIT = 2.0**-20  # of the feature that tells examples apart; small, and exact in JSON
OPTIONS = ("--snapshot-every", "300")


def example(number):
    """Return the example of a number, from which the log can tell it."""
    x = {"number": number * UNIT, f"word {number % 17}": 1.0, f"pair {number % 5} {number % 7}": number % 3 - 1.0}
    return {"x": x, "y": "even" if number % 17 % 2 == 0 else "odd"}


class Cluster:
    """The server that is killed and started again, and what its clients know of it."""

    def __init__(self, state):
        self.state, self.server = state, None
        self.acknowledged, self.sent = set(), set()
        self.by_id = {}
        self.numbers = itertools.count(1)
        self.is_stopped, self.is_up = threading.Event(), threading.Event()
        self.problems = []

    def start(self):
        self.server = ServerProcess(self.state, *OPTIONS)
        self.is_up.set()

    def take(self, count):
        numbers = [next(self.numbers) for _ in range(count)]
        self.sent.update(numbers)
        return numbers

    def client(self, work):
        """Run a client until the end; a kill ends its connection."""
        connection = state = None
        while not self.is_stopped.is_set():
            self.is_up.wait()
            try:
                if connection is None:
                    connection = self.server.connect()
                state = work(self, connection, state)
            except LOST:
                connection.close()
                connection = None
                time.sleep(0.01)
            except Exception as error:
                self.problems.append(repr(error))
                return
        if connection is not None:
            connection.close()


# ---- clients -------------------------------------------------------------------------------------------------------


class Refused(Exception):
    """An answer that no client should get."""


def answer_of(connection, body):
    status, answer = ask(connection, "POST", f"{PATH}/learn", json.dumps(body))
    if status == 200:
        return json.loads(answer)
    if status == 503:  # the server is starting
        raise OSError
    raise Refused(status, answer)


def learn_with_ids(cluster, connection, _):
    """Learn single examples with ids, each again until it is acknowledged."""
    (number,) = cluster.take(1)
    id = f"id {number}"
    cluster.by_id[id] = number
    while True:
        try:
            answer = answer_of(connection, example(number) | {"id": id})
        except LOST:
            if cluster.is_stopped.wait(0.01):
                raise
            connection.close()
            cluster.is_up.wait()
            connection.port = cluster.server.port
            continue
        assert answer["id"] == id
        cluster.acknowledged.add(number)
        return


def learn_single(cluster, connection, _):
    numbers = cluster.take(1)
    answer_of(connection, example(numbers[0]))
    cluster.acknowledged.update(numbers)


def learn_array(cluster, connection, _):
    numbers = cluster.take(random.randrange(1, 40))
    assert len(answer_of(connection, [example(number) for number in numbers])) == len(numbers)
    cluster.acknowledged.update(numbers)


def learn_stream(cluster, connection, _):
    """Send a stream in chunks, and read the answers to each chunk before the next."""
    with socket.create_connection(("127.0.0.1", connection.port), SECONDS) as own:
        head = f"POST {PATH}/stream HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        own.sendall(head.encode())
        response = http.client.HTTPResponse(own, method="POST")
        try:
            _exchange(cluster, own, response)
        finally:
            response.close()


def _exchange(cluster, own, response):
    for chunk in range(10):
        numbers = cluster.take(random.randrange(1, 60))
        lines = b"".join(json.dumps(example(number)).encode() + b"\n" for number in numbers)
        own.sendall(b"%x\r\n%s\r\n" % (len(lines), lines))
        if chunk == 0:
            response.begin()
            if response.status == 503:
                raise OSError
        for number in numbers:
            line = response.readline()
            if not line.endswith(b"\n"):
                raise OSError
            assert "mistake" in json.loads(line), line
            cluster.acknowledged.add(number)
    own.sendall(b"0\r\n\r\n")
    assert "summary" in json.loads(response.readline())


CLIENTS = (learn_with_ids, learn_with_ids, learn_single, learn_array, learn_stream)


# ---- the test ------------------------------------------------------------------------------------------------------


def check_log(cluster, found, acknowledged):
    """Check that the log has what was acknowledged before, and nothing twice or changed."""
    with Store.open(cluster.state, read_only=True) as store:
        store.verify()
    begin = len(found.examples)
    found.read(cluster.state)
    for logged, id in zip(found.examples[begin:], found.ids[begin:], strict=True):
        number = round(logged["number"] / UNIT)
        sent = example(number)
        assert logged == sent["x"] | {"y": sent["y"]}
        assert number in cluster.sent
        assert id is None or cluster.by_id[id] == number
    counts = Counter(round(logged["number"] / UNIT) for logged in found.examples)
    assert not [number for number, count in counts.items() if count > 1]
    assert not acknowledged - counts.keys()


def run_kills(state, kills, seed):
    """Kill a server under load some times, and check its log after each kill."""
    cluster, found, rng = Cluster(state), LoggedModel(), random.Random(seed)
    cluster.start()
    threads = [threading.Thread(target=cluster.client, args=(work,)) for work in CLIENTS]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            time.sleep(rng.uniform(0.05, 0.6))
            cluster.is_up.clear()
            cluster.server.kill()
            acknowledged = set(cluster.acknowledged)
            cluster.start()
            check_log(cluster, found, acknowledged)
            assert not cluster.problems
        time.sleep(0.1)
    finally:
        cluster.is_stopped.set()
        cluster.is_up.set()
        for thread in threads:
            thread.join(SECONDS)
    return cluster, found


def run(state, kills, seed):
    """Check also that the server has the weights of a replay of its log, and still after a last stop."""
    cluster, found = run_kills(state, kills, seed)
    try:
        check_log(cluster, found, cluster.acknowledged)
        replay = dumps(replayed(cluster.state, nk.Tracker()))
        assert cluster.server.request("GET", f"{PATH}/model") == (200, replay)
        assert cluster.server.stop() == 0
        assert not cluster.problems
    finally:
        cluster.server.kill()
    engine = Engine(state, Settings(state=str(state)))
    engine.start()
    assert engine.dump("default") == replay
    engine.stop()
    return cluster


@pytest.mark.slow
def test_five_kills_under_load_lose_and_repeat_nothing(tmp_path):
    cluster = run(tmp_path / "state", 5, seed=1)
    assert len(cluster.acknowledged) > 50


@pytest.mark.slow
def test_a_hundred_kills_under_load_lose_and_repeat_nothing(tmp_path, record_property):
    cluster = run(tmp_path / "state", max(20, share_of(100)), seed=2)
    record_property("acknowledged", len(cluster.acknowledged))
    record_property("not acknowledged", len(cluster.sent - cluster.acknowledged))
