"""What functions for routes get of requests."""

import asyncio

import pytest
from asgi_calls import receiver, scope_of

from novikoff.serve.errors import ServeError
from novikoff.serve.http.calls import Call
from novikoff.serve.settings import Settings


def call(address="/", body=b"", **headers):
    scope = scope_of("POST", address, {name.replace("_", "-"): value for name, value in headers.items()})
    return Call(scope, receiver([body]), Settings())


@pytest.mark.parametrize(
    ("kind", "format"),
    [
        ("application/x-ndjson", "ndjson"),
        ("Application/X-NDJSON; charset=utf-8", "ndjson"),
        ("text/x-svmlight", "svmlight"),
        (None, "ndjson"),
    ],
)
def test_the_format_of_a_stream_is_its_type(kind, format):
    assert call(content_type=kind).stream_format() == format


@pytest.mark.parametrize("query", ["a=%ff", "a=1&" * 30, "a=1&a=2"])
def test_a_query_that_is_not_valid_is_422(query):
    with pytest.raises(ServeError) as caught:
        call(f"/?{query}").query("a", "0")
    assert caught.value.status == 422


def test_a_query_has_a_default():
    assert call("/?b=2").query("a", "0") == "0"
    assert call("/?a=").query("a", "0") == ""


@pytest.mark.parametrize("body", [b"", b"\xff", b"NaN", b'{"a": NaN}', b"{" * 9999, b'{"a": 1, "a": 1}', b"1" * 9999])
def test_what_is_not_json_is_400(body):
    with pytest.raises(ServeError) as caught:
        asyncio.run(call(body=body).json_object(("a",)))
    assert (caught.value.status, caught.value.code) == (400, "bad_json")
