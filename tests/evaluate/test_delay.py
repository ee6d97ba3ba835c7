"""Labels that come late: predictions are served by older weights than those that learn from them."""

import pickle
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.testing._online_learner import learned as bits
from snapshots import learned


class Spy:
    """A learner that writes down what it was asked and told, in order."""

    def __init__(self):
        self.log = []

    def predict_one(self, x):
        self.log.append(f"predict {x}")
        return 0

    def learn_one(self, x, y, *weight):
        self.log.append(f"learn {x}")


def test_a_label_is_learned_after_the_given_number_of_further_predictions():
    spy = Spy()
    list(nk.evaluate.progressive(spy, ((i, 0) for i in range(4)), delay=2))
    served = ["predict 0", "predict 1", "predict 2"]
    late = ["predict 0", "learn 0", "predict 3", "predict 1", "learn 1"]  # predicted again when it is learned
    assert spy.log == [*served, *late, "predict 2", "learn 2", "predict 3", "learn 3"]


@pytest.mark.parametrize("delay", [1, 4, 1000])
def test_what_is_learned_does_not_depend_on_the_delay_but_what_is_served_does(delay):
    """The labels are learned in the same order, so the last weights and the mistakes at learning are the same."""
    rng = np.random.default_rng(delay)
    X = rng.normal(size=(80, 3))
    y = (X @ [1.0, -2.0, 0.5] > 0).astype(int)
    prompt, late = nk.Perceptron(), nk.Perceptron()
    now = [*nk.evaluate.progressive(prompt, zip(X, y.tolist(), strict=True))][-1]
    progress = nk.evaluate.progressive(late, zip(X, y.tolist(), strict=True), delay=delay)
    then = [*progress][-1]
    assert learned(prompt) == learned(late)
    assert progress.mistakes_at_learning == now.mistakes
    assert then.mistakes >= 1
    if delay == 1000:
        assert then.mistakes == 80  # nothing is known before the end


def test_a_delayed_stream_of_a_table_has_columns_that_grow():
    text = b"job,y\n" + b"".join(
        b"%s,%d\n" % (job, i % 2) for i, job in enumerate([b"a", b"b", b"c", b"a", b"b", b"d"])
    )
    late, prompt = nk.Perceptron(), nk.Perceptron()
    list(nk.evaluate.progressive(late, nk.scan(text, format="csv", batch_size=2), delay=2))
    list(nk.evaluate.progressive(prompt, nk.scan(text, format="csv")))
    assert learned(late) == learned(prompt)


@pytest.mark.parametrize("delay", [1, 3, 20])
@pytest.mark.parametrize("seed", range(3))
def test_P2_served_mistakes_are_at_most_one_plus_delay_times_the_updates(delay, seed):
    """Statement P2, on labels that a plane separates and on random ones."""
    rng = np.random.default_rng([delay, seed])
    X = rng.normal(size=(200, 3))
    for y in (X @ [1.0, -2.0, 0.5] > 0, rng.random(200) < 0.5):
        model = nk.Perceptron()
        progress = nk.evaluate.progressive(model, zip(X, y.tolist(), strict=True), delay=delay)
        list(progress)
        assert progress.wrong <= (1 + delay) * model.certificate_.mistakes


LEARNERS = {
    "perceptron": nk.Perceptron,
    "average of scaled rows": partial(nk.AveragedPerceptron, scale="running"),
    "all classes together": nk.MulticlassPerceptron,
    "tracker": nk.Tracker,
}


@pytest.mark.parametrize("delay", [1, 20, 200])
@pytest.mark.parametrize("name", LEARNERS)
def test_batches_are_served_and_learned_as_single_rows_are(name, delay):
    rng = np.random.default_rng(delay)
    X = rng.normal(size=(60, 3))
    y = np.array(["a", "b", "c"])[(np.abs(X.sum(axis=1)).astype(int) + rng.integers(2, size=60)) % 3]
    found, models = [], []
    for size in (0, 7, 60):
        model = LEARNERS[name]()
        cuts = range(0, 60, size or 60)
        stream = [(X[t : t + size], y[t : t + size]) for t in cuts] if size else zip(X, y.tolist(), strict=True)
        progress = nk.evaluate.progressive(model, stream, delay=delay, window=5, every=6)
        found.append((list(progress), progress.mistakes.tolist()))
        models.append(model)
    assert found[0] == found[1] == found[2]
    assert bits(models[0], X) == bits(models[1], X) == bits(models[2], X)


def test_single_examples_may_follow_batches():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), rng.integers(2, size=30)
    for make in (nk.Tracker, nk.Perceptron):
        mixed, plain = make(), make()
        singles = [(X[t], int(y[t])) for t in range(12, 20)]
        stream = [(X[:12], y[:12]), *singles, (X[20:], y[20:])]
        found = nk.evaluate.progressive(mixed, stream, delay=5)
        expected = nk.evaluate.progressive(plain, [(X, y)], delay=5)
        assert list(found)[-1] == list(expected)[-1]
        assert found.mistakes == expected.mistakes
        assert bits(mixed, X) == bits(plain, X)


@pytest.mark.parametrize("delay", [1, 3, 20])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("make", [nk.Perceptron, nk.PassiveAggressiveI, partial(nk.Perceptron, tie="positive")])
def test_P2_served_mistakes_of_a_learner_stay_below_its_bound(make, labels, delay):
    """Also where rows are 0, so that there are mistakes without updates, and where the model has learned before."""
    rng = np.random.default_rng([delay, labels])
    X = rng.normal(size=(200, 3)) * (rng.random((200, 1)) < 0.8)
    y = (np.abs(X @ [1.0, -2.0, 0.5]).astype(int) + (rng.random(200) < 0.1)) % labels
    model = make(fit_intercept=False)
    for rows in (slice(0, 120), slice(120, 200)):
        progress = nk.evaluate.progressive(model, [(X[rows], y[rows])], delay=delay)
        assert progress.served_mistakes() is None  # before the end
        list(progress)
        late = progress.served_mistakes()
        assert (late.served, late.at_learning) == (progress.wrong, progress.mistakes_at_learning)
        assert late.served <= late.bound
        assert late.updates > 0


@pytest.mark.parametrize(
    "learner",
    [
        nk.AveragedPerceptron(),
        nk.VotedPerceptron(),
        nk.Perceptron(scale="running"),
        nk.Perceptron(forget=0.1),
        nk.AROW(),
    ],
    ids=repr,
)
def test_learners_whose_predictions_change_without_updates_have_no_bound(learner):
    progress = nk.evaluate.progressive(learner, [([1.0], 0), ([-1.0], 1)] * 5, delay=2)
    list(progress)
    assert progress.served_mistakes() is None
    assert nk.evaluate.progressive(nk.Perceptron(), []).served_mistakes() is None


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_that_are_not_finite_are_named_by_their_place_in_the_batch(kind):
    X = np.ones((20, 2))
    X[7, 1] = np.nan
    for model in (nk.Tracker(), nk.Perceptron()):
        with pytest.raises(nk.errors.InvalidInputError, match="NaN in row 7, column 1"):
            list(nk.evaluate.progressive(model, [(kind(np.ones((5, 2))), [0] * 5), (kind(X), [0, 1] * 10)], delay=3))
        assert model.certificate_.examples == 2


# ---- an evaluation that another one goes on with --------------------------------------------------------------------


def batches_of(X, y, sizes, weights=None):
    """Examples in batches of these sizes."""
    ends = np.cumsum(sizes)
    for begin, end in zip([0, *ends], ends, strict=False):
        yield (X[begin:end], y[begin:end]) if weights is None else (X[begin:end], y[begin:end], weights[begin:end])


@pytest.mark.parametrize("kind", ["dense", "sparse", "weighted"])
@pytest.mark.parametrize("make", [nk.Perceptron, nk.Tracker, partial(nk.Tracker, [nk.AROW(), nk.Perceptron()])])
def test_an_evaluation_that_goes_on_has_the_bits_and_the_counts_of_one(make, kind):
    rng = np.random.default_rng(7)
    X, y = np.round(rng.normal(size=(60, 4)), 2), rng.choice(["a", "b", "c"], size=60)
    weights = rng.integers(0, 3, size=60).astype(float) if kind == "weighted" else None
    X = sp.csr_array(X * (abs(X) > 0.5)) if kind == "sparse" else X
    whole, model, unlearned = make(), make(), None
    once = nk.evaluate.progressive(whole, batches_of(X, y, [60], weights), delay=7)
    list(once)
    parts = []
    for begin, end in ((0, 20), (20, 21), (21, 40), (40, 60)):
        rest = None if weights is None else weights[begin:end]
        stream = batches_of(X[begin:end], y[begin:end], [1, end - begin - 1], rest)
        progress = nk.evaluate.progressive(model, stream, delay=7, unlearned=unlearned)
        if end < 60:
            progress.keep_unlearned()
        list(progress)
        parts.append(progress)
        model, unlearned = pickle.loads(pickle.dumps((model, progress.unlearned())))
        assert (unlearned is None) == (end == 60)
    assert nk.dumps(model) == nk.dumps(whole)
    for name in ("examples", "wrong", "mistakes_at_learning", "learned"):
        assert sum(getattr(part, name) for part in parts) == getattr(once, name)
    assert once.learned == 60
    if make is nk.Perceptron and kind == "dense":
        assert parts[0].served_mistakes() is None  # some labels are not learned
        assert parts[-1].served_mistakes().served <= parts[-1].served_mistakes().bound


def test_rows_that_wait_are_learned_also_if_there_are_no_more():
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    model, whole = nk.Tracker(), nk.Tracker()
    first = nk.evaluate.progressive(model, [(X, y)], delay=3)
    first.keep_unlearned()
    list(first)
    assert len(first.unlearned()) == 3
    rest = nk.evaluate.progressive(model, [], delay=3, unlearned=first.unlearned())
    assert list(rest) == []
    assert (rest.examples, rest.learned) == (0, 3)
    list(nk.evaluate.progressive(whole, [(X, y)], delay=3))
    assert nk.dumps(model) == nk.dumps(whole)


def test_rows_that_do_not_fit_the_evaluation_are_refused():
    first = nk.evaluate.progressive(nk.Perceptron(), [(np.eye(4), np.array([0, 1, 0, 1]))], delay=3)
    first.keep_unlearned()
    list(first)
    late = first.unlearned()
    for options in ({"delay": 2, "unlearned": late}, {"unlearned": late}, {"delay": 3, "unlearned": "late"}):
        with pytest.raises(nk.InvalidInputError, match="unlearned"):
            nk.evaluate.progressive(nk.Perceptron(), [], **options)
    single = nk.evaluate.progressive(nk.Perceptron(), [([1.0], 1), ([2.0], 0)], delay=3)
    single.keep_unlearned()
    list(single)
    with pytest.raises(nk.InvalidInputError, match="in batches"):
        single.unlearned()
