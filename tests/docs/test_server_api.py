"""docs/server-api.md: its commands run in their order against a server, and its error is what a server says."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from asgi_calls import served

PAGE = (Path(__file__).parents[2] / "docs" / "server-api.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(curl .*)\n```$", PAGE, re.M)
TIMED_OUT = 28  # exit code of curl; the stream of events does not end by itself


def run(command, port, folder):
    script = command.replace("127.0.0.1:8765", f"127.0.0.1:{port}")
    return subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=False, timeout=60, cwd=folder)


@pytest.mark.slow
def test_the_commands_run_in_their_order(tmp_path):
    with served(state=str(tmp_path / "models")) as running:
        for command in COMMANDS:
            done = run(command, running.place[1], tmp_path)
            assert done.returncode == (TIMED_OUT if "/events" in command else 0), command
            assert re.search(r'^\{"error"', done.stdout, re.M) is None, (command, done.stdout)
    assert (tmp_path / "spam.nvk").stat().st_size > 100
    assert "<h1>" in (tmp_path / "docs.html").read_text(encoding="utf-8")


def test_the_error_is_what_a_server_answers(tmp_path):
    shown = re.search(r'^\{"error".*$', PAGE, re.M)[0]
    with served(state=str(tmp_path)) as running:
        done = run("curl -s http://127.0.0.1:8765/v1/models/ham", running.place[1], tmp_path)
    assert json.loads(done.stdout) == json.loads(shown)
