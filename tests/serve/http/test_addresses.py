"""Addresses that the server may listen on."""

import pytest

from novikoff.errors import InvalidInputError
from novikoff.serve.http.addresses import check_address, is_loopback, warnings_about
from novikoff.serve.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]"])
def test_loopback_needs_no_token(host):
    assert is_loopback(host)
    check_address(Settings(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.com", "localhost.example.com", "127.1", ""])
def test_every_other_address_needs_tokens(host):
    with pytest.raises(InvalidInputError, match="tokens="):
        check_address(Settings(host=host))
    check_address(Settings(host=host, tokens="file"))


def test_warnings_tell_what_may_be_a_mistake():
    assert warnings_about(Settings()) == []
    assert "unencrypted" in warnings_about(Settings(host="0.0.0.0", tokens="t"))[0]
    assert warnings_about(Settings(host="0.0.0.0", tokens="t", tls_certificate="c", tls_key="k")) == []
    assert "may lose" in warnings_about(Settings(durability="normal"))[0]
