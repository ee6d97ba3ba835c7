"""The contract between learners and the model file, and the registry of learners."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from novikoff._registry import Registry
from novikoff.record import RunRecord


class Learner(Protocol):
    """What a class has to provide so that its models can be saved and loaded.

    It is entered in ``LEARNERS`` under its name, and its constructor takes the parameters that ``record_`` lists.
    """

    state_type: ClassVar[type[Any]]
    """The type of ``record_.state``: a frozen dataclass whose fields ``novikoff.persistence.codec`` can store."""

    @property
    def record_(self) -> RunRecord:
        """The record of a fitted model. Before ``fit``, there is no such attribute."""

    @classmethod
    def from_record(cls, record: RunRecord) -> Self:
        """Restore a model from its saved state.

        The types of all values and the finiteness of all numbers have been checked. What only the learner can know,
        such as whether arrays have the length of others, is checked here; ``InvalidInputError`` refuses it.

        A class may also have a class method ``check_record``, which makes the same checks without building a model, and
        whose models restore their certificates exactly. ``save`` calls it before it writes; without it, ``save``
        restores the model from the bytes that it is about to write.
        """


def public_learners() -> dict[str, str]:
    """Return the learners of ``novikoff/__init__.pyi``, the list of public names: all from public modules."""
    stub = ast.parse(Path(__file__).parents[1].joinpath("__init__.pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    return {
        alias.name: f"novikoff.{node.module}:{alias.name}"
        for node in imports
        if str(node.module).split(".")[0] in ("online", "svm") and "._" not in str(node.module)
        for alias in node.names
    }


LEARNERS: Registry[type[Learner]] = Registry("learner", public_learners())
