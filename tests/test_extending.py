"""docs/extending.md: its modules extend novikoff from outside, and its changes make them part of the package."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import novikoff

import novikoff as nk
import novikoff._core as _core
from novikoff._report.figures.figure import FIGURES
from novikoff.data.formats import FORMATS
from novikoff.export import EXPORTS
from novikoff.persistence.learners import LEARNERS
from novikoff.testing import check_certificate, check_online_learner
from novikoff.theory.certificate import CERTIFICATES
from novikoff.theory.rules import RULES

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
MODULES = {path.stem: path for path in sorted((ROOT / "examples" / "extending").glob("*.py"))}
DIFFS = re.findall(r"^```diff\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
X = np.random.default_rng(3).normal(size=(40, 3))
Y = np.where(X @ [1.0, -2.0, 0.5] + 0.2 > 0, "yes", "no")


def example(name):
    """A module of examples/extending."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, MODULES[name])
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture
def register():
    """A function that adds an entry to a registry until the test ends."""
    added = []

    def add(registry, name, value):
        registry.register(name, value)
        added.append((registry, name))

    yield add
    for registry, name in added:
        registry.unregister(name)


@pytest.fixture
def learner(register):
    """The toy learner, which is registered with its rule."""
    cls = example("normalized_perceptron").NormalizedPerceptron
    register(RULES, "normalized perceptron", example("normalized_perceptron_rule").NormalizedPerceptronRule)
    register(LEARNERS, cls.__name__, cls)
    return cls


def test_a_rule_from_outside_has_a_learner_that_keeps_all_contracts(learner):
    check_online_learner(learner())


def test_a_rule_from_outside_is_verified_saved_and_loaded(learner, tmp_path):
    model = learner().fit(X, Y)
    assert model.score(X, Y) == 1.0
    model.save(tmp_path / "m.nvk")
    assert nk.verify(nk.load(tmp_path / "m.nvk"), X, Y)
    assert not nk.verify(model, X, Y[::-1])


def test_a_certificate_from_outside_keeps_the_contract(register):
    cls = example("error_certificate").ErrorCertificate
    register(CERTIFICATES, cls.__name__, cls)
    model = nk.LinearSVM(C=0.01).fit(X, Y)
    wrong = int(np.sum(model.predict(X) != Y))
    check_certificate(cls(model.coef_[0], float(model.intercept_[0]), wrong, len(Y)), X, Y)


def test_a_data_format_from_outside_is_read_by_name(register, tmp_path):
    register(FORMATS, "xy", example("npz_format").NPZ)
    with open(tmp_path / "rows.xy", "wb") as file:
        np.savez(file, X=X, y=(Y == "yes").astype(np.int64))
    assert np.array_equal(nk.read(str(tmp_path / "rows.xy")).X, X)
    assert sum(len(batch.y) for batch in nk.scan(str(tmp_path / "rows.xy"), batch_size=7)) == len(Y)
    run = novikoff("fit", tmp_path / "rows.xy", "--json")
    assert (run.code, run.json["rows"]) == (0, len(Y))
    with open(tmp_path / "bad.xy", "wb") as file:
        np.savez(file, X=X)
    with pytest.raises(nk.InvalidInputError, match="X and y"):
        nk.read(str(tmp_path / "bad.xy"))


def test_an_export_format_from_outside_is_found_by_convert(register, tmp_path):
    register(EXPORTS, "sql", example("sql_export").SQL)
    model = nk.LinearSVM().fit(X, Y)
    model.save(tmp_path / "m.nvk")
    assert novikoff("convert", tmp_path / "m.nvk", tmp_path / "m.sql").code == 0
    import duckdb

    rows = ", ".join(f"({', '.join(map(repr, row))})" for row in X.tolist())
    table = f"(SELECT * FROM (VALUES {rows}) AS t(x0, x1, x2))"
    query = (tmp_path / "m.sql").read_text().replace("FROM data", f"FROM {table} AS data")
    scores = np.array(duckdb.sql(query).fetchall(), dtype=float)[:, 0]
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-12, atol=1e-12)


def test_a_figure_from_outside_is_in_the_report(register):
    register(FIGURES, "scores", example("score_figure").score_distribution)
    assert "Number of rows by score" in nk.report(nk.LinearSVM().fit(X, Y), X, Y)
    assert "Number of rows by score" not in nk.report(nk.LinearSVM().fit(X, np.arange(40) % 3), X, np.arange(40) % 3)


@pytest.mark.parametrize("name", MODULES)
def test_the_page_shows_the_module(name):
    assert f"```python\n{MODULES[name].read_text(encoding='utf-8')}```" in PAGE


def applied(diff, folder):
    """Make the changes of a diff to the files in a folder; return the files that were changed."""
    changed = []
    for part in re.split(r"^--- a/", diff, flags=re.MULTILINE)[1:]:
        header, *hunks = re.split(r"^@@\n", part, flags=re.MULTILINE)
        path = folder / header.splitlines()[0]
        text = path.read_text(encoding="utf-8")
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            before = "".join(line[1:] for line in lines if line[0] in " -")
            assert text.count(before) == 1, (path.name, before)
            text = text.replace(before, "".join(line[1:] for line in lines if line[0] in " +"))
        path.write_text(text, encoding="utf-8")
        changed.append(path.relative_to(folder).as_posix())
    return changed


@pytest.fixture(scope="module")
def patched(tmp_path_factory):
    """A copy of the package with all changes of the page, and its modules where the changes say that they are."""
    folder = tmp_path_factory.mktemp("patched")
    shutil.copytree(
        ROOT / "src" / "novikoff", folder / "src" / "novikoff", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "cpp" / "include", folder / "cpp" / "include")
    shutil.copy(_core.__file__, folder / "src" / "novikoff")
    for diff in DIFFS:
        applied(diff, folder)
        modules = re.findall(r"^\+.*\"(novikoff[\w.]+):", diff, re.MULTILINE)
        modules += [f"novikoff.{name}" for name in re.findall(r"^\+from \.([\w.]+) import", diff, re.MULTILINE)]
        for module in set(modules):
            name = module.rpartition(".")[2]
            if name in MODULES:
                shutil.copy(MODULES[name], folder / "src" / f"{module.replace('.', '/')}.py")
    return folder


def test_a_rule_changes_three_files_and_everything_else_one(tmp_path):
    for diff in DIFFS:
        paths = re.findall(r"^--- a/(.*)$", diff, re.MULTILINE)
        assert len(paths) == (3 if "NormalizedPerceptron" in diff else 2 if "SquaredHinge" in diff else 1)


@pytest.mark.slow
def test_the_changes_make_the_modules_part_of_the_package(patched):
    """In a process of its own that imports the patched copy, with the losses that the compiled core has."""
    (patched / "src/novikoff/solvers/losses.py").write_bytes((ROOT / "src/novikoff/solvers/losses.py").read_bytes())
    code = f"""
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, {str(patched / "src")!r})
import novikoff
assert novikoff.__file__.startswith({str(patched)!r})
from novikoff._report.figures.figure import FIGURES
from novikoff._learner_names import ONLINE
from novikoff.data.formats import FORMATS
from novikoff.export import EXPORTS
from novikoff.theory.certificate import CERTIFICATES
print(novikoff.NormalizedPerceptron is ONLINE["normalized-perceptron"], novikoff.NormalizedPerceptron()._rule().name)
print(CERTIFICATES["ErrorCertificate"], FORMATS["xy"].name, EXPORTS["sql"].name, FIGURES["scores"].__name__)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[0] == "True normalized perceptron"


@pytest.mark.slow
def test_the_loss_and_the_rule_compile(patched):
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("a C++ compiler is missing (apt-get install g++)")
    code = '#include "novikoff/losses.hpp"\nconst novikoff::Loss& loss = novikoff::half_squared_hinge;\n'
    code += '#include "novikoff/rules.hpp"\nauto rule = novikoff::rule_named("normalized perceptron", 0, {});\n'
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{patched / 'cpp/include'}", "-x", "c++", "-"]
    subprocess.run(command, input=code, text=True, check=True)
