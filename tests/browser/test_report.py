"""The report in Chromium: figures are drawn, it is legible in light and dark, on phones and screens, and loads nothing.

Loading a page takes seconds, so the fast tests check many facts on one page.
"""

from functools import cache

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from sklearn.datasets import load_breast_cancer, load_digits, make_classification

import novikoff as nk
from real_data import two_classes
from share import share_of

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # reports of unfinished runs, too

HOSTILE = "<script>alert(1)</script>"
PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
MAX_HEIGHT = 4 * DESKTOP["height"]  # of a page with everything folded that is folded at first


def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = np.where(y == 1, "benign", "malignant")
    X = (X - X.mean()) / X.std()
    return nk.LinearSVM(C=0.1).fit(X, y), X, y, {}


def digits():
    X, y = load_digits(return_X_y=True)
    model = nk.Perceptron(max_iter=5).fit(X[:1200], y[:1200])
    return model, X[:1200], y[:1200], {"test": (X[1200:], y[1200:])}


def groups():
    """Twenty classes with long names."""
    X, codes = make_classification(1200, 40, n_informative=25, n_classes=20, n_clusters_per_class=1, random_state=0)
    y = np.array([f"comp.sys.group-{code:02}.misc" for code in codes])
    return nk.LinearSVM(C=0.1).fit(X[:900], y[:900]), X[:900], y[:900], {"test": (X[900:], y[900:])}


def spam():
    X, y = two_classes("spam_stream")
    return nk.PassiveAggressiveI(max_iter=1).fit(X, y), X, y, {}


def hostile_names():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(X @ [1.0, 0.2] > 0, HOSTILE, "<img src=x onerror=alert(2)>")
    names = [f"{HOSTILE}<a href='javascript:alert(3)'>x</a>", "a_very_long_name_" * 12]
    return nk.Perceptron().fit(X, y), X, y, {"title": HOSTILE, "feature_names": names}


OUTSIDE_FIGURES = {"exclude": [[".plot > *"]]}  # the figures have thousands of elements; slow tests include them
SUBJECTS = {"cancer": cancer, "digits": digits, "groups": groups, "spam": spam, "hostile names": hostile_names}
NOT_DRAWN = ".plot:not(.js-plotly-plot):visible"


@pytest.fixture(scope="session")
def file_of(tmp_path_factory):
    """A function from the name of a subject to the file of its report, which is written once."""
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def written(name):
        model, X, y, options = SUBJECTS[name]()
        nk.report(model, X, y, folder / f"{name}.html", **options)
        return folder / f"{name}.html"

    return written


class Tab:
    """An open report with all details shown, unless they stay folded, and what it did that it should not."""

    def __init__(self, browser, path, scheme="light", size=DESKTOP, is_folded=False):
        self.context = browser.new_context(viewport=size, color_scheme=scheme)
        self.page, self.trouble = self.context.new_page(), []
        self.page.on("console", lambda message: self.trouble.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.context.route("**/*", lambda route: self._answer(route, path.as_uri()))
        self.page.goto(path.as_uri())
        expect(self.page.locator(NOT_DRAWN)).to_have_count(0)
        if not is_folded:
            self.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
            expect(self.page.locator(NOT_DRAWN)).to_have_count(0)

    def _answer(self, route, own):
        url = route.request.url
        if url != own and not url.startswith(("data:", "blob:")):
            self.trouble.append(url)
            route.abort()
        else:
            route.continue_()

    def reset(self):
        self.page.emulate_media(media="screen", color_scheme="light")
        self.page.set_viewport_size(DESKTOP)


@pytest.fixture(scope="module")
def cancer_tab(browser, file_of):
    tab = Tab(browser, file_of("cancer"))
    yield tab
    tab.context.close()


@pytest.fixture
def page(cancer_tab):
    """The report on the cancer data, light and on a desktop, which all tests share."""
    yield cancer_tab.page
    cancer_tab.reset()
    assert cancer_tab.trouble == []


def assert_accessible(page, context=None):
    results = Axe().run(page, context=context, options={"resultTypes": ["violations"]})
    assert results.violations_count == 0, results.generate_report()


def assert_figures_are_drawn(page):
    boxes = page.evaluate(
        """[...document.querySelectorAll(".plot")].filter((plot) => plot.checkVisibility()).map((plot) => {
          const inner = plot.querySelector(".cartesianlayer").getBoundingClientRect();
          return [plot.clientWidth, plot.clientHeight, inner.width, inner.height];
        })"""
    )
    assert len(boxes) >= 5
    assert np.min(boxes) > 30
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_figures_are_drawn_and_a_light_page_on_a_phone_is_accessible(page):
    assert_figures_are_drawn(page)
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(300)
    assert_figures_are_drawn(page)
    assert_accessible(page, OUTSIDE_FIGURES)


@pytest.mark.slow
def test_dark_scheme_changes_page_and_figures_and_is_accessible(page):
    colours = """() => {
      const label = document.querySelector("#figure-weights .ytick text");
      const bar = document.querySelector("#figure-weights .bars path");
      return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
              getComputedStyle(label).fill, getComputedStyle(bar).fill];
    }"""
    light = page.evaluate(colours)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(300)
    dark = page.evaluate(colours)
    assert all(one != other for one, other in zip(light, dark, strict=True))
    assert light[1] == light[2]
    assert dark[1] == dark[2]
    assert_accessible(page, OUTSIDE_FIGURES)
    page.emulate_media(color_scheme="light")
    page.wait_for_timeout(300)
    assert page.evaluate(colours) == light


@pytest.mark.slow
def test_legend_entry_hides_and_shows_its_trace(page):
    shown = page.locator("#figure-boundary .scatterlayer .trace")
    before = shown.count()
    toggle = page.locator("#figure-boundary .legendtoggle").first
    toggle.click()
    expect(shown).to_have_count(before - 1)
    page.wait_for_timeout(400)  # a second click within 300 ms would be a double click
    toggle.click()
    expect(shown).to_have_count(before)


def test_pointing_at_a_bar_shows_its_name(page):
    page.locator("#figure-weights .bars path").first.hover(force=True)
    page.wait_for_selector("#figure-weights .hoverlayer .hovertext")
    words = page.text_content("#figure-weights .hoverlayer")
    assert any(name in words for name in page.locator("#figure-weights .ytick text").all_text_contents())


@pytest.mark.slow
def test_page_of_two_classes_is_a_few_screens_and_leads_with_verdict_and_picture(browser, file_of):
    tab = Tab(browser, file_of("cancer"), is_folded=True)
    assert tab.page.evaluate("document.documentElement.scrollHeight") <= MAX_HEIGHT
    verdict, figure = (tab.page.locator(name).first.bounding_box() for name in (".verdict", ".lead-figure .plot"))
    assert verdict["y"] + verdict["height"] <= figure["y"]
    assert figure["y"] + figure["height"] <= DESKTOP["height"]
    tab.context.close()


@pytest.mark.slow
def test_page_of_twenty_classes_is_a_few_screens_and_shows_the_chosen_class(browser, file_of):
    tab = Tab(browser, file_of("groups"), is_folded=True)
    page = tab.page
    assert page.evaluate("document.documentElement.scrollHeight") <= MAX_HEIGHT
    assert page.locator(".choice:visible").count() == 1
    before = page.locator(".choice:visible").text_content()
    page.select_option("#class", label="comp.sys.group-07.misc")
    expect(page.locator(NOT_DRAWN)).to_have_count(0)
    assert page.locator(".choice:visible").count() == 1
    assert page.locator(".choice:visible").text_content() != before
    assert "comp.sys.group-07.misc" in page.locator(".choice:visible").text_content()
    assert_figures_are_drawn(page)
    page.set_viewport_size(PHONE)
    page.wait_for_timeout(300)
    assert_figures_are_drawn(page)
    assert_accessible(page, OUTSIDE_FIGURES)
    tab.context.close()
    assert tab.trouble == []


@pytest.mark.slow
def test_tables_of_classes_do_not_scroll_sideways_on_a_phone(browser, file_of):
    tab = Tab(browser, file_of("groups"), size={"width": 390, "height": 844}, is_folded=True)
    wide = """[...document.querySelectorAll(".wide")].filter((part) => part.checkVisibility())
      .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.ariaLabel)"""
    assert tab.page.evaluate(wide) == []
    tab.context.close()


@pytest.mark.slow
def test_keyboard_reaches_links_tables_and_details(page):
    reached = set()
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.tagName"))
    assert {"A", "SUMMARY", "DIV"} <= reached
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert not page.evaluate("document.querySelector('details').open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector('details').open")


@pytest.mark.slow
def test_print_has_a_white_background(page, tmp_path):
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_timeout(300)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").stat().st_size > 20_000


@pytest.mark.slow
def test_text_and_tables_are_there_without_javascript(browser, file_of):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file_of("cancer").as_uri())
    assert "The figures need JavaScript" in page.inner_text("main")
    assert page.locator("table").count() > 3
    page.goto(file_of("digits").as_uri())
    assert "The figures show the class" in page.inner_text("main")
    assert not page.locator("#class").is_visible()
    context.close()


@pytest.mark.slow
def test_markup_in_names_is_shown_as_text(browser, file_of):
    tab = Tab(browser, file_of("hostile names"), size=PHONE)
    assert tab.page.inner_text("h1") == HOSTILE
    assert tab.page.title() == HOSTILE
    assert tab.page.locator("main img, main a, main script").count() == 0
    assert HOSTILE[:20] in tab.page.text_content("#figure-boundary .legend")
    assert_figures_are_drawn(tab.page)
    tab.context.close()
    assert tab.trouble == []


LOOKS = {
    "light phone": ("light", PHONE),
    "dark desktop": ("dark", DESKTOP),
    "dark phone": ("dark", PHONE),
    "light desktop": ("light", DESKTOP),
}


@pytest.mark.slow
@pytest.mark.parametrize("look", list(LOOKS)[: max(2, share_of(len(LOOKS)))])  # each scheme and each size
@pytest.mark.parametrize("name", SUBJECTS)
def test_every_report_is_drawn_and_accessible_in_every_scheme_and_size(browser, file_of, name, look):
    tab = Tab(browser, file_of(name), *LOOKS[look])
    assert_figures_are_drawn(tab.page)
    assert_accessible(tab.page)
    tab.context.close()
    assert tab.trouble == []
