"""Sparse rows cut to the columns that occur: nothing else changes, and nothing is proven that does not hold."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import novikoff as nk
from memory import run_alone
from novikoff import _wide_array
from novikoff._wide_array import WideArray
from novikoff.theory.columns import CHUNK_ENTRIES, Columns, compact, without_zeros

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

WIDTH = 2**20
X = sp.csr_array(np.array([[0.0, 1.0, 0.0, -2.0], [0.0, 0.5, 0.0, 0.0]]))


def test_the_columns_that_occur_are_kept_in_their_order():
    columns = Columns.occurring(X)
    assert columns.indices.tolist() == [1, 3]
    assert columns.cut(X).toarray().tolist() == [[1.0, -2.0], [0.5, 0.0]]
    assert np.shares_memory(columns.cut(X).data, X.data)
    assert columns.restore(columns.cut(X)).toarray().tolist() == X.toarray().tolist()
    assert columns.narrow(np.arange(4.0)).tolist() == [1.0, 3.0]
    assert columns.widen(np.array([5, 7], dtype=np.int8)).tolist() == [0, 5, 0, 7]


def test_columns_where_a_vector_is_not_0_are_kept():
    assert Columns.occurring(X, np.array([0.0, 0.0, np.nan, 0.0])).indices.tolist() == [1, 2, 3]
    rows, weights = compact(X, np.array([9.0, 1.0, 0.0, 2.0]))
    assert rows.shape == (2, 3)
    assert weights.tolist() == [9.0, 1.0, 2.0]


@pytest.mark.parametrize("full", [np.eye(3), sp.csr_array(np.eye(3)), sp.csr_array((2, 0)), sp.csr_array((0, 1))])
def test_rows_in_which_all_columns_occur_stay_as_they_are(full):
    assert Columns.occurring(full, np.ones(full.shape[1])) is None
    assert compact(full)[0] is full or full.shape == (0, 1)


def test_marked_columns_are_those_whose_mark_is_not_0():
    columns = Columns.marked(np.array([0, 1, 0, 1], dtype=np.uint8))
    assert (columns.indices.tolist(), columns.width) == ([1, 3], 4)
    assert Columns.marked(np.ones(3, dtype=np.uint8)) is None
    assert Columns.marked(np.zeros(3, dtype=np.uint8)).indices.tolist() == [0]


def test_rows_without_entries_keep_one_column():
    empty = sp.csr_array((3, WIDTH))
    columns = Columns.occurring(empty)
    assert columns.indices.tolist() == [0]
    assert columns.cut(empty).shape == (3, 1)


def test_arrays_may_be_longer_than_their_rows_and_indices_of_any_type():
    for dtype in (np.int32, np.int64):
        rows = sp.csr_array((2, 9))
        rows.data, rows.indices = np.array([1.0, 2.0, np.nan]), np.array([3, 8, 5], dtype)
        rows.indptr = np.array([0, 1, 2], dtype)
        assert Columns.occurring(rows).cut(rows).toarray().tolist() == [[1.0, 0.0], [0.0, 2.0]]


@given(st.integers(1, 60), st.integers(0, 200), st.integers(0, 2**32 - 1))
def test_cutting_and_restoring_changes_nothing(width, entries, seed):
    rng = np.random.default_rng(seed)
    dense = np.zeros((5, width))
    dense[rng.integers(0, 5, entries), rng.integers(0, width, entries)] = rng.normal(size=entries)
    rows = sp.csr_array(dense)
    columns = Columns.occurring(rows)
    is_used = (dense != 0).any(axis=0)
    if columns is None:
        assert is_used.all() or width == 1
        return
    assert columns.indices.tolist() == (np.flatnonzero(is_used).tolist() or [0])
    assert np.array_equal(columns.cut(rows).toarray(), dense[:, columns.indices])
    assert np.array_equal(columns.restore(columns.cut(rows)).toarray(), dense)


def test_more_entries_than_are_read_at_a_time_are_all_read():
    entries = 3 * CHUNK_ENTRIES + 5
    indices = np.full(entries, 2, dtype=np.int32)
    indices[-1] = 7
    rows = sp.csr_array((np.ones(entries), indices, np.arange(entries + 1)), shape=(entries, 9))
    columns = Columns.occurring(rows)
    assert columns.indices.tolist() == [2, 7]
    assert columns.cut(rows).indices[-2:].tolist() == [0, 1]


# ---- certificates ----------------------------------------------------------------------------------------------------


def wide(seed=0, rows=60, entries=4, width=WIDTH):
    """Rows of a few entries, anywhere in a million columns, and labels."""
    rng = np.random.default_rng(seed)
    used = np.sort(rng.choice(width, 30, replace=False))
    places = np.sort(np.array([rng.choice(30, entries, replace=False) for _ in range(rows)]), axis=1)
    X = sp.csr_array(
        (rng.normal(size=rows * entries), used[places].ravel(), np.arange(0, rows * entries + 1, entries)),
        shape=(rows, width),
    )
    return X, np.where(rng.random(rows) < 0.5, "no", "yes")


MODELS = (nk.LinearSVM(C=0.1), nk.Perceptron(max_iter=3), nk.AveragedPerceptron(max_iter=2), nk.VotedPerceptron())


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_certificate_of_wide_rows_is_verified_as_that_of_the_rows_cut(model, exact):
    X, y = wide()
    cut = Columns.occurring(X).cut(X)
    found = [nk.verify(model.fit(rows, y), rows, y, exact=exact) for rows in (X, cut)]
    assert all(found)
    assert [check.status for check in found[0].checks] == [check.status for check in found[1].checks]


def with_weight(certificate, column):
    """The same certificate with a weight in one more column."""
    part = "model" if hasattr(certificate, "model") else "evidence"
    model = getattr(certificate, part)
    weights = model.weights.copy()
    weights[column] = 1e3
    return dataclasses.replace(certificate, **{part: dataclasses.replace(model, weights=weights)})


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("model", [nk.LinearSVM(C=0.1), nk.Perceptron(), nk.HardMarginSVM(), nk.MarginPerceptron()])
def test_a_weight_in_a_column_that_does_not_occur_is_noticed(model, exact):
    X, _ = wide()
    y = np.where(X @ np.arange(-1, 1, 2 / WIDTH) > 0, 1, 0)
    certificate = model.fit(X, y).certificate_
    empty = int(np.flatnonzero(np.bincount(X.indices, minlength=WIDTH) == 0)[0])
    assert certificate.verify(X, y, exact=exact)
    assert not with_weight(certificate, empty).verify(X, y, exact=exact)


SOLVERS = (
    nk.LinearSVM(C=0.1),
    nk.LinearSVM(C="scale", warm_start=True),
    nk.LinearSVM(C=0.1, loss="hinge", multi_class="crammer_singer"),
    nk.HardMarginSVM(),
    nk.LinearSVMPath(Cs=3),
)


def fitted_twice(monkeypatch, model, X, y):
    """The same model with weights that are kept compactly, and with dense ones."""
    compactly = clone(model).fit(X, y)
    monkeypatch.setattr(_wide_array, "MIN_WIDTH", np.inf)
    densely = clone(model).fit(X, y)
    monkeypatch.undo()
    return compactly, densely


@pytest.mark.parametrize("model", SOLVERS, ids=lambda model: type(model).__name__)
def test_compact_and_dense_weights_are_the_same_bit_for_bit(model, monkeypatch):
    width = 2**17
    X, _ = wide(width=width)
    y = np.where(X @ np.arange(-1, 1, 2 / width) > 0, 1, 0)
    compactly, densely = fitted_twice(monkeypatch, model, X, y)
    weights = [problem.weights for problem in compactly.record_.problems]
    assert all(isinstance(own, WideArray) for own in weights)
    assert not any(isinstance(problem.weights, WideArray) for problem in densely.record_.problems)
    name = "coefs_" if hasattr(densely, "coefs_") else "coef_"
    assert getattr(compactly, name).tobytes() == getattr(densely, name).tobytes()
    for one, other in zip(compactly.record_.certificates, densely.record_.certificates, strict=True):
        assert one.to_json() == other.to_json() or model.get_params().get("multi_class") == "crammer_singer"
        assert one.verify(X, y).checks == other.verify(X, y).checks
        assert one.support(X, y).rows.tolist() == other.support(X, y).rows.tolist()
    assert nk.verify(compactly, X, y).checks == nk.verify(densely, X, y).checks
    if name == "coef_":
        more = sp.csr_array(sp.vstack([X, sp.csr_array(([5.0], ([0], [width - 2])), shape=(1, width))]))
        assert compactly.decision_function(more).tobytes() == densely.decision_function(more).tobytes()
        assert compactly.decision_function(X[:1].toarray()) == densely.decision_function(X[:1].toarray())
        assert compactly.weights_ == densely.weights_


def test_a_fit_can_continue_from_a_wide_one():
    X, y = wide()
    model = nk.LinearSVM(C=0.1, tol=1e-3, warm_start=True).fit(X, y)
    steps = model.n_iter_
    assert model.fit(X, y).n_iter_ < steps


def test_entries_in_other_columns_do_not_count():
    columns = Columns(np.array([1, 3]), 5)
    rows = sp.csr_array(np.array([[9.0, 1.0, 9.0, 2.0, 9.0], [0.0, 0.0, 0.0, 0.0, 7.0]]))
    assert columns.only(rows).toarray().tolist() == [[1.0, 2.0], [0.0, 0.0]]
    assert Columns(np.zeros(0, dtype=np.int64), 5).only(rows).shape == (2, 0)


WIDTH_IS_FREE = """
import resource, sys, warnings
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import numpy as np, scipy.sparse as sp, novikoff as nk
warnings.simplefilter("ignore")
width, y = int(sys.argv[1]), np.array([0, 1])
X = sp.csr_array((np.array([1.0, 2, -1, 1]), np.array([3, width - 1, 5, width // 2]), [0, 2, 4]), shape=(2, width))
for model in (nk.LinearSVM(), nk.HardMarginSVM(), nk.LinearSVMPath(Cs=2), nk.Perceptron(), nk.AveragedPerceptron()):
    model.fit(X, y)
    assert nk.verify(nk.loads(nk.dumps(model)), X, y)
    assert not hasattr(model, "predict") or model.predict(X).tolist() == [0, 1]
model = nk.Perceptron().partial_fit(X, y)
assert nk.verify(nk.loads(nk.dumps(model)), X, y)
assert nk.separability(X, y).verify(X, y)
nk.evaluate.scores(model, X, y)
print(peak())
"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [10**8, 2**31 - 1])
def test_width_is_free(width):
    assert run_alone(WIDTH_IS_FREE, width)[0] < 300 * 2**20


def test_a_large_table_of_mostly_zeros_becomes_sparse():
    table = np.zeros((2000, 60), order="F")
    table[:, 3] = np.arange(2000)
    table[7, 59] = np.nan
    found = without_zeros(table)
    assert sp.issparse(found)
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), table)
    for other in (found, table[:100], table + 1, np.where(np.arange(60) < 7, 1.0, table), table.astype(object)):
        assert without_zeros(other) is other


def test_a_table_is_sparse_if_it_is_large_and_at_most_a_tenth_of_it_is_not_0():
    table = np.zeros((1000, 100))
    table[:, :10] = 1.0
    assert sp.issparse(without_zeros(table))  # the least number of entries, and the largest density
    assert without_zeros(table[1:]).shape == (999, 100)
    assert not sp.issparse(without_zeros(table[1:]))
    table[5, 99] = 1.0
    assert not sp.issparse(without_zeros(table))


def test_a_table_whose_sampled_rows_are_dense_stays_dense():
    """Of 2000 rows, every 20th is looked at first; of 150, every row."""
    for rows, columns, step in ((2000, 60, 20), (150, 1000, 1)):
        table = np.zeros((rows, columns))
        table[::step, : columns // 8] = 1.0
        assert without_zeros(table) is table
    table = np.zeros((2000, 60))
    table[[0, 21, 41]] = 1.0
    assert sp.issparse(without_zeros(table))
    table = np.zeros((150, 1000))
    table[::2, :150] = 1.0
    assert sp.issparse(without_zeros(table))


def test_tables_of_other_types_stay_as_they_are():
    for dtype in (np.complex128, object):
        table = np.zeros((1000, 100), dtype=dtype)
        assert without_zeros(table) is table
    assert without_zeros(np.zeros(100_000)).shape == (100_000,)
    for dtype in (bool, np.int8, np.uint16, np.float32):
        assert without_zeros(np.ones((1, 1), dtype) * np.eye(400, dtype=dtype)).nnz == 400


def test_a_vector_without_zeros_means_that_all_columns_occur():
    rows = sp.csr_array(([1.0], ([0], [5])), shape=(1, 2**17))
    assert Columns.occurring(rows, np.ones(2**17)) is None
    assert Columns.occurring(rows).indices.tolist() == [5]
