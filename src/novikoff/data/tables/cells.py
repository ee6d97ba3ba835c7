"""What a field of delimited text may be: a number, a boolean, a marker of a missing value."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

#: Words that mean a missing value in every column. An empty field always does.
MISSING = ("?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "na", "n/a", "#N/A", "<NA>")
#: Words that mean a missing value in a column whose other values are numbers; elsewhere they are categories.
MISSING_NUMBERS = ("-", ".", "none")
BOOLEANS = {"true": 1.0, "false": 0.0}
CODE = re.compile(r"[+-]?0[0-9]+", re.ASCII)  # digits with leading zeros, which a number would lose


def _number(decimal: str, thousands: str) -> str:
    """Return the pattern of a number, without anchors."""
    whole, point = "[0-9]+", re.escape(decimal)
    if thousands:
        whole = rf"(?:[0-9]{{1,3}}(?:{re.escape(thousands)}[0-9]{{3}})+|[0-9]+)"
    return rf"[+-]?(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"


@cache
def _one_number(decimal: str, thousands: str) -> re.Pattern[str]:
    return re.compile(_number(decimal, thousands))


@cache
def _lines_of_numbers(decimal: str, thousands: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_number(decimal, thousands)}\n)*+")


def is_number(text: str, decimal: str = ".", thousands: str = "") -> bool:
    """Return whether a field is a number."""
    return _one_number(decimal, thousands).fullmatch(text) is not None


def not_numbers(texts: Collection[str], decimal: str, thousands: str) -> list[str]:
    """Return the fields that are not numbers; all of them are tried at once first, which is faster."""
    joined = "\n".join(texts) + "\n" if texts else ""
    if joined.count("\n") == len(texts) and _lines_of_numbers(decimal, thousands).fullmatch(joined):
        return []
    pattern = _one_number(decimal, thousands)
    return [text for text in texts if pattern.fullmatch(text) is None]


def number_convention(columns: Sequence[Collection[str]], delimiter: str, decimal: str | None) -> tuple[str, str]:
    """Return the decimal point and the thousands separator with which most fields are numbers.

    Parameters
    ----------
    columns : sequence of collection of str
        Fields of each column, without missing values.
    delimiter : str
        With a comma, the decimal point is not a comma unless the user says so.
    decimal : str or None
        The decimal point that the user named.
    """
    mixed = re.compile(r"[0-9][,' ][0-9]|,[0-9]" if decimal != "," else r"[0-9][.,' ][0-9]|,[0-9]")
    if not any(mixed.search("\n".join(column)) for column in columns):
        return decimal or ".", ""
    pairs = [(".", ""), (",", ""), (".", ","), (".", "'"), (".", " "), (",", "."), (",", " "), (",", "'")]
    pairs = [pair for pair in pairs if pair[0] == (decimal or pair[0]) and not (delimiter == " " == pair[1])]
    if delimiter == "," and decimal is None:
        pairs = [pair for pair in pairs if pair[0] == "."]
    return max(pairs, key=lambda pair: sum(_numbers_in(column, *pair) for column in columns))


def _numbers_in(column: Collection[str], decimal: str, thousands: str) -> int:
    """Return the number of fields of a column of numbers; 0 for a column of something else."""
    others = len(not_numbers(column, decimal, thousands))
    return len(column) - others if others <= len(column) // 20 else 0
