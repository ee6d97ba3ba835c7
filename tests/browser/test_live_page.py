"""The page of the server in Chromium, with a server that answers with generated numbers."""

import re
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from live_server import LiveServer, overview
from novikoff.serve.http.openapi import document
from novikoff.serve.http.reference_page import STYLE, reference_page
from novikoff.serve.settings import Settings

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
LIVE = "#connection[data-state=live]"
LOST = "#connection[data-state=lost]"
TIMEOUT = 15_000  # milliseconds until something must have happened
MISSING = "\u2013"


class Tab:
    """An open page, and what it did that it should not."""

    def __init__(self, browser, server, model=None, scheme="light", size=DESKTOP, **options):
        self.context = browser.new_context(viewport=size, color_scheme=scheme, **options)
        self.context.set_default_timeout(TIMEOUT)
        self.page, self.trouble = self.context.new_page(), []
        self.page.on("console", lambda message: self.trouble.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self._check(request.url, server.url))
        self.page.goto(server.url + (f"#model={model}" if model else ""))

    def _check(self, url, own):
        if not url.startswith((own, "data:")):
            self.trouble.append(f"request: {url}")

    def failed_requests(self):
        """Remove and return what Chromium itself writes about requests that fail, as tests make them fail."""
        failed = [text for text in self.trouble if "Failed to load resource" in text or "net::ERR_" in text]
        self.trouble = [text for text in self.trouble if text not in failed]
        return failed


@pytest.fixture(scope="module")
def server():
    reason = {"learning": "stopped", "reason": "The disk is full. Free some space."}
    names = [overview(points=20), overview("empty", 0), overview("stopped", 300, points=20, server=reason)]
    server = LiveServer({found["model"]: found for found in names}, interval=0.5)  # few points: axe looks at each row
    yield server
    server.stop()


@pytest.fixture
def own_server():
    """A function that makes a server for one test."""
    made = []

    def make(*overviews, **options):
        made.append(LiveServer({found["model"]: found for found in overviews}, **options))
        return made[-1]

    yield make
    for each in made:
        if each.thread.is_alive():
            each.stop()


@pytest.fixture
def open_tab(browser, own_server):  # whose servers stop after the pages are closed
    """A function that opens the page. At the end of the test nothing may have gone wrong in it."""
    tabs = []

    def opened(server, *args, **options):
        tabs.append(Tab(browser, server, *args, **options))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.context.close()
        assert tab.trouble == []


def assert_accessible(page):
    results = Axe().run(page, options={"resultTypes": ["violations"]})
    assert results.violations_count == 0, results.generate_report()


def assert_fits(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def wait_until(page, holds):
    """Wait until what the server knows fulfils a condition: the page shows what it asked for before that."""
    deadline = time.monotonic() + TIMEOUT / 1000
    while not holds() and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert holds()


def open_details(page):
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("model", "scheme", "size"),
    [
        pytest.param("default", "light", DESKTOP, id="default light desktop"),
        pytest.param("stopped", "dark", PHONE, id="stopped dark phone"),
        pytest.param("empty", "light", PHONE, id="empty light phone"),
        pytest.param("default", "dark", DESKTOP, id="default dark desktop", marks=SLOW),
        pytest.param("default", "light", PHONE, id="default light phone", marks=SLOW),
        pytest.param("empty", "dark", DESKTOP, id="empty dark desktop", marks=SLOW),
    ],
)
def test_page_is_accessible_and_fits(open_tab, server, model, scheme, size):
    page = open_tab(server, model, scheme, size).page
    page.wait_for_selector(LIVE)
    open_details(page)
    assert_fits(page)
    assert_accessible(page)
    shown = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert shown == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 27)")


def test_everything_of_the_overview_is_shown(open_tab, server):
    page = open_tab(server).page
    page.wait_for_selector(LIVE)
    text = page.inner_text("body").replace("\u00a0", " ")
    for words in (
        "97.6 %", "same as last label 72.0 %", "majority 66.7 %", "at most 1,432 by the bound", "0.1235", "10,240 / s",
        "predictions 812.5 / s", "0.21 ms", "99 % within 2 ms", "of 65,536 places", "Learning on", "tracker",
        "2 labels: ham, spam", "If some weights separate", "arow (arow) would have made the fewest mistakes",
        "16 fewer", "130 more", "same over 400 examples", "Labels that came later: 1 wrong prediction served.",
    ):  # fmt: skip
        assert words in text, words
    assert page.locator("#latest tbody tr").count() == 12
    assert page.locator("#latest tbody tr").first.inner_text().split() == [
        "12,345", "ham", "spam", "0.2609", "free", "1", "money", "2", "offer", "3",
    ]  # fmt: skip
    assert page.locator("#weights tbody tr").first.inner_text().split() == ["free", "spam", "2.5"]
    assert page.locator("#shadows tbody tr").count() == 4
    assert "12,345 examples" in page.get_by_role("img").first.evaluate(
        "(svg) => document.getElementById(svg.getAttribute('aria-labelledby')).textContent"
    )


def test_curve_moves_as_examples_are_learned(open_tab, own_server):
    server = own_server(overview(examples=100))
    page = open_tab(server).page
    line = page.locator("#accuracy-chart path.model")
    expect(page.locator("#accuracy figcaption")).to_contain_text("over 100 examples")
    drawn = {line.get_attribute("d")}
    page.locator("#accuracy summary").click()
    for examples in (150, 1_000, 20_000):
        server.overviews["default"] = overview(examples=examples)
        expect(page.locator("#accuracy figcaption")).to_contain_text(f"over {examples:,} examples")
        drawn.add(line.get_attribute("d"))
        expect(page.locator("#accuracy tbody tr").last).to_contain_text(f"{examples:,}")
    assert len(drawn) == 4
    assert page.locator("#accuracy tbody tr").count() == 400


def test_a_bound_that_is_known_only_now_is_a_level_line(open_tab, own_server):
    found = overview(examples=1_000, counts={"updates": None}, bound={"mistakes": 1e6})
    found["curve"] = [[*point[:4], None] for point in found["curve"]]
    del found["counts"]["updates"], found["counts"]["pending"]
    page = open_tab(own_server(found)).page
    page.wait_for_selector(LIVE)
    points = page.locator("#mistakes-chart path.bound").get_attribute("d").removeprefix("M").split("L")
    (left, one), (right, other) = (map(float, point.split(",")) for point in points)
    assert one == other
    assert left < right
    expect(page.locator("#mistakes figcaption")).to_contain_text("The scale is logarithmic.")
    assert "1M" in page.locator("#mistakes-chart text").all_text_contents()
    assert page.evaluate(
        """[...document.querySelectorAll("svg text")].every((text) => {
          const [own, svg] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
          return own.left >= svg.left && own.right <= svg.right;
        })"""
    )
    assert "updates of the weights" not in page.inner_text("#counts")


def test_first_example_draws_the_curve(open_tab, own_server):
    server = own_server(overview(examples=0))
    page = open_tab(server).page
    expect(page.locator("#empty")).to_contain_text("No example has been learned yet")
    command = f"curl {server.url}v1/models/default/learn -H 'Content-Type: application/json' -d '{{"
    expect(page.locator("#empty-command")).to_have_text(re.compile(f"^{re.escape(command)}"))
    assert not page.locator("#learned").is_visible()
    server.overviews["default"] = overview(examples=1)
    expect(page.locator("#accuracy-chart path.model")).to_have_count(1)
    assert "NaN" not in page.content()
    assert not page.locator("#empty").is_visible()


def test_a_server_without_models_says_how_to_make_one(open_tab, own_server):
    page = open_tab(own_server()).page
    expect(page.locator("#empty")).to_contain_text("There are no models yet")
    expect(page.locator("#empty-command")).to_contain_text("-X PUT")
    expect(page.locator("#connection")).to_have_text("Connected")


def test_stopped_learning_shows_its_reason(open_tab, server):
    page = open_tab(server, "stopped").page
    expect(page.locator("#stopped")).to_have_text(
        "Learning is stopped. The disk is full. Free some space. The server still predicts."
    )
    expect(page.locator("#learning")).to_have_text("Learning stopped")


@pytest.mark.slow
def test_pause_keeps_the_numbers(open_tab, own_server):
    server = own_server(overview(examples=100))
    page = open_tab(server).page
    page.wait_for_selector(LIVE)
    page.get_by_role("button", name="Pause updates").click()
    server.overviews["default"] = overview(examples=200)
    page.wait_for_timeout(400)
    expect(page.locator("#accuracy figcaption")).to_contain_text("over 100 examples")
    page.get_by_role("button", name="Pause updates").click()
    expect(page.locator("#accuracy figcaption")).to_contain_text("over 200 examples")


def test_intervals_and_values_under_the_pointer(open_tab, server):
    page = open_tab(server).page
    page.wait_for_selector(LIVE)
    before = page.locator("#accuracy-chart path.model").get_attribute("d")
    page.get_by_label("each interval").check()
    assert page.locator("#accuracy-chart path.model").get_attribute("d") != before
    expect(page.locator("#accuracy figcaption")).to_contain_text("the last interval")
    box = page.locator("#mistakes-chart").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    expect(page.locator("#mistakes .where")).not_to_have_text("after 12,345 examples")
    page.mouse.move(2, 2)
    expect(page.locator("#mistakes .where")).to_have_text("after 12,345 examples")


@pytest.mark.slow
def test_page_reconnects_after_the_server_restarts(open_tab, own_server):
    server = own_server(overview(examples=100))
    tab = open_tab(server)
    tab.page.wait_for_selector(LIVE)
    server.stop()
    tab.page.wait_for_selector(LOST)
    expect(tab.page.locator("#notice")).to_contain_text("The server cannot be reached.")
    expect(tab.page.locator("#notice")).to_contain_text("The numbers below are the last that arrived.")
    server.overviews["default"] = overview(examples=101)
    server.start()
    tab.page.wait_for_selector(LIVE)
    expect(tab.page.locator("#accuracy figcaption")).to_contain_text("over 101 examples")
    assert not tab.page.locator("#notice").is_visible()
    tab.failed_requests()


@SLOW
def test_attempts_become_rarer_and_a_button_tries_at_once(open_tab, own_server):
    server = own_server(overview())
    tab = open_tab(server)
    tab.page.wait_for_selector(LIVE)
    server.stop()
    tab.page.wait_for_selector(LOST)
    tab.page.wait_for_timeout(3_500)
    attempts = len(tab.failed_requests())
    assert 1 <= attempts <= 5
    server.start()
    started = time.monotonic()
    tab.page.get_by_role("button", name="Try now").click()
    tab.page.wait_for_selector(LIVE)
    assert time.monotonic() - started < 3
    tab.failed_requests()


@pytest.mark.slow
def test_token_is_asked_for_and_kept_in_this_tab_alone(open_tab, own_server):
    server = own_server(overview(), token="secret")
    tab = open_tab(server)
    page = tab.page
    expect(page.locator("#token")).to_be_focused()
    assert_accessible(page)
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#notice-words")).to_have_text("The token is missing or not known to this server.")
    page.locator("#token").fill("secret")
    page.get_by_role("button", name="Connect").click()
    page.wait_for_selector(LIVE)
    assert not page.locator("#token-form").is_visible()
    assert "secret" not in page.url + page.content()
    assert page.evaluate("[document.cookie, localStorage.length, sessionStorage.length]") == ["", 0, 1]
    page.reload()
    page.wait_for_selector(LIVE)
    page.get_by_role("button", name="Forget the token").click()
    expect(page.locator("#token")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    tab.failed_requests()


def test_markup_in_names_is_shown_as_text(open_tab, own_server):
    hostile = overview(
        learner=HOSTILE,
        classes=[HOSTILE, "\u202egnp.exe", ""],
        bound={"words": HOSTILE},
        shadows=[{"name": HOSTILE, "learner": HOSTILE, "mistakes": 1, "examples": 12_345}],
        latest_mistakes=[
            {"number": 5, "label": HOSTILE, "predicted": 2**63 - 1, "score": 1.5, "features": [[HOSTILE * 9, 1.0]]}
        ],
        largest_weights=[{"name": HOSTILE * 3, "weight": -1e-12}],
        server={"learning": "stopped", "reason": HOSTILE},
    )
    hostile["model"] = HOSTILE
    server = own_server(hostile, overview())
    page = open_tab(server, size=PHONE).page
    page.wait_for_selector(LIVE)
    page.get_by_label("Model", exact=True).select_option(HOSTILE)
    expect(page.locator("#stopped-reason")).to_have_text(HOSTILE)
    assert page.title() == f"{HOSTILE} · novikoff"
    assert page.locator("main img, main a, main script").count() == 0
    for place in ("#subject", "#bound-words", "#shadows", "#latest", "#weights"):
        assert "<script>alert(1)</script>" in page.inner_text(place), place
    assert "\\u{202e}gnp.exe" in page.inner_text("#subject")
    assert str(2**63 - 1) in page.inner_text("#latest")
    assert_fits(page)


def test_it_is_said_for_which_label_positive_weights_speak(open_tab, own_server):
    page = open_tab(own_server(overview(largest_weights=[{"name": "free", "weight": 2.5}]))).page
    page.wait_for_selector(LIVE)
    assert page.inner_text("#weights-words") == "Positive weights favour spam, negative ones ham."


def test_what_is_not_known_is_not_called_a_fact(open_tab, own_server):
    young = [{"name": "young", "learner": "arow", "mistakes": 0, "examples": 3}]
    page = open_tab(own_server(overview(latest_mistakes=[], shadows=young))).page
    page.wait_for_selector(LIVE)
    assert page.inner_text("#latest-words") == "No mistake since the model was loaded."
    assert "cannot be compared yet" in page.inner_text("#shadows-words")


def test_the_reference_of_the_calls_fits_a_phone(browser):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_content(reference_page(document(Settings())))
    page.add_style_tag(content=STYLE)
    assert_fits(page)
    context.close()


def test_filter_finds_one_of_ten_thousand_models(open_tab, own_server):
    models = [f"model-{number:05}" for number in range(10_000)]
    server = own_server()
    server.overviews = {name: overview(name, 10) for name in ("model-00000", "model-07531")} | dict.fromkeys(models[8:])
    server.overviews["model-07531"] = overview("model-07531", 77)
    page = open_tab(server).page
    page.wait_for_selector(LIVE)
    assert page.locator("#model option").count() <= 201
    assert "the first 200 are listed" in page.inner_text("#matches")
    page.locator("#filter").fill("7531")
    expect(page.locator("#matches")).to_contain_text("1 of 9,993 names match")
    page.keyboard.press("Enter")
    expect(page.locator("#accuracy figcaption")).to_contain_text("over 77 examples")
    assert page.url.endswith("#model=model-07531")
    wait_until(page, lambda: "model-07531" in server.seen)  # after its overview, the page asks for its events


@pytest.mark.slow
def test_a_deleted_model_is_reported(open_tab, own_server):
    server = own_server(overview(), overview("other", 50))
    tab = open_tab(server)
    tab.page.wait_for_selector(LIVE)
    del server.overviews["default"]
    expect(tab.page.locator("#notice")).to_contain_text("There is no model of this name. Choose another model.")
    tab.page.get_by_role("button", name="Try now").click()
    expect(tab.page.locator("#accuracy figcaption")).to_contain_text("over 50 examples")
    tab.failed_requests()


def test_keyboard_reaches_everything_and_focus_is_visible(open_tab, server):
    page = open_tab(server).page
    page.wait_for_selector(LIVE)
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => {
              const at = document.activeElement, box = at.getBoundingClientRect();
              if (at === document.body) return ["", "", false];
              return [at.id || at.parentElement?.parentElement?.id || at.textContent.trim(),
                      getComputedStyle(at).outlineStyle, box.top >= 0 && box.width > 0];
            }"""
        )
        if found[0] in ("", "content") or found in reached:
            break
        assert found[1:] == ["solid", True] or found[1:] == ["auto", True], found
        reached.append(found)
    names = [name for name, *_ in reached]
    assert names[0] == "Skip to the content"
    wanted = {"model", "pause", "span", "accuracy", "mistakes", "latest", "weights", "shadows", "counts", "Metrics"}
    assert wanted <= set(names), wanted - set(names)


def test_skip_link_leads_to_the_content(open_tab, server):
    page = open_tab(server).page
    page.wait_for_selector(LIVE)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_nothing_moves_when_motion_is_reduced(open_tab, server):
    page = open_tab(server, reduced_motion="reduce").page
    page.wait_for_selector(LIVE)
    assert page.evaluate("document.getAnimations().length") == 0


def test_numbers_are_formatted_plainly(open_tab, server):
    page = open_tab(server).page
    found = page.evaluate(
        """async () => {
          const text = await import("/page/text.js");
          const { ticksOf, powersOf } = await import("/page/chart.js");
          return {
            count: [0, 1234567, 12.5, 2e20, null].map(text.count),
            number: [0, 0.12345678, -1234.5, 1.5e-7, 3e12, NaN].map(text.number),
            percent: [0, 0.5, 0.9749, 0.99996, 1, null].map((share) => text.percent(share)),
            milliseconds: [0.214, 12.6, 2500, undefined].map(text.milliseconds),
            name: ["a\\nb", "", true, 7].map(text.name),
            length: text.name("x".repeat(300)).length,
            parsed: text.parsed('{"a": 9007199254740993, "b": 1e300, "c": 12}'),
            ticks: [ticksOf(0.62, 1, 5), ticksOf(0, 0, 5), ticksOf(0, 1432, 5), powersOf(1, 54321)],
          };
        }"""
    )
    assert found["count"] == ["0", "1,234,567", "12.5", "2.000e+20", MISSING]
    assert found["number"] == ["0", "0.1235", "-1,235", "1.500e-7", "3.000e+12", MISSING]
    assert [text.replace("\u00a0", " ") for text in found["percent"]] == [
        "0.0 %", "50.0 %", "97.5 %", "99.996 %", "100.0 %", MISSING,
    ]  # fmt: skip
    assert [text.replace("\u00a0", " ") for text in found["milliseconds"]] == ["0.21 ms", "13 ms", "2.5 s", MISSING]
    assert found["name"] == ["a\\u{a}b", '""', "true", "7"]
    assert found["length"] == 161
    assert found["parsed"] == {"a": "9007199254740993", "b": 1e300, "c": 12}
    assert found["ticks"] == [
        [0.6, 0.7, 0.8, 0.9, 1], [0, 0.2], [0, 500, 1000, 1500], [1, 10, 100, 1000, 10_000, 100_000],
    ]  # fmt: skip
