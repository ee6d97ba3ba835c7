"""What an encoder noticed in the table that it was fitted to."""

from __future__ import annotations

from novikoff.errors import quote

from .summaries import NumberSummary, StringSummary
from .table_encoding import TableEncoding

LOOKED_AT = 1000  # different strings of a column, to see whether most are numbers


def notes(
    encoding: TableEncoding,
    missing: str | float,
    max_categories: int,
    numbers: NumberSummary,
    number_names: list[str],
    strings: StringSummary,
) -> list[str]:
    """Return what a user should know about a table: missing values, columns that are left out, texts."""
    found = []
    lacking = {n: numbers.rows - int(c) for n, c in zip(number_names, numbers.count, strict=True)}
    listed = ", ".join(f"{column.name} ({lacking[column.name]:,})" for column in encoding.numbers if column.indicator)
    if listed:
        what = f"the {missing}" if isinstance(missing, str) else f"{missing:g}"
        found.append(f"missing numbers count as {what}, with an indicator column: {listed}")
    listed = ", ".join(f"{c.name} ({strings.missing[c.name]:,})" for c in encoding.categories if c.indicator)
    if listed:
        found.append(f"missing strings are a category of their own: {listed}")
    for reason, meaning in (("constant", "constant"), ("identifier", "identifiers of rows"), ("empty", "empty")):
        listed = ", ".join(column.name for column in encoding.left_out if column.reason == reason)
        if listed:
            found.append(f"left out because they are {meaning}: {listed}")
    odd = {}
    for name, values in strings.values.items():
        others = [value for value in values[:LOOKED_AT] if not _is_number(value)]
        if 0 < 2 * len(others) < min(len(values), LOOKED_AT):
            odd[name] = others[0]
    listed = ", ".join(f"{name} ({quote(value)})" for name, value in odd.items())
    if listed:
        found.append(f"read as strings because some values are not numbers, although most are: {listed}")
    listed = ", ".join(f"{column.name} ({len(column.words):,} words)" for column in encoding.texts)
    if listed:
        found.append(f"read as text: {listed}")
    listed = ", ".join(column.name for column in encoding.categories if column.buckets)
    if listed:
        found.append(f"more than {max_categories:,} categories, so that rare ones share columns: {listed}")
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def upper_bound(
    encoding: TableEncoding, numbers: NumberSummary, number_names: list[str], strings: StringSummary
) -> int:
    """Return an upper bound on the number of entries of sparse rows, without texts."""
    place = {name: j for j, name in enumerate(number_names)}
    entries = len(encoding.categories) * strings.rows
    for column in encoding.numbers:
        filled = column.fill != column.shift
        count = int(numbers.count[place[column.name]])
        missing = numbers.rows - count
        entries += count + missing * (int(filled) + int(column.indicator))
    return entries
