"""How delimited text is written: delimiter, quotes, header, encoding, numbers and missing values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import takewhile
from typing import Any

from novikoff._counts import counted as number_of
from novikoff._validation import check_choice, check_flag
from novikoff.data.tables.cells import BOOLEANS, MISSING, is_number, number_convention
from novikoff.data.tables.dates import is_date
from novikoff.errors import InvalidInputError, input_error, no_rows_error, quote

from .header import has_header, unique_names
from .kinds import counted, day_first, missing_numbers, without_missing
from .sniffing import Split, find_split, split_records
from .text_encoding import checked_encoding, decoded, encoding_of

WORDS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "blank": " ", "pipe": "|", "\\t": "\t"}
CALLED = {"\t": "tab-separated", ",": "comma-separated", " ": "blank-separated", "": "one column"}
SEPARATORS = {"\t": "tabs", ",": "commas", " ": "blanks", ";": "semicolons"}
ROW_NAMES = "row"  # the column of names of rows, which R writes without a name


@dataclass(frozen=True)
class DialectOptions:
    """What the user says about delimited text. What is None is judged by the text itself.

    Parameters
    ----------
    delimiter : str or None, default=None
        The character between two fields, or the word tab, comma, semicolon, space or pipe. A space stands for any
        number of blanks.
    header : bool or None, default=None
        Whether the first record names the columns.
    names : sequence of str or None, default=None
        The names of the columns, instead of those in the header.
    encoding : str or None, default=None
        How the text is stored as bytes, such as "latin-1".
    na : sequence of str or None, default=None
        Further words that mean a missing value.
    decimal : {".", ","} or None, default=None
        The decimal point.
    quote : str or None, default=None
        The character around fields that hold delimiters; "" if there is none.
    day_first : bool or None, default=None
        Whether the day comes before the month in dates such as 01/02/2024.
    """

    delimiter: str | None = None
    header: bool | None = None
    names: Sequence[str] | None = None
    encoding: str | None = None
    na: Sequence[str] | None = None
    decimal: str | None = None
    quote: str | None = None
    day_first: bool | None = None

    def checked(self, where: str) -> DialectOptions:
        """Return the options in one form, after a check."""
        delimiter = None if self.delimiter is None else _character(where, "delimiter", self.delimiter)
        quote_ = None if self.quote is None else self.quote and _character(where, "quote", self.quote)
        if delimiter is not None and delimiter == quote_:
            raise input_error(where, f"delimiter and quote must differ, but both are {quote(delimiter)}.")
        if self.decimal is not None:
            check_choice(where, "decimal", self.decimal, (".", ","))
            if delimiter == self.decimal:
                raise input_error(where, f"delimiter and decimal must differ, but both are {quote(delimiter)}.")
        for name in ("header", "day_first"):
            if (value := getattr(self, name)) is not None:
                check_flag(where, name, value)
        names = None if self.names is None else _strings(where, "names", self.names)
        if names is not None and len(set(names)) < len(names):
            raise input_error(where, f"names must differ, but they are {quote(list(names))}.")
        na = None if self.na is None else _strings(where, "na", self.na)
        encoding = None if self.encoding is None else checked_encoding(where, self.encoding)
        return DialectOptions(delimiter, self.header, names, encoding, na, self.decimal, quote_, self.day_first)


def _character(where: str, option: str, value: Any) -> str:
    value = WORDS.get(value.lower(), value) if isinstance(value, str) else value
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in "\r\n\0":
        words = ", or tab, comma, semicolon, space or pipe" if option == "delimiter" else ""
        raise input_error(where, f"{option} must be one ASCII character{words}, but it is {quote(value)}.")
    return value


def _strings(where: str, option: str, values: Any) -> tuple[str, ...]:
    values = [values] if isinstance(values, str) else values
    if not isinstance(values, Sequence) or not all(isinstance(value, str) for value in values):
        raise input_error(where, f"{option} must be a list of strings, but it is {quote(values)}.")
    return tuple(values)


DIALECT = tuple(field.name for field in fields(DialectOptions))  # the names of these options


@dataclass(frozen=True)
class Dialect:
    """How delimited text is written.

    Parameters
    ----------
    delimiter : str
        The character between two fields; " " for any number of blanks, and "" for a single column.
    quote : str
        The character around fields that hold delimiters, or "".
    decimal : str
        The decimal point.
    thousands : str
        The character between groups of three digits, or "".
    encoding : str
        How the text is stored as bytes.
    header : bool
        Whether a record names the columns.
    names : tuple of str
        The names of the columns, all different.
    missing : tuple of str
        Words that mean a missing value, as an empty field does.
    trim : bool, default=True
        Blanks around a field do not count.
    trailing : bool, default=False
        Every record ends with a delimiter, so that it has an empty field more than there are columns.
    day_first : bool, default=False
        The day comes before the month in dates such as 01/02/2024.
    skipped : int, default=0
        Lines before the header or, without one, before the first record.
    header_lines : int, default=0
        Lines of the header.
    seen : tuple of str, default=()
        The words for missing values that occurred in the text that was looked at.
    """

    delimiter: str
    quote: str
    decimal: str
    thousands: str
    encoding: str
    header: bool
    names: tuple[str, ...]
    missing: tuple[str, ...]
    trim: bool = True
    trailing: bool = False
    day_first: bool = False
    skipped: int = 0
    header_lines: int = 0
    seen: tuple[str, ...] = ()

    @property
    def separated(self) -> str:
        """The delimiter in words, such as ``commas``."""
        return SEPARATORS.get(self.delimiter, quote(self.delimiter))

    def note(self) -> str:
        """Return how the text was understood, such as ``;-separated, header, latin-1, missing: ?``."""
        parts = [CALLED.get(self.delimiter, f"{self.delimiter}-separated"), "header" if self.header else "no header"]
        parts += [f"quoted by {self.quote}"] * (self.quote not in ("", '"'))
        parts += ["decimal comma"] * (self.decimal == ",")
        parts += [f"thousands as 1{self.thousands}234"] * bool(self.thousands)
        parts += ["day before month"] * self.day_first
        parts += [self.encoding] * (self.encoding not in ("utf-8", "utf8", "ascii"))
        parts += [f"{self.skipped} line{'s' * (self.skipped > 1)} skipped"] * bool(self.skipped)
        parts += [f"missing: {', '.join(self.seen)}"] * bool(self.seen)
        return ", ".join(parts)


@dataclass(frozen=True)
class Sniffed:
    """A dialect, and the columns of the text from which it was found.

    Parameters
    ----------
    dialect : Dialect
        The dialect.
    columns : list of Counter
        How often each value occurs in each column, without missing values.
    rows : int
        The number of records, without the header.
    """

    dialect: Dialect
    columns: list[Counter[str]]
    rows: int


def sniff(
    where: str,
    name: str,
    sample: bytes,
    given: DialectOptions,
    expected: Sequence[str] | None = None,
    preferred: str | None = None,
    optional: str | None = None,
) -> Sniffed:
    """Find out how delimited text is written.

    Parameters
    ----------
    where : str
        The function that the user called, for errors about options.
    name : str
        What error messages call the text.
    sample : bytes
        The beginning of the text, up to the end of a line; it may end inside a record or a character.
    given : DialectOptions
        What the user said.
    expected : sequence of str or None, default=None
        Names of columns, such as those of a model, most of which a header has.
    preferred : str or None, default=None
        The delimiter that the name of the file suggests.
    optional : str or None, default=None
        One of the expected columns that the text may lack, such as the labels.
    """
    given = given.checked(where)
    encoding = given.encoding or encoding_of(name, sample)
    lines = _lines(decoded(name, sample, encoding))
    skipped, delimiter = _preamble(lines)
    if skipped == len(lines):
        raise no_rows_error(name, "the file is empty." if not "".join(lines).strip() else "the table has no rows.")
    split = find_split(lines[skipped:], given.delimiter or delimiter, given.quote, preferred)
    skipped, split = _with_marked_header(lines, *_without_title(lines, skipped, split))
    return _described(name, split, skipped, given, expected, encoding, optional)


def _lines(text: str) -> list[str]:
    """Return lines with their ends. Carriage returns end lines if there is nothing else that does."""
    text = text.replace("\r\n", "\n")
    text = text.replace("\r", " " if "\n" in text else "\n")
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]


def _preamble(lines: Sequence[str]) -> tuple[int, str | None]:
    """Return the number of lines before the first record, and the delimiter that they name."""
    count = sum(1 for _ in takewhile(lambda line: not line.strip() or line.startswith("#"), lines))
    if count == len(lines) and "".join(lines).strip():  # a column of words that begin with #
        return 0, None
    if count < len(lines) and lines[count].lower().startswith("sep=") and len(lines[count].strip()) <= 5:
        return count + 1, lines[count][4].replace("\n", "\t")  # a line that Excel reads and writes
    return count, None


def _without_title(lines: Sequence[str], skipped: int, split: Split) -> tuple[int, Split]:
    """Skip lines of text above a table of three columns or more, which are records of one field."""
    records = split.records
    while split.width > 2 and split.delimiter != " " and len(records) > 2 and len(records[0]) == 1:
        records = records[1:]
        skipped += next(i for i, line in enumerate(lines[skipped + 1 :], 1) if line.strip())
    if len(records) == len(split.records):
        return skipped, split
    again = split_records(lines[skipped:], split.delimiter, split.quote)
    return skipped, again or replace(split, records=records)


def _with_marked_header(lines: Sequence[str], skipped: int, split: Split) -> tuple[int, Split]:
    """Return lines that begin with # but have as many fields as the records to these: a header, or values."""
    back: list[list[str]] = []
    while split.width > 1 and len(back) < skipped and lines[skipped - 1 - len(back)].startswith("#"):
        line = lines[skipped - 1 - len(back)].lstrip("# ")
        marked = split_records([line], split.delimiter, split.quote)
        if marked is None or not marked.records or len(marked.records[0]) != split.width:
            break
        back.insert(0, marked.records[0])
    if not back:
        return skipped, split
    return skipped - len(back), replace(split, records=back + split.records, first_lines=1)


def _described(
    name: str,
    split: Split,
    skipped: int,
    given: DialectOptions,
    expected: Sequence[str] | None,
    encoding: str,
    optional: str | None,
) -> Sniffed:
    """Find the header, the names and the notation of the values of records."""
    missing = tuple(dict.fromkeys([*MISSING, *(given.na or ())]))
    first, body, trailing = _without_trailing(split)
    columns = counted(body)
    seen = without_missing(columns, missing)
    decimal, thousands = number_convention(columns or [Counter(first)], split.delimiter, given.decimal)

    def is_typed(text: str) -> bool:
        return is_number(text, decimal, thousands) or text.lower() in BOOLEANS or is_date(text)

    header = given.header
    if header is None:
        header = has_header(first, columns, is_typed, frozenset(missing), expected or given.names)
    if not header:
        width = split.width - trailing
        if len(first) == width:
            columns = columns or [Counter() for _ in first]
            for counts, value in zip(columns, first, strict=True):
                counts[value] += 1
        seen = tuple(dict.fromkeys([*seen, *without_missing(columns, missing)]))
        names = _names_by_place(width, expected or (), optional)
    else:
        names = unique_names([ROW_NAMES] * (len(columns) == len(first) + 1) + first)
    if given.names is not None:
        names = _given_names(name, given.names, len(names), optional)
    columns = [*columns, *(Counter() for _ in names)][: len(names)]  # a header of another length is refused later
    order = day_first(columns) if given.day_first is None else given.day_first
    dialect = Dialect(
        split.delimiter,
        split.quote,
        decimal,
        thousands,
        encoding,
        header,
        names,
        missing,
        trailing=trailing,
        day_first=bool(order),
        skipped=skipped,
        header_lines=split.first_lines if header else 0,
        seen=(*seen, *missing_numbers(columns, decimal, thousands)),
    )
    return Sniffed(dialect, columns, len(split.records) - header)


def _without_trailing(split: Split) -> tuple[list[str], list[list[str]], bool]:
    """Return the first record, the others of the usual length, and whether an empty field at their ends was removed."""
    first, width = split.records[0], split.width
    body = [record for record in split.records[1:] if len(record) == width]
    trailing = width > 1 and not any(record[-1] for record in body)
    trailing = trailing and (len(first) == width - 1 or (len(first) == width and not first[-1]))
    if trailing:
        return first[: width - 1], [record[:-1] for record in body], True
    if len(first) == width + 1 and not first[-1]:
        first = first[:-1]
    return first, body, False


def _names_by_place(width: int, expected: Sequence[str], optional: str | None) -> tuple[str, ...]:
    """Return the names of columns without a header: the expected ones if their number fits, otherwise x1, x2, ..."""
    others = [name for name in expected if name != optional]
    fitting = (names for names in (expected, others) if len(names) == width)
    return tuple(next(fitting, [f"x{i}" for i in range(1, width + 1)]))


def _given_names(name: str, names: Sequence[str], width: int, optional: str | None) -> tuple[str, ...]:
    if len(names) == width + 1 and optional in names:
        return tuple(column for column in names if column != optional)
    if len(names) != width:
        message = f"names= lists {number_of(len(names), 'column')}, but the records have {number_of(width, 'field')}."
        raise input_error(name, f"{message} Use delimiter= if the fields are separated otherwise.")
    return tuple(names)


def is_delimited(beginning: bytes) -> bool:
    """Return whether text that begins like this has a delimiter; it may end anywhere."""
    lines = beginning[: beginning.rfind(b"\n") + 1] or beginning
    try:
        return sniff("", "", lines, DialectOptions()).dialect.delimiter != ""
    except InvalidInputError:
        return False
