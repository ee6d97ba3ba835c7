"""verify changes none of its arguments, and refuses only what is not rows, labels and weights."""

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nk

rng = np.random.default_rng(7)
X = np.round(8 * rng.normal(size=(12, 3))) / 8
X[:, 0] += np.where(np.arange(12) % 2, 3.0, -3.0)
Y = np.where(np.arange(12) % 2, "yes", "no")
THREE = np.arange(12) % 3
WEIGHTS = (1.0 + np.arange(12) % 3) / 2
MODELS = {
    "soft margin": nk.LinearSVM(loss="hinge").fit(X, Y),
    "pairs": nk.LinearSVM().fit(X, THREE, WEIGHTS),
    "joint": nk.LinearSVM(multi_class="crammer_singer", loss="hinge", C=1.0).fit(X, THREE),
    "hard margin": nk.HardMarginSVM().fit(X, Y),
    "perceptron": nk.Perceptron().fit(X, Y),
    "stream": nk.AveragedPerceptron().partial_fit(X, Y),
    "voted": nk.VotedPerceptron().fit(X, Y),
    "margin": nk.MarginPerceptron().fit(X, Y),
    "normalized": nk.MarginPerceptron(normalize=True).fit(X, Y),
    "private features": nk.Perceptron(slack_feature=0.5, max_iter=3, n_iter_no_change=None).fit(X, Y),
}


def arguments_of(name):
    return (THREE, WEIGHTS if name == "pairs" else None) if name in ("pairs", "joint") else (Y, None)


def unsorted_csr():
    """CSR with descending indices, duplicates and explicit zeros."""
    rows = []
    for row in X:
        columns = np.array([2, 1, 0, 0, 1])
        rows.append((columns, np.array([row[2], row[1], row[0] - 1.0, 1.0, 0.0])))
    indices, data = (np.concatenate(part) for part in zip(*rows, strict=True))
    return sp.csr_array((data, indices, 5 * np.arange(13)), shape=X.shape)


def with_zeros():
    table = sp.csr_array(X)
    table.data[::4] = 0.0
    return table


def read_only(table):
    table = table.copy()
    for part in (table.data, table.indices, table.indptr) if sp.issparse(table) else (table,):
        part.setflags(write=False)
    return table


TABLES = {
    "array": X,
    "column order": np.asfortranarray(X),
    "float32": X.astype(np.float32),
    "float32 CSR": sp.csr_array(X.astype(np.float32)),
    "read-only array": read_only(X),
    "strided": np.repeat(X, 2, axis=0)[::2],
    "list": X.tolist(),
    "data frame": pd.DataFrame(X),
    "CSR": sp.csr_array(X),
    "CSR matrix": sp.csr_matrix(X),
    "CSC": sp.csc_array(X),
    "COO": sp.coo_array(X),
    "unsorted CSR": unsorted_csr(),
    "read-only unsorted CSR": read_only(unsorted_csr()),
    "read-only CSR": read_only(sp.csr_array(X)),
}


def frozen(table):
    """What a table holds, byte by byte."""
    if sp.issparse(table):
        names = ("data", "indices", "indptr") if hasattr(table, "indptr") else ("data", "row", "col")
        return [(getattr(table, name).tobytes(), str(getattr(table, name).dtype)) for name in names]
    if isinstance(table, pd.DataFrame):
        return table.to_numpy().tobytes(), list(table.columns)
    return copy.deepcopy(table) if isinstance(table, list) else (table.tobytes(), table.flags.writeable)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_no_form_of_the_rows_is_changed_or_refused(name, exact):
    model, (y, weights) = MODELS[name], arguments_of(name)
    for form, table in TABLES.items():
        before, labels = frozen(table), y.copy()
        found = nk.verify(model, table, y, weights, exact)
        assert found, f"{form}: {found}"
        assert frozen(table) == before, form
        assert np.array_equal(y, labels)
        for certificate in model.record_.certificates:
            assert certificate.verify(table, y, weights, exact), form
            assert frozen(table) == before, form


@pytest.mark.parametrize("exact", [False, True])
def test_explicit_zeros_are_left_alone(exact):
    for table in (with_zeros(), read_only(with_zeros())):
        before = frozen(table)
        for learner in (
            nk.LinearSVM(loss="hinge"),
            nk.LinearSVM(loss="hinge", multi_class="crammer_singer", C=1.0),
            nk.Perceptron(max_iter=3, n_iter_no_change=None),
        ):
            model = learner.fit(table.toarray(), Y)
            assert nk.verify(model, table, Y, exact=exact)
            assert frozen(table) == before
        verdict = nk.separability(table.toarray(), Y)
        assert verdict.verify(table, Y, exact=exact)
        assert frozen(table) == before


def test_labels_and_weights_are_left_alone():
    weights, labels = WEIGHTS.copy(), THREE.copy()
    weights.setflags(write=False)
    labels.setflags(write=False)
    for y in (labels, labels.tolist(), pd.Series(labels)):
        for exact in (False, True):
            assert nk.verify(MODELS["pairs"], X, y, weights, exact)
    assert nk.verify(MODELS["pairs"], X, THREE, weights.tolist())


NOT_ROWS = [
    None,
    1.0,
    "rows",
    X[0],
    X[None],
    [[1.0, 2.0], [3.0]],
    [["a", "b", "c"]] * 12,
    np.array(X, dtype=complex) + 1j,
    sp.coo_array(X[0]),
    {"a": 1},
    sp.csr_array((np.ones(12), np.full(12, 7), np.arange(13)), shape=(12, 3)),
]


@pytest.mark.parametrize("place", range(len(NOT_ROWS)))
def test_what_is_not_rows_is_refused(place):
    for model in MODELS.values():
        with pytest.raises(nk.InvalidInputError, match="verify: "):
            nk.verify(model, NOT_ROWS[place], Y)


def test_what_is_not_labels_or_weights_is_refused():
    for y in (None, Y[:-1], np.array([Y, Y]), "labels", sp.csr_array(X), np.full(12, np.nan), [[1], [2, 3]]):
        with pytest.raises(nk.InvalidInputError, match="verify: "):
            nk.verify(MODELS["perceptron"], X, y)
    for weights in (WEIGHTS[:-1], np.array([WEIGHTS]), "weights", np.full(12, -1.0), np.full(12, np.nan), [None] * 12):
        with pytest.raises(nk.InvalidInputError, match="verify: "):
            nk.verify(MODELS["perceptron"], X, Y, weights)


finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
anything = st.floats(allow_nan=True, allow_infinity=True, width=64)


@st.composite
def strange_rows(draw):
    """Rows of the right shape with any values, dense or sparse."""
    values = np.array(draw(st.lists(draw(st.sampled_from([finite, anything])), min_size=36, max_size=36)))
    table = values.reshape(12, 3)
    return draw(st.sampled_from([np.asarray, sp.csr_array, sp.csc_array, read_only]))(table)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(list(MODELS)), table=strange_rows(), exact=st.booleans())
def test_rows_of_the_right_shape_never_raise(name, table, exact):
    y, weights = arguments_of(name)
    before = frozen(table)
    nk.verify(MODELS[name], table, y, weights, exact)
    assert frozen(table) == before


@pytest.mark.parametrize("name", MODELS)
def test_other_numbers_of_rows_and_columns_are_not_the_data(name):
    y, _ = arguments_of(name)
    for table, labels in ((X[:, :2], y), (np.hstack([X, X]), y), (X[:6], y[:6]), (X[:0], y[:0]), (X[:, :0], y)):
        assert not nk.verify(MODELS[name], table, labels)
