"""SQL that DuckDB runs, over files and over attached databases."""

from __future__ import annotations

import importlib.util
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from novikoff.data.tables.arrow_blocks import ArrowBlocks
from novikoff.data.tables.block import BlockReader
from novikoff.data.tables.packages import explaining, library, sentence
from novikoff.data.tables.reader import ArrowReader
from novikoff.data.tables.statement import TABLE_FUNCTIONS, Statement, check_functions, parse
from novikoff.errors import input_error, quote

from .table import TableFormat

QUERY = re.compile(r"\s*(select|with|from)(?=[\s(*'\"])", re.IGNORECASE)
MEMORY_LIMIT = "2GB"  # of sorts and joins; beyond it DuckDB writes to the temporary directory
MAX_THREADS = 4
RESULT = "the query's result"  # what error messages call it
URL = re.compile(r"(https?|s3[an]?|gcs|gs|r2|hf)://", re.IGNORECASE)
PATTERN = re.compile(r"[*?[]")
CALL = re.compile(r'(\w+)"?\s*\(')  # of a function, in the definition of a view or macro as DuckDB writes it
REFUSED_PATH = re.compile('Cannot access (?:file|directory) "(.*)" - ')
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
        connection = connect(where)
        try:
            statement = parse(where, connection, source)
            databases = options.get("attach") or {}
            macros = {macro for alias in databases for macro in _attach(where, connection, alias, databases[alias])}
            check_functions(where, statement, macros)
            _restrict(where, connection, statement)
            return ArrowBlocks(where, open_relation(RESULT, connection, source, batch_size), options)
        except BaseException:
            connection.close()
            raise


def relation_reader(relation: Any, batch_size: int) -> Any:
    """Run a relation, batch after batch. Old versions of DuckDB have only the second of these methods."""
    run = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return run(batch_size)


def open_relation(name: str, connection: Any, sql: str, batch_size: int) -> ArrowReader:
    """Start a query, whose rows are then delivered as they are computed."""
    with explaining(name, "DuckDB cannot read it"):
        try:
            reader = relation_reader(connection.sql(sql), batch_size)
        except library(name, "duckdb").PermissionException as error:
            raise input_error(name, f"{_without_permission(error)}.") from error

    def batches(needed: list[str]) -> Iterator[Any]:
        try:
            yield from reader
        finally:
            connection.close()

    return ArrowReader(name, reader.schema, batches)


def _without_permission(error: Exception) -> str:
    found = REFUSED_PATH.search(str(error))
    wanted = f"it reads {quote(found[1])}" if found else sentence(error)
    return f"{wanted}, but it may only read files that stand in the query as strings, and databases that are attached"


def connect(where: str) -> Any:
    """Return a new database in memory that does not install extensions or read Python variables."""
    config = {
        "memory_limit": MEMORY_LIMIT,
        "threads": min(MAX_THREADS, os.cpu_count() or 1),
        "temp_directory": os.path.join(tempfile.gettempdir(), f"novikoff-{os.urandom(16).hex()}"),
        "preserve_insertion_order": True,
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    return library(where, "duckdb").connect(":memory:", config=config)


def lock(connection: Any, paths: Iterable[str], folders: Iterable[str] = ()) -> None:
    """Take away the access to all files but these, and to the settings. Attached databases can still be read."""
    for setting, values in (("allowed_paths", paths), ("allowed_directories", folders)):
        connection.execute(f"SET {setting} = [{', '.join(sql_string(value) for value in sorted(set(values)))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def named_files(where: str, sql: str) -> set[str]:
    """Return the files that the text of a query names, with those that its patterns match."""
    with connect(where) as connection:
        statement = parse(where, connection, sql)
        return _matched(connection, {name for name in _named(statement) if not URL.match(name)})


def _named(statement: Statement) -> set[str]:
    named = {*statement.tables, *statement.files}
    return named | {os.path.expanduser(name) for name in named}


def _matched(connection: Any, names: set[str]) -> set[str]:
    """Return names of files, and those that match one of them that is a pattern."""
    files = set(names)
    with explaining(RESULT, "DuckDB cannot read it"):
        for name in names:
            if PATTERN.search(name) and not name.startswith(("http:", "https:")):
                files |= {file for (file,) in connection.execute("SELECT file FROM glob(?)", [name]).fetchall()}
    return files


def _restrict(where: str, connection: Any, statement: Statement) -> None:
    """Let a query read what its text names and nothing else, however a view, a macro or DuckDB finds it."""
    named = _named(statement)
    if any(URL.match(name) for name in named):
        _load(where, connection, "a URL in the query", "httpfs")
        connection.execute("FROM duckdb_secrets()")  # reads the stored ones, as long as files can be read
    folders = filter(os.path.isdir, map(os.path.expanduser, statement.files))
    lock(connection, _matched(connection, named), folders)


def _attach(where: str, connection: Any, alias: Any, database: Any) -> set[tuple[str, str]]:
    """Attach a database for reading only. Return its name and the name of each of its macros, in lower case."""
    if not isinstance(alias, str) or not isinstance(database, str | os.PathLike):
        raise input_error(where, f"attach must be a dict of names and databases, but it has {quote(alias)}.")
    database = os.fspath(database)
    kind = ""
    for pattern, type_, extension in DATABASES:
        if pattern.match(database) or (type_ == "sqlite" and _begins_with(database, SQLITE_MAGIC)):
            _load(where, connection, f"the database {alias!r}", extension)
            kind = f", TYPE {type_}"
            break
    name = '"' + alias.replace('"', '""') + '"'
    try:
        connection.execute(f"ATTACH {sql_string(database)} AS {name} (READ_ONLY{kind})")
    except Exception as error:
        # A connection string may hold a password, so it is not repeated.
        message = sentence(error).replace(database, alias if kind else database)
        raise input_error(where, f"the database {alias!r} cannot be attached: {message}.") from None
    return set() if kind else _checked_macros(where, connection, alias)


def _checked_macros(where: str, connection: Any, alias: str) -> set[tuple[str, str]]:
    """Refuse views and macros that call a function which may do more than read. Return the macros as _attach does.

    The query's own functions are checked in its statement tree, which does not contain the definitions of views.
    """
    tables = "bool_and(function_type IN ('table', 'table_macro', 'pragma'))"
    names = f"SELECT lower(function_name) FROM duckdb_functions() WHERE internal GROUP BY 1 HAVING {tables}"
    forbidden = {name for (name,) in connection.execute(names).fetchall()} - TABLE_FUNCTIONS
    own = "WHERE database_name = ? AND NOT internal"
    views = connection.execute(f"SELECT view_name, sql FROM duckdb_views() {own}", [alias]).fetchall()
    columns = "function_name, macro_definition"
    macros = connection.execute(f"SELECT {columns} FROM duckdb_functions() {own}", [alias]).fetchall()
    for name, definition in [*views, *macros]:
        for called in CALL.findall(definition or ""):
            if called.lower() in forbidden:
                message = f"{quote(name)} of the database {alias!r} calls {quote(called)}, which a query may not do."
                raise input_error(where, message)
    return {(alias.lower(), name.lower()) for name, _ in macros}


def _load(where: str, connection: Any, user: str, extension: str) -> None:
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
        message = f"{user} needs DuckDB's extension {extension}. Install it with: {package} (or {once})"
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
