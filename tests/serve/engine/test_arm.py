import numpy as np
import pytest
import scipy.sparse as sp

from engines import digest
from novikoff._learner_names import ONLINE
from novikoff.errors import InvalidInputError
from novikoff.serve.engine.arm import Arm, predictions
from novikoff.serve.engine.examples import Examples
from novikoff.serve.engine.specification import Specification

LABELS = np.array(["b", "a", "c"])
CODES = {"b": 0, "a": 1, "c": 2}


def made(codes, values, weights=None):
    count = len(codes)
    offsets, columns = np.arange(count + 1, dtype=np.int32), np.arange(count, dtype=np.int32) % 3
    return Examples(offsets, columns, np.array(values, dtype=float), np.array(codes, dtype=np.int32), 3, weights)


@pytest.mark.parametrize("name", list(ONLINE))
def test_an_arm_predicts_and_learns_as_its_learner_does(name):
    arm, learner = Arm(Specification(name)), Specification(name).make()
    codes = [0, 0, 1, 1, 0, 2, 1, 0, 2, 0]
    values = [1.0, 2.0, -1.0, -2.0, 1.5, 3.0, -1.0, 0.5, 2.5, -0.5]
    expected = []
    for code, value, column in zip(codes, values, np.arange(10) % 3, strict=True):
        row = sp.csr_array(([value], ([0], [column])), shape=(1, 3))
        known = learner.__sklearn_is_fitted__()
        expected.append(CODES[learner.predict(row)[0]] if known else -1)
        learner.partial_fit(row, [LABELS[code]])
    runs = arm.learn(made(codes, values), LABELS, CODES, 3)
    assert predictions(runs).tolist() == expected
    assert digest(arm.learner) == digest(learner)


@pytest.mark.parametrize("name", list(ONLINE))
def test_an_arm_that_refuses_examples_has_learned_none(name):
    arm = Arm(Specification(name))
    arm.learn(made([0, 1], [1.0, -1.0]), LABELS, CODES, 3)
    before = digest(arm.learner)
    with pytest.raises(InvalidInputError):
        arm.learn(made([0, 2, 1], [1.0, 1.0, 1e200]), LABELS, CODES, 3)
    assert digest(arm.learner) == before
