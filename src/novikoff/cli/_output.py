"""What verbs print and how they end: results on standard output, all else on standard error, exit codes."""

from __future__ import annotations

import functools
import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from novikoff._atomic import check_place
from novikoff._json import plain
from novikoff._progress import Say
from novikoff.errors import NovikoffError, invalid

NEGATIVE, BAD, FAULT, INTERRUPTED = 1, 2, 70, 130


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Let a verb end as all verbs do: an error is one sentence, and no traceback."""

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> None:
        warnings.showwarning = _warn  # type: ignore[assignment]  # the message is all that is shown
        try:
            function(*arguments, **options)
            sys.stdout.flush()
        except NovikoffError as error:
            _fail(str(error), BAD)
        except KeyboardInterrupt:
            _fail("interrupted", INTERRUPTED)
        except UnicodeEncodeError as error:
            _drop_output()
            got = ascii(error.object[error.start : error.end])
            _fail(f"[{function.__name__}] An output that takes all characters, such as UTF-8. Got {got}.", BAD)
        except OSError as error:
            _drop_output()
            _fail(f"[{function.__name__}] An output that can be written. Got {error.strerror or error}.", BAD)
        except MemoryError:
            _fail(f"[{function.__name__}] Enough memory. Got too little of it.", BAD)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception:  # it must not look like a negative verdict
            traceback.print_exc()
            _fail("This is a fault of novikoff, not of yours.", FAULT)

    run.__annotations__ = function.__annotations__
    return run


def _warn(message: Any, *_: Any) -> None:
    say(f"warning: {message}")


def _fail(sentence: str, code: int) -> None:
    say(f"novikoff: {sentence}")
    raise typer.Exit(code) from None


def _drop_output() -> None:
    """Forget what standard output could not take, so that Python does not try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_output(where: str, output: str | None, *inputs: str | None) -> None:
    """Refuse an output that cannot be written, or that would replace an input, before any work is done."""
    if output is None:
        return
    check_place(where, output)
    for source in inputs:
        if (
            source is not None
            and os.path.isfile(output)
            and os.path.isfile(source)
            and os.path.samefile(output, source)
        ):
            raise invalid(where, "An output that does not replace what is read.", output)


def say(message: str) -> None:
    """Print a message for a person."""
    print(message, file=sys.stderr, flush=True)


def percent(share: float) -> str:
    """A share in percent, never rounded to all or to nothing."""
    rounded = f"{share:.2%}"
    if share < 1 and rounded == "100.00%":
        return "99.99%"
    return "0.01%" if share > 0 and rounded == "0.00%" else rounded


def show(result: dict[str, Any], as_json: bool, lines: list[tuple[str, str]]) -> None:
    """Print a result: as one JSON object, or as lines of name and value."""
    if as_json:
        print(json.dumps(plain(result), allow_nan=False))
        return
    width = max((len(name) for name, _ in lines), default=0)
    for name, value in lines:
        first, *rest = value.split("\n")
        print(f"{name:<{width}}  {first}".rstrip())
        for line in rest:
            print(f"{'':<{width}}  {line}".rstrip())


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Say]:
    """A bar on a terminal, which shows what is said and how much of the way is behind; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda message, share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(title), BarColumn(20), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def tell(message: str, share: float | None) -> None:
            bar.update(task, description=message.replace("[", r"\["), total=None if share is None else 1.0)
            if share is not None:
                bar.update(task, completed=share)

        yield tell
