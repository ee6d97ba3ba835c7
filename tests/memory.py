"""The peak memory of a process of its own.

Its record in /proc begins with the program; what getrusage reports is inherited from the parent, and says nothing here.
"""

import subprocess
import sys

import pytest

PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
"""


def run_alone(code, *arguments):
    """What a program prints, as numbers; it may call ``peak()`` for the most bytes it ever held."""
    if not sys.platform.startswith("linux"):
        pytest.skip("/proc is missing (run the tests on Linux)")
    command = [sys.executable, "-c", PEAK + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [float(word) for word in done.stdout.split()]
