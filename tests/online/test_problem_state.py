"""The state of a compiled learner: what it hands out it takes back, and anything else it refuses, whatever it is."""

import copy
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff._core as _core
from snapshots import plain

KEEPS = ("last", "average", "votes")


def learner(keep="votes", buckets=0):
    made = _core.OnlineLearner("perceptron", 0.0, True, False, 0.0, "mistake", keep, buckets)
    made.add_problem(-1)
    made.add_problem(0, 0)
    for x, code in [({"a": 1.0, "b": -2.0}, 0), ({"c": 1.0}, 1), ({"a": -1.0, 7: 0.5}, 1)]:
        made.learn_one(x, code, 1.0)
    return made


def restored(state):
    made = _core.OnlineLearner.__new__(_core.OnlineLearner)
    made.__setstate__(state)
    return made


def problem(state, place=0):
    return state[1][place]


def test_the_totals_of_balanced_classes_are_taken_back():
    made = learner()
    for weight in (1.0, 0.3):
        made.learn_one({"a": 1.0}, 1, weight, balanced=True)
    assert made.__getstate__()[4].tolist() == [0.0, 1.3]
    for other in (restored(made.__getstate__()), made.copy()):
        assert plain(other.__getstate__()) == plain(made.__getstate__())


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("buckets", [0, 5])
def test_a_state_is_taken_back_bit_for_bit(keep, buckets):
    state = learner(keep, buckets).__getstate__()
    assert plain(restored(state).__getstate__()) == plain(state)


def changed(**fields):
    return lambda state: problem(state).update(fields)


def votes(**fields):
    return lambda state: problem(state)["votes"].update(fields)


LONG = np.zeros(1, dtype=np.int64)
CHANGES = {
    "a missing field": lambda state: problem(state).pop("bias"),
    "a field too much": changed(more=1),
    "a field of another name": lambda state: problem(state).update(bais=problem(state).pop("bias")),
    "weights of another type": changed(weights=np.zeros(4, np.float32)),
    "weights of two dimensions": changed(weights=np.zeros((2, 2))),
    "weights that are a list": changed(weights=[0.0] * 4),
    "weights that are strided": changed(weights=np.zeros(8)[::2]),
    "weights that are none": changed(weights=None),
    "weights fewer than the votes need": changed(weights=np.zeros(1)),
    "a bias that is text": changed(bias="0"),
    "a positive class that is a float": changed(positive=1.5),
    "a positive class too large": changed(positive=2**40),
    "negative updates": changed(updates=-1),
    "updates without room": changed(updates=2**63 - 1),
    "updates beyond 64 bits": changed(updates=2**70),
    "examples that are a number": changed(examples=3.0),
    "negative examples": changed(examples={"whole": -1, "part": 0.0}),
    "examples without room": changed(examples={"whole": 2**63 - 1, "part": 0.0}),
    "examples of one field": changed(examples={"whole": 1}),
    "no votes": changed(votes=None),
    "an average beside the votes": changed(average={"weights": np.zeros(4), "bias": 0.0}),
    "offsets that fall": votes(offsets=np.array([0, 3, 1, 4])),
    "offsets that begin later": votes(offsets=np.array([1, 2, 3, 4])),
    "offsets that end later": votes(offsets=np.array([0, 2, 3, 50])),
    "negative offsets": votes(offsets=np.array([0, -2, 3, 4])),
    "no offsets": votes(offsets=np.zeros(0, np.int64)),
    "an index beyond the columns": lambda state: problem(state)["votes"]["indices"].__setitem__(0, 10**9),
    "a negative index": lambda state: problem(state)["votes"]["indices"].__setitem__(0, -1),
    "fewer indices": votes(indices=LONG),
    "fewer values": votes(values=np.zeros(1)),
    "more steps": votes(steps=np.zeros(9)),
    "fewer steps of the bias": votes(bias_steps=np.zeros(1)),
    "fewer survivals": votes(survived_whole=LONG),
    "fewer parts of survivals": votes(survived_part=np.zeros(1)),
    "negative survivals": lambda state: problem(state)["votes"]["survived_whole"].__setitem__(0, -1),
    "values of another type": votes(values=np.zeros(4, np.int64)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_state_whose_parts_do_not_fit_is_refused(change):
    state = copy.deepcopy(learner().__getstate__())
    change(state)
    with pytest.raises(ValueError, match="the state of an online learner must have "):
        restored(state)


def test_averages_of_other_weights_are_refused():
    state = copy.deepcopy(learner("average").__getstate__())
    problem(state)["average"]["weights"] = np.zeros(3)
    with pytest.raises(ValueError, match="averages of all weights"):
        restored(state)


def with_configuration(place, value):
    configuration, *others = learner().__getstate__()
    return (*configuration[:place], value, *configuration[place + 1 :]), *others


NONE = np.zeros(0)
CONFIGURATIONS = {
    "no rule": with_configuration(0, "winnow"),
    "a rule that is a number": with_configuration(0, 3),
    "a parameter that is text": with_configuration(1, "0"),
    "an intercept that is a number": with_configuration(2, 1),
    "no tie": with_configuration(5, "neither"),
    "nothing kept": with_configuration(6, "all"),
    "negative buckets": with_configuration(7, -1),
    "buckets beyond 64 bits": with_configuration(7, 2**70),
    "a scale that is a number": with_configuration(9, 1),
    "a scale that is missing": with_configuration(9, True),
    "too short": ((), [], [], None, NONE),
    "no tuple": ([], [], [], None, NONE),
    "totals of classes that are negative": (*learner().__getstate__()[:4], np.array([1.0, -1.0])),
    "totals of classes that are not numbers": (*learner().__getstate__()[:4], np.array([1.0, np.nan])),
    "totals of classes that are missing": (*learner().__getstate__()[:4], None),
    "two parts": (learner().__getstate__()[0], []),
    "problems that are numbers": (learner().__getstate__()[0], [1], [], None, NONE),
    "problems in a tuple": (learner().__getstate__()[0], (), [], None, NONE),
    "a name twice": (learner().__getstate__()[0], [], ["a", "a"], None, NONE),
    "a name that is a list": (learner().__getstate__()[0], [], [[]], None, NONE),
    "a name that is a float": (learner().__getstate__()[0], [], [1.5], None, NONE),
    "a name too long for a number": (learner().__getstate__()[0], [], [2**70], None, NONE),
    "a name that is not a text": (learner().__getstate__()[0], [], ["\ud800"], None, NONE),
}


@pytest.mark.parametrize("state", CONFIGURATIONS.values(), ids=CONFIGURATIONS.keys())
def test_a_learner_that_there_cannot_be_is_refused(state):
    with pytest.raises(ValueError, match=r"\.$"):
        restored(state)


VALUES = st.sampled_from(
    [None, True, 0, -1, 1, 2**31, 2**63, 0.5, float("inf"), float("nan"), "", "votes", (), [], {}, LONG, np.zeros(2)]
)


@given(data=st.data(), keep=st.sampled_from(KEEPS))
def test_any_other_state_is_refused_or_works(data, keep):
    """Whatever is put in the place of anything, the learner that comes of it can be used."""
    state = copy.deepcopy(learner(keep).__getstate__())
    for _ in range(data.draw(st.integers(1, 3))):
        held = problem(state, data.draw(st.integers(0, 1)))
        inner = [part for part in held.values() if isinstance(part, dict)]
        part = data.draw(st.sampled_from([held, *inner]))
        name = data.draw(st.sampled_from(sorted(part)))
        if isinstance(part[name], np.ndarray) and part[name].size and data.draw(st.booleans()):
            place = data.draw(st.integers(0, part[name].size - 1))
            part[name][place] = data.draw(st.sampled_from([-1, 0, 1, 2**40]))
        else:
            part[name] = data.draw(VALUES)
    try:
        made = restored(state)
    except ValueError:
        return
    with np.errstate(all="ignore"):
        for x, q in itertools.product(({"a": 1.0, "new": 1.0}, {}), range(made.problems)):
            made.score_one(x, q)
        made.learn_one({"a": 1.0, "newer": -1.0}, 0, 1.0)
        made.__getstate__()
