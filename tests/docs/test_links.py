"""Links of the pages: each relative one leads to a file, and its anchor to a heading, on GitHub and on the site."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
WRITTEN_BY_SPHINX = ("gallery", "generated")
PAGES = [
    *NAMED,
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if not set(WRITTEN_BY_SPHINX) & set(path.parts)),
]
FENCE = re.compile(r"^(```|:::)[^\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)")
ON_SITE_ONLY = re.compile(r"(\.\./)*play/index\.html")  # the playground, which the package writes


def anchors(text):
    """The anchors of the headings of a page, as GitHub makes them."""
    seen, found = Counter(), set()
    for heading in re.findall(r"^#{1,6} (.*)$", FENCE.sub("", text), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(anchor if not seen[anchor] else f"{anchor}-{seen[anchor]}")
        seen[anchor] += 1
    return found


def wrong_links(path):
    text = path.read_text(encoding="utf-8")
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or ON_SITE_ONLY.fullmatch(file):
            continue
        place = path.parent / file if file else path
        if not place.exists():
            yield target
        elif anchor and (place.suffix != ".md" or anchor not in anchors(place.read_text(encoding="utf-8"))):
            yield f"{target} (no such heading)"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_anchors_of_a_page_lead_somewhere(path):
    assert list(wrong_links(path)) == []


def test_wrong_links_are_found(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("# A b\n\n## C: `d`\n\n[1](b.md) [2](a.md#a-b) [3](#c-d) [4](#e) [5](https://x.org) `[6](c.md)`\n")
    assert list(wrong_links(page)) == ["b.md", "#e (no such heading)"]
