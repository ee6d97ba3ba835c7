"""Hostile requests: each is refused with a plain error, the model does not change, and the server goes on."""

import hashlib
import json
import random
import socket
import time
from contextlib import ExitStack

import pytest

from hostile_requests import (
    NOT_LEARNED,
    NOT_REQUESTS,
    PATHS,
    REFUSED,
    STREAMS,
    Raw,
    head,
    mutant,
    random_bytes,
    statuses,
    zeros,
)
from server_process import ServerProcess, ask
from share import share_of, slow_unless

MODEL = "/v1/models/default"
LIMITS = ("--max-body", "1MiB", "--max-line", "64KiB", "--max-features-per-row", "1000", "--max-connections", "1200")
MAX_CLASSES = 20
LIMITS += ("--max-classes", str(MAX_CLASSES))
TIMES = ("--body-seconds", "0.5", "--stream-idle-seconds", "0.5", "--idle-seconds", "30")
MIB = 2**20


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with ServerProcess(tmp_path_factory.mktemp("hostile") / "state", *LIMITS, *TIMES) as made:
        made.json("POST", f"{MODEL}/learn", [{"x": {"a": 1}, "y": "yes"}, {"x": {"b": 1}, "y": "no"}])
        yield made


@pytest.fixture
def server(shared):
    """The server, whose model must be the same at the end, and which must not have had an internal error."""
    before = state_of(shared)
    yield shared
    assert state_of(shared) == before
    assert "Traceback" not in shared.errors.read_text()


def state_of(server):
    """Return all that is to be seen of the model."""
    described = server.json("GET", MODEL)
    status, model = server.request("GET", f"{MODEL}/model")
    assert status == 200
    return described, hashlib.sha256(model).hexdigest()


def check_refusal(status, answer, allowed=(400, 413, 415, 422)):
    assert status in allowed, (status, answer[:500])
    error = json.loads(answer)["error"]
    assert error["code"]
    assert 10 < len(error["message"]) < 1000
    assert "Traceback" not in error["message"]


def check_alive(server):
    assert server.json("POST", f"{MODEL}/predict", {"x": {"a": 1}})["label"] == "yes"


# ---- bodies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["learn", "predict"])
def test_bodies_that_are_not_examples_are_refused(server, call):
    connection = server.connect()
    for name, body in REFUSED.items() if call == "predict" else (REFUSED | NOT_LEARNED).items():
        status, answer = ask(connection, "POST", f"{MODEL}/{call}", body)
        try:
            check_refusal(status, answer, (400, 404, 422))
        except AssertionError as error:
            raise AssertionError(name) from error
    connection.close()
    check_alive(server)


def test_a_refused_array_leaves_a_new_model_without_labels(server):
    server.json("PUT", "/v1/models/fresh", {"learner": "perceptron"})
    body = b'[{"x": {"a": 1}, "y": "text"}, {"x": {"a": NaN}, "y": "text"}]'
    check_refusal(*server.request("POST", "/v1/models/fresh/learn", body))
    assert server.json("POST", "/v1/models/fresh/learn", {"x": {"a": 1}, "y": 1})["version"] == 1
    assert server.json("GET", "/v1/models/fresh")["classes"] == [1]
    server.json("DELETE", "/v1/models/fresh")


def test_refused_examples_take_no_room_from_others(server):
    server.json("PUT", "/v1/models/room", {"learner": "perceptron"})
    assert server.json("POST", "/v1/models/room/learn", {"x": {"a": 1}, "y": "l"})["version"] == 1
    connection = server.connect()
    for place in range(MAX_CLASSES + 1):
        x, y = {f"name {place}": 1, "a": 1e200}, f"label {place}"
        for refused in ({"x": x, "y": y}, [{"x": {"b": 1}, "y": y}, {"x": x, "y": "l"}], {"id": "unknown", "y": y}):
            check_refusal(*ask(connection, "POST", "/v1/models/room/learn", json.dumps(refused)), (404, 422))
    lines = "".join(json.dumps({"x": {"c": 1, "a": 1e200}, "y": f"line {place}"}) + "\n" for place in range(9))
    assert b'"errors":9' in ask(connection, "POST", "/v1/models/room/stream", lines)[1]
    connection.close()
    assert server.json("POST", "/v1/models/room/learn", {"x": {"d": 1}, "y": "m"})["version"] == 2
    described = server.json("GET", "/v1/models/room")
    assert (described["classes"], described["columns"]) == (["l", "m"], 2)
    server.json("DELETE", "/v1/models/room")


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("size", slow_unless(lambda size: size < 2**30, [64 * MIB, 2**30]))
def test_short_bodies_that_stand_for_long_ones_are_refused(server, encoding, size):
    body = zeros(encoding, size)
    before = server.rss()
    for call in ("learn", "predict"):
        status, answer = server.request("POST", f"{MODEL}/{call}", body, {"Content-Encoding": encoding})
        check_refusal(status, answer, (413,))
    status, answer = server.request("POST", f"{MODEL}/stream", body, {"Content-Encoding": encoding})
    assert status == 200
    assert "longer than" in json.loads(answer.splitlines()[0])["error"]["message"]
    assert server.rss() < before + 48 * MIB
    check_alive(server)


@pytest.mark.parametrize("size", slow_unless(lambda size: size < 2**30, [64 * MIB, 2**30]))
def test_the_memory_for_a_long_line_is_bounded(server, size):
    piece = b"x" * MIB
    before = server.rss()
    with Raw(server) as raw:
        raw.send(head(f"{MODEL}/stream", f"Content-Length: {size + 3}", "Connection: close"))
        raw.send(b"{}\n")
        largest = before
        for sent in range(size // MIB):
            assert raw.send(piece)
            if sent % 16 == 0:
                largest = max(largest, server.rss())
        answer = raw.read()
    assert largest < before + 48 * MIB
    assert b"longer than" in answer
    assert b'"errors":2' in answer
    check_alive(server)


# ---- streams -------------------------------------------------------------------------------------------------------


def settled_version(server, expected):
    """Return the version of the model when it is the expected one, or some seconds later: it may follow the answer."""
    end = time.monotonic() + 5
    while (found := server.json("GET", "/v1/models/fuzzed")["version"]) != expected and time.monotonic() < end:
        time.sleep(0.002)
    return found


def fuzz_streams(server, count, seed):
    """Send mutants of streams to models of their own; some lines of them are valid and learned."""
    rng, connection = random.Random(seed), server.connect()
    server.json("PUT", "/v1/models/fuzzed", {"learner": "perceptron"})
    for _ in range(count):
        kind = rng.choice(list(STREAMS))
        body = random_bytes(rng) if rng.random() < 0.2 else mutant(STREAMS[kind], rng)
        sent_kind = rng.choice(list(STREAMS)) if rng.random() < 0.2 else kind
        before = server.json("GET", "/v1/models/fuzzed")["version"]
        status, answer = ask(connection, "POST", "/v1/models/fuzzed/stream", body, {"Content-Type": sent_kind})
        assert b"Traceback" not in answer
        if status != 200:
            check_refusal(status, answer)
            learned = 0
        else:
            *lines, last = [json.loads(line) for line in answer.splitlines()]
            learned = sum("mistake" in line for line in lines)
            assert last.get("summary", {"examples": learned})["examples"] == learned, answer[-500:]
            assert all("mistake" in line or line["error"]["code"] for line in lines)
        assert settled_version(server, before + learned) == before + learned
    connection.close()
    server.json("DELETE", "/v1/models/fuzzed")
    check_alive(server)


def test_mutants_of_streams_are_learned_or_refused_line_by_line(server):
    fuzz_streams(server, 60, seed=1)


@pytest.mark.slow
def test_many_mutants_of_streams_are_learned_or_refused_line_by_line(server):
    fuzz_streams(server, share_of(20_000), seed=2)


def test_a_stream_that_ends_too_early_is_not_learned_further(server):
    for rest in (
        b"",
        b"5\r\n",
        b"5\r\n{}",
        b"zz\r\n{}\r\n",
        b"-1\r\n",
        b"ffffffffffffffffff\r\n{}",
        b"5;" + b"x" * 70000,
    ):
        with Raw(server) as raw:
            raw.send(head(f"{MODEL}/stream", "Transfer-Encoding: chunked") + b'4\r\n{"x"\r\n' + rest)
            raw.socket.shutdown(socket.SHUT_WR)
            assert all(status in (200, 400) for status in statuses(raw.read()))
    check_alive(server)


# ---- connections ---------------------------------------------------------------------------------------------------


@pytest.mark.timed
def test_slow_bodies_are_given_up(server):
    slow_body = head(f"{MODEL}/learn", "Content-Length: 100") + b"{"
    slow_question = head(f"{MODEL}/predict", "Content-Length: 10") + b"{"
    only_a_head = head(f"{MODEL}/predict", "Content-Length: 10")
    slow_stream = head(f"{MODEL}/stream", "Content-Length: 100") + b"{"
    begin = time.monotonic()
    with Raw(server) as one, Raw(server) as two, Raw(server) as three, Raw(server) as four:
        one.send(slow_body)
        two.send(slow_question)
        three.send(slow_stream)
        four.send(only_a_head)
        answers = [raw.socket.recv(65536) for raw in (one, two, four)]
        three.read_until(b"stream_idle")
    assert [statuses(answer) for answer in answers] == [[408]] * 3
    assert time.monotonic() - begin < 30


def test_connections_that_are_reset_leave_nothing(server):
    body = head(f"{MODEL}/stream", "Transfer-Encoding: chunked") + b'5\r\n{"x":'
    for _ in range(50):
        with Raw(server) as raw:
            raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            raw.send(body)
    check_alive(server)


@pytest.mark.timed
def test_a_thousand_idle_connections_do_not_keep_others_waiting(server):
    with ExitStack() as stack:
        raws = [stack.enter_context(idle_connection(server)) for _ in range(1000)]
        for raw in raws:
            assert raw.socket.recv(65536).startswith(b"HTTP/1.1 200")
        begin = time.monotonic()
        for _ in range(20):
            check_alive(server)
        assert time.monotonic() - begin < 10
        more = [stack.enter_context(idle_connection(server)) for _ in range(202)]
        found = [statuses(raw.socket.recv(65536)) for raw in more]
        assert found.count([503]) == 2
    time.sleep(0.1)
    check_alive(server)


def idle_connection(server):
    """Return a connection that has sent a request, and sends nothing more."""
    raw = Raw(server)
    raw.send(head("/healthz", method="GET"))
    return raw


# ---- heads of requests ---------------------------------------------------------------------------------------------


SMUGGLED = b"0\r\n\r\nDELETE /v1/models/default HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    "headers",
    [
        ["Content-Length: 5", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked", "Content-Length: 5"],
        ["Content-Length: 5", "Content-Length: 66"],
        ["Content-Length: 5, 66"],
        ["Content-Length: +5"],
        ["Content-Length: 0x5"],
        ["Content-Length : 5"],
        ["Content-Length: 5\n\nX: y"],
        ["Transfer-Encoding: xchunked"],
        ["Transfer-Encoding: chunked, identity"],
        ["Transfer-Encoding : chunked"],
        ["Transfer-Encoding:\x0bchunked"],
        ["X: y\rTransfer-Encoding: chunked"],
        [" folded: x", "Content-Length: 5"],
    ],
)
def test_requests_of_unclear_length_are_refused(server, headers):
    with Raw(server) as raw:
        raw.send(head(f"{MODEL}/predict", *headers) + SMUGGLED)
        found = statuses(raw.read(5))
    assert len(found) <= 1
    assert set(found) <= {400, 408, 422}


def test_paths_with_tricks_lead_nowhere(server):
    for path in PATHS:
        for method in ("GET", "PUT", "DELETE"):
            body = b'{"learner": "perceptron"}' if method == "PUT" else b""
            with Raw(server) as raw:
                raw.send(head(path, f"Content-Length: {len(body)}", "Connection: close", method=method) + body)
                answer = raw.read()
            assert set(statuses(answer)) <= {400, 404, 405, 422}, (method, path, answer[:300])
            assert b"root:" not in answer
    assert server.json("GET", "/v1/models")["models"] == ["default"]


@pytest.mark.parametrize("data", NOT_REQUESTS)
def test_what_is_not_a_request_to_this_server_is_refused(server, data):
    with Raw(server) as raw:
        raw.send(data)
        raw.socket.shutdown(socket.SHUT_WR)
        found = statuses(raw.read(5))
    assert set(found) <= {400, 404, 405, 421}
