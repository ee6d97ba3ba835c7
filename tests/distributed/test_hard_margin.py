import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
import novikoff.distributed as nd
from certified import OTHER_DATA
from oracle import decided, statuses
from real_data import two_classes
from separable_cases import small_case
from working_sets import as_parts, cut, few_rows, send_pickled, separable_rows

GEOMETRIES = [
    {},
    {"penalized_intercept": True},
    {"fit_intercept": False},
]


def fitted(X, y, parts, on="local:2", said=None, **parameters):
    """A hard margin on so many partitions."""
    progress = None if said is None else lambda message, fraction: said.append((message, fraction))
    return nd.fit(nk.HardMarginSVM(**parameters), *as_parts(X, y, parts), on=on, progress=progress)


def attributes(model):
    """The bits of all fitted attributes that have numbers."""
    names = ("coef_", "intercept_", "support_", "dual_coef_", "nearest_points_", "class_count_")
    return [np.asarray(getattr(model, name)).tobytes() for name in names] + [model.margin_, model.n_iter_]


@pytest.mark.parametrize("parts", [1, 3, 7])
@pytest.mark.parametrize("geometry", GEOMETRIES)
@pytest.mark.parametrize("kind", ["dense", "sparse", "integers"])
def test_the_margin_is_the_largest_and_proven(parts, geometry, kind, monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(3, is_sparse=kind == "sparse", is_integer=kind == "integers")
    if geometry == {"fit_intercept": False}:
        X, y = separable_rows(3, gap=0.6, is_sparse=kind == "sparse")
        y = np.where(np.asarray(X.sum(axis=1)).ravel() > 0, 1, -1)
    model, alone = fitted(X, y, parts, **geometry), nk.HardMarginSVM(**geometry).fit(X, y)
    certificate = model.certificate_
    assert certificate.converged
    assert certificate.margin_lower_bound <= alone.certificate_.margin_upper_bound
    assert alone.certificate_.margin_lower_bound <= certificate.margin_upper_bound
    assert nk.verify(model, X, y)
    assert set(statuses(decided(certificate, X, y)).values()) <= {"holds", "on trust"}
    margins = np.where(y > 0, 1, -1) * model.decision_function(X)
    assert abs(margins.min() - 1) < 1e-9
    assert certificate.examples == len(y)
    assert np.array_equal(certificate.model.duals.rows, model.support_)
    assert sorted(vars(model)) == sorted(vars(alone))


def test_all_rows_bound_the_margin_of_few(monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(5, rows=3000, columns=4)
    said = []
    model = fitted(X, y, 7, said=said)
    bounds = [message.split(", ") for message, _ in said]
    uppers = [float(words[1].removeprefix("at most ")) for words in bounds]
    assert uppers == sorted(uppers, reverse=True)
    assert all(float(words[0].split()[-1]) <= upper for words, upper in zip(bounds, uppers, strict=True))
    assert len(said) > 2
    assert said[0][0].startswith("round 1: margin at least ")
    assert int(bounds[-1][2].split()[0]) < 200
    assert said[-1][1] == 1.0
    assert nk.verify(model, X, y)


@pytest.mark.parametrize("other", OTHER_DATA)
def test_the_certificate_is_refused_on_other_data(other):
    X, y = separable_rows(7, rows=50)
    certificate = fitted(X, y, 3).certificate_
    assert certificate.verify(X, y)
    assert not certificate.verify(*OTHER_DATA[other](X, y))


@pytest.mark.parametrize("seed", range(60))
def test_small_cases_end_as_on_one_machine(seed, monkeypatch):
    few_rows(monkeypatch)
    X, y, fit_intercept = small_case(seed)
    rng, found = np.random.default_rng(seed), []
    Xs, ys = cut(X, y, at=rng.integers(0, len(y) + 1, rng.integers(0, 5)))
    for fit in (
        lambda: nk.HardMarginSVM(fit_intercept=fit_intercept).fit(X, y),
        lambda: nd.fit(nk.HardMarginSVM(fit_intercept=fit_intercept), Xs, ys, on="local:1"),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                found.append(fit())
            except nk.errors.InvalidInputError as error:
                found.append(error)
    alone, parted = found
    assert type(alone) is type(parted)
    if isinstance(alone, nk.errors.InvalidInputError):
        assert str(alone).split("The error")[0] == str(parted).split("The error")[0]
    else:
        assert parted.certificate_.converged == alone.certificate_.converged
        assert parted.certificate_.margin_lower_bound <= alone.certificate_.margin_upper_bound
        assert alone.certificate_.margin_lower_bound <= parted.certificate_.margin_upper_bound
        assert nk.verify(parted, X, y)


@pytest.mark.parametrize("parts", [1, 3, 7])
@pytest.mark.parametrize("name", ["xor", "one turned", "touching"])
def test_the_witness_proves_that_no_plane_separates(parts, name, monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(2, is_integer=True)
    if name == "xor":
        X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    elif name == "one turned":
        middle = np.argsort(np.linalg.norm(X, axis=1))[0]
        y[middle] = -y[middle]
    else:
        X, y = np.vstack([X, X[y == 1][:1]]), np.append(y, -1)
    with pytest.raises(nk.NotSeparableError, match="no hyperplane separates class 1 from the rest") as caught:
        fitted(X, y, parts)
    witness = caught.value.witness
    signs = np.where(y[witness.rows] == 1, 1, -1)
    assert abs(witness.weights.sum() - 1) < 1e-12
    assert np.all(np.abs((signs * witness.weights) @ np.column_stack([X[witness.rows], np.ones(len(signs))])) < 1e-12)


@pytest.mark.parametrize("parts", [3, 7])
def test_each_class_is_separated_from_the_rest(parts, monkeypatch):
    few_rows(monkeypatch)
    rng = np.random.default_rng(0)
    centres = {"a": (0.0, 9.0), "b": (8.0, -5.0), "c": (-8.0, -5.0)}
    y = rng.choice(list(centres), 400)
    X = np.array([centres[label] for label in y]) + rng.normal(size=(400, 2))
    model, alone = fitted(X, y, parts), nk.HardMarginSVM().fit(X, y)
    assert nk.verify(model, X, y)
    assert [certificate.model.positive for certificate in model.certificate_] == ["a", "b", "c"]
    assert np.allclose(model.coef_, alone.coef_, rtol=1e-3)
    assert np.array_equal(model.class_count_, alone.class_count_)
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert np.array_equal(model.predict(X), y)
    assert fitted(X, y, parts, on="local:1").support_.tolist() == model.support_.tolist()


def test_weights_of_zero_mean_absence(monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(11)
    rng = np.random.default_rng(1)
    weights = rng.choice([0.0, 1.0, 2.5], len(y))
    turned = np.where(weights == 0, -y, y)
    Xs, ys, ws = cut(X, turned, weights, at=[0, 40, 90])
    model = nd.fit(nk.HardMarginSVM(), Xs, ys, ws, on="local:2")
    assert nk.verify(model, X, turned, sample_weight=weights)
    assert model.certificate_.examples == np.count_nonzero(weights)
    assert not np.any(weights[model.support_] == 0)
    alone = nk.HardMarginSVM().fit(X, turned, sample_weight=weights)
    assert np.allclose(model.coef_, alone.coef_, rtol=1e-3)
    assert np.array_equal(model.class_count_, alone.class_count_)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_number_of_threads_does_not_change_a_bit(is_sparse, monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(13, rows=400, is_sparse=is_sparse)
    first, *others = [attributes(fitted(X, y, 7, on=f"local:{threads}")) for threads in (1, 2, 3)]
    assert all(other == first for other in others)


def test_copies_of_what_is_sent_give_the_same_bits(monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(13, rows=400, is_sparse=True)
    expected = attributes(fitted(X, y, 7))
    send_pickled(monkeypatch)
    assert attributes(fitted(X, y, 7)) == expected


def test_one_class_partitions_and_doubles(monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(17)
    order = np.argsort(y, kind="stable")
    X, y = np.vstack([X[order]] * 3), np.tile(y[order], 3)
    place = int(np.count_nonzero(y[:120] < 0))
    model = nd.fit(nk.HardMarginSVM(), *cut(X, y, at=[place, 120, 120 + place, 240]), on="local:2")
    assert nk.verify(model, X, y)
    assert model.certificate_.converged


def test_sparse_partitions_may_be_narrower(monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(19, columns=4)
    X[:60, 3] = 0
    y = np.where(np.abs(X @ [1.0, 2.0, -1.0, 0.5]) < 0.2, 0, np.sign(X @ [1.0, 2.0, -1.0, 0.5]))
    X, y = X[y != 0], y[y != 0]
    whole, first = sp.csr_matrix(X), int(np.count_nonzero(np.cumsum(X[:, 3] != 0) == 0))
    model = nd.fit(nk.HardMarginSVM(), [whole[:first, :3], whole[first:]], [y[:first], y[first:]], on="local:2")
    assert model.n_features_in_ == 4
    assert nk.verify(model, whole, y)


def test_the_model_can_be_saved_and_loaded(tmp_path):
    X, y = separable_rows(23)
    model = fitted(X, y, 3)
    nk.save(model, tmp_path / "model.nk")
    loaded = nk.load(tmp_path / "model.nk")
    assert attributes(loaded) == attributes(model)
    assert nk.verify(loaded, X, y)


def test_a_second_fit_forgets_the_first():
    X, y = separable_rows(29)
    model = fitted(X, y, 3)
    model.reading_ = None
    nd.fit(model, *as_parts(*separable_rows(31, columns=2), 3), on="local:2")
    assert not hasattr(model, "reading_")
    assert model.coef_.shape == (1, 2)


def test_too_few_steps_leave_both_bounds_and_a_warning(monkeypatch):
    few_rows(monkeypatch)
    X, y = separable_rows(37, rows=2000, columns=6)
    with pytest.warns(ConvergenceWarning, match="farther apart than tol=1e-06"):
        model = fitted(X, y, 3, max_iter=1)
    certificate = model.certificate_
    assert not certificate.converged
    assert certificate.verify(X, y)
    assert certificate.margin_lower_bound < certificate.margin_upper_bound


@pytest.mark.parametrize(("parameters", "words"), [({"tol": 0}, "tol must"), ({"max_iter": 0}, "max_iter must")])
def test_parameters_are_checked(parameters, words):
    X, y = separable_rows(41)
    with pytest.raises(nk.errors.InvalidInputError, match=words):
        fitted(X, y, 3, **parameters)


def test_one_class_is_refused_and_the_model_stays():
    X, y = separable_rows(43)
    model = fitted(X, y, 3)
    before = attributes(model)
    with pytest.raises(nk.errors.InvalidInputError, match="only one class"):
        nd.fit(model, *as_parts(X, np.ones(len(y), dtype=int), 3), on="local:2")
    assert attributes(model) == before


def test_mushrooms_need_few_rounds_and_few_rows():
    X, y = two_classes("mushrooms")
    said = []
    model = nd.fit(
        nk.HardMarginSVM(), *cut(X, y, at=[2000, 4000, 6000]), on="local:2", progress=lambda m, _: said.append(m)
    )
    assert model.certificate_.converged
    assert nk.verify(model, X, y)
    assert len(said) <= 20
    assert int(said[-1].split(", ")[-1].split()[0].replace(",", "")) < 1500


def test_a9a_ends_with_a_witness():
    X, y = two_classes("a9a")
    with pytest.raises(nk.NotSeparableError) as caught:
        nd.fit(nk.HardMarginSVM(), *cut(X, y, at=[8000, 16000, 24000]), on="local:2")
    rows, weights = caught.value.witness.rows, caught.value.witness.weights
    sums = np.append(X[rows].T @ (weights * y[rows]), weights @ y[rows])
    assert np.all(np.abs(sums) < 1e-9)
    assert len(rows) < 1000
