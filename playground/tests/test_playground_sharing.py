"""Links and pictures of the playground in Chromium."""

import pytest
from playwright.sync_api import expect

from playground_tab import XOR, Tab


@pytest.mark.parametrize(
    "settings",
    [
        {"learner": "margin", "epsilon": 0.25, "intercept": False, "shuffle": False, "hulls": False},
        {"learner": "margin", "epsilon": 0.75, "threshold": "known"},
        {"learner": "soft", "C": 0.0316, "loss": "squared_hinge"},
        {"learner": "arow", "r": 31.6},
    ],
    ids=["margin", "known", "soft", "arow"],
)
def test_a_link_carries_the_whole_state(tab, browser, folder, settings):
    points = [[0.1 + 0.2, -1e-7, 1], [1e5, 1 / 3, -1], [-2.0, 4.0, -1]]
    tab.show(points, seed=11, passes=17, speed=20, step=4, **settings)
    tab.page.get_by_role("button", name="Copy a link").click()
    tab.until("location.hash.length > 20")
    link = tab.page.evaluate("location.hash")
    assert all(f"&{name}=" in link for name in settings)
    other = Tab(browser, folder, link)
    assert other.state() == tab.state()
    assert other.points() == points
    assert other.page.evaluate("playground.run.at(4).after") == tab.page.evaluate("playground.run.at(4).after")
    assert other.text("#position") == tab.text("#position")
    assert other.trouble == []
    other.context.close()
    tab.page.evaluate("history.replaceState(null, '', location.pathname)")
    tab.show(threshold="auto", loss="hinge", C=1, r=1, epsilon=0.5, speed=5)


def test_a_link_names_the_preset_if_its_points_are_those_of_the_preset(tab, browser, folder):
    tab.page.locator("#preset").select_option("narrow")
    tab.page.locator("#seed").fill("3")
    tab.page.locator("#seed").press("Enter")
    tab.page.get_by_role("button", name="Copy a link").click()
    tab.until("location.hash.length > 20")
    link = tab.page.evaluate("location.hash")
    assert "&seed=3&" in link
    tab.page.evaluate("history.replaceState(null, '', location.pathname)")
    for text, preset in ((link, "narrow"), (link.replace("seed=3", "seed=4"), "")):
        other = Tab(browser, folder, text)
        assert other.points() == tab.points()
        expect(other.page.locator("#preset")).to_have_value(preset)
        other.context.close()


def test_a_link_without_points_has_those_of_its_preset(browser, folder):
    tab = Tab(browser, folder, "#v=1&learner=soft&preset=xor")
    assert tab.points() == XOR
    assert tab.page.evaluate("[playground.state.learner, playground.state.view.half > 1]") == ["soft", True]
    assert tab.alert() is None
    tab.page.evaluate("location.hash = '#v=1&learner=pa1'")
    tab.until("playground.state.preset === 'wide' && playground.state.points.length === 24")
    assert tab.trouble == []
    tab.context.close()


def test_the_address_follows_the_state_so_that_a_reload_shows_it_again(browser, folder):
    tab = Tab(browser, folder)
    tab.page.wait_for_timeout(500)
    assert tab.page.evaluate("location.hash") == ""  # nothing has changed
    tab.page.locator("#plot").press("p")
    tab.page.locator("#learner").select_option("pa2")
    tab.page.locator("#next").click()
    tab.until("location.hash.includes('&step=1')")
    state, length = tab.state(), tab.page.evaluate("history.length")
    tab.page.reload()
    expect(tab.page.locator("#position")).not_to_be_empty()
    assert tab.state() == state
    tab.page.locator("#seed").fill("3")
    tab.page.locator("#play").click()
    tab.until("playground.state.step > 3")
    assert "&seed=3&" in tab.page.evaluate("location.hash")
    assert "&step=" not in tab.page.evaluate("location.hash")  # not while the run plays
    tab.page.locator("#play").click()
    tab.until("location.hash.includes('&step=')")
    state = tab.state()
    assert tab.page.evaluate("history.length") == length
    tab.page.goto("data:text/html,")
    tab.page.go_back()
    expect(tab.page.locator("#position")).not_to_be_empty()
    assert tab.state() == state
    assert tab.trouble == []
    tab.context.close()


def test_the_address_can_have_a_thousand_points_with_all_digits(browser, folder):
    tab = Tab(browser, folder)
    text = "".join(f"{-((i + 1.1) ** 0.5) * 1e-7!r},{(i + 0.3) ** 0.3 * 1e-7!r},{i % 2}\n" for i in range(1000))
    assert tab.page.evaluate("(text) => playground._adoptCsv(text)", text) is None
    tab.until("location.hash.length > 40000")
    points = tab.points()
    tab.page.reload()
    expect(tab.page.locator("#position")).not_to_be_empty()
    assert tab.points() == points
    assert tab.trouble == []
    tab.context.close()


def test_an_address_that_has_just_changed_is_not_overwritten(tab):
    tab.page.evaluate("playground._setSetting('passes', 17)")
    tab.page.evaluate("""() => {
      location.hash = "#v=1&learner=soft&preset=xor";
      playground._writeAddress(); // before the event
    }""")
    tab.until("playground.state.learner === 'soft'")
    tab.page.wait_for_timeout(400)
    assert tab.page.evaluate("location.hash") == "#v=1&learner=soft&preset=xor"


def test_the_plane_is_saved_as_svg_and_png(tab, tmp_path):
    tab.page.keyboard.press("End")
    for kind in ("SVG", "PNG"):
        with tab.page.expect_download() as download:
            tab.page.get_by_role("button", name=f"Save {kind}").click()
        download.value.save_as(tmp_path / f"plane.{kind.lower()}")
    svg = (tmp_path / "plane.svg").read_text()
    assert svg.startswith("<svg")
    assert svg.count("<circle") >= 2
    assert "var(--" not in svg
    assert "class=" not in svg
    png = (tmp_path / "plane.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width = int.from_bytes(png[16:20], "big")
    assert width == 2 * round(tab.page.locator("#plot").bounding_box()["width"] - 2)
    assert len(png) > 5000
