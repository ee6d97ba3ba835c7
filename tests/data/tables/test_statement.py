"""What a query reads: the names in its statement tree, and statements that are refused."""

import duckdb
import pytest

import novikoff as nk
from novikoff.data.tables.statement import Statement, check_functions, parse


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as connection:
        yield connection


def test_names_of_tables_files_and_functions(connection):
    sql = """
    WITH t AS (FROM 'a/*.csv')
    SELECT lower(name) FROM t, db."my schema".people, READ_CSV(['b.csv', E'\\x63'], delim=';') JOIN range(3) ON true
    WHERE x IN (SELECT y FROM db.f('no file'))
    """
    statement = parse("scan", connection, sql)
    assert sorted(statement.tables) == ["a/*.csv", "db.my schema.people", "t"]
    assert set(statement.files) == {"b.csv", "c"}
    assert sorted(statement.functions) == [("db", "f"), ("range",), ("read_csv",)]


def test_strings_that_are_not_files_are_not_named(connection):
    statement = parse("scan", connection, "SELECT 'a.csv' AS \"b.csv\" /* FROM 'c.csv' */ WHERE 'd' = 'e'")
    assert (statement.tables, statement.files) == ((), ())


@pytest.mark.parametrize(
    "arguments",
    [
        "'a', delim='/'",
        "'a', nullstr := '.'",
        "'a', nullstr => ['.', '/']",
        "delim='/', ['a']",
        "'a', columns={'x': 'INT', '/': '.'}",
        "CAST('a' AS VARCHAR), decimal_separator='.'",
        "ARRAY['a', '/' || 'b', lower('/')]::VARCHAR[]",
        "'a', '/'",
    ],
)
def test_options_and_parts_of_computed_names_are_not_files(connection, arguments):
    assert parse("scan", connection, f"FROM read_csv({arguments})").files == ("a",)


def test_a_name_that_is_computed_is_not_a_file(connection):
    for computed in ("'/' || 'a'", "concat('/', 'a')", "['/', 'a'][1]", "CASE WHEN true THEN '/' END", "x = '/'"):
        assert parse("scan", connection, f"FROM read_csv({computed})").files == ()


def test_strings_keep_every_character(connection):
    names = ('quo"te', "back\\slash", "{[,:]}", "tab\t and\nline", "ünï\u2028", "it's", "null", "1", "")
    literals = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
    assert sorted(parse("scan", connection, f"FROM read_csv([{literals}])").files) == sorted(names)


def test_functions_that_are_not_known_to_read_are_refused_except_macros_of_databases():
    def check(*path):
        check_functions("scan", Statement((), (), (path,)), {("db", "query")})

    check("range")
    check("main", "read_csv")
    check("DB", "query")
    for path in [("query",), ("other", "query"), ("db", "checkpoint"), ("main", "db", "query")]:
        with pytest.raises(nk.InvalidInputError, match=f"it calls '{path[-1]}'"):
            check(*path)
