"""One pass is one pass: batches, single examples, layouts, weights and copies give the same bits."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from snapshots import learned
from strategies import LAYOUTS, cuts, few, fractional_weights, integer_weights, laid_out, streams

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

layouts, types = st.sampled_from(LAYOUTS), st.sampled_from([np.float32, np.float64])


def one_epoch(make, X, y, **fit):
    if "scale" in make.keywords:  # it has no fit, or one that sees all rows first
        return make().partial_fit(X, y, **fit)
    return make(shuffle=False, max_iter=1).fit(X, y, **fit)


def learn_singly(model, X, y, weights=None):
    for i, label in enumerate(y.tolist()):
        model.learn_one(X[[i]] if sp.issparse(X) else X[i], label, 1.0 if weights is None else weights[i])


@few
@given(
    data=st.data(),
    classes=st.sampled_from([2, 3]),
    layout=layouts,
    dtype=types,
    is_weighted=st.booleans(),
    declared=st.booleans(),
)
def test_batches_and_single_examples_equal_one_epoch_of_fit(
    make_streaming, data, classes, layout, dtype, is_weighted, declared
):
    X, y = data.draw(streams(classes))
    weights, known = None, range(classes) if declared else None
    if is_weighted:
        weights = np.append(data.draw(fractional_weights(len(y) - classes)), np.ones(classes))
        y[-classes:] = np.arange(classes)
    X = laid_out(X, layout, dtype)
    places = data.draw(cuts(len(y)))
    batched, single, mixed = (
        make_streaming(n_jobs=data.draw(st.sampled_from([1, 2]))),
        make_streaming(),
        make_streaming(),
    )
    for k, (begin, end) in enumerate(zip([0, *places], [*places, len(y)], strict=True)):
        part = X[begin:end], y[begin:end], None if weights is None else weights[begin:end]
        batched.partial_fit(*part[:2], classes=known, sample_weight=part[2])
        learn_singly(single, *part)
        if k % 2:
            mixed.partial_fit(*part[:2], sample_weight=part[2])
        else:
            learn_singly(mixed, *part)
    expected = learned(one_epoch(make_streaming, X, y, sample_weight=weights), X)
    assert learned(batched, X) == learned(single, X) == learned(mixed, X) == expected


@few
@given(data=st.data(), layout=layouts, dtype=types, is_first=st.booleans())
def test_an_integer_weight_equals_copies_whatever_fractions_came_before(make_streaming, data, layout, dtype, is_first):
    X, y = data.draw(streams(2))
    weights = data.draw(integer_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 2
    copies = np.repeat(np.arange(len(y)), weights)
    X = laid_out(X, layout, dtype)
    repeated, weighted, single = make_streaming(), make_streaming(), make_streaming()
    if not is_first:
        before = data.draw(fractional_weights(len(y)))
        for model in (repeated, weighted, single):
            model.partial_fit(X, y, classes=[0, 1], sample_weight=before)
    repeated.partial_fit(X[copies], y[copies])
    weighted.partial_fit(X, y, sample_weight=weights)
    learn_singly(single, X, y, weights.tolist())
    assert learned(repeated, X) == learned(weighted, X) == learned(single, X)


@few
@given(data=st.data(), max_iter=st.integers(1, 5))
def test_copies_equal_a_weight_over_any_number_of_passes(make, data, max_iter):
    X, y = data.draw(streams(2, max_rows=15))
    weights = data.draw(integer_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 2
    copies = np.repeat(np.arange(len(y)), weights)
    model = make(shuffle=False, max_iter=max_iter)
    weighted = learned(model.fit(X, y, sample_weight=weights), X)
    assert weighted == learned(model.fit(X[copies], y[copies]), X)


def test_a_label_of_weight_zero_alone_is_no_class(make):
    fitted = make().fit([[1.0], [-1.0], [3.0]], ["a", "b", "c"], sample_weight=[1, 1, 0])
    assert fitted.classes_.tolist() == ["a", "b"]


@few
@given(data=streams(2), layout=layouts, dtype=types)
def test_rows_of_any_layout_and_type_are_learned_as_the_same_numbers(make_streaming, data, layout, dtype):
    X, y = data
    rows = laid_out(X, layout, dtype)
    same = laid_out(X.astype(dtype), "csr" if layout.startswith("csr") else "C")
    assert learned(one_epoch(make_streaming, rows, y)) == learned(one_epoch(make_streaming, same, y))


@few
@given(data=streams(2))
def test_a_read_only_memory_map_and_frames_are_the_same_rows(make_streaming, data, tmp_path_factory):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    X, y = data
    path = tmp_path_factory.mktemp("map") / "x.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    expected = learned(one_epoch(make_streaming, X, y))
    names = [f"x{j}" for j in range(X.shape[1])]
    assert learned(one_epoch(make_streaming, mapped, y)) == expected
    assert learned(one_epoch(make_streaming, pd.DataFrame(X, columns=names), pd.Series(y))) == expected
    assert learned(one_epoch(make_streaming, pl.DataFrame(X, schema=names, orient="row"), pl.Series(y))) == expected
    assert learned(one_epoch(make_streaming, pa.table(dict(zip(names, X.T, strict=True))), y)) == expected


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]))
def test_dicts_in_the_order_of_the_indices_equal_csr_rows(make, data, classes):
    X, y = data.draw(streams(classes))
    rows = sp.csr_matrix(X)
    model, by_row = make(), make()
    for i, label in enumerate(y.tolist()):
        row = rows[[i]]
        model.learn_one(dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)), label)
        by_row.learn_one(row, label)
    names = model._learner.names
    columns = [names.index(j) for j in sorted(names)]
    padded = np.zeros_like(by_row.coef_)
    padded[:, sorted(names)] = model.coef_[:, columns]
    np.testing.assert_array_equal(padded, by_row.coef_)
    np.testing.assert_array_equal(model.intercept_, by_row.intercept_)
    assert learned(model)["tallies"] == learned(by_row)["tallies"]
    for i in range(len(y)):
        row = rows[[i]]
        x = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        assert model.score_one(x) == by_row.score_one(row)
        assert model.predict_one(x) == by_row.predict_one(row)


@few
@given(data=streams(2))
def test_integer_keys_are_the_columns_of_the_matrix_that_was_fitted(make, data):
    X, y = data
    rows = sp.csr_matrix(X)
    model, by_row = one_epoch(make, rows, y), one_epoch(make, rows, y)
    for i, label in enumerate(y.tolist()):
        row = rows[[i]]
        x = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        assert model.score_one(x) == by_row.score_one(row)
        model.learn_one(x, label)
        by_row.learn_one(row, label)
    assert learned(model, rows) == learned(by_row, rows)


@few
@given(data=streams(2))
def test_string_keys_are_the_columns_of_the_frame_that_was_fitted(make, data):
    import pandas as pd

    X, y = data
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    model, by_row = one_epoch(make, frame, y), one_epoch(make, X, y)
    for x, values, label in zip(frame.to_dict("records"), X, y.tolist(), strict=True):
        model.learn_one(x, label)
        by_row.learn_one(values, label)
    np.testing.assert_allclose(model.coef_, by_row.coef_, rtol=1e-9, atol=1e-9)
    assert model.feature_names_in_.tolist() == list(frame.columns)


def test_repeated_and_unsorted_columns_of_a_row_are_summed(make_streaming):
    rows = sp.csr_array(([1.0, 2.0, 1.0, -3.0, 0.5, 0.5], [2, 0, 2, 2, 3, 3], [0, 3, 6]), shape=(2, 4))
    y, plain = [1, 0], sp.csr_array(rows.toarray())
    model, expected = make_streaming().partial_fit(rows, y), make_streaming().partial_fit(plain, y)
    assert rows.nnz == 6
    for learn in (model, expected):
        learn.partial_fit(plain, y)  # variances and scales decide about these steps
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    claims = [learner.record_.certificates[0] for learner in (model, expected)]
    assert claims[0].radius == pytest.approx(claims[1].radius)


@pytest.mark.slow
def test_a_vote_counts_copies_as_it_counts_a_weight_whatever_fractions_came_before():
    rng = np.random.default_rng(0)
    rows = [[1.0], [0.5], [-0.2], [3.0]]
    for _ in range(400):
        fractions, copies = 3 * rng.random(2), int(rng.integers(2, 200))
        scores = []
        for X, weight in ([[1.0]], [copies]), ([[1.0]] * copies, None):
            model = nk.VotedPerceptron().partial_fit([[1.0], [-3.0]], [1, 0], classes=[0, 1], sample_weight=fractions)
            model.partial_fit(X, [1] * len(X), sample_weight=weight).partial_fit([[1.0]] * 3, [0] * 3)
            scores.append(model.decision_function(rows).tobytes())
        assert scores[0] == scores[1]
