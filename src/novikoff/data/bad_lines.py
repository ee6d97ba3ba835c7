"""Malformed lines of a stream that are skipped: how many, where the first ones are, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from novikoff._counts import counted
from novikoff._validation import check_choice

STOP, SKIP = "stop", "skip"  # what to do about a malformed line
MAX_SHOWN = 5  # places in a sentence
FIRST_PIECE = 1 << 12  # bytes that are parsed at once after a malformed line


class BadLines:
    """The malformed lines of a stream so far.

    Attributes
    ----------
    count : int
        Their number; a record of several lines counts as one.
    places : list of str
        Where the first ones are.
    first : str
        What is wrong with the first one.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all lines, at the beginning of a pass."""
        self.count, self.places, self.first = 0, list[str](), ""

    def add(self, place: str, error: Exception) -> None:
        """Count a line, which is refused with an error."""
        if self.count < MAX_SHOWN:
            self.places.append(place)
        self.first = self.first or str(error)
        self.count += 1

    def sentences(self) -> list[str]:
        """Return what a user should know about them."""
        if not self.count:
            return []
        more = ", ..." if self.count > len(self.places) else ""
        places = ", ".join(self.places)
        return [f"skipped {counted(self.count, 'malformed line')} ({places}{more}); first: {self.first}"]


def bad_lines_for(where: str, on_bad: str) -> BadLines | None:
    """Return where malformed lines are counted, by the option ``on_bad`` of ``scan``; None if they are errors."""
    return BadLines() if check_choice(where, "on_bad", on_bad, (STOP, SKIP)) == SKIP else None


@dataclass(frozen=True)
class BadRecord:
    """A malformed record of a text: the line in which it begins, counted from 0, its number of lines, and the error."""

    line: int
    lines: int
    place: str
    error: Exception


# Returns the first malformed record of a text that begins with a line of this number, or None.
FindBad = Callable[[bytes, int], BadRecord | None]


def end_of_line(text: bytes, begin: int, least: int) -> int:
    """Return where the first line ends that reaches ``least``, at most the end of the text."""
    return text.find(b"\n", min(least, len(text)) - 1) + 1 or len(text)


def blanked(
    text: bytes,
    first_line: int,
    find_bad: FindBad,
    bad: BadLines,
    cut: Callable[[bytes, int, int], int] = end_of_line,
) -> bytes:
    """Return a text whose malformed records are empty lines, so that the others keep their line numbers.

    Parameters
    ----------
    text : bytes
        Whole records.
    first_line : int
        The number of its first line.
    find_bad : callable
        Finds the first malformed record.
    bad : BadLines
        Counts them.
    cut : callable, default=end_of_line
        Returns the end of a record, given the text, the beginning of a record and a position that should be reached.
    """
    parts: list[bytes] = []
    begin, size, line = 0, len(text), first_line
    while begin < len(text):
        piece = text[begin : cut(text, begin, begin + size)]
        wrong = find_bad(piece, line)
        if wrong is None:
            keep, drop, size = piece, b"", 2 * size
        else:
            bad.add(wrong.place, wrong.error)
            start = _line_start(piece, wrong.line)
            keep, drop = piece[:start], piece[start : _line_start(piece, wrong.line + wrong.lines)]
            size = FIRST_PIECE  # small pieces after a malformed line keep the cost of many of them linear
        parts += [keep, b"\n" * drop.count(b"\n")]
        begin += len(keep) + len(drop)
        line += keep.count(b"\n") + drop.count(b"\n")
    return b"".join(parts)


def _line_start(text: bytes, line: int) -> int:
    """Return where a line begins, counted from 0; the end of the text if it has fewer lines."""
    start = 0
    for _ in range(line):
        start = text.find(b"\n", start) + 1
        if start == 0:
            return len(text)
    return start
