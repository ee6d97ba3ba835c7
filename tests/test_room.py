"""A limit on memory that leaves too little room is an error before a library ends the process."""

import subprocess
import sys

import pytest

from novikoff._room import check_room

LIMITED = """
import resource, sys
from novikoff._room import check_room
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
check_room(1 << 28, "a library")
try:
    check_room(1 << 31, "a library")
except MemoryError as error:
    print(error)
"""


def test_without_a_limit_there_is_room():
    resource = pytest.importorskip("resource", reason="the system has no limits (run the tests on Linux)")
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        pytest.skip("the tests run under a limit on memory (ulimit -v unlimited)")
    check_room(1 << 60, "a library")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is missing (run the tests on Linux)")
def test_a_limit_that_leaves_too_little_is_an_error():
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True)
    assert done.stdout == "the limit on memory leaves too little for a library\n"
