"""Dask: pure tasks in rounds. The blocks and the states are futures that stay on their workers."""

from __future__ import annotations

import re
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from novikoff.errors import input_error

from ..block import checked_block
from ..protocol import Step, size_of, tree_sum
from ..rounds import Data, Rounds, on_block
from .alignment import aligned
from .local import LocalEngine
from .packages import package
from .tables import check_columns, feature_names, table_block, unwrapped

SUBTREE = 8  # replies that one task adds: a power of 2, so that all replies are added in the order of `tree_sum`
SMALL_COMMAND = 4096  # bytes up to which a command is part of each task, which saves sending it between workers
ADDRESS = re.compile(r"dask(?:://(.+:[0-9]+))?")


class DaskEngine:
    """A Dask cluster.

    Parameters
    ----------
    client : distributed.Client or None
        The client; None if the engine connects to an address itself.
    address : str, default=None
        The address of the scheduler, to which the engine connects when it needs to, and from which it disconnects when
        the rounds are closed.
    """

    name = "dask"

    def __init__(self, client: Any, address: str | None = None) -> None:
        self._client, self._address = client, address

    @classmethod
    def of(cls, where: str, on: Any) -> DaskEngine | None:
        if type(on).__module__.startswith("distributed.") and hasattr(on, "scheduler_info"):
            return cls(on)
        match = ADDRESS.fullmatch(on) if isinstance(on, str) else None
        if on is not None and match is None:
            return None
        _distributed(where)
        client = _current_client()
        if match is None or match[1] is None:
            return cls(client or _new_client())
        address = f"tcp://{match[1]}"
        if client is not None and client.scheduler is not None and client.scheduler.address == address:
            return cls(client)
        return cls(None, address)

    def data(self, where: str, X: Any, y: Any, sample_weight: Any) -> Data:
        """Return the row chunks of a Dask array, the partitions of a Dask dataframe, or arrays in memory, cut."""
        if _is_frame(unwrapped(X)[0]):
            return _frame_data(where, X, y, sample_weight)
        if _is_array(X):
            return _array_data(where, X, y, sample_weight)
        return LocalEngine(self.workers()).data(where, X, y, sample_weight)

    def workers(self) -> int:
        return max(1, int(sum(self.client().nthreads().values())))

    def memory(self) -> int | None:
        workers = self.client().scheduler_info(n_workers=-1)["workers"].values()
        limits = [int(worker["memory_limit"]) for worker in workers]
        return sum(limits) if limits and all(limits) else None

    def open(self, data: Data) -> Rounds:
        return DaskRounds(data, self)

    def client(self) -> Any:
        """Return the client, connected."""
        if self._client is None:
            try:
                self._client = _distributed().Client(self._address, set_as_default=False)
            except OSError as error:
                raise input_error("dask", f"no scheduler answers at {self._address}: {error}.") from None
        return self._client

    def disconnect(self) -> None:
        """Close the client, if the engine made it to connect to an address."""
        if self._address is not None and self._client is not None:
            self._client.close()
            self._client = None


class DaskRounds(Rounds):
    """Rounds of Dask tasks.

    One graph per round is sent to the scheduler: a task per partition, which returns its next state and its reply, and
    tasks that add the replies. The command is one task as well, so that each worker gets it once. The scheduler keeps
    the graphs of earlier rounds as long as a state depends on them, so it computes again what a lost worker held.

    Parameters
    ----------
    data : Data
        The partitions.
    engine : DaskEngine
        The engine.
    """

    def __init__(self, data: Data, engine: DaskEngine) -> None:
        super().__init__(len(data.parts))
        self._data, self._engine = data, engine
        self._delayed = package("dask", "dask", "dask").delayed
        self._id = uuid.uuid4().hex
        self._tasks = 0
        self._blocks: list[Any] | None = None
        self._restored: list[Any] | None = list(range(self.count))
        self._pairs: list[Any] = []  # futures of (state, reply), if no states were restored since

    def _map(self, step: Step, command: Any) -> Any:
        make, is_kept = self._data.make, self._data.is_kept
        if is_kept and self._blocks is None:
            self._blocks = self._compute([self._task(_made, make, part) for part in self._data.parts])
        parts: Sequence[Any] = self._data.parts if self._blocks is None else self._named(self._blocks)
        shared = Sealed((step, command))
        if size_of(command) > SMALL_COMMAND:
            shared = self._task(_opened, shared)
        pairs = [
            self._task(_advance, shared, make, is_kept, part, state)
            for part, state in zip(parts, self._state_tasks(), strict=True)
        ]
        total = self._added([self._task(_reply, pair) for pair in pairs])
        *futures, last = self._compute([*pairs, total])
        reply = self._result(last, [*futures, last])
        self._pairs, self._restored = futures, None
        return reply

    def _added(self, replies: list[Any]) -> Any:
        """Return the task of the tree sum. Whole subtrees are added by one task each, because each costs some time."""
        while len(replies) > 1:
            groups = [replies[first : first + SUBTREE] for first in range(0, len(replies), SUBTREE)]
            replies = [self._task(_subtree_sum, group) for group in groups]
        return replies[0]

    def _state_tasks(self) -> list[Any]:
        """Return one argument of `_advance` per partition: the future of a state and a reply, or a state alone."""
        if self._restored is None:
            return self._named(self._pairs)
        return [Sealed(state) for state in self._restored]

    @staticmethod
    def _named(futures: list[Any]) -> list[Any]:
        """Return references to futures by name. A scheduler in this process would count copies of the futures."""
        TaskRef = package("dask", "dask._task_spec", "dask").TaskRef
        return [TaskRef(future.key) for future in futures]

    def _task(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return a lazy call. The scheduler groups tasks by the part of the key before the last hyphen."""
        self._tasks += 1
        key = f"novikoff_{function.__name__}-{self._id}{self._tasks:08x}"
        return self._delayed(function, pure=False)(*args, dask_key_name=key)

    def _compute(self, tasks: list[Any]) -> list[Any]:
        with _large_graphs():
            return list(self._engine.client().compute(tasks, optimize_graph=False))

    def _result(self, future: Any, futures: list[Any]) -> Any:
        """Return the result of a future. After an error or an interrupt, all futures of the round are released."""
        try:
            return aligned(future.result())
        except BaseException:
            _release(futures)
            raise

    def states(self) -> list[Any]:
        if self._restored is not None:
            return list(self._restored)
        futures = self._compute([self._task(_state, pair) for pair in self._named(self._pairs)])
        return [self._result(future, futures) for future in futures]

    def restore(self, states: Sequence[Any]) -> None:
        self._restored, self._pairs = list(states), []

    def close(self) -> None:
        _release([*self._pairs, *(self._blocks or ())])
        self._pairs, self._blocks, self._restored = [], None, []
        self._engine.disconnect()


def _release(futures: list[Any]) -> None:
    """Tell the scheduler that nobody waits for these futures: it forgets them, and cancels those that still run."""
    for future in futures:
        future.release()


class Sealed:
    """A value through which Dask does not look for tasks.

    Parameters
    ----------
    value : object
        The value.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


def _opened(sealed: Sealed) -> Any:
    return sealed.value


def _made(make: Callable[..., Any], part: tuple[Any, ...]) -> Any:
    """Make the block of a partition, on a worker."""
    return make(*aligned(part))


def _advance(shared: Any, make: Any, is_kept: bool, part: Any, before: Any) -> tuple[Any, Any]:
    """Apply a step to one partition, on a worker."""
    step, command = shared.value if isinstance(shared, Sealed) else shared
    state = before.value if isinstance(before, Sealed) else before[0]
    return on_block(step, make, is_kept, aligned(part), aligned(state), aligned(command))


def _state(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _reply(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def _subtree_sum(replies: list[Any]) -> Any:
    return tree_sum(replies)


# ---- collections ---------------------------------------------------------------------------------------------------


def _is_array(X: Any) -> bool:
    return type(X).__module__.startswith("dask.array")


def _is_frame(X: Any) -> bool:
    return type(X).__module__.startswith("dask.dataframe") and hasattr(X, "columns")


def _array_data(where: str, X: Any, y: Any, sample_weight: Any) -> Data:
    if X.ndim != 2:
        raise input_error(where, f"X must have two dimensions, but its shape is {X.shape}.")
    X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
    count = X.numblocks[0]
    ys, weights = (_pieces(where, *pair, X) for pair in (("y", y), ("sample_weight", sample_weight)))
    names = (f"{where}: partition {k}" for k in range(count))
    return Data(checked_block, list(zip(names, X.to_delayed().ravel(), ys, weights, strict=True)))


def _pieces(where: str, name: str, values: Any, X: Any) -> list[Any]:
    """Return labels or weights, divided as the rows of X are."""
    count = X.numblocks[0]
    if values is None:
        return [None] * count
    is_known = not any(rows != rows for rows in X.chunks[0])  # sizes that are not known are NaN
    if not type(values).__module__.startswith("dask."):
        if not is_known:
            raise input_error(where, f"the chunks of X have unknown sizes, so {name} must be a Dask array.")
        if len(values) != X.shape[0]:
            raise input_error(where, f"X has {X.shape[0]} rows, but {name} has {len(values)}.")
        values = package(where, "dask.array", "dask").from_array(values, chunks=(X.chunks[0],))
    values = values.values if hasattr(values, "divisions") else values
    values = values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values
    if is_known and not any(rows != rows for rows in values.chunks[0]):
        if values.shape[0] != X.shape[0]:
            raise input_error(where, f"X has {X.shape[0]} rows, but {name} has {values.shape[0]}.")
        values = values.rechunk((X.chunks[0],))
    if values.numblocks[0] != count:
        raise input_error(where, f"X has {count} chunks of rows, but {name} has {values.numblocks[0]}.")
    return list(values.to_delayed().ravel())


def _frame_data(where: str, X: Any, y: Any, sample_weight: Any) -> Data:
    X, hashed = unwrapped(X)
    columns = [str(column) for column in X.columns]
    count = X.npartitions
    given = []
    for name, values in (("y", y), ("sample_weight", sample_weight)):
        if values is None or isinstance(values, str):
            check_columns(where, name, values, columns)
            given.append([values] * count)
        elif hasattr(values, "to_delayed") and getattr(values, "npartitions", None) == count:
            given.append(list(values.to_delayed()))
        else:
            expected = f"the name of a column, or a Dask series of {count} partitions as X has"
            raise input_error(where, f"{name} must be {expected}.")
    names = (f"{where}: partition {k}" for k in range(count))
    parts = list(zip(names, X.to_delayed(), *given, [hashed] * count, strict=True))
    return Data(table_block, parts, feature_names=None if hashed else feature_names(columns, y, sample_weight))


# ---- clients -------------------------------------------------------------------------------------------------------


def _distributed(where: str = "dask") -> Any:
    return package(where, "distributed", "dask")


def _current_client() -> Any:
    try:
        return _distributed().default_client()
    except ValueError:
        return None


def _new_client() -> Any:
    """Return a client of a new cluster on this machine, which Dask closes when Python ends."""
    cluster = _distributed().LocalCluster(processes=True, threads_per_worker=1, dashboard_address=":0")
    return _distributed().Client(cluster)


@contextmanager
def _large_graphs() -> Iterator[None]:
    """Arrays in memory travel in the graph, so that Dask can send them again when a worker is lost."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield
