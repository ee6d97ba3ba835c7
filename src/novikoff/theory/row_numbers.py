"""The row numbers of a verdict on separability: those of the rows that count, and those that the user gave.

Only rows of positive weight count. If y has counts, a row stands for up to two rows: the successes of row i have the
number i, and its failures the number n + i, where n is the number of rows that the user gave. Both lie on the same
planes, so ``boundary`` has the numbers that the user gave.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff._design import Design

from .certificate import Duals
from .verification import Check

Rows = NDArray[np.int64]


class Numbered(Protocol):
    """The fields of ``Separability`` that have row numbers."""

    @property
    def boundary(self) -> Rows: ...

    @property
    def witness(self) -> Duals | None: ...

    @property
    def supports(self) -> tuple[Rows, ...]: ...


def numbers_for_user(found: Numbered, design: Design) -> dict[str, Any]:
    """Return the fields of a verdict on the rows of a design with the row numbers that the user gave.

    Parameters
    ----------
    found : Separability
        A verdict on the rows of the design.
    design : Design
        The rows that count.
    """
    if design.numbers is None:
        return {"examples": design.given}
    boundary = design.to_given(found.boundary)
    witness = found.witness
    if witness is not None:
        rows = design.to_given(witness.rows)
        order = np.argsort(rows, kind="stable")
        witness = Duals(rows[order], witness.weights[order])
    return {
        "examples": design.given,
        "boundary": np.unique(boundary % design.given),
        "witness": witness,
        "supports": tuple(np.sort(design.to_given(rows)) for rows in found.supports),
    }


def numbers_in_design(found: Numbered, design: Design) -> dict[str, Any] | Check:
    """Return the fields of a verdict with the row numbers of a design; a failed check if a row does not count.

    Parameters
    ----------
    found : Separability
        A verdict with the row numbers that the user gave.
    design : Design
        The rows that count.
    """
    if design.numbers is None:
        return {}
    fields: dict[str, Any] = {}
    if _are_numbers([found.boundary]):
        boundary = _on_boundary(found.boundary, design)
        if boundary is None:
            return Check("boundary", "fails", "a row does not exist, has no weight, or occurs twice")
        fields["boundary"] = boundary
    if found.witness is not None and _are_numbers([found.witness.rows]):
        rows = design.from_given(found.witness.rows)
        if rows is None:
            return Check("witness", "fails", "a row does not exist, or has no weight")
        fields["witness"] = Duals(rows, found.witness.weights)
    if _are_numbers(found.supports):
        supports = [design.from_given(rows) for rows in found.supports]
        if any(rows is None for rows in supports):
            return Check("coefficients", "fails", "a row of a support does not exist, or has no weight")
        fields["supports"] = tuple(supports)
    return fields


def _are_numbers(arrays: Iterable[Any]) -> bool:
    """Return whether row numbers are integers; others are refused by the checks of the structure."""
    return all(rows.dtype.kind in "iu" and rows.ndim == 1 for rows in arrays)


def _on_boundary(boundary: Rows, design: Design) -> Rows | None:
    """Return the rows of the design that have these numbers, up to two for each; None if there is none for one."""
    assert design.numbers is not None
    own = design.numbers % design.given
    known = np.unique(boundary)
    if len(known) < len(boundary) or not np.all(np.isin(known, own)):
        return None
    return np.flatnonzero(np.isin(own, known))
