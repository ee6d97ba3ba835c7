"""How a stream begins: with a new model, with a model and new rows, or where an earlier run has stopped."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from novikoff._counts import counted
from novikoff._learner_names import ONLINE
from novikoff.data.encoding.running import POLICIES, SCALES
from novikoff.data.late_rows import LateRows
from novikoff.data.position import Position, SourceFiles
from novikoff.data.reading import Reading
from novikoff.data.source import ROTATE
from novikoff.data.stream import Scan
from novikoff.errors import InvalidInputError, NovikoffError, input_error, quote
from novikoff.persistence import model_file

from ._learner_options import LearnerOptions, build, is_given
from ._model import reading_of
from ._options import READING, SCALES_OF_LEARNERS, SCALING, opening_from, reading_from
from ._output import flag
from ._stream_save import check_same_options, load_resumed, option_texts, resumed_from

OPTIONS = LearnerOptions(ONLINE, "tracker", (*READING, *SCALING))
NOT_IN_STREAMS = ("no_indicator", "max_categories", "keep", "idf")  # options that need all rows


@dataclass
class Source:
    """What is read, and how.

    Parameters
    ----------
    data : str
        DATA of the command line.
    format : str or None
        Its format.
    attach : list of str or None
        Databases.
    follow : bool
        Whether to wait for more rows at its end.
    on_bad : str
        What a malformed line means: stop or skip.
    """

    data: str
    format: str | None
    attach: list[str] | None
    follow: bool
    on_bad: str

    def opening(self) -> dict[str, Any]:
        """Return the arguments of ``scan`` that say what DATA is."""
        opening = opening_from(self.format, self.attach, self.on_bad, self.data)
        return {"follow": ROTATE if self.follow else False, **opening}

    def given(self) -> dict[str, Any]:
        """Return those of the options that are not at their defaults and change the rows."""
        found = {"format": self.format, "on_bad": None if self.on_bad == "stop" else self.on_bad}
        return {name: value for name, value in found.items() if value is not None}


@dataclass
class Beginning:
    """What a stream begins with.

    Parameters
    ----------
    source : Source
        What is read.
    model : learner
        The online learner.
    reading : Reading
        How DATA becomes rows.
    scan : Scan
        DATA, opened.
    files : SourceFiles
        The files of DATA.
    options : dict of str to str
        The options that the stream of the model began with.
    is_continued : bool
        Whether the model has learned before.
    skipped : int, default=0
        Number of rows of DATA that it has learned before, and does not learn again.
    warning : str or None, default=None
        What the user should know about these rows.
    path : str or None, default=None
        The model file that is resumed.
    delay : int, default=0
        Number of further rows that are predicted before a label is learned.
    unlearned : LateRows or None, default=None
        The rows that an earlier run has predicted, and not learned.
    """

    source: Source
    model: Any
    reading: Reading
    scan: Scan
    files: SourceFiles
    options: dict[str, str]
    is_continued: bool
    skipped: int = 0
    warning: str | None = None
    path: str | None = None
    delay: int = 0
    unlearned: LateRows | None = None


def begin(
    source: Source,
    input: str | None,
    output: str | None,
    resume: bool,
    learner: str | None,
    options: dict[str, Any],
    delay: int,
) -> Beginning:
    """Return what a stream begins with."""
    given = option_texts(_all_given(options, learner) | source.given() | ({"delay": delay} if delay else {}))
    path = resumed_from(input, output) if resume else input
    files = SourceFiles(source.data)
    try:
        if path is None:
            begun = _new(source, files, given, learner, options, delay)
            begun.warning = _replaced(output, source, files)
            return begun
        if resume:
            return _resumed(path, source, files, given)
        return _continued(path, source, files, given, _all_given(options, learner), delay)
    except BaseException:
        files.close()
        raise


def new_learner(name: str | None, options: dict[str, Any]) -> Any:
    """Return the learner of a new stream; without a name, the default one."""
    return build(name or OPTIONS.default, ONLINE, options)


def _replaced(output: str | None, source: Source, files: SourceFiles) -> str | None:
    """Return what to say if a new stream replaces the model of an earlier one over the same files."""
    if output is None or not os.path.isfile(output):
        return None
    try:
        _, position = model_file.load_position(output)
    except NovikoffError:  # another file, or a damaged one, which is replaced without a message, as before
        return None
    if position is None or not _is_known(files, position, output):
        return None
    rows = f"the first {counted(position.rows, 'row')} of {source.data}"
    return f"{output} has learned {rows} before, and is replaced by a new model. Use --resume to continue after them"


def _continued(
    path: str,
    source: Source,
    files: SourceFiles,
    given: dict[str, str],
    own: dict[str, Any],
    delay: int,
) -> Beginning:
    """Continue from a model with new rows; it knows its parameters and how its data became rows."""
    if wrong := sorted(own):
        message = f"{flag(wrong[0])} cannot be combined with -i: the model keeps the options it began with."
        raise input_error("stream", message)
    stored = model_file.load_stream(path)
    model, position = stored.model, stored.position
    reading = _online_reading(path, model)
    warning = None
    if position is not None and _is_known(files, position, path):
        rows = f"the first {counted(position.rows, 'row')} of {source.data}"
        warning = f"{path} has learned {rows} before, and learns them again. Use --resume to continue after them"
    if stored.unlearned is not None:
        lost = f"{path} was to learn the labels of {counted(len(stored.unlearned), 'row')} that are not learned now"
        warning = f"{lost}. Use --resume to continue after them" if warning is None else warning
    known = {} if position is None else {name: text for name, text in position.options.items() if name != "delay"}
    scan = reading.scan(source.data, **source.opening())
    return Beginning(
        source, model, reading, scan, files, known | given, is_continued=True, warning=warning, delay=delay
    )


def _new(
    source: Source,
    files: SourceFiles,
    given: dict[str, str],
    learner: str | None,
    options: dict[str, Any],
    delay: int,
) -> Beginning:
    settings = _reading_given(options)
    reading, encoder = reading_from(options, source.data, source.format)
    model = new_learner(learner, options)
    opening = source.opening()
    if encoder is None:
        scan = reading.scan(source.data, **opening)
    else:
        scan = _begun_table(reading, source.data, encoder, settings, opening)
    return Beginning(source, model, reading, scan, files, given, is_continued=False, delay=delay)


def _resumed(path: str, source: Source, files: SourceFiles, given: dict[str, str]) -> Beginning:
    stored, position = load_resumed(path)
    model = stored.model
    reading = _online_reading(path, model)
    check_same_options(path, given, position.options)
    source.format = json.loads(position.options.get("format", "null"))
    source.on_bad = json.loads(position.options.get("on_bad", '"stop"'))
    files.check(position, path)
    scan = reading.scan(source.data, **source.opening())
    begun = Beginning(source, model, reading, scan, files, position.options, is_continued=True)
    begun.skipped, begun.path = position.rows, path
    begun.delay, begun.unlearned = json.loads(position.options.get("delay", "0")), stored.unlearned
    return begun


def _is_known(files: SourceFiles, position: Position, path: str) -> bool:
    """Return whether files are those of a position."""
    try:
        files.check(position, path)
    except InvalidInputError:
        return False
    return bool(position.files) and position.rows > 0


def _online_reading(path: str, model: Any) -> Reading:
    reading = reading_of(path, model, allow_unlearned=True)
    if not hasattr(model, "learn_one"):
        raise input_error(path, f"{type(model).__name__} is not an online learner; a stream cannot continue from it.")
    return reading


def _reading_given(options: dict[str, Any]) -> list[str]:
    """Return the names of the options of how to read DATA that are not at their defaults."""
    known = (*READING, *SCALING)
    return [option.name for option in known if options.get(option.name, option.default) not in (option.default, [])]


def _all_given(options: dict[str, Any], learner: str | None) -> dict[str, Any]:
    """Return the options of reading and of learners that were on the command line."""
    reading = _reading_given(options)
    known = {option.name for option in (*READING, *SCALING)}
    others = {name: value for name, value in options.items() if name not in known and is_given(value)}
    named = {} if learner is None else {"learner": learner}
    return {name: options[name] for name in reading} | others | named


def _begun_table(reading: Reading, data: str, encoder: Any, given: list[str], opening: dict[str, Any]) -> Scan:
    """Open a table, whose numbers are standardised and whose columns grow with its rows."""
    if wrong := [name for name in given if name in NOT_IN_STREAMS]:
        message = f"{flag(wrong[0])} is not available in a stream, whose rows are encoded as they come."
        raise input_error("stream", f"{message} Use 'novikoff fit'.")
    others = SCALES_OF_LEARNERS  # which the encoder does not see
    for name, value, known, more in (
        ("scale", encoder.scale, SCALES, others),
        ("missing", encoder.missing, POLICIES, ()),
    ):
        if value not in known:
            raise input_error(flag(name), f"a stream knows {', '.join((*known, *more))}, but not {quote(value)}.")
    return reading.begin(data, scale=encoder.scale, missing=encoder.missing, words=encoder.word_settings(), **opening)
