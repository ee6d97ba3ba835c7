"""The server as a process: addresses, TLS, signals, and errors of one sentence."""

import asyncio
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from asgi_calls import served
from fake_engine import FakeEngine

from novikoff.errors import InvalidInputError
from novikoff.serve.http.server import allow_open_files, bound_socket
from novikoff.serve.http.tls import tls_context
from novikoff.serve.settings import Settings

CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from fake_engine import FakeEngine
from novikoff.serve.app import create_app
from novikoff.serve.http.server import serve
from novikoff.serve.settings import Settings
engine = FakeEngine()
engine.delay = float(sys.argv[2])
settings = Settings(port=0, stop_seconds=5.0)
serve(create_app(settings, engine), settings, lambda address: print(address, flush=True))
print(engine.models["default"].learned, engine.calls[-1], flush=True)
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for localhost, signed by itself."""
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    command += " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder / "certificate.pem", folder / "key.pem"


def test_the_address_has_the_real_port():
    with served() as running:
        assert httpx.get(f"{running.address}/readyz").json() == {"ready": True, "learning": "on"}
        assert running.place[1] != 0
        assert "server" not in httpx.get(f"{running.address}/readyz").headers
    assert running.engine.calls == ["start", "stop"]


def test_ipv6_has_brackets():
    with served(host="::1") as running:
        assert running.address.startswith("http://[::1]:")
        assert httpx.get(f"{running.address}/healthz").status_code == 200


def test_https_needs_the_certificate(certificate):
    file, key = map(str, certificate)
    with served(tls_certificate=file, tls_key=key) as running:
        context = ssl.create_default_context(cafile=file)
        assert running.address.startswith("https://")
        assert httpx.get(f"{running.address}/healthz", verify=context).status_code == 200
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{running.address}/healthz")
        old = ssl.create_default_context(cafile=file)
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        assert httpx.get(f"{running.address}/healthz", verify=old).status_code == 200


def test_a_bad_certificate_is_one_sentence(certificate, tmp_path):
    file, key = map(str, certificate)
    other = tmp_path / "other.pem"
    other.write_text("no certificate")
    for pair in ((str(other), key), (file, str(other)), (key, file), (str(tmp_path / "none"), key)):
        with pytest.raises(InvalidInputError) as caught:
            tls_context(Settings(tls_certificate=pair[0], tls_key=pair[1]))
        assert str(caught.value).endswith(".")
        assert "\n" not in str(caught.value)
    assert tls_context(Settings()) is None


def test_an_encrypted_key_is_refused_without_asking(certificate, tmp_path):
    file, key = map(str, certificate)
    encrypted = str(tmp_path / "encrypted.pem")
    command = ["openssl", "ec", "-in", key, "-aes128", "-passout", "pass:secret", "-out", encrypted]
    subprocess.run(command, check=True, capture_output=True)
    with pytest.raises(InvalidInputError, match="encrypted"):
        tls_context(Settings(tls_certificate=file, tls_key=encrypted))


def test_a_port_in_use_is_one_sentence():
    with bound_socket("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInputError, match=f"port {port} of 127.0.0.1 is in use"), served(port=port):
            pass


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.1", "a" * 300, "ä\udcff"])
def test_an_address_of_another_machine_is_refused(host):
    with pytest.raises(InvalidInputError):
        bound_socket(host, 0)


def test_an_engine_that_does_not_start_stops_the_server():
    engine = FakeEngine()

    def start():
        raise InvalidInputError("The directory is used by another server.")

    engine.start = start
    with pytest.raises(InvalidInputError, match="another server"), served(engine):
        pass


def test_requests_are_503_while_the_engine_starts():
    engine = FakeEngine()
    going_on = threading.Event()
    engine.start = lambda: going_on.wait(10)
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
    with served(engine, port=port) as running:
        asking.join()
        assert (found[0].status_code, found[0].json()["error"]["code"]) == (503, "starting")
        assert httpx.get(f"{running.address}/readyz").status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_after_what_was_accepted(number):
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), "0.3"]
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
    assert (child.returncode, out, err) == (0, "1 stop\n", "")


def test_a_second_signal_ends_the_process_at_once():
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), "30"]
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
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        allow_open_files(1000)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(1256, before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
