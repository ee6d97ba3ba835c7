"""The delimiter and the quotes of text, by how well its lines agree."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from novikoff._cached import cached_property
from novikoff.data.tables.cells import MISSING, is_number
from novikoff.data.tables.dates import DATE

DELIMITERS = ("\t", ";", "|", ",", " ")  # " " stands for runs of blanks; of equally good ones, the first is taken
LINES_COMPARED = 100  # of the text, for each delimiter
MIN_CONSISTENT = 0.5  # fraction of the records that must have equally many fields
MIN_CONSISTENT_BLANKS = 0.95  # the same for blanks, which also occur between words
PREFERENCE = 1.25  # weight of the delimiter that the name of the file suggests
UNCLEAN = re.compile(r"[,;|\t]")  # a field with another delimiter in it
SEVERAL = re.compile(r"[-+0-9.eE]+(?:[,;|\t ]+[-+0-9.eE]+)+")  # several numbers in one field
BLANKS = 0.85  # weight of blanks, which also occur where they are not delimiters
NOT_QUOTED = 0.7  # weight of a delimiter with which quotes do not surround fields


@dataclass(frozen=True)
class Split:
    """Lines cut into records by a delimiter and a quote.

    Parameters
    ----------
    delimiter : str
        One character; " " for runs of blanks, and "" for a single column.
    quote : str
        The character around fields that hold delimiters, or "".
    records : list of list of str
        Their fields, without blanks around them.
    first_lines : int, default=1
        Number of lines of the first record.
    doubtful : bool, default=False
        Whether a quoted field is never closed, or text follows its closing quote, or it spans lines of text with tabs:
        the quotes may be part of the values.
    """

    delimiter: str
    quote: str
    records: list[list[str]]
    first_lines: int = 1
    doubtful: bool = False

    @property
    def width(self) -> int:
        """The number of fields that most records have."""
        return self._common[0]

    @property
    def consistency(self) -> float:
        """The fraction of the records that have this number of fields."""
        return self._common[1]

    @cached_property
    def _common(self) -> tuple[int, float]:
        lengths = [len(record) for record in self.records]
        counts = Counter(lengths[1:] or lengths)  # the first record may be a header with one field less
        width = max(counts, key=lambda length: (counts[length], length == lengths[0]))
        equal = counts[width] + (len(lengths) > 1 and lengths[0] == width)
        return width, max(equal / len(lengths), counts[width] / max(1, len(lengths) - 1) * (len(lengths) > 2))

    def score(self) -> float:
        """Return how likely the delimiter is, from 0 to 1."""
        if self.width < 2 or self.consistency < MIN_CONSISTENT:
            return 0.0
        body = [record for record in self.records if len(record) == self.width]
        if self.delimiter == " ":
            numbers = [all(map(_is_clean, column[1:] or column)) for column in zip(*body, strict=True)]
            if self.consistency < MIN_CONSISTENT_BLANKS or not any(numbers):
                return 0.0
        unclean = sum(_uncleanness(field) for record in body for field in record) / (len(body) * self.width)
        weight = BLANKS if self.delimiter == " " else 1.0
        weight *= NOT_QUOTED if self.quote == "" and self.delimiter != "\t" else 1.0
        return weight * self.consistency**2 * (1 - unclean)


def _is_clean(field: str) -> bool:
    """Return whether a field is a number or a missing value."""
    return not field or field in MISSING or is_number(field) or is_number(field, ",")


def _uncleanness(field: str) -> float:
    """Return how much a field looks like one that another delimiter divides, from 0 to 1."""
    if _is_clean(field) or (not UNCLEAN.search(field) and " " not in field):
        return 0.0
    if SEVERAL.fullmatch(field):
        return 1.0
    return 0.5 if UNCLEAN.search(field) else 0.0


def find_split(lines: Sequence[str], delimiter: str | None, quote: str | None, preferred: str | None) -> Split:
    """Find the delimiter and the quote of lines, unless they are given.

    Parameters
    ----------
    lines : sequence of str
        The lines with their ends, at least one of which is not blank.
    delimiter, quote : str or None
        Those that the user named.
    preferred : str or None
        The delimiter that the name of the file suggests.
    """
    if delimiter is None:
        delimiter = _delimiter(lines[:LINES_COMPARED], quote, preferred)
        if not delimiter and len(lines) > LINES_COMPARED and any(sign in line for sign in "\"'" for line in lines):
            delimiter = _delimiter(lines, quote, preferred)  # a record in quotes may have that many lines
    return _with_best_quote(lines, delimiter, quote)


def _delimiter(lines: Sequence[str], quote: str | None, preferred: str | None) -> str:
    """Return the most likely delimiter of lines, or "" if they have none."""
    splits = [_with_best_quote(lines, known, quote) for known in DELIMITERS]
    scores = [split.score() * (PREFERENCE if split.delimiter == preferred else 1) for split in splits]
    best = max(range(len(splits)), key=scores.__getitem__)
    whole = [line.strip() for line in lines if line.strip()]
    typed = all(is_number(line) or DATE.fullmatch(line) for line in whole[1:] or whole)
    return "" if scores[best] == 0 or (typed and preferred is None) else splits[best].delimiter


def split_records(lines: Sequence[str], delimiter: str, quote: str) -> Split | None:
    """Cut lines into records; None if a quote is never closed, and was opened long before the end."""
    if not quote:
        return _plain_split(lines, delimiter)
    if delimiter == " ":
        lines = [line.replace("\t", " ").strip(" \n") for line in lines]

    def reader(lines: Sequence[str], *, strict: bool) -> Any:
        return csv.reader(
            lines,
            delimiter=delimiter or "\x1f",
            quotechar=quote,
            skipinitialspace=delimiter != "\t",
            strict=strict,
        )

    records: list[list[str]] = []
    begin = first = 0
    spans = False
    records_of = reader([*lines, "\n"], strict=False)
    for record in records_of:
        if records_of.line_num > len(lines):  # the line that was added; it is not alone after a quote that is open
            break
        fields = [field.strip() for field in record]
        if len(fields) > 1 or "".join(lines[begin : records_of.line_num]).strip():
            records.append(fields)
            spans = spans or records_of.line_num > begin + 1
        begin = records_of.line_num
        first = first or begin
    if begin < len(lines):  # the lines may end inside a quoted field, which then began shortly before the end
        if begin < len(lines) // 2 or not records:
            return None
        if delimiter == "\t" and not any(quote in line for line in lines[:begin]):  # nothing else is quoted
            return None
    doubtful = begin < len(lines) or (spans and delimiter == "\t")
    try:
        list(reader(lines, strict=True))
    except csv.Error:  # text follows a closing quote
        doubtful = True
    return Split(delimiter, quote, records, first or 1, doubtful)


def _plain_split(lines: Sequence[str], delimiter: str) -> Split:
    return Split(delimiter, "", [fields for line in lines if (fields := _plain_fields(line, delimiter))])


def _plain_fields(line: str, delimiter: str) -> list[str]:
    """Return the fields of a line without quotes; none if it is blank."""
    if delimiter == " ":
        return line.split()
    if not line.strip():
        return []
    fields = line[:-1].split(delimiter) if delimiter else [line]
    return [field.strip() for field in fields] if " " in line or not delimiter else fields


def _with_best_quote(lines: Sequence[str], delimiter: str, quote: str | None) -> Split:
    """Cut lines into records, with the quote that fits best."""
    plain = _plain_split(lines, delimiter)
    if quote is not None:
        return split_records(lines, delimiter, quote) or Split(delimiter, quote, plain.records)
    default = "" if delimiter == "\t" else '"'
    for known in ('"', "'"):
        marked = any(known in line for line in lines)
        if marked and any(field.startswith(known) for record in plain.records for field in record):
            split = split_records(lines, delimiter, known)
            trusted = known == '"' or _wraps_a_column(plain, known)
            if split is not None and trusted and _is_better(split, plain):
                return split
            default = "" if known == '"' else default
    return Split(delimiter, default, plain.records)


def _is_better(split: Split, plain: Split) -> bool:
    """Return whether quotes surround fields, as far as the lengths of records show it, and are not part of values."""
    if split.doubtful:
        shares = [sum(len(record) == s.width for record in s.records) / len(s.records) for s in (split, plain)]
        return shares[0] > shares[1]
    return split.consistency >= plain.consistency - 0.05


def _wraps_a_column(split: Split, quote: str) -> bool:
    """Return whether all fields of a column are between two quotes."""
    body = [record for record in split.records if len(record) == split.width]
    return any(
        all(len(field) > 1 and field[0] == field[-1] == quote for field in column if field) and any(column)
        for column in zip(*(body[1:] or body), strict=True)  # the header may be without quotes
    )
