"""The server as a process: addresses, TLS, signals, and errors of one sentence."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest
from asgi_calls import served

from novikoff.errors import InvalidInputError
from novikoff.serve.engine.engine import Engine
from novikoff.serve.http.server import allow_open_files, bound_socket
from novikoff.serve.log.store import Store

CHILD = """
import sys, time
from novikoff.serve.app import create_app
from novikoff.serve.http.server import serve
from novikoff.serve.log.store import Store
from novikoff.serve.settings import Settings
append = Store.append
def slow(store, entries):
    time.sleep(float(sys.argv[2]) * any(entry.count for entry in entries))
    return append(store, entries)
Store.append = slow
settings = Settings(state=sys.argv[1], port=0, stop_seconds=5.0)
serve(create_app(settings), settings, lambda address: print(address, flush=True))
print("stopped", flush=True)
"""


def test_the_address_has_the_real_port(tmp_path):
    with served(tmp_path) as running:
        assert httpx.get(f"{running.address}/readyz").json() == {"ready": True, "learning": "on"}
        assert running.place[1] != 0
        assert "server" not in httpx.get(f"{running.address}/readyz").headers


def test_ipv6_has_brackets(tmp_path):
    with served(tmp_path, host="::1") as running:
        assert running.address.startswith("http://[::1]:")
        assert httpx.get(f"{running.address}/healthz").status_code == 200


def test_a_port_in_use_is_one_sentence(tmp_path):
    with bound_socket("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInputError, match=f"port {port} of 127.0.0.1 is in use"), served(tmp_path, port=port):
            pass


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.1", "a" * 300, "ä\udcff"])
def test_an_address_of_another_machine_is_refused(host):
    with pytest.raises(InvalidInputError):
        bound_socket(host, 0)


def test_two_servers_on_one_directory_are_refused(tmp_path):
    with served(tmp_path), pytest.raises(Exception, match="another server"), served(tmp_path):
        pass


def test_requests_are_503_while_the_engine_starts(tmp_path, monkeypatch):
    going_on, start = threading.Event(), Engine.start
    monkeypatch.setattr(Engine, "start", lambda engine: going_on.wait(10) and start(engine))
    with bound_socket("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    found = []

    def ask():
        end = time.monotonic() + 5
        while not found and time.monotonic() < end:
            try:
                found.append(httpx.get(f"http://127.0.0.1:{port}/readyz"))
            except httpx.ConnectError:
                time.sleep(0.02)
        going_on.set()

    asking = threading.Thread(target=ask)
    asking.start()
    with served(tmp_path, port=port) as running:
        asking.join()
        assert (found[0].status_code, found[0].json()["error"]["code"]) == (503, "starting")
        assert httpx.get(f"{running.address}/readyz").status_code == 200


@pytest.mark.timed
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_after_what_was_accepted(tmp_path, number):
    command = [sys.executable, "-c", CHILD, tmp_path, "0.3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        address = child.stdout.readline().strip()

        async def learn():
            async with httpx.AsyncClient() as client:
                url = f"{address}/v1/models/default/learn"
                asking = asyncio.create_task(client.post(url, content='{"x": {}, "y": 1}'))
                await asyncio.sleep(0.15)
                os.kill(child.pid, number)
                return await asking

        answer = asyncio.run(learn())
        out, err = child.communicate(timeout=20)
    assert answer.json()["version"] == 1
    assert (child.returncode, out, err) == (0, "stopped\n", "")
    with Store.open(tmp_path, read_only=True) as store:
        assert store.verify().examples == 1


@pytest.mark.timed
def test_a_second_signal_ends_the_process_at_once(tmp_path):
    command = [sys.executable, "-c", CHILD, tmp_path, "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        address = child.stdout.readline().strip()
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as connection:
            body = b'{"x": {}, "y": 1}'
            head = f"POST /v1/models/default/learn HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            time.sleep(0.2)
            for _ in range(2):
                child.send_signal(signal.SIGTERM)
                time.sleep(0.1)
            assert child.wait(timeout=5) == 128 + signal.SIGTERM


def test_the_limit_on_open_files_is_raised_as_far_as_allowed():
    resource = pytest.importorskip("resource", reason="the system has no limits (run the tests on Linux)")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        allow_open_files(1000)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(1256, before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
