"""What is asked of an engine: map one function over the partitions of a data set, and add the replies.

A step is a pure function of the rows of a partition, the state that the partition has from the step before, and a
command that is the same for all partitions. It returns the next state, which stays where the rows are, and a reply. The
replies of all partitions are added in a fixed tree order, so the sum has the same bits on any engine and for any number
of workers, given the same partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from .block import Block

# A step: a pure function that is applied to each partition. It must be a function of a module, so that it can be
# pickled. It takes the block, which has the rows; the state of the partition, at first its number among all partitions;
# and the command. It modifies none of them, because it may be repeated, and returns the next state and the reply.
Step = Callable[[Block, Any, Any], tuple[Any, Any]]


def added(first: Any, second: Any) -> Any:
    """Return the sum of two replies.

    Numbers, arrays and objects with ``__add__`` are added; tuples and dicts entry by entry; lists are joined, so that
    the rows that they may hold are in the order of the partitions. None is a sum of nothing.
    """
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, tuple):
        return tuple(added(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, dict):
        return {key: added(first.get(key), second.get(key)) for key in {**first, **second}}
    return first + second


def tree_sum(replies: Sequence[Any]) -> Any:
    """Return the sum of the replies, of which there is at least one, added pairwise: ((0 + 1) + (2 + 3)) + ..."""
    level = list(replies)
    while len(level) > 1:
        pairs = [added(level[k], level[k + 1]) for k in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def size_of(value: Any) -> int:
    """Return the number of bytes of the numbers in a command, a reply or a state: what has to be sent."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if sp.issparse(value):
        return int(value.data.nbytes + value.indices.nbytes + value.indptr.nbytes)
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(size_of, value))
    if hasattr(value, "__dict__"):
        return size_of(vars(value))
    return 8 if isinstance(value, int | float | np.number) else 0


def size_of_replies(total: Any, count: int) -> int:
    """Return the number of bytes of so many replies, given their sum.

    Lists have one part per reply already. An object that gathers what differs between replies has the attribute
    ``bytes_of_replies``; of other objects, each attribute is counted by itself.
    """
    if isinstance(total, list):
        return size_of(total)
    if hasattr(total, "bytes_of_replies"):
        return int(total.bytes_of_replies)
    if isinstance(total, tuple):
        return sum(size_of_replies(value, count) for value in total)
    if isinstance(total, dict):
        return sum(size_of_replies(value, count) for value in total.values())
    if hasattr(total, "__dict__") and not isinstance(total, np.ndarray) and not sp.issparse(total):
        return size_of_replies(vars(total), count)
    return count * size_of(total)
