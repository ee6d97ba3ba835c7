"""A data set on an engine, and the rounds over its partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from novikoff._one_core import one_core
from novikoff.errors import NovikoffError

from .block import Block
from .protocol import Step, size_of, size_of_replies


@dataclass(frozen=True)
class Data:
    """A partitioned data set, as an engine gets it.

    Parameters
    ----------
    make : callable
        A function of a module that makes the block of a partition from its arguments, on a worker.
    parts : sequence of tuple
        The arguments of ``make``, one tuple per partition. They may be what the engine replaces by values on a worker,
        such as futures.
    is_kept : bool, default=True
        Whether workers keep the blocks in memory. If False, each round makes them anew, for data that are larger than
        the memory of the workers.
    feature_names : tuple of str, default=None
        The names of the columns, if they are known.
    reading : object, default=None
        How files became rows, for the model.
    """

    make: Callable[..., Block]
    parts: Sequence[tuple[Any, ...]]
    is_kept: bool = True
    feature_names: tuple[str, ...] | None = None
    reading: Any = None


class Rounds(ABC):
    """The partitions of a data set on an engine, each with its state, which is its number at first.

    Parameters
    ----------
    count : int
        The number of partitions.

    Attributes
    ----------
    rounds : int
        The number of rounds so far.
    bytes_sent : int
        The numbers, in bytes, that all commands and replies so far consist of: each command once per partition, and
        the reply of each partition.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.rounds = 0
        self.bytes_sent = 0

    def run(self, step: Step, command: Any = None) -> Any:
        """Apply a step to all partitions, keep their new states, and return the sum of their replies.

        If a step fails, the states remain as they were.

        Parameters
        ----------
        step : callable
            A function of a module, see `Step`.
        command : object, default=None
            What is asked of all partitions.
        """
        reply = self._map(step, command)
        self.rounds += 1
        self.bytes_sent += self.count * size_of(command) + size_of_replies(reply, self.count)
        return reply

    @abstractmethod
    def _map(self, step: Step, command: Any) -> Any:
        """Apply a step to all partitions, keep their new states, and return the tree sum of their replies."""

    @abstractmethod
    def states(self) -> list[Any]:
        """Return the states of all partitions, for a checkpoint."""

    @abstractmethod
    def restore(self, states: Sequence[Any]) -> None:
        """Replace the states of all partitions."""

    @abstractmethod
    def close(self) -> None:
        """Free everything that the engine holds for these rounds, and cancel what is still running."""

    def __enter__(self) -> Rounds:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            self.close()
        except Exception as failure:  # which follows from the first error, if there is one
            if error is None:
                raise
            error.add_note(f"Closing the rounds failed, too: {failure}")


def on_block(
    step: Step, make: Callable[..., Block], is_kept: bool, part: Any, state: Any, command: Any
) -> tuple[Any, Any]:
    """Apply a step to one partition, on a worker. To an error that is not about the rows, its name is added.

    BLAS has one thread, because its sums have other bits with more, and workers may have any number of cores.

    Parameters
    ----------
    step : callable
        The step.
    make : callable
        Makes a block, if it is not kept.
    is_kept : bool
        Whether ``part`` is the block; otherwise it is the tuple of arguments of ``make``.
    part : Block or tuple
        The partition.
    state, command : object
        As in `Step`.
    """
    block = part if is_kept else make(*part)
    try:
        with one_core:
            return step(block, state, command)
    except NovikoffError:
        raise
    except Exception as error:
        error.add_note(f"This happened in {block.name}.")
        raise
