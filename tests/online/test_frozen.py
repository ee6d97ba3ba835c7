import numpy as np
import pytest
import scipy.sparse as sp

import novikoff._core as _core
from novikoff._learner_names import ONLINE
from novikoff.errors import InvalidInputError
from novikoff.online.frozen import chosen, frozen

LEARNERS = [(name, {}) for name in ONLINE]
WIDTH = 8


def rows(count, seed):
    random = np.random.default_rng(seed)
    X = sp.random_array((count, WIDTH), density=0.4, rng=random, format="csr")
    X.data = random.normal(size=X.nnz).round(2)
    return X, random


def learned(name, parameters, classes, count=60):
    X, random = rows(count, 1)
    labels = np.array([f"c{k}" for k in range(classes)])[random.integers(0, classes, count)]
    learner = ONLINE[name](**parameters)
    return learner, X, labels


def asked(own, X):
    """Return the scores and the labels that are predicted."""
    X = sp.csr_array(X)
    found = own.decisions(_core.csr(X.data, X.indices, X.indptr, X.shape[1]), lambda: X)
    places = chosen(found, len(own.labels))
    return found, [own.labels[place] for place in places.tolist()]


@pytest.mark.parametrize("classes", [1, 2, 5])
@pytest.mark.parametrize(("name", "parameters"), LEARNERS)
def test_a_frozen_learner_predicts_what_the_learner_did_at_that_moment(name, parameters, classes):
    learner, X, labels = learned(name, parameters, classes)
    test, _ = rows(40, 2)
    kept = []
    for begin in range(0, 60, 15):
        learner.partial_fit(X[begin : begin + 15], labels[begin : begin + 15])
        kept.append((frozen(learner), learner.decision_function(test), learner.predict(test).tolist()))
    for own, scores, predicted in kept:
        found, places = asked(own, test)
        assert found.shape == scores.shape
        assert (found == scores).all()
        assert places == predicted


@pytest.mark.parametrize(("name", "parameters"), LEARNERS)
def test_columns_that_were_not_learned_count_as_0(name, parameters):
    learner, X, labels = learned(name, parameters, 2)
    learner.partial_fit(X, labels)
    wide = sp.hstack([X, sp.csr_array(np.ones((X.shape[0], 3)))], format="csr")
    narrow = asked(frozen(learner), X)
    found = asked(frozen(learner), wide)
    np.testing.assert_allclose(found[0], narrow[0], rtol=1e-12, atol=1e-12)  # the sum has other partial sums
    assert found[1] == narrow[1]


@pytest.mark.parametrize("name", list(ONLINE))
def test_nothing_learned_has_no_labels(name):
    own = frozen(ONLINE[name]())
    assert own.labels == []
    assert own.scorer is None
    assert own.decisions(
        _core.csr(np.ones(1), np.zeros(1, np.int32), np.arange(2, dtype=np.int32), 1), None
    ).tolist() == [0]


def test_rows_whose_norm_overflows_are_refused():
    learner, X, labels = learned("perceptron", {}, 2)
    learner.partial_fit(X, labels)
    with pytest.raises(InvalidInputError, match="squared norm"):
        asked(frozen(learner), sp.csr_array(np.full((1, WIDTH), 1e200)))


@pytest.mark.parametrize(
    ("decisions", "count", "places"),
    [([0.0, -0.0, -1e-300], 2, [1, 1, 0]), ([1.0, -1.0], 1, [0, 0]), ([[1, 1, 0], [0, 2, 2]], 3, [0, 1])],
)
def test_ties_are_decided_as_learners_do(decisions, count, places):
    assert chosen(np.array(decisions, dtype=float), count).tolist() == places
