"""The database of the log: its format, and connections that readers share."""

import threading

import apsw
import pytest

from novikoff.serve.log import database
from novikoff.serve.log.database import Readers
from novikoff.serve.log.errors import StoreError


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "log.sqlite"
    connection = database.open_for_writing(path, "off", None)
    yield path
    connection.close()


def test_a_new_database_has_the_documented_format(path):
    with Readers(path, None).connection() as reader:
        assert reader.pragma("application_id") == int.from_bytes(b"nvkl", "big")
        assert reader.pragma("user_version") == database.FORMAT == 1
        columns = [row[0] for row in reader.execute("SELECT name FROM pragma_table_info('log')")]
    assert columns == ["sequence", "model", "kind", "first", "count", "checksum", "payload"]


def test_a_reader_cannot_write(path):
    readers = Readers(path, None)
    with pytest.raises(StoreError) as refused, readers.connection() as reader:
        reader.execute("DELETE FROM head")
    assert refused.value.code == "read_only"
    readers.close()


def test_connections_are_used_again(path):
    readers = Readers(path, None)
    with readers.connection() as first, readers.connection() as second:
        assert first is not second
    with readers.connection() as again:
        assert again in (first, second)
    readers.close()


def test_no_more_than_some_connections_stay_open(path):
    readers = Readers(path, None)
    count = 3 * Readers.MAX_IDLE
    barrier = threading.Barrier(count)
    lent = []

    def read():
        with readers.connection() as connection:
            lent.append(connection)
            barrier.wait()

    threads = [threading.Thread(target=read) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    readers.close()
    for connection in lent:
        with pytest.raises(apsw.ConnectionClosedError):
            connection.pragma("user_version")


def test_a_connection_that_is_lent_while_all_are_closed_is_closed_later(path):
    readers = Readers(path, None)
    with readers.connection() as connection:
        readers.close()
        assert connection.pragma("user_version") == database.FORMAT
    with pytest.raises(apsw.ConnectionClosedError):
        connection.pragma("user_version")
    with pytest.raises(StoreError, match="closed"), readers.connection():
        pass


def test_sizes_count_the_database_and_its_write_ahead_log(path):
    assert database.file_sizes(path) == path.stat().st_size + database.wal_path(path).stat().st_size
    assert database.file_sizes(path.with_name("missing")) == 0
