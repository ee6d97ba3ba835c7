"""Columns of wide rows are numbered as they appear; nothing that is learned depends on it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import novikoff as nk
from novikoff._wide_array import WideArray
from novikoff.online import _numbering
from novikoff.online._numbering import Numbering, is_to_be_numbered

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

HUGE = 2**31 - 1
WIDTH = 2**17
LEARNERS = (
    nk.Perceptron(),
    nk.Perceptron(fit_intercept=False),
    nk.AveragedPerceptron(max_iter=2),
    nk.VotedPerceptron(max_iter=2),
    nk.MarginPerceptron(),
    nk.PassiveAggressiveI(C=0.5),
)


def rows(columns, values, width=HUGE):
    """Rows of one entry each."""
    count = len(columns)
    return sp.csr_array((np.array(values, dtype=float), np.array(columns), np.arange(count + 1)), (count, width))


def wide(seed=0, count=40, width=WIDTH, classes=2):
    """Rows of four entries, anywhere in many columns, and labels."""
    rng = np.random.default_rng(seed)
    used = np.sort(rng.choice(width, 50, replace=False))
    places = np.sort(np.array([rng.choice(50, 4, replace=False) for _ in range(count)]), axis=1)
    X = sp.csr_array((rng.normal(size=4 * count), used[places].ravel(), np.arange(0, 4 * count + 1, 4)), (count, width))
    return X, rng.integers(0, classes, count)


def test_new_columns_get_the_next_numbers():
    numbering = Numbering.of(np.zeros(0, dtype=np.int64)).extended(rows([7, HUGE - 1, 7], [1.0, 2.0, 3.0]))
    assert numbering.in_order.tolist() == [7, HUGE - 1]
    numbering = numbering.extended(rows([3, 7], [4.0, 5.0]))
    assert numbering.in_order.tolist() == [7, HUGE - 1, 3]
    assert numbering.renumbered(rows([3, 7], [4.0, 5.0])).toarray().tolist() == [[0.0, 0.0, 4.0], [5.0, 0.0, 0.0]]
    assert [numbering.row_of(column) for column in (7, 3, 4, HUGE, "7", True)] == [0, 2, None, None, None, None]
    weights = numbering.widened(np.array([1.5, 2.5]), HUGE)  # of a kernel that has not learned from the third yet
    assert isinstance(weights, WideArray)
    assert (weights.columns.tolist(), weights.values.tolist()) == ([3, 7, HUGE - 1], [0.0, 1.5, 2.5])


def test_columns_that_were_never_learned_add_nothing():
    numbering = Numbering.of(np.array([7, 3]))
    found = numbering.renumbered(rows([3, 5, 9], [1.0, 2.0, 3.0]))
    assert found.toarray().tolist() == [[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert Numbering.of(np.zeros(0, dtype=np.int64)).renumbered(rows([3], [1.0])).toarray().tolist() == [[0.0]]


def test_ordinary_rows_are_left_alone():
    assert not is_to_be_numbered(np.eye(3), 0, 3)
    assert not is_to_be_numbered(rows([3], [1.0], 2**21), 0, 2)  # 32 MB
    assert is_to_be_numbered(rows([3], [1.0], 2**21), 0, 3)
    assert not is_to_be_numbered(rows([3], [1.0], 2**21), 2**20, 3)  # of a kernel that has many columns


@given(st.integers(0, 2**32 - 1))
def test_rows_keep_the_order_of_their_entries(seed):
    rng = np.random.default_rng(seed)
    X = sp.random_array((5, 30), density=0.3, rng=rng, format="csr")
    numbering = Numbering.of(rng.permutation(30)[:10]).extended(X)
    found = numbering.renumbered(X)
    assert found.data.tolist() == X.data.tolist()
    assert numbering.in_order[found.indices].tolist() == X.indices.tolist()
    assert np.array_equal(numbering.renumbered(X.toarray()).toarray(), found.toarray())
    assert np.array_equal(np.sort(numbering.places), np.arange(len(numbering.columns)))


def learned(model, X, y, how):
    model = clone(model)
    if how == "fit":
        return model.fit(X, y)
    for begin in range(0, len(y), 7):
        model.partial_fit(X[begin : begin + 7], y[begin : begin + 7])
    if how == "one":
        for i in range(5):
            model.learn_one(X[[i]], y[i])
    return model


@pytest.mark.parametrize("how", ["fit", "stream", "one"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", LEARNERS, ids=lambda model: type(model).__name__)
def test_numbered_columns_change_no_bit_of_what_is_learned(model, classes, how, monkeypatch):
    X, y = wide(classes=classes)
    monkeypatch.setattr(_numbering, "MIN_WEIGHTS", 0)
    compactly = learned(model, X, y, how)
    monkeypatch.setattr(_numbering, "MIN_WEIGHTS", np.inf)
    densely = learned(model, X, y, how)
    assert all(isinstance(problem.weights, WideArray) for problem in compactly.record_.problems)
    assert not any(isinstance(problem.weights, WideArray) for problem in densely.record_.problems)
    assert compactly.coef_.tobytes() == densely.coef_.tobytes()
    assert compactly.intercept_.tobytes() == densely.intercept_.tobytes()
    more, _ = wide(seed=1, count=5)
    assert compactly.decision_function(more).tobytes() == densely.decision_function(more).tobytes()
    assert compactly.predict(X).tolist() == densely.predict(X).tolist()
    assert [compactly.predict_one(more[[i]]) for i in range(5)] == [densely.predict_one(more[[i]]) for i in range(5)]
    assert compactly.weights_ == densely.weights_


def one_after_another(X, y, how):
    return (sp.csr_array(sp.vstack([X, X[:5]])), np.append(y, y[:5])) if how == "one" else (X, y)


@pytest.mark.parametrize("how", ["fit", "stream", "one"])
@pytest.mark.parametrize("model", LEARNERS, ids=lambda model: type(model).__name__)
def test_a_numbered_model_is_verified_saved_and_continued(model, how, monkeypatch):
    X, y = wide()
    monkeypatch.setattr(_numbering, "MIN_WEIGHTS", 0)
    found = learned(model, X, y, how)
    assert nk.verify(found, *one_after_another(X, y, how))
    again = nk.loads(nk.dumps(found))
    more, labels = wide(seed=1, count=9)
    for part in (found, again):
        part.partial_fit(more, labels)
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert again.decision_function(more).tobytes() == found.decision_function(more).tobytes()


def test_a_stream_may_become_wide(tmp_path):
    narrow, far = tmp_path / "narrow.svm", tmp_path / "far.svm"
    narrow.write_text("1 1:1 2:1\n0 2:1 3:2\n")
    far.write_text(f"0 1:2 {HUGE}:1\n1 3:5\n")
    model = nk.Perceptron().partial_fit(nk.scan(narrow)).partial_fit(nk.scan(far))
    assert model.n_features_in_ == HUGE
    assert HUGE - 1 in model.weights_


def test_dicts_know_the_numbers_of_columns():
    X = rows([7, HUGE - 1], [1.0, 1.0])
    model = nk.Perceptron().partial_fit(X, [0, 1])
    assert model.predict_one({7: 1.0}) == 0
    assert model.predict_one({HUGE - 1: 1.0, "other": 5.0}) == 1
    assert model.predict(X).tolist() == [0, 1]
    model.learn_one({7: 0.5, "other": 2.0}, 1)  # from now on, features have names
    assert set(model.weights_) == {7, HUGE - 1, "other"}


def test_indices_outside_of_the_rows_are_refused():
    model = nk.Perceptron().partial_fit(rows([7, HUGE - 1], [1.0, 1.0]), [0, 1])
    bad = rows([7], [1.0])
    bad.indices[0] = -3
    with pytest.raises(nk.InvalidInputError, match="outside of its 2,147,483,647 columns"):
        model.predict(bad)
    with pytest.raises(nk.InvalidInputError, match="index -3"):
        model.partial_fit(bad, [1])
