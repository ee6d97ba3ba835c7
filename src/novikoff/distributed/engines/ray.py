"""Ray: tasks on object references. The blocks and the states stay in the object store of their node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from novikoff.errors import input_error

from ..protocol import Step, tree_sum
from ..rounds import Data, Rounds, on_block
from .local import LocalEngine
from .packages import package
from .tables import check_columns, feature_names, table_block, unwrapped

ADDRESS = re.compile(r"ray(://.+:[0-9]+)?")
SUBTREE = 8  # replies that one task adds: a power of 2, so that all replies are added in the order of `tree_sum`


class RayEngine:
    """The Ray cluster that this process is connected to."""

    name = "ray"

    @classmethod
    def of(cls, where: str, on: Any) -> RayEngine | None:
        match = ADDRESS.fullmatch(on) if isinstance(on, str) else None
        if on is not None and match is None:
            return None
        ray = _ray(where)
        if not ray.is_initialized():
            address = on if match is not None and match[1] else None
            try:
                ray.init(address, include_dashboard=None if address else False, log_to_driver=False)
            except ConnectionError as error:
                raise input_error(where, f"no Ray cluster answers at {address}: {error}.") from None
            except ValueError as error:  # the client of Ray is not installed, or the address is malformed
                raise input_error(where, f"Ray cannot connect to {address}: {error}") from None
        return cls()

    def data(self, where: str, X: Any, y: Any, sample_weight: Any) -> Data:
        """Return the blocks of a Ray Dataset in their order, or arrays in memory, cut."""
        if not _is_dataset(X):
            return LocalEngine(self.workers()).data(where, X, y, sample_weight)
        X, hashed = unwrapped(X)
        columns = [str(column) for column in X.columns() or ()]
        for name, given in (("y", y), ("sample_weight", sample_weight)):
            if given is not None and not isinstance(given, str):
                raise input_error(where, f"{name} must be the name of a column of the Dataset.")
            check_columns(where, name, given, columns)
        with _in_order(X):
            blocks = X.to_numpy_refs()
        names = (f"{where}: partition {number}" for number in range(len(blocks)))
        parts = [(name, block, y, sample_weight, hashed) for name, block in zip(names, blocks, strict=True)]
        return Data(table_block, parts, feature_names=None if hashed else feature_names(columns, y, sample_weight))

    def workers(self) -> int:
        return max(1, int(_ray().cluster_resources().get("CPU", 1)))

    def memory(self) -> int | None:
        return int(_ray().cluster_resources().get("object_store_memory", 0)) or None

    def open(self, data: Data) -> Rounds:
        return RayRounds(data)


def _ray(where: str = "ray") -> Any:
    return package(where, "ray", "ray")


class RayRounds(Rounds):
    """Rounds of Ray tasks.

    The references to all commands are kept until the rounds are closed: Ray computes lost objects again from the tasks
    that made them, but not what was put into the object store.

    Parameters
    ----------
    data : Data
        The partitions.
    """

    def __init__(self, data: Data) -> None:
        super().__init__(len(data.parts))
        self._ray = ray = _ray()
        self._make, self._is_kept = data.make, data.is_kept
        self._blocks: list[Any] | None = None
        self._parts: Sequence[tuple[Any, ...]] = [
            tuple(ray.put(value) if hasattr(value, "shape") else value for value in part) for part in data.parts
        ]
        self._commands: list[Any] = []
        self._states: list[Any] = list(range(self.count))
        self._advance = ray.remote(num_returns=2)(_advance)
        self._sum = ray.remote(_subtree_sum)
        self._made = ray.remote(_made)

    def _map(self, step: Step, command: Any) -> Any:
        if self._is_kept and self._blocks is None:
            self._blocks = [self._made.remote(self._make, *part) for part in self._parts]
        shared = self._ray.put((step, command))
        states, replies = [], []
        for number, state in enumerate(self._states):
            part = self._parts[number] if self._blocks is None else (self._blocks[number],)
            pair = self._advance.remote(shared, self._make, self._blocks is not None, state, *part)
            states.append(pair[0])
            replies.append(pair[1])
        total = self._result(self._added(replies), states)
        self._states = states
        self._commands.append(shared)
        return total

    def _added(self, replies: list[Any]) -> Any:
        while len(replies) > 1:
            groups = [replies[first : first + SUBTREE] for first in range(0, len(replies), SUBTREE)]
            replies = [self._sum.remote(*group) for group in groups]
        return replies[0]

    def _result(self, reference: Any, others: list[Any]) -> Any:
        """Return a result, or raise the error of a step. No task of the round is running afterwards.

        After an error the other tasks are awaited: Ray 2.60 may abort this process when a task is cancelled whose
        arguments could not be computed.
        """
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            self._ray.wait(others, num_returns=len(others))
            if isinstance(error.cause, Exception):
                raise error.cause from None
            raise
        except BaseException:
            self._cancel([reference, *others])
            raise

    def _cancel(self, references: list[Any]) -> None:
        """End the tasks that have not ended, with the processes that run them: a polite request may be missed."""
        if references:
            _, pending = self._ray.wait(references, num_returns=len(references), timeout=0)
            for reference in pending:
                self._ray.cancel(reference, force=True)

    def states(self) -> list[Any]:
        return [self._ray.get(state) if isinstance(state, self._ray.ObjectRef) else state for state in self._states]

    def restore(self, states: Sequence[Any]) -> None:
        self._states, self._commands = [self._ray.put(state) for state in states], []

    def close(self) -> None:
        self._cancel(self._blocks or [])
        self._states, self._blocks, self._parts, self._commands = [], None, [], []


def _made(make: Callable[..., Any], *part: Any) -> Any:
    """Make the block of a partition, on a worker."""
    return make(*part)


def _advance(shared: Any, make: Callable[..., Any], is_kept: bool, state: Any, *part: Any) -> tuple[Any, Any]:
    """Apply a step to one partition, on a worker."""
    step, command = shared
    return on_block(step, make, is_kept, part[0] if is_kept else part, state, command)


def _subtree_sum(*replies: Any) -> Any:
    return tree_sum(replies)


@contextmanager
def _in_order(dataset: Any) -> Iterator[None]:
    """Let a Dataset compute its blocks in its own order, not in that in which they are done.

    Rows are known by their numbers, in certificates and checkpoints, so each call must see them in the same order.
    """
    options = dataset.context.execution_options
    before = options.preserve_order
    options.preserve_order = True
    try:
        yield
    finally:
        options.preserve_order = before


def _is_dataset(X: Any) -> bool:
    return type(unwrapped(X)[0]).__module__.startswith("ray.data.")
