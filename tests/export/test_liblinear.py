"""LIBLINEAR's text: its ``predict`` gives our predictions, and the models that its ``train`` wrote are read."""

import itertools
import shutil
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from real_data import real
from strategies import finite_floats, ties
from wide_rows import HUGE, never_dense, wide_rows

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

TRAIN, PREDICT = (shutil.which(f"liblinear-{program}") for program in ("train", "predict"))
needs_liblinear = pytest.mark.skipif(
    not (TRAIN and PREDICT), reason="liblinear-train is not installed (apt-get install liblinear-tools)"
)
SOLVERS = range(8)


def blobs(classes, rows=90, columns=6):
    """Some rows of each class, which overlap."""
    rng = np.random.default_rng(classes)
    y = np.arange(rows) % classes
    X = rng.normal(size=(rows, columns)) + 1.5 * rng.normal(size=(classes, columns))[y]
    return X * (rng.random(X.shape) < 0.7), y


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def predicted(model_file, X, folder):
    """The labels that LIBLINEAR gives."""
    nk.write_svmlight(X, np.zeros(X.shape[0]), folder / "rows.svm")
    run(PREDICT, folder / "rows.svm", model_file, folder / "labels.txt")
    return np.loadtxt(folder / "labels.txt", ndmin=1).astype(np.int64)


def tied(model, X):
    """Rows that no class wins: the only ones of which models that LIBLINEAR learned may say something else here."""
    scores = np.sort(model.decision_function(X).reshape(len(X), -1), axis=1)
    return (scores[:, -1] == scores[:, -2]) if scores.shape[1] > 1 else scores[:, 0] == 0


@needs_liblinear
@pytest.mark.parametrize("name", ["mushrooms", pytest.param("a9a", marks=pytest.mark.slow)])
def test_liblinear_predicts_what_we_do_on_real_data(name, tmp_path):
    X, y = nk.read_svmlight(real(f"{name}.svm.gz"))
    model = nk.LinearSVM(C=0.1, tol=1e-2).fit(X, y)
    nk.export.to_liblinear(model, tmp_path / "model")
    np.testing.assert_array_equal(predicted(tmp_path / "model", X, tmp_path), model.predict(X))


@needs_liblinear
@pytest.mark.parametrize("labels", [[-1, 1], [7, 3], [0, 1, 2], [5, -2, 40, 8], [1.0, 2.0]], ids=repr)
@pytest.mark.parametrize(
    "learner",
    [
        nk.LinearSVM(loss="hinge", multi_class="ovr"),
        nk.LinearSVM(fit_intercept=False, loss="squared_hinge", multi_class="ovr"),
        nk.LinearSVM(loss="hinge", multi_class="crammer_singer"),
        nk.Perceptron(max_iter=5),
    ],
    ids=repr,
)
def test_liblinear_predicts_what_we_do(learner, labels, tmp_path):
    X, codes = blobs(len(labels))
    model = learner.fit(X, np.array(labels)[codes])
    nk.export.to_liblinear(model, tmp_path / "model")
    np.testing.assert_array_equal(predicted(tmp_path / "model", X, tmp_path), model.predict(X))


def test_a_joint_model_is_one_of_liblinears_solver_4(tmp_path):
    X, y = blobs(4)
    model = nk.LinearSVM(loss="hinge", multi_class="crammer_singer").fit(X, y)
    nk.export.to_liblinear(model, tmp_path / "model")
    assert (tmp_path / "model").read_text().startswith("solver_type MCSVM_CS\nnr_class 4\n")
    again = nk.export.from_liblinear(tmp_path / "model")
    assert again.coef_.tobytes() == model.coef_.tobytes()
    two = nk.LinearSVM(loss="hinge", multi_class="crammer_singer").fit(X, y > 1).set_params(class_weight=None)
    two.classes_ = np.array([0, 1])
    nk.export.to_liblinear(two, tmp_path / "model")
    np.testing.assert_allclose(
        nk.export.from_liblinear(tmp_path / "model").decision_function(X), two.decision_function(X)
    )


@needs_liblinear
@pytest.mark.parametrize(
    "counts", [[1.0, 1.0], [3.0, 2.0], [2.0, 3.0], [1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [2.0, 1.0, 2.0]], ids=str
)
def test_ties_go_to_the_most_frequent_class(counts, tmp_path):
    grid = np.array([[a, b] for a in range(-2, 3) for b in range(-2, 3)], dtype=float)
    coef = [[1.0, -1.0]] if len(counts) == 2 else [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    model = nk.LinearClassifier.of(coef, [0.0] * len(coef), [3, 5, 9][: len(counts)])
    for counted in (False, True):
        if counted:
            model.class_count_ = np.array(counts)
        nk.export.to_liblinear(model, tmp_path / "model")
        np.testing.assert_array_equal(predicted(tmp_path / "model", grid, tmp_path), model.predict(grid))
        assert nk.export.from_liblinear(tmp_path / "model").coef_.tobytes() == model.coef_.tobytes()


def test_a_model_of_pairs_is_refused(tmp_path):
    X, y = blobs(3)
    with pytest.raises(nk.InvalidInputError, match=r'one per pair of classes\. Fit with multi_class="ovr"'):
        nk.export.to_liblinear(nk.LinearSVM(multi_class="ovo").fit(X, y), tmp_path / "model")
    assert not (tmp_path / "model").exists()


@needs_liblinear
@given(ties())
def test_ties_of_any_model_go_where_they_go_here(tmp_path_factory, data):
    X, y = data
    folder = tmp_path_factory.mktemp("liblinear")
    model = nk.Perceptron(max_iter=3).fit(X, y)
    nk.export.to_liblinear(model, folder / "model")
    np.testing.assert_array_equal(predicted(folder / "model", X, folder), model.predict(X))


@given(
    st.integers(2, 4).flatmap(
        lambda count: st.lists(
            st.lists(finite_floats(np.float64), min_size=4, max_size=4),
            min_size=1 if count == 2 else count,
            max_size=1 if count == 2 else count,
        )
    )
)
def test_the_way_back_is_exact(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("liblinear") / "model"
    weights = np.array(table)
    classes = [-5, 3] if len(weights) == 1 else list(range(len(weights)))
    model = nk.LinearClassifier.of(weights[:, :-1], weights[:, -1], classes)
    nk.export.to_liblinear(model, path)
    same = nk.export.from_liblinear(path)
    assert same.coef_.tobytes() == model.coef_.tobytes()
    assert same.intercept_.tobytes() == model.intercept_.tobytes()
    assert same.classes_.tolist() == classes
    assert same.n_features_in_ == 3


@pytest.mark.parametrize("classes", [[0, 1], [1, 2, 3]])
def test_columns_after_the_last_weight_are_left_out_of_wide_models(tmp_path, classes):
    coef = np.zeros((1 if len(classes) == 2 else 3, 100_000))
    coef[0, [2, 700]] = -0.5, 1e-300
    coef[-1, 5] = -0.0
    model = nk.LinearClassifier.of(coef, np.arange(len(coef)) + 0.25, classes)
    nk.export.to_liblinear(model, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < 10_000
    same = nk.export.from_liblinear(tmp_path / "model")
    assert same.n_features_in_ == 701
    assert same.coef_.tobytes() == np.ascontiguousarray(coef[:, :701]).tobytes()
    assert same.intercept_.tobytes() == model.intercept_.tobytes()


@needs_liblinear
def test_liblinear_ignores_columns_that_a_model_does_not_have(tmp_path):
    X, y = blobs(2)
    wide = sp.csr_array(np.hstack([X, np.zeros((90, 4994))]))
    model = nk.LinearSVM().fit(wide, y)
    nk.export.to_liblinear(model, tmp_path / "model")
    rows = wide.tolil()
    rows[:, 4999] = 7.0
    np.testing.assert_array_equal(predicted(tmp_path / "model", rows.tocsr(), tmp_path), model.predict(wide))


BIASES = (-1, 0, 1, 2.5)
LABELS = ([-1, 1], [1, -1], [4, 2], [3, 1, 2], [5, -2, 40, 8])
PLACES = itertools.product(SOLVERS, range(len(BIASES)), range(len(LABELS)))


@needs_liblinear
@pytest.mark.parametrize(
    ("solver", "bias", "labels"),
    [  # every pair of a solver and a bias, with other labels each; the rest is slow
        pytest.param(solver, BIASES[i], LABELS[j], marks=() if (solver + i + j) % 5 == 0 else pytest.mark.slow)
        for solver, i, j in PLACES
    ],
)
def test_what_liblinear_learned_is_read(solver, bias, labels, tmp_path):
    X, codes = blobs(len(labels))
    nk.write_svmlight(X, np.array(labels)[codes], tmp_path / "train.svm")
    run(TRAIN, "-q", "-s", solver, "-B", bias, tmp_path / "train.svm", tmp_path / "model")
    model = nk.export.from_liblinear(tmp_path / "model")
    assert model.classes_.tolist() == sorted(labels)
    assert bias > 0 or not model.intercept_.any()
    rows = X[~tied(model, X)]
    assert len(rows) > 60
    np.testing.assert_array_equal(model.predict(rows), predicted(tmp_path / "model", rows, tmp_path))
    assert model.score(X, np.array(labels)[codes]) > 0.6
    nk.export.to_liblinear(model, tmp_path / "again")
    np.testing.assert_array_equal(predicted(tmp_path / "again", rows, tmp_path), model.predict(rows))


@needs_liblinear
@pytest.mark.parametrize("solver", [11])
def test_regressions_are_refused(solver, tmp_path):
    X, y = blobs(2)
    nk.write_svmlight(X, y, tmp_path / "train.svm")
    run(TRAIN, "-q", "-s", solver, tmp_path / "train.svm", tmp_path / "model")
    with pytest.raises(nk.InvalidInputError, match=r"model, line 1: .*classifier.*found 'solver_type L2R_\w+'\."):
        nk.export.from_liblinear(tmp_path / "model")


GOOD = (
    b"solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n-0.65 \n0.73 \n-0.37 \n-0.1 \n"
)
THREE = b"solver_type MCSVM_CS\nnr_class 3\nlabel 3 1 2\nnr_feature 2\nbias -1\nw\n1 2 3 \n-1 -2.5e-3 0 \n"


def read(folder, text):
    (folder / "bad.model").write_bytes(text)
    return nk.export.from_liblinear(folder / "bad.model")


def test_what_is_good_is_read(tmp_path):
    two, three = read(tmp_path, GOOD), read(tmp_path, THREE)
    assert (two.coef_.tolist(), two.intercept_.tolist()) == ([[-0.65, 0.73, -0.37]], [-0.1])
    assert three.classes_.tolist() == [1, 2, 3]
    assert three.coef_.tolist() == [[2.0, -0.0025], [3.0, 0.0], [1.0, -1.0]]
    assert three.intercept_.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("old", "new", "need", "line"),
    [
        (b"L2R_L2LOSS_SVC_DUAL", b"ONECLASS_SVM", "classifier", 1),
        (b"L2R_L2LOSS_SVC_DUAL", b"", "classifier", 1),
        (b"solver_type", b"svm_type", "a line that begins with solver_type", 1),
        (b"nr_class 2", b"nr_class 1", "at least two classes", 2),
        (b"nr_class 2", b"nr_class two", "at least two classes", 2),
        (b"nr_class 2", b"nr_class 2.0", "at least two classes", 2),
        (b"nr_class 2\n", b"", "nr_class before the labels", 2),
        (b"label 1 -1", b"label 1", "2 different labels", 3),
        (b"label 1 -1", b"label 1 1", "2 different labels", 3),
        (b"label 1 -1", b"label 1 2 3", "2 different labels", 3),
        (b"label 1 -1", b"label 1 yes", "2 different labels", 3),
        (b"label 1 -1", b"label 1 2147483648", "2 different labels", 3),
        (b"label 1 -1", b"label 1 -+1", "2 different labels", 3),
        (b"label 1 -1\n", b"", "a line of label before the weights", 5),
        (b"nr_feature 3", b"nr_feature 0", "at least one feature", 4),
        (b"nr_feature 3", b"nr_feature 3 3", "at least one feature", 4),
        (b"nr_feature 3", b"nr_feature 4", "5 lines of weights, after 4 of them", 11),
        (b"nr_feature 3", b"nr_feature 2", "3 lines of weights and nothing after", 10),
        (b"bias 1", b"bias nan", "1 finite number", 5),
        (b"bias 1", b"bias", "1 finite number", 5),
        (b"bias 1", b"bias 1\nbias 1", "one line of bias", 6),
        (b"bias 1", b"bias -1", "3 lines of weights and nothing after", 10),
        (b"bias 1", b"bias 1e308\n", "a line that begins with", 6),
        (b"w\n", b"", "a line that begins with", 6),
        (b"0.73", b"nan", "1 finite number", 8),
        (b"0.73", b"inf", "1 finite number", 8),
        (b"0.73", b"1e999", "1 finite number", 8),
        (b"0.73", b"0_73", "1 finite number", 8),
        (b"0.73", b"0,73", "1 finite number", 8),
        (b"0.73", b"0.73 1", "1 finite number", 8),
        (b"0.73", b"\xff", "1 finite number", 8),
        (b"0.73", b"", "1 finite number", 8),
        (b"-0.1 \n", b"-0.1", "a line break at the end of the file", 10),
        (b"-0.1 \n", b"-0.1 \n\nx\n", "nothing after them", 12),
    ],
)
def test_a_bad_line_is_refused_by_its_number(old, new, need, line, tmp_path):
    assert old in GOOD
    with pytest.raises(nk.InvalidInputError) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    message = str(caught.value)
    assert f"bad.model, line {line}: expected " in message
    assert need in message
    assert "\n" not in message


def test_a_product_that_overflows_is_refused(tmp_path):
    with pytest.raises(nk.InvalidInputError, match="whose product is finite"):
        read(tmp_path, GOOD.replace(b"bias 1", b"bias 1e308").replace(b"-0.1", b"-100"))


@pytest.mark.parametrize("text", [GOOD, THREE], ids=["two classes", "three"])
def test_a_file_cut_anywhere_is_refused(text, tmp_path):
    for end in range(len(text)):
        with pytest.raises(nk.InvalidInputError, match=r"bad\.model, line \d+: expected "):
            read(tmp_path, text[:end])


@given(st.sampled_from([GOOD, THREE]), st.data())
def test_damage_is_refused_in_words_or_gives_finite_weights(tmp_path_factory, text, data):
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 6)))
    middle = data.draw(st.binary(max_size=6) | st.sampled_from([b"9" * 400, b"-", b"\n", b" ", b"nan", b"1e5"]))
    path = tmp_path_factory.mktemp("liblinear") / "model"
    path.write_bytes(text[:begin] + middle + text[end:])
    try:
        model = nk.export.from_liblinear(path)
    except nk.InvalidInputError:
        return
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()


@pytest.mark.parametrize("labels", [["a", "b"], [0.5, 1.5], [False, True], [0, 2**31]], ids=repr)
def test_labels_that_are_no_integers_of_c_are_refused(labels, tmp_path):
    model = nk.LinearClassifier.of([[1.0]], [0.0], [0, 1])
    model.classes_ = np.array(labels)
    with pytest.raises(nk.InvalidInputError, match="LinearClassifier: LIBLINEAR needs classes that are integers"):
        nk.export.to_liblinear(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(nk.MissingFileError, match="the file cannot be read"):
        nk.export.from_liblinear(tmp_path / "none")
    with pytest.raises(nk.FileError, match="directory"):
        nk.export.from_liblinear(tmp_path)
    with pytest.raises(nk.InvalidInputError, match="path must be a str or a path, but it is 0"):
        nk.export.from_liblinear(0)


@pytest.mark.parametrize("learner", [nk.LinearSVM(), nk.Perceptron()], ids=lambda learner: type(learner).__name__)
def test_a_file_of_too_many_lines_is_refused_with_their_number(learner, tmp_path):
    model = learner.fit(*wide_rows())
    with (
        never_dense(),
        pytest.raises(nk.InvalidInputError, match=f"a line for every column, and {HUGE:,} are too many"),
    ):
        nk.export.to_liblinear(model, tmp_path / "model.txt")
    assert not list(tmp_path.iterdir())


def test_a_wide_model_is_written_up_to_its_last_weight_without_dense_weights(tmp_path):
    X = sp.csr_array(([1.0, -1.0, 2.0], [3, 200_000, 7], [0, 2, 3]), shape=(2, HUGE))
    model = nk.LinearSVM().fit(X, [0, 1])
    with never_dense():
        nk.export.to_liblinear(model, tmp_path / "model.txt")
    same = nk.export.from_liblinear(tmp_path / "model.txt")
    assert same.coef_.shape == (1, 200_001)
    assert same.weights_ == model.weights_
    assert same.intercept_ == model.intercept_
