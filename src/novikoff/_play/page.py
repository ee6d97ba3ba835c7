"""The playground as one HTML text, which needs no network."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path

from novikoff._html import escaped

IN_WHEEL = Path(__file__).with_name("page")
FOLDER = (
    IN_WHEEL if IN_WHEEL.is_dir() else Path(__file__).parents[3] / "playground" / "page"
)  # the latter in a checkout
SCRIPT = re.compile(r'<script src="([\w.]+)"></script>\n')
STYLE = '<link rel="stylesheet" href="page.css">'
KERNELS = '<script type="text/plain" id="kernels" src="kernels.wasm"></script>'
CHARSET = '<meta charset="utf-8">'
ROOT = '<html lang="en">'


@lru_cache(maxsize=4)
def playground(manual: str | None = None) -> str:
    """Return the playground as one self-contained HTML text: styles, scripts and kernels are in it.

    Parameters
    ----------
    manual : str or None, default=None
        Where the pages theory.html and notes.html of the manual are, as a prefix of their addresses: ``""`` for the
        folder of the page itself, ``"../"`` for the one above. The sources of theorems are then links. None for no
        links, because a page that opens offline does not have the manual beside it.

    Returns
    -------
    str
        The text. Its content security policy allows its own script and no request.
    """
    page = _source("index.html")
    names = SCRIPT.findall(page)
    script = f'"use strict";\n(() => {{\n{"".join(_source(name) for name in names)}}})();\n'
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    wasm = base64.b64encode((FOLDER / "kernels.wasm").read_bytes()).decode()
    page = SCRIPT.sub("", page)
    replacements = {
        CHARSET: f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        STYLE: f"<style>\n{_source('page.css')}</style>",
        KERNELS: f'<script type="text/plain" id="kernels">{wasm}</script>\n<script>{script}</script>',
    }
    if manual is not None:
        replacements[ROOT] = f'<html lang="en" data-manual="{escaped(manual)}">'
    for old, new in replacements.items():
        assert page.count(old) == 1
        page = page.replace(old, new)
    return page


def _source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
