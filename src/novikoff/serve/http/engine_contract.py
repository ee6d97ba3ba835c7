"""What the HTTP interface needs of an engine."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Protocol, runtime_checkable

from starlette.types import ASGIApp


@runtime_checkable
class EngineStream(Protocol):
    """A stream of examples that are predicted and then learned, in order."""

    @property
    def pending(self) -> int:
        """Chunks that are not answered."""
        ...

    def feed(self, chunk: bytes, last: bool) -> Future[bytes]:
        """Take the next bytes of the stream; the future has the lines that answer them."""
        ...


@runtime_checkable
class EngineContract(Protocol):
    """Models that learn and predict. Futures raise ``ServeError``, and so do the methods."""

    def start(self) -> None:
        """Load the models; may take long."""
        ...

    def stop(self) -> None:
        """Finish what has been accepted, and close the log."""
        ...

    def predict(self, name: str, body: bytes) -> bytes:
        """Return the answer to a request to predict. Raises ``Asleep`` if the model is not in memory."""
        ...

    def wake(self, name: str) -> Future[Any]:
        """Load a model into memory."""
        ...

    def learn(self, name: str, body: bytes) -> Future[bytes]:
        """Learn the examples of a request."""
        ...

    def open_stream(self, name: str, format: str, answers: bool = True) -> EngineStream:
        """Begin a stream of ``"ndjson"``, ``"svmlight"`` or ``"arrow"``, answered by all lines or by the last one."""
        ...

    def create(self, name: str, specification: dict[str, Any]) -> Future[dict[str, Any]]:
        """Make a model; ``created`` is False in the answer if it exists with the same specification."""
        ...

    def copy(self, name: str, to: str) -> Future[dict[str, Any]]:
        """Copy a model."""
        ...

    def delete(self, name: str) -> Future[dict[str, Any]]:
        """Delete a model."""
        ...

    def add_shadow(self, name: str, shadow: str, specification: dict[str, Any]) -> Future[dict[str, Any]]:
        """Add a shadow learner to a model."""
        ...

    def remove_shadow(self, name: str, shadow: str) -> Future[dict[str, Any]]:
        """Remove a shadow learner."""
        ...

    def names(self) -> list[str]:
        """Return the names of all models."""
        ...

    def describe(self, name: str) -> dict[str, Any]:
        """Return the specification and the counts of a model."""
        ...

    def certificate(self, name: str) -> dict[str, Any]:
        """Return the certificate of a model."""
        ...

    def dump(self, name: str) -> bytes:
        """Return the model file."""
        ...

    def overview(self, name: str) -> dict[str, Any]:
        """Return what the page shows."""
        ...

    def status(self) -> dict[str, Any]:
        """Return the state of the server."""
        ...


@runtime_checkable
class ReplicationContract(Protocol):
    """The followers of a server, and the server that it follows."""

    async def stop(self) -> None:
        """Stop following."""
        ...

    async def log(self, after: int, checksum: str, wait: float | None) -> ASGIApp:
        """Return the log after a sequence number as an answer."""
        ...

    async def promote(self) -> dict[str, Any]:
        """Stop following, and begin to learn."""
        ...
