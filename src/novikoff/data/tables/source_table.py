"""One or more sources of raw rows as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.data.bad_lines import BadLines
from novikoff.data.delimited.dialect import DIALECT, DialectOptions
from novikoff.data.source import is_path, is_pipe
from novikoff.errors import InvalidInputError, input_error, quote

from .block import Block, BlockReader, Invalid
from .columns import MAX_LISTED, Columns
from .labels import good_rows

MAX_INVALID_SHARE = 0.01  # of the values of a column of numbers; beyond, it holds something else
ROLES = ("target", "features", "exclude", "weight", "text")  # options that say what columns are


class TableSource:
    """Tables with the same columns, read one after the other.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages about options.
    open_pass : callable
        Starts a pass over one of the sources. The first pass over a file is started at once, with errors about the file
        and its columns; a pipe or a growing file is not waited for before its rows are needed.
    sources : list
        The sources.
    options : mapping
        The options of ``Columns``; and for a model ``missing_columns``, see ``TableEncoder``, and ``had_missing``, the
        columns that had missing values when it was fitted. Others are ignored.
    known : mapping of str to str, default=None
        The features of a model and their kinds.
    follow : bool, default=False
        Whether the source is a file that grows.
    bad : BadLines or None, default=None
        Counts malformed lines of the latest pass, which are left out; None refuses them.

    Attributes
    ----------
    columns : Columns
        The roles of the columns.
    note : str
        How the first source was understood, in words.
    day_first : bool or None
        Whether its dates have the day before the month; None if it has no dates that leave this open.
    invalid : dict
        The values of the latest pass that were not of the kind of their column, by column.
    """

    def __init__(
        self,
        where: str,
        open_pass: Callable[[Any], BlockReader],
        sources: list[Any],
        options: Mapping[str, Any],
        known: Mapping[str, str] | None = None,
        follow: bool = False,
        bad: BadLines | None = None,
    ) -> None:
        self.bad = bad
        self.where, self._open_pass, self._sources = where, open_pass, sources
        self._options, self._known, self._follow = options, known, follow
        self._waiting: list[BlockReader] = []
        self.invalid: dict[str, Invalid] = {}
        if is_path(sources[0]) and not is_pipe(sources[0]) and not follow:
            self.open()

    def open(self) -> None:
        """Start the first pass, unless it was started before."""
        if not self._waiting and not hasattr(self, "columns"):
            self._waiting.append(self._open_pass(self._sources[0]))
            first = self._waiting[0]
            roles = {name: self._options[name] for name in (*ROLES, "counts") if name in self._options}
            likely = getattr(first, "label_like", None)
            self.columns = Columns(self.where, first.name, first.schema, label_like=likely, known=self._known, **roles)
            if self.columns.target is not None:
                kinds = getattr(first, "label_kinds", first.schema)  # categories of numbers are numbers as labels
                self.columns.label_kind = kinds[self.columns.target]
            if self.columns.absent and not self._imputes:
                raise self._unusable("the table lacks columns that the model uses", self.columns.absent)
            self.name, self.note, self.schema = first.name, first.note, dict(first.schema)
            self.day_first: bool | None = getattr(first, "day_first", None)

    @property
    def dialect(self) -> DialectOptions | None:
        """What the user said about delimited text; None if nothing was said."""
        given = {name: self._options.get(name) for name in DIALECT}
        said = self._options.get("dialect") or DialectOptions(**given)
        return None if said == DialectOptions() else said

    def opened(self) -> Self:
        """Start the first pass, and return the table."""
        self.open()
        return self

    @property
    def is_lasting(self) -> bool:
        """Whether the sources can be read more than once."""
        return not self._follow and all(map(_is_lasting, self._sources))

    @property
    def _imputes(self) -> bool:
        return self._options.get("missing_columns") == "impute"

    def blocks(self, kinds: Mapping[str, str] | None = None) -> Iterator[Block]:
        """Return the rows of all sources, with the columns that are needed as the given kinds.

        For a model, columns with too many values of another kind are refused, of a file before its last rows are
        returned.
        """
        had_missing = None if self._imputes or self._follow else self._options.get("had_missing")
        if self._known is None or had_missing is None:
            yield from self._good_blocks(kinds)
            return
        rows, held = 0, None
        for block in self._good_blocks(kinds):
            rows += block.rows
            if held is not None:
                yield held
            held = block if self.is_lasting else None
            if held is None:
                yield block
        wrong = [
            f"{name} ({found.count:,} of {rows:,}, such as {quote(found.first)} in {found.place})"
            for name, found in self.invalid.items()
            if found.count > MAX_INVALID_SHARE * rows
            and not (found.distinct == 1 and found.count < rows and name in had_missing)  # marks missing values
        ]
        if wrong:
            raise self._unusable("columns have values that are not of the kind the model was fitted to", wrong)
        if held is not None:
            yield held

    def _unusable(self, wrong: str, columns: list[str]) -> InvalidInputError:
        """Return the error about columns that a model cannot use, with a remedy where there is one."""
        remedy = ' Use missing_columns="impute" to count them as missing values.'
        more = len(columns) - MAX_LISTED
        listed = ", ".join(columns[:MAX_LISTED]) + f" and {more} more" * (more > 0)
        return input_error(self.columns.name, f"{wrong}: {listed}.{remedy * ('missing_columns' in self._options)}")

    def _good_blocks(self, kinds: Mapping[str, str] | None) -> Iterator[Block]:
        """Where malformed lines are left out, leave out rows whose label or weight is missing or not one, too."""
        self.open()
        if kinds is None and self.bad is not None:
            yield from good_rows(self._blocks(self.columns.kinds), self.columns, self.bad)
        else:
            yield from self._blocks(self.columns.kinds if kinds is None else kinds)

    def _blocks(self, kinds: Mapping[str, str]) -> Iterator[Block]:
        strings = [name for name, kind in kinds.items() if kind == "string"]
        several = {name: _Merged() for name in strings} if len(self._sources) > 1 else None
        self.invalid = {}
        if self.bad is not None and not self._waiting:  # those of a pass that has begun belong to this one
            self.bad.clear()
        for source in self._sources:
            try:
                reader = self._waiting.pop()  # atomic: one of several threads that share this table takes it
            except IndexError:
                if hasattr(source, "read_next_batch"):  # a reader of Arrow, which the first pass has read
                    message = f"a {type(source).__name__} can be read only once. Use a table for a second pass."
                    raise input_error(self.where, message) from None
                reader = self._open_pass(source)
            self.columns.check_names(reader.name, list(reader.schema))
            for merged in (several or {}).values():
                merged.begin()
            for block in reader.blocks(kinds):
                yield block if several is None else _with_codes_of(block, several)
            for column, found in reader.invalid.items():
                self.invalid[column] = _added(self.invalid.get(column), found)


def origin_of(table: TableSource) -> dict[str, Any]:
    """Return where rows come from, as arguments of a batch."""
    columns = table.columns
    kinds = {name: columns.kinds[name] for name in columns.features if name in columns.kinds}
    return {
        "columns": kinds,
        **roles_of(columns),
        "table_columns": tuple(table.schema),
        "read_as": table.note,
        "day_first": table.day_first,
        "dialect": table.dialect,
        "weight_column": columns.weight,
    }


def roles_of(columns: Columns) -> dict[str, Any]:
    """Return which columns hold labels and texts, and why the former, as arguments of a batch."""
    why = {"target_choice": columns.choice, "target_rivals": tuple(columns.rivals)}
    return {"target": columns.target, "text_columns": tuple(columns.text), **why}


def guessed_labels(table: TableSource) -> list[str]:
    """Return that the column of labels is a guess, if it is one."""
    columns = table.columns
    if columns.rivals:
        rivals = ", ".join(columns.rivals)
        return [f"the labels are taken from {columns.target}; {rivals} may be labels, too; use target= to choose"]
    if columns.choice.endswith("column"):
        return [f"the labels are taken from the {columns.choice}, {columns.target}; use target= to name another"]
    return []


def invalid_values(table: TableSource) -> list[str]:
    """Return what to say about malformed lines, and about values that are not of the kind of their column."""
    notes = [] if table.bad is None else table.bad.sentences()
    for name, found in table.invalid.items():
        kind = table.columns.kinds.get(name, "number")
        some = f"{found.count:,}, such as {quote(found.first)} in {found.place}"
        notes.append(f"values that are not {kind}s count as missing: {name} ({some})")
    return notes


def _is_lasting(source: Any) -> bool:
    """Return whether a file, a query or a table in memory can be read more than once."""
    if is_path(source):
        return not is_pipe(source)
    return not isinstance(source, str) and not hasattr(source, "read") and not hasattr(source, "read_next_batch")


class _Merged:
    """The strings of one column over several sources."""

    def __init__(self) -> None:
        self.code_of: dict[str, int] = {}
        self.values: list[str] = []
        self.begin()

    def begin(self) -> None:
        """Start with the codes of a new source."""
        self._table = np.array([-1], dtype=np.int32)  # the last entry is for missing values

    def codes(self, codes: NDArray[np.int32], values: Sequence[str]) -> NDArray[np.int32]:
        """Return the codes over all sources."""
        new = []
        for code in range(len(self._table) - 1, len(values)):
            value = values[code]
            if value not in self.code_of:
                self.code_of[value] = len(self.values)
                self.values.append(value)
            new.append(self.code_of[value])
        self._table = np.array([*self._table[:-1], *new, -1], dtype=np.int32)
        return self._table[codes]


def _with_codes_of(block: Block, several: Mapping[str, _Merged]) -> Block:
    codes = np.empty_like(block.codes)
    own = [several[name] for name in block.string_names]  # the columns of another file may be in another order
    for j, merged in enumerate(own):
        codes[:, j] = merged.codes(block.codes[:, j], block.values[j])
    values = tuple(merged.values for merged in own)
    return replace(block, codes=codes, values=values)


def _added(one: Invalid | None, other: Invalid) -> Invalid:
    if one is None:
        return other
    several = one.first != other.first or max(one.distinct, other.distinct) > 1
    return Invalid(one.count + other.count, one.first, one.place, 2 if several else 1)
