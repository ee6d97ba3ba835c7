"""The quick start leaves scikit-learn, SciPy, NumPy and pandas as they would be, except for the time they take."""

import subprocess
import sys

import pytest

CHILD = """
import os, sys
from novikoff.cli._start import import_quickly
import_quickly()
for line in sys.stdin.read().split("\\0"):
    sys.stdout.flush()
    if os.fork() == 0:
        exec(line)
        sys.stdout.flush()
        os._exit(0)
    assert os.wait()[1] == 0, line
"""
SLOW = ["pandas", "scipy.stats._stats_py", "numpy.testing._private", "numpy.f2py.crackfortran"]
CHECKS = {
    f"print([name for name in {SLOW} if name in sys.modules])": "[]",
    "import scipy, scipy.stats; print(scipy.stats.norm.cdf(0.0), type(scipy.stats).__name__)": "0.5 module",
    "import numpy; numpy.testing.assert_equal(1, 1); print(type(numpy.testing).__name__)": "module",
    "import pandas; print(pandas.DataFrame([1]).shape)": "(1, 1)",
    "from scipy.stats import norm; print(norm.cdf(0.0))": "0.5",
    "import scipy.stats._stats_py as stats; print(stats.__name__)": "scipy.stats._stats_py",
    "import scipy.stats; print(hasattr(scipy.stats, 'no such thing'))": "False",
    "import numpy; print(numpy.f2py.get_include.__name__)": "get_include",
    "from numpy.testing import assert_equal; print(assert_equal(1, 1))": "None",
    "import numpy.testing._private.utils as utils; print(utils.__name__)": "numpy.testing._private.utils",
    "import numpy.f2py.crackfortran as it; print(it.__name__)": "numpy.f2py.crackfortran",
    "import sklearn.metrics, sklearn.decomposition; print(sklearn.metrics.accuracy_score([1], [1]))": "1.0",
}


def printed(lines):
    """What lines of code print, each in a process of its own, forked off one in which the quick start has been made."""
    command = [sys.executable, "-W", "error", "-c", CHILD]
    run = subprocess.run(command, input="\0".join(lines), capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_modules_are_imported_late_and_are_there():
    lines = list(CHECKS)[:4]
    assert printed(lines) == [CHECKS[line] for line in lines]


@pytest.mark.slow
def test_modules_are_there_however_they_are_imported():
    assert printed(CHECKS) == list(CHECKS.values())


def test_nothing_is_changed_after_scikit_learn_was_imported():
    code = "import sys, sklearn.base, scipy.stats\nfrom novikoff.cli._start import import_quickly\nimport_quickly()\n"
    code += "print(type(sys.modules['scipy.stats']).__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "module"
