"""Labels of a table, converted to whole numbers, booleans or strings; and weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import input_error, quote

from .block import Block

MAX_LABEL = 2**63
TRUTHS = {"true": True, "false": False}


class Labels:
    """Converts the labels of the blocks of one pass.

    The first block decides what labels are: booleans if the column holds booleans; whole numbers if it holds numbers
    and each of its labels is whole; otherwise strings. Labels of later blocks that do not fit are refused.

    Parameters
    ----------
    column : str
        The column of labels.
    kind : str
        The kind of the column, as the reader judged it.
    decided : {"integer", "boolean", "string"} or None, default=None
        What labels are, if an earlier pass has decided it.
    """

    def __init__(self, column: str, kind: str, decided: str | None = None) -> None:
        self.column, self.kind, self.decided = column, kind, decided
        self._converted: list[Any] = []

    def of(self, block: Block) -> NDArray[Any]:
        """Return the labels of a block."""
        j = block.string_names.index(self.column)
        codes, values = block.codes[:, j], block.values[j]
        if len(codes) and codes.min() < 0:
            row = int(np.argmin(codes >= 0))
            wrong = f"every row of column {quote(self.column)} must have a label, but there is no value"
            raise input_error(block.place(row), f"{wrong}. Remove the row, or label it.")
        self.decide(values)
        for code in range(len(self._converted), len(values)):
            self._converted.append(self._convert(values[code], code, codes, block))
        return np.array(self._converted)[codes]

    def decide(self, values: Sequence[str]) -> None:
        """Decide what labels are by some of them, unless that is decided."""
        if self.decided is not None:
            return
        is_number = self.kind == "number" and not any(_number(value) is None for value in values)
        self.decided = "boolean" if self.kind == "boolean" else "integer" if is_number else "string"

    def _convert(self, value: str, code: int, codes: NDArray[np.int32], block: Block) -> Any:
        """Return a label; one that does not fit is refused with the first row that has it."""
        if self.decided == "string":
            return value
        if self.decided == "boolean" and value.lower() in TRUTHS:
            return TRUTHS[value.lower()]
        number = _number(value)
        if (
            self.decided == "integer"
            and number is not None
            and -MAX_LABEL <= number < MAX_LABEL
            and number == int(number)
        ):
            return int(number)
        place = block.place(int(np.argmax(codes == code)))
        if self.decided == "integer" and number is None:
            wrong = f"labels in column {quote(self.column)} are whole numbers in the rows before"
        else:
            wrong = f"labels in column {quote(self.column)} must be whole numbers below 2**63, strings or booleans"
        raise input_error(place, f"{wrong}, but there is {quote(value)}. Use target= to name another column.")


def weights_of(block: Block, column: str, what: str = "weights") -> NDArray[np.float64]:
    """Return the weights or counts of rows, which must be finite and not negative."""
    weights = block.number_columns([column])[:, 0].astype(np.float64)
    wrong = ~((weights >= 0) & (weights < np.inf))
    if wrong.any():
        row = int(np.argmax(wrong))
        found = "no value" if np.isnan(weights[row]) else quote(float(weights[row]))
        message = f"{what} in column {quote(column)} must be finite numbers of at least 0, but there is {found}."
        raise input_error(block.place(row), message)
    return weights


def _number(text: str) -> float | int | None:
    """Return the number that a text stands for, exactly where it is whole; None if it is not a number."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return None if np.isnan(number) else number
