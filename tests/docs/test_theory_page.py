"""docs/theory.md: every statement has a proof, a function and a test that exist, and the lecture notes are covered."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
NOTES = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
STATEMENT = re.compile(r"^- \*\*([A-Z]\d*)\*\* (.*?)(?=^- \*\*|^\S|\Z)", re.DOTALL | re.MULTILINE)
STATEMENTS = dict(STATEMENT.findall(PAGE))
ROWS = re.findall(r"^\| ([A-Z]\d*) \| (`.*?`) \| `(tests/[^`]*)` \|(?: (.*?) ?\|)?$", PAGE, re.MULTILINE)
# rules, conventions and procedures; S2 is a counterexample, which its test has
WITHOUT_PROOF = {"A1", "A2", "A7", "C1", "F1", "I6", "K2", "K3", "K4", "K6", "S2"}


def found_below(module, names):
    """The object that attributes or modules of these names lead to."""
    for name in names:
        if not hasattr(module, name):
            module = importlib.import_module(f"{module.__name__}.{name}")
        else:
            module = getattr(module, name)
    return module


@cache
def functions_of(path):
    """The names of all functions that a file of tests defines."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def numbers(text):
    """The claims in a cell such as ``0.4 to 0.6, 2.2 (3a)``, with ranges written out."""
    for first, last in re.findall(r"(\d\.\d+)(?: to (\d\.\d+))?", text):
        note, begin = first.split(".")
        yield from (f"{note}.{place}" for place in range(int(begin), int((last or first).split(".")[1]) + 1))


def test_every_statement_has_one_row_and_every_row_a_statement():
    assert sorted(statement for statement, *_ in ROWS) == sorted(STATEMENTS)
    assert len(STATEMENTS) == len(STATEMENT.findall(PAGE)) > 70


@pytest.mark.parametrize(("functions", "test"), sorted({(functions, test) for _, functions, test, _ in ROWS}))
def test_the_named_function_and_test_exist(functions, test):
    for function in re.findall(r"`([^`]+)`", functions):
        found_below(importlib.import_module("novikoff"), function.split("."))
    path, _, name = test.partition("::")
    assert name in functions_of(path)


def test_every_statement_has_its_proof():
    assert {statement for statement, text in STATEMENTS.items() if "Proof" not in text} == WITHOUT_PROOF


def test_every_claim_and_erratum_of_the_notes_belongs_to_a_statement():
    cells = [cell for *_, cell in ROWS]
    claims = re.findall(r"^\| (\d\.\d+) \|", NOTES, re.MULTILINE)
    errata = re.findall(r"^\| (\d[a-z]) \|", NOTES, re.MULTILINE)
    assert len(claims) == 43
    assert {claim for cell in cells for claim in numbers(cell)} == set(claims)
    assert {erratum for cell in cells for erratum in re.findall(r"\b\d[a-z]\b", cell)} == set(errata)
