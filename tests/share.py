"""What is run of the long suites: all unless NOVIKOFF_SHARE is below 1, as in .ci/run; and which cases are quick."""

import hashlib
import math
import os
from collections import defaultdict

import pytest

SHARE = float(os.environ.get("NOVIKOFF_SHARE", "1"))
QUICK_CASES = 2  # of a test, unless all cases are asked for
MIN_SLOW_CASES = 4  # of a test, however small the share


def share_of(count):
    """As many of ``count`` random cases, or of parts of them, as are to be tried: at least one."""
    return max(1, math.ceil(SHARE * count))


def slow_unless(is_quick, values):
    """Parameters of a test, of which those that are not quick are run by ``make test-slow`` only."""
    return [pytest.param(value, marks=() if is_quick(value) else pytest.mark.slow) for value in values]


def beyond_the_quick_cases(node_ids):
    """Of tests with more than QUICK_CASES cases, all but so many of these, which are chosen by their names."""
    return _beyond(node_ids, lambda count: QUICK_CASES)


def beyond_the_share(node_ids):
    """Of the cases of each slow test, all but the share that is to be tried, and but MIN_SLOW_CASES."""
    return _beyond(node_ids, lambda count: max(MIN_SLOW_CASES, share_of(count)))


def _beyond(node_ids, most):
    cases = defaultdict(list)
    for node_id in node_ids:
        cases[node_id.partition("[")[0]].append(node_id)
    return {node_id for each in cases.values() for node_id in sorted(each, key=_place)[most(len(each)) :]}


def _place(node_id):
    """A key that has nothing to do with the order of the cases, whose neighbours are alike."""
    return hashlib.sha256(node_id.encode()).digest()
