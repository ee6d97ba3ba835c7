import ssl
import sys

import httpx
import pytest

import novikoff as nk
from novikoff._client.address import Address, failure_of


def address(url, **changes):
    return Address(**{"url": url, "token": None, "timeout": 1.0, "verify": True} | changes)


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://a", "http://", "http://a:b", "http://a?b=c", None, 8000])
def test_an_invalid_address_is_refused(url):
    with pytest.raises(nk.InvalidInputError, match=r'^Client: url must look like "http://127\.0\.0\.1:8765", but'):
        nk.Client(url)


@pytest.mark.parametrize("timeout", [0, -1.0, float("nan")])
def test_a_timeout_is_positive(timeout):
    with pytest.raises(nk.InvalidInputError, match="timeout must be a positive number or None"):
        address("http://a", timeout=timeout)


@pytest.mark.parametrize("token", ["a\r\nb", "é", "a\x00"])
def test_a_token_cannot_add_headers(token):
    with pytest.raises(nk.InvalidInputError, match="token has characters") as error:
        address("http://a", token=token)
    assert token not in str(error.value)


def test_a_token_is_sent_but_not_shown():
    found = address("http://a", token="secret")
    assert found.headers == {"authorization": "Bearer secret"}
    assert "secret" not in repr(found)


def test_certificates_are_checked_unless_told_otherwise():
    assert address("http://a").tls is None
    assert address("https://a").tls.verify_mode is ssl.CERT_REQUIRED
    assert address("https://a").tls.check_hostname
    assert address("https://a", verify=False).tls.verify_mode is ssl.CERT_NONE


def test_the_environment_names_no_proxy_for_the_token(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    options = address("http://127.0.0.1:1").httpx_options(None)
    with httpx.Client(**options) as client:
        assert client.trust_env is False


@pytest.mark.parametrize(
    ("error", "may_have_arrived", "is_final"),
    [
        (httpx.ConnectError("refused"), False, False),
        (httpx.ConnectTimeout("late"), False, False),
        (httpx.PoolTimeout("busy"), False, False),
        (httpx.ReadTimeout("late"), True, False),
        (httpx.ReadError("reset"), True, False),
        (httpx.WriteError("reset"), True, False),
        (httpx.RemoteProtocolError("closed"), True, False),
        (httpx.UnsupportedProtocol("ftp"), True, True),
    ],
)
def test_errors_of_httpx_say_whether_the_request_may_have_arrived(error, may_have_arrived, is_final):
    assert failure_of(error)[1:] == (may_have_arrived, is_final)


def test_a_refused_certificate_is_final():
    error = httpx.ConnectError("certificate")
    error.__context__ = OSError()
    error.__context__.__cause__ = ssl.SSLCertVerificationError()
    assert failure_of(error).is_final


@pytest.mark.parametrize("kind", [nk.Client, nk.AsyncClient])
def test_without_httpx_the_message_says_what_to_install(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(nk.InvalidInputError) as error:
        kind()
    line = "Client: the package httpx is not installed. Install it with: pip install 'novikoff[client]'."
    assert str(error.value) == line
