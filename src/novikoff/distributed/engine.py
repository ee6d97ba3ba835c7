"""The engine contract, and the choice of an engine by an address or by the type of the data."""

from __future__ import annotations

from typing import Any, Protocol

from novikoff._registry import Registry
from novikoff.errors import input_error, quote

from .rounds import Data, Rounds


class Engine(Protocol):
    """What runs steps on partitions: threads of this process, or a cluster."""

    name: str

    @classmethod
    def of(cls, where: str, on: Any) -> Engine | None:
        """Return the engine of an address such as ``"dask://host:8786"`` or of a client; None if it is another's.

        None stands for the cluster that is in use already, or a new one on this machine.
        """

    @classmethod
    def holds(cls, X: Any) -> bool:
        """Return whether X is a collection of this engine, such as a Dask array."""

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
        "ray": "novikoff.distributed.engines.ray:RayEngine",
        "local": "novikoff.distributed.engines.local:LocalEngine",
    },
)


def choose_engine(where: str, on: Any, X: Any) -> Engine:
    """Return the engine of ``on``; if that is None, the engine whose collection X is, else threads of this process.

    Parameters
    ----------
    where : str
        The name of the caller, for error messages.
    on : str, client or None
        ``"local"``, ``"local:4"``, ``"dask://host:8786"``, ``"spark"``, ``"spark://host:7077"``, ``"ray"``,
        ``"ray://host:10001"``, or a client of such a cluster.
    X : object
        The data.
    """
    for kind in (ENGINES[name] for name in ENGINES):
        if kind.holds(X) if on is None else True:
            found = kind.of(where, on)
            if found is not None:
                return found
    if on is not None:
        known = '"local", "dask://host:port", "spark", "ray" or a client of such a cluster'
        raise input_error(where, f"on must be {known}, but it is {quote(on)}.")
    return ENGINES["local"].of(where, "local")  # type: ignore[return-value]  # it knows this address
