"""docs/theory.md, A and D: the perceptron, and private features. Each test names the statement it could refute."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

import novikoff as nk
from novikoff.theory import bounds
from reference import perceptrons
from reference.margin_perceptrons import normalized
from statements import one_pass, started, vector
from strategies import ORDERS, few, lift, make_separable, margin_of, order_of, seeds, separable, ties

TIES = ("mistake", "positive")
ties_of = pytest.mark.parametrize("tie", TIES)
with_intercept = pytest.mark.parametrize("intercept", [True, False])


@ties_of
@given(data=ties(), intercept=st.booleans())
def test_A1_a_mistake_adds_the_example_and_nothing_else_moves(data, tie, intercept):
    X, y = data
    path, mistakes = perceptrons.perceptron(lift(X, intercept), y, tie)
    model = nk.Perceptron(tie=tie, fit_intercept=intercept)
    for x, label, expected in zip(X, y, path[1:], strict=True):
        model.learn_one(x, label)
        if len(model.classes_) == 2:
            np.testing.assert_array_equal(vector(model), expected)
    assert model.certificate_.mistakes == mistakes == model.certificate_.updates


@given(data=separable())
def test_A1_starts_at_zero_and_predicts_by_the_sign_of_the_score(data):
    model = one_pass(nk.Perceptron(fit_intercept=data.intercept), data.X, data.y)
    path, _ = perceptrons.perceptron(data.U, data.y)
    np.testing.assert_allclose(vector(model), path[-1], rtol=1e-12, atol=1e-12)
    scores = data.U @ path[-1]
    sure = np.abs(scores) > 1e-9
    np.testing.assert_array_equal(model.predict(data.X)[sure], np.sign(scores[sure]))


def test_A2_a_score_of_zero_is_no_opinion_and_just_beside_it_is_one():
    model = nk.Perceptron(fit_intercept=False).partial_fit([[1.0, 0.0]], [1.0], classes=[-1.0, 1.0])
    rows = np.array([[0.0, 5.0], [np.nextafter(0, 1), 5.0], [np.nextafter(0, -1), 5.0]])
    np.testing.assert_array_equal(model.predict_sign(rows), [0, 1, -1])
    np.testing.assert_array_equal(model.predict(rows), [1, 1, -1])
    assert [model.predict_one(row) for row in rows] == [1, 1, -1]


@pytest.mark.parametrize(
    ("tie", "label", "first", "is_mistake"),
    [
        ("mistake", 1.0, 0.0, True),
        ("mistake", -1.0, 0.0, True),
        ("positive", 1.0, 0.0, False),
        ("positive", -1.0, 0.0, True),
        *[(tie, 1.0, np.nextafter(0, 1), False) for tie in TIES],
        *[(tie, -1.0, np.nextafter(0, 1), True) for tie in TIES],
        *[(tie, 1.0, np.nextafter(0, -1), True) for tie in TIES],
        *[(tie, -1.0, np.nextafter(0, -1), False) for tie in TIES],
        ("mistake", 1.0, -0.0, True),
        ("positive", 1.0, -0.0, False),
    ],
)
def test_A2_ties_count_as_declared_on_the_tie_itself_and_beside_it(tie, label, first, is_mistake):
    model = nk.Perceptron(tie=tie, fit_intercept=False).partial_fit([[-1.0, 0.0]], [-1.0], classes=[-1.0, 1.0])
    before = model.certificate_.mistakes
    assert model.coef_.tolist() == [[1.0, 0.0]]
    model.learn_one([first, 3.0], label)
    assert model.certificate_.mistakes - before == is_mistake
    assert model.coef_[0, 1] == (3.0 * label if is_mistake else 0.0)


@given(data=ties(), intercept=st.booleans())
def test_A3_an_update_moves_the_score_by_the_squared_norm_towards_the_label(data, intercept):
    X, y = data
    model = started(nk.Perceptron(fit_intercept=intercept), X, y)
    for x, u, label in zip(X[1:], lift(X[1:], intercept), y[1:], strict=True):
        before = model.score_one(x)
        model.learn_one(x, label)
        moved = model.score_one(x) - before
        assert moved == (label * (u @ u) if label * before <= 0 else 0.0)


def test_A4_is_exactly_144_for_the_example_of_note_2():
    assert bounds.novikoff_unscaled(radius=2, norm=3, epsilon=0.5) == 144
    assert bounds.novikoff(radius=2, margin=0.5 / 3) == pytest.approx(144)


@ties_of
@given(data=separable())
def test_A4_mistakes_stay_within_the_bound_on_data_with_a_known_margin(data, tie):
    model = one_pass(nk.Perceptron(tie=tie, fit_intercept=data.intercept), data.X, data.y)
    assert model.certificate_.mistakes <= bounds.novikoff(data.radius, data.margin)
    assert model.certificate_.bound(data.margin) == pytest.approx(bounds.novikoff(data.radius, data.margin))


@ties_of
@few
@given(data=separable(max_rows=15, smallest_gap=0.1))
def test_A4_mistakes_stay_within_the_bound_against_an_adversary_who_sees_the_scores(data, tie):
    model = nk.Perceptron(tie=tie, fit_intercept=data.intercept).partial_fit(
        data.X[:1], data.y[:1], classes=[-1.0, 1.0]
    )
    bound = bounds.novikoff(data.radius, data.margin)
    for _ in range(min(300, int(bound) + 2)):
        worst = np.argmin(data.y * model.decision_function(data.X))
        model.learn_one(data.X[worst], data.y[worst])
    assert model.certificate_.mistakes <= bound


@pytest.mark.parametrize("rows", [1, 4, 25, 100])
def test_A4_is_tight_on_orthogonal_examples(rows):
    X, y = np.eye(rows), np.where(np.arange(rows) % 2, -1.0, 1.0)
    model = nk.Perceptron(fit_intercept=False).partial_fit(X, y, classes=[-1.0, 1.0])
    margin = margin_of(X, y, y)
    assert model.certificate_.mistakes == rows == pytest.approx(bounds.novikoff(1.0, margin))


@ties_of
@given(data=separable(), shuffle=st.booleans(), seed=st.integers(0, 2**31))
def test_A5_cycling_halts_with_zero_errors_within_the_bound(data, tie, shuffle, seed):
    most = bounds.novikoff(data.radius, data.margin)
    model = nk.Perceptron(
        tie=tie, fit_intercept=data.intercept, max_iter=int(most) + 2, shuffle=shuffle, random_state=seed
    ).fit(data.X, data.y)
    certificate = model.certificate_
    assert certificate.mistakes <= most
    assert (model.predict(data.X) == data.y).all()
    assert certificate.passes == model.n_iter_ <= certificate.mistakes + 1
    if tie == "mistake":
        assert certificate.separates
        assert (data.y * model.decision_function(data.X) > 0).all()


@pytest.mark.parametrize("order", ORDERS)
@with_intercept
def test_A5_holds_in_every_order_where_progress_is_slow(order, intercept):
    data = make_separable(np.random.default_rng(5), 60, 4, 0.002, intercept=intercept)
    data = data.in_order(order_of(data, order))
    model = nk.Perceptron(fit_intercept=intercept, max_iter=10**7, shuffle=False).fit(data.X, data.y)
    assert model.certificate_.separates
    assert model.certificate_.mistakes <= bounds.novikoff(data.radius, data.margin)
    assert model.score(data.X, data.y) == 1


def test_A5_does_not_stop_before_the_separator_though_hundreds_of_passes_bring_little():
    X, y = np.array([[1.0, 0.001], [(5**0.5 - 1) / 2, -0.001]]), [1, 0]
    model = nk.Perceptron(fit_intercept=False, shuffle=False, max_iter=10**7).fit(X, y)
    assert model.score(X, y) == 1
    assert model.n_iter_ > 400


@ties_of
@given(data=ties())
def test_A7_the_count_is_of_predictions_made_before_the_label_was_seen(data, tie):
    X, y = data
    model = started(nk.Perceptron(tie=tie), X, y)
    mistakes = int(tie == "mistake" or y[0] < 0)
    assert model.certificate_.mistakes == mistakes
    for x, label in zip(X[1:], y[1:], strict=True):
        score = model.score_one(x)
        opinion = np.sign(score) if tie == "mistake" or score else 1.0
        mistakes += opinion != label
        model.learn_one(x, label)
        assert model.certificate_.mistakes == mistakes


@given(data=ties(max_rows=12), delta=st.sampled_from([0.5, 1.0, 2.0]), intercept=st.booleans())
def test_D1_the_private_feature_equals_a_column_of_its_own(data, delta, intercept):
    X, y = data
    implicit = nk.Perceptron(slack_feature=delta, fit_intercept=intercept, shuffle=False, max_iter=10**5).fit(X, y)
    explicit = nk.Perceptron(fit_intercept=intercept, shuffle=False, max_iter=10**5)
    explicit.fit(perceptrons.private_features(X, delta), y)
    np.testing.assert_array_equal(implicit.coef_, explicit.coef_[:, : X.shape[1]])
    np.testing.assert_array_equal(implicit.intercept_, explicit.intercept_)
    ours, theirs = implicit.certificate_, explicit.certificate_
    assert (ours.mistakes, ours.passes, ours.radius) == (theirs.mistakes, theirs.passes, theirs.radius)
    assert ours.margin_upper_bound == pytest.approx(theirs.margin_upper_bound)


@given(data=ties(max_rows=12), delta=st.sampled_from([0.5, 1.0]))
def test_D1_the_data_become_separable_and_cycling_halts(data, delta):
    X, y = data
    model = nk.Perceptron(slack_feature=delta, max_iter=10**5).fit(X, y)
    assert model.certificate_.separates
    separator = np.concatenate([np.zeros(X.shape[1] + 1), y])
    extended = perceptrons.private_features(lift(X, True), delta)
    assert model.certificate_.mistakes <= bounds.novikoff(
        np.linalg.norm(extended, axis=1).max(), margin_of(extended, y, separator)
    )
    assert model.certificate_.verify(X, y)


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
def test_D1_private_columns_are_never_built():
    rows = 200_000
    rng = np.random.default_rng(0)
    model = nk.Perceptron(slack_feature=1.0, max_iter=2).fit(rng.normal(size=(rows, 2)), rng.integers(2, size=rows))
    assert model.coef_.shape == (1, 2)
    assert model.certificate_.evidence.duals.weights.shape <= (rows,)


@given(data=ties(), v_seed=seeds, gamma=st.floats(0.01, 10))
def test_D2_one_pass_stays_within_the_bound_of_any_comparator_and_any_gamma(data, v_seed, gamma):
    X, y = data
    U = lift(X, True)
    certificate = one_pass(nk.Perceptron(), X, y).certificate_
    rng = np.random.default_rng(v_seed)
    for v in [*rng.normal(size=(5, U.shape[1])), (y[:, None] * U).sum(axis=0) + 1e-3]:
        margins = y * (U @ v) / np.linalg.norm(v)
        deficit = np.linalg.norm(np.maximum(0, gamma - margins))
        radius = np.linalg.norm(U, axis=1).max()
        at_gamma = ((radius + deficit) / gamma) ** 2
        best = certificate.comparator_bound(X, y, v[:-1], v[-1])
        assert certificate.mistakes <= best * (1 + 1e-9)
        assert best <= at_gamma * (1 + 1e-9)


@given(data=separable())
def test_D2_is_never_worse_than_novikoff_on_separable_data(data):
    margins = data.y * (data.X @ data.w + data.b) / np.linalg.norm(np.append(data.w, data.b))
    fs = bounds.freund_schapire(data.radius, margins)
    assert fs <= bounds.novikoff(data.radius, margins.min()) * (1 + 1e-9)


@pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")
@given(data=ties(), passes=st.integers(1, 4))
def test_D2_holds_for_a_stream_that_repeats_itself(data, passes):
    X, y = data
    U = lift(X, True)
    model = nk.Perceptron(shuffle=False, max_iter=passes).fit(X, y)
    v = (y[:, None] * U).sum(axis=0) + 1e-3
    bound = model.certificate_.comparator_bound(X, y, v[:-1], v[-1])
    margins = np.tile(y * (U @ v) / np.linalg.norm(v), model.n_iter_)
    assert bound == pytest.approx(bounds.freund_schapire(np.linalg.norm(U, axis=1).max(), margins), rel=1e-6)
    assert model.certificate_.mistakes <= bound * (1 + 1e-9)


@pytest.mark.parametrize("delta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_D3_the_largest_margin_of_the_extended_data_is_the_squared_hinge_svm(delta, seed):
    """1/2 |w|^2 + C sum xi^2 with C = 1/(2 delta^2) is half the squared length of the extended separator."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    y = np.where(X @ [1.0, -1.0, 0.5] + 0.7 * rng.normal(size=40) > 0, 1.0, -1.0)
    svm = LinearSVC(loss="squared_hinge", C=1 / (2 * delta**2), fit_intercept=False, tol=1e-12, max_iter=10**6)
    w = svm.fit(X, y).coef_.ravel()
    slack = np.maximum(0, 1 - y * (X @ w))
    best = np.append(w, y * slack / delta)
    extended = perceptrons.private_features(X, delta)
    margin = margin_of(extended, y, best)
    assert margin == pytest.approx(1 / np.linalg.norm(best), rel=1e-5)

    epsilon = 0.01
    model = nk.MarginPerceptron(epsilon=epsilon, fit_intercept=False, max_iter=10**6).fit(extended, y)
    certificate = model.certificate_
    assert certificate.halted
    assert certificate.margin_lower_bound * (1 - 1e-6) <= margin <= certificate.margin_upper_bound * (1 + 1e-6)
    assert certificate.margin_lower_bound >= (1 - epsilon) * margin * (1 - 1e-6)
    v = model.coef_.ravel()
    # v* is a mean of the y u over gamma*, so a margin of (1 - eps) gamma* is a cosine of at least 1 - eps
    assert v @ best >= (1 - epsilon) * np.linalg.norm(v) * np.linalg.norm(best) * (1 - 1e-5)


@few
@given(data=separable())
def test_C5_normalize_is_the_same_as_examples_of_unit_length(data):
    model = one_pass(nk.Perceptron(normalize=True, fit_intercept=data.intercept), data.X, data.y)
    path, mistakes = perceptrons.perceptron(normalized(data.U), data.y)
    np.testing.assert_allclose(vector(model), path[-1], rtol=1e-9, atol=1e-9)
    assert model.certificate_.mistakes == mistakes
    assert model.certificate_.radius == 1


@few
@given(data=separable())
def test_C5_novikoffs_bound_holds_for_the_margin_of_the_normalised_examples(data):
    v = np.append(data.w, [data.b] * data.intercept)
    margin = np.min(data.y * (normalized(data.U) @ v)) / np.linalg.norm(v)
    most = bounds.novikoff(1.0, margin)
    model = nk.Perceptron(normalize=True, max_iter=int(most) + 2, fit_intercept=data.intercept).fit(data.X, data.y)
    assert model.stopped_ == "converged"
    assert model.certificate_.mistakes <= most
    assert nk.verify(model, data.X, data.y, exact=True)
    assert ("geometry", "examples scaled to unit length") in model.certificate_.claims()


def test_C5_long_and_short_rows_count_alike_if_they_are_normalised():
    X, y = np.array([[0.001, 0.002], [300.0, -100.0], [-0.1, -0.1]]), [1, 1, 0]
    scaled = nk.Perceptron(normalize=True, fit_intercept=False).fit(X, y)
    again = nk.Perceptron(normalize=True, fit_intercept=False).fit(X * [[8], [0.25], [2]], y)
    np.testing.assert_array_equal(scaled.coef_, again.coef_)
    assert nk.Perceptron(fit_intercept=False).fit(X, y).certificate_.radius > 300
