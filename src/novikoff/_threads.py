"""Running a function over a range of numbers on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def in_threads(count: int) -> Iterator[Callable[[Callable[[int], T], int], list[T]]]:
    """Map a function over the numbers below n, in order, on up to ``count`` threads."""

    def in_turn(function: Callable[[int], T], n: int) -> list[T]:
        return [function(i) for i in range(n)]

    if count == 1:
        yield in_turn
        return
    from concurrent.futures import ThreadPoolExecutor  # which imports logging

    with ThreadPoolExecutor(count) as pool:
        yield lambda function, n: list(pool.map(function, range(n)))
