"""Online learners in rounds over partitions: the theorem holds, bits are fixed, and the model is an ordinary one."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from command import done

import novikoff as nk
import novikoff_check
from mixed import Mixed
from novikoff.distributed import fit
from reference.mixing import mixing

LEARNERS = {
    "perceptron": lambda **more: nk.Perceptron(**more),
    "averaged": lambda **more: nk.AveragedPerceptron(**more),
    "PA": lambda **more: nk.PassiveAggressive(**more),
    "PA-I": lambda **more: nk.PassiveAggressiveI(C=0.5, **more),
    "PA-II": lambda **more: nk.PassiveAggressiveII(C=0.5, **more),
}


def separable(seed, rows=60, columns=4, margin=0.2):
    """Rows that a plane through 0 separates, their signs, and its margin."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=columns)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(rows, columns))
    y = np.where(X @ w >= 0, 1, -1)
    X += margin * np.outer(y, w)
    return X, y, float(np.min(y * (X @ w)))


def three_classes(seed=3, rows=45, spread=0.4):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 3
    rng.shuffle(y)
    centres = 4 * np.array([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]])
    return rng.normal(size=(rows, 2)) * spread + centres[y], np.array(["a", "b", "c"])[y]


# ---- the theorem ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("partitions", [1, 2, 5])
@pytest.mark.parametrize("name", LEARNERS)
def test_I1_I2_I3_mistakes_stay_within_the_bounds_on_data_with_a_known_margin(name, partitions):
    for seed in range(4):
        X, y, margin = separable(seed)
        model = Mixed(LEARNERS[name](fit_intercept=False, max_iter=500), partitions).fit(X, y)
        certificate = model.certificate_
        assert model.stopped_ == "converged"
        assert 0 < certificate.weighted_mistakes <= certificate.bound(margin)
        assert certificate.weighted_mistakes <= certificate.mistakes <= certificate.total_bound(margin)
        assert certificate.total_bound(margin) == partitions * certificate.bound(margin)
        assert certificate.margin_upper_bound >= margin


def test_I1_the_bound_holds_with_the_largest_margin():
    X, y, _ = separable(11)
    largest = nk.HardMarginSVM(penalized_intercept=True).fit(X, y).margin_
    certificate = Mixed(nk.Perceptron(), 3).fit(X, y).certificate_
    assert certificate.weighted_mistakes <= certificate.bound(largest)
    assert certificate.margin_upper_bound >= largest


def test_I3_the_bound_on_all_mistakes_is_attained_by_equal_partitions():
    n, partitions = 6, 3
    parts = [np.eye(n)] * partitions
    labels = [np.ones(n, dtype=int)] * partitions
    parts[0] = np.vstack([parts[0], -np.eye(n)[:1]])  # a second class, which is never mistaken
    labels[0] = np.append(labels[0], -1)
    model = fit(nk.Perceptron(fit_intercept=False, shuffle=False), parts, labels, on="local:2")
    margin = nk.theory.Margin(1 / np.sqrt(n), intercept="none")
    assert model.certificate_.weighted_mistakes == n == round(model.certificate_.bound(margin))
    assert model.certificate_.mistakes == partitions * n == round(model.certificate_.total_bound(margin))


def test_I5_rounds_are_at_most_one_more_than_the_bound():
    for seed in range(3):
        X, y, margin = separable(seed)
        model = Mixed(nk.Perceptron(fit_intercept=False), 4).fit(X, y)
        assert model.n_iter_ <= model.certificate_.bound(margin) + 1
        assert np.all(model.certificate_.mixing.mistakes[:-1].sum(axis=1) >= 1)
        assert not model.certificate_.mixing.mistakes[-1].any()
        assert np.all(y * model.decision_function(X) > 0)


# ---- the algorithm -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
def test_one_partition_in_the_order_of_the_rows_is_the_learner_on_one_machine(name):
    """With ``shuffle``, the orders differ: that of a partition depends on the seed and its number only (I)."""
    X, y, _ = separable(5)
    alone = LEARNERS[name](shuffle=False, max_iter=100).fit(X, y)
    mixed = Mixed(LEARNERS[name](shuffle=False, max_iter=100), 1).fit(X, y)
    assert mixed.n_iter_ == alone.n_iter_
    assert mixed.stopped_ == alone.stopped_
    assert mixed.certificate_.mistakes == alone.certificate_.mistakes == mixed.certificate_.mixing.mistakes.sum()
    last, own = alone.certificate_.evidence, mixed.certificate_.evidence
    assert np.array_equal(last.weights, own.weights)
    assert last.intercept == own.intercept
    if name == "averaged":  # the sum of all weights is rounded after each pass
        assert np.allclose(mixed.coef_, alone.coef_, rtol=1e-13, atol=1e-15)
    else:
        assert np.array_equal(mixed.coef_, alone.coef_)


@pytest.mark.parametrize(
    ("name", "variant"), [("averaged", "perceptron"), ("PA", "PA"), ("PA-I", "PA-I"), ("PA-II", "PA-II")]
)
def test_rounds_are_those_of_the_reference(name, variant):
    """The scores of the kernels are summed in another order, so that numbers agree to the last digits."""
    X, y, _ = separable(8, rows=41)
    U = np.hstack([X, np.ones((41, 1))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nk.NotHaltedWarning)
        model = Mixed(LEARNERS[name](shuffle=False, max_iter=4), (2, 3, 1)).fit(X, y)
    sizes = model.certificate_.mixing.rows
    ends = np.cumsum(sizes)[:-1]
    parts = list(zip(np.split(U, ends), np.split(y, ends), strict=True))
    v, counts, average = mixing(parts, model.n_iter_, variant, C=0.5)
    found = model.certificate_.evidence
    assert np.array_equal(model.certificate_.mixing.mistakes, counts)
    assert np.allclose(np.append(found.weights, found.intercept), v, rtol=1e-12, atol=1e-13)
    if name == "averaged":
        assert np.allclose(np.append(model.coef_[0], model.intercept_), average, rtol=1e-12, atol=1e-13)


def test_a_round_over_whole_numbers_has_the_bits_of_the_reference():
    rng = np.random.default_rng(4)
    X = rng.integers(-9, 10, size=(40, 3)).astype(float)
    y = np.where(X @ [1.0, -2.0, 1.0] > 0, 1, -1)
    U = np.hstack([X, np.ones((40, 1))])
    model = Mixed(nk.Perceptron(shuffle=False, max_iter=1), 2).fit(X, y)
    v, counts, _ = mixing([(U[:20], y[:20]), (U[20:], y[20:])], 1)
    assert np.array_equal(model.certificate_.mixing.mistakes, counts)
    assert np.array_equal(np.append(model.coef_[0], model.intercept_), v)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_bits_do_not_depend_on_the_number_of_threads(name):
    X, y = three_classes()
    weights = np.random.default_rng(1).choice([0.5, 1.0, 2.0], size=len(y))
    models = [Mixed(LEARNERS[name](max_iter=5), 4, threads).fit(X, y, weights) for threads in (1, 2, 4)]
    for other in models[1:]:
        assert np.array_equal(models[0].coef_, other.coef_)
        assert np.array_equal(models[0].intercept_, other.intercept_)
        for a, b in zip(models[0].certificate_, other.certificate_, strict=True):
            assert a.to_json() == b.to_json()


def test_the_order_of_the_rows_depends_on_the_seed():
    X, y, _ = separable(2)
    first, same, other = (Mixed(nk.Perceptron(random_state=seed), 3).fit(X, y) for seed in (1, 1, 2))
    assert np.array_equal(first.coef_, same.coef_)
    assert not np.array_equal(first.coef_, other.coef_)


def test_whole_weights_stand_for_copies():
    X, y, _ = separable(6, rows=24)
    weights = np.tile([1.0, 3.0, 0.0, 2.0], 6)
    counts = weights.astype(int)
    cut = int(counts[:12].sum())
    weighted = Mixed(nk.AveragedPerceptron(shuffle=False), 2).fit(X, y, weights)
    rows, labels = np.repeat(X, counts, axis=0), np.repeat(y, counts)
    copies = fit(nk.AveragedPerceptron(shuffle=False), [rows[:cut], rows[cut:]], [labels[:cut], labels[cut:]])
    assert np.array_equal(weighted.coef_, copies.coef_)
    assert weighted.certificate_.mistakes == copies.certificate_.mistakes
    assert nk.verify(weighted, X, y, weights)


@pytest.mark.parametrize("class_weight", ["balanced", {1: 2.0, -1: 0.5}])
def test_class_weights_are_those_of_the_learner_on_one_machine(class_weight):
    X, y, _ = separable(9, rows=30)
    keep = np.flatnonzero((y > 0) | (np.arange(30) % 3 == 0))
    X, y, weights = X[keep], y[keep], np.where(np.arange(len(keep)) % 4 == 0, 2.0, 1.0)
    alone = nk.Perceptron(shuffle=False, class_weight=class_weight).fit(X, y, weights)
    one = Mixed(nk.Perceptron(shuffle=False, class_weight=class_weight), 1).fit(X, y, weights)
    assert np.array_equal(one.coef_, alone.coef_)
    several = Mixed(nk.Perceptron(class_weight=class_weight), 3).fit(X, y, weights)
    assert nk.verify(several, X, y, weights)


# ---- partitions ----------------------------------------------------------------------------------------------------


def test_empty_and_one_class_partitions_are_ordinary():
    X, y, _ = separable(7, rows=30)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    negative = int(np.count_nonzero(y < 0))
    cuts = [slice(0, 0), slice(0, negative), slice(negative, negative), slice(negative, 30), slice(30, 30)]
    model = fit(nk.Perceptron(), [X[cut] for cut in cuts], [y[cut] for cut in cuts], on="local:3")
    assert model.score(X, y) == 1
    assert model.certificate_.mixing.rows.tolist() == [0, negative, 0, 30 - negative, 0]
    assert model.certificate_.mixing.partitions == 2
    assert nk.verify(model, X, y)


@pytest.mark.parametrize("name", LEARNERS)
def test_sparse_rows_learn_as_dense_ones_also_if_files_end_with_an_earlier_column(name):
    rng = np.random.default_rng(12)
    X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.5)
    X[:20, 4:] = 0.0
    y = np.where(X @ [1.0, -1.0, 2.0, 0.5, 1.0, -2.0] > 0.1, "yes", "no")
    narrow = [sp.csr_matrix(X[:20, :4]), sp.csr_matrix(X[20:])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nk.NotHaltedWarning)
        sparse = fit(LEARNERS[name](max_iter=8), narrow, [y[:20], y[20:]], on="local:2")
        dense = fit(LEARNERS[name](max_iter=8), [X[:20], X[20:]], [y[:20], y[20:]], on="local:2")
    assert sparse.n_features_in_ == 6
    assert np.allclose(sparse.coef_, dense.coef_, rtol=1e-12, atol=1e-14)
    assert nk.verify(sparse, sp.csr_matrix(X), y)


def test_labels_of_rows_of_weight_zero_do_not_count():
    X, y, _ = separable(7, rows=20)
    labels = np.where(y > 0, "p", "n").astype(object)
    labels[3] = "other"
    weights = np.ones(20)
    weights[3] = 0.0
    model = Mixed(nk.Perceptron(), 2).fit(X, labels.astype(str), weights)
    assert model.classes_.tolist() == ["n", "p"]
    assert model.certificate_.examples == 19 * model.n_iter_


def test_several_classes_are_learned_in_the_same_rounds():
    X, y = three_classes(seed=2, spread=0.9)
    messages = []
    model = fit(nk.Perceptron(), X, y, on="local:3", progress=lambda *message: messages.append(message))
    assert model.score(X, y) == 1
    assert [certificate.passes for certificate in model.certificate_] != [model.n_iter_] * 3
    assert max(certificate.passes for certificate in model.certificate_) == model.n_iter_ == len(messages)
    assert messages[0][0].startswith("round 1: ")
    assert messages[-1] == (f"round {model.n_iter_}: 0 mistakes", 1.0)
    assert nk.verify(model, X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"random_state": np.random.RandomState(3)},
        {"random_state": None},
        {"class_weight": {"a": 0.0, "b": 2.5}},
        {"classes": ["a", "b", "c", "d"]},
        {"tie": "positive", "fit_intercept": False, "normalize": True},
    ],
    ids=lambda parameters: ", ".join(parameters),
)
def test_partitions_of_one_row_are_verified_with_any_parameters(parameters):
    """The certificate has the seed, so that the rounds can be repeated for any ``random_state``."""
    X, y = three_classes(rows=24, spread=2.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nk.NotHaltedWarning)
        model = Mixed(nk.Perceptron(max_iter=4, **parameters), 20).fit(X, y)
    found = nk.verify(model, X, y)
    assert found, str(found)
    assert sum(certificate.mistakes for certificate in model.certificate_) > 20


# ---- the model -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
def test_a_mixed_model_is_verified_saved_and_certified_as_any_other(name, tmp_path):
    X, y, _ = separable(1, rows=40)
    model = Mixed(LEARNERS[name](max_iter=50), 3).fit(X, y)
    found = nk.verify(model, X, y)
    assert found, str(found)
    assert not {check.claim for check in found.checks if check.status == "open"}
    model.save(tmp_path / "model.nvk")
    again = nk.load(tmp_path / "model.nvk")
    assert np.array_equal(again.coef_, model.coef_)
    assert again.certificate_.to_json() == model.certificate_.to_json()
    assert nk.verify(again, X, y)
    assert not nk.verify(again, X[::-1], y[::-1])


def test_the_command_line_and_the_independent_checker_certify_a_mixed_model(tmp_path):
    X, y, _ = separable(1, rows=40)
    model, data = tmp_path / "model.nvk", tmp_path / "data.svm"
    Mixed(nk.AveragedPerceptron(max_iter=50), 3).fit(X, y).save(model)
    rows = [" ".join(f"{j}:{value!r}" for j, value in enumerate(row, start=1)) for row in X.tolist()]
    data.write_text("".join(f"{label} {row}\n" for label, row in zip(y.tolist(), rows, strict=True)))
    assert "weighted mistakes" in done("certify", model, data).out
    assert novikoff_check.main([str(model), str(data)]) == 0


def test_a_mixed_model_has_a_report(tmp_path):
    X, y, _ = separable(1, rows=30)
    model = Mixed(nk.Perceptron(), 2).fit(X, y)
    nk.report(model, X, y, tmp_path / "report.html")
    assert "weighted mistakes" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "mean of those that" in model.certificate_.explain()


def test_a_mixed_model_goes_on_learning_from_a_stream():
    X, y, _ = separable(1, rows=30)
    for make in LEARNERS.values():
        model = Mixed(make(), 2).fit(X, y)
        before = model.coef_.copy()
        model.partial_fit(X[:5], -y[:5])
        assert not np.array_equal(model.coef_, before)
        assert type(model.certificate_).__name__ == "MistakeCertificate"
        assert not nk.verify(model, X, y).failures


def test_fit_on_one_machine_forgets_the_partitions():
    X, y, _ = separable(1, rows=30)
    model = Mixed(nk.Perceptron(), 2).fit(X, y)
    assert type(model.fit(X, y).certificate_).__name__ == "MistakeCertificate"


def test_rows_that_no_plane_separates_end_with_the_usual_warning():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    with pytest.warns(nk.NotHaltedWarning, match="3 passes were not enough") as caught:
        model = Mixed(nk.Perceptron(max_iter=3), 2).fit(X, y)
    assert caught[0].message.reason == model.stopped_ == "max_iter"
    with pytest.warns(nk.NotHaltedWarning, match="did not become fewer") as caught:
        model = Mixed(nk.Perceptron(), 2).fit(X, y)
    assert caught[0].message.reason == model.stopped_ == "no progress"
    assert model.n_iter_ < 100
    assert model.certificate_.mixing.errors > 0
    assert nk.verify(model, X, y)


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y, _ = separable(1, rows=30)
    model = Mixed(nk.Perceptron(), 2).fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(nk.InvalidInputError, match="only one class"):
        Mixed(model, 2).fit(X, np.ones(30))
    assert np.array_equal(model.coef_, before)


def test_weights_that_overflow_are_refused():
    X, y, _ = separable(1, rows=30)
    with pytest.raises(nk.InvalidInputError, match="partition 0: the product of sample_weight and class_weight"):
        Mixed(nk.Perceptron(class_weight={1: 1e308}), 2).fit(X, y, np.full(30, 1e10))
