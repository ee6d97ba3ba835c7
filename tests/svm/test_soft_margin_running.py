"""LinearSVM as a process: threads, too few steps, interruption and memory."""

import itertools
import signal
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from machines import MACHINES, assert_proven, assert_says_how_far_it_came, each_machine, fit_and_listen
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


# ---- too few steps --------------------------------------------------------------------------------------------------


@each_machine
@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_too_few_steps_give_one_warning_and_a_certificate_that_says_so(make, max_iter):
    X, y = tall(rows=2000)
    model = make(C=100.0, tol=1e-9, max_iter=max_iter)
    messages = fit_and_listen(model, X, y)
    assert len(messages) == 1
    assert_says_how_far_it_came(messages[0], model)
    certificate = model.certificate_
    assert model.n_iter_ == model.history_.step[-1] == max_iter
    assert not certificate.converged
    assert certificate.relative_gap > 1e-9
    assert certificate.dual >= 0  # no duals at all would prove as much
    verification = certificate.verify(X, y)
    assert verification, str(verification)


def test_several_classes_that_do_not_converge_give_one_warning():
    X, y = tall(4, rows=2000)
    model = nk.LinearSVM(tol=1e-9, max_iter=2)
    messages = fit_and_listen(model, X, y)
    assert len(messages) == 1
    assert_says_how_far_it_came(messages[0], model)
    assert not any(certificate.converged for certificate in model.certificate_)
    assert all(certificate.verify(X, y) for certificate in model.certificate_)


def test_the_warning_points_to_the_line_that_called_fit():
    X, y = tall(rows=2000)
    with pytest.warns(ConvergenceWarning) as heard:
        nk.LinearSVM(C=100.0, tol=1e-9, max_iter=1).fit(X, y)
    assert [warning.filename for warning in heard] == [__file__]


def test_more_steps_never_widen_the_gap():
    X, y = tall(rows=5000)
    model = nk.LinearSVM(C=100.0, tol=1e-12)
    gaps = []
    for max_iter in (1, 4, 16, 64):
        fit_and_listen(model.set_params(max_iter=max_iter), X, y)
        gaps.append(model.certificate_.relative_gap)
    assert gaps == sorted(gaps, reverse=True)


# ---- an interruption ------------------------------------------------------------------------------------------------

INTERRUPTED = """
import sys, time
import numpy as np
import novikoff as nk
model = nk.LinearSVM()
rng = np.random.default_rng(0)
X = rng.normal(size=(100_000, 40))
y = rng.integers(int(sys.argv[1]), size=len(X))
print("ready", flush=True)
try:
    while True:
        model = nk.LinearSVM(C=100.0, tol=1e-15, max_iter=10**9, loss=sys.argv[2])
        model.fit(X, y)
except KeyboardInterrupt:
    print(time.monotonic(), *sorted(name for name in vars(model) if name.endswith("_")), flush=True)
"""


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "loss"),
    [(3, "hinge"), *(pytest.param(*case, marks=pytest.mark.slow) for case in [(2, "hinge"), (2, "squared_hinge")])],
)
def test_an_interruption_ends_a_fit_within_a_second_and_leaves_no_model_or_a_complete_one(classes, loss):
    whole = sorted(name for name in vars(nk.LinearSVM().fit([[0.0], [1.0]], [0, 1])) if name.endswith("_"))

    def seconds():
        with subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(classes), loss], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1)  # in the middle of a fit
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            heard, *fitted = process.communicate(timeout=60)[0].split()
        assert process.returncode == 0
        assert fitted in ([], whole)
        return float(heard) - sent

    assert statistics.median(seconds() for _ in range(3)) < 1  # other programs may delay one of them


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


@pytest.mark.timed
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_a_time_limit_ends_in_a_certificate_that_holds(multi_class):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 30)), rng.integers(0, 3, 2000)
    model = nk.LinearSVM(C=100.0, tol=1e-12, loss="hinge", multi_class=multi_class, max_time=1e-9)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="Increase max_time or tol"):
        model.fit(X, y)
    assert time.perf_counter() - start < 5
    certificates = model.certificate_ if multi_class == "ovr" else [model.certificate_]
    assert not any(certificate.converged for certificate in certificates)
    assert nk.verify(model, X, y)


def test_a_time_limit_that_is_not_reached_changes_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    models = [nk.LinearSVM(C=1.0, tol=1e-6, max_time=max_time).fit(X, y) for max_time in (None, 1e6)]
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()
