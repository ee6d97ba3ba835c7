"""The file of tokens: one line per token with its role and a hash, never the token itself.

A token has 256 random bits. A fast hash is enough for that: nobody can try 2^256 tokens, however fast each trial is.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
import time
from hashlib import blake2b
from typing import NamedTuple

from novikoff._handles import NOT_INHERITED, read_at
from novikoff.errors import NovikoffError, file_error, input_error, quote

from .roles import Role, role_of

TOKEN_BYTES = 32
TOKEN_PREFIX = "nvk_"  # by which scanners of repositories can find tokens that were published by mistake
MAX_TOKEN_LENGTH = 200
REREAD_SECONDS = 1.0  # how often a change of the file is looked for
LINE = re.compile(r"(\S+) blake2b:([0-9a-f]{64})(?: .*)?")
HEADING = "# Tokens of novikoff serve: role and hash. Remove a line to withdraw its token.\n"


class Entry(NamedTuple):
    """A line of the file."""

    digest: bytes
    role: Role


def token_digest(token: str) -> bytes:
    """Return the hash that the file stores."""
    return blake2b(token.encode("utf-8", "surrogateescape"), digest_size=32, person=b"novikoff token").digest()


def add_token(file: str, role: Role) -> str:
    """Make a token, append its hash to the file, which is created for its owner alone, and return the token."""
    token = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    line = f"{role.word} blake2b:{token_digest(token).hex()} {time.strftime('made %Y-%m-%d', time.gmtime())}\n"
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | NOT_INHERITED, 0o600)
        with os.fdopen(handle, "r+b", buffering=0) as opened:
            size = os.fstat(handle).st_size
            before = HEADING if size == 0 else "" if read_at(handle, 1, size - 1) == b"\n" else "\n"
            opened.write((before + line).encode())
            os.fsync(handle)
    except OSError as error:
        raise file_error(file, error, "written") from None
    return token


def read_tokens(file: str) -> list[Entry]:
    """Return the entries of a file.

    Raises
    ------
    InvalidInputError
        The file cannot be read, has an invalid line, or other users may write to it.
    """
    try:
        with open(file, encoding="utf-8") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            lines = opened.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise file_error(file, error) from None
    if os.name == "posix" and stat.S_IMODE(mode) & 0o022:
        raise input_error(file, "other users may write to the tokens file. Use: chmod 600 FILE.")
    entries = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise input_error(f"{file}, line {number}", f"a role and a hash are needed, not {quote(line)}.")
        entries.append(Entry(bytes.fromhex(match[2]), role_of(match[1], f"{file}, line {number}")))
    return entries


class Tokens:
    """The tokens of a server. A changed file is read again within a second, so that tokens can be withdrawn.

    Parameters
    ----------
    file : str
        The tokens file.

    Raises
    ------
    InvalidInputError
        The file cannot be read, or has no token.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._stamp = self._current_stamp()
        self._entries = read_tokens(file)
        self._next_look = time.monotonic() + REREAD_SECONDS
        if not self._entries:
            raise input_error(file, "the file has no token. Add one with --new-token admin.")

    def role(self, token: str) -> Role:
        """Return the role of a token, in a time that does not depend on which entries are similar to it."""
        if time.monotonic() >= self._next_look:
            self._look()
        if len(token) > MAX_TOKEN_LENGTH:
            return Role.NOBODY
        digest = token_digest(token)
        role = Role.NOBODY
        for entry in self._entries:
            if hmac.compare_digest(entry.digest, digest):
                role = max(role, entry.role)
        return role

    def _look(self) -> None:
        """Read the file again if it has changed. While it cannot be read, no token is valid."""
        self._next_look = time.monotonic() + REREAD_SECONDS
        stamp = self._current_stamp()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._entries = read_tokens(self._file)
            except NovikoffError:
                self._entries = []

    def _current_stamp(self) -> tuple[int, ...] | None:
        try:
            found = os.stat(self._file)
        except (OSError, ValueError):
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode
