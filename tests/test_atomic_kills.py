"""Processes that are killed while they write: no file is torn, and nothing is left that harms."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from share import share_of

SCRIPT = Path(__file__).with_name("killed_writes.py")
KILLS = {  # 500 in all
    "save": 120,
    "parquet": 90,
    "convert": 60,
    "convert_compressed": 40,
    "convert_model": 40,
    "predictions": 50,
    "report": 40,
    "stream": 60,
}


def left_by(action, folder, seed, count):
    """What killed processes left."""
    command = [sys.executable, SCRIPT, action, folder, str(seed), str(count)]
    path = os.pathsep.join([str(SCRIPT.parent), str(SCRIPT.parent / "cli")])
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("action", KILLS)
def test_killed_writes_leave_one_of_two_whole_files(tmp_path, action):
    kills = max(20, share_of(KILLS[action]))  # fewer may all come before the file is there, or all after
    left = left_by(action, tmp_path, 7, kills)
    assert left["versions"] == 2
    assert left["signals"] == [9]
    assert left["torn"] == 0
    assert left["visible"] == []
    assert left["hidden"] <= kills
