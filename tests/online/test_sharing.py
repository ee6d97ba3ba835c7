"""Learners that share what they see of a batch learn what each would learn alone."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
import novikoff._core as _core
from novikoff.online._examples import Examples
from novikoff.online._sharing import examine_once, finished, in_step
from novikoff.testing._online_learner import learned

CENTRED = {"scale": "centred"}
MEMBERS = {
    "default": lambda: [nk.PassiveAggressiveI(**CENTRED), nk.AROW(r=10, floor=0.01, **CENTRED)],
    "all kinds of scale": lambda: [
        nk.Perceptron(),
        nk.PassiveAggressiveI(**CENTRED),
        nk.AveragedPerceptron(scale="running"),
        nk.AROW(normalize=True, **CENTRED),
        nk.VotedPerceptron(**CENTRED),
    ],
    "probabilities": lambda: [nk.Perceptron(probability=True, **CENTRED), nk.NormalizedAdaptive(**CENTRED)],
    "no columns by name": lambda: [nk.PassiveAggressiveI(**CENTRED), nk.PassiveAggressiveI(max_features=64, **CENTRED)],
}
KINDS = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "columns first": np.asfortranarray,
    "sparse": sp.csr_array,
    "long indices": lambda X: sp.csr_array(
        (sp.csr_array(X).data, sp.csr_array(X).indices.astype(np.int64), sp.csr_array(X).indptr.astype(np.int64)),
        X.shape,
    ),
}


@pytest.fixture
def together(monkeypatch):
    """Return a list that gets whether kernels could learn together, for each time that this was tried."""
    found, learn_together = [], _core.learn_together
    monkeypatch.setattr(_core, "learn_together", lambda *a: (found.append(learn_together(*a)), found[-1])[1])
    return found


def stream(seed, rows=150):
    """Return rows of which columns begin and end to be frequent, and labels of which the last ones appear late."""
    random = np.random.default_rng(seed)
    X = random.normal(3.0, 2.0, (rows, 6)) * (random.random((rows, 6)) < [1, 0.8, 0.5, 0.4, 0.1, 0.05])
    X[: rows // 3, 3], X[rows // 3 :, 1] = 1.0, 0.0
    y = np.where(X @ random.normal(size=6) > 0, "b", "a").astype(object)
    y[rows // 2 :: 5] = "c"
    y[-10:] = "d"
    return X, y


def alone(make, learn):
    """Return what learners have learned that are on their own."""
    learners = make()
    for learner in learners:
        learn(learner)
    return learners


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", MEMBERS)
def test_members_learn_what_each_learns_alone(members, kind, together):
    X, y = stream(1)
    rows, weights = KINDS[kind](X), np.random.default_rng(2).choice([0.0, 0.25, 1.0], len(y), p=[0.1, 0.2, 0.7])

    def learn(model):
        model.partial_fit(rows[:20], y[:20])
        model.partial_fit(rows[20:120], y[20:120], sample_weight=weights[20:120])
        model.partial_fit(rows[120:], y[120:])

    tracker = nk.Tracker(MEMBERS[members]())
    learn(tracker)
    expected = alone(MEMBERS[members], learn)
    for found, own in zip(tracker.learners_, expected, strict=True):
        assert learned(found, rows) == learned(own, rows)
    assert together
    assert all(together)


def test_members_share_a_scale_also_after_loading_and_single_examples(tmp_path, together):
    X, y = stream(4)
    tracker = nk.Tracker()

    def learn(model):
        model.partial_fit(X[:60], y[:60])
        for x, label in zip(X[60:63], y[60:63], strict=True):
            model.learn_one(x, label)
        model.partial_fit(X[63:100], y[63:100])
        model.learn_one(X[0], y[0])

    def go_on(model):
        model.partial_fit(X[100:], y[100:])

    learn(tracker)
    nk.save(tracker, tmp_path / "model")
    own = alone(MEMBERS["default"], lambda one: (learn(one), go_on(one)))
    for model in (tracker, nk.load(tmp_path / "model")):
        go_on(model)
        assert [learned(one, X) for one in model.learners_] == [learned(one, X) for one in own]
    assert len(together) >= 4
    assert all(together)


def test_a_member_that_learns_by_itself_does_not_change_the_other(together):
    X, y = stream(5)
    tracker = nk.Tracker().partial_fit(X[:80], y[:80])
    first, second = tracker.learners_
    before = learned(second, X)
    first.partial_fit(100 * X[80:100], y[80:100])
    assert learned(second, X) == before
    assert together.pop()
    tracker.partial_fit(X[100:], y[100:])
    assert not together[-1]
    own = alone(MEMBERS["default"], lambda one: one.partial_fit(X[:80], y[:80]))
    own[0].partial_fit(100 * X[80:100], y[80:100])
    for one in own:
        one.partial_fit(X[100:], y[100:])
    assert [learned(one, X) for one in tracker.learners_] == [learned(one, X) for one in own]


def test_columns_that_a_stream_gains_are_seen_by_all(tmp_path, together):
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{1 - 2 * (i % 3 == 0)} 1:{i % 4} {2 + i // 4}:{1 + i % 5}\n" for i in range(200)))

    def learn(model):
        model.partial_fit(nk.scan(path, batch_size=30))

    tracker = nk.Tracker()
    learn(tracker)
    assert len(together) > 1
    assert all(together)
    X = np.eye(60)[:, : tracker.n_features_in_]
    own = alone(MEMBERS["default"], learn)
    assert [learned(one, X) for one in tracker.learners_] == [learned(one, X) for one in own]


def test_wide_rows_are_shared_with_the_numbers_of_their_columns(monkeypatch, together):
    monkeypatch.setattr("novikoff.online._numbering.MIN_WEIGHTS", 0)
    random = np.random.default_rng(6)
    X = sp.random_array((120, 200_000), density=3e-5, format="csr", rng=random)
    y = random.random(120) < 0.5
    tracker = nk.Tracker().partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    assert tracker.learners_[0]._numbering is not None
    assert all(together)
    own = alone(MEMBERS["default"], lambda one: one.partial_fit(X, y))
    for found, one in zip(tracker.learners_, own, strict=True):
        assert found.decision_function(X).tolist() == one.decision_function(X).tolist()


def test_rows_are_examined_once(monkeypatch):
    calls, examine = [], Examples.examine
    monkeypatch.setattr(Examples, "examine", lambda self, where: (calls.append(1), examine(self, where)))
    X, y = stream(8)
    nk.Tracker().partial_fit(X, y)
    assert len(calls) == 1


def test_rows_that_were_examined_for_another_learner_are_not_examined_again():
    X = np.eye(3)
    known, same, other = (Examples.of("here", rows, np.zeros(3, np.int32), None) for rows in (X, X.copy(), 2 * X))
    known.examine("here")
    for batch in (same, other):
        examine_once("here", batch, known)
    assert same.squared_norms is known.squared_norms
    assert other.squared_norms.tolist() == [4.0, 4.0, 4.0]
    bad = Examples.of("here", np.array([[np.nan]]), np.zeros(1, np.int32), None)
    with pytest.raises(nk.InvalidInputError, match="here"):
        examine_once("here", bad, known)


class Counted:
    """A call that counts how often it is run."""

    scale, batch, runs = None, None, 0

    def run(self):
        self.runs += 1


def counted(calls, result):
    yield from calls
    return result


def test_learners_take_steps_until_all_have_finished(monkeypatch):
    monkeypatch.setattr("novikoff.online._sharing._are_same", lambda *batches: True)
    calls = [Counted() for _ in range(7)]
    assert finished(counted(calls[:3], "a")) == "a"
    assert in_step([counted(calls[3:6], "a"), counted([], "b"), counted(calls[6:], "c")]) == ["a", "b", "c"]
    assert [call.runs for call in calls] == [1] * 7
    assert in_step([]) == []
