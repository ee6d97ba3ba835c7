"""What the command line and ``import novikoff`` must not import, because a user would wait for it."""

import re
import subprocess
import sys
import types

import numpy.testing
import pytest
import sklearn.base  # noqa: F401  # in whose presence the start changes nothing

from novikoff._plain_estimators import is_wanted
from novikoff.cli._start import start_quickly

SLOW = {
    *("sklearn", "joblib", "narwhals", "pandas", "polars", "pyarrow", "duckdb", "formulaic", "matplotlib", "onnx"),
    *("pydantic", "rich", "asyncio", "flint", "numpy.testing", "numpy.f2py"),
    *("scipy.stats", "scipy.special", "scipy.optimize", "scipy.interpolate", "scipy.spatial", "scipy.fft"),
}
LINEAR_ALGEBRA = {"scipy.linalg"}  # of the solvers
SOLVERS = {"novikoff.solvers", "novikoff.svm", "novikoff._separability.verdict", "numpy.ma", "numpy.polynomial"}
OTHER_LEARNERS = {"novikoff.online._classifier", "novikoff.svm.hard_margin", "novikoff.svm.cross_validation"}
CHILD = """
import os, sys
from novikoff.cli._start import start_quickly
start_quickly()
import scipy.sparse
for line in sys.stdin.read().split("\\0"):
    sys.stdout.flush()
    if os.fork() == 0:
        exec(line)
        sys.stdout.flush()
        os._exit(0)
    assert os.wait()[1] == 0, line
"""
CHECKS = {
    "print([name for name in sys.modules if name.startswith(('numpy.testing.', 'numpy.f2py.', 'sklearn'))])": "[]",
    "import numpy; numpy.testing.assert_equal(1, 1); print(type(numpy.testing).__name__)": "module",
    "import pandas; print(pandas.DataFrame([1]).shape)": "(1, 1)",
    "import novikoff as nk; print(nk.LinearSVM(C=2).fit([[0.0], [1.0]], [0, 1]).predict([[2.0]]))": "[1]",
    "import numpy; print(numpy.f2py.get_include.__name__)": "get_include",
    "from numpy.testing import assert_equal; print(assert_equal(1, 1))": "None",
    "import numpy.testing._private.utils as utils; print(utils.__name__)": "numpy.testing._private.utils",
    "import numpy.f2py.crackfortran as it; print(it.__name__)": "numpy.f2py.crackfortran",
    "import sklearn.metrics, sklearn.decomposition; print(sklearn.metrics.accuracy_score([1], [1]))": "1.0",
}


def imported(*arguments):
    """The modules that a call of Python imports."""
    command = [sys.executable, "-X", "importtime", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(re.findall(r"^import time:.*\| *([\w.]+)$", run.stderr, re.MULTILINE))


def test_importing_the_package_imports_neither_numpy_nor_a_learner():
    names = imported("-c", "import novikoff")
    assert not names & {*SLOW, "numpy", "scipy", "novikoff._classifier", "novikoff.theory", "novikoff.data"}


@pytest.mark.parametrize(
    ("call", "others"),
    [
        (["fit", "two.svm", "--C", "0.5", "--holdout", "0", "-o", "OUT"], OTHER_LEARNERS),
        (["stream", "two.svm", "-o", "OUT"], LINEAR_ALGEBRA | SOLVERS | {"novikoff.online.voted_perceptron"}),
        (["predict", "MODEL", "two.svm"], LINEAR_ALGEBRA),
        (["score", "MODEL", "two.svm"], LINEAR_ALGEBRA),
        (["certify", "MODEL", "two.svm"], set()),
        (["inspect", "MODEL"], LINEAR_ALGEBRA),
        (["convert", "two.svm", "OUT.svm"], LINEAR_ALGEBRA),
        (["--version"], {"numpy", "scipy"}),
    ],
    ids=lambda call: call[0] if isinstance(call, list) else "",
)
def test_a_subcommand_imports_nothing_slow_that_it_does_not_use(call, others, model, folder, tmp_path):
    places = {
        "MODEL": model,
        "OUT": tmp_path / "out.nvk",
        "OUT.svm": tmp_path / "out.svm",
        "two.svm": folder / "two.svm",
    }
    names = imported("-m", "novikoff", *(places.get(word, word) for word in call))
    assert not names & (SLOW | others)


def printed(lines):
    """What lines of code print, each in a process of its own, forked off one in which the quick start has been made."""
    command = [sys.executable, "-W", "error", "-c", CHILD]
    run = subprocess.run(command, input="\0".join(lines), capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_a_fit_by_coordinate_descent_alone_does_not_import_linear_algebra():
    fit = "nk.LinearSVM(C=1e-3, loss='hinge').fit(X, X[:, 0] > 0)"
    line = f"import numpy as np, novikoff as nk; X = np.random.default_rng(0).normal(size=(5000, 9)); {fit}"
    assert printed([f"{line}; print('scipy.linalg' in sys.modules)"]) == ["False"]


@pytest.mark.slow
def test_modules_are_there_however_they_are_imported():
    assert printed(CHECKS) == list(CHECKS.values())


def test_nothing_is_changed_after_scikit_learn_was_imported():
    before = {name: sys.modules.get(name) for name in ("numpy.testing", "numpy.f2py")}
    start_quickly()
    assert not is_wanted()
    assert {name: sys.modules.get(name) for name in before} == before
    assert type(numpy.testing) is types.ModuleType


@pytest.mark.slow
def test_a_server_that_learns_and_predicts_imports_nothing_slow(tmp_path):
    code = f"""
from novikoff.cli._start import start_quickly
start_quickly()
from novikoff.serve.engine.engine import Engine
from novikoff.serve.settings import Settings
engine = Engine({str(tmp_path)!r}, Settings())
engine.start()
engine.create("default", {{}}).result(20)
engine.learn("default", b'[{{"x": {{"a": 1}}, "y": 1}}, {{"x": {{"b": 1}}, "y": 0}}]').result(20)
engine.predict("default", b'{{"x": {{"a": 1}}}}')
engine.stop()
"""
    assert not imported("-m", "novikoff", "serve", "--state", tmp_path / "other", "--check") & {"sklearn", "pandas"}
    assert not imported("-c", code) & {"sklearn", "joblib", "pandas", "scipy.stats", "scipy.optimize"}
