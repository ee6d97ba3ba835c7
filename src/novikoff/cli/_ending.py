"""How the command ends: every failure is one sentence and a documented exit code.

Exit code 1 is a negative verdict and nothing else. Python and its libraries use it for any failure, so that no
exception may leave the process by itself.
"""

from __future__ import annotations

import atexit
import errno
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import _exit as exit_at_once
from types import FrameType
from typing import Any, NoReturn

from novikoff._printable import printable

from ._streams import OutputError

NEGATIVE_VERDICT, INVALID_INPUT, INTERNAL_ERROR, INTERRUPTED = 1, 2, 70, 130
MIN_ADDRESS_SPACE = 384 << 20  # bytes, below which libraries that are loaded later end the process by themselves
LIMITS = ("RLIMIT_AS", "RLIMIT_DATA")
OUT_OF_MEMORY = (  # what libraries say in errors of other kinds
    "cannot allocate memory",
    "failed to map segment",
    "can't start new thread",
    "cannot start thread",
    "resource temporarily unavailable",
    "bad_alloc",
)


def print_message(message: str) -> None:
    """Print a message for a person on standard error, as one line."""
    _print_error(printable(message))


def _print_error(text: str) -> None:
    with suppress(OSError):  # there is nowhere to say so
        print(text, file=sys.stderr, flush=True)


def end(message: str, code: int) -> NoReturn:
    """Print a sentence, and end the process with an exit code."""
    print_message(f"novikoff: {message}")
    raise SystemExit(code) from None


def end_with(error: BaseException, name: str = "") -> NoReturn:
    """End the process as an error that is not one of novikoff's own asks for.

    Parameters
    ----------
    error : BaseException
        What happened.
    name : str, default=""
        The subcommand.
    """
    if isinstance(error, KeyboardInterrupt):
        end("interrupted", INTERRUPTED)
    if isinstance(error, OutputError):
        if error.errno == errno.EPIPE:
            _end_as_pipes_do()
        end(str(error), INVALID_INPUT)
    if isinstance(error, UnicodeEncodeError):
        text = ascii(error.object[error.start : error.end])
        end(f"Standard output cannot encode {text}. Use PYTHONIOENCODING=utf-8.", INVALID_INPUT)
    if is_out_of_memory(error):
        remedy = " Use 'novikoff stream', which needs a constant amount." if name == "fit" else ""
        end(f"Out of memory.{remedy}", INVALID_INPUT)
    if isinstance(error, RecursionError):
        end("The input is nested too deeply.", INVALID_INPUT)
    if isinstance(error, OSError):
        place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        end(f"{place}Cannot read or write: {error.strerror or error}.", INVALID_INPUT)
    _print_error(printable("".join(traceback.format_exception(error)), keep="\n").rstrip("\n"))
    end("internal error; please report it", INTERNAL_ERROR)


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that it came from, says that there is no more memory, or none for another thread."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        words = f"{type(error).__name__} {error}".lower()
        if isinstance(error, ImportError | OSError | RuntimeError) and any(part in words for part in OUT_OF_MEMORY):
            return True
        if type(error).__name__ == "OutOfMemoryException":  # of DuckDB, which need not be imported
            return True
        is_unclear = "partially initialized module" in words or isinstance(error, SystemError)
        if is_unclear and _finite_limits():  # an import that got no memory
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def _end_as_pipes_do() -> NoReturn:
    """End without a message if the reader of our output has closed it, as other programs do: by the signal SIGPIPE."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    raise SystemExit(INVALID_INPUT)


@contextmanager
def protected() -> Iterator[None]:
    """Make the process end as documented, whatever is raised in the block."""
    try:
        yield
        sys.stdout.flush()
    except SystemExit:
        try:
            sys.stdout.flush()
        except OutputError as error:
            end_with(error)
        raise
    except BaseException as error:
        end_with(error)


@contextmanager
def interruptible_at_once() -> Iterator[None]:
    """Make Ctrl-C end the process at once during the block: imports may catch a KeyboardInterrupt, or print it."""

    def leave(number: int, frame: FrameType | None) -> None:
        with suppress(OSError):  # standard error may be closed or full
            os.write(2, b"novikoff: interrupted\n")
        exit_at_once(INTERRUPTED)

    before: Any = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:  # in the background of a script
        yield
        return
    signal.signal(signal.SIGINT, leave)
    yield
    signal.signal(signal.SIGINT, before)


def release_interrupts() -> None:
    """Let Ctrl-C end the process by the signal itself, while Python ends and nobody would catch an exception."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def replace_exit_code() -> None:
    """Make the process end with ``INVALID_INPUT`` if a library ends it: OpenBLAS calls exit(1) if it gets no memory."""
    from novikoff import _core

    _core.replace_exit_code(INVALID_INPUT)
    atexit.register(_core.replace_exit_code, 0)  # Python ends the process itself


def _finite_limits() -> list[int]:
    """Return the limits on memory, in bytes, that are not infinite."""
    if sys.platform == "win32":
        return []
    import resource

    limits = [resource.getrlimit(getattr(resource, name))[0] for name in LIMITS if hasattr(resource, name)]
    return [limit for limit in limits if limit != resource.RLIM_INFINITY]


def check_memory_limit() -> None:
    """Refuse a limit on memory under which libraries would hang or end the process while they are imported.

    OpenBLAS reserves memory for each of its threads, and ends the process with exit code 1 if it gets none, so that it
    is told to use one thread under any limit.
    """
    finite = _finite_limits()
    if not finite:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if min(finite) < MIN_ADDRESS_SPACE:
        wanted = f"{MIN_ADDRESS_SPACE >> 20} MB are needed"
        end(f"Out of memory: the limit is {min(finite) >> 20} MB (ulimit), and at least {wanted}.", INVALID_INPUT)
