"""The engine contract, and the choice of an engine by an address or by the type of the data."""

from __future__ import annotations

from typing import Any, Protocol

from novikoff._registry import Registry
from novikoff.errors import input_error, quote

from .engines.tables import unwrapped
from .rounds import Data, Rounds


class Engine(Protocol):
    """What runs steps on partitions: threads of this process, or a cluster."""

    name: str

    @classmethod
    def of(cls, where: str, on: Any) -> Engine | None:
        """Return the engine of an address such as ``"dask://host:8786"`` or of a client; None if it is another's.

        None stands for the cluster that is in use already, or a new one on this machine.
        """

    def data(self, where: str, X: Any, y: Any, sample_weight: Any) -> Data:
        """Return the partitions of X, with labels and weights, which are validated on the workers."""

    def workers(self) -> int:
        """Return the number of partitions that can be worked on at the same time."""

    def memory(self) -> int | None:
        """Return how many bytes of rows all workers together may keep; None if it is not known."""

    def open(self, data: Data) -> Rounds:
        """Return the rounds over a data set."""


ENGINES: Registry[type[Engine]] = Registry(
    "engine",
    {
        "dask": "novikoff.distributed.engines.dask:DaskEngine",
        "spark": "novikoff.distributed.engines.spark:SparkEngine",
        "local": "novikoff.distributed.engines.local:LocalEngine",
    },
)
PACKAGES = {"dask": "dask", "distributed": "dask", "pyspark": "spark"}  # of data and clients


def choose_engine(where: str, on: Any, X: Any) -> Engine:
    """Return the engine of ``on``; if that is None, the engine whose collection X is, else threads of this process.

    Parameters
    ----------
    where : str
        The name of the caller, for error messages.
    on : str, client or None
        ``"local"``, ``"local:4"``, ``"dask://host:8786"``, ``"spark"``, ``"spark://host:7077"``, or a client of
        such a cluster.
    X : object
        The data.
    """
    name = _name_of(unwrapped(X)[0] if on is None else on, is_address=on is not None)
    engine = None if name not in ENGINES else ENGINES[name].of(where, "local" if name == "local" and on is None else on)
    if engine is None:
        known = '"local", "dask://host:port", "spark" or a client of such a cluster'
        raise input_error(where, f"on must be {known}, but it is {quote(on)}.")
    return engine


def _name_of(value: Any, is_address: bool) -> str:
    """Return the name of the engine of an address, of a client or of data, without an import of the engine."""
    if is_address and isinstance(value, str):
        return value.partition(":")[0]
    package = type(value).__module__.partition(".")[0]
    return PACKAGES.get(package, "" if is_address else "local")
