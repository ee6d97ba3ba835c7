"""LinearSVM as a process: threads and memory."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from machines import MACHINES, assert_proven
from memory import run_alone
from real_data import two_classes

RNG = np.random.default_rng(0)


THREADED = 1_000_000  # values from which on a second thread is used


def tall(classes=2, rows=40_000):
    X = RNG.normal(size=(rows, 26))
    assert X.size >= THREADED or rows < 40_000
    return X, np.argmax(X[:, :classes] + RNG.normal(size=(rows, classes)), axis=1)


def wide():
    """More columns than are factored, and rows that overlap: the case for conjugate gradients."""
    X = sp.random_array((6000, 9000), density=0.02, format="csr", rng=np.random.default_rng(1))
    assert X.nnz >= THREADED
    y = np.asarray(X[:, :50].sum(axis=1)).ravel() > np.median(np.asarray(X[:, :50].sum(axis=1)).ravel())
    return X, y ^ (np.random.default_rng(2).random(6000) < 0.1)


FAST_CASES = [("hinge, free", tall, 10.0), ("squared_hinge, none", tall, 0.01), ("hinge, penalized", wide, 0.01)]
THREAD_CASES = [
    pytest.param(*case, marks=() if case in FAST_CASES else pytest.mark.slow)
    for case in itertools.product(MACHINES, (tall, wide), (0.01, 10.0))
]


@pytest.mark.parametrize(("machine", "data", "C"), THREAD_CASES)
def test_the_number_of_threads_changes_no_bit(machine, data, C):
    X, y = data()
    models = [MACHINES[machine](C=C, tol=1e-6, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3)]
    for model in models:
        assert_proven(model, X, y)
        for name in ("coef_", "intercept_", "dual_coef_", "support_", "objective_"):
            assert getattr(model, name).tobytes() == getattr(models[0], name).tobytes(), name
        assert model.history_.primal.tolist() == models[0].history_.primal.tolist()


@pytest.mark.slow
def test_several_classes_have_the_same_bits_for_any_number_of_threads():
    X, y = tall(3)
    models = [nk.LinearSVM(tol=1e-4, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 8)]
    for model in models:
        assert_proven(model, X, y)
        assert model.coef_.tobytes() == models[0].coef_.tobytes()
        assert model.intercept_.tobytes() == models[0].intercept_.tobytes()


def test_several_classes_of_dense_rows_have_the_same_bits_for_any_number_of_threads():
    X = np.random.default_rng(0).normal(size=(1000, 200))  # wide enough for a BLAS library to use threads of its own
    scores = X @ np.random.default_rng(1).normal(size=(200, 3))
    y = np.argmax(scores + np.sqrt(200) * np.random.default_rng(2).normal(size=scores.shape), axis=1)
    models = [nk.LinearSVM(C=0.01, tol=1e-5, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3)]
    for model in models:
        assert model.coef_.tobytes() == models[0].coef_.tobytes()


@pytest.mark.slow
def test_fits_from_6_threads_at_once_equal_the_same_fits_in_sequence():
    data = [tall(rows=10_000), tall(3, rows=10_000), wide()]
    jobs = [(make, X, y) for make in list(MACHINES.values())[:2] for X, y in data]
    barrier = threading.Barrier(len(jobs))

    def fit(make, X, y):
        return make(tol=1e-4).fit(X, y).coef_.tobytes()

    def at_once(job):
        barrier.wait()
        return fit(*job)

    with ThreadPoolExecutor(len(jobs)) as pool:
        together = list(pool.map(at_once, jobs))
    assert together == [fit(*job) for job in jobs]


def test_predictions_go_on_while_another_thread_fits():
    X, y = tall(rows=10_000)
    model = nk.LinearSVM().fit(X, y)
    expected = model.decision_function(X).tobytes()
    with ThreadPoolExecutor(1) as pool:
        fit = pool.submit(nk.LinearSVM(C=10.0, tol=1e-9).fit, X, y)
        while not fit.done():
            assert model.decision_function(X).tobytes() == expected
        assert_proven(fit.result(), X, y)


# ---- memory ---------------------------------------------------------------------------------------------------------

PEAK = """
import sys, warnings
import numpy as np
import novikoff as nk
warnings.simplefilter("ignore")
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
X.sum()
nk.LinearSVM(max_iter=30, n_jobs=2, C=1e-4, loss=sys.argv[3]).fit(X[:20_000], y[:20_000])
before = peak()
model = nk.LinearSVM(n_jobs=2, C=1e-4, tol=1e-6, loss=sys.argv[3]).fit(X, y)
print(peak() - before, len(model.support_))
"""


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_fit_needs_at_most_4_6_vectors_of_rows_beyond_its_data(loss, tmp_path):
    X, y = two_classes("covtype")
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    used, support = run_alone(PEAK, tmp_path / "X.npy", tmp_path / "y.npy", loss)
    row_vector, columns = 8 * len(y), X.shape[1]
    working = 3 * row_vector  # dual variables, margins, and their rates or the squared norms
    numbers = row_vector / 2 + row_vector  # codes or row order, four bytes per row; the indices of the free rows
    few = 64 * 8 * (columns + 1) ** 2 + 2e6
    assert used <= working + numbers + few, (used / row_vector, support / len(y))
