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
    if make.keywords.get("scale") == "centred":  # it has no fit
        return make().partial_fit(X, y, **fit)
    return make(shuffle=False, max_iter=1).fit(X, y, **fit)


def pieces(rows, places):
    return zip([0, *places], [*places, rows], strict=True)


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]), layout=layouts, dtype=types, declared=st.booleans())
def test_partial_fit_over_any_batching_equals_one_epoch_of_fit(make_streaming, data, classes, layout, dtype, declared):
    X, y = data.draw(streams(classes))
    X = laid_out(X, layout, dtype)
    model = make_streaming()
    for begin, end in pieces(len(y), data.draw(cuts(len(y)))):
        model.partial_fit(X[begin:end], y[begin:end], classes=range(classes) if declared else None)
    assert learned(model, X) == learned(one_epoch(make_streaming, X, y), X)


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]), layout=layouts, dtype=types)
def test_learn_one_by_one_equals_one_epoch_of_fit(make_streaming, data, classes, layout, dtype):
    X, y = data.draw(streams(classes))
    X = laid_out(X, layout, dtype)
    model = make_streaming()
    for i, label in enumerate(y.tolist()):
        model.learn_one(X[[i]] if sp.issparse(X) else X[i], label)
    assert learned(model, X) == learned(one_epoch(make_streaming, X, y), X)


@few
@given(data=st.data(), dtype=types)
def test_learn_one_and_partial_fit_may_take_turns(make_streaming, data, dtype):
    X, y = data.draw(streams(3))
    X = X.astype(dtype)
    model = make_streaming()
    for i, (begin, end) in enumerate(pieces(len(y), data.draw(cuts(len(y))))):
        if i % 2:
            model.partial_fit(X[begin:end], y[begin:end])
        else:
            for x, label in zip(X[begin:end], y[begin:end], strict=True):
                model.learn_one(x, label)
    assert learned(model, X) == learned(one_epoch(make_streaming, X, y), X)


@few
@given(data=st.data(), classes=st.sampled_from([2, 3]), layout=layouts)
def test_fractional_weights_are_the_same_in_batches_and_one_by_one(make_streaming, data, classes, layout):
    X, y = data.draw(streams(classes))
    weights = np.append(data.draw(fractional_weights(len(y) - classes)), np.ones(classes))
    y[-classes:] = np.arange(classes)
    X = laid_out(X, layout)
    whole = one_epoch(make_streaming, X, y, sample_weight=weights)
    batched, single = make_streaming(), make_streaming()
    for begin, end in pieces(len(y), data.draw(cuts(len(y)))):
        batched.partial_fit(X[begin:end], y[begin:end], sample_weight=weights[begin:end])
    for i, (label, weight) in enumerate(zip(y, weights, strict=True)):
        single.learn_one(X[[i]] if sp.issparse(X) else X[i], label, weight)
    assert learned(batched, X) == learned(whole, X)
    assert learned(single, X) == learned(whole, X)


@few
@given(data=st.data(), layout=layouts, dtype=types)
def test_an_integer_weight_equals_that_many_copies_in_a_row_and_zero_equals_absence(
    make_streaming, data, layout, dtype
):
    X, y = data.draw(streams(2))
    weights = data.draw(integer_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 2
    copies = np.repeat(np.arange(len(y)), weights)
    X = laid_out(X, layout, dtype)
    repeated = one_epoch(make_streaming, X[copies], y[copies])
    assert learned(one_epoch(make_streaming, X, y, sample_weight=weights), X) == learned(repeated, X)
    assert learned(make_streaming().partial_fit(X, y, sample_weight=weights), X) == learned(repeated, X)
    single = make_streaming()
    for i, (label, weight) in enumerate(zip(y, weights.tolist(), strict=True)):
        single.learn_one(X[[i]] if sp.issparse(X) else X[i], label, weight)
    assert learned(single, X) == learned(repeated, X)


@few
@given(data=st.data())
def test_copies_equal_a_weight_whatever_fractions_came_before(make_streaming, data):
    X, y = data.draw(streams(2))
    n = len(y)
    before = data.draw(fractional_weights(n))
    counts = data.draw(integer_weights(n))
    copies = np.repeat(np.arange(n), counts)
    models = [make_streaming().partial_fit(X, y, classes=[0, 1], sample_weight=before) for _ in range(2)]
    models[0].partial_fit(X, y, sample_weight=counts)
    if len(copies):
        models[1].partial_fit(X[copies], y[copies])
    assert learned(models[0], X) == learned(models[1], X)


@few
@given(data=st.data(), max_iter=st.integers(2, 5))
def test_copies_equal_a_weight_over_several_passes(make, data, max_iter):
    X, y = data.draw(streams(2, max_rows=15))
    weights = data.draw(integer_weights(len(y)))
    weights[[np.argmax(y == 0), np.argmax(y == 1)]] = 2
    copies = np.repeat(np.arange(len(y)), weights)
    model = make(shuffle=False, max_iter=max_iter)
    weighted = learned(model.fit(X, y, sample_weight=weights), X)
    assert weighted == learned(model.fit(X[copies], y[copies]), X)


def test_a_label_of_weight_zero_alone_is_no_class(make):
    X, y = [[1.0], [-1.0], [3.0]], ["a", "b", "c"]
    assert make().fit(X, y, sample_weight=[1, 1, 0]).classes_.tolist() == ["a", "b"]
    assert make().partial_fit(X, y, sample_weight=[1, 1, 0]).classes_.tolist() == ["a", "b"]
    model = make()
    for x, label, weight in zip(X, y, [1, 1, 0], strict=True):
        model.learn_one(x, label, weight)
    assert model.classes_.tolist() == ["a", "b"]


@few
@given(data=streams(2), layout=layouts)
def test_layout_changes_no_bit_of_dense_rows_and_none_of_sparse_ones(make_streaming, data, layout):
    X, y = data
    like = "csr" if layout.startswith("csr") else "C"
    assert learned(one_epoch(make_streaming, laid_out(X, layout), y)) == learned(
        one_epoch(make_streaming, laid_out(X, like), y)
    )


@few
@given(data=streams(2))
def test_float32_rows_are_learned_as_the_same_numbers_in_float64(make_streaming, data):
    X, y = data
    narrow = X.astype(np.float32)
    assert learned(one_epoch(make_streaming, narrow, y)) == learned(
        one_epoch(make_streaming, narrow.astype(np.float64), y)
    )


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


def test_a_repeated_index_means_the_sum_of_its_values(make_streaming):
    doubled = sp.csr_matrix(
        (np.array([1.0, 2.0, -1.0, 0.5]), np.array([1, 1, 0, 1]), np.array([0, 2, 4])), shape=(2, 2)
    )
    y = [1, 0]
    plain = sp.csr_matrix(doubled.toarray())
    model, expected = one_epoch(make_streaming, doubled, y), one_epoch(make_streaming, plain, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    assert model.certificate_.radius == pytest.approx(expected.certificate_.radius)
    assert doubled.nnz == 4


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
