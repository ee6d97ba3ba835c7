"""Links to files of the repository that are not in docs/, but have a page of their own on the site.

``[SECURITY.md](../SECURITY.md)`` leads to the file on GitHub, and to the page ``project/security`` on the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

PAGES = {
    "../README.md": "index.md",
    "../CONTRIBUTING.md": "project/contributing.md",
    "../SECURITY.md": "project/security.md",
    "../CHANGELOG.md": "project/changelog.md",
    "../examples/gallery": "gallery/index.rst",
}
EXAMPLE = re.compile(r"\.\./examples/(gallery/plot_\w+)\.py")  # which has a page of the gallery
DOCS = Path(__file__).parents[1]
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")
PLAYGROUND = re.compile(
    r"\[([^\]]+)\]\(((?:\.\./)*play/index\.html[^)\s]*)\)"
)  # a file that playground.py writes later
FULL_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)\)")


def on_site(target: str, docname: str) -> str:
    """Return where a link of a page leads on the site; both are relative to the page."""
    folder = posixpath.dirname(docname)
    path = posixpath.normpath(posixpath.join(folder, target))
    page = PAGES.get(path) or EXAMPLE.sub(r"\1.rst", path)
    return target if page == path else posixpath.relpath(page, folder or ".")


def _translate(app: Any, docname: str, source: list[str]) -> None:
    text = LINK.sub(lambda match: on_site(match[0], docname), source[0])
    source[0] = PLAYGROUND.sub(r'<a href="\2">\1</a>', _without_folders(text, docname))


def _without_folders(text: str, docname: str) -> str:
    """Links to folders of the repository remain as text: the site has no page for them."""
    folder = (DOCS / docname).parent
    return FULL_LINK.sub(lambda match: match[1] if (folder / match[2]).is_dir() else match[0], text)


def _translate_included(app: Any, path: Any, stem: str, source: list[str]) -> None:
    """Links of CHANGELOG.md and the like are relative to the root of the repository."""
    docname = app.env.docname
    source[0] = LINK.sub(lambda match: _from_root(match[0], "../" * docname.count("/")), source[0])
    source[0] = _without_folders(source[0], docname)


def _from_root(target: str, up: str) -> str:
    if "://" in target:
        return target
    if f"../{target}" in PAGES:
        return up + PAGES[f"../{target}"]
    return up + target.removeprefix("docs/") if target.startswith("docs/") else f"{up}../{target}"


def setup(app: Any) -> dict[str, bool]:
    """Translate links when pages are read."""
    app.connect("source-read", _translate)
    app.connect("include-read", _translate_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
