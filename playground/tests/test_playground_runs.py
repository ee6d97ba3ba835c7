"""What the playground shows is what the library computes: bit for bit where the kernels are the same."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import bounds, second_order_bounds
from playground_tab import Tab, listed, overlapping

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")

GAMMA = 2e-6  # relative distance of two margins that are each within 1e-6 of the largest one
LAST = """() => {
  const { run, geometry } = playground;
  const last = run.at(run.count - 1);
  return {
    shown: last.shown, after: last.after, mistakes: last.mistakes, visits: run.count - 1, converged: run.converged,
    radius: geometry.radius, margin: geometry.margin, bound: run.bound(run.count - 1),
    updates: run.updates.map(({ visit, v, length, projection, margin }) => ({ visit, v, length, projection, margin })),
  };
}"""
FRAMES = """() => {
  const { run } = playground;
  const last = run.at(run.count - 1);
  return {
    w: last.after, lower: last.lower, upper: last.upper, duals: [...last.duals], converged: run.converged,
    slacks: run.slacks(run.count - 1), pair: run.state.learner === "hard" ? run.hullPoints(run.count - 1) : null,
  };
}"""
LEARNERS = {
    "perceptron": (nk.Perceptron, {}),
    "averaged": (nk.AveragedPerceptron, {}),
    "margin": (nk.MarginPerceptron, {"epsilon": 0.3}),
    "pa1": (nk.PassiveAggressiveI, {"C": 0.25}),
    "pa2": (nk.PassiveAggressiveII, {"C": 4.0}),
    "arow": (nk.AROW, {"r": 0.5}),
}
CASES = [(True, True), (False, False), (True, False)]  # whether there is an intercept, and whether rows are shuffled


def sample(seed, count, overlap):
    """Points that overlap, or have a distance from the line between them."""
    X, y = overlapping(seed, count, overlap)
    return (X if overlap else X + 0.1 * y[:, None] * [1.0, 0.4]), y


@pytest.fixture(scope="module")
def tab(browser, tmp_path_factory):
    tab = Tab(browser, tmp_path_factory.mktemp("playground"))
    yield tab
    tab.context.close()
    assert tab.trouble == []


def online(tab, name, X, y, intercept, shuffle, passes=20, **settings):
    """A run of the playground, and the same of Python."""
    shown = {"learner": name, "intercept": intercept, "shuffle": shuffle, "passes": passes, "seed": 7}
    tab.show(listed(X, y), threshold="auto", **shown, **settings)
    options = {"fit_intercept": intercept, "shuffle": shuffle, "random_state": 7, "max_iter": passes}
    kind, own = LEARNERS.get(name, (nk.VotedPerceptron, {}))
    model = kind(**options, **{**own, **settings}, n_iter_no_change=None)
    return tab.page.evaluate(LAST), model.fit(X, y)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("overlap", [0.0, 0.4])
def test_weights_and_mistakes_are_those_of_the_library_bit_for_bit(tab, name, overlap):
    X, y = sample(3, 30, overlap)
    for intercept, shuffle in CASES:
        shown, model = online(tab, name, X, y, intercept, shuffle, **LEARNERS[name][1])
        assert shown["shown"] == [*model.coef_[0].tolist(), model.intercept_.item()]
        assert shown["mistakes"] == model.certificate_.mistakes
        assert shown["visits"] == model.n_iter_ * len(y)
        assert shown["converged"] == (model.stopped_ == "converged")


@pytest.mark.parametrize("name", ["perceptron", "margin"])
def test_every_update_is_that_of_the_trace_and_the_proof_has_its_numbers(tab, name):
    X, y = sample(5, 25, 0.0)
    for intercept, shuffle in CASES:
        shown, model = online(tab, name, X, y, intercept, shuffle, passes=200, **LEARNERS[name][1])
        trace = nk.trace(model, X, y)
        updates = shown["updates"]
        assert [update["visit"]["row"] for update in updates] == trace.example.tolist()
        assert [bool(update["visit"]["isMistake"]) for update in updates] == trace.is_mistake.tolist()
        np.testing.assert_array_equal([update["v"][: trace.v.shape[1]] for update in updates], trace.v)
        margins = [update["visit"]["score"] * y[int(update["visit"]["row"])] for update in updates]
        np.testing.assert_array_equal(margins, trace.score)
        np.testing.assert_allclose([update["length"] for update in updates], trace.length, rtol=1e-14)
        np.testing.assert_allclose([update["projection"] for update in updates], trace.projection, rtol=1e-5)
        assert shown["radius"] == pytest.approx(trace.radius, rel=1e-15)
        assert shown["margin"] == pytest.approx(float(trace.margin), rel=GAMMA)
        assert shown["bound"] == pytest.approx(trace.bound, rel=2 * GAMMA, abs=1)
        least = np.minimum.accumulate(trace.margin_bound)
        np.testing.assert_allclose([update["visit"]["marginBound"] for update in updates], least, rtol=1e-12)


@pytest.mark.parametrize("name", ["perceptron", "pa1"])
def test_the_least_ratio_is_that_of_the_trace_also_where_v_is_0(tab, name):
    X, y = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([1, 1, -1, -1])
    shown, model = online(tab, name, X, y, True, True, passes=100, **LEARNERS[name][1])
    ratios = [update["length"] / update["visit"]["steps"] for update in shown["updates"]]
    least = np.minimum.accumulate(nk.trace(model, X, y).margin_bound if name == "perceptron" else ratios)
    uppers = tab.page.evaluate("playground.run.updates.map(({ upper }) => upper)")
    np.testing.assert_allclose(uppers, least, rtol=1e-12, atol=1e-15)
    assert uppers[-1] == 0 or name == "pa1"
    tab.page.evaluate("playground.go(Infinity)")
    ratio = "least |v|/M" if name == "perceptron" else "least |v|/Στ"
    tile = tab.page.locator("#facts > div", has=tab.page.get_by_text(ratio, exact=True)).locator("dd").first
    assert float(tile.inner_text()) == pytest.approx(uppers[-1], rel=1e-3)
    assert ratio in tab.text("#margins-figure .legend")
    assert f"The {ratio} so far bounds every margin." in tab.text("#margins-figure figcaption")


def test_the_curves_of_the_proof_are_those_of_the_trace(tab):
    X, y = sample(5, 25, 0.0)
    for name in ("perceptron", "margin"):
        shown, model = online(tab, name, X, y, True, True, passes=200, **LEARNERS[name][1])
        trace = nk.trace(model, X, y)
        curves = tab.page.evaluate("playground.specs.proof.curves.map(({ name, points }) => [name, points])")
        found = {label: dict(map(tuple, points)) for label, points in curves}
        steps = np.arange(1, len(trace) + 1)
        upper, lower = (found[label] for label in list(found)[2:])
        drawn = [M in upper for M in steps]
        assert np.count_nonzero(drawn) >= 2
        np.testing.assert_allclose([upper[M] for M in steps[drawn]], trace.upper[drawn], rtol=1e-9)
        np.testing.assert_allclose([lower[M] for M in steps[drawn]], trace.lower[drawn], rtol=GAMMA)
        assert shown["margin"] > 0


def test_a_margin_that_is_known_is_asked_for(tab):
    X, y = sample(5, 25, 0.0)
    tab.show(
        listed(X, y), learner="margin", intercept=True, shuffle=True, passes=100, seed=7, threshold="known", epsilon=0.5
    )
    shown = tab.page.evaluate(LAST)
    model = nk.MarginPerceptron(
        margin=shown["margin"], epsilon=0.5, random_state=7, max_iter=100, n_iter_no_change=None
    )
    model.fit(X, y)
    assert shown["shown"] == [*model.coef_[0].tolist(), model.intercept_.item()]
    assert shown["bound"] == pytest.approx(bounds.margin_perceptron(shown["radius"], shown["margin"], 0.5), rel=1e-14)


def test_bounds_are_those_of_the_theorems(tab):
    X, y = sample(5, 25, 0.0)
    for name, expected in {
        "perceptron": lambda R, gamma: bounds.novikoff(R, gamma),
        "pa1": lambda R, gamma: bounds.passive_aggressive_I(R, gamma, 0.25),
        "pa2": lambda R, gamma: bounds.passive_aggressive_II(R, gamma, 4.0),
    }.items():
        shown, _ = online(tab, name, X, y, True, True, **LEARNERS[name][1])
        assert shown["bound"] == pytest.approx(expected(shown["radius"], shown["margin"]), rel=1e-14)
        assert shown["mistakes"] <= shown["bound"]
    shown, _ = online(tab, "arow", X, y, True, True, r=0.5)
    assert len(shown["updates"]) <= shown["bound"] < np.inf
    last = shown["updates"][-1]["visit"]
    variances = np.array([last["variance1"], last["variance2"], last["variance0"]])
    rows = [int(update["visit"]["row"]) for update in shown["updates"]]
    z = y[rows] @ np.column_stack([X, np.ones(len(y))])[rows]
    separator = nk.HardMarginSVM(penalized_intercept=True).fit(X, y)
    u = np.append(separator.coef_[0], separator.intercept_)  # with y u.x >= 1, so it has no loss
    expected = second_order_bounds.updates_bound(0.0, np.sum(u * u / variances), np.sum(z * z * variances))
    assert shown["bound"] == pytest.approx(expected, rel=1e-4)


def test_votes_are_those_of_the_library(tab):
    X, y = sample(3, 30, 0.4)
    shown, model = online(tab, "voted", X, y, True, True, passes=3)
    assert shown["mistakes"] == model.certificate_.mistakes
    places = np.random.default_rng(0).normal(size=(200, 2))
    votes = tab.page.evaluate(
        "(places) => [...playground.run.votes(playground.run.count - 1, Float64Array.from(places))]",
        places.ravel().tolist(),
    )
    assert votes == model.decision_function(places).tolist()


# ---- margins --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_the_hard_margin_is_that_of_the_library_within_what_both_prove(tab, intercept):
    X, y = sample(11, 60, 0.0)
    tab.show(listed(X, y), learner="hard", intercept=intercept)
    shown, model = tab.page.evaluate(FRAMES), nk.HardMarginSVM(fit_intercept=intercept).fit(X, y)
    assert shown["converged"]
    assert shown["lower"] <= model.certificate_.margin_upper_bound * (1 + 1e-12)
    assert shown["upper"] >= model.certificate_.margin_lower_bound * (1 - 1e-12)
    np.testing.assert_allclose(shown["w"], [*model.coef_[0], model.intercept_.item()], rtol=1e-3, atol=1e-6)
    if intercept:
        np.testing.assert_allclose(shown["pair"], model.nearest_points_, atol=1e-2)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_objective_of_the_soft_margin_is_within_the_bounds_of_the_library(tab, loss, C):
    X, y = sample(13, 60, 0.4)
    for intercept in (True, False):
        tab.show(listed(X, y), learner="soft", intercept=intercept, C=C, loss=loss)
        shown = tab.page.evaluate(FRAMES)
        model = nk.LinearSVM(C=C, loss=loss, fit_intercept=intercept, tol=1e-9).fit(X, y)
        assert shown["converged"]
        assert model.certificate_.dual * (1 - 1e-9) <= shown["upper"] <= model.certificate_.primal * (1 + 1.1e-6)
        assert shown["lower"] <= model.certificate_.primal * (1 + 1e-9)
        np.testing.assert_allclose(shown["slacks"], model.slack_, atol=5e-3)
        assert min(shown["duals"]) >= 0
        assert max(shown["duals"]) <= C or loss == "squared_hinge"


def test_bounds_close_in_on_each_other(tab):
    X, y = sample(13, 60, 0.4)
    tab.show(listed(X, y), learner="soft", intercept=True, C=1.0, loss="hinge")
    lower = tab.page.evaluate("[...playground.run.frames.column('lower')]")
    assert np.all(np.diff(lower) >= -1e-12 * np.abs(lower[-1]))  # the dual objective never falls


# ---- separability ---------------------------------------------------------------------------------------------------

VERDICTS = """(cases) => cases.map(([points, intercept]) => {
  playground.state.points = points.map(([x, y, label]) => ({ x, y, label }));
  Object.assign(playground.state, { intercept, learner: "perceptron", passes: 1 });
  playground.refresh();
  const { verdict, witness } = playground.geometry;
  return [verdict, witness?.rows ?? null];
})"""


def small_cases(count):
    """Few points on a coarse grid, so that many coincide or are on a line; some scaled by rounded numbers."""
    random = np.random.default_rng(1)
    for place in range(count):
        size = int(random.integers(2, 8))
        y = np.append([1, -1], random.integers(0, 2, size - 2) * 2 - 1)
        X = random.integers(-1, 3, (size, 2)) * [1.0, 0.1, 1 / 3][place % 3]
        yield X, y, bool(random.integers(2))


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_verdicts_are_those_of_the_library_and_their_witnesses_prove_them(tab, count):
    cases = list(small_cases(count))
    found = tab.page.evaluate(VERDICTS, [[listed(X, y), intercept] for X, y, intercept in cases])
    kinds = set()
    for (X, y, intercept), (verdict, rows) in zip(cases, found, strict=True):
        expected = nk.separability(X, y, fit_intercept=intercept)
        assert verdict == expected.kind
        kinds.add((verdict, intercept))
        if rows is not None:  # the rows of the witness alone cannot be separated
            both = len(set(y[rows].tolist())) == 2
            assert not both or nk.separability(X[rows], y[rows], fit_intercept=intercept).kind != "complete"
    assert len(kinds) == 6


def test_a_verdict_depends_on_the_last_digit(tab):
    nudged = float(np.nextafter(0.3, 1))
    cases = [[[[0.1, 0.1, 1], [0.2, 0.2, -1], [x, 0.3, 1]], True] for x in (0.3, nudged)]
    verdicts = [verdict for verdict, _ in tab.page.evaluate(VERDICTS, cases)]
    for (points, _), verdict in zip(cases, verdicts, strict=True):
        X, y = np.array(points)[:, :2], np.array(points)[:, 2]
        assert verdict == nk.separability(X, y).kind
