"""Classes that learn from each row together learn the same bits as each class alone."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import MAKERS
from novikoff.online import _cycle
from novikoff.online._together import MAX_TOGETHER, groups_of
from snapshots import learned

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about


def rows_of_classes(classes, rows=150, columns=60, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random_array((rows, columns), density=0.3, rng=rng, format="csr")
    y = np.argmax(X @ rng.normal(size=(columns, classes)), axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def one_by_one(problems, *_):
    return [[q] for q in range(problems)]


@pytest.mark.parametrize(
    ("classes", "shuffle"),
    [(3, True), (9, False), *(pytest.param(*other, marks=pytest.mark.slow) for other in [(3, False), (9, True)])],
)
@pytest.mark.parametrize("make", MAKERS)
def test_a_fit_does_not_depend_on_which_classes_learn_together(monkeypatch, make, classes, shuffle):
    X, y = rows_of_classes(classes)
    weights = np.random.default_rng(1).integers(0, 4, len(y)) / 2
    weights[:classes] = 1
    for sample_weight in (None, weights):
        together = make(max_iter=8, shuffle=shuffle).fit(X, y, sample_weight)
        with monkeypatch.context() as patch:
            patch.setattr(_cycle, "groups_of", one_by_one)
            alone = make(max_iter=8, shuffle=shuffle).fit(X, y, sample_weight)
        assert learned(together) == learned(alone)
        if hasattr(alone, "stopped_"):  # not of learners that forget, which learn from the rows once
            assert together.stopped_ == alone.stopped_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_class_that_has_converged_leaves_and_the_others_go_on(dtype):
    X, y = rows_of_classes(11)
    model = nk.Perceptron(max_iter=2000).fit(X.astype(dtype), y)
    passes = {run.passes for run in model._runs}
    assert len(passes) > 2
    assert model.n_iter_ == max(passes)
    assert model.score(X.astype(dtype), y) == 1
    assert not any(v.failures for v in [c.verify(X.astype(dtype), y) for c in model.certificate_])


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_learn_the_same_groups(n_jobs):
    X, y = rows_of_classes(20)
    assert learned(nk.Perceptron(n_jobs=n_jobs).fit(X, y)) == learned(nk.Perceptron().fit(X, y))


def test_a_warm_start_continues_with_the_classes_together():
    X, y = rows_of_classes(5)
    warm = nk.AveragedPerceptron(max_iter=1, shuffle=False, warm_start=True).fit(X, y).fit(X, y)
    stream = nk.AveragedPerceptron().partial_fit(X, y, classes=np.arange(5)).partial_fit(X, y)
    assert learned(warm) == learned(stream)


def test_short_rows_and_dense_rows_are_learned_in_small_groups():
    X, y = rows_of_classes(20)
    wide, short = nk.Perceptron(max_iter=1).fit(X, y), sp.csr_array(np.eye(20))
    rule, kernel = wide._learned_rule, wide._learner
    assert [len(group) for group in groups_of(20, kernel, _examples(X, y), rule)] == [MAX_TOGETHER, MAX_TOGETHER, 4]
    assert groups_of(3, kernel, _examples(short, np.arange(20)), rule) == [[0], [1], [2]]
    assert groups_of(3, kernel, _examples(X.toarray(), y), rule) == [[0], [1], [2]]


def _examples(X, y):
    return _cycle.Examples.of("test", X, y.astype(np.int32), None)
