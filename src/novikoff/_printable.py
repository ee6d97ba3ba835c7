"""Text that others wrote, such as labels, column names and file names, as text that a terminal only shows.

A terminal obeys control characters: an escape sequence in a label may recolour, overwrite or rename what is on the
screen, a line end may forge a line of a result, and a bidirectional control reverses what a person reads.
"""

from __future__ import annotations

import re

# Unicode categories Cc (C0, DEL, C1), Cf (bidirectional controls, invisible characters), Cs (lone surrogates), Zl, Zp
CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)


def printable(text: str, keep: str = "") -> str:
    r"""Replace control and format characters by visible escapes, as ``repr`` writes them: ``\x1b``, ``\u202e``.

    Everything else stays, also backslashes, so that text without such characters is returned as it is.

    Parameters
    ----------
    text : str
        Any text.
    keep : str, default=""
        Characters that stay: ``"\n"`` for text that consists of lines.
    """
    if text.isprintable():
        return text
    return CONTROLS.sub(lambda match: match[0] if match[0] in keep else _escape(match[0]), text)


def _escape(character: str) -> str:
    return ascii(character)[1:-1]
