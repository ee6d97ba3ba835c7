"""Rows of float16 and bfloat16: the same bits, certificates and errors as their values as float32, in little memory."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff._short_floats import BLOCK_ENTRIES, as_array, is_short, widened, widened_blocks

ROWS = np.random.default_rng(0).normal(size=(90, 5))
Y = np.digitize(ROWS[:, 0] - ROWS[:, 1], [-0.6, 0.6])
SEPARABLE = (ROWS[:, 0] > 0).astype(int)
FORMS = ["float16", "bfloat16"]
each_form = pytest.mark.parametrize("form", FORMS)
ESTIMATORS = {
    "perceptron": (nk.Perceptron(max_iter=5000, shuffle=True), SEPARABLE),
    "passive-aggressive": (nk.PassiveAggressiveI(max_iter=2), Y),
    "hinge": (nk.LinearSVM(loss="hinge", C=0.5), Y),
    "squared hinge": (nk.LinearSVM(C=0.5), SEPARABLE),
    "joint": (nk.LinearSVM(loss="hinge", C=0.5, multi_class="crammer_singer"), Y),
    "cross-validation": (nk.LinearSVMCV(Cs=[0.1, 1.0], cv=3), Y),
    "hard margin": (nk.HardMarginSVM(), SEPARABLE),
}


def dtype_of(form):
    return np.dtype(
        np.float16
        if form == "float16"
        else pytest.importorskip(
            "ml_dtypes", reason="ml_dtypes is not installed (.venv/bin/pip install ml_dtypes)"
        ).bfloat16
    )


def bits(model):
    return model.coef_.tobytes(), np.asarray(model.intercept_).tobytes()


@each_form
def test_float32_has_every_value_of_two_bytes(form):
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype_of(form)).reshape(256, 256)
    wide = widened(every)
    assert wide.dtype == np.float32
    is_number = ~np.isnan(wide)
    back = wide[is_number].astype(every.dtype)
    assert np.array_equal(back.view(np.uint16), every[is_number].view(np.uint16))
    assert np.count_nonzero(~is_number) == 2 * (2 ** (10 if form == "float16" else 7) - 1)  # of both signs


@each_form
def test_only_two_byte_floats_are_converted(form):
    X = ROWS.astype(dtype_of(form))
    assert is_short(X)
    assert widened(np.asfortranarray(X)).flags.c_contiguous
    assert as_array(list(X)).dtype == np.float32
    for other in (ROWS, ROWS.astype(np.float32), np.arange(4, dtype=np.int16), [1.0], None):
        assert not is_short(other)
        assert widened(other) is other


@each_form
def test_blocks_cover_all_rows_once(form):
    X = np.ones((5, BLOCK_ENTRIES // 2 - 1), dtype=dtype_of(form))
    found = list(widened_blocks(X))
    assert [first for first, _ in found] == [0, 2, 4]
    assert [block.shape[0] for _, block in found] == [2, 2, 1]
    ((first, whole),) = widened_blocks(ROWS)
    assert first == 0
    assert whole is ROWS


@each_form
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_learn_score_and_verify_as_with_float32(name, order, form):
    estimator, y = ESTIMATORS[name]
    X = np.array(ROWS.astype(dtype_of(form)), order=order)
    before, wide = X.tobytes(), X.astype(np.float32)
    expected, model = clone(estimator).fit(wide, y), clone(estimator).fit(X, y)
    assert bits(model) == bits(expected)
    for table in (X, wide, wide.astype(np.float64)):
        assert nk.verify(model, table, y)
        assert nk.verify(expected, table, y, exact=True)
    assert model.decision_function(X).tobytes() == model.decision_function(wide).tobytes()
    assert np.array_equal(model.predict(X), model.predict(wide))
    assert X.tobytes() == before


@each_form
def test_batches_and_single_examples_are_learned_as_with_float32(form):
    X = ROWS.astype(dtype_of(form))
    batch, single, expected = nk.PassiveAggressiveI(), nk.PassiveAggressiveI(), nk.PassiveAggressiveI()
    batch.partial_fit(X, Y)
    expected.partial_fit(X.astype(np.float32), Y)
    for x, label in zip(X, Y.tolist(), strict=True):
        single.learn_one(x, label)
    assert bits(batch) == bits(expected) == bits(single)
    assert nk.verify(batch, X, Y)


@each_form
def test_the_fingerprint_is_that_of_the_values(form):
    X = ROWS.astype(dtype_of(form))
    assert nk.fingerprint(X, Y) == nk.fingerprint(X.astype(np.float32), Y) == nk.fingerprint(X.astype(np.float64), Y)


@each_form
@pytest.mark.parametrize("density", [0.02, 1.0])
def test_separability_is_that_of_the_values(form, density):
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(1000, 110)) * (rng.random((1000, 110)) < density)).astype(dtype_of(form))
    y = rng.random(1000) < 0.5
    found, expected = nk.separability(X, y), nk.separability(X.astype(np.float64), y)
    assert str(found) == str(expected)
    assert found.verify(X, y)


@each_form
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["perceptron", "squared hinge"])
def test_a_value_that_is_not_finite_is_named_with_its_row(name, value, form):
    estimator, y = ESTIMATORS[name]
    count = 3 * BLOCK_ENTRIES // 5  # in the last of three blocks
    X = np.tile(ROWS, (count // len(ROWS) + 1, 1)).astype(dtype_of(form))
    model = clone(estimator).fit(X[: len(y)], y)
    X[count - 1, 2] = value
    message = rf"X has {value} in row {count - 1:d}, column 2".replace("nan", "NaN")
    for use in (model.decision_function, model.predict):
        with pytest.raises(nk.InvalidInputError, match=message):
            use(X)
    with pytest.raises(nk.InvalidInputError, match=message):
        clone(estimator).fit(X, np.resize(y, len(X)))


def peak(work):
    """The most bytes that NumPy held at a time, beyond those it held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@each_form
def test_a_fit_holds_the_rows_once_more_as_float32_and_a_prediction_only_blocks_of_them(form):
    X = np.tile(np.random.default_rng(2).normal(size=(500, 512)), (90, 1)).astype(dtype_of(form))
    y = np.tile(X[:500, 0] > 0, 90)
    learner = nk.PassiveAggressiveI()
    assert peak(lambda: learner.partial_fit(X, y)) < 2.1 * X.nbytes
    machine = nk.LinearSVM(C=1e-3).fit(X[:500], y[:500])
    assert peak(lambda: learner.decision_function(X)) < 0.2 * X.nbytes
    assert peak(lambda: machine.decision_function(X)) < 0.4 * X.nbytes
    assert peak(lambda: nk.fingerprint(X, y)) < 0.5 * X.nbytes


@pytest.mark.parametrize("form", FORMS)
def test_tensors_of_two_byte_floats_are_rows(form):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (.venv/bin/pip install torch)")
    X = torch.tensor(ROWS, dtype=getattr(torch, form))
    wide = X.float().numpy()
    model = nk.LinearSVM(C=0.5).fit(X, Y)
    assert bits(model) == bits(nk.LinearSVM(C=0.5).fit(wide, Y))
    assert nk.verify(model, X, Y)
    assert nk.fingerprint(X, Y) == nk.fingerprint(wide, Y)
