"""Which addresses the server may listen on."""

from __future__ import annotations

import ipaddress

from novikoff.errors import input_error, quote
from novikoff.serve.settings import Settings


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_address(settings: Settings) -> None:
    """Refuse to listen on an address that other machines can reach if requests need no token.

    Raises
    ------
    InvalidInputError
        The message says what to do.
    """
    if settings.tokens is None and not is_loopback(settings.host):
        message = (
            f"host={quote(settings.host)} can be reached from other machines, so that tokens= is needed. Make a token "
            "with: novikoff serve --tokens FILE --new-token admin."
        )
        raise input_error("serve", message)


def warnings_about(settings: Settings) -> list[str]:
    """Return sentences about settings that are allowed and may be a mistake."""
    found = []
    if settings.tls_certificate is None and not is_loopback(settings.host):
        found.append("tokens travel unencrypted: use --tls-certificate and --tls-key, or a proxy that speaks HTTPS.")
    if settings.durability != "full":
        found.append(f"with --durability {settings.durability} a crash of the machine may lose acknowledged examples.")
    return found
