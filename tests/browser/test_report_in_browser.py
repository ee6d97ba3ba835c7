"""The report in Chromium: drawn, legible in light and dark, on a phone and on a desk, and closed to the world."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff._report import report
from real_data import two_classes

HOSTILE = "<script>alert(1)</script>"
SIZES = {"phone": (360, 740), "desk": (1280, 900)}
SCHEMES = ("light", "dark")


def of_cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = np.where(y == 1, "benign", "malignant")
    X = (X - X.mean()) / X.std()
    return nk.LinearSVM(C=0.1).fit(X, y), X, y, {}


def of_digits():
    X, y = load_digits(return_X_y=True)
    model = nk.Perceptron(max_iter=5).fit(X[:1200], y[:1200])
    return model, X[:1200], y[:1200], {"test": (X[1200:], y[1200:])}


def of_spam():
    X, y = two_classes("spam_stream")
    return nk.PassiveAggressiveI(max_iter=1).fit(X, y), X, y, {}


def of_hostile_names():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(X @ [1.0, 0.2] > 0, HOSTILE, "<img src=x onerror=alert(2)>")
    names = [f"{HOSTILE}<a href='javascript:alert(3)'>x</a>", "a_very_long_name_" * 12]
    return nk.Perceptron().fit(X, y), X, y, {"title": HOSTILE, "feature_names": names}


SUBJECTS = {"cancer": of_cancer, "digits": of_digits, "spam": of_spam, "hostile names": of_hostile_names}
OTHERS = ("digits", "spam", "hostile names")


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A function from the name of a subject to the file of its report, which is written once."""
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def file_of(name):
        model, X, y, options = SUBJECTS[name]()
        report(model, X, y, folder / f"{name}.html", **options)
        return folder / f"{name}.html"

    return file_of


@pytest.fixture
def cancer_file(files):
    return files("cancer")


@contextmanager
def opened(browser, path, scheme="light", size="desk"):
    """The page, with whatever it says, asks for or shows that it should not; nothing of that may be there."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page, trouble = context.new_page(), []
    page.on("console", lambda message: trouble.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: trouble.append(request.url) if request.url != path.as_uri() else None)
    context.route("**/*", lambda route: route.continue_() if route.request.url == path.as_uri() else route.abort())
    page.goto(path.as_uri())
    expect(page.locator(".picture:not(.js-plotly-plot)")).to_have_count(0)
    try:
        yield page
        assert [line for line in trouble if not line.startswith(("data:", "blob:"))] == []
    finally:
        context.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["cancer", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_axe_finds_nothing(browser, files, name, scheme, size):
    with opened(browser, files(name), scheme, size) as page:
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_every_figure_is_drawn_and_the_page_is_no_wider_than_the_screen(browser, files, name, size):
    with opened(browser, files(name), size=size) as page:
        boxes = page.evaluate(
            """[...document.querySelectorAll(".picture")].map((picture) => {
              const inner = picture.querySelector(".cartesianlayer").getBoundingClientRect();
              return [picture.clientWidth, picture.clientHeight, inner.width, inner.height];
            })"""
        )
        assert len(boxes) >= 5
        assert np.min(boxes) > 30
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]


def test_dark_mode_changes_ground_and_words_and_pictures_at_once(browser, cancer_file):
    colours = """() => {
      const label = document.querySelector("#figure-weights .ytick text");
      const bar = document.querySelector("#figure-weights .bars path");
      return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
              getComputedStyle(label).fill, getComputedStyle(bar).fill];
    }"""
    with opened(browser, cancer_file) as page:
        light = page.evaluate(colours)
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(300)
        dark = page.evaluate(colours)
        assert all(one != other for one, other in zip(light, dark, strict=True))
        assert light[1] == light[2]
        assert dark[1] == dark[2]
        page.emulate_media(color_scheme="light")
        page.wait_for_timeout(300)
        assert page.evaluate(colours) == light


def test_the_legend_hides_and_shows_what_it_names(browser, cancer_file):
    with opened(browser, cancer_file) as page:
        shown = page.locator("#figure-boundary .scatterlayer .trace")
        before = shown.count()
        toggle = page.locator("#figure-boundary .legendtoggle").first
        toggle.click()
        expect(shown).to_have_count(before - 1)
        page.wait_for_timeout(500)  # not a double click
        toggle.click()
        expect(shown).to_have_count(before)


def test_a_bar_says_what_it_is(browser, cancer_file):
    with opened(browser, cancer_file) as page:
        page.locator("#figure-weights .bars path").first.hover(force=True)
        page.wait_for_selector("#figure-weights .hoverlayer .hovertext")
        words = page.text_content("#figure-weights .hoverlayer")
        assert "fractal dimension" in words or "compactness" in words


def test_the_keyboard_reaches_links_tables_and_numbers(browser, cancer_file):
    with opened(browser, cancer_file) as page:
        reached = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.tagName"))
        assert {"A", "SUMMARY", "DIV"} <= reached
        page.locator("summary").first.focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.querySelector('details').open")


def test_without_javascript_the_words_and_tables_are_there(browser, cancer_file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(cancer_file.as_uri())
    assert "The pictures need JavaScript" in page.inner_text("main")
    assert page.locator("table").count() > 3
    context.close()


def test_it_prints_on_white_paper(browser, cancer_file, tmp_path):
    with opened(browser, cancer_file, "dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        page.wait_for_timeout(300)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.pdf(path=tmp_path / "page.pdf")
        assert (tmp_path / "page.pdf").stat().st_size > 20_000


def test_markup_in_names_is_read_as_it_was_written(browser, files):
    with opened(browser, files("hostile names")) as page:
        assert page.inner_text("h1") == HOSTILE
        assert page.title() == HOSTILE
        assert page.locator("main img, main a, main script").count() == 0
        assert HOSTILE[:20] in page.text_content("#figure-boundary .legend")
