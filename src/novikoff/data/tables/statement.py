"""What an SQL query reads, according to the statement tree of DuckDB's parser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from novikoff.errors import input_error, quote

from .packages import explaining, library

MAX_DEPTH = 1000  # DuckDB's limit for expressions; it ends the process at some ten thousand subqueries in each other
QUERY_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
JSON_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|[^\s\[\]{},:"]+')

# Functions that a query may have after FROM, which only read. Those of the first list read the files that they name.
FILE_READERS = frozenset(
    {"glob", "parquet_bloom_probe", "parquet_file_metadata", "parquet_full_metadata", "parquet_kv_metadata"}
    | {"parquet_metadata", "parquet_scan", "parquet_schema", "read_blob", "read_csv", "read_csv_auto", "read_json"}
    | {"read_json_auto", "read_json_objects", "read_json_objects_auto", "read_ndjson", "read_ndjson_auto"}
    | {"read_ndjson_objects", "read_parquet", "read_text", "sniff_csv"}
)
COMPUTED_TABLES = frozenset(
    {"duckdb_columns", "duckdb_databases", "duckdb_schemas", "duckdb_tables", "duckdb_views", "generate_series"}
    | {"json_each", "json_tree", "pragma_table_info", "range", "repeat", "repeat_row", "unnest"}
)
TABLE_FUNCTIONS = FILE_READERS | COMPUTED_TABLES


@dataclass(frozen=True)
class Statement:
    """The names in a query.

    Parameters
    ----------
    tables : tuple of str
        What stands for a table: the name of a table, a view or a file.
    files : tuple of str
        Strings that functions take as files, directories or patterns: not their options, nor parts of computed names.
    functions : tuple of tuple of str
        Functions after FROM, each with the names of the database and the schema that it is looked for in.
    """

    tables: tuple[str, ...]
    files: tuple[str, ...]
    functions: tuple[tuple[str, ...], ...]


def parse(where: str, connection: Any, sql: str) -> Statement:
    """Parse one query, which must only read."""
    problem = "DuckDB cannot parse the SQL"
    if "\0" in sql:
        raise input_error(where, f"{problem}: it contains a NUL character.")
    _check_depth(where, sql)
    with explaining(where, problem):
        statements = connection.extract_statements(sql)
    kinds = [statement.type.name.removesuffix("_STATEMENT") for statement in statements]
    if kinds != ["SELECT"]:
        found = " and ".join(kinds) or "nothing"
        raise input_error(where, f"the SQL must be one query, but it is {found}.")
    with explaining(where, problem):
        text = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()[0]
    tree = _tree(text)
    if tree.get("error"):
        raise input_error(where, f"{problem}: {tree.get('error_message')}.")
    return _statement(where, tree)


def _check_depth(where: str, sql: str) -> None:
    """Refuse brackets that are nested more deeply than DuckDB's parser bears."""
    if sql.count("(") <= MAX_DEPTH:
        return
    data, depth = sql.encode(errors="replace"), 0
    for start, _ in library(where, "duckdb").tokenize(sql):
        depth += {b"(": 1, b")": -1}.get(data[start : start + 1], 0)
        if depth > MAX_DEPTH:
            raise input_error(where, f"the brackets of the SQL are nested more than {MAX_DEPTH:,} deep.")


def _tree(text: str) -> dict[str, Any]:
    """Read JSON without recursion: the tree of a long sum is deeper than the json module can read."""
    root: list[Any] = []
    open_nodes: list[Any] = [root]
    keys: list[str | None] = [None]
    for token in JSON_TOKEN.findall(text):
        if token in "]}":
            open_nodes.pop()
            keys.pop()
            continue
        value: Any = {} if token == "{" else [] if token == "[" else json.loads(token)
        node = open_nodes[-1]
        if isinstance(node, list):
            node.append(value)
        elif keys[-1] is None:
            keys[-1] = value
        else:
            node[keys[-1]], keys[-1] = value, None
        if token in "[{":
            open_nodes.append(value)
            keys.append(None)
    return dict(root[0])


def _statement(where: str, tree: dict[str, Any]) -> Statement:
    tables, files, functions = [], [], []
    for node in _nodes(tree):
        kind = str(node.get("type"))
        if ("cte_map" in node or kind.endswith("_NODE")) and kind not in QUERY_NODES:
            raise input_error(where, f"the SQL must only read, but it contains {kind.partition('_')[0]}.")
        if kind == "BASE_TABLE":
            tables.append(".".join(_path(node, "table_name")))
        elif kind == "TABLE_FUNCTION":
            name = _path(node["function"], "function_name")
            functions.append(name)
            if name[-1] in FILE_READERS:
                files += _sources(node["function"])
    return Statement(tuple(tables), tuple(files), tuple(functions))


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Return every JSON object of a tree."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _path(node: dict[str, Any], key: str) -> tuple[str, ...]:
    """Return a name with those of the database and the schema before it. Version 2 of DuckDB has a list of them."""
    path = node.get("qualified_name", {}).get("path")
    if path is None:
        prefix = "_name" if key == "table_name" else ""
        path = [node.get(f"catalog{prefix}"), node.get(f"schema{prefix}"), node[key]]
    names = tuple(str(part) for part in path if part)
    return names if key == "table_name" else (*names[:-1], names[-1].lower())


def _positional(call: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of a function without those that have a name, in the tree of DuckDB 2 or 1."""
    if "arguments" in call:
        named = [(argument["name"], argument["expression"]) for argument in call["arguments"]]
    else:
        named = [(node["alias"], node) for node in call["children"]]
    return [node for name, node in named if not name and node["type"] != "COMPARE_EQUAL"]  # name := value, name = value


def _sources(call: dict[str, Any]) -> list[str]:
    """Return the strings that are the first argument of a file reader, by themselves, in a list or in a cast."""
    sources: list[str] = []
    waiting = _positional(call)[:1]
    while waiting:
        node = waiting.pop()
        sources += _string(node)
        if node["class"] == "FUNCTION" and _path(node, "function_name")[-1] == "list_value":
            waiting += _positional(node)
        elif node["type"] == "ARRAY_CONSTRUCTOR":
            waiting += node["children"]
        elif node["class"] == "CAST":
            waiting.append(node["child"])
    return sources


def _string(node: dict[str, Any]) -> Iterator[str]:
    """Return the text of a node that is a string constant, in the tree of DuckDB 2 or 1."""
    if node.get("class") != "CONSTANT":
        return
    literal, value = node.get("literal"), node.get("value")
    if isinstance(literal, dict) and literal.get("kind") == "STRING":
        yield str(literal["text"])
    elif isinstance(value, dict) and value["type"]["id"] == "VARCHAR" and not value["is_null"]:
        yield str(value["value"])


def check_functions(where: str, statement: Statement, macros: set[tuple[str, str]]) -> None:
    """Refuse functions after FROM that are not known to only read, except macros of attached databases.

    Parameters
    ----------
    where : str
        The function that the user called, for error messages.
    statement : Statement
        The query.
    macros : set of tuple of str
        Names of databases and of their macros, in lower case.
    """
    for *database, name in statement.functions:
        if name not in TABLE_FUNCTIONS and not (database and (database[0].lower(), name) in macros):
            raise input_error(where, f"the SQL must only read files and databases, but it calls {quote(name)}.")
