"""What subcommands print, and how they end: results on standard output, messages on standard error, exit codes."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from novikoff._atomic import check_place
from novikoff._json import plain
from novikoff._printable import printable
from novikoff._progress import ProgressCallback
from novikoff.errors import MalformedLineError, NovikoffError, input_error

from ._ending import INVALID_INPUT, end, end_with
from ._ending import print_message as print_message

DEFAULT_WIDTH = 80  # where there is no terminal
FLAGS_OF_FALSE = {"header": "--no-header", "day_first": "--month-first"}  # where both True and False have a flag
RENAMED = {
    "n_bits": "hash_bits",
    "ngram_range": "ngrams",
    "fraction": "holdout",
}  # parameters of the library that options name otherwise
BARE = r"=(?=[\s,.;:)]|$)"  # after the name of a parameter, without a value
FIT_REMEDIES = ("max_iter", "max_time", "tol", "C")  # parameters that warnings about a model advise to change

Text = str | Sequence[str]  # one line, or several
Line = tuple[str, Text | Callable[[int], Text]]
"""A name, and its value, or a function that makes it with lines of this width or less."""


def subcommand(function: Callable[..., None]) -> Callable[..., None]:
    """Make a subcommand end as all do: an error is one or two sentences without a traceback, and an exit code."""

    @functools.wraps(function)
    def run(*arguments: Any, **values: Any) -> None:
        warnings.showwarning = _show_warning  # type: ignore[assignment]  # without file and line of the library
        try:
            function(*arguments, **values)
            sys.stdout.flush()
        except NovikoffError as error:
            options = _options(function)
            skips = isinstance(error, MalformedLineError) and "on_bad" in options
            message = f"{error} Use --on-bad skip to leave out malformed lines." if skips else str(error)
            end(as_options(message, options), INVALID_INPUT)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except (Exception, KeyboardInterrupt) as error:
            end_with(error, function.__name__)

    run.__annotations__ = function.__annotations__
    return run


def as_options(message: str, options: Iterable[str]) -> str:
    """Write the parameters in an error message as the options of a subcommand.

    Parameters
    ----------
    message : str
        A message of the library: ``t.csv, line 7: column 'age' has no value. Use missing="zero".``
    options : iterable of str
        Names of the parameters that the subcommand has.

    Returns
    -------
    str
        ``t.csv, line 7: column 'age' has no value. Use --missing zero.``
    """
    known = {name.removeprefix("no_"): name for name in options}
    known |= {name: option for name, option in RENAMED.items() if option in known}

    def assigned(match: re.Match[str]) -> str:
        name, value = known[match[1]], match[2].strip("\"'")
        if value == ("False" if name.startswith("no_") else "True"):
            return flag(name)
        if value == "False" and name in FLAGS_OF_FALSE:
            return FLAGS_OF_FALSE[name]
        return (
            match[0]
            if value in ("True", "False")
            else f"{flag(name)} {match[2] if ' ' in value else value or match[2]}"
        )

    names = "|".join(sorted(known, key=len, reverse=True))
    message = re.sub(rf"\b({names})=(\"[^\"]*\"|'[^']*'|[\w.+-]*\w)", assigned, message)
    message = re.sub(rf"\b({names}){BARE}", lambda match: flag(known[match[1]]), message)
    message = re.sub(r"which \w+= names", "which the model needs", message)  # not an option: the model has the name
    return re.sub(rf"^([\w.]+): ({names}) must\b", lambda match: f"{match[1]}: {flag(known[match[2]])} must", message)


def as_fit_options(sentences: Iterable[str]) -> list[str]:
    """Write the parameters that warnings advise to change as the options of ``novikoff fit``.

    Only names without a value are changed, since warnings quote columns, which may be called ``C=1``.
    """
    names = "|".join(FIT_REMEDIES)
    return [re.sub(rf"\b({names}){BARE}", lambda match: flag(match[1]), sentence) for sentence in sentences]


def _options(function: Callable[..., None]) -> list[str]:
    """Return the names of the options of a subcommand, which are its parameters that are not arguments."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    infos = {p.name: getattr(p.annotation, "__metadata__", ()) for p in parameters}
    names = [name for name, info in infos.items() if not any(isinstance(i, typer.models.ArgumentInfo) for i in info)]
    return names + [option.name for option in getattr(function, "other_options", tuple)()]


def flag(name: str) -> str:
    """Return the option of a parameter: ``--max-iter`` for ``max_iter``."""
    return "--" + name.replace("_", "-")


def _show_warning(message: Any, *_: Any) -> None:
    print_message(f"warning: {message}")


def check_output(where: str, output: str | None, *inputs: str | None, attach: Iterable[str] | None = None) -> None:
    """Refuse an output that cannot be written, or that would replace an input, before any work is done."""
    if output is None:
        return
    check_place(output)
    if not os.path.isfile(output):
        return
    from novikoff.data.inputs import reads_file

    databases = [pair.partition("=")[2] for pair in attach or ()]
    if any(source is not None and reads_file(where, output, source, databases) for source in inputs):
        raise input_error(where, f"the output {output} would replace an input. Write to another file.")


def print_lines(*lines: str) -> None:
    """Print lines for a person on standard output: control characters, and what it cannot encode, as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(printable(line).encode(encoding, "backslashreplace").decode(encoding))


def print_exactly(text: str) -> None:
    """Write lines to standard output as they are, for other programs; on a terminal control characters are escaped."""
    sys.stdout.write(printable(text, keep="\n\t") if sys.stdout.isatty() else text)


def print_result(result: dict[str, Any], as_json: bool, lines: Sequence[Line]) -> None:
    """Print a result: as one JSON object, or as lines of name and value.

    Sentences are wrapped on a terminal only, so that in a file or pipe each stays on its line.
    """
    if as_json:
        print(json.dumps(plain(result), allow_nan=False).replace("\x7f", r"\u007f"))  # the rest is escaped by JSON
        return
    width = max((len(printable(name)) for name, _ in lines), default=0)
    room = max(40, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns - width - 2)
    for name, value in lines:
        shown = value(room) if callable(value) else value
        texts = [shown] if isinstance(shown, str) else list(shown)
        if sys.stdout.isatty() and len(texts) == 1:
            texts = textwrap.wrap(printable(texts[0]), room, break_long_words=False, break_on_hyphens=False) or [""]
        title = f"{printable(name):<{width}}"
        is_bold = name == "warning" and sys.stdout.isatty() and "NO_COLOR" not in os.environ
        for place, text in enumerate(texts):
            begin = title if place == 0 else " " * width
            line = f"{begin}  {text}".rstrip()
            if is_bold and place == 0:
                print(typer.style(begin, fg="yellow", bold=True), end="")
                line = line.removeprefix(begin)
            print_lines(line)


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[ProgressCallback]:
    """Show a progress bar on a terminal; yield a function that takes a message and the fraction completed."""
    if quiet or not sys.stderr.isatty():
        yield lambda message, fraction: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    message = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1))
    columns = (SpinnerColumn(), TextColumn(escape(title)), BarColumn(20), TimeElapsedColumn(), message)
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as bar:
        task = bar.add_task("", total=None)

        def update(message: str, fraction: float | None) -> None:
            shown = escape(printable(message))
            if fraction is None:
                bar.update(task, description=shown)
            else:
                bar.update(task, description=shown, total=1.0, completed=fraction)

        yield update
