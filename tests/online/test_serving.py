"""Predictions that a tracker serves, and whose labels come late."""

import pickle
from collections import deque

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from learners import TRACKERS
from novikoff.online._serving import Served
from novikoff.testing._online_learner import learned, make_stream

X, Y = make_stream(3)
X, Y = X[:50], Y[:50]
WEIGHTS = np.random.default_rng(4).choice([0.0, 0.5, 1.0, 2.5], len(Y))


def one_by_one(model, delay, weights=None):
    """What is served for each row, and what would be predicted when it is learned."""
    waiting, served, tried = deque(), [], []
    for t in range(len(Y) + delay):
        if t < len(Y):
            served.append(model.serve_one(X[t]))
            waiting.append(t)
        if t >= delay:
            row = waiting.popleft()
            tried.append(model.predict_one(X[row]))
            model.learn_one(X[row], Y[row].item(), 1.0 if weights is None else weights[row], served=served[row])
    return served, tried


def by_batches(model, delay, size, weights=None, kind=np.asarray):
    served, tried = model.serve(kind(X[:delay])) if delay else [], []
    first, last = 0, min(delay, len(Y))
    while first < len(Y):
        end = min(len(Y), last + size)
        labels = first + end - last if end > last else len(Y)
        own = None if weights is None else weights[first:labels]
        new, predicted = model.serve_then_learn(kind(X[first:end]), Y[first:labels], own, served=served[first:last])
        served, tried = served + new, tried + predicted.tolist()
        first, last = labels, end
    return served, tried


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("delay", [0, 1, 6, 100])
@pytest.mark.parametrize("name", ["tracker", "tracker by majority", "tracker by shares"])
def test_batches_serve_and_learn_what_single_examples_do(name, delay, weights):
    single, many = TRACKERS[name](), TRACKERS[name]()
    expected = one_by_one(single, delay, weights)
    assert by_batches(many, delay, 7, weights, sp.csr_array if delay == 6 else np.asarray) == expected
    assert learned(single, X) == learned(many, X)


def test_what_members_learn_does_not_depend_on_the_delay_but_their_counts_do():
    members = [nk.PassiveAggressiveI(), nk.AveragedPerceptron()]
    late, prompt = nk.Tracker(members), nk.Tracker(members).partial_fit(X, Y)
    one_by_one(late, 6)
    for own, other in zip(late.learners_, prompt.learners_, strict=True):
        assert learned(own, X) == learned(other, X)
    own, other = ([member.mistakes for member in tracker.certificate_.members] for tracker in (late, prompt))
    assert own != other


def test_without_a_delay_serving_changes_nothing():
    served, prompt = nk.Tracker(), nk.Tracker()
    labels = [own.label for own in one_by_one(served, 0)[0]]
    assert labels == prompt.predict_then_learn(X, Y).tolist()
    assert learned(served, X) == learned(prompt, X)


def test_members_are_judged_by_what_they_served():
    """One member knows the last label only, which is right if labels come at once, and wrong if they come late."""
    y = np.arange(200) // 4 % 2
    rows = np.ones((200, 1))
    members = [nk.PassiveAggressive(fit_intercept=False), nk.AveragedPerceptron(fit_intercept=False)]
    prompt, late, waiting = nk.Tracker(members).partial_fit(rows, y), nk.Tracker(members), deque()
    for t in range(200):
        waiting.append((t, late.serve_one(rows[t])))
        if t >= 3:
            row, served = waiting.popleft()
            late.learn_one(rows[row], y[row].item(), served=served)
    assert prompt.leader_ == 0
    assert late.leader_ == 1
    wrong = [member.mistakes for member in late.certificate_.members]
    assert wrong[0] > 190 > 1.5 * wrong[1]


def test_what_was_served_can_be_stored_while_the_label_is_missing():
    model = nk.Tracker().partial_fit(X, Y)
    served = model.serve_one(X[0])
    assert served.label == model.predict_one(X[0])
    assert served.known == len(Y)
    stored = pickle.dumps(served)
    assert len(stored) < 200
    model.partial_fit(X, Y)
    model.learn_one(X[0], Y[0].item(), served=pickle.loads(stored))
    certificate = model.certificate_
    assert (certificate.delay, certificate.is_constant_delay) == (len(Y), False)


def test_nothing_is_known_before_the_first_label():
    model = nk.Tracker(vote="majority")
    assert model.serve_one({"a": 1.0}) == Served(None, (None,) * len(nk.Tracker().partial_fit(X, Y).learners_), 0)
    assert model.serve([[1.0], [2.0]]) == [model.serve_one([1.0])] * 2
    model.learn_one({"a": 1.0}, "yes", served=model.serve_one({"a": 1.0}))
    assert model.certificate_.mistakes == 1
    assert model.serve_one({"a": 1.0}).label == "yes"


def test_late_counts_survive_a_model_file(tmp_path):
    model = nk.Tracker()
    one_by_one(model, 6)
    nk.save(model, tmp_path / "late.nvk")
    loaded = nk.load(tmp_path / "late.nvk")
    assert learned(loaded, X) == learned(model, X)
    assert loaded.certificate_.delay == 6
    assert nk.verify(loaded, X, Y)


BAD = {
    "another object": "yes",
    "another tracker": Served(0, (0, 1, 0, 1, 0), 0),
    "a later time": Served(0, (0, 0), 10**6),
    "a label that no member predicted": Served(1, (0, 0), 1),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_was_not_served_is_refused(bad):
    model = nk.Tracker([nk.Perceptron(), nk.PassiveAggressiveI()]).partial_fit(X, Y)
    before = learned(model, X)
    with pytest.raises(nk.errors.InvalidInputError, match="served"):
        model.learn_one(X[0], Y[0].item(), served=BAD[bad])
    with pytest.raises(nk.errors.InvalidInputError, match="served"):
        model.serve_then_learn(X[:1], Y[:1], served=[BAD[bad]])
    assert learned(model, X) == before


@pytest.mark.parametrize("labels", [1, 5])
def test_too_few_or_too_many_labels_are_refused(labels):
    model = nk.Tracker().partial_fit(X, Y)
    with pytest.raises(nk.errors.InvalidInputError, match="from 2 to 4 labels"):
        model.serve_then_learn(X[:4], Y[:labels], served=model.serve(X[:2]))


def test_a_missing_list_of_what_was_served_is_refused():
    with pytest.raises(nk.errors.InvalidInputError, match="served must be a list"):
        nk.Tracker().partial_fit(X, Y).serve_then_learn(X, Y, served=None)
