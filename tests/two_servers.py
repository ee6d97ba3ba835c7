"""Servers in processes of their own or in threads, of which one follows the other."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from novikoff.serve.app import create_app
from novikoff.serve.settings import Settings
from server_thread import serving

WORDS = [f"w{number}" for number in range(40)]


def example(numbers):
    """A random example whose label depends on its words."""
    words = numbers.sample(WORDS, 6)
    x = {word: round(numbers.uniform(0.5, 2), 3) for word in words}
    return {"x": x, "y": "high" if sum(value * (int(word[1:]) - 20) for word, value in x.items()) > 0 else "low"}


def ask(address, path, body=None, method=None, timeout=20):
    """Return the status and the answer of a request."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, method=method or ("GET" if data is None else "POST"))
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            status, content = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, content = error.code, error.read()
    return status, json.loads(content) if content[:1] in b"[{" else content


def wait_for(check, seconds=20.0):
    """Wait until a check is true, and return what it returns."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            if found := check():
                return found
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def sequence(address):
    """The number of the last record of a leader, as a follower would see it."""
    with urllib.request.urlopen(f"{address}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return next(int(float(line.split()[1])) for line in lines if line.startswith("novikoff_log_sequence "))


def wait_until_equal(leader, follower, seconds=20.0):
    """Wait until a follower has all records of its leader."""
    last = sequence(leader)
    wait_for(lambda: sequence(follower) >= last, seconds)
    return last


def is_published(described):
    """Whether predictions come from all that was learned; a busy server may be some milliseconds behind."""
    return described["version"] == described["counts"]["examples"]


def answers(address, model="default", seed=5):
    """What a server predicts for some examples, as bytes, and its model file."""
    numbers = random.Random(seed)
    wait_for(lambda: is_published(ask(address, f"/v1/models/{model}")[1]))
    bodies = [{"x": example(numbers)["x"]} for _ in range(20)]
    predictions = ask(address, f"/v1/models/{model}/predict", bodies)
    return predictions, ask(address, f"/v1/models/{model}/model")


@contextlib.contextmanager
def server(directory, **settings):
    """Run a server in another thread; yields its address."""
    found = Settings(**({"state": str(directory), "port": 0, "stop_seconds": 1.0, "durability": "off"} | settings))
    with serving(create_app(found), found) as address:
        yield address


class Process:
    """A server in a process of its own, which can be killed."""

    def __init__(self, directory, *options, port=0):
        command = [sys.executable, "-m", "novikoff", "serve", "--state", str(directory), "--port", str(port)]
        self._process = subprocess.Popen(
            [*command, "--durability", "off", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        line = self._process.stdout.readline().decode()
        self.address = line.split()[-1]
        self.port = int(self.address.rsplit(":", 1)[1])

    def kill(self):
        os.kill(self._process.pid, signal.SIGKILL)
        self.close()

    def close(self):
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait(30)
        self._process.stdout.close()
