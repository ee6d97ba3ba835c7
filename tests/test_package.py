"""What the package promises as a whole."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import novikoff as nk
from learners import ONLINE_CLASSES
from snapshots import plain

MACHINES = (nk.HardMarginSVM, nk.LinearClassifier, nk.LinearSVM, nk.LinearSVMCV, nk.LinearSVMPath)
ESTIMATORS = (*ONLINE_CLASSES, *MACHINES, nk.Hashing, nk.TableEncoder)
BOUNDS = [getattr(nk.theory, name) for name in dir(nk.theory) if name.endswith("bounds")]
PUBLIC = {name: getattr(nk, name) for name in nk.__all__ if not name.startswith("_")}
MODULES = [
    m.name for m in pkgutil.walk_packages(nk.__path__, "novikoff.") if not m.name.endswith(("._core", "__main__"))
]


def test_the_public_names_are_those_of_the_design():
    classes = {cls.__name__ for cls in (*ONLINE_CLASSES, *MACHINES)}
    modules = {name for name in PUBLIC if inspect.ismodule(PUBLIC[name])}
    data = {"Hashing", "TableEncoder", "read", "read_svmlight", "scan", "write", "write_svmlight"}
    errors = {
        "FileError",
        "InvalidInputError",
        "MissingFileError",
        "NotHaltedWarning",
        "NotSeparableError",
        "NovikoffError",
        "ServerError",
    }
    functions = {"fingerprint", "fit", "report", "separability", "trace", "Trace", "verify"}
    functions |= {"dumps", "load", "loads", "save"}
    functions |= {"AsyncClient", "Client"}
    listed = classes | data | errors | functions
    assert set(PUBLIC) - modules == listed, "a new learner belongs into tests/learners.py, another name into this test"
    assert modules == {"compat", "distributed", "evaluate", "export", "plot", "testing", "theory"}


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


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_has_a_docstring(name):
    assert inspect.getdoc(PUBLIC[name])


@pytest.mark.parametrize(
    "thing",
    [
        *ESTIMATORS,
        *(nk.evaluate.progressive, nk.evaluate.scores),
        *(nk.load, nk.save, nk.separability, nk.verify),
        *(nk.export.from_liblinear, nk.export.to_json, nk.export.to_liblinear, nk.export.to_onnx),
        *(nk.read, nk.read_svmlight, nk.scan, nk.write, nk.write_svmlight),
        *(
            f
            for module in BOUNDS
            for name, f in inspect.getmembers(module, inspect.isfunction)
            if name[0] != "_" and f.__module__ == module.__name__
        ),
    ],
)
def test_every_estimator_and_function_has_an_example(thing):
    assert ">>>" in inspect.getdoc(thing)


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if cls is not nk.LinearClassifier])  # it has neither
def test_every_estimator_documents_its_parameters_and_its_source(cls):
    doc = inspect.getdoc(cls)
    assert doc.index("Parameters\n") < min(doc.index("References\n"), doc.index("Examples\n"))
    for name in inspect.signature(cls).parameters:
        assert f"\n{name} : " in doc, name


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_public_method_has_a_docstring(cls):
    for name, member in inspect.getmembers(cls):
        if not name.startswith("_") and (member.__module__ if hasattr(member, "__module__") else "").startswith(
            "novikoff"
        ):
            assert inspect.getdoc(member), name


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
    ratios = (
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
            ).stdout
        )
        for _ in range(5)
    )
    assert any(ratio < 0.25 / 0.075 for ratio in ratios)  # the first one, unless something else uses the machine


def test_import_alone_brings_in_nothing_else():
    code = "import sys, novikoff; print([m for m in ('numpy', 'scipy', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_import_brings_in_no_optional_dependency():
    """None beside those that scikit-learn brings by itself where they are installed."""
    code = (
        "import sys, sklearn.base, sklearn.utils.validation\nbefore = set(sys.modules)\n"
        "from novikoff import LinearSVM, Perceptron, load, plot, read, report, separability\n"
        "LinearSVM().fit([[0.0], [1.0]], [0, 1])._repr_html_()\n"
        "optional = {'matplotlib', 'pandas', 'polars', 'pyarrow', 'river', 'hypothesis', 'duckdb', 'zstandard'}\n"
        "optional |= {'flint', 'jinja2', 'onnx', 'plotly', 'safetensors', 'scipy.optimize', 'typer'}\n"
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


def test_theory_imports_no_learner():
    code = (
        "import sys, types\npackage = types.ModuleType('novikoff')\n"
        f"package.__path__ = {list(nk.__path__)!r}\nsys.modules['novikoff'] = package\n"
        "from novikoff.theory import *\n"
        "loaded = {m.split('.')[1] for m in sys.modules if m.startswith('novikoff.')}\n"
        "print(*sorted(loaded - {'theory'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    below = "_cached _counts _design _estimators _html _json _labels _one_core _plain_estimators _printable _registry "
    below += "_room _short_floats _validation _wide_array errors"
    assert done.stdout.split() == below.split()


def test_the_snapshot_of_tests_sees_a_single_bit():
    assert plain(np.array([0.0])) != plain(np.array([-0.0]))
    assert plain(1.0) != plain(np.nextafter(1.0, 2.0))


def test_lowest_versions_are_those_of_pyproject():
    run = subprocess.run(
        [sys.executable, Path(__file__).parents[1] / "tools/minimum_versions.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.split()
    assert lines == sorted(lines)
    assert {line.partition("==")[0] for line in lines} >= {
        "numpy",
        "scipy",
        "scikit-learn",
        "duckdb",
        "pyarrow",
        "pandas",
    }


def test_every_package_that_an_installation_needs_is_imported():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    modules = {"scikit-learn": "sklearn", "python-flint": "flint"}
    needed = {re.split(r"[<>=]", line)[0] for line in project["dependencies"]}
    sources = "\n".join(path.read_text() for path in Path(nk.__file__).parent.rglob("*.py"))
    statement = r"(^\s*(import|from) |import_module\(\")"
    found = {name for name in needed if re.search(rf"{statement}{modules.get(name, name)}\b", sources, re.M)}
    assert found == needed
