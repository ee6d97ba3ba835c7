"""Settings of the server: one table of name, default, kind, limits and help.

The command line, ``novikoff serve --check`` and docs/settings.md are made from it.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from novikoff.errors import InvalidInputError, input_error, quote

from .names import MODEL_NAME, MODEL_NAME_RULE

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
BYTE_UNITS = {"": 1, "B": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB}
DURABILITIES = ("full", "normal", "off")
SPECIFICATION_KEYS = ("learner", "parameters", "classes", "hashing")  # of a model
SHADOW_KEYS = ("learner", "parameters")
SERVER, LEARNING, LIMITS, SECURITY = "Server", "Learning", "Limits of requests", "Security"
METAVARS = {"text": "TEXT", "path": "FILE", "number": "N", "bytes": "SIZE", "seconds": "SECONDS"}


@dataclass(frozen=True)
class Setting:
    """One row of the table.

    Parameters
    ----------
    name : str
        The name in Python and in the settings file; ``--max-body`` and ``NOVIKOFF_SERVE_MAX_BODY`` for ``max_body``.
    default : object
        The value if nothing else is said; None if the setting is off.
    kind : str
        ``"text"``, ``"path"``, ``"number"``, ``"bytes"``, ``"seconds"`` or ``"choice"``.
    help : str
        One or two sentences.
    group : str
        Heading under which the help and the manual show it.
    minimum, maximum : float
        Limits of numbers.
    choices : tuple of str
        The values of a choice.
    metavar : str
        What stands for the value in the help.
    """

    name: str
    default: Any
    kind: str
    help: str
    group: str
    minimum: float = 0
    maximum: float = math.inf
    choices: tuple[str, ...] = ()
    metavar: str = ""

    @property
    def allowed(self) -> str:
        """The values that are allowed, in words."""
        if self.kind == "choice":
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        if self.kind in ("text", "path"):
            return "text that is not empty"
        unit = {"number": "a whole number", "bytes": "a size such as 1048576 or 1MiB", "seconds": "a number of seconds"}
        low, high = (shown(limit, self.kind) for limit in (self.minimum, self.maximum))
        return f"{unit[self.kind]} of at least {low}" + ("" if self.maximum == math.inf else f" and at most {high}")

    def convert(self, value: Any, where: str) -> Any:
        """Return a value from a file, the environment or the command line as the type of the setting.

        Parameters
        ----------
        value : object
            Text, or what TOML read.
        where : str
            How the user named the setting there: ``--port``, ``NOVIKOFF_SERVE_PORT``.

        Raises
        ------
        InvalidInputError
            The value is not allowed. The message names the setting and the allowed values.
        """
        converted: Any = _CONVERTERS[self.kind](value)
        is_valid = converted is not None
        if is_valid and self.kind == "choice":
            is_valid = converted in self.choices
        elif is_valid and self.kind not in ("text", "path"):
            is_valid = self.minimum <= converted <= self.maximum
        if not is_valid:
            raise input_error(where, f"{self.allowed} is needed, not {quote(value)}.")
        return converted


def shown(value: Any, kind: str) -> str:
    """Return a value of a setting as text that ``Setting.convert`` reads."""
    if value is None:
        return "not set"
    if kind == "bytes":
        unit = next((u for u in ("GiB", "MiB", "KiB") if value >= BYTE_UNITS[u] and value % BYTE_UNITS[u] == 0), "")
        return f"{value // BYTE_UNITS[unit]}{unit}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and value.isprintable() else None


def _number(value: Any) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}", value):
        return int(value)
    return value if type(value) is int else None


def _bytes(value: Any) -> int | None:
    match = re.fullmatch(r"([0-9]{1,15}) ?(|B|KiB|MiB|GiB)", value) if isinstance(value, str) else None
    return _number(value) if match is None else int(match[1]) * BYTE_UNITS[match[2]]


def _seconds(value: Any) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", value):
        return float(value)
    return float(value) if type(value) in (int, float) and math.isfinite(value) else None


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "path": _text,
    "choice": _text,
    "number": _number,
    "bytes": _bytes,
    "seconds": _seconds,
}


def _row(
    group: str, default: Any, kind: str, help: str, minimum: float = 0, maximum: float = math.inf, **others: Any
) -> Any:
    """Return a field of ``Settings`` that has its row of the table as metadata."""
    row = {"group": group, "kind": kind, "help": help, "minimum": minimum, "maximum": maximum} | others
    return field(default=default, metadata=row)


@dataclass(frozen=True)
class ModelSettings:
    """A model that the settings file lists. It is made when the server starts, unless it exists.

    Parameters
    ----------
    specification : dict
        What ``PUT /v1/models/{name}`` takes: ``learner``, ``parameters``, ``classes``, ``hashing``.
    shadows : dict of str to dict
        The specifications of its shadow learners, by name.
    """

    specification: dict[str, Any]
    shadows: dict[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings in force. Each field but the last two is a row of ``SETTINGS``, which has its help.

    Parameters
    ----------
    models : mapping of str to ModelSettings
        The models that the settings file lists.
    sources : mapping of str to str
        Where a setting comes from: ``"default"``, the settings file, the environment or the command line.
    """

    state: str | None = _row(
        SERVER,
        None,
        "path",
        "Directory of the log and the snapshots. It is created if it does not exist. It must be given.",
        metavar="DIR",
    )
    host: str = _row(
        SERVER, "127.0.0.1", "text", "Address to listen on. Any other than loopback needs --tokens.", metavar="ADDRESS"
    )
    port: int = _row(SERVER, 8765, "number", "Port to listen on; 0 for any free port.", 0, 65535)
    allowed_hosts: str | None = _row(
        SERVER,
        None,
        "text",
        "Names, separated by commas, that requests may have in their header Host besides those of this machine; for "
        "a server on loopback behind a proxy.",
        metavar="NAMES",
    )
    learner: str = _row(
        LEARNING, "tracker", "text", "Learner of the model 'default', when it is made.", metavar="LEARNER"
    )
    durability: str = _row(
        LEARNING,
        "full",
        "choice",
        "When a learned example is acknowledged. full: after it is on the disk, so that nothing acknowledged is lost. "
        "normal: a crash of the machine, but not of the process, may lose the last seconds. off: a crash of the "
        "machine may lose the log; for benchmarks.",
        choices=DURABILITIES,
        metavar="MODE",
    )
    snapshot_every: int = _row(
        LEARNING, 100_000, "number", "Examples that a model learns between two of its snapshots.", 1, 10**12
    )
    models_in_memory: int = _row(
        LEARNING, 1000, "number", "Models in memory at the same time. Others are loaded when they are asked.", 1, 10**6
    )
    max_models: int = _row(LEARNING, 100_000, "number", "Models in the state directory.", 1, 10**7)
    queue: int = _row(
        LEARNING,
        65_536,
        "number",
        "Examples that may wait to be learned. Further ones are answered with 429.",
        1,
        2**24,
    )
    max_body: int = _row(
        LIMITS,
        64 * MIB,
        "bytes",
        "Longest body of a request to learn or predict, also after decompression. Streams have no limit.",
        1 * KIB,
        2 * GIB,
    )
    max_line: int = _row(LIMITS, 1 * MIB, "bytes", "Longest line of a stream.", 64, 64 * MIB)
    max_features_per_row: int = _row(LIMITS, 100_000, "number", "Features of one example.", 1, 2**24)
    max_name_length: int = _row(LIMITS, 1000, "number", "Bytes in the name of a feature, and in a label.", 1, 65_535)
    max_names: int = _row(LIMITS, 4_194_304, "number", "Names of features that a model may learn.", 1, 2**31 - 1)
    max_classes: int = _row(LIMITS, 1000, "number", "Classes of a model.", 2, 100_000)
    max_id_length: int = _row(LIMITS, 200, "number", "Bytes in the id of an example.", 1, 65_535)
    pending_limit: int = _row(
        LEARNING,
        100_000,
        "number",
        "Predictions of all models that may wait for their label. The oldest are dropped.",
        0,
        10**8,
    )
    pending_seconds: float = _row(
        LEARNING, 86_400.0, "seconds", "How long a prediction waits for its label before it is dropped.", 0, 10**9
    )
    remembered_ids: int = _row(
        LEARNING, 1_000_000, "number", "Ids of learned examples that a model remembers, to learn each once.", 0, 10**9
    )
    body_seconds: float = _row(
        LIMITS,
        300.0,
        "seconds",
        "Time in which the body of a request must arrive. Streams have no limit.",
        0.1,
        86_400,
    )
    idle_seconds: float = _row(
        LIMITS, 60.0, "seconds", "Time after which a connection without a request is closed.", 1, 86_400
    )
    stream_idle_seconds: float = _row(
        LIMITS,
        600.0,
        "seconds",
        "Time after which a stream is closed that sends no examples, or does not take the answers.",
        0.1,
        10**7,
    )
    stop_seconds: float = _row(SERVER, 10.0, "seconds", "Time for requests to end when the server is stopped.", 0, 3600)
    max_connections: int = _row(
        LIMITS, 4096, "number", "Open connections. Further ones are answered with 503.", 1, 10**6
    )
    max_watchers: int = _row(LIMITS, 100, "number", "Open connections to /events.", 0, 10**5)
    tokens: str | None = _row(
        SECURITY,
        None,
        "path",
        "File of the tokens that requests must have. --new-token adds one. Without it, everybody may do everything.",
    )
    tls_certificate: str | None = _row(
        SECURITY, None, "path", "Certificate chain in PEM format. The server then speaks HTTPS."
    )
    tls_key: str | None = _row(SECURITY, None, "path", "Private key of the certificate in PEM format.")
    models: Mapping[str, ModelSettings] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)

    def source(self, name: str) -> str:
        """Return where the value of a setting comes from."""
        return self.sources.get(name, "default")


SETTINGS: dict[str, Setting] = {
    row.name: Setting(
        row.name, row.default, **{"metavar": METAVARS.get(row.metadata["kind"], ""), **dict(row.metadata)}
    )
    for row in dataclasses.fields(Settings)
    if row.metadata
}


def check_together(settings: Settings) -> None:
    """Refuse settings that do not fit each other.

    Raises
    ------
    InvalidInputError
        The message names them.
    """
    if (settings.tls_certificate is None) != (settings.tls_key is None):
        given, missing = ("tls_certificate", "tls_key")[:: 1 if settings.tls_key is None else -1]
        raise input_error("serve", f"{given}= needs {missing}=. Give both files.")
    for name in settings.models:
        check_model_name(name)


def check_model_name(name: str) -> None:
    """Refuse what is not the name of a model."""
    if not MODEL_NAME.fullmatch(name):
        raise InvalidInputError(f"The name of a model must have {MODEL_NAME_RULE}, but it is {quote(name)}.")
