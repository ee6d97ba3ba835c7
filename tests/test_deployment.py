"""The Dockerfile: what it copies exists, and its command runs as it is."""

import fnmatch
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
def serving(arguments, before=None, **environment):
    """Run `novikoff serve` with these arguments; yields its process and its address."""
    variables = os.environ | environment
    process = subprocess.Popen(
        [*COMMAND, *arguments], env=variables, stdout=subprocess.PIPE, text=True, preexec_fn=before
    )
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


def instructions():
    """Stages of the Dockerfile, each a list of (instruction, its text) without comments and line ends."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.M).replace("\\\n", " ")
    stages = []
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, " ".join(rest.split())))
    return stages


def of_image(word):
    """The texts of an instruction in the last stage."""
    return [text for found, text in instructions()[-1] if found == word]


def variables():
    return dict(pair.split("=", 1) for text in of_image("ENV") for pair in text.split())


def test_everything_that_is_copied_exists_and_is_not_ignored():
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    copied = [text.split()[:-1] for word, text in instructions()[0] if word == "COPY"]
    for name in (name for names in copied for name in names):
        assert (ROOT / name).exists(), name
        decisions = [not rule.startswith("!") for rule in rules if fnmatch.fnmatch(name, rule.lstrip("!"))]
        assert decisions[-1:] == [False], name


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
