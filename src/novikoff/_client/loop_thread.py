"""An event loop in a thread of its own, for streams of the synchronous client."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Coroutine
from typing import Any


class LoopThread:
    """Runs coroutines for other threads. The thread starts with the first one.

    The caller may itself run in an event loop, as in a notebook, and then cannot start another one in its thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def call(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine and return its result."""
        if sys.is_finalizing():  # the thread does not run any more
            coroutine.close()
            return None
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result()
        except BaseException:  # an interrupt, perhaps
            future.cancel()
            raise

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="novikoff-streams", daemon=True)
                self._thread.start()
            return self._loop

    def close(self) -> None:
        """End what runs, and the thread. A later call starts another one."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run_coroutine_threadsafe(_cancel_others(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
