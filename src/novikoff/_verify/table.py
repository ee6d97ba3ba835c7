"""The independent check of a table encoder: its means, scales, categories and words against the raw table.

Nothing here calls the code that fitted the encoder. Sums are exact (``math.fsum``), words are found by a regular
expression, and categories by sets.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._counts import counted
from novikoff.data.encoding.encoded_columns import CategoryColumn, LeftOutColumn, NumberColumn, TextColumn
from novikoff.data.encoding.table_encoding import TableEncoding
from novikoff.data.tables.block import Block
from novikoff.theory.verification import Check

RELATIVE = 1e-9  # of a standard deviation, by which a mean or a scale may differ from the exact one
ROUNDING = 2e-14  # of the largest magnitude of a column, that the rounding of a mean may add
WORD = re.compile(r"\w\w+")
CLAIM = "encoder"
BUCKETS = 1024  # columns that rare categories share
MIN_ROWS, DISTINCT_SHARE = 20, 0.95  # of strings that are identifiers


def check_encoding(encoding: TableEncoding, parameters: Mapping[str, Any], blocks: Iterable[Block]) -> list[Check]:
    """Recompute what an encoder has learned from a table.

    Parameters
    ----------
    encoding : TableEncoding
        What the encoder claims to have learned.
    parameters : mapping
        The parameters of the encoder.
    blocks : iterable of Block
        All raw rows of the columns of the encoder, those that it leaves out included.

    Returns
    -------
    list of Check
        One for the numbers, one for the categories, one for the words and one for the columns that are left out, as far
        as there are any. The first column that refutes a claim is named.
    """
    table = _Table(list(blocks))
    checks = [
        _check("numbers", encoding.numbers, lambda column: _number(column, parameters, table)),
        _check("categories", encoding.categories, lambda column: _category(column, parameters, table)),
        _check("words", encoding.texts, lambda column: _text(column, parameters, encoding, table)),
        _check("columns left out", encoding.left_out, lambda column: _left_out(column, table)),
    ]
    return [check for check in checks if check is not None]


class _Table:
    """The columns of all blocks."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.rows = sum(block.rows for block in blocks)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return the values of a column that are not missing."""
        values = [block.number_columns([name])[:, 0].astype(np.float64) for block in self.blocks]
        whole: NDArray[np.float64] = np.concatenate(values)
        return whole[~np.isnan(whole)]

    def strings(self, name: str) -> Counter[str]:
        """Return how often each string of a column occurs."""
        found: Counter[str] = Counter()
        for block in self.blocks:
            codes, values = block.string_column(name)
            distinct, counts = np.unique(codes[codes >= 0], return_counts=True)
            found.update({values[code]: count for code, count in zip(distinct.tolist(), counts.tolist(), strict=True)})
        return found

    def is_number(self, name: str) -> bool:
        return name in self.blocks[0].number_names


def _check(what: str, columns: tuple[Any, ...], fault: Any) -> Check | None:
    """Check all columns of a kind."""
    claim = f"{CLAIM}: {what}"
    if not columns:
        return None
    for column in columns:
        wrong = fault(column)
        if wrong is not None:
            return Check(claim, "fails", f"column {column.name!r}: {wrong}")
    return Check(claim, "holds", f"{counted(len(columns), 'column')}, recomputed from the table")


def _number(column: NumberColumn, parameters: Mapping[str, Any], table: _Table) -> str | None:
    """Return what is wrong with the units of a column of numbers."""
    values = table.numbers(column.name)
    count = len(values)
    if count == 0:
        return None if (column.shift, column.scale) == (0.0, 1.0) else "it has no values"
    mean, deviation = _moments(values)
    low = middle = high = 0.0
    if parameters["scale"] == "robust" or parameters["missing"] == "median":
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    least, largest = float(values.min()), float(values.max())
    shift, scale = {
        "standard": (mean, deviation),
        "none": (0.0, 1.0),
        "maxabs": (0.0, max(abs(least), abs(largest))),
        "minmax": (least, largest - least),
        "robust": (middle, high - low),
    }[parameters["scale"]]
    missing = parameters["missing"]
    fill = {"mean": mean, "median": middle, "zero": 0.0, "error": mean}.get(missing, missing)
    slack = RELATIVE * deviation + ROUNDING * max(abs(least), abs(largest))
    for name, claimed, found in (("shift", column.shift, shift), ("fill", column.fill, fill)):
        if not abs(claimed - found) <= slack:
            return f"claimed {name} {claimed:.12g}, found {found:.12g}"
    expected = scale if scale > 0 else 1.0
    if not abs(column.scale - expected) <= RELATIVE * expected + min(slack, slack * (slack / expected)):
        return f"claimed scale {column.scale:.12g}, found {expected:.12g}"
    indicator = bool(parameters["indicator"]) and count < table.rows
    return None if column.indicator == indicator else f"{counted(table.rows - count, 'value')} missing"


def _moments(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and the standard deviation, in units of a power of 2 so that squares do not overflow."""
    least, largest = float(values.min()), float(values.max())
    if least == largest:
        return least, 0.0
    unit = math.ldexp(1.0, math.frexp(max(abs(least), abs(largest)))[1] - 1)
    scaled = values / unit
    mean = math.fsum(scaled.tolist()) / len(scaled)
    deviation = math.sqrt(math.fsum(((scaled - mean) ** 2).tolist()) / len(scaled))
    return mean * unit, deviation * unit


def _category(column: CategoryColumn, parameters: Mapping[str, Any], table: _Table) -> str | None:
    """Return what is wrong with the categories of a column."""
    found = table.strings(column.name)
    claimed = set(column.categories)
    if claimed - found.keys():
        return f"{min(claimed - found.keys())!r} does not occur"
    if list(column.categories) != sorted(claimed):
        return "the categories are not in ascending order"
    others = found.keys() - claimed
    if column.buckets != (BUCKETS if others else 0):
        return f"{counted(len(others), 'other category', 'other categories')} in {counted(column.buckets, 'column')}"
    most = parameters["max_categories"]
    if others and len(claimed) != most:
        return f"{min(others)!r} occurs and is not among the categories"
    if others and max(found[value] for value in others) > min(found[value] for value in claimed):
        return f"more frequent categories than {min(claimed, key=lambda value: found[value])!r} have no column"
    indicator = found.total() < table.rows
    return None if column.indicator == indicator else f"{counted(table.rows - found.total(), 'value')} missing"


def _text(column: TextColumn, parameters: Mapping[str, Any], encoding: TableEncoding, table: _Table) -> str | None:
    """Return what is wrong with the words of a column."""
    frequency: Counter[str] = Counter()
    for text, count in table.strings(column.name).items():
        words = _words(text, encoding)
        frequency.update(words if count == 1 else dict.fromkeys(words, count))
    if set(column.words) != frequency.keys():
        other = min(set(column.words) ^ frequency.keys())
        return f"the word {other!r} is {'claimed, but does not occur' if other in column.words else 'not claimed'}"
    if len(column.idf) != (len(column.words) if parameters["idf"] else 0):
        return f"{len(column.idf)} factors of words are claimed, with idf={parameters['idf']}"
    rows = table.strings(column.name).total()
    for word, factor in zip(column.words, column.idf, strict=False):
        if not math.isclose(factor, math.log((1 + rows) / (1 + frequency[word])) + 1, rel_tol=1e-9):
            return f"the factor of {word!r} is not its inverse document frequency"
    return None


def _words(text: str, encoding: TableEncoding) -> set[str]:
    settings = encoding.words
    if settings.lowercase:  # character by character, as ``Hashing`` documents; two of them depend on their neighbours
        text = text.replace("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "i")
        text = text.replace("\N{GREEK CAPITAL LETTER SIGMA}", "\N{GREEK SMALL LETTER SIGMA}").lower()
    words = WORD.findall(text)
    shortest, longest = settings.ngram_range
    if longest == 1:
        return set(words)
    return {
        " ".join(words[i : i + length])
        for length in range(shortest, longest + 1)
        for i in range(len(words) - length + 1)
    }


def _left_out(column: LeftOutColumn, table: _Table) -> str | None:
    """Return why a column should not be left out."""
    is_number = table.is_number(column.name)
    numbers, strings = table.numbers(column.name), table.strings(column.name)
    distinct = len(np.unique(numbers)) if is_number else len(strings)
    if column.reason == "empty":
        return None if distinct == 0 else "it has values"
    if column.reason == "constant":
        return None if distinct == 1 else f"it has {counted(distinct, 'different value')}"
    if is_number:
        counts_rows = len(numbers) == table.rows >= MIN_ROWS and bool(np.all(np.diff(numbers) == 1))
        return None if counts_rows else "it does not number the rows"
    total = strings.total()
    is_identifier = total >= MIN_ROWS and distinct >= DISTINCT_SHARE * total
    return None if is_identifier else f"it has {counted(distinct, 'different value')} in {counted(total, 'row')}"
