"""What is run of the long suites: all unless NOVIKOFF_SHARE is below 1, as in .ci/run; and which cases are quick."""

import math
import os

import pytest

SHARE = float(os.environ.get("NOVIKOFF_SHARE", "1"))


def share_of(count):
    """As many of ``count`` random cases, or of parts of them, as are to be tried: at least one."""
    return max(1, math.ceil(SHARE * count))


def slow_unless(is_quick, values):
    """Parameters of a test, of which those that are not quick are run by ``make test-slow`` only."""
    return [pytest.param(value, marks=() if is_quick(value) else pytest.mark.slow) for value in values]
