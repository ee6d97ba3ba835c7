"""SQL that DuckDB runs: over files, and over databases attached by name."""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from novikoff.errors import invalid

from .foreign import library, refusing, sentence
from .reader import Reader, arrow_reader

QUERY = re.compile(r"\s*(select|with|from)(?=[\s(*'\"])", re.IGNORECASE)
MEMORY = "2GB"  # what sorts and joins may hold; beyond it DuckDB writes to the temporary directory
MOST_THREADS = 4
SQLITE_FILE = b"SQLite format 3\0"

# How a database other than DuckDB's own is recognised, the TYPE that ATTACH wants, and the extension that reads it.
DATABASES = (
    (re.compile(r"postgres(ql)?:|.*\b(dbname|host)\s*=", re.DOTALL), "postgres", "postgres_scanner"),
    (re.compile(r"mysql:"), "mysql", "mysql_scanner"),
    (re.compile(r"sqlite:"), "sqlite", "sqlite_scanner"),
)


def is_query(source: Any) -> bool:
    """Whether a source is SQL text: a string that begins with SELECT, WITH or FROM."""
    return isinstance(source, str) and QUERY.match(source) is not None


def open_query(where: str, sql: str, attach: Mapping[str, str] | None, batch_size: int) -> Reader:
    """Start a query, whose rows then come as they are read. It must be one statement that only reads."""
    connection = _connect(where, may_load=True)
    for alias, database in (attach or {}).items():
        _attach(where, connection, alias, database)
    with refusing(where, "SQL that DuckDB can run.", "an error"):
        statements = connection.extract_statements(sql)
    kinds = [statement.type.name for statement in statements]
    if kinds not in (["SELECT"], ["SELECT_STATEMENT"]):
        raise invalid(where, "SQL that is one query.", " and ".join(kinds) or "none")
    return _open_relation(where, "the query's result", connection, sql, batch_size)


def open_json(where: str, path: str, batch_size: int) -> Reader:
    """Read a JSON file that is one array of objects. All of it is looked at for the kinds of its columns, then read."""
    connection = _connect(where, may_load=False)
    sql = f"SELECT * FROM read_json({_quoted(glob.escape(path))}, sample_size=-1)"
    return _open_relation(where, path, connection, sql, batch_size)


def relation_reader(relation: Any, batch_size: int) -> Any:
    """Run a relation, batch after batch. Old versions of DuckDB know the method by its old name only."""
    run = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return run(batch_size)


def _open_relation(where: str, name: str, connection: Any, sql: str, batch_size: int) -> Reader:
    with refusing(where, "A table or a query that DuckDB can read.", name):
        reader = relation_reader(connection.sql(sql), batch_size)

    def batches(needed: list[str]) -> Iterator[Any]:
        try:
            yield from reader
        finally:
            connection.close()

    return arrow_reader(where, name, reader.schema, batches)


def _connect(where: str, *, may_load: bool) -> Any:
    """A database in memory, of this pass alone. It downloads nothing, and sees no variable of Python."""
    config = {
        "memory_limit": MEMORY,
        "threads": min(MOST_THREADS, os.cpu_count() or 1),
        "temp_directory": os.path.join(tempfile.gettempdir(), f"novikoff-{uuid.uuid4().hex}"),
        "preserve_insertion_order": True,
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": may_load,
    }
    return library(where, "duckdb").connect(":memory:", config=config)


def _attach(where: str, connection: Any, alias: Any, database: Any) -> None:
    """Attach a database for reading only."""
    if not isinstance(alias, str) or not isinstance(database, str | os.PathLike):
        raise invalid(where, "attach = a dict of names and databases.", f"{alias!r}: {type(database).__name__}")
    database = os.fspath(database)
    kind = ""
    for pattern, type_, extension in DATABASES:
        if pattern.match(database) or (type_ == "sqlite" and _begins_with(database, SQLITE_FILE)):
            _load(where, connection, alias, extension)
            kind = f", TYPE {type_}"
            break
    name = '"' + alias.replace('"', '""') + '"'
    try:
        connection.execute(f"ATTACH {_quoted(database)} AS {name} (READ_ONLY{kind})")
    except Exception as error:
        # What came is not repeated, as far as it may hold a password.
        message = sentence(error).replace(database, alias if kind else database)
        raise invalid(where, f"A database that can be attached as {alias!r}.", f"an error: {message}") from None


def _load(where: str, connection: Any, alias: str, extension: str) -> None:
    """Load an extension of DuckDB that was installed before, by DuckDB or as a package of its own."""
    version = library(where, "duckdb").__version__
    try:
        connection.load_extension(extension)
    except Exception as error:
        spec = importlib.util.find_spec(f"duckdb_extension_{extension}")
        for folder in (spec and spec.submodule_search_locations) or ():
            file = Path(folder, "extensions", f"v{version}", f"{extension}.duckdb_extension")
            if file.exists():
                connection.load_extension(str(file))
                return
        package = f"pip install duckdb-extension-{extension.replace('_', '-')}=={version}"
        once = f"python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\""
        need = f"DuckDB's extension {extension} for the database {alias!r} (once: {once}, or: {package})."
        raise invalid(where, need, "none that is installed") from error


def _begins_with(path: str, magic: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
