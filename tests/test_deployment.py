"""The Dockerfile: its command runs as it is."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

import novikoff as nk

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "novikoff"]


@contextmanager
def serving(arguments, **environment):
    """Run `novikoff serve` with these arguments; yields its process and its address."""
    command = [*COMMAND, *arguments]
    process = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.PIPE, text=True)
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


def of_image(word):
    """The texts of an instruction in the last stage of the Dockerfile, without line ends."""
    stage = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").rpartition("\nFROM ")[2]
    return [" ".join(text.split()) for text in re.findall(rf"^{word} (.*)$", stage, re.M)]


def variables():
    return dict(pair.split("=", 1) for text in of_image("ENV") for pair in text.split())


@pytest.mark.slow
def test_the_command_of_the_image_runs_and_is_healthy(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    given = {name: value.replace("/state", str(state)) for name, value in variables().items()}
    given |= {"NOVIKOFF_SERVE_HOST": "127.0.0.1", "NOVIKOFF_SERVE_PORT": "0"}
    _, *arguments = json.loads(of_image("ENTRYPOINT")[0])
    made = subprocess.run(
        [*COMMAND, *arguments, "--new-token", "learn", "--json"],
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=True,
    )
    with serving(arguments, **given) as (_, url):
        check = json.loads(of_image("HEALTHCHECK")[0].partition("CMD ")[2])
        code = check[-1].replace("http://127.0.0.1:8765", url)
        subprocess.run([sys.executable, *check[1:-1], code], check=True)
        with nk.Client(url, token=json.loads(made.stdout)["token"]) as client:
            assert client.learn({"a": 1.0}, "yes")["version"] == 1
        with pytest.raises(urllib.request.HTTPError, match="401"):
            urllib.request.urlopen(f"{url}/v1/models")
