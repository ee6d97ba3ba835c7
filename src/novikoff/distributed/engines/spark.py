"""Spark: a job per round, over blocks and states that Python workers keep in files of their executor."""

from __future__ import annotations

import os
import pickle
import re
import sys
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from novikoff.errors import input_error, quote

from ..protocol import Step, tree_sum
from ..rounds import Data, Rounds
from . import spark_tasks as tasks
from .local import LocalEngine
from .packages import package
from .tables import check_columns, feature_names, table_block, unwrapped

ADDRESS = re.compile(r"spark(://.+:[0-9]+)?")
SETTINGS = {  # of sessions that are created here
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.unix.domain.socket.enabled": "true",  # TCP delays each task by 40 ms
}
NUMBERS = re.compile(r"(tinyint|smallint|int|bigint|float|double|boolean|decimal.*|vector|void)")


@dataclass(frozen=True)
class SparkData(Data):
    """The partitions of a data set on Spark.

    Parameters
    ----------
    tokens : RDD
        One element per partition, which makes the block and is its token, see `spark_tasks.Token`.
    folder : str
        The name of the folder for the files of this data set.
    """

    tokens: Any = None
    folder: str = ""


class SparkEngine:
    """A Spark session.

    Parameters
    ----------
    session : SparkSession
        The session.
    """

    name = "spark"

    def __init__(self, session: Any) -> None:
        self._session = session

    @classmethod
    def of(cls, where: str, on: Any) -> SparkEngine | None:
        if type(on).__module__.startswith("pyspark.sql.") and hasattr(on, "createDataFrame"):
            return cls(_with_context(where, on))
        match = ADDRESS.fullmatch(on) if isinstance(on, str) else None
        if on is not None and match is None:
            return None
        with quiet():
            package(where, "pyspark", "spark")
            package(where, "pyarrow", "spark")
            return cls(_session(where, on if match is not None and match[1] else None))

    def data(self, where: str, X: Any, y: Any, sample_weight: Any) -> Data:
        """Return the partitions of a DataFrame, or arrays in memory, cut."""
        if _is_frame(X):
            return self._frame_data(where, X, y, sample_weight)
        return LocalEngine(self.workers()).data(where, X, y, sample_weight)

    def _frame_data(self, where: str, X: Any, y: Any, sample_weight: Any) -> Data:
        from pyspark.sql.pandas.types import to_arrow_schema

        X, hashed = unwrapped(X)
        columns = list(X.columns)
        for name, given in (("y", y), ("sample_weight", sample_weight)):
            if given is not None and not isinstance(given, str):
                raise input_error(where, f"{name} must be the name of a column of the DataFrame.")
            check_columns(where, name, given, columns)
        for name, kind in X.dtypes:
            if hashed is None and name != y and not NUMBERS.fullmatch(kind):
                remedy = "Leave the column out, or use a HashedTable, which hashes strings."
                raise input_error(where, f"column {quote(name)} holds values of type {kind}, not numbers. {remedy}")
        folder = f"novikoff-{uuid.uuid4().hex}"
        with quiet():
            kinds = {name: kind == "vector" for name, kind in X.dtypes}
            X = _in_plain_columns(X, kinds)
            schema = to_arrow_schema(X.schema).serialize().to_pybytes()
            function = partial(tasks.keep_table, folder, where, y, sample_weight, schema, kinds, hashed)
            tokens = X.mapInArrow(function, "token binary").rdd
            parts = [(f"{where}: partition {number}",) for number in range(tokens.getNumPartitions())]
        names = None if hashed else feature_names(columns, y, sample_weight)
        return SparkData(table_block, parts, feature_names=names, tokens=tokens, folder=folder)

    def workers(self) -> int:
        return max(1, int(self._session.sparkContext.defaultParallelism))

    def memory(self) -> int | None:
        return None

    def open(self, data: Data) -> Rounds:
        return SparkRounds(data, self._session.sparkContext)


class SparkRounds(Rounds):
    """Rounds of Spark jobs.

    Each round is one job over the persisted tokens of the partitions, so that a partition stays on the executor that
    has its files. Partitions whose state is not there, because an executor was lost or busy, are asked again with the
    commands of all rounds so far; those whose block is not there are made again from the rows.

    Parameters
    ----------
    data : Data
        The partitions.
    context : SparkContext
        The context.
    """

    def __init__(self, data: Data, context: Any) -> None:
        super().__init__(len(data.parts))
        self._context = context
        self._data = data if isinstance(data, SparkData) else _of_parts(data, context)
        self._kept = _persisted(self._data.tokens)
        self._id = uuid.uuid4().hex
        self._log: list[tuple[str, Any]] = []
        self._fingerprints: dict[int, int] = {}

    def _map(self, step: Step, command: Any) -> Any:
        new = (uuid.uuid4().hex, self._context.broadcast((step, command)))
        try:
            replies = self._ask(new)
        except BaseException:
            new[1].destroy()
            raise
        self._log.append(new)
        return tree_sum(replies)

    def _ask(self, new: tuple[str, Any] | None) -> list[Any]:
        """Return the replies of all partitions to a round, or their states."""
        known = self._log[-1][0] if self._log else None
        short = tasks.Work(self._data.folder, self._data.make, (), known, False, new)
        full = replace(short, log=tuple(self._log), is_complete=True)
        missing = list(range(self.count))
        outcomes: dict[int, tasks.Outcome] = {}
        for tokens, work in ((self._kept, short), (self._kept, full), (self._data.tokens, full)):
            found = self._run(tokens, work, missing)
            outcomes.update({outcome.number: outcome for outcome in found if not outcome.is_missing})
            missing = [number for number in range(self.count) if number not in outcomes]
            if not missing:
                break
        for number, outcome in sorted(outcomes.items()):
            if outcome.error is not None:
                raise outcome.error
            if self._fingerprints.setdefault(number, outcome.fingerprint) != outcome.fingerprint:
                problem = "has other rows or another order now that Spark has computed it again"
                remedy = "Cache the DataFrame, or write it to a file first."
                raise input_error(self._data.parts[number][0], f"the partition {problem}. {remedy}")
        return [pickle.loads(outcomes[number].reply) for number in range(self.count)]

    def _run(self, tokens: Any, work: tasks.Work, numbers: list[int]) -> list[tasks.Outcome]:
        """Run a job on some partitions. If it is interrupted, its tasks are cancelled."""
        job = tokens.mapPartitionsWithIndex(partial(tasks.advance, work))
        self._context.setJobGroup(self._id, "novikoff", True)
        try:
            return list(self._context.runJob(job, list, numbers))
        except BaseException:
            self._context.cancelJobGroup(self._id)
            raise
        finally:
            self._context.setLocalProperty("spark.jobGroup.id", None)

    def states(self) -> list[Any]:
        return self._ask(None)

    def restore(self, states: Sequence[Any]) -> None:
        pickled = [pickle.dumps(state, protocol=5) for state in states]
        self._forget()
        self._log = [(uuid.uuid4().hex, self._context.broadcast(pickled))]

    def _forget(self) -> None:
        for _, shared in self._log:
            shared.destroy()
        self._log = []

    def close(self) -> None:
        self._context.cancelJobGroup(self._id)
        places = self._kept
        if len(self._fingerprints) < self.count:  # no round was made, and the tokens that are missing would be computed
            places = self._context.parallelize([], max(self.count, self._context.defaultParallelism))
        places.mapPartitions(partial(tasks.remove, self._data.folder)).collect()
        self._kept.unpersist()
        self._forget()


def _of_parts(data: Data, context: Any) -> SparkData:
    """Return partitions that are described by arguments, one per element."""
    folder = f"novikoff-{uuid.uuid4().hex}"
    parts = context.parallelize(list(data.parts), max(1, len(data.parts)))
    if data.is_kept:
        tokens = parts.mapPartitions(partial(tasks.keep_part, folder, data.make))
    else:
        tokens = parts.mapPartitions(tasks.describe_part)
    return SparkData(data.make, data.parts, data.is_kept, data.feature_names, data.reading, tokens, folder)


def _persisted(tokens: Any) -> Any:
    """Return the same tokens, kept where they were made. The first RDD remains as it is, to make blocks again."""
    from pyspark import StorageLevel

    return tokens.mapPartitions(_same).persist(StorageLevel.MEMORY_AND_DISK)


def _same(rows: Iterator[Any]) -> Iterator[Any]:
    return rows


def _session(where: str, address: str | None) -> Any:
    """Return the active session, or a new one: of a cluster, or on all cores of this machine."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None and address in (None, active.sparkContext.master):
        return _with_context(where, active)
    if active is not None:
        problem = f"a Spark session of {active.sparkContext.master} is active. Stop it first, or use it with on='spark'"
        raise input_error(where, f"{problem}.")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers must have the same packages
    builder = SparkSession.builder.master(address or "local[*]").appName("novikoff")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _with_context(where: str, session: Any) -> Any:
    """Refuse a session of Spark Connect, which has no RDDs."""
    if ".connect." in type(session).__module__:
        raise input_error(where, "sessions of Spark Connect cannot run rounds. Use a classic Spark session.")
    return session


@contextmanager
def quiet() -> Iterator[None]:
    """Hide what PySpark says about the version of pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        yield


def _is_frame(X: Any) -> bool:
    frame, _ = unwrapped(X)
    return type(frame).__module__.startswith("pyspark.sql.") and hasattr(frame, "mapInArrow")


def _in_plain_columns(frame: Any, kinds: dict[str, bool]) -> Any:
    """Return a DataFrame with numbered columns of numbers and arrays, of which each vector makes four.

    The arrays of a vector are computed by an expression: Spark sends those that it reads from its cache as they are to
    Arrow element by element, in seven times the time. Structures of them would take more time than columns.

    Parameters
    ----------
    frame : DataFrame
        The table.
    kinds : dict of str to bool
        Whether each column holds vectors, which `spark_tasks.whole_vectors` makes again.
    """
    from pyspark.sql import functions as F

    columns = []
    for name, is_vector in kinds.items():
        column = frame[f"`{name}`"]
        if not is_vector:
            columns.append(column)
            continue
        vector = F.unwrap_udt(column)
        indices = F.coalesce(vector["indices"], F.array().cast("array<int>"))
        values = F.coalesce(vector["values"], F.array().cast("array<double>"))
        columns += [vector["type"], vector["size"], indices, values]
    return frame.select(*[column.alias(str(number)) for number, column in enumerate(columns)])
