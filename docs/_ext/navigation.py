"""The order of all pages: which are sections, in the bar at the top, and which pages belong to each.

The pages are written for GitHub as well, where a list of pages for Sphinx would be shown as text. This extension adds
the list to each section instead, hidden, when Sphinx reads the page.
"""

from __future__ import annotations

import fnmatch
from typing import Any

#: Sections in the order of the bar, each with its pages by caption. ``*`` stands for the other pages of a folder.
SECTIONS: dict[str, dict[str, list[str]]] = {
    "start": {"Start": ["install"]},
    "choosing": {},
    "guide/index": {
        "By task": [
            *("guide/tables-and-text", "guide/streams", "guide/soft-and-hard-margin", "guide/separation"),
            *("guide/certificates", "guide/serving", "guide/clusters", "guide/saving-and-exporting", "guide/drift"),
            "guide/*",
        ],
        "In detail": [
            *("data", "tables", "online", "svm", "separability", "report", "models", "export"),
            *("distributed", "certificate-format"),
        ],
    },
    "gallery/index": {},
    "playground": {},
    "api/index": {
        "By topic": [
            *("api/svm", "api/online", "api/separability", "api/verify", "api/data", "api/models", "api/evaluate"),
            *("api/plot", "api/distributed", "api/serve", "api/theory", "api/bounds", "api/testing", "api/errors"),
        ]
    },
    "coming-from/index": {
        "Coming from": [
            *("coming-from/scikit-learn", "coming-from/liblinear", "coming-from/vowpal-wabbit"),
            *("coming-from/river", "coming-from/detectseparation", "coming-from/*"),
        ]
    },
    "theory": {"Theory": ["notes"]},
    "cli": {},
    "server-api": {"The server": ["server", "settings", "deploy"]},
    "architecture": {"How it is built": ["extending", "project/contributing", "releasing"]},
    "benchmarks": {},
    "scaling": {},
    "project/security": {},
    "project/changelog": {},
}
TITLES = {
    "start": "Start here",
    "choosing": "Choosing a learner",
    "guide/index": "User guide",
    "gallery/index": "Gallery",
    "playground": "Playground",
    "api/index": "API reference",
    "coming-from/index": "Coming from ...",
    "theory": "Theory",
    "cli": "Command line",
    "server-api": "Server API",
    "architecture": "How it is built",
    "benchmarks": "Benchmarks",
    "scaling": "Scaling",
    "project/security": "Security",
    "project/changelog": "Changelog",
}
HOME = "index"


def pages_of(section: str, found: set[str]) -> dict[str, list[str]]:
    """Return the pages of a section by caption, with each ``*`` replaced by the pages that match."""
    captions = {}
    for caption, patterns in SECTIONS.get(section, {}).items():
        pages: list[str] = []
        for pattern in patterns:
            pages += sorted(fnmatch.filter(found - {section, *pages}, pattern)) if "*" in pattern else [pattern]
        captions[caption] = pages
    return captions


def toctree(pages: list[str], caption: str = "", is_restructured: bool = False) -> str:
    """Return a hidden list of pages, in Markdown or reStructuredText."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    lines = [f"{TITLES[page]} </{page}>" if page in TITLES else f"/{page}" for page in pages]
    if is_restructured:
        return "\n\n.. toctree::\n" + "".join(f"   {line}".rstrip() + "\n" for line in [*options, "", *lines])
    return "\n\n:::{toctree}\n" + "\n".join([*options, "", *lines]) + "\n:::\n"


def _add_pages(app: Any, docname: str, source: list[str]) -> None:
    is_restructured = str(app.env.doc2path(docname)).endswith(".rst")
    if docname == HOME:
        source[0] += toctree(list(SECTIONS), "", is_restructured)
    for caption, pages in pages_of(docname, app.env.found_docs).items():
        source[0] += toctree(pages, caption, is_restructured)


def setup(app: Any) -> dict[str, bool]:
    """Add the lists when pages are read."""
    app.connect("source-read", _add_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
