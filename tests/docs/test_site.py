"""The files of the built site: links, anchors, nothing from elsewhere, every public name, pictures of the gallery."""

import importlib.util
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from public_names import public_names
from site_build import ROOT
from sphinx_extensions import extension

pytestmark = pytest.mark.slow
LOADS = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
}
IN_STYLES = re.compile(r"(?:url\(|@import )\s*[\"']?(?!data:|#)([^\"')\s;]+)")
MAX_BYTES = 30_000_000


class Page(HTMLParser):
    """The links, loaded files and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag != "link" or values.get("rel") not in ("index", "search", "next", "prev", "canonical"):
            self.loaded += [values[key] for key in LOADS.get(tag, ()) if values.get(key)]


read = cache(Page)


def pages(site):
    return sorted(site.rglob("*.html"))


def has_playground():
    return importlib.util.find_spec("novikoff._play") is not None


def target_of(path, link, site):
    """The file that a link leads to, and the anchor; None if it leads elsewhere."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    return (file / "index.html" if file.is_dir() else file), unquote(parts.fragment)


def test_links_lead_to_pages_and_anchors_of_the_site(site):
    wrong = []
    for path in pages(site):
        for link in (*read(path).links, *read(path).loaded):
            file, anchor = target_of(path, link, site) or (path, "")
            if file == site / "play" / "index.html" and not has_playground():
                continue
            is_page = file.suffix == ".html" and file.is_file()
            if not file.is_file() or (is_page and anchor not in read(file).anchors and file.parent.name != "play"):
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert wrong == []


def test_pages_and_styles_load_nothing_from_elsewhere(site):
    loaded = {url for path in pages(site) for url in read(path).loaded}
    for path in site.rglob("*.css"):
        loaded |= set(IN_STYLES.findall(path.read_text(encoding="utf-8")))
    assert [url for url in sorted(loaded) if urlsplit(url).scheme not in ("", "data") or urlsplit(url).netloc] == []


def test_paths_are_relative_so_that_the_site_may_be_in_any_folder(site):
    for path in pages(site):
        absolute = [link for link in (*read(path).links, *read(path).loaded) if link.startswith("/")]
        assert absolute == [], path


def test_the_title_of_the_front_page_says_what_it_is(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "<title>novikoff: linear classifiers with certificates</title>" in text


def test_every_public_name_has_an_entry(site):
    anchors = {anchor for path in (site / "api" / "generated").glob("*.html") for anchor in read(path).anchors}
    assert sorted(set(public_names()) - anchors) == []


def test_the_bar_has_all_sections_and_every_page_belongs_to_one(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    entries = re.findall(
        r'<a class="(?:nav-link|nav-link dropdown-item) nav-internal"[^>]*>\s*(.*?)\s*</a>', text, re.S
    )
    assert list(dict.fromkeys(entries)) == list(extension("navigation").TITLES.values())


def test_every_example_of_the_gallery_has_a_picture(site):
    scripts = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
    assert scripts
    for script in scripts:
        text = (site / "gallery" / f"{script.stem}.html").read_text(encoding="utf-8")
        assert "sphx_glr_" in text, script.name
        assert re.search(r'<img src="\.\./_images/sphx_glr_[^>]+ alt="[^"]+"', text), script.name


def test_the_site_does_not_tell_where_it_was_built(site):
    built_in = {str(ROOT), str(site.parent), str(Path.home())} - {"/"}
    texts = (path for path in site.rglob("*") if path.suffix in (".html", ".js", ".css", ".py", ".ipynb"))
    found = [
        f"{path.relative_to(site)}: {name}" for path in texts for name in built_in if name in path.read_text("utf-8")
    ]
    assert found == []


def test_the_site_is_of_moderate_size(site):
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < MAX_BYTES
    assert not list(site.rglob("fontawesome.js"))
    assert not list(site.rglob("*.map"))


@pytest.mark.skipif(not has_playground(), reason="novikoff._play is not part of this installation (pip install .)")
def test_the_playground_is_part_of_the_site(site):
    assert len((site / "play" / "index.html").read_text(encoding="utf-8")) > 10_000
    assert any("play/index.html" in link for link in read(site / "playground.html").links)
