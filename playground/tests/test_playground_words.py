"""What the playground says of bounds and margins is true, with and without a separating line or an intercept."""

import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import expect
from scipy.optimize import minimize_scalar

import novikoff as nk
from playground_tab import SQUARE, XOR, listed, overlapping

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")

ONLINE = ("perceptron", "averaged", "voted", "margin", "pa1", "pa2", "arow")
ON_A_RAY = [[1, 1, 1], [2, 2, -1]]  # a line separates them, but none through the origin
ALMOST_EQUAL = [[0.3, 0, 1], [0.30000000000000004, 0, -1]]
BOUND = """() => {
  const { run } = playground;
  const last = run.count - 1;
  return {
    bound: run.lossBound(last), made: run.at(last)[run.learner.counts], radius: run.geometry.radius,
    visited: [...run.visits.column("row")], moved: [...run.visits.column("hasMoved")],
    means: ["w1", "w2", "b"].map((name) => run.visits.column(name).reduce((sum, value) => sum + value) / last),
    variances: ["variance1", "variance2", "variance0"].map((name) => run.visits.column(name)[last - 1]),
  };
}"""


def caption(tab, figure):
    return tab.text(f"#{figure}-figure figcaption")


# ---- bounds with losses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("passes", [1, 20])
def test_D2_is_the_bound_of_the_library_with_the_mean_of_all_hypotheses(tab, passes, intercept):
    X, y = overlapping(3)
    tab.show(listed(X, y), learner="perceptron", passes=passes, intercept=intercept, seed=7)
    shown = tab.page.evaluate(BOUND)
    model = nk.Perceptron(max_iter=passes, random_state=7, fit_intercept=intercept, n_iter_no_change=None).fit(X, y)
    *weights, b = shown["means"]
    expected = model.certificate_.comparator_bound(X, y, weights, b)
    assert shown["bound"]["name"] == "D2"
    assert shown["bound"]["value"] == pytest.approx(expected, rel=1e-6)
    assert shown["made"] == model.certificate_.mistakes <= expected
    allowed = f"D2, with the losses of the mean of all hypotheses, allows {int(expected):,}."
    assert allowed in caption(tab, "counts")
    tab.page.evaluate("playground.go(Infinity)")
    assert f"at most {int(expected):,} by D2" in tab.text("#facts")


def written_bound(name, shown, u, y, parameter):
    """The bound of the theorem as the manual writes it, minimised over the length of the vector."""
    direction = np.array(shown["means"])[: u.shape[1]]
    direction = direction / np.linalg.norm(direction)
    rows = np.array(shown["visited"], dtype=int)[np.array(shown["moved"], dtype=bool)]
    z, R = y[rows, None] * u[rows], shown["radius"]
    if name == "pa1":
        value = lambda s: max(R * R, 1 / parameter) * (s * s + 2 * parameter * hinge(s).sum())  # noqa: E731  # one of three
    elif name == "pa2":
        value = lambda s: (R * R + 1 / (2 * parameter)) * (s * s + 2 * parameter * (hinge(s) ** 2).sum())  # noqa: E731
    else:
        A, total = np.diag(1 / np.array(shown["variances"])[: u.shape[1]]), z.sum(axis=0)
        factors = np.sqrt(direction @ A @ direction) * np.sqrt(total @ np.linalg.inv(A) @ total)
        value = lambda s: hinge(s).sum() + s * factors  # noqa: E731

    def hinge(s):
        return np.maximum(0, 1 - s * (z @ direction))

    return minimize_scalar(value, bounds=(0, 100), method="bounded", options={"xatol": 1e-10}).fun


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("name", "setting", "source"), [("pa1", "C", "I2"), ("pa2", "C", "I2"), ("arow", "r", "L1")])
def test_I2_and_L1_are_minimised_over_the_length_of_the_vector(tab, name, setting, source, intercept):
    X, y = overlapping(4)
    u = np.column_stack([X, np.ones(len(y))]) if intercept else X
    tab.show(listed(X, y), learner=name, passes=3, intercept=intercept, **{setting: 0.5})
    shown = tab.page.evaluate(BOUND)
    assert shown["bound"]["name"] == source
    assert shown["bound"]["value"] == pytest.approx(written_bound(name, shown, u, y, 0.5), rel=1e-6)
    assert shown["made"] <= shown["bound"]["value"]


@pytest.mark.parametrize("learner", ONLINE)
def test_what_is_counted_never_exceeds_the_bound_with_losses(tab, learner):
    random = np.random.default_rng(5)
    found = 0
    for place in range(12):
        points = XOR if place == 0 else listed(random.integers(-2, 3, (6, 2)), random.integers(0, 2, 6) * 2 - 1)
        tab.show(points, learner=learner, intercept=place % 2 == 0, passes=int(random.integers(1, 30)), C=1, r=1)
        if tab.page.evaluate("playground.run === null"):
            continue
        shown = tab.page.evaluate(BOUND)
        if shown["bound"] is not None:
            found += 1
            assert shown["made"] <= shown["bound"]["value"] * (1 + 1e-9)
    assert found >= 5 or learner == "margin"


# ---- captions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted", "margin"])
def test_the_length_stays_below_the_bound_that_the_chart_names(tab, learner):
    for points in (listed(*overlapping(6)), XOR, SQUARE):
        tab.show(points, learner=learner, passes=40, epsilon=0.05)
        curves = tab.page.evaluate("playground.specs.proof.curves.map(({ name, points }) => [name, points])")
        length, bound = (
            dict(map(tuple, dict(curves)[name])) for name in ("|v|", list(dict(curves))[-1 if points != SQUARE else -2])
        )
        drawn = [M for M in length if M in bound]
        assert len(drawn) > 1
        assert all(length[M] <= bound[M] * (1 + 1e-9) for M in drawn)
        assert ("R√M" in caption(tab, "proof")) == (learner != "margin")


def test_a_margin_perceptron_has_no_bound_with_losses(tab):
    tab.show(XOR, learner="margin", passes=20)
    assert caption(tab, "counts") == "No line separates the points, so the bound of C2 or C4 has no value."


def test_a_bound_far_above_the_mistakes_is_drawn_on_a_logarithmic_axis(tab):
    tab.page.locator("#preset").select_option("narrow")
    spec = tab.page.evaluate("(({ y, levels }) => ({ y, levels }))(playground.specs.counts)")
    assert spec["y"]["isLog"]
    assert spec["levels"][0]["value"] < spec["y"]["max"]
    assert caption(tab, "counts").endswith("The vertical axis is logarithmic.")
    tab.show([[2, 0, 1], [-2, 0, -1]])
    assert "logarithmic" not in caption(tab, "counts")


def test_a_margin_that_is_too_small_to_compute_is_not_called_impossible(tab):
    for learner in ONLINE:
        tab.show(ALMOST_EQUAL, learner=learner, passes=20)
        assert tab.text("#verdict-chip") == "separable"
        assert tab.page.evaluate("playground.geometry.margin > 0") is False
        drawn = tab.page.locator("main").inner_text()
        assert "separates the points" not in drawn
        assert "too small to compute" in drawn


def test_both_factors_of_L1_close_in_on_the_updates(tab):
    tab.page.locator("#preset").select_option("narrow")
    tab.page.locator("#learner").select_option("arow")
    upper, projection, lower = tab.page.evaluate("playground.specs.proof.curves.map(({ points }) => points)")
    assert len(upper) > 3
    for (_, most), (_, along), (_, least) in zip(upper, projection, lower, strict=True):
        assert least <= along * (1 + 1e-6) + 1e-12
        assert along <= most * (1 + 1e-9) + 1e-12


# ---- without an intercept -------------------------------------------------------------------------------------------


def test_without_an_intercept_the_words_are_about_lines_through_the_origin(tab):
    tab.show(ON_A_RAY, learner="hard", intercept=False)
    assert tab.text("#step-title") == "No line through the origin separates these points"
    assert "the hull contains the origin" in tab.text("#step-words")
    assert "hulls of the two classes" not in tab.text("#step-words")
    assert "No line through the origin" in tab.page.locator(".layer-words").text_content()
    assert "No line through the origin" in tab.page.locator("#python").text_content()
    assert "where the hulls meet" not in tab.text("#key")
    tab.show(learner="perceptron")
    for figure in ("counts", "proof", "margins"):
        assert "o line through the origin separates the points" in caption(tab, figure)
    tab.show(ON_A_RAY, learner="hard", intercept=True)
    assert tab.page.evaluate("playground.run.isPossible")
    assert "half the distance" in caption(tab, "bounds")


def test_the_hard_margin_through_the_origin_is_the_distance_of_the_origin_from_a_hull(tab):
    tab.show([[2, 0, 1], [-1, 3, -1], [1, 1, 1]], learner="hard", intercept=False)
    assert "half" not in caption(tab, "bounds") + tab.text("#bounds-figure .legend") + tab.text("#theorem-title")
    assert "distance of the origin" in tab.text("#theorem-title")
    upper = tab.page.evaluate("playground.run.at(playground.run.count - 1).upper")
    assert upper == pytest.approx(1)  # (1, 0), between (1, 1) and the reflected point (1, -3)


# ---- the plane ------------------------------------------------------------------------------------------------------


def test_the_points_that_prove_a_verdict_are_marked_with_and_without_the_hulls(tab):
    for hulls in (True, False):
        tab.show(XOR, learner="hard", hulls=hulls)
        assert "The marked points prove it." in tab.text("#step-words")
        expect(tab.page.locator(".witness-row")).to_have_count(4)
        expect(tab.page.locator(".layer-hulls path")).to_have_count(2 if hulls else 0)


@pytest.mark.parametrize("learner", ["perceptron", "averaged"])
def test_the_band_of_a_perceptron_reaches_to_the_nearest_point_once_its_line_separates(tab, learner):
    tab.show(SQUARE, learner=learner)
    tab.page.evaluate("playground.go(1)")
    step = tab.page.evaluate("playground.run.at(1)")
    assert (step["threshold"] > 0) == (tab.page.locator(".layer-band path").count() == 1)
    tab.page.evaluate("playground.go(Infinity)")
    last = tab.page.evaluate("playground.run.at(playground.run.count - 1)")
    scores = [label * np.dot(last["shown"], [x, y, 1]) for x, y, label in SQUARE]
    assert last["threshold"] == pytest.approx(max(0, min(scores)))
    assert tab.page.locator(".layer-edges path").count() == (2 if min(scores) > 0 else 0)


# ---- keys, undo and readers of screens ------------------------------------------------------------------------------


def test_a_point_that_is_carried_is_one_change_and_escape_puts_it_back(tab):
    before, changes = tab.points(), tab.page.evaluate("playground.editor.past.length")
    plot = tab.page.locator("#plot")
    plot.press("Shift+ArrowLeft")
    plot.press("Enter")
    for _ in range(5):
        plot.press("ArrowUp")
    assert tab.points() != before
    plot.press("Escape")
    assert tab.points() == before
    assert "is back at" in tab.text("#status")
    assert tab.page.evaluate("playground.editor.past.length") == changes
    plot.press("Enter")
    for _ in range(5):
        plot.press("ArrowUp")
    plot.press("Enter")
    moved = tab.points()
    assert moved != before
    tab.page.get_by_role("button", name="Undo").click()
    assert tab.points() == before
    tab.page.get_by_role("button", name="Redo").click()
    assert tab.points() == moved


def test_keys_go_from_point_to_point_and_say_which(tab):
    plot = tab.page.locator("#plot")
    plot.focus()
    heard = []
    for key in (".", ".", ",", ",", ","):
        plot.press(key)
        heard.append(int(re.match(r"Point (\d) of 4, (positive|negative), at ", tab.text("#status"))[1]))
    assert [(b - a) % 4 for a, b in itertools.pairwise(heard)] == [1, 3, 3, 3]


def test_a_link_in_the_same_tab_can_be_undone(tab):
    tab.page.evaluate("playground.editor.past.length = 0")
    before = tab.state()
    tab.page.evaluate("location.hash = '#v=1&learner=pa1&points=p1_1n2_2'")
    tab.until("playground.state.learner === 'pa1'")
    assert len(tab.points()) == 2
    tab.page.get_by_role("button", name="Undo").click()
    others, points = tab.state()
    assert points == before[1]
    assert others["learner"] == before[0]["learner"] == tab.page.locator("#learner").input_value()


def test_arrows_scroll_the_code_and_do_not_step(tab):
    tab.page.locator("details", has=tab.page.locator("#python")).evaluate("(details) => { details.open = true; }")
    tab.page.locator("pre").focus()
    step = tab.page.evaluate("playground.state.step")
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.evaluate("playground.state.step") == step


def test_a_chart_tells_its_values_at_the_step(tab):
    tab.page.evaluate("playground.go(Infinity)")
    label = tab.page.locator("#counts-figure svg[role=img]").get_attribute("aria-label")
    assert label.endswith(
        f"At this step: mistakes {tab.page.evaluate('playground.run.at(playground.run.count - 1).mistakes')}."
    )


def test_a_file_that_cannot_be_read_gets_a_sentence(tab):
    words = tab.page.evaluate(
        """async () => {
          const file = { name: "gone.csv", text: () => Promise.reject(new DOMException("", "NotFoundError")) };
          await playground._readFile({ files: [file], value: "" });
          return document.getElementById("alert-words").textContent;
        }"""
    )
    assert words.startswith("gone.csv cannot be read.")
    tab.page.locator("#alert-close").click()
