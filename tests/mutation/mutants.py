"""Mutants of a Python module: copies of it in which one expression is changed."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
WITHOUT_MATHEMATICS = ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Mutant:
    """One change of one expression.

    Attributes
    ----------
    path : Path
        The file of the module.
    line : int
        Where the expression begins.
    before, after : str
        The expression, as Python writes it.
    number : int
        Which of the changeable expressions of the module it is.
    """

    path: Path
    line: int
    before: str
    after: str
    number: int

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}: {self.before}  ->  {self.after}"

    def tree(self) -> ast.Module:
        """The changed module."""
        tree = ast.parse(self.path.read_text())
        _change(_changeable(tree)[self.number])
        return ast.fix_missing_locations(tree)

    @property
    def order(self) -> str:
        """A text that depends on the change and its module alone, so that a sample does not move with other changes."""
        return hashlib.sha256(f"{self.path.stem} {self.before} {self.after}".encode()).hexdigest()


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a module, one per changeable expression."""
    for number, node in enumerate(_changeable(ast.parse(path.read_text()))):
        before, changed = ast.unparse(node), copy.deepcopy(node)
        _change(changed)
        yield Mutant(path, node.lineno, before, ast.unparse(changed), number)


def _changeable(tree: ast.Module) -> list[ast.expr]:
    found: list[ast.expr] = []
    _search(tree, found)
    return found


def _search(node: ast.AST, found: list[ast.expr]) -> None:
    """Visit all nodes but those that hold no mathematics: types, messages, imports and decorators."""
    if isinstance(node, ast.expr) and _is_changeable(node):
        found.append(node)
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, WITHOUT_MATHEMATICS):
                _search(child, found)


def _is_changeable(node: ast.expr) -> bool:
    match node:
        case ast.Compare(ops=[operator, *_]):
            return type(operator) in COMPARISONS
        case (
            ast.BinOp(left=ast.JoinedStr() | ast.Constant(value=str()))
            | ast.BinOp(right=ast.JoinedStr() | ast.Constant(value=str()))
        ):
            return False
        case ast.BinOp(op=operator):
            return type(operator) in OPERATIONS
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not() | ast.USub()) | ast.Constant(value=int() | float()):
            return True
    return False


def _change(node: ast.expr) -> None:
    match node:
        case ast.Compare():
            node.ops[0] = COMPARISONS[type(node.ops[0])]()
        case ast.BinOp():
            node.op = OPERATIONS[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.USub()):
            node.op = ast.UAdd()
        case ast.UnaryOp():
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int() | float() as number):
            node.value = number + 1 if number + 1 != number else 2 * number
