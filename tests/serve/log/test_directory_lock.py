"""The lock on a state directory: one holder at a time, and it ends with its process."""

import os
import signal
import subprocess
import sys

import pytest

from novikoff.serve.log.directory_lock import DirectoryLock
from novikoff.serve.log.errors import StoreError

HOLD = """
import sys, time
from pathlib import Path
from novikoff.serve.log.directory_lock import DirectoryLock
lock = DirectoryLock(Path(sys.argv[1]))
print("locked", flush=True)
time.sleep(60)
"""


def test_a_lock_is_held_once(tmp_path):
    lock = DirectoryLock(tmp_path)
    with pytest.raises(StoreError, match="another server") as refused:
        DirectoryLock(tmp_path)
    assert refused.value.code == "locked"
    lock.release()
    lock.release()
    DirectoryLock(tmp_path).release()


def test_the_error_names_the_process(tmp_path):
    (tmp_path / "lock").write_text("garbage")
    lock = DirectoryLock(tmp_path)
    with pytest.raises(StoreError, match=rf"\(process {os.getpid()}\)"):
        DirectoryLock(tmp_path)
    lock.release()


def test_a_lock_ends_with_its_process(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(StoreError, match=f"process {holder.pid}"):
            DirectoryLock(tmp_path)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    DirectoryLock(tmp_path).release()


def test_a_missing_directory_is_an_error_of_the_store(tmp_path):
    with pytest.raises(StoreError, match="lock"):
        DirectoryLock(tmp_path / "missing")
