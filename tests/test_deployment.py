"""Dockerfile and packaging/novikoff.service: what they promise, and that their commands run as they are."""

import configparser
import ctypes
import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

import novikoff as nk
from novikoff.serve.settings import SETTINGS

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "packaging" / "novikoff.service"
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1  # of linux/prctl.h
MAX_EXPOSURE = 1.5  # of 10, as systemd-analyze security counts
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


# ---- systemd ---------------------------------------------------------------------------------------------------------


class Lines(dict):
    """Values of the same key, which a unit may repeat, on lines of their own."""

    def __setitem__(self, key, value):
        if isinstance(value, list) and isinstance(self.get(key), list):
            self[key].extend(value)
        else:
            super().__setitem__(key, value)


def service():
    parser = configparser.ConfigParser(dict_type=Lines, strict=False, interpolation=None, delimiters="=")
    parser.optionxform = str
    parser.read(UNIT)
    return parser["Service"]


def copy_with_command(tmp_path, command):
    """The unit with an executable that exists here."""
    path = tmp_path / UNIT.name
    path.write_text(UNIT.read_text().replace("/opt/novikoff/bin/novikoff", command))
    return path


needs_systemd = pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed (apt-get install systemd)"
)


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path):
    command = ["systemd-analyze", "verify", copy_with_command(tmp_path, "/bin/true")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@needs_systemd
def test_the_exposure_of_the_unit_is_low(tmp_path):
    command = ["systemd-analyze", "security", "--offline=yes", f"--threshold={round(10 * MAX_EXPOSURE)}", "--no-pager"]
    done = subprocess.run(
        [*command, copy_with_command(tmp_path, "/bin/true")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-500:]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("DynamicUser", "yes"),
        ("StateDirectory", "novikoff"),
        ("ProtectSystem", "strict"),
        ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""),
        ("MemoryDenyWriteExecute", "yes"),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
        ("SystemCallFilter", "@system-service\n~@privileged @obsolete"),
        ("KillSignal", "SIGTERM"),
    ],
)
def test_the_unit_is_hardened(key, value):
    assert service()[key] == value


def test_the_unit_waits_longer_than_the_server_takes_to_stop():
    assert float(service()["TimeoutStopSec"]) > 2 * SETTINGS["stop_seconds"].default


def deny_writable_code():
    """What MemoryDenyWriteExecute does, in the process to be."""
    assert ctypes.CDLL(None).prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0


@pytest.mark.slow
def test_the_command_of_the_unit_runs_without_writable_code_and_keeps_its_state(tmp_path):
    program, *arguments = shlex.split(service()["ExecStart"].replace("${STATE_DIRECTORY}", str(tmp_path / "state")))
    assert program == "/opt/novikoff/bin/novikoff"
    for run in range(2):
        with (
            serving(arguments, deny_writable_code, NOVIKOFF_SERVE_PORT="0") as (process, url),
            nk.Client(url, timeout=10) as client,
        ):
            assert client.learn({"a": 1.0}, "yes", id=f"example-{run}")["version"] == run + 1
            process.send_signal(getattr(signal, service()["KillSignal"]))
            assert process.wait(30) == 0


# ---- Docker ----------------------------------------------------------------------------------------------------------


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


def test_the_image_is_built_in_two_stages_from_a_pinned_base():
    bases = {stage[0][1].split(" AS ")[0] for stage in instructions()}
    assert len(instructions()) == 2
    assert len(bases) == 1
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+", bases.pop())


def test_the_image_runs_as_a_user_without_privileges():
    assert [int(user) > 1000 for user in of_image("USER")] == [True]


def test_nothing_is_downloaded_into_the_image():
    (command,) = of_image("RUN")
    assert "--no-index" in command
    assert not re.search(r"\b(apt-get|curl|wget|git)\b", command)
    assert of_image("ADD") == of_image("COPY") == []


def test_commands_of_the_image_are_in_exec_form():
    assert json.loads(of_image("ENTRYPOINT")[0]) == ["novikoff", "serve"]
    assert json.loads(of_image("HEALTHCHECK")[0].partition("CMD ")[2])[0] == "python"
    assert of_image("CMD") == []


def test_the_state_is_a_volume():
    assert json.loads(of_image("VOLUME")[0]) == [variables()["NOVIKOFF_SERVE_STATE"]]


def test_the_variables_of_the_image_are_settings():
    names = {name.removeprefix("NOVIKOFF_SERVE_").lower() for name in variables() if name.startswith("NOVIKOFF")}
    assert names == {"state", "host", "tokens"}
    assert names <= set(SETTINGS)
    assert of_image("EXPOSE") == [str(SETTINGS["port"].default)]


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


def test_hadolint_finds_nothing_wrong_with_the_dockerfile():
    program = shutil.which("hadolint", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if program is None:
        pytest.skip("hadolint is not installed (make lint)")
    done = subprocess.run([program, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
