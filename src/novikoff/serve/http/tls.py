"""The certificate of the server."""

from __future__ import annotations

import ssl

from novikoff.errors import file_error, input_error
from novikoff.serve.settings import Settings


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """Return the settings of TLS 1.2 and 1.3; None without a certificate.

    Raises
    ------
    InvalidInputError
        The certificate or the key cannot be read, or they do not belong together.
    """
    if settings.tls_certificate is None or settings.tls_key is None:
        return None
    for path in (settings.tls_certificate, settings.tls_key):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise file_error(path, error) from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.tls_certificate, settings.tls_key, password=_no_password)
    except ssl.SSLError as error:
        reason = (error.reason or "PEM text is needed").replace("_", " ").lower()
        files = f"{settings.tls_certificate} and {settings.tls_key}"
        message = (
            f"the certificate and its key cannot be used: {reason}. Give two files in PEM format that belong together."
        )
        raise input_error(files, message) from None
    return context


def _no_password() -> str:
    raise input_error("tls_key=", "the key is encrypted. Give a key without a password that only this user can read.")
