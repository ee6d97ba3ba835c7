"""The playground with links, files and numbers of points that it cannot use: the page says so and remains usable."""

import pytest
from playwright.sync_api import expect

from playground_tab import Tab

PATIENCE_MS = 30_000  # other programs run at the same time
SHAPE = "[playground.state.points, playground.state.view, playground.state.seed]"
BAD_LINKS = {
    "#section": "not a link of the playground",
    "#%E0%A4%A": "it is damaged",
    "#v=2&points=p1_1": "another version",
    "#v=1&points=p1": "point 1 cannot be read",
    "#v=1&points=p1_1x2_2": "point 1 cannot be read",
    "#v=1&points=q1_1": "point 1 cannot be read",
    "#v=1&points=p1e999_1": "point 1 cannot be read",
    "#v=1&points=p1_1n2_2&learner=oracle": "learner is not one",
    "#v=1&points=p1_1n2_2&learner=__proto__": "learner is not one",
    "#v=1&points=p1_1n2_2&C=-1": "C is not one",
    "#v=1&points=p1_1n2_2&C=NaN": "C cannot be read",
    "#v=1&points=p1_1n2_2&intercept=maybe": "intercept cannot be read",
    "#v=1&points=p1_1n2_2&view=0_0_0": "view cannot be read",
    "#v=1&points=p1_1n2_2&seed=1.5": "seed is not one",
    "#v=1&points=p1_1n2_2&<img src=x onerror=alert(1)>=1": "is not known",
    "#v=1&points=p1_1n1e-310_2": "point 2 has a coordinate too close to 0",
    "#v=1&points=" + "p1_1" * 2000: "2,000 points",
}
BAD_CSV = {
    "": "empty",
    "x,y,label\n": "no points below",
    "1,2\n": "Line 1 has 2 values",
    "1,2,1\n3,4,1,5\n": "Line 2 has 4 values",
    "1,2,1\n3,four,-1\n": "Line 2: “four” is not a number",
    "1,2,1\n3,Infinity,-1\n": "“Infinity” is not a number",
    "1,2,1\n3,1e300,-1\n": "“1e300” is not a number",
    "1,2,1\n3,-1e-310,-1\n": "Line 2: “-1e-310” is too close to 0. Its square is too small",
    "1,2,1\n3,1e-400,-1\n": "at least 1e-100",
    "1,2,1\n3,4,0\n5,6,-1\n": "there are three: -1, 0 and 1",
    "1,2,0\n5,6,-1\n": "both -1 and 0 occur",
    "1,2,\n": "Line 1 has no label",
    "1,2,a\n1,3,b\n1,4,c\n": "two classes",
    "<script>alert(1)</script>": "Line 1 has 1 value",
    "\x00\x01\x02": "Line 1 has 1 value",
}


@pytest.fixture
def tab(shared):
    shared.show([[0, 0, -1], [1, 1, 1]], learner="perceptron", intercept=True)
    yield shared
    assert shared.trouble == []


def assert_usable(page):
    """Points can be put, and steps be made."""
    count = page.evaluate("playground.state.points.length")
    page.locator("#plot").focus()
    page.keyboard.press("p")
    assert page.evaluate("playground.state.points.length") == count + 1
    page.locator("#next").click()
    assert page.evaluate("playground.state.step") == 1


@pytest.mark.parametrize("link", BAD_LINKS, ids=range(len(BAD_LINKS)))
def test_a_broken_link_gets_a_sentence(tab, link):
    assert tab.page.evaluate("(link) => { location.hash = ''; location.hash = link; }", link) is None
    expect(tab.page.locator("#alert")).to_be_visible()
    words = tab.alert()
    assert words.startswith("This link cannot be used: ")
    assert BAD_LINKS[link] in words
    assert words.endswith("The page is left as it was.")
    tab.page.locator("#alert-close").click()
    assert tab.alert() is None
    assert_usable(tab.page)


def test_a_page_that_is_opened_with_a_broken_link_shows_a_preset(browser, folder):
    tab = Tab(browser, folder, "#v=1&points=nonsense")
    assert "cannot be used" in tab.alert()
    assert tab.alert().endswith("The page shows a preset instead.")
    assert tab.page.evaluate("playground.state.points.length") > 10
    assert_usable(tab.page)
    assert tab.trouble == []
    tab.context.close()


@pytest.mark.parametrize("view", ["1_0_1e-16", "-1e9_1e9_1e-320", "0_0_1e-320", "1e9_1e9_2e9"])
def test_a_view_of_any_size_can_be_drawn(tab, view):
    tab.page.evaluate("(view) => { location.hash = `#v=1&view=${view}&points=p1_0n2_0`; }", view)
    tab.until("playground.state.points[1]?.x === 2")
    assert tab.alert() is None
    assert tab.page.locator(".layer-axes .grid").count() < 50
    assert "NaN" not in tab.page.evaluate("document.querySelector('main').innerHTML")
    assert_usable(tab.page)


@pytest.mark.parametrize("seed", [0, 1_000_000_001, 2**32 - 1])
@pytest.mark.parametrize("size", [1, 9e8, 1e9])
def test_a_link_of_every_state_can_be_read(tab, seed, size):
    tab.show([[-size, size, 1], [size, -size, -1]], seed=seed)
    tab.page.locator("#fit").click()
    tab.page.locator("#plot").click(position={"x": 4, "y": 4})  # beyond the points
    assert tab.page.evaluate("playground.state.points.length") == 3
    state = tab.page.evaluate(SHAPE)
    tab.page.locator("#link").click()
    tab.until("location.hash.length > 20")
    link = tab.page.evaluate("location.hash")
    tab.show([[0, 0, -1], [1, 1, 1]], seed=5)
    tab.page.evaluate("(link) => { location.hash = ''; location.hash = link; }", link)
    tab.until("playground.state.points.length === 3 || !document.getElementById('alert').hidden")
    assert tab.alert() is None
    assert tab.page.evaluate(SHAPE) == state


@pytest.mark.parametrize("text", BAD_CSV, ids=range(len(BAD_CSV)))
def test_malformed_csv_gets_a_sentence_and_leaves_the_points(tab, text):
    tab.page.get_by_role("button", name="Paste CSV").click()
    tab.page.evaluate("(text) => { document.getElementById('csv-text').value = text; }", text)
    tab.page.get_by_role("button", name="Use these points").click()
    dialog = tab.page.get_by_role("dialog", name="Points from CSV")
    expect(dialog.get_by_role("alert")).to_contain_text(BAD_CSV[text])
    expect(dialog.get_by_role("textbox")).to_be_focused()
    assert tab.page.evaluate("playground.state.points.length") == 2
    tab.page.keyboard.type("1")
    expect(dialog.get_by_role("alert")).to_have_count(0)  # it is not about the text that is there now
    tab.page.get_by_role("button", name="Cancel").click()
    assert_usable(tab.page)


def test_a_paste_of_100_000_lines_is_refused_before_the_browser_lays_them_out(tab):
    tab.page.get_by_role("button", name="Paste CSV").click()
    is_refused = """(count) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "1,2,1\\r\\n".repeat(count));
      const paste = new ClipboardEvent("paste", { clipboardData, cancelable: true, bubbles: true });
      return !document.getElementById("csv-text").dispatchEvent(paste);
    }"""
    assert not tab.page.evaluate(is_refused, 1001)
    assert tab.page.evaluate(is_refused, 100_000)
    expect(tab.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("There are 100,000 lines")
    tab.page.get_by_role("button", name="Cancel").click()


@pytest.mark.parametrize("mend", ["learner", "preset", "link", "csv"])
def test_an_error_is_hidden_when_something_else_is_shown(tab, mend):
    tab.page.evaluate("() => { location.hash = ''; location.hash = '#v=1&points=q'; }")
    expect(tab.page.locator("#alert")).to_be_visible()
    {
        "learner": lambda: tab.page.locator("#learner").select_option("pa1"),
        "preset": lambda: tab.page.locator("#preset").select_option("xor"),
        "link": lambda: tab.page.evaluate("() => { location.hash = '#v=1&points=p1_1n2_2'; }"),
        "csv": lambda: tab.page.evaluate("playground._adoptCsv('1,2,1')"),
    }[mend]()
    expect(tab.page.locator("#alert")).to_be_hidden()


def test_csv_of_other_programs_is_read(tab):
    for text, labels in {
        "a;b;kind\r\n1;2;no\r\n3;4;yes\r\n": [-1, 1],
        "\ufeff1\t2\t0\n3\t4\t1": [-1, 1],
        '"x","y","label"\n"1","2","+1"\n"3","4","-1"\n': [1, -1],
        "1 2 + \n\n 3 4 -\n": [1, -1],
    }.items():
        tab.page.evaluate("(text) => playground._adoptCsv(text)", text)
        assert tab.page.evaluate("playground.state.points") == [
            {"x": 1, "y": 2, "label": labels[0]},
            {"x": 3, "y": 4, "label": labels[1]},
        ]


def test_100_000_points_get_a_sentence(tab, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("x,y,label\n" + "".join(f"{i % 97},{i % 89},{i % 2}\n" for i in range(100_000)))
    tab.page.locator("#csv-file").set_input_files(path)
    expect(tab.page.locator("#alert")).to_be_visible(timeout=PATIENCE_MS)
    assert "100,001 lines" in tab.alert()
    assert "at most 1,000 points" in tab.alert()
    assert_usable(tab.page)


def test_100_000_points_in_a_link_get_a_sentence(tab):
    tab.page.evaluate("() => { location.hash = ''; location.hash = '#v=1&points=' + 'p1_2n3_4'.repeat(50000); }")
    expect(tab.page.locator("#alert")).to_be_visible(timeout=PATIENCE_MS)
    assert "100,000 points" in tab.alert()
    assert_usable(tab.page)


def test_a_thousand_points_are_drawn_and_not_one_more(tab):
    tab.show([[i % 31, i % 37, 1 if i % 31 > 15 else -1] for i in range(1000)], learner="perceptron", passes=2)
    assert tab.page.locator(".point").count() == 1000
    tab.page.locator("#plot").focus()
    tab.page.keyboard.press("p")
    assert tab.page.locator(".point").count() == 1000
    assert "at most 1,000 points" in tab.alert()
    tab.page.locator("#alert-close").click()


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted", "margin", "pa1", "pa2", "arow", "hard", "soft"])
@pytest.mark.parametrize(
    "points",
    [
        [],
        [[1, 1, 1]],
        [[0, 0, 1], [0, 0, -1]],
        [[0, 0, 1], [0, 0, 1], [1, 0, -1]],
        [[1e9, 1e9, 1], [-1e9, 1e-9, -1]],
        [[1e-9, 0, 1], [2e-9, 0, -1]],
        [[0.3, 0, 1], [0.30000000000000004, 0, -1]],
        [[1e-100, 2e-100, 1], [-1e-100, 3e-100, -1]],
        [[1e-300, 0, 1], [3e-300, 0, -1]],
    ],
    ids=["none", "one", "equal", "twice", "huge", "tiny", "nearest", "least", "smallest"],
)
def test_few_and_extreme_points_break_nothing(tab, learner, points):
    for intercept in (True, False):
        tab.page.evaluate(
            """([points, learner, intercept]) => {
              playground.state.points = points.map(([x, y, label]) => ({ x, y, label }));
              Object.assign(playground.state, { learner, intercept, passes: 20 });
              playground.refresh();
              document.getElementById("fit").click();
              playground.go(Infinity);
            }""",
            [points, learner, intercept],
        )
        assert "∞" not in tab.text("#step-words") or "Solved" not in tab.text("#step-title")
        assert "NaN" not in tab.page.evaluate("document.querySelector('main').innerHTML")
