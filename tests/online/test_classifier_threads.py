"""Many threads at once, and no copy of the data."""

import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import LEARNERS
from memory import run_alone
from snapshots import learned
from strategies import laid_out

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 20))
Y = RNG.integers(3, size=400)


def together(*jobs):
    """Run all jobs at once, each on its own thread, all starting at the same moment."""
    barrier = threading.Barrier(len(jobs))

    def run(job):
        barrier.wait()
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


@pytest.mark.parametrize("layout", ["C", pytest.param("csr", marks=pytest.mark.slow)])
def test_fits_from_8_threads_at_once_equal_the_same_fits_in_sequence(make, layout):
    data = laid_out(X, layout)

    def job(seed):
        return lambda: learned(make(max_iter=3, random_state=seed).fit(data, Y), data)

    jobs = [job(seed) for seed in range(8)]
    assert together(*jobs) == [job() for job in jobs]


def test_different_learners_from_8_threads_do_not_touch_each_other():
    makers = list(LEARNERS.values())[:8]
    jobs = [lambda make=make: learned(make(max_iter=3, n_jobs=2).fit(X, Y), X) for make in makers]
    assert together(*jobs) == [job() for job in jobs]


def test_predictions_from_8_threads_on_one_model_are_the_same(make):
    model = make(max_iter=2).fit(X, Y)
    expected = model.decision_function(X).tolist()
    for scores in together(*[lambda: model.decision_function(X).tolist() for _ in range(8)]):
        assert scores == expected


def test_balanced_classes_are_counted_exactly_by_8_threads():
    model = nk.PassiveAggressiveI(class_weight="balanced")

    def single():
        for x, y in zip(X, Y.tolist(), strict=True):
            model.learn_one(x, y)

    def batches():
        for begin in range(0, len(X), 50):
            model.partial_fit(X[begin : begin + 50], Y[begin : begin + 50])

    together(*[single, batches] * 4)
    expected = 8 * np.bincount(Y)[model._classes.labels]
    assert model.record_.state.balance.tolist() == expected.tolist()


def test_streams_from_8_threads_into_one_model_lose_no_example(make):
    model = make().partial_fit(X[:3], [0, 1, 2], classes=[0, 1, 2])

    def by_row():
        for x, label in zip(X, Y.tolist(), strict=True):
            model.learn_one(x, label)

    def by_batch():
        for k in range(0, 400, 50):
            model.partial_fit(X[k : k + 50], Y[k : k + 50])

    def by_reader():
        for _ in range(50):
            model.predict(X[:10])

    together(by_row, by_batch, by_row, by_batch, by_row, by_batch, by_reader, by_reader)
    assert {certificate.examples for certificate in model.record_.certificates} == {3 + 6 * 400}
    assert np.isfinite(model.coef_).all()


def test_dicts_from_8_threads_into_one_model_lose_no_example_and_no_name():
    model = nk.Perceptron()
    model.learn_one({"both": 1.0}, 0)
    model.learn_one({"both": -1.0}, 1)

    def job(k):
        def learn():
            for i in range(200):
                model.learn_one({"both": 1.0, f"{k} {i}": 1.0}, i % 2)
                model.predict_one({"both": 1.0, f"{k} {i}": 1.0})

        return learn

    together(*[job(k) for k in range(8)])
    assert model.certificate_.examples == 2 + 8 * 200
    assert model.n_features_in_ == 1 + 8 * 200


# ---- memory ---------------------------------------------------------------------------------------------------------

ROWS, COLUMNS = 4000, 1000


def big(layout, dtype):
    if layout == "csr":
        indices = np.tile(np.arange(0, 2000, 20, dtype=np.int32), 20_000)
        matrix = sp.csr_matrix((20_000, 2000), dtype=dtype)
        matrix.data, matrix.indices = RNG.random(len(indices), dtype=dtype), indices
        matrix.indptr = np.arange(0, len(indices) + 1, 100, dtype=np.int32)
        return matrix, matrix.data.nbytes + matrix.indices.nbytes
    matrix = np.asarray(RNG.random((ROWS, COLUMNS)), dtype=dtype, order=layout)
    return matrix, matrix.nbytes


@pytest.mark.parametrize(
    ("layout", "dtype", "method"),
    [
        *(("C", np.float32, "fit"), ("C", np.float64, "partial_fit"), ("F", np.float64, "fit")),
        *(("F", np.float32, "predict"), ("csr", np.float64, "fit"), ("csr", np.float32, "partial_fit")),
    ],
)
def test_no_copy_of_the_data_is_made(layout, dtype, method):
    data, size = big(layout, dtype)
    y = RNG.integers(2, size=data.shape[0])
    model = nk.Perceptron(max_iter=1).fit(data, y)
    arguments = (data,) if method == "predict" else (data, y)
    tracemalloc.start()
    try:
        getattr(model, method)(*arguments)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.2 * size, f"{peak / 1e6:.1f} MB beside {size / 1e6:.1f} MB of data"


FIT = """
import numpy as np, scipy.sparse as sp
import novikoff as nk

rng = np.random.default_rng(0)
if {layout!r} == "csr":
    n = 8_000_000
    indices = np.tile(np.arange(100, dtype=np.int32), n // 100)
    indptr = np.arange(0, n + 1, 100, dtype=np.int32)
    X = sp.csr_matrix((np.ones(n), indices, indptr), shape=(n // 100, 100), copy=False)
    size = X.data.nbytes + X.indices.nbytes
else:
    X = np.ones((16_000, 800))
    X[:, 0] = rng.normal(size=16_000)
    size = X.nbytes
y = rng.integers(2, size=X.shape[0])
nk.{model}(max_iter=1).fit(X[:100], y[:100])
before = peak()
nk.{model}(max_iter=1).fit(X, y)
print((peak() - before) / size)
"""


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["C", "csr"])
@pytest.mark.parametrize("model", ["Perceptron", pytest.param("MarginPerceptron", marks=pytest.mark.slow)])
def test_the_peak_of_a_process_that_fits_hardly_rises_above_its_data(layout, model):
    [beyond] = run_alone(FIT.format(layout=layout, model=model))
    assert beyond < 0.2
