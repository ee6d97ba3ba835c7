"""SQL that DuckDB runs, over files and over attached databases."""

from __future__ import annotations

import importlib.util
import os
import re
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library, sentence
from novikoff.data.tables.reader import ArrowReader
from novikoff.errors import input_error, quote

from .table import TableFormat

QUERY = re.compile(r"\s*(select|with|from)(?=[\s(*'\"])", re.IGNORECASE)
MEMORY_LIMIT = "2GB"  # of sorts and joins; beyond it DuckDB writes to the temporary directory
MAX_THREADS = 4
RESULT = "the query's result"  # what error messages call it
SQLITE_MAGIC = b"SQLite format 3\0"

# How a database other than DuckDB's own is recognised, its TYPE in ATTACH, and the extension that reads it.
DATABASES = (
    (re.compile(r"postgres(ql)?:|.*\b(dbname|host)\s*=", re.DOTALL), "postgres", "postgres_scanner"),
    (re.compile(r"mysql:"), "mysql", "mysql_scanner"),
    (re.compile(r"sqlite:"), "sqlite", "sqlite_scanner"),
)


class Sql(TableFormat):
    """A string that begins with SELECT, WITH or FROM: one statement, which only reads."""

    name = "sql"
    options = (*TableFormat.options, "attach")
    is_file = False

    def takes(self, source: Any) -> bool:
        return isinstance(source, str) and QUERY.match(source) is not None

    def open_pass(self, where: str, source: Any, options: dict[str, Any], batch_size: int, follow: bool) -> BlockReader:
        connection = connect(where, may_load=True)
        for alias, database in (options.get("attach") or {}).items():
            _attach(where, connection, alias, database)
        with explaining(where, "DuckDB cannot parse the SQL"):
            statements = connection.extract_statements(source)
        kinds = [statement.type.name for statement in statements]
        if kinds not in (["SELECT"], ["SELECT_STATEMENT"]):
            found = " and ".join(kinds) or "nothing"
            raise input_error(where, f"the SQL must be one query, but it is {found}.")
        return ArrowBlocks(where, open_relation(RESULT, connection, source, batch_size), options)


def relation_reader(relation: Any, batch_size: int) -> Any:
    """Run a relation, batch after batch. Old versions of DuckDB have only the second of these methods."""
    run = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return run(batch_size)


def open_relation(name: str, connection: Any, sql: str, batch_size: int) -> ArrowReader:
    """Start a query, whose rows are then delivered as they are computed."""
    with explaining(name, "DuckDB cannot read it"):
        reader = relation_reader(connection.sql(sql), batch_size)

    def batches(needed: list[str]) -> Iterator[Any]:
        try:
            yield from reader
        finally:
            connection.close()

    return ArrowReader(name, reader.schema, batches)


def connect(where: str, *, may_load: bool) -> Any:
    """Return a new database in memory that does not download extensions or read Python variables."""
    config = {
        "memory_limit": MEMORY_LIMIT,
        "threads": min(MAX_THREADS, os.cpu_count() or 1),
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
        raise input_error(where, f"attach must be a dict of names and databases, but it has {quote(alias)}.")
    database = os.fspath(database)
    kind = ""
    for pattern, type_, extension in DATABASES:
        if pattern.match(database) or (type_ == "sqlite" and _begins_with(database, SQLITE_MAGIC)):
            _load(where, connection, alias, extension)
            kind = f", TYPE {type_}"
            break
    name = '"' + alias.replace('"', '""') + '"'
    try:
        connection.execute(f"ATTACH {sql_string(database)} AS {name} (READ_ONLY{kind})")
    except Exception as error:
        # A connection string may hold a password, so it is not repeated.
        message = sentence(error).replace(database, alias if kind else database)
        raise input_error(where, f"the database {alias!r} cannot be attached: {message}.") from None


def _load(where: str, connection: Any, alias: str, extension: str) -> None:
    """Load an extension of DuckDB that is installed, by DuckDB or as a Python package."""
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
        message = f"the database {alias!r} needs DuckDB's extension {extension}. Install it with: {package} (or {once})"
        raise input_error(where, message) from error


def _begins_with(path: str, magic: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def sql_string(value: str) -> str:
    """Return a string literal of SQL."""
    return "'" + value.replace("'", "''") + "'"


SQL = Sql()
