import ast

import pytest
from mutants import mutants

CHANGES = {
    "a < b": "a <= b",
    "a == b": "a != b",
    "a + b": "a - b",
    "a * b": "a / b",
    "a and b": "a or b",
    "-a": "+a",
    "not a": "not not a",
    "2": "3",
    "1e+300": "2e+300",
    "True": "False",
}


@pytest.mark.parametrize("before", CHANGES)
def test_one_expression_is_changed(tmp_path, before):
    path = tmp_path / "module.py"
    path.write_text(f"value = f({before})\n")
    (mutant,) = [mutant for mutant in mutants(path) if mutant.before == before]
    assert (mutant.line, mutant.after) == (1, CHANGES[before])
    assert ast.unparse(mutant.tree()) == f"value = f({CHANGES[before]})"


def test_types_messages_and_texts_are_left_alone(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("from a import b\ndef f(x: int | None) -> int | None:\n    raise E('n' + str(3 + 4))\n")
    assert list(mutants(path)) == []


def test_the_order_of_mutants_does_not_depend_on_other_lines(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("x = a + b\n")
    (before,) = mutants(path)
    path.write_text("\n\ny = f(c)\nx = a + b\n")
    (after,) = mutants(path)
    assert before.order == after.order
    assert before.line != after.line
