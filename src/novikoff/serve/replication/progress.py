"""How far a follower is behind the server that it follows."""

from __future__ import annotations

import threading
import time
from typing import Any


class Progress:
    """What is known of the server that is followed. One thread writes it, any may read it.

    Parameters
    ----------
    address : str
        The server that is followed.
    is_copying : bool, default=False
        Whether the first copy of its log was not complete before.

    Attributes
    ----------
    has_caught_up : bool
        Whether all records of the other server were here at some time.
    """

    def __init__(self, address: str, is_copying: bool = False) -> None:
        self.address, self._is_copying = address, is_copying
        self.has_caught_up = False
        self._state, self._reason = "connecting", "No connection was made yet."
        self._leader_last: int | None = None
        self._heard_at: float | None = None
        self._equal_at: float | None = None
        self._has_heard = False  # since the last connection began
        self._lock = threading.Lock()

    def connect(self, leader_last: int, own_last: int) -> None:
        """Note a new connection, and what the other server says of its log."""
        with self._lock:
            self._state, self._reason, self._has_heard = "following", "", True
        self.hear(leader_last, own_last)

    def hear(self, leader_last: int | None, own_last: int) -> None:
        """Note a sign of life, with the number of the other server's last record if it is known."""
        with self._lock:
            self._heard_at = time.monotonic()
            if leader_last is not None:
                self._leader_last = leader_last
                if leader_last <= own_last:
                    self._equal_at, self.has_caught_up = self._heard_at, True

    def disconnect(self, reason: str) -> bool:
        """Note that the connection has ended, and return whether it had begun."""
        with self._lock:
            had_begun, self._has_heard = self._has_heard, False
            self._state, self._reason = "connecting", reason
        return had_begun

    def end(self, reason: str) -> None:
        """Note that following has ended."""
        with self._lock:
            self._state, self._reason = "stopped", reason

    def status(self, own_last: int) -> dict[str, Any]:
        """Return the state.

        ``lag_records`` are records that the other server had and this one has not, ``lag_seconds`` the time since both
        were known to have the same. Both are None before the first contact, the second until the first time that
        they had the same.
        """
        with self._lock:
            now = time.monotonic()
            behind = None if self._leader_last is None else max(0, self._leader_last - own_last)
            has_copy = own_last > 0 and not self._is_copying
            is_serving = self.has_caught_up or (self._state == "connecting" and has_copy)
            return {
                "leader": self.address,
                "state": self._state,
                "reason": self._reason or None,
                "ready": self._state != "stopped" and is_serving,
                "lag_records": behind,
                "lag_seconds": _seconds(now, self._equal_at),
                "last_contact_seconds": _seconds(now, self._heard_at),
                "leader_sequence": self._leader_last,
            }


def _seconds(now: float, then: float | None) -> float | None:
    return None if then is None else round(now - then, 3)
