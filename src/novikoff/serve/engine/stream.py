"""A stream of examples: each is predicted and then learned, in order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import novikoff._core as _core
from novikoff.errors import quote
from novikoff.serve.errors import ServeError

from .inbox import Job
from .requests import Piece, Totals

FORMATS = ("ndjson", "svmlight")


class Stream:
    """One stream. Its pieces must be fed by one thread at a time.

    Parameters
    ----------
    number : int
        Number of the model.
    tables : callable
        Returns the tables of names and labels of the model, which may have been loaded again.
    put : callable
        Gives a job to the writer.
    format : str
        One of ``FORMATS``.
    limits : ExampleLimits
        Limits of an example.
    has_answers : bool
        Whether each example is answered, or only all of them at the end.
    """

    def __init__(
        self,
        number: int,
        tables: Callable[[], tuple[_core.NameTable, _core.LabelTable]],
        put: Callable[[Job], None],
        format: str,
        limits: _core.ExampleLimits,
        has_answers: bool = True,
    ) -> None:
        if format not in FORMATS:
            raise ServeError(
                415, "unknown_format", f"The format must be one of {', '.join(FORMATS)}, not {quote(format)}."
            )
        self._number, self._tables, self._put, self._has_answers = number, tables, put, has_answers
        self._lines = _core.ExampleLines(format == "svmlight", limits)
        self._totals = Totals()
        self.pending = 0

    def feed(self, chunk: bytes, last: bool) -> Future[bytes]:
        """Take the next bytes. The future has the lines that answer the examples that they complete.

        Parameters
        ----------
        chunk : bytes
            The next bytes of the stream, cut anywhere.
        last : bool
            Whether the stream ends here; the last line of the answer is then the summary.
        """
        names, labels = self._tables()
        read = self._lines.feed(chunk, names, labels, last)
        piece = Piece(read, names, self._has_answers, self._totals, last)
        job = Job(self._number, max(1, len(read)), piece)
        self.pending += 1
        job.answer.add_done_callback(self._answered)
        self._put(job)
        return job.answer

    def _answered(self, answer: Future[bytes]) -> None:
        self.pending -= 1
