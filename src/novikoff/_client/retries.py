"""When a request is sent again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

FIRST_WAIT = 0.1  # seconds before the first repetition; each further one waits up to twice as long
LONGEST_WAIT = 10.0
MAX_RETRY_AFTER = 120.0  # a server that asks for more patience is not waited for
RETRIED_STATUS = frozenset({429, 503})  # queue full; starting, or learning is stopped


@dataclass(frozen=True)
class Retries:
    """How often a request is repeated and how long the client waits before: exponential backoff with jitter.

    Parameters
    ----------
    limit : int
        The most repetitions of one request. With 0, examples to learn get no id of their own.
    draw : callable, default=random.random
        Returns a random number from 0 to 1. Clients that failed together must not come back together.
    """

    limit: int
    draw: Callable[[], float] = random.random

    def wait(self, failures: int, retry_after: float | None = None) -> float | None:
        """Return the seconds to wait after a number of failed attempts, or None to give up.

        Parameters
        ----------
        failures : int
            Failed attempts so far, at least 1.
        retry_after : float, default=None
            Seconds that the server asked for, which are added.
        """
        asked = retry_after or 0.0
        if failures > self.limit or asked > MAX_RETRY_AFTER:
            return None
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(failures - 1, 30))
        return asked + longest * (0.5 + 0.5 * self.draw())
