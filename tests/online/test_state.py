"""The state of a learner of hashed columns, which has zeros where no feature occurred."""

import pytest

import novikoff as nk
from novikoff._wide_array import WideArray
from novikoff.online import _columns, _restore
from novikoff.persistence import sparse_tensors
from snapshots import plain


def hashed(learner, width, classes):
    model = learner(max_features=width)
    for k in range(classes):
        model.learn_one({f"word {k}": 1.0, "all": -0.5}, k)
    return model


@pytest.mark.parametrize("learner", [nk.Perceptron, nk.AveragedPerceptron, nk.VotedPerceptron])
def test_hashed_columns_are_small_in_a_file_and_come_back_whatever_their_number(learner, monkeypatch):
    for module in (_restore, sparse_tensors):
        monkeypatch.setattr(module, "MAX_DENSE_BYTES", 2**20)
    model = hashed(learner, 2**17, 10)
    data = nk.dumps(model)
    assert len(data) < 30_000
    copy = nk.loads(data)
    assert nk.dumps(copy) == nk.dumps(model)
    copy.learn_one({"word 3": 1.0, "new": 2.0}, 4)
    model.learn_one({"word 3": 1.0, "new": 2.0}, 4)
    assert plain(copy.coef_) == plain(model.coef_)


def test_more_hashed_columns_than_a_compact_file_may_have_are_stored_densely(monkeypatch):
    monkeypatch.setattr(sparse_tensors, "MAX_DENSE_BYTES", 2**20)
    model = hashed(nk.Perceptron, 2**17, 3)
    compact = nk.dumps(model)
    for module in (_restore, _columns):
        monkeypatch.setattr(module, "MAX_HASHED_BYTES", 2**20)
    assert not any(isinstance(problem.weights, WideArray) for problem in model.record_.state.questions)
    assert nk.dumps(nk.loads(nk.dumps(model))) == nk.dumps(model)
    with pytest.raises(nk.InvalidInputError, match="too much memory"):
        nk.loads(compact)
