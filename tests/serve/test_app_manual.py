"""The commands of docs/server.md, run against a server."""

import re
import subprocess
from pathlib import Path

import pytest
from asgi_calls import served

PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", PAGE, re.DOTALL | re.MULTILINE)


def test_the_commands_of_the_manual_run_and_print_what_it_shows(tmp_path):
    with served(tmp_path) as running:
        for commands, shown in BLOCKS:
            if "curl" not in commands:
                continue
            script = commands.replace("localhost:8765", f"127.0.0.1:{running.place[1]}")
            done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=False, timeout=60)
            assert (done.returncode, done.stderr) == (0, ""), commands
            assert re.search(r'"error"|"errors":[1-9]', done.stdout) is None, done.stdout
            assert "/dev/null" not in script, "an answer that is not shown"
            if shown:
                printed = re.sub(r"([}\]])(?=[{\[])", r"\1\n", done.stdout).strip()
                assert printed == shown.strip()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(?:GET|POST|PUT|DELETE)[^`/]* (/[^`?]*)", PAGE))))
def test_addresses_of_the_manual_exist(path):
    from novikoff.serve.http.operations import OPERATIONS

    known = {operation.path.replace("{model}", "{m}").replace("{shadow}", "{s}") for operation in OPERATIONS}
    assert path in known
