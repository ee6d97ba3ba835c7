"""Progress messages of ``fit``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self

Say = Callable[[str, float | None], None]  # a message, and the fraction completed where it is known


class Watched:
    """A learner that tells how its ``fit`` is going: on standard error if ``verbose``, and to whoever watches."""

    verbose: int = 0
    _tell: Say | None = None

    def watch(self, tell: Say | None) -> Self:
        """Have a function told what happens during ``fit``; None ends it.

        Parameters
        ----------
        tell : takes a sentence, and the share of the way that is behind, from 0 to 1, or None where that is not known.
            It is called from the threads that solve.
        """
        self._tell = tell
        return self

    def _heard(self) -> Say | None:
        """Where to say things; None if nobody would hear them."""
        return self._say if self.verbose or self._tell is not None else None

    def _say(self, message: str, share: float | None = None) -> None:
        if self.verbose:
            print(f"[{type(self).__name__}] {message}", file=sys.stderr, flush=True)
        if self._tell is not None:
            self._tell(message, share)

    def __getstate__(self) -> Any:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_tell"}


def in_the_name_of(label: Any, say: Say | None) -> Say | None:
    """Say things of one class."""
    return None if say is None else lambda message, share: say(f"{label}: {message}", share)
