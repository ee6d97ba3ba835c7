"""Targets with planted faults, by which the harness itself is tested. They misbehave on one of the mutants."""

import os
import signal
import time

import numpy as np

from novikoff.errors import InvalidInputError

from .command_line import COMMAND_LINE
from .mutators import mutate_bytes
from .targets import CORPUS, TARGETS, Target

calls = 0
LEAKED: list[bytes] = []
HUNDRED_MB = 100 << 20


def _is_bad(data: bytes) -> bool:
    """Whether this is the twelfth input of the process, those of the corpus included."""
    global calls
    calls += 1
    return calls == 12


def crash(data: bytes) -> None:
    if _is_bad(data):
        os.kill(os.getpid(), signal.SIGSEGV)


def hang(data: bytes) -> None:
    bad = _is_bad(data)
    while bad:
        pass


def sleep(data: bytes) -> None:
    bad = _is_bad(data)
    while bad:
        time.sleep(1)


def memory(data: bytes) -> None:
    if _is_bad(data):
        bytes(5 * HUNDRED_MB)


def untouched(data: bytes) -> None:
    """Memory that is asked for but not used counts too."""
    if _is_bad(data):
        np.zeros(20 * HUNDRED_MB)


def leak(data: bytes) -> None:
    LEAKED.append(os.urandom(1 << 20))


def traceback(data: bytes) -> None:
    if _is_bad(data):
        {}["key"]


def message(data: bytes) -> None:
    if _is_bad(data):
        raise InvalidInputError("file: the first line.\nAnd a second one.")


def fine(data: bytes) -> None:
    if len(data) % 2:
        raise InvalidInputError("file: the number of bytes must be even.")


FAULTS = {run.__name__: run for run in (crash, hang, sleep, memory, untouched, leak, traceback, message, fine)}
PLANTED = {f"planted-{name}": Target(run, mutate_bytes, (CORPUS / "liblinear",), 300) for name, run in FAULTS.items()}
ALL_TARGETS = {**TARGETS, "command-line": COMMAND_LINE, **PLANTED}
