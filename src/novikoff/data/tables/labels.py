"""Labels of a table, converted to whole numbers, booleans or strings; and weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.bad_lines import BadLines
from novikoff.errors import InvalidInputError, input_error, quote

from .block import Block
from .columns import Columns

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
        self._converted: list[Any] = []  # by code
        self._wrong: list[int] = []  # codes of values that are not labels

    def of(self, block: Block) -> NDArray[Any]:
        """Return the labels of a block."""
        codes, wrong = self._codes(block)
        if wrong.any():
            raise self._refusal(block, int(np.argmax(wrong)))
        return np.array(self._converted)[codes]

    def good_rows(self, block: Block, bad: BadLines) -> Block:
        """Return the rows whose labels can be learned, and count the others as malformed."""
        wrong = self._codes(block)[1]
        for row in np.flatnonzero(wrong).tolist():
            bad.add(block.place(row), self._refusal(block, row))
        return block.take(np.flatnonzero(~wrong)) if wrong.any() else block

    def _codes(self, block: Block) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return the code of the label of each row, and which of them cannot be learned."""
        codes, values = block.string_column(self.column)
        self.decide(values)
        for code in range(len(self._converted), len(values)):
            label = self._convert(values[code])
            self._wrong += [code] * (label is None)
            self._converted.append((False if self.decided == "boolean" else 0) if label is None else label)
        return codes, (codes < 0) | np.isin(codes, self._wrong) if self._wrong else codes < 0

    def _refusal(self, block: Block, row: int) -> InvalidInputError:
        """Return the error of a row whose label cannot be learned."""
        codes, values = block.string_column(self.column)
        place, code = block.place(row), int(codes[row])
        if code < 0:
            wrong = f"every row of column {quote(self.column)} must have a label, but there is no value"
            return input_error(place, f"{wrong}. Remove the row, or label it.")
        if self.decided == "integer" and _number(values[code]) is None:
            wrong = f"labels in column {quote(self.column)} are whole numbers in the rows before"
        elif (number := _number(values[code])) is not None and number % 1 > 0:
            wrong = f"column {quote(self.column)} holds {quote(values[code])}, so it looks like a regression target"
            remedy = "Use target= to name another column, or write classes as whole numbers or strings."
            return input_error(place, f"{wrong}, which novikoff does not fit. {remedy}")
        else:
            wrong = f"labels in column {quote(self.column)} must be whole numbers below 2**63, strings or booleans"
        return input_error(place, f"{wrong}, but there is {quote(values[code])}. Use target= to name another column.")

    def decide(self, values: Sequence[str]) -> None:
        """Decide what labels are by some of them, unless that is decided."""
        if self.decided is not None:
            return
        is_number = self.kind == "number" and not any(_number(value) is None for value in values)
        self.decided = "boolean" if self.kind == "boolean" else "integer" if is_number else "string"

    def _convert(self, value: str) -> Any:
        """Return a label; None if it does not fit."""
        if self.decided == "string":
            return value
        if self.decided == "boolean":
            return TRUTHS.get(value.lower())
        number = _number(value)
        is_whole = number is not None and -MAX_LABEL <= number < MAX_LABEL and number == int(number)
        return int(number) if number is not None and is_whole else None


def labels_of(columns: Columns) -> Labels | None:
    """Return what converts the labels of a pass; None if the table has no column of labels."""
    return None if columns.target is None else Labels(columns.target, columns.label_kind or "string")


def good_rows(blocks: Iterator[Block], columns: Columns, bad: BadLines) -> Iterator[Block]:
    """Return blocks without the rows whose labels or weights cannot be learned, and count these as malformed."""
    labels = labels_of(columns)
    for block in blocks:
        found = block if labels is None else labels.good_rows(block, bad)
        if columns.weight is not None:
            wrong = _wrong_weights(_weights(found, columns.weight))
            for row in np.flatnonzero(wrong).tolist():
                bad.add(found.place(row), _weight_refusal(found, columns.weight, "weights", row))
            found = found.take(np.flatnonzero(~wrong)) if wrong.any() else found
        if found.rows:
            yield found


def weights_of(block: Block, column: str, what: str = "weights") -> NDArray[np.float64]:
    """Return the weights or counts of rows, which must be finite and not negative."""
    weights = _weights(block, column)
    wrong = _wrong_weights(weights)
    if wrong.any():
        raise _weight_refusal(block, column, what, int(np.argmax(wrong)))
    return weights


def _weights(block: Block, column: str) -> NDArray[np.float64]:
    return block.number_columns([column])[:, 0].astype(np.float64)


def _wrong_weights(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    return ~((weights >= 0) & (weights < np.inf))


def _weight_refusal(block: Block, column: str, what: str, row: int) -> InvalidInputError:
    """Return the error of a row whose weight is not one."""
    weight = float(_weights(block, column)[row])
    found = "no value" if np.isnan(weight) else quote(weight)
    message = f"{what} in column {quote(column)} must be finite numbers of at least 0, but there is {found}."
    return input_error(block.place(row), message)


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
