"""Files in a state directory that say whether its server follows another one, also after a restart."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from novikoff._atomic import replacing
from novikoff.serve.errors import ServeError

FOLLOWS = "follows"  # the address of the server that is followed; other programs must not change the log of a follower
PROMOTED = "promoted"  # the address of the server that was followed before a promotion
COPYING = "copying"  # the first copy of the other server's log is not complete
log = logging.getLogger("novikoff.serve")


class Marks:
    """Files in a state directory that say whether its server follows another one.

    Parameters
    ----------
    directory : Path
        The state directory.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def start(self, address: str | None, is_empty: bool) -> bool:
        """Note the server that is to be followed, if any, and return whether it is followed.

        It is not if this server has followed it before, and was promoted since: its settings may be those of before the
        promotion.

        Parameters
        ----------
        address : str or None
            The address in the settings.
        is_empty : bool
            Whether the log is empty.
        """
        if address is not None and self._read(PROMOTED) == address:
            promoted = self._directory / PROMOTED
            log.warning(
                "This server does not follow %s but learns, because it was promoted. Leave out --follow. If it is to "
                "follow that server again, remove the file %s first.",
                address,
                promoted,
            )
            return False
        with suppress(OSError):  # on a full disk the server starts nevertheless
            self._remove(PROMOTED)
            if address is None:
                self._remove(FOLLOWS, COPYING)
            else:
                if is_empty:
                    self._write(COPYING, address)
                self._write(FOLLOWS, address)
        return address is not None

    def promote(self, address: str) -> None:
        """Note that the server learns from now on, instead of following another one.

        Raises
        ------
        ServeError
            503 if that cannot be stored: after a restart the server would follow the other one again.
        """
        try:
            self._write(PROMOTED, address)
        except OSError as error:
            message = f"The promotion cannot be stored. {error}"
            raise ServeError(503, "not_promoted", message, retry_after=5) from None
        with suppress(OSError):
            self._remove(FOLLOWS, COPYING)

    @property
    def is_copying(self) -> bool:
        """Whether the first copy of the other server's log is not complete."""
        return (self._directory / COPYING).exists()

    def end_copy(self) -> None:
        """Note that the copy is complete."""
        with suppress(OSError):
            self._remove(COPYING)

    def _read(self, name: str) -> str | None:
        try:
            return (self._directory / name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None

    def _write(self, name: str, address: str) -> None:
        if self._read(name) != address:
            with replacing(self._directory / name) as file:
                file.write(f"{address}\n".encode())

    def _remove(self, *names: str) -> None:
        for name in names:
            (self._directory / name).unlink(missing_ok=True)
