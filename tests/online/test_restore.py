"""States of model files whose parts do not fit each other are refused."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.persistence.frame import pieces, unpack

WIDTH = 2**23


def wide_rows():
    return sp.csr_array((np.ones(4), [0, 7, 7, WIDTH - 1], [0, 2, 4]), shape=(2, WIDTH))


def file_of(model, change):
    """Return the bytes of a model file after a change of its header and arrays."""
    tree, tensors = unpack("model", nk.dumps(model))
    change(tree, tensors)
    return b"".join(pieces(tree, tensors))


def claim_a_longer_average(tree, tensors):
    tree["sparse"]["state.questions.0.average.weights"] = [2**40]


def test_averages_longer_than_the_model_are_refused_before_they_are_dense():
    model = nk.AveragedPerceptron()
    for x, label in (({"a": 1.0}, 0), ({"b": 1.0}, 1)):
        model.learn_one(x, label)
    tree, tensors = unpack("model", nk.dumps(model))
    for part, kind in (("indices", np.int32), ("values", np.float64)):
        tensors[f"state.questions.0.average.weights.{part}"] = np.zeros(0, kind)
    del tensors["state.questions.0.average.weights"]
    claim_a_longer_average(tree, tensors)
    with pytest.raises(nk.InvalidInputError, match=r"average\.weights: there must be 2 weights"):
        nk.loads(b"".join(pieces(tree, tensors)))


def test_a_numbered_average_of_another_length_is_refused():
    model = nk.AveragedPerceptron(max_iter=1).fit(wide_rows(), [0, 1])
    with pytest.raises(nk.InvalidInputError, match=r"average\.weights: there must be 8388608 weights"):
        nk.loads(file_of(model, claim_a_longer_average))


@pytest.mark.parametrize("index", [-3, WIDTH, WIDTH + 5])
def test_columns_of_votes_that_the_model_does_not_have_are_refused(index):
    model = nk.VotedPerceptron(max_iter=1).fit(wide_rows(), [0, 1])
    assert len(model._numbering.columns) == 3
    with pytest.raises(nk.InvalidInputError, match=r"votes\.indices: they must be from 0 to 8388607"):
        nk.loads(file_of(model, lambda tree, tensors: tensors["state.questions.0.votes.indices"].__setitem__(0, index)))
