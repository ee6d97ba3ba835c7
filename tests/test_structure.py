"""Rules about the structure of the code: contracts instead of type tests, no private attributes, imports."""

import ast
import collections
import graphlib
import inspect
import re
import tomllib
from functools import lru_cache
from pathlib import Path

import grimp
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

import novikoff as nk
from novikoff.theory import CERTIFICATES, Certificate

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "novikoff"


@lru_cache
def trees():
    """Every module of the package by its path, parsed."""
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


def package_of(path):
    """The package directly below novikoff that a file belongs to, or the module itself."""
    return path.split("/")[0].removesuffix(".py")


def called(node, *names):
    """Whether a node is a call of one of these functions."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


# ---- no type tests on kinds ----------------------------------------------------------------------------------------


def kinds():
    """Each class of learners and certificates, their base classes included, with its package."""
    public = [getattr(nk, name) for name in nk.__all__]
    estimators = [value for value in public if inspect.isclass(value) and issubclass(value, BaseEstimator)]
    classes = [value for value in estimators if not issubclass(value, TransformerMixin)]
    classes += [CERTIFICATES[name] for name in CERTIFICATES]
    bases = {base for cls in classes for base in cls.__mro__ if base.__module__.startswith("novikoff.")}
    return {base.__name__: base.__module__.split(".")[1] for base in bases - {Certificate}}


def type_tests(path, tree, packages):
    """Calls of isinstance and issubclass with a class of another package that is a learner or a certificate."""
    for call in ast.walk(tree):
        if called(call, "isinstance", "issubclass"):
            for node in ast.walk(call.args[1]):
                name = getattr(node, "id", getattr(node, "attr", ""))
                if packages.get(name, package_of(path)) != package_of(path):
                    yield f"{path} {name}"


@pytest.mark.slow
def test_no_type_tests_on_learners_or_certificates_outside_their_packages():
    packages = kinds()
    found = {text for path, tree in trees().items() for text in type_tests(path, tree, packages)}
    assert found == set()


def test_type_tests_are_found():
    tree = ast.parse("isinstance(a, Perceptron | int), issubclass(b, (nk.LinearSVM, str)), isinstance(c, int)")
    assert set(type_tests("plot/x.py", tree, kinds())) == {"plot/x.py Perceptron", "plot/x.py LinearSVM"}


# ---- no private attributes of other packages -----------------------------------------------------------------------

DOCUMENTED = {"_replace", "_asdict", "_fields", "_make"}  # methods of named tuples


def is_private(name):
    return name.startswith("_") and not name.endswith("_") and name not in DOCUMENTED


def is_own(node):
    """Whether an expression is self, cls, super() or type(self)."""
    if called(node, "super", "type"):
        return node.func.id == "super" or is_own(node.args[0])
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def definitions(tree):
    """The names that a file defines: functions, classes, variables, and attributes of self and cls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value):
            yield node.attr


def private_accesses(path, tree, own):
    """Private attributes that are used but not defined in the package, and private names imported from another one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names, owner = [node.attr], node.value
        elif called(node, "getattr", "hasattr", "setattr", "delattr"):
            names, owner = [getattr(node.args[1], "value", "")], node.args[0]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith("novikoff."):
            _, package, *inner = node.module.split(".")
            names = [*inner, *(alias.name for alias in node.names)] if package != package_of(path) else []
            owner = None
        else:
            continue
        for name in names:
            if isinstance(name, str) and is_private(name) and not is_own(owner) and name not in own:
                yield f"{path} {name}"


@pytest.mark.slow
def test_no_access_to_private_attributes_of_other_packages():
    own = {}
    for path, tree in trees().items():
        own.setdefault(package_of(path), set()).update(definitions(tree))
    found = {text for path, tree in trees().items() for text in private_accesses(path, tree, own[package_of(path)])}
    assert found == set()


@pytest.mark.parametrize(
    "code", ["model._x", "getattr(model, '_x')", "from novikoff.online._x import y", "from novikoff.online import _x"]
)
def test_private_accesses_are_found(code):
    assert list(private_accesses("plot/y.py", ast.parse(code), set())) == ["plot/y.py _x"]
    assert list(private_accesses("plot/y.py", ast.parse("self._x, cls._x, super()._x, row._replace"), set())) == []


# ---- imports -------------------------------------------------------------------------------------------------------


def test_the_import_contract_has_no_exceptions():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert any(contract["type"] == "layers" and contract["exhaustive"] for contract in contracts)
    assert [contract["name"] for contract in contracts if "ignore_imports" in contract] == []


def test_no_modules_import_each_other_in_a_circle():
    graph = grimp.build_graph("novikoff", cache_dir=None)
    modules = graph.modules - {"novikoff"}  # which stands for the compiled module
    imports = {module: graph.find_modules_directly_imported_by(module) & modules for module in modules}
    assert set(graphlib.TopologicalSorter(imports).static_order()) == modules


# ---- the compiled core ----------------------------------------------------------------------------------------------

HEADERS = sorted((ROOT / "cpp" / "include").rglob("*.hpp"))
TYPE = re.compile(r"^(?:struct|class|enum class) ([A-Za-z]\w*)(?![\w<])[^;]*\{", re.MULTILINE)  # not a specialisation


def types_met_twice(headers):
    """Types of which two headers have a definition: within one namespace, the linker may take either."""
    met = collections.Counter(name for text in headers for name in TYPE.findall(text))
    return sorted(name for name, count in met.items() if count > 1)


def test_no_type_of_the_core_is_defined_twice():
    assert types_met_twice(path.read_text() for path in HEADERS) == []
    assert sum(len(TYPE.findall(path.read_text())) for path in HEADERS) > 100


def test_types_that_are_defined_twice_are_found():
    first, second = "struct Tally {\n", "template <class T>\nclass Tally {\nstruct Other;\nstruct Of<int> {\n"
    assert types_met_twice([first, second]) == ["Tally"]
    assert types_met_twice([second, "struct Other {\n", "struct Of {\n"]) == []


# ---- tests that are skipped -----------------------------------------------------------------------------------------

SKIP = re.compile(r"pytest\.(skip|importorskip|mark\.skip(if)?)")


def reasons(text):
    """Why tests of a file are skipped, as code; empty where no reason is given."""
    for call in ast.walk(ast.parse(text)):
        if isinstance(call, ast.Call) and SKIP.fullmatch(name := ast.unparse(call.func)):
            given = [keyword.value for keyword in call.keywords if keyword.arg == "reason"]
            yield "".join(map(ast.unparse, given or (call.args if name == "pytest.skip" else ())))


def test_every_reason_to_skip_ends_with_the_command_that_enables_the_test():
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if SKIP.search(text := path.read_text(encoding="utf-8")):
            found += [f"{path.name}: {reason}" for reason in reasons(text) if not re.search(r"\(.+\)['\"]$", reason)]
    assert found == []


@pytest.mark.parametrize("call", ["pytest.skip('no disk')", "pytest.importorskip('pandas')", "pytest.mark.skip()"])
def test_reasons_without_a_command_are_found(call):
    assert not any(reason.endswith(")'") for reason in reasons(call))
