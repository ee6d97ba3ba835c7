import inspect

import pytest

import novikoff as nk


@pytest.mark.parametrize("retries", [-1, 1.5, None])
def test_retries_are_a_count(retries):
    with pytest.raises(nk.InvalidInputError, match="retries must be a whole number of at least 0"):
        nk.Client(retries=retries)


@pytest.mark.parametrize("ahead", [0, -5, 2.5])
def test_ahead_is_a_positive_count(ahead):
    with nk.Client() as client, pytest.raises(nk.InvalidInputError, match="ahead must be a whole number of at least 1"):
        client.stream([], ahead=ahead)


def test_the_representation_shows_the_server_but_not_the_token():
    client = nk.Client("http://127.0.0.1:1/", token="secret", model="mail")
    assert repr(client) == "Client('http://127.0.0.1:1', model='mail')"
    client.close()


def test_streams_of_both_clients_have_one_docstring_as_numpydoc_wants_it():
    validate = pytest.importorskip("numpydoc.validate", reason="numpydoc is not installed (make lint)").validate
    wrong = validate("novikoff._client.client_base.ClientBase.stream")["errors"]
    assert [code for code, _ in wrong if code not in ("GL01", "ES01", "SA01", "EX01")] == []
    assert inspect.getdoc(nk.Client.stream) == inspect.getdoc(nk.AsyncClient.stream)
