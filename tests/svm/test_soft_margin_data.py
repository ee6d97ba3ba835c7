"""LinearSVM: equivalent weights, labels and memory layouts give the same model."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import novikoff as nk
from machines import assert_proven, certificates, each_machine, fewer_examples
from strategies import integer_weights, laid_out, soft_problems, streams

RNG = np.random.default_rng(0)
X = np.round(4 * RNG.normal(size=(120, 6))) / 4 * (RNG.random((120, 6)) < 0.7)  # exact in float32 too
Y = np.where(X[:, 0] + RNG.normal(size=120) > 0.2, 1, 0)


def assert_same_machine(one, other):
    """Both lie within sqrt(2 gap) of the optimum, since the objective bends by 1 in every direction of w."""
    for row, (a, b) in enumerate(zip(certificates(one), certificates(other), strict=True)):
        rounding = 1e-12 * a.primal
        reach = sum(np.sqrt(2 * (max(0.0, c.primal - c.dual) + rounding)) for c in (a, b))
        assert np.linalg.norm(one.coef_[row] - other.coef_[row]) <= reach
        assert a.primal == pytest.approx(b.primal, rel=2 * a.tol + 1e-12)


def bits(model):
    return model.coef_.tobytes(), model.intercept_.tobytes(), model.objective_.tobytes(), model.n_iter_


# ---- weights --------------------------------------------------------------------------------------------------------


@each_machine
@fewer_examples
@given(data=st.data())
def test_a_weight_of_k_is_k_copies_and_of_0_absence(make, data):
    X, y, _ = data.draw(soft_problems())
    weights = data.draw(integer_weights(len(y)))
    for sign in (1.0, -1.0):
        weights[np.flatnonzero(y == sign)[0]] += 1
    copies = np.repeat(np.arange(len(y)), weights)
    weighted = make(C=1.0, tol=1e-9, max_iter=20_000).fit(X, y, sample_weight=weights)
    repeated = make(C=1.0, tol=1e-9, max_iter=20_000).fit(X[copies], y[copies])
    assert_proven(weighted, X, y, weights)
    assert_same_machine(weighted, repeated)
    assert weighted.certificate_.examples == np.count_nonzero(weights)


@each_machine
def test_a_row_of_weight_0_may_be_anything_finite(make):
    weights = np.ones(len(Y))
    weights[7] = 0
    wild = X.copy()
    wild[7] = 1e6
    without = np.arange(len(Y)) != 7
    assert_same_machine(make(tol=1e-9).fit(wild, Y, sample_weight=weights), make(tol=1e-9).fit(X[without], Y[without]))


def test_a_class_that_has_only_weights_of_0_is_absent():
    y = Y.copy()
    y[:5] = 2
    weights = np.where(y == 2, 0.0, 1.0)
    model = nk.LinearSVM(tol=1e-9).fit(X, y, sample_weight=weights)
    assert model.classes_.tolist() == [0, 1]
    assert_same_machine(model, nk.LinearSVM(tol=1e-9).fit(X[5:], y[5:]))


@each_machine
def test_weights_of_all_rows_are_a_factor_of_the_cost(make):
    weighted = make(C=0.5, tol=1e-9).fit(X, Y, sample_weight=np.full(len(Y), 3.0))
    assert_same_machine(weighted, make(C=1.5, tol=1e-9).fit(X, Y))


@each_machine
def test_class_weights_multiply_sample_weights(make):
    weights = RNG.uniform(0.5, 2, size=len(Y))
    product = weights * np.where(Y == 1, 3.0, 0.5)
    model = make(tol=1e-9, class_weight={0: 0.5, 1: 3.0}).fit(X, Y, sample_weight=weights)
    assert_proven(model, X, Y, product)
    assert_same_machine(model, make(tol=1e-9).fit(X, Y, sample_weight=product))


@each_machine
def test_balanced_classes_weigh_the_same(make):
    counts = np.bincount(Y)
    weights = len(Y) / (2 * counts[Y])
    model = make(tol=1e-9, class_weight="balanced").fit(X, Y)
    assert_proven(model, X, Y, weights)
    assert_same_machine(model, make(tol=1e-9).fit(X, Y, sample_weight=weights))


# ---- classes --------------------------------------------------------------------------------------------------------


@each_machine
@fewer_examples
@given(data=streams(3))
def test_several_classes_are_one_binary_problem_each(make, data):
    X, y = data
    model = make(tol=1e-7, max_iter=20_000, multi_class="ovr").fit(X, y)
    assert model.coef_.shape == (3, X.shape[1])
    assert len(model.certificate_) == len(model.history_) == 3
    for label in range(3):
        alone = make(tol=1e-7, max_iter=20_000).fit(X, y == label)
        assert model.coef_[label].tobytes() == alone.coef_[0].tobytes()
        assert model.intercept_[label] == alone.intercept_[0]
        verification = model.certificate_[label].verify(X, y)
        assert verification, str(verification)
    decisions = model.decision_function(X)
    chosen = np.searchsorted(model.classes_, model.predict(X))
    assert decisions[np.arange(len(X)), chosen].tolist() == decisions.max(axis=1).tolist()


@each_machine
@fewer_examples
@given(data=streams(4))
def test_pairs_of_classes_are_one_binary_problem_each(make, data):
    """The problem of a pair is that of a machine that is fitted to the rows of the two classes alone."""
    X, y = data
    model = make(C=1.0, tol=1e-7, max_iter=20_000, multi_class="ovo").fit(X, y)
    assert model.coef_.shape == (6, X.shape[1])
    assert len(model.certificate_) == len(model.history_) == len(model.objective_) == 6
    for place, (positive, negative) in enumerate([(1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (3, 2)]):
        own = (y == positive) | (y == negative)
        alone = make(C=1.0, tol=1e-7, max_iter=20_000).fit(X[own], y[own])
        assert model.objective_[place] == pytest.approx(alone.objective_[0], rel=1e-6)
        certificate = model.certificate_[place]
        assert (certificate.model.positive, certificate.model.negative) == (positive, negative)
        verification = certificate.verify(X, y)
        assert verification, str(verification)


@pytest.mark.parametrize(
    "labels",
    [(0, 1), (-1, 1), (False, True), ("a", "b"), (1.0, 2.0), (np.int8(3), np.int8(7)), ("éa", "éb")],
)
def test_labels_of_every_kind(labels):
    y = np.array(labels)[Y]
    model = nk.LinearSVM(tol=1e-6).fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.classes_.dtype == y.dtype
    assert model.predict(X).dtype == y.dtype
    assert model.coef_.tobytes() == nk.LinearSVM(tol=1e-6).fit(X, Y).coef_.tobytes()
    assert model.certificate_.verify(X, y)


def test_labels_in_a_list_or_a_series_or_of_objects():
    words = np.array(["no", "yes"])[Y]
    expected = bits(nk.LinearSVM().fit(X, words))
    for y in (words.tolist(), pd.Series(words), pl.Series(words.tolist()), words.astype(object)):
        assert bits(nk.LinearSVM().fit(X, y)) == expected


# ---- layouts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("layout", "dtype"), [("F", np.float32), ("reversed view", np.float64)])
@each_machine
def test_the_order_of_memory_changes_no_bit(make, layout, dtype):
    expected = bits(make(tol=1e-6).fit(laid_out(X, "C"), Y))
    assert bits(make(tol=1e-6).fit(laid_out(X, layout, dtype), Y)) == expected


@pytest.mark.parametrize(("layout", "dtype"), [("csr", np.float32), ("csr64", np.float64), ("csr_array", np.float32)])
@each_machine
def test_sparse_rows_of_every_kind_have_the_same_bits(make, layout, dtype):
    expected = make(tol=1e-9).fit(sp.csr_matrix(X), Y)
    model = make(tol=1e-9).fit(laid_out(X, layout, dtype), Y)
    assert bits(model) == bits(expected)
    assert_proven(model, X, Y)
    assert_same_machine(model, make(tol=1e-9).fit(X, Y))


@pytest.mark.parametrize("form", [sp.csc_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix])
def test_other_sparse_matrices_are_turned_into_rows(form):
    expected = bits(nk.LinearSVM().fit(sp.csr_matrix(X), Y))
    assert bits(nk.LinearSVM().fit(form(X), Y)) == expected


def with_zeros(table, index_type):
    """A CSR array of all entries, zeros as well, in descending order, as two halves; in the last column also 1 - 1."""
    rows, columns = table.shape
    halves = np.repeat(table[:, ::-1] / 2, 2, axis=1)
    values = np.hstack([halves, np.ones((rows, 1)), -np.ones((rows, 1))])
    order = np.append(np.repeat(np.arange(columns)[::-1], 2), [columns - 1] * 2)
    starts = np.arange(0, values.size + 1, len(order))
    parts = values.ravel(), np.tile(order, rows).astype(index_type), starts.astype(index_type)
    return sp.csr_array(parts, shape=table.shape)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize(
    "machine",
    [
        nk.LinearSVM(loss="hinge"),
        nk.LinearSVM(multi_class="crammer_singer", loss="hinge"),
        nk.LinearSVMPath(Cs=[0.1, 1.0]),
        nk.LinearSVMCV(Cs=[0.1, 1.0], cv=3),
        nk.HardMarginSVM(),
    ],
)
def test_explicit_zeros_change_no_bit_and_are_left_in_place(machine, index_type):
    wide = np.hstack([1.1 * X, np.zeros((len(X), 2))])  # sums of these numbers are rounded
    labels = np.where(wide[:, 0] > 0, 1, 0) if isinstance(machine, nk.HardMarginSVM) else Y
    labels = labels + (wide[:, 1] > 0.5) if getattr(machine, "multi_class", "") == "crammer_singer" else labels
    stored = sp.csr_array(wide)
    table = with_zeros(wide, index_type)
    before = [part.tobytes() for part in (table.data, table.indices, table.indptr)]
    expected, model = (clone(machine).fit(rows, labels) for rows in (stored, table))
    coef = "coefs_" if hasattr(model, "coefs_") else "coef_"
    assert getattr(model, coef).tobytes() == getattr(expected, coef).tobytes()
    assert nk.verify(model, table, labels)
    assert [part.tobytes() for part in (table.data, table.indices, table.indptr)] == before


def test_unsorted_and_repeated_indices_are_put_in_order_in_a_copy():
    plain = sp.csr_matrix(X)
    mixed = sp.csr_matrix(X)
    for row in range(len(Y)):
        part = slice(mixed.indptr[row], mixed.indptr[row + 1])
        mixed.indices[part] = mixed.indices[part][::-1]
        mixed.data[part] = mixed.data[part][::-1]
    halves = sp.csr_matrix(
        (np.repeat(plain.data / 2, 2), np.repeat(plain.indices, 2), 2 * plain.indptr), shape=plain.shape
    )
    expected = bits(nk.LinearSVM().fit(plain, Y))
    for matrix in (mixed, halves):
        before = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
        model = nk.LinearSVM().fit(matrix, Y)
        assert bits(model) == expected
        for was, array in zip(before, (matrix.data, matrix.indices, matrix.indptr), strict=True):
            assert was.tobytes() == array.tobytes()
        np.testing.assert_allclose(model.decision_function(matrix), model.decision_function(plain), atol=1e-12)


def test_data_frames_have_names():
    names = [f"x{j}" for j in range(6)]
    expected = bits(nk.LinearSVM().fit(X, Y))
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = nk.LinearSVM().fit(frame, Y)
        assert bits(model) == expected
        assert model.feature_names_in_.tolist() == names
        assert model.predict(frame).tolist() == nk.LinearSVM().fit(X, Y).predict(X).tolist()


def test_a_read_only_memory_map_is_read_where_it_lies(tmp_path):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", Y)
    mapped, labels = np.load(tmp_path / "X.npy", mmap_mode="r"), np.load(tmp_path / "y.npy", mmap_mode="r")
    weights = np.ones(len(Y)) + Y
    weights.flags.writeable = False
    model = nk.LinearSVM().fit(mapped, labels, sample_weight=weights)
    assert bits(model) == bits(nk.LinearSVM().fit(X, Y, sample_weight=1 + Y))
    assert model.certificate_.verify(mapped, labels)


def test_read_only_sparse_arrays_are_read_where_they_lie():
    matrix = sp.csr_matrix(X)
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    assert bits(nk.LinearSVM().fit(matrix, Y)) == bits(nk.LinearSVM().fit(sp.csr_matrix(X), Y))


def test_lists_and_integers_are_tables_too():
    whole = np.round(X).astype(int)
    expected = bits(nk.LinearSVM().fit(whole.astype(float), Y))
    assert bits(nk.LinearSVM().fit(whole, Y)) == expected
    assert bits(nk.LinearSVM().fit(whole.tolist(), Y.tolist())) == expected
