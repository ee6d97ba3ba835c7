"""Steps of the playground in Chromium: made, played and explained, and repeated by the code that the page shows."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import novikoff as nk
from playground_tab import SQUARE, XOR, listed, overlapping

LEARNERS = ("perceptron", "averaged", "voted", "margin", "pa1", "pa2", "arow", "hard", "soft")
MAX_STEP_MS = 50


def assert_the_code_repeats_the_run(tab, points, folder):
    (folder / "points.csv").write_text("x,y,label\n" + "".join(f"{x},{y},{label}\n" for x, y, label in points))
    code = tab.page.locator("#python").text_content().replace("points.csv", str(folder / "points.csv"))
    variables = {}
    exec(code, variables)
    model = variables["model"]
    last = tab.page.evaluate("playground.run.at(playground.run.count - 1)")
    assert last["shown"] == [*model.coef_[0], *model.intercept_]
    assert tab.page.evaluate("playground.run.count - 1") == model.n_iter_ * len(points)
    return model


def test_the_code_of_the_page_repeats_the_run(tab, tmp_path):
    tab.show(SQUARE, learner="pa1", C=0.5, seed=3)
    assert_the_code_repeats_the_run(tab, SQUARE, tmp_path)


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
@pytest.mark.parametrize(("count", "passes", "recorded"), [(201, 100, 99), (200, 100, 100), (199, 101, 100)])
def test_a_run_is_cut_after_whole_passes_which_the_code_repeats(tab, tmp_path, count, passes, recorded):
    random = np.random.default_rng(4)
    X, y = random.normal(size=(count, 2)), random.integers(0, 2, count) * 2 - 1
    points = listed(X, y)
    tab.show(points, passes=passes)
    tab.page.keyboard.press("End")
    assert assert_the_code_repeats_the_run(tab, points, tmp_path).n_iter_ == recorded
    cut = f"at most 20,000 examples: these are the first {recorded} of {passes} passes."
    made = f"The run ended after {passes} passes, the last of which still made mistakes."
    assert (cut if recorded < passes else made) in tab.text("#ending")


def test_the_code_says_that_a_hard_margin_of_classes_that_meet_is_refused(tab, tmp_path):
    tab.show(XOR, learner="hard")
    code = tab.page.locator("#python").text_content()
    assert "so fit raises NotSeparableError" in code.splitlines()[0]
    (tmp_path / "points.csv").write_text("x,y,label\n" + "".join(f"{x},{y},{label}\n" for x, y, label in XOR))
    with pytest.raises(nk.NotSeparableError):
        exec(code.replace("points.csv", str(tmp_path / "points.csv")), {})
    for points, learner in ((SQUARE, "hard"), (XOR, "soft")):
        tab.show(points, learner=learner)
        assert "NotSeparableError" not in tab.page.locator("#python").text_content()


@pytest.mark.parametrize("points", [XOR, [[1, 1, 1]], []])
def test_the_code_names_no_margin_if_there_is_none(tab, points):
    tab.show(points, learner="margin", threshold="known")
    code = tab.page.locator("#python").text_content()
    assert "needs separable points" in code
    assert "NaN" not in code
    exec(code)
    tab.show(SQUARE, threshold="auto")


# ---- steps ----------------------------------------------------------------------------------------------------------


def test_a_run_is_stepped_played_scrubbed_and_reset(tab):
    step = lambda: tab.page.evaluate("playground.state.step")  # noqa: E731  # read again and again
    count = tab.page.evaluate("playground.run.count")
    tab.page.get_by_role("button", name="Step", exact=True).click()
    assert step() == 1
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowLeft")
    assert step() == 1
    tab.page.keyboard.press("End")
    assert step() == count - 1
    assert "the run has ended" in tab.text("#ending")
    tab.page.keyboard.press("Home")
    tab.page.keyboard.press("Shift+ArrowRight")
    assert tab.page.evaluate("playground.run.at(playground.state.step).visit.hasMoved") == 1
    tab.page.locator("#timeline").fill(str(count - 2))
    assert step() == count - 2
    tab.page.get_by_role("button", name="Reset").click()
    assert step() == 0
    tab.page.locator("#speed").fill("4")
    tab.page.get_by_role("button", name="Play").click()
    expect(tab.page.get_by_role("button", name="Pause")).to_be_visible()
    tab.until("playground.state.step > 2")
    tab.page.keyboard.press("k")
    stopped = step()
    tab.page.wait_for_timeout(200)
    assert step() == stopped


def test_each_step_says_what_happened_and_why(tab):
    tab.page.keyboard.press("Home")
    assert "every score is 0" in tab.text("#step-words")
    expect(tab.page.locator(".no-opinion")).to_be_visible()
    tab.page.keyboard.press("ArrowRight")
    words = tab.text("#step-words")
    assert "A score of 0 predicts neither class, and counts as a mistake." in words
    assert "is added, and v becomes" in words
    assert tab.text("#step-source") == "Theory A1 and A3"
    assert words.split(".")[0] in tab.text("#status")
    expect(tab.page.locator(".badge.mistake")).to_have_count(1)
    expect(tab.page.locator(".line")).not_to_have_count(0)


@pytest.mark.parametrize(
    ("learner", "is_mistake", "reason"),
    [
        ("perceptron", True, "y u = "),
        ("margin", False, "is below the threshold θ = "),
        ("pa1", False, "and the step τ = "),
        ("arow", False, "Each weight moves in proportion to its variance"),
    ],
)
def test_the_page_says_why_it_updated_and_why_not(tab, learner, is_mistake, reason):
    X = np.random.default_rng(5).normal(size=(25, 2))
    y = np.where(X @ [1.0, 0.4] > 0, 1, -1)
    tab.show(listed(X, y), learner=learner)
    tab.page.keyboard.press("Home")
    assert tab.text("#step-why") == ""
    frame = "playground.run.updates.find(({ isMistake, frame }) => frame > 1 && isMistake === %s).frame"
    tab.page.evaluate(f"playground.go({frame % str(is_mistake).lower()})")
    assert tab.text("#step-why") == "Why did it update?"
    words = tab.text("#step-words")
    assert reason in words
    assert ("The sign is wrong: a mistake." if is_mistake else "The sign is right.") in words
    tab.page.evaluate("playground.go(1 + [...playground.run.visits.column('hasMoved')].indexOf(0))")
    assert tab.text("#step-why") == "Why did it not update?"
    assert "v does not change." in tab.text("#step-words")


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_fills_its_panels_and_names_its_theorem(tab, learner):
    tab.page.locator("#learner").select_option(learner)
    tab.page.keyboard.press("End")
    tab.page.evaluate("playground.go(Infinity)")
    assert len(tab.text("#facts")) > 20
    assert len(tab.text("#theorem-words")) > 80
    assert re.search(r"Theory [A-L]", tab.text("#theorem-sources"))
    figures = tab.page.locator("figure:visible")
    assert figures.count() >= 2
    for place in range(figures.count()):
        assert len(figures.nth(place).locator("figcaption").inner_text()) > 15
        assert figures.nth(place).locator("svg path").count() > 1
    drawn = tab.page.evaluate("document.querySelector('main').innerHTML")
    assert "NaN" not in drawn
    assert "undefined" not in drawn


def test_a_margin_below_the_chart_is_in_its_caption(tab):
    words = "Values below the chart are not shown"
    tab.page.locator("#preset").select_option("narrow")
    least, low = tab.page.evaluate(
        "[Math.min(...playground.run.updates.map(({ margin }) => margin)), playground.specs.margins.y.min]"
    )
    assert least < low
    caption = tab.text("#margins-figure figcaption").replace("\N{MINUS SIGN}", "-")
    assert f"{words}: the margin of v was as low as {least:.4g}." in caption
    tab.show([[2, 0, 1], [-2, 0, -1]])
    assert words not in tab.text("#margins-figure figcaption")


def test_points_that_cannot_be_separated_have_their_witness_drawn(tab):
    tab.show(XOR)
    assert tab.text("#verdict-chip") == "not separable"
    assert "The hulls meet at (0, 0)" in tab.text("#verdict-words")
    expect(tab.page.locator(".layer-witness .witness")).to_have_count(1)
    expect(tab.page.locator(".witness-row")).to_have_count(4)
    tab.page.locator("#learner").select_option("hard")
    assert "No line separates these points" in tab.text("#step-title")


@pytest.mark.parametrize("learner", LEARNERS)
def test_steps_are_computed_and_drawn_in_at_most_50_ms_with_200_points(tab, learner):
    X, y = overlapping(2, 200, 0.3)
    if learner == "hard":
        y = np.where(X @ [1.0, 0.4] > 0, 1, -1)
        X = X + y[:, None]
    tab.show(listed(X, y), learner=learner, passes=5, C=1)
    spent = tab.page.evaluate(
        """() => Array.from({ length: 12 }, (_, k) => Math.min(...Array.from({ length: 8 }, () => {
          const start = performance.now();
          playground.go(1 + Math.floor((playground.run.count - 2) * k / 11));
          document.body.getBoundingClientRect();
          return performance.now() - start;
        })))"""
    )
    assert max(spent) <= MAX_STEP_MS  # of each step the best of eight, because other programs run at the same time
