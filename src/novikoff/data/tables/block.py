"""Rows of a table as its source has them: numbers, and strings as codes; no encoding is applied yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff._cached import cached_property

Place = Callable[[int], str]  # returns where a row is, for error messages

#: What a column holds. Numbers, booleans (0 and 1) and dates (days since 1970-01-01, with the time of the day as a
#: fraction) are in ``Block.numbers``; strings are in ``Block.codes``.
KINDS = ("number", "boolean", "date", "string")


@dataclass(frozen=True)
class Invalid:
    """Values of a column that are not of its kind.

    Parameters
    ----------
    count : int
        How many there are.
    first : str
        The first of them.
    place : str
        Where it is, for error messages.
    distinct : int
        1 if all of them are the same; 2 if not.
    """

    count: int
    first: str
    place: str
    distinct: int


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of the columns of a table that were asked for.

    Parameters
    ----------
    number_names : tuple of str
        The columns of ``numbers``.
    numbers : ndarray of shape (n_rows, n_numbers)
        Their values, C-contiguous, as float64, or as float32 if all of them have that type in the source. NaN marks a
        missing value.
    string_names : tuple of str
        The columns of ``codes``.
    codes : ndarray of shape (n_rows, n_strings)
        Their values as int32, C-contiguous: positions in ``values``, and -1 for a missing value.
    values : tuple of sequence of str
        The strings of each column, in the order in which they first occur in the pass. The sequences may be longer in
        later blocks of the pass, and a code means the same string in all of them.
    place : callable
        Returns where a row of the block is, for error messages.
    invalid : callable, default=dict
        Returns the values of the pass so far that are not of the kind of their column, by column. They are missing
        values in the block.
    """

    number_names: tuple[str, ...]
    numbers: NDArray[Any]
    string_names: tuple[str, ...]
    codes: NDArray[np.int32]
    values: tuple[Sequence[str], ...]
    place: Place
    invalid: Callable[[], Mapping[str, Invalid]] = dict

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.numbers)

    def number_columns(self, names: Sequence[str]) -> NDArray[Any]:
        """Return some columns of numbers side by side; a column that the block does not have is missing throughout."""
        if tuple(names) == self.number_names:
            return self.numbers
        found = np.full((self.rows, len(names)), np.nan, dtype=self.numbers.dtype)
        for j, name in enumerate(names):
            if (place := self._number_places.get(name)) is not None:
                found[:, j] = self.numbers[:, place]
        return found

    @cached_property
    def _number_places(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.number_names)}

    @cached_property
    def _string_places(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.string_names)}

    def string_column(self, name: str) -> tuple[NDArray[np.int32], Sequence[str]]:
        """Return the codes and the strings of a column; one that the block does not have is missing throughout."""
        if (j := self._string_places.get(name)) is None:
            return np.full(self.rows, -1, dtype=np.int32), ()
        return self.codes[:, j], self.values[j]

    def slice(self, start: int, stop: int) -> Block:
        """Return some of the rows."""
        place, numbers, codes = self.place, self.numbers[start:stop], self.codes[start:stop]
        return replace(self, numbers=numbers, codes=codes, place=lambda row: place(start + row))

    def take(self, rows: NDArray[np.int64]) -> Block:
        """Return the rows with these numbers."""
        place, numbers, codes = self.place, self.numbers[rows], self.codes[rows]
        return replace(self, numbers=numbers, codes=codes, place=lambda row: place(int(rows[row])))


class BlockReader(Protocol):
    """One pass over one source.

    Attributes
    ----------
    name : str
        What error messages call the table.
    schema : dict
        The kind of each column, by name and in the order of the table. For text files it is judged by the first rows.
    note : str
        How the source was understood, in words: ``;-separated, header, latin-1, missing: ?``. Empty if its format
        leaves nothing to guess.
    """

    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> dict[str, str]: ...

    @property
    def note(self) -> str: ...

    def blocks(self, kinds: Mapping[str, str]) -> Iterator[Block]:
        """Return the rows from the first, with the columns in ``kinds``, each as the kind that is given there.

        A column may be asked for as ``"string"`` whatever it holds. A value that is not of the kind that was asked
        for, such as a word in a column of numbers, is a missing value, and counted in ``invalid``. The blocks of text
        from a pipe or a growing file come as soon as their lines do.
        """

    @property
    def invalid(self) -> dict[str, Invalid]:
        """The values so far that were not of the kind that was asked for, by column."""
