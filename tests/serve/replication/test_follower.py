"""A follower has the bits of its leader, catches up after any crash, and refuses a log that differs."""

import random
import socket
import subprocess
import threading
import time
from types import SimpleNamespace

import pytest

from engine_logs import examples, written
from novikoff.serve.log.store import Store
from novikoff.serve.replication.follower import Follower
from share import share_of
from two_servers import Process, answers, ask, example, sequence, server, wait_for, wait_until_equal


def load(address, seed, stop, acknowledged):
    """Learn random groups until told to stop; count what was acknowledged."""
    numbers = random.Random(seed)
    while not stop.is_set():
        group = [example(numbers) for _ in range(numbers.randint(1, 20))]
        try:
            if ask(address(), "/v1/models/default/learn", group, timeout=5)[0] == 200:
                acknowledged.append(len(group))
        except OSError:
            time.sleep(0.02)


def test_a_follower_answers_with_the_same_bits_under_load(tmp_path):
    with server(tmp_path / "a") as leader, server(tmp_path / "b", follow=leader) as follower:
        stop, acknowledged = threading.Event(), []
        threads = [threading.Thread(target=load, args=(lambda: leader, seed, stop, acknowledged)) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        assert ask(leader, "/v1/models/default/copy", {"to": "second"})[0] == 201
        assert ask(leader, "/v1/models/default/shadows/s", {"learner": "arow"}, "PUT")[0] == 201
        time.sleep(0.1)
        stop.set()
        for thread in threads:
            thread.join()
        wait_until_equal(leader, follower)
        for model in ("default", "second"):  # which wait until both are published
            assert answers(leader, model) == answers(follower, model)
        own, other = (ask(address, "/v1/models/default")[1] for address in (leader, follower))
        assert own == other
        assert own["counts"]["examples"] == sum(acknowledged)


def test_a_follower_refuses_to_learn_and_tells_how_far_it_is(tmp_path):
    with server(tmp_path / "a") as leader, server(tmp_path / "b", follow=leader) as follower:
        wait_until_equal(leader, follower)
        for path, body in (("/v1/models/default/learn", examples(1)), ("/v1/models/default/stream", examples(1)[0])):
            status, answer = ask(follower, path, body)
            assert (status, answer["error"]["code"]) == (409, "follower")
            assert leader in answer["error"]["message"]
        assert ask(follower, "/v1/models/x", {"learner": "arow"}, "PUT")[1]["error"]["code"] == "follower"
        ready = wait_for(lambda: ask(follower, "/readyz")[0] == 200 and ask(follower, "/readyz")[1])
        assert (ready["role"], ready["following"]["lag_records"]) == ("follower", 0)
        shown = ask(follower, "/v1/models/default/overview")[1]["server"]
        assert (shown["role"], shown["following"]["leader"]) == ("follower", leader)
        metrics = ask(follower, "/metrics")[1].decode()
        assert "novikoff_follower_lag_records 0.0" in metrics


def test_a_follower_outlives_its_leader_and_says_so(tmp_path):
    written(tmp_path / "a")
    with server(tmp_path / "a") as leader:
        port = int(leader.rsplit(":", 1)[1])
        with server(tmp_path / "b", follow=leader) as follower:
            wait_until_equal(leader, follower)
    with server(tmp_path / "b", follow=leader) as follower:
        ready = wait_for(lambda: ask(follower, "/readyz")[0] == 200 and ask(follower, "/readyz")[1])
        assert ready["following"]["state"] == "connecting"
        before = answers(follower)
        with server(tmp_path / "a", port=port) as leader:
            assert answers(leader) == before
            ask(leader, "/v1/models/default/learn", examples(5, seed=9))
            wait_until_equal(leader, follower)
            assert answers(leader) == answers(follower)


def test_a_follower_of_another_log_stops_and_goes_on_predicting(tmp_path):
    written(tmp_path / "a", seed=1)
    written(tmp_path / "b", seed=2)
    with server(tmp_path / "a") as leader, server(tmp_path / "b", follow=leader) as follower:

        def is_stopped():
            found = ask(follower, "/v1/models/default/overview")[1]["server"]["following"]
            return found["state"] == "stopped" and found

        assert "their logs differ" in wait_for(is_stopped)["reason"]
        status, answer = ask(follower, "/readyz")
        assert (status, answer["error"]["code"]) == (503, "not_ready")
        assert answers(follower)[0][0] == 200
        assert sequence(follower) == 7


def test_a_token_that_is_too_weak_is_told(tmp_path):
    from novikoff.serve.http.roles import Role
    from novikoff.serve.http.tokens import add_token

    tokens, own = tmp_path / "tokens", tmp_path / "own"
    weak, strong = add_token(str(tokens), Role.LEARN), add_token(str(tokens), Role.ADMIN)
    own.write_text(f"{weak}\n")
    written(tmp_path / "a")
    with (
        server(tmp_path / "a", tokens=str(tokens)) as leader,
        server(tmp_path / "b", follow=leader, follow_token=str(own)) as follower,
    ):
        assert "403" in wait_for(lambda: "403" in str(ask(follower, "/readyz")[1]) and str(ask(follower, "/readyz")[1]))
        own.write_text(strong)
        wait_for(lambda: ask(follower, "/readyz")[0] == 200, 30)
        assert sequence(follower) == 7


def test_the_certificate_of_the_leader_is_verified(tmp_path, monkeypatch):
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    command += " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    own = {"tls_certificate": str(tmp_path / "certificate.pem"), "tls_key": str(tmp_path / "key.pem")}
    written(tmp_path / "a")
    with server(tmp_path / "a", **own) as leader, server(tmp_path / "b", follow=leader) as follower:
        wait_for(lambda: "certificate" in str(ask(follower, "/readyz")[1]))
        assert sequence(follower) == 0
        monkeypatch.setenv("SSL_CERT_FILE", own["tls_certificate"])
        wait_for(lambda: ask(follower, "/readyz")[0] == 200, 30)
        assert sequence(follower) == 7


def test_a_server_that_does_not_answer_and_one_that_is_another_program_are_told(tmp_path):
    for content in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 100, b"nonsense\r\n\r\n"):
        with socket.create_server(("127.0.0.1", 0)) as other:
            thread = threading.Thread(target=answer_once, args=(other, content))
            thread.start()
            address = f"http://127.0.0.1:{other.getsockname()[1]}"
            with server(tmp_path, follow=address) as follower:
                thread.join()
                wait_for(lambda: "No connection was made" not in str(ask(follower, "/readyz")[1]))
                status, answer = ask(follower, "/readyz")
                assert (status, answer["error"]["code"]) == (503, "not_ready")
                assert answer["error"]["message"].endswith(".")


class UntouchedEngine:
    """An engine that must not be used."""

    def __getattr__(self, name):
        raise AssertionError(f"{name} was used")


@pytest.mark.timed
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_follower_stops_at_once_while_the_leader_is_silent(scheme):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        engine = UntouchedEngine()
        engine.is_copying = True
        if scheme == "http":  # the connection is made, and the answer is waited for
            engine.store = SimpleNamespace(last=0, checksum=b"")
        follower = Follower(engine, f"{scheme}://127.0.0.1:{silent.getsockname()[1]}", None)
        follower.start()
        connection, _ = silent.accept()
        with connection:
            connection.recv(1)  # a request, or the beginning of a handshake
            begin = time.monotonic()
            follower.stop()
            assert time.monotonic() - begin < 1


def answer_once(listening, content):
    connection, _ = listening.accept()
    with connection:
        connection.recv(10_000)
        connection.sendall(content)
    listening.close()


def crashes(tmp_path, count, seed):
    """Kill the leader or the follower at random moments under load; both must be equal in the end."""
    numbers = random.Random(seed)
    leader = Process(tmp_path / "a", "--learner", "perceptron")
    port = str(leader.port)
    follow = ("--follow", leader.address)
    follower = Process(tmp_path / "b", *follow)
    stop, acknowledged = threading.Event(), []
    address = leader.address
    thread = threading.Thread(target=load, args=(lambda: address, seed, stop, acknowledged))
    thread.start()
    try:
        for _ in range(count):
            time.sleep(numbers.uniform(0.05, 0.6))
            if numbers.random() < 0.5:
                leader.kill()
                leader = Process(tmp_path / "a", port=port)
            else:
                follower.kill()
                follower = Process(tmp_path / "b", *follow)
        stop.set()
        thread.join()
        wait_until_equal(leader.address, follower.address, 60)
        assert answers(leader.address) == answers(follower.address)
    finally:
        stop.set()
        thread.join()
        leader.close()
        follower.close()
    with Store.open(tmp_path / "a", read_only=True) as own, Store.open(tmp_path / "b", read_only=True) as other:
        assert list(own.records()) == list(other.records())
        assert own.verify().examples >= sum(acknowledged)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_follower_catches_up_after_a_kill(tmp_path, seed):
    crashes(tmp_path, 2, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(share_of(3)))
def test_a_follower_catches_up_after_many_kills(tmp_path, seed):
    crashes(tmp_path, max(5, share_of(20)), seed + 100)
