"""Models as ONNX: onnxruntime gives the scores, labels and probabilities that we do."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from strategies import seeds, ties

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
TWO = np.where(X[:, 0] - X[:, 1] > 0.1, 1, -1)
THREE = np.argmax(X[:, :3], axis=1)
LINEAR = [
    nk.Perceptron(),
    nk.AveragedPerceptron(),
    nk.MarginPerceptron(),
    nk.MarginPerceptron(normalize=True, max_iter=50),
    nk.PassiveAggressive(),
    nk.PassiveAggressiveI(),
    nk.PassiveAggressiveII(),
    nk.LinearSVM(),
    nk.LinearSVM(multi_class="ovr"),
    nk.LinearSVM(multi_class="crammer_singer", loss="hinge"),
    nk.LinearSVMCV(Cs=3),
]


def ran(model, rows, path):
    """What onnxruntime makes of the rows, by the names of the outputs."""
    nk.export.to_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": np.asarray(rows, dtype=np.float64)}), strict=True))


def assert_same(model, rows, path):
    found = ran(model, rows, path)
    scores = model.decision_function(rows)
    assert found["scores"].shape == scores.shape
    scale = np.abs(np.asarray(rows)) @ np.abs(model.coef_).T.max(axis=1) + np.abs(model.intercept_).max()
    scale = scale if scores.ndim == 1 else scale[:, None]
    assert np.all(np.abs(found["scores"] - scores) <= 1e-12 * scale + 5e-324)
    labels = model.predict(rows)
    assert found["label"].tolist() == labels.tolist()
    assert [type(label) for label in found["label"].tolist()] == [type(label) for label in labels.tolist()]
    return found


@pytest.mark.parametrize("model", LINEAR, ids=repr)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three"])
def test_scores_and_labels_are_ours(model, y, tmp_path):
    assert_same(model.fit(X, y), X, tmp_path / "model.onnx")


def test_the_hard_margin_too(tmp_path):
    apart = X[np.abs(X[:, 0] - X[:, 1] - 0.1) > 0.05]
    y = np.where(apart[:, 0] - apart[:, 1] > 0.1, 1, -1)
    assert_same(nk.HardMarginSVM().fit(apart, y), apart, tmp_path / "model.onnx")


@pytest.mark.parametrize(
    "classes",
    [
        np.array([3, 7]),
        np.array([-1.0, 2.0]),
        np.array([False, True]),
        np.array(["no", "ja, ü"]),
        np.array(["no", "yes"], dtype=object),
        np.array([3, 7], dtype=np.uint8),
        np.array([2**62, 2**62 + 1]),
    ],
    ids=lambda classes: f"{classes.dtype}",
)
def test_labels_keep_their_kind(classes, tmp_path):
    assert_same(nk.LinearSVM().fit(X, classes[(TWO > 0).astype(int)]), X, tmp_path / "model.onnx")


def test_a_model_of_sparse_rows_takes_dense_ones(tmp_path):
    rows = X * (RNG.random(X.shape) < 0.3)
    model = nk.LinearSVM().fit(sp.csr_array(rows), TWO)
    assert_same(model, rows, tmp_path / "model.onnx")


@given(ties())
def test_ties_go_where_they_go_here(tmp_path_factory, data):
    rows, y = data
    path = tmp_path_factory.mktemp("onnx") / "model.onnx"
    grid = np.array(np.meshgrid(*[np.arange(-2.0, 3)] * rows.shape[1])).reshape(rows.shape[1], -1).T
    for fit_intercept in (True, False):
        assert_same(nk.Perceptron(max_iter=3, fit_intercept=fit_intercept).fit(rows, y), grid, path)


def test_a_score_of_zero_is_positive_and_the_first_of_equals_wins(tmp_path):
    two = nk.LinearClassifier.of([[1.0, -1.0]], [0.0], ["no", "yes"])
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-0.0, 0.0]])
    assert assert_same(two, rows, tmp_path / "two")["label"].tolist() == ["yes", "yes", "no", "yes"]
    three = nk.LinearClassifier.of([[0.0], [1.0], [1.0]], [0.0, 0.0, 0.0], [5, 6, 7])
    assert assert_same(three, [[0.0], [1.0], [-1.0]], tmp_path / "three")["label"].tolist() == [5, 6, 5]


@given(seeds, st.sampled_from([1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e150, 1e300]), st.integers(2, 4))
def test_huge_and_tiny_weights_lose_nothing(tmp_path_factory, seed, scale, count):
    rng = np.random.default_rng(seed)
    questions = 1 if count == 2 else count
    coef = scale * rng.normal(size=(questions, 5)) * 10.0 ** rng.integers(-4, 5, size=5)
    model = nk.LinearClassifier.of(coef, scale * rng.normal(size=questions), list(range(count)))
    assert_same(model, rng.normal(size=(20, 5)), tmp_path_factory.mktemp("onnx") / "model.onnx")


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three"])
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_probabilities_are_ours(y, multi_class, tmp_path):
    model = nk.LinearSVM(probability=True, loss="hinge", multi_class=multi_class).fit(X, y)
    rows = np.vstack([X, 1e3 * X])
    found = ran(model, rows, tmp_path / "model.onnx")["probabilities"]
    assert found.shape == (len(rows), len(model.classes_))
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=1e-9, atol=1e-300)


def test_coupled_probabilities_are_left_out(tmp_path):
    found = assert_same(nk.LinearSVM(probability=True, multi_class="ovo").fit(X, THREE), X, tmp_path / "model.onnx")
    assert found.keys() == {"scores", "label"}


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_ties_go_to_the_most_frequent_class(multi_class, tmp_path):
    model = nk.LinearSVM(multi_class=multi_class).fit(X, THREE)
    model.coef_, model.intercept_ = np.round(model.coef_), np.zeros(len(model.intercept_))
    rows = np.vstack([np.zeros((1, 4)), np.round(X)])
    for counts in ([1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [1.0, 1.0, 1.0]):
        model.class_count_ = np.array(counts)
        found = assert_same(model, rows, tmp_path / "model.onnx")
        assert found["label"][0] == int(np.argmax(counts))
    for counts, label in (([2.0, 1.0], -1), ([1.0, 2.0], 1), ([1.0, 1.0], 1)):
        two = nk.LinearSVM().fit(X, TWO)
        two.coef_, two.intercept_, two.class_count_ = 0 * two.coef_, 0 * two.intercept_, np.array(counts)
        assert assert_same(two, X, tmp_path / "two.onnx")["label"][0] == label


def test_votes_of_many_classes_are_ours(tmp_path):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(200, 6))
    model = nk.LinearSVM(multi_class="ovo").fit(rows, np.arange(200) % 9)
    assert assert_same(model, rows, tmp_path / "model.onnx")["scores"].shape == (200, 9)
    assert_same(model, 1e305 * rows, tmp_path / "model.onnx")


@given(
    st.floats(-1e3, 1e3), st.sampled_from([0.0, 1e-300, -0.25, 40.0]), st.sampled_from([1.0, 1 - 1e-9, 1e-300, -3.5])
)
def test_sigmoids_of_any_slope_lose_nothing(tmp_path_factory, score, offset, slope):
    model = nk.LinearSVM(probability=True).fit(X, TWO)
    model.coef_, model.intercept_ = np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros(1)
    model._sigmoids = [type(model._sigmoids[0])(slope, offset)]
    rows = [[score, 0.0, 0.0, 0.0]]
    found = ran(model, rows, tmp_path_factory.mktemp("onnx") / "model.onnx")["probabilities"]
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=1e-12, atol=1e-15)


def test_probabilities_that_all_vanish_are_equal(tmp_path):
    model = nk.LinearSVM(probability=True, multi_class="ovr").fit(X, THREE)
    model.coef_ = np.zeros_like(model.coef_)
    model.intercept_ = np.sign([sigmoid.slope for sigmoid in model._sigmoids]) * 1e9
    np.testing.assert_array_equal(
        ran(model, X[:1], tmp_path / "model.onnx")["probabilities"], model.predict_proba(X[:1])
    )


@pytest.mark.parametrize("rows", [0, 1, 1000])
def test_any_number_of_rows_will_do(rows, tmp_path):
    found = ran(nk.LinearSVM().fit(X, TWO), np.resize(X, (rows, 4)), tmp_path / "model.onnx")
    assert found["label"].shape == found["scores"].shape == (rows,)


def test_the_file_says_what_it_is(tmp_path):
    model = nk.Perceptron(class_weight={1: 2.0, -1: 1.0})
    for row, label in zip(X.tolist(), TWO.tolist(), strict=True):
        model.learn_one(dict(zip(["a", "b", "c", 4], row, strict=True)), label)
    nk.export.to_onnx(model, tmp_path / "model.onnx")
    read = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(read, full_check=True)
    facts = {entry.key: entry.value for entry in read.metadata_props}
    assert (read.producer_name, read.producer_version) == ("novikoff", nk.__version__)
    assert (facts["library"], facts["learner"]) == ("novikoff", "Perceptron")
    assert json.loads(facts["parameters"])["class_weight"] == {"1": 2.0, "-1": 1.0}
    assert json.loads(facts["feature_names"]) == ["a", "b", "c", 4]


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three"])
def test_a_wide_model_gathers_the_columns_that_have_a_weight(y, tmp_path):
    places = np.array([3, 40, 5000, 99_999])
    rows = np.zeros((60, 100_000))
    rows[:, places] = X
    model = nk.LinearSVM(probability=True, multi_class="ovr").fit(sp.csr_array(rows), y)
    model.feature_names_in_ = np.array([f"column {j}" for j in range(100_000)], dtype=object)
    nk.export.to_onnx(model, tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").stat().st_size < 5000
    read = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(read, full_check=True)
    names = {entry.key: entry.value for entry in read.metadata_props}["feature_names"]
    assert json.loads(names) == [f"column {j}" for j in places]
    del model.feature_names_in_
    found = assert_same(model, rows, tmp_path / "model.onnx")
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), rtol=1e-9)


def test_weights_that_no_file_can_hold_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("novikoff.export.onnx.MAX_BYTES", 31)
    with pytest.raises(nk.InvalidInputError, match="the weights take 32 bytes, but ONNX files hold at most 31"):
        nk.export.to_onnx(nk.LinearSVM().fit(X, TWO), tmp_path / "model.onnx")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(nk.InvalidInputError, match=r"pip install 'novikoff\[onnx\]'"):
        nk.export.to_onnx(nk.LinearSVM().fit(X, TWO), tmp_path / "model.onnx")
