"""The certificate of the server."""

import ssl
import subprocess

import httpx
import pytest
from asgi_calls import served

from novikoff.errors import InvalidInputError
from novikoff.serve.http.tls import tls_context
from novikoff.serve.settings import Settings


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for localhost, signed by itself."""
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    command += " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder / "certificate.pem", folder / "key.pem"


def test_https_needs_the_certificate(certificate, tmp_path):
    file, key = map(str, certificate)
    with served(tmp_path, tls_certificate=file, tls_key=key) as running:
        context = ssl.create_default_context(cafile=file)
        assert running.address.startswith("https://")
        assert httpx.get(f"{running.address}/healthz", verify=context).status_code == 200
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{running.address}/healthz")
        old = ssl.create_default_context(cafile=file)
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        assert httpx.get(f"{running.address}/healthz", verify=old).status_code == 200


def test_a_bad_certificate_is_one_sentence(certificate, tmp_path):
    file, key = map(str, certificate)
    other = tmp_path / "other.pem"
    other.write_text("no certificate")
    for pair in ((str(other), key), (file, str(other)), (key, file), (str(tmp_path / "none"), key)):
        with pytest.raises(InvalidInputError) as caught:
            tls_context(Settings(tls_certificate=pair[0], tls_key=pair[1]))
        assert str(caught.value).endswith(".")
        assert "\n" not in str(caught.value)
    assert tls_context(Settings()) is None


def test_an_encrypted_key_is_refused_without_asking(certificate, tmp_path):
    file, key = map(str, certificate)
    encrypted = str(tmp_path / "encrypted.pem")
    command = ["openssl", "ec", "-in", key, "-aes128", "-passout", "pass:secret", "-out", encrypted]
    subprocess.run(command, check=True, capture_output=True)
    with pytest.raises(InvalidInputError, match="encrypted"):
        tls_context(Settings(tls_certificate=file, tls_key=encrypted))
