"""The extensions of Sphinx in docs/_ext: navigation, links to files of the repository, formulas, docstrings."""

import re
from types import SimpleNamespace

import pytest
from sphinx_extensions import DOCS, extension

import novikoff as nk

NAVIGATION, LINKS, OBJECTS = map(extension, ("navigation", "repository_links", "api_objects"))
SOURCE = re.compile(r'"(?:Theory ([A-Z]\d*)|Note \d, claims? (\d)\.(\d+))')  # as in panels.js
WRITTEN = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
WRITTEN |= {f"api/{path.stem}" for path in (DOCS / "api").glob("*.rst")} | {"gallery/index"}


def test_every_page_is_in_the_navigation_once():
    listed = ["index", *NAVIGATION.SECTIONS]
    for section in NAVIGATION.SECTIONS:
        listed += [page for pages in NAVIGATION.pages_of(section, WRITTEN).values() for page in pages]
    assert len(listed) == len(set(listed))
    assert sorted(listed) == sorted(page for page in WRITTEN if not page.startswith("gallery/plot_"))


def test_every_section_has_a_title():
    assert list(NAVIGATION.TITLES) == list(NAVIGATION.SECTIONS)


def test_a_star_stands_for_the_other_pages_of_a_folder():
    pages = NAVIGATION.pages_of("coming-from/index", WRITTEN | {"coming-from/index", "coming-from/weka"})
    assert pages["Coming from"][0] == "coming-from/scikit-learn"
    assert pages["Coming from"][-1] == "coming-from/weka"
    assert len(pages["Coming from"]) == len(set(pages["Coming from"]))


def test_lists_of_pages_are_added_in_the_language_of_the_page():
    assert NAVIGATION.toctree(["start"]) == "\n\n:::{toctree}\n:hidden:\n\nStart here </start>\n:::\n"
    assert ".. toctree::\n   :hidden:\n   :caption: C\n\n   /x" in NAVIGATION.toctree(["x"], "C", is_restructured=True)


@pytest.mark.parametrize(
    ("target", "page", "expected"),
    [
        ("../SECURITY.md", "data", "project/security.md"),
        ("../../CONTRIBUTING.md", "guide/streams", "../project/contributing.md"),
        ("../README.md", "start", "index.md"),
        ("../examples/gallery/plot_spam_stream.py", "start", "gallery/plot_spam_stream.rst"),
        ("../../examples/gallery/plot_spam_stream.py", "guide/streams", "../gallery/plot_spam_stream.rst"),
        ("../../examples/gallery", "guide/streams", "../gallery/index.rst"),
        ("svm.md", "data", "svm.md"),
        ("../examples/demo.py", "start", "../examples/demo.py"),
    ],
)
def test_links_to_files_with_a_page_lead_to_the_page(target, page, expected):
    assert LINKS.on_site(target, page) == expected


def test_links_of_an_included_file_are_relative_to_the_root():
    source = ["[1](docs/server.md#security) [2](CONTRIBUTING.md#dependencies) [3](https://x.org) [4](LICENSE)"]
    app = SimpleNamespace(env=SimpleNamespace(docname="project/security"))
    LINKS._translate_included(app, None, "security", source)
    there = (
        "[1](../server.md#security) [2](../project/contributing.md#dependencies) [3](https://x.org) [4](../../LICENSE)"
    )
    assert source == [there]


def test_links_to_folders_are_text_and_those_to_the_playground_html():
    source = ["[examples](../examples/notes) and [play](play/index.html#x)"]
    LINKS._translate(SimpleNamespace(env=None), "notes", source)
    assert source == ['examples and <a href="play/index.html#x">play</a>']


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1/2 |w|^2", r"1/2 \|w\|^2"),
        ("``|w|`` and |v|", r"``|w|`` and \|v\|"),
        ("x_i and coef_, fit", r"x_i and coef\_, fit"),
        ("see [1]_ and `a_`", "see [1]_ and `a_`"),
    ],
)
def test_bars_and_underscores_of_formulas_are_text(line, expected):
    assert OBJECTS.escaped(line) == expected


def test_examples_of_docstrings_stay_as_they_are():
    lines = ["|a|", ".. math:: |a|", ">>> x = a | b", "1 | 2", "", "|b|"]
    OBJECTS._escape(None, "function", "f", None, None, lines)
    assert lines == [r"\|a\|", ".. math:: |a|", ">>> x = a | b", "1 | 2", "", r"\|b\|"]


@pytest.mark.parametrize(
    ("member", "is_shown"), [(nk.LinearSVM.fit, True), (nk.LinearSVM.get_params, False), (int.to_bytes, False)]
)
def test_members_of_other_packages_are_not_shown(member, is_shown):
    assert (OBJECTS._skip(None, "class", "x", member, False, None) is None) == is_shown


def test_formulas_become_mathml():
    pytest.importorskip("docutils", reason="Sphinx is not installed (make docs)")
    translator = SimpleNamespace(body=[])
    mathml = extension("mathml")
    with pytest.raises(mathml.SkipNode):
        mathml._inline(translator, SimpleNamespace(astext=lambda: r"\frac{R}{\gamma}"))
    assert re.match("<math.*<mfrac>", translator.body[0], re.DOTALL)


def test_pages_are_corrected_for_screen_readers():
    accessible = extension("accessible")
    page = '<tr><th class="head"><p></p></th><th class="head"><p>rows</p></th></tr><div role="doc-biblioentry">'
    assert accessible.corrected(page) == '<tr><td></td><th class="head"><p>rows</p></th></tr><div>'
    assert 'aria-label="Pages of this section"' in accessible.corrected('<summary><span class="toctree-toggle" x>')


def test_wide_figures_scroll_in_a_box_that_the_keyboard_reaches():
    corrected = extension("accessible").corrected
    wide, narrow = (f'<p><img alt="x" src="_images/{name}.svg" /></p>' for name in ("memory", "ratios"))
    assert corrected(wide) == f'<div class="wide-figure" tabindex="0">{wide[3:-4]}</div>'
    assert corrected(narrow) == narrow


def test_the_page_about_the_playground_gets_a_link_below_its_title():
    text = extension("playground").with_link("# The playground\n\nA page.\n\n# Other\n")
    assert re.findall(r'href="([^"]+)"', text) == ["play/index.html"]
    assert text.startswith("# The playground\n\n<a ")
    assert text.endswith("</a>\n\n\nA page.\n\n# Other\n")


def test_statements_and_claims_have_anchors():
    statements = extension("statements")
    text = "- **A4** If a separator\n- **B** After updates\n  - **no** statement\n"
    marked = statements.with_anchors("theory", text)
    assert re.findall(r'id="(.*?)"', marked) == ["a4", "b"]
    assert re.sub("<span.*?</span>", "", marked) == text
    assert statements.with_anchors("notes", "| 4.10 | A claim |") == '| <span id="claim-4-10"></span>4.10 | A claim |'
    assert statements.with_anchors("svm", text) == text


def test_the_sources_that_the_playground_names_have_anchors():
    statements = extension("statements")
    pages = ((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("theory", "notes"))
    anchors = re.findall(r'<span id="(.*?)"', "".join(map(statements.with_anchors, ("theory", "notes"), pages)))
    scripts = DOCS.parent / "playground" / "page"
    named = [source for path in scripts.glob("*.js") for source in SOURCE.findall(path.read_text(encoding="utf-8"))]
    assert len(named) > 20
    places = [statement.lower() or f"claim-{note}-{claim}" for statement, note, claim in named]
    assert set(places) <= set(anchors)
    assert len(anchors) == len(set(anchors))
