"""Sets of labels with a promised error rate: T1 on every stream, however the rows come."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.data.batch import Batch
from novikoff.evaluate import AdaptiveSets
from real_data import real
from reference.conformal import levels as levels_of

LEARNERS = {
    "perceptron": nk.Perceptron,
    "declared": lambda: nk.PassiveAggressiveI(classes=[0, 1, 2, 3]),
    "scaled": lambda: nk.AROW(scale="running"),
    "joint": nk.MulticlassPerceptron,
    "votes": nk.VotedPerceptron,
    "tracker": nk.Tracker,
}


def stream(rows=60, classes=3, seed=0):
    """Rows of several classes, of which one appears late."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
    if classes > 2:
        y[rows // 4 :] += X[rows // 4 :, 1] > 1
    return X, y


@pytest.fixture(params=LEARNERS)
def make(request):
    return LEARNERS[request.param]


@pytest.mark.parametrize("classes", [2, 3])
def test_batches_make_no_difference(make, classes):
    X, y = stream(classes=classes)
    whole, single, cut = (AdaptiveSets(make(), 0.2, step=0.05, window=30) for _ in range(3))
    assert whole.partial_fit(X, y) is whole
    for x, label in zip(X, y.tolist(), strict=True):
        single.learn_one(x, label)
    for begin, end in ((0, 1), (1, 21), (21, 23), (23, len(y))):
        cut.partial_fit(sp.csr_array(X[begin:end]), y[begin:end])
    assert whole.state_ == single.state_ == cut.state_
    assert nk.dumps(whole.learner) == nk.dumps(single.learner)
    assert whole.certificate_.rounds + whole.skipped_ == len(y)
    assert whole.predict_sets(X) == [single.predict_set_one(x) for x in X]


def test_the_learner_learns_as_it_would_alone(make):
    X, y = stream()
    sets, alone = AdaptiveSets(make()), make()
    assert sets.predict_then_learn(X, y).tolist() == alone.predict_then_learn(X, y).tolist()
    assert nk.dumps(sets.learner) == nk.dumps(alone)
    assert sets.predict(X).tolist() == alone.predict(X).tolist()
    assert sets.predict_one(X[0]) == alone.predict_one(X[0])


def test_weights_count_once_and_rows_of_weight_0_not_at_all(make):
    X, y = stream()
    weights = np.arange(len(y)) % 3
    batch, single = AdaptiveSets(make()), AdaptiveSets(make())
    batch.partial_fit(X, y, weights)
    for x, label, weight in zip(X, y.tolist(), weights.tolist(), strict=True):
        single.learn_one(x, label, weight)
    assert batch.state_ == single.state_
    assert batch.certificate_.rounds + batch.skipped_ == np.count_nonzero(weights)


def test_saved_sets_go_on_with_the_same_bits(make, tmp_path):
    X, y = stream()
    whole, part = (AdaptiveSets(make(), 0.15, step=0.03, start=0.5, window=25) for _ in range(2))
    whole.partial_fit(X, y)
    part.partial_fit(X[:35], y[:35])
    part.save(tmp_path / "m.nvk")
    again = AdaptiveSets.load(tmp_path / "m.nvk")
    again.partial_fit(X[35:], y[35:])
    pickled = pickle.loads(pickle.dumps(part)).partial_fit(X[35:], y[35:])
    assert whole.state_ == again.state_ == pickled.state_
    assert nk.dumps(again.learner) == nk.dumps(whole.learner)
    assert type(nk.load(tmp_path / "m.nvk")) is type(part.learner)


def test_a_model_without_sets_is_not_loaded_as_sets(tmp_path):
    nk.save(nk.Perceptron().partial_fit([[1.0]], [1]), tmp_path / "m.nvk")
    with pytest.raises(nk.InvalidInputError, match="has no adaptive sets"):
        AdaptiveSets.load(tmp_path / "m.nvk")


def test_a_forged_state_is_refused_and_the_message_names_the_field():
    X, y = stream()
    state = AdaptiveSets(nk.Perceptron()).partial_fit(X, y).state_
    counts, rounds = state.certificate, state.certificate.rounds
    assert AdaptiveSets.from_state(nk.Perceptron(), state).state_ == state
    forgeries = [
        ({"recent": state.recent[1:]}, f"recent must have {rounds} numbers, .* but it has {rounds - 1}"),
        ({"recent": (math.nan, *state.recent[1:])}, "recent must have finite numbers, but number 0 is nan"),
        ({"recent": (*state.recent[1:], "x")}, f"number {rounds - 1} is 'x'"),
        ({"skipped": -1}, "skipped must be an integer of at least 0, but it is -1"),
        ({"window": 3}, "recent must have 3 numbers"),
        ({"window": 0}, "window must be an integer of at least 1"),
        ({"certificate": None}, "certificate must be a SetCertificate, but it is None"),
    ]
    of_counts = [
        ({"errors": rounds + 1}, f"certificate.errors must be at most {rounds}, .* but it is {rounds + 1}"),
        ({"errors": -1}, "certificate.errors must be an integer of at least 0"),
        ({"empty": rounds}, "certificate.empty must be at most"),
        ({"single": rounds + 1}, "certificate.single must be at most"),
        ({"labels": 0}, "certificate.labels must be at least"),
        ({"error_rate": 0.0}, "error_rate must be a positive number"),
        ({"errors": rounds, "step": 100.0}, "certificate.errors is .*, which cannot be: claimed at most"),
    ]
    for forged, words in [*forgeries, *(({"certificate": replace(counts, **f)}, words) for f, words in of_counts)]:
        with pytest.raises(nk.InvalidInputError, match=words):
            AdaptiveSets.from_state(nk.Perceptron(), replace(state, **forged))
    with pytest.raises(nk.InvalidInputError, match="state must be the state_ of other sets, but it is 7"):
        AdaptiveSets.from_state(nk.Perceptron(), 7)


def test_the_errors_are_those_of_a_replay_of_the_nonconformities():
    X, y = stream(rows=300)
    sets, seen, lacking = AdaptiveSets(nk.Perceptron(), 0.2, step=0.05, window=40), [], 0
    for x, label in zip(X, y.tolist(), strict=True):
        found, predicted = sets.nonconformity_one(x), sets.predict_set_one(x)
        if label in found:
            seen.append(found[label])
            lacking += label not in predicted
        sets.learn_one(x, label)
    assert sets.certificate_.errors == lacking
    assert sets.certificate_.verify(seen, window=40)
    assert not sets.certificate_.verify(seen[1:] + seen[:1], window=1)


class Liar:
    """A learner of two or more classes that knows the sets, and gives the scores that harm them most."""

    def __init__(self, classes, hostile):
        self.classes_, self.hostile, self.sets = np.arange(classes), hostile, None

    def score_one(self, x):
        limit = self.sets._sets.limit()
        worst = np.clip(limit, -1e3, 1e3) + (1.0 if self.hostile else -1.0)
        others = {label: 0.0 for label in self.classes_.tolist()[1:]}
        return float(worst) if len(self.classes_) == 2 else {0: -float(worst)} | others

    def predict_one(self, x):
        return 0

    def learn_one(self, x, y):
        """Learn nothing."""


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("hostile", [True, False])
@pytest.mark.parametrize(("rate", "step"), [(0.1, 0.01), (0.05, 0.2), (0.5, 3.0)])
def test_T1_holds_for_scores_that_an_adversary_chooses(classes, hostile, rate, step):
    liar = Liar(classes, hostile)
    sets = liar.sets = AdaptiveSets(liar, rate, step=step, window=50)
    for _ in range(500):
        sets.learn_one({}, 0)
        assert sets.certificate_.verify()
    assert sets.certificate_.rounds == 500


def test_T1_holds_if_each_label_is_new():
    """No set can have a label that nobody has seen: such examples are not counted."""
    sets = AdaptiveSets(nk.Perceptron())
    for t in range(60):
        sets.learn_one({"x": 1.0}, t)
    assert (sets.certificate_.rounds, sets.skipped_, sets.level_) == (0, 60, 0.1)


def test_T1_holds_if_the_label_always_contradicts_the_prediction():
    sets = AdaptiveSets(nk.Perceptron(), 0.1, step=0.05)
    sets.partial_fit([[1.0], [-1.0]], [0, 1])
    for t in range(500):
        x = [(-1.0) ** t]
        sets.learn_one(x, 1 - sets.predict_one(x))
        assert sets.certificate_.verify()
    assert abs(sets.certificate_.error_share - 0.1) < 0.05


def test_the_levels_are_those_of_the_reference():
    X, y = stream(rows=120, classes=2)
    sets, errors = AdaptiveSets(nk.Perceptron(), 0.25, step=0.125, window=1000), []
    path = [sets.level_]
    for x, label in zip(X, y.tolist(), strict=True):
        before = sets.certificate_
        sets.learn_one(x, label)
        if sets.certificate_.rounds > before.rounds:
            errors.append(sets.certificate_.errors - before.errors)
            path.append(sets.level_)

    class Replay:
        rounds = len(errors)

        def __init__(self):
            self.left = iter(errors)

        def __call__(self, level):
            return next(self.left)

    inner = [error for error, level in zip(errors, path, strict=False) if 0 <= level <= 1]
    replay = Replay()
    replay.left = iter(inner)
    found, expected = levels_of(replay, 0.25, 0.125, 0.25)
    assert found == errors
    assert path == [float(level) for level in expected]


def test_nothing_is_known_at_first():
    sets = AdaptiveSets(nk.Perceptron())
    assert (sets.predict_set_one({"a": 1.0}), sets.nonconformity_one({"a": 1.0})) == ((), {})
    sets.learn_one({"a": 1.0}, "yes")
    assert (sets.predict_set_one({"a": 1.0}), sets.nonconformity_one({"a": 1.0})) == (("yes",), {})
    assert (sets.certificate_.rounds, sets.skipped_) == (0, 1)
    sets.learn_one({"a": -1.0}, "no")
    assert sets.predict_set_one({"a": 1.0}) == ("no", "yes")
    assert list(sets.nonconformity_one({"a": 1.0})) == ["no", "yes"]


def test_a_bad_example_has_no_effect():
    X, y = stream()
    sets = AdaptiveSets(nk.Perceptron()).partial_fit(X, y)
    before = sets.state_
    for bad in ([np.nan] * 4, [1.0]):
        with pytest.raises(nk.InvalidInputError):
            sets.learn_one(bad, 0)
        with pytest.raises(nk.InvalidInputError):
            sets.partial_fit([*X[:3], np.resize(bad, 4) * np.inf], [0, 1, 0, 1])
    with pytest.raises(nk.InvalidInputError):
        sets.learn_one(X[0], ["a list"])
    assert sets.state_ == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"error_rate": 0}, "error_rate must be a positive number of at most 0.999"),
        ({"error_rate": 1.0}, "error_rate must be"),
        ({"error_rate": "0.1"}, "error_rate must be"),
        ({"step": 0}, "step must be"),
        ({"start": -0.1}, "start must be from 0 to 1"),
        ({"start": 1.1}, "start must be"),
        ({"window": 0}, "window must be"),
        ({"learner": nk.LinearSVM()}, "learner must be an online learner"),
    ],
)
def test_bad_parameters_are_refused(given, message):
    with pytest.raises(nk.InvalidInputError, match=message):
        AdaptiveSets(**{"learner": nk.Perceptron()} | given)


def test_batches_of_a_stream_may_become_wider():
    X, y = stream(classes=2)
    rows = sp.csr_array(X)
    parts = [Batch(rows[:30, :2], y[:30], None), Batch(rows[30:], y[30:], None)]
    for make in (nk.Perceptron, LEARNERS["majority"]):
        sets = AdaptiveSets(make())
        for part in parts:
            sets.partial_fit(part)
        assert sets.certificate_.rounds == len(y) - 2  # the first of each label is not counted


def test_the_text_of_sets_has_their_parameters():
    text = repr(AdaptiveSets(nk.Perceptron(), 0.05))
    assert text == "AdaptiveSets(Perceptron(), error_rate=0.05, step=0.01, start=0.05, window=1000)"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["elec2.csv.gz", "spam_stream.svm.gz"])
def test_error_rates_of_real_streams_are_those_promised(name):
    """Measured with PassiveAggressiveI and rate 0.1: a set has 0.96 labels in the mean on elec2, and 0.91 on spam."""
    given = {"target": "target"} if name.startswith("elec2") else {}
    sets = AdaptiveSets(nk.PassiveAggressiveI(scale="running"), 0.1)
    sets.partial_fit(nk.scan(real(name), **given))
    found = sets.certificate_
    assert abs(found.error_share - 0.1) <= min(found.bound, 0.002)
    assert found.verify()
    assert 0.9 < found.mean_size < 1
    assert found.single_share > 0.88
