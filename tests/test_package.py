"""What the package promises as a whole."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import novikoff as nk
from learners import ONLINE_CLASSES
from snapshots import plain

MACHINES = (nk.HardMarginSVM, nk.LinearClassifier, nk.LinearSVM, nk.LinearSVMCV, nk.LinearSVMPath)
ESTIMATORS = (*ONLINE_CLASSES, *MACHINES, nk.Hashing, nk.TableEncoder)
PUBLIC = {name: getattr(nk, name) for name in nk.__all__ if not name.startswith("_")}
MODULES = [
    m.name for m in pkgutil.walk_packages(nk.__path__, "novikoff.") if not m.name.endswith(("._core", "__main__"))
]


def test_the_names_that_type_checkers_see_are_those_that_are_imported():
    text = Path(nk.__file__).with_suffix(".pyi").read_text()
    assert sorted(re.findall(r"^from .* import ([A-Za-z]\w*) as \1$", text, re.M)) == sorted(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_no_module_is_called_like_a_function_or_class(name):
    """A module that is called like what it holds would take its place."""
    assert inspect.ismodule(PUBLIC[name]) or f"novikoff.{name}" not in MODULES


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute Perceptrons"):
        nk.Perceptrons  # noqa: B018  # that it is asked for is the test


@pytest.mark.parametrize("module", ["novikoff", *MODULES])
def test_the_examples_run(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_init_only_stores(cls):
    """Each argument is kept as it is, whatever it is, under its own name, and nothing else is."""
    marks = {name: object() for name in inspect.signature(cls).parameters}
    model = cls(**marks)
    assert vars(model) == marks
    assert model.get_params(deep=False) == marks


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_all_parameters_are_by_keyword(cls):
    positional = [p.name for p in inspect.signature(cls).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    assert positional == (["learners"] if cls is nk.Tracker else [])


def test_import_is_quick():
    """Beside what its dependencies take, and by what NumPy takes in the same process: 0.25 s where that is 0.075 s.

    The modules are compiled to bytecode by the first import, as pip does it when it installs them.
    """
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    code = (
        "import time\nstart = time.process_time()\nimport numpy\nunit = time.process_time() - start\n"
        "import scipy.sparse, sklearn.base, sklearn.utils.validation, sklearn.utils.multiclass\n"
        "start = time.process_time()\nfrom novikoff import LinearSVM, Perceptron, load, read, separability\n"
        "print((time.process_time() - start) / unit)"
    )
    command = [sys.executable, "-c", code]
    runs = (subprocess.run(command, capture_output=True, text=True, check=True, env=environment) for _ in range(5))
    assert any(float(run.stdout) < 0.25 / 0.075 for run in runs)  # the first one, on an idle machine


def test_import_brings_in_no_optional_dependency():
    """None beside those that scikit-learn brings by itself where they are installed."""
    code = (
        "import sys, sklearn.base, sklearn.utils.validation\nbefore = set(sys.modules)\n"
        "from novikoff import LinearSVM, Perceptron, load, plot, read, report, separability\n"
        "LinearSVM().fit([[0.0], [1.0]], [0, 1])._repr_html_()\n"
        "optional = {'matplotlib', 'pandas', 'polars', 'pyarrow', 'river', 'hypothesis', 'duckdb', 'zstandard'}\n"
        "optional |= {'flint', 'jinja2', 'msgspec', 'onnx', 'plotly', 'safetensors', 'scipy.optimize', 'typer'}\n"
        "print(sorted(optional & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_core_says_how_to_build_it(tmp_path):
    code = (
        "import sys\nsys.modules['novikoff._core'] = None\n"
        "try:\n    import novikoff\nexcept ImportError as error:\n    print(error.__notes__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install" in done.stdout


def test_the_snapshot_of_tests_sees_a_single_bit():
    assert plain(np.array([0.0])) != plain(np.array([-0.0]))
    assert plain(1.0) != plain(np.nextafter(1.0, 2.0))
