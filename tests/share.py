"""The share of the long suites that is run: all of them unless NOVIKOFF_SHARE is a number below 1, as in .ci/run."""

import math
import os

SHARE = float(os.environ.get("NOVIKOFF_SHARE", "1"))


def share_of(count):
    """As many of ``count`` random cases, or of parts of them, as are to be tried: at least one."""
    return max(1, math.ceil(SHARE * count))
