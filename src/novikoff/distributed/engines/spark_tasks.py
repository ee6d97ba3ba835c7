"""What Spark's Python workers do: make blocks, keep them and the states in files, and apply steps.

The files are in the local directory of the executor, which Spark removes with it. They only save time: a block that is
missing is made again from the rows, and a state that is missing is computed again from the block and the commands of
all rounds so far, which gives the same bits.
"""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..block import Block
from ..rounds import on_block
from . import kept_files
from .packages import package
from .tables import VECTOR_FIELDS, HashedTable, table_block

_modules = 0  # of this process when its objects were last exempted from garbage collection


@dataclass(frozen=True)
class Token:
    """Stands for the rows of a partition, between Spark's tasks.

    Parameters
    ----------
    path : str, default=None
        The file of the block.
    fingerprint : int, default=0
        The checksum of that file.
    part : tuple, default=None
        The arguments that make the block, if it is not kept.
    error : Exception, default=None
        Why the block could not be made.
    """

    path: str | None = None
    fingerprint: int = 0
    part: tuple[Any, ...] | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class Work:
    """What a partition is asked to do.

    Parameters
    ----------
    folder : str
        The name of the folder for states.
    make : callable
        Makes a block, if blocks are not kept.
    log : tuple of (str, Broadcast)
        The rounds so far, each with its identifier and a broadcast step and command. The first may be that of restored
        states, whose broadcast value is the list of all of them, pickled.
    known : str or None
        The identifier of the last round, whose states are looked for; None if there was none.
    is_complete : bool
        Whether the log is complete. If not, a partition without its state replies that it is missing.
    new : tuple of (str, Broadcast) or None
        The round to be run; None asks for the state.
    """

    folder: str
    make: Callable[..., Block] | None
    log: tuple[tuple[str, Any], ...]
    known: str | None
    is_complete: bool
    new: tuple[str, Any] | None


@dataclass(frozen=True)
class Outcome:
    """The reply of a partition.

    Parameters
    ----------
    number : int
        The number of the partition.
    fingerprint : int
        The checksum of its block.
    reply : bytes
        The pickled reply, or the state.
    error : Exception, default=None
        The error of the step.
    is_missing : bool, default=False
        Whether the block or the state is not on this worker.
    """

    number: int
    fingerprint: int
    reply: bytes = b""
    error: Exception | None = None
    is_missing: bool = False


def local_folder(name: str) -> Path:
    """Return a folder in the local directory of the executor."""
    directories = os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()
    return Path(directories.split(",")[0]) / name


def keep(folder: str, make: Callable[..., Block], part: tuple[Any, ...]) -> bytes:
    """Make a block and write it to a file. Return the pickled token."""
    try:
        path = local_folder(folder) / f"block-{uuid.uuid4().hex}"
        kept_files.save(path, make(*part))
        return pickle.dumps(Token(str(path), kept_files.fingerprint(path)))
    except Exception as error:
        return pickle.dumps(Token(error=portable(error)))


def keep_part(folder: str, make: Callable[..., Block], parts: Iterator[tuple[Any, ...]]) -> Iterator[tuple[bytes]]:
    """Keep the block of a partition that is described by arguments."""
    for part in parts:
        yield (keep(folder, make, part),)


def describe_part(parts: Iterator[tuple[Any, ...]]) -> Iterator[tuple[bytes]]:
    """Return the token of a partition that is not kept."""
    for part in parts:
        yield (pickle.dumps(Token(part=part)),)


def keep_table(
    folder: str,
    where: str,
    y: Any,
    sample_weight: Any,
    schema: bytes,
    kinds: dict[str, bool],
    hashed: HashedTable | None,
    batches: Iterator[Any],
) -> Iterator[Any]:
    """Keep the block of a partition of a DataFrame, which comes as Arrow batches of plain columns."""
    pa, pyspark = package(where, "pyarrow", "spark"), package(where, "pyspark", "spark")
    empty = pa.ipc.read_schema(pa.py_buffer(schema)).empty_table()
    found = list(batches) or [pa.RecordBatch.from_pydict(empty.to_pydict(), schema=empty.schema)]
    table = pa.Table.from_batches([whole_vectors(pa, batch, kinds) for batch in found])
    number = pyspark.TaskContext.get().partitionId()
    token = keep(folder, table_block, (f"{where}: partition {number}", table, y, sample_weight, hashed))
    yield pa.RecordBatch.from_pydict({"token": [token]}, schema=pa.schema([("token", pa.binary())]))


def whole_vectors(pa: Any, batch: Any, kinds: dict[str, bool]) -> Any:
    """Return an Arrow batch with named columns, and vectors as structures. Nothing is copied.

    Parameters
    ----------
    pa : module
        PyArrow.
    batch : RecordBatch
        The columns in their order; type, size, indices and values for a vector. The type of a missing one is null.
    kinds : dict of str to bool
        Whether each column holds vectors.
    """
    plain, columns = iter(batch.columns), []
    for is_vector in kinds.values():
        column = next(plain)
        if is_vector:
            fields = [column, *(next(plain) for _ in VECTOR_FIELDS[1:])]
            mask = column.is_null() if column.null_count else None
            column = pa.StructArray.from_arrays(fields, names=VECTOR_FIELDS, mask=mask)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=list(kinds))


def advance(work: Work, number: int, rows: Iterator[Any]) -> Iterator[Outcome]:
    """Run a round on one partition."""
    for row in rows:
        token: Token = pickle.loads(bytes(row[0]))
        try:
            if token.error is not None:
                raise token.error
            yield replace(_advanced(work, number, token), fingerprint=token.fingerprint)
        except Exception as error:
            yield Outcome(number, token.fingerprint, error=portable(error))


def _advanced(work: Work, number: int, token: Token) -> Outcome:
    folder = local_folder(work.folder)
    try:
        # A token without a path has the arguments of ``make``, which mypy cannot know to be there.
        block = kept_files.load(Path(token.path)) if token.path is not None else work.make(*token.part)  # type: ignore[misc]
    except FileNotFoundError:
        if token.path is None:
            raise
        return Outcome(number, 0, is_missing=True)
    try:
        state = number if work.known is None else kept_files.load(folder / f"state-{number}-{work.known}")
    except FileNotFoundError:
        if not work.is_complete:
            return Outcome(number, 0, is_missing=True)
        state = _replayed(work, number, block)
        kept_files.save(folder / f"state-{number}-{work.known}", state)
    if work.new is None:
        return Outcome(number, 0, pickle.dumps(state, protocol=5))
    name, shared = work.new
    step, command = shared.value
    spare_modules()
    # ``make`` is None where blocks come from a table, and is not called for a block that is there
    state, reply = on_block(step, work.make, True, block, state, command)  # type: ignore[arg-type]
    _save_state(folder, number, state, name, work.known)
    return Outcome(number, 0, pickle.dumps(reply, protocol=5))


def _replayed(work: Work, number: int, block: Block) -> Any:
    """Return the state of a partition after all rounds of the log."""
    state: Any = number
    for _, shared in work.log:
        if isinstance(shared.value, list):
            state = pickle.loads(shared.value[number])
            continue
        step, command = shared.value
        # As in ``_advanced``, ``make`` may be None and is not called.
        state, _ = on_block(step, work.make, True, block, state, command)  # type: ignore[arg-type]
    return state


def _save_state(folder: Path, number: int, state: Any, name: str, known: str | None) -> None:
    """Write a new state, and remove those that are older than the last one."""
    kept_files.save(folder / f"state-{number}-{name}", state)
    for path in folder.glob(f"state-{number}-*"):
        if path.name not in (f"state-{number}-{name}", f"state-{number}-{known}"):
            path.unlink(missing_ok=True)


def remove(folder: str, rows: Iterator[Any]) -> Iterator[None]:
    """Remove the files of a data set from this worker."""
    list(rows)
    shutil.rmtree(local_folder(folder), ignore_errors=True)
    return iter(())


def spare_modules() -> None:
    """Exempt what has been loaded with modules from the garbage collection of a worker.

    The daemon of Spark collects all garbage of a reused worker after each task, which takes 50 ms or more with the
    modules of NumPy, SciPy and Arrow: longer than a small step. They are never garbage, so they are set aside, anew
    only when a task has loaded others. It is done before a step, when the last collection has just been made.
    """
    global _modules
    if "SPARK_REUSE_WORKER" in os.environ and len(sys.modules) != _modules:
        gc.freeze()
        _modules = len(sys.modules)


def portable(error: Exception) -> Exception:
    """Return an error that can be sent to the driver, without its traceback."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
