"""Repeated runs of members and mixtures, against the learners and the references."""

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.online._mixture import MixtureCounts, Vote
from novikoff.testing._online_learner import make_stream
from novikoff.theory import mixture_replay
from novikoff.theory.mixture_replay import (
    NOBODY,
    MixtureReplay,
    Predictions,
    RowScores,
    Scores,
    leader_scores,
    predictions_of,
    scores_of,
)
from novikoff.theory.replayed_run import EPS, Replay
from novikoff.theory.rules import Rule
from reference import mixtures


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("declared", [False, True])
def test_predictions_are_those_of_the_learner(make_one_vs_rest, classes, declared):
    X, y = make_stream(classes)
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)  # no score of exactly 0
    learner = make_one_vs_rest()
    if declared:
        learner.partial_fit(X[:1], y[:1], classes=np.arange(classes))
        expected = np.concatenate([[NOBODY], learner.predict_then_learn(X[1:], y[1:])])
    else:
        expected = learner.predict_then_learn(X, y)
        expected[0] = NOBODY
    rule = learner.record_.problems[0].run.rule
    found = predictions_of(X, y, np.ones(len(y)), rule, classes, declared)
    until = len(y) if found.doubtful is None else found.doubtful
    assert until > 1 or rule.keep == "votes"  # the first votes may be equally many
    assert found.codes[:until].tolist() == expected[:until].tolist()


MEMBERS = {
    "AROW": nk.AROW(),
    "AROW, scale": nk.AROW(scale="running"),
    "joint PA-I": nk.MulticlassPassiveAggressiveI(normalize=True),
    "joint AROW, scale": nk.MulticlassAROW(scale="running"),
    "SCW": nk.SoftConfidenceWeighted(),
    "adaptive": nk.NormalizedAdaptive(),
    "forget": nk.Perceptron(forget=0.1),
    "half-life": nk.PassiveAggressiveI(half_life=20.0, scale="running"),
}


@pytest.mark.parametrize("member", MEMBERS.values(), ids=MEMBERS)
def test_mixtures_of_learners_with_states_of_their_own_are_verified(member):
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(60, 3)), random.choice([0.5, 1.0, 3.0], 60)
    y = np.where(X[:, 1] > 0.5, 2, (X[:, 0] > 0).astype(int))
    model = nk.Tracker([member]).partial_fit(X, y, sample_weight=weights)
    found = nk.verify(model, X, y, sample_weight=weights)
    assert found
    held = {check.claim for check in found.checks if check.status == "holds"}
    assert {"mistakes of member 1", "mistakes of mixture"} <= held


def test_a_score_of_zero_is_doubtful():
    rule = nk.Perceptron().partial_fit([[1.0]], [1]).record_.problems[0].run.rule
    found = predictions_of(np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.ones(4), rule, 2, True)
    assert found.doubtful is not None


@pytest.mark.parametrize("vote", ["leader", "majority", "share"])
@pytest.mark.parametrize("amount", [1.0, 0.375])
def test_a_mixture_counts_what_the_kernel_counts(vote, amount):
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 200)
    predictions = np.where(random.random((4, 200)) < random.random((4, 1)), y, random.integers(0, 3, (4, 200)))
    predictions[:, 0] = NOBODY
    again = MixtureReplay(4, vote, 0.97, 0.6, 0.01)
    chosen = []
    for t, label in enumerate(y.tolist()):
        own = predictions[:, t].tolist()
        chosen.append(again.choose(t, own))
        again.learn(own, chosen[-1], label, amount)
    counts, found = MixtureCounts.none(4).after(
        Vote(vote, 0.97, 0.6, 0.01), predictions.astype(np.int32), y.astype(np.int32), np.full(200, amount)
    )
    assert chosen == found.tolist()
    np.testing.assert_allclose(again.decayed, counts.decayed, rtol=1e-12)
    np.testing.assert_allclose(again.mistakes, counts.mistakes, rtol=1e-12)
    if vote == "share":
        np.testing.assert_allclose(again.fewest.ravel(), counts.fewest, rtol=1e-12)
        np.testing.assert_allclose(again.weights, counts.shares / counts.shares.max(), rtol=1e-9)


def test_ties_are_doubtful_unless_arithmetic_is_exact():
    exact, rounded = MixtureReplay(2, "majority", 1.0, 0.5, 0.1), MixtureReplay(2, "majority", 1.0, 0.3, 0.1)
    assert exact.choose(0, [4, 7]) == rounded.choose(0, [4, 7]) == 4
    assert (exact.doubtful, rounded.doubtful) == (None, 0)


@pytest.mark.parametrize("delay", [1, 4, 100])
@pytest.mark.parametrize(
    "learner",
    [
        nk.Perceptron(),
        nk.AveragedPerceptron(scale="running"),
        nk.VotedPerceptron(scale="running", normalize=True),
        nk.PassiveAggressiveI(half_life=9),
        nk.AROW(),
        nk.MulticlassPerceptron(),
        nk.MulticlassAROW(scale="running"),
        nk.MulticlassAROW(scale="centred", normalize=True),
    ],
    ids=repr,
)
def test_late_predictions_are_those_that_the_learner_served(learner, delay):
    X, y = make_stream(3)
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)
    learner, served = clone(learner), []
    for t in range(len(y) + delay):
        if t < len(y):
            label = learner.predict_one(X[t])
            served.append(NOBODY if label is None else label)
        if t - delay in range(len(y)):
            learner.learn_one(X[t - delay], int(y[t - delay]))
    rule = learner.record_.problems[0].run.rule
    found = predictions_of(X, y, np.ones(len(y)), rule, 3, False, delay)
    until = len(y) if found.doubtful is None else found.doubtful
    assert until > 10 or rule.keep == "votes"
    assert found.codes[:until].tolist() == served[:until]


@pytest.mark.parametrize("vote", ["leader", "majority", "share"])
@pytest.mark.parametrize("delay", [0, 1, 7, 300])
def test_a_late_mixture_counts_what_the_reference_counts(vote, delay):
    random = np.random.default_rng([3, delay])
    y = random.integers(0, 3, 200)
    predictions = np.where(random.random((4, 200)) < random.random((4, 1)), y, random.integers(0, 3, (4, 200)))
    again = MixtureReplay(4, vote, 0.97, 0.6, 0.01)
    again.run(predictions, y, np.ones(200), delay)
    wrong, _ = mixtures.late_mixture(vote, predictions.T, y, 0.6, decay=0.97, alpha=0.01, delays=delay)
    assert again.mistakes == [*(predictions != y).sum(axis=1), wrong.sum()]


# ---- worked examples: scores of known weights, with the bounds on their rounding -----------------------------------


def state_of(**attributes):
    """A run over two columns in which two rows were learned."""
    return Replay(
        np.array([2.0, -3.0]), bias=0.5, average_weights=np.array([4.0, 8.0]), average_bias=-2.0, **attributes
    )


def scored(rule, rows, run, one=1.0, delay=0):
    """Scores of rows by the weights of a run, all before the same row is learned."""
    found = Scores(rule, np.array(rows), delay)
    for _ in range(len(rows)):
        found.before(run, (slice(None), np.array([1.0, 1.0]), 1.0, one), 3.0)
        run.visits += 1
    return found


@pytest.mark.parametrize(("one", "score", "squared_norm"), [(1.0, 2.0 - 6 + 0.5, 6.0), (0.0, 2.0 - 6, 5.0)])
def test_the_last_weights_score_a_row_up_to_the_rounding_of_its_terms_and_of_the_weights(one, score, squared_norm):
    run = state_of(scale=0.25, rounding=2.0**-40, examples=4.0, average_rounding=1.0)
    found = scored(Rule("perceptron"), [[1.0, 2.0]], run, one)
    assert found.values == [0.25 * score]
    terms = 4 * (2 + 8) * EPS * (2 + 6 + 0.5)
    assert found.tolerances == [pytest.approx(0.25 * (terms + 2 * 2.0**-40 * squared_norm**0.5), rel=1e-12)]


def test_the_average_of_the_weights_scores_a_row_with_the_rounding_of_both():
    run = state_of(rounding=2.0**-40, examples=4.0, average_rounding=2.0**-38)
    found = scored(Rule("perceptron", keep="average"), [[1.0, 2.0]], run)
    assert found.values == [(2 - 1) + 2 * (-3 - 2) + (0.5 + 0.5)]
    expected = 4 * (2 + 8) * EPS * (1 + 10 + 1) + 2 * (2.0**-40 + 2.0**-38) * 6**0.5
    assert found.tolerances == [pytest.approx(expected, rel=1e-12)]


def test_the_average_of_few_examples_is_taken_and_that_of_none_is_the_last_weights():
    rule = Rule("perceptron", keep="average")
    assert scored(rule, [[1.0, 2.0]], state_of(examples=0.5)).values == [(2 - 8) + 2 * (-3 - 16) + (0.5 + 4)]
    assert scored(rule, [[1.0, 2.0]], state_of(examples=0.0)).values == [2 - 6 + 0.5]


@pytest.mark.parametrize("delay", [0, 1, 2, 5])
def test_rows_that_are_predicted_before_anything_is_learned_have_exact_scores_of_zero(delay):
    found = scored(Rule("perceptron"), [[1.0, 2.0], [2.0, 1.0]], state_of(), delay=delay)
    assert found.values == [0.0, 0.0][:delay] + [-3.5, 1.5][delay:]
    assert [tolerance > 0 for tolerance in found.tolerances] == [t >= delay for t in range(2)]


def voted(row, tie="mistake", one=0.0, along=(1.0, 1.0), survived=(3.0, 1.0, 2.0), **attributes):
    """The score and its tolerance of a row by a vote, after the rows (1, 0) and (0, 3) were learned."""
    found = Scores(Rule("perceptron", keep="votes", tie=tie), np.array([[0.0, 0.0], [0.0, 0.0], row]))
    run = Replay(np.zeros(2), visits=2, moved=[0, 1][: len(along)], along=list(along), **attributes)
    run.survived = list(survived)
    for before, learned in ((Replay(np.zeros(2)), [1.0, 0.0]), (Replay(np.zeros(2), visits=1), [0.0, 3.0]), (run, row)):
        found.before(before, (slice(None), np.array(learned), 1.0, one), 1.0)
    assert found.values[:2] == [0.0, 0.0]
    assert found.tolerances[:2] == [EPS, EPS]
    return found.values[-1], found.tolerances[-1]


def test_a_vote_is_the_mean_of_the_signs_of_all_hypotheses():
    # of (1, 2) the hypotheses 0, (1, 0) and (1, -6) have the scores 0, 1 and -11; and 0, 2 and -12 with intercepts
    for one in (0.0, 1.0):
        assert voted([1.0, 2.0], one=one, along=(1.0, -2.0)) == (pytest.approx(-1 / 6), 3 * EPS)
        assert voted([1.0, 2.0], "positive", one, (1.0, -2.0)) == (pytest.approx(2 / 6), 3 * EPS)
    # of (-1/2, 0) they have -1/2, and 1/2 with intercepts
    assert voted([-0.5, 0.0])[0] == -0.5
    assert voted([-0.5, 0.0], one=1.0)[0] == 0.5
    for tie, expected in (("mistake", 0.0), ("positive", 1.0)):
        assert voted([1.0, 2.0], tie, along=(), survived=[5.0]) == (expected, EPS)
        assert voted([1.0, 2.0], tie, along=(), survived=[0.5]) == (expected, EPS)
        assert voted([1.0, 2.0], tie, along=(), survived=[0.0]) == (0.0, EPS)


@pytest.mark.parametrize(
    ("row", "rounding", "path"),
    [
        ([4.0, 0.0], 0.5, 0.0),  # 2 * 0.5 times the length of the row
        ([0.25, 0.0], 0.125, 0.0),  # of a row shorter than 1, the length of the lifted one is at least 1
        ([5 * 2.0**-8, 0.0], 0.0, 2.0**40),  # 8 * (2 + 8) roundings of 2^40
        ([5 * 2.0**-9, 0.0], 0.0, 2.0**39),
        ([9 * 2.0**-9, 0.0], 2.0**-8, 2.0**39),  # both
    ],
)
def test_votes_of_hypotheses_within_rounding_of_zero_may_change(row, rounding, path):
    assert voted(row, rounding=rounding, path=path) == (0.5, 3 * EPS)
    above = voted(row, rounding=rounding * (1 + 4 * EPS), path=path * (1 + 4 * EPS))
    assert above == (0.5, 2 * (1 + 2) / 6 + 3 * EPS)


def test_of_two_labels_the_last_has_scores_and_of_one_none():
    X, rule = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -3.0]]), Rule("perceptron")
    two = scores_of(X, np.array([0, 1, 1, 0]), np.ones(4), rule, 2)
    assert two.values.tolist() == [[0.0] * 4, [0.0, -1.0, 0.0, -5.0]]
    assert two.tolerances[0].tolist() == [0.0] * 4
    one = scores_of(X, np.zeros(4, dtype=np.int64), np.ones(4), rule, 1)
    assert (one.values.tolist(), one.tolerances.tolist(), one.doubtful) == ([[0.0] * 4], [[0.0] * 4], None)
    three = scores_of(X, np.array([2, 1, 0, 2]), np.ones(4), rule, 3).values
    assert three[0].tolist() == [0.0, -1.0, -2.0, -3.0]
    assert three[2].tolist()[:2] == [0.0, 1.0]


@pytest.mark.parametrize(("rows", "expected"), [((3, None, 2), 2), ((0, 3, 1), 0), ((None, None, None), None)])
def test_the_first_doubtful_row_of_all_problems_is_that_of_the_scores(monkeypatch, rows, expected):
    runs = [Replay(np.zeros(1), doubtful=row) for row in rows]
    monkeypatch.setattr(mixture_replay, "replay", lambda *arguments, **options: runs.pop())
    found = scores_of(np.zeros((4, 1)), np.array([0, 1, 2, 0]), np.ones(4), Rule("perceptron"), 3, delay=4)
    assert found.doubtful == expected


# ---- worked examples: decisions by scores ----------------------------------------------------------------------------


def decided(monkeypatch, scores, tolerances, codes, *, declared=True, delay=0, doubtful=None):
    """What the last row is predicted as by these scores, and whether rounding may have decided it."""
    rows, classes = len(codes), len(scores)
    values, errors = np.ones((classes, rows)) * np.arange(classes)[:, None], np.zeros((classes, rows))
    values[:, -1], errors[:, -1] = scores, tolerances
    monkeypatch.setattr(mixture_replay, "scores_of", lambda *arguments: RowScores(values, errors, doubtful))
    found = predictions_of(np.zeros((rows, 1)), np.array(codes), np.ones(rows), Rule("arow"), classes, declared, delay)
    assert found.codes[: 1 + delay].tolist() == [NOBODY] * (1 + delay)
    return int(found.codes[-1]), found.doubtful


ABOVE = float(np.nextafter(0.5, 1.0))


@pytest.mark.parametrize(
    ("score", "tolerance", "expected"),
    [
        (0.5, 0.5, (1, 2)),
        (ABOVE, 0.5, (1, None)),
        (-0.5, 0.5, (0, 2)),
        (-ABOVE, 0.5, (0, None)),
        (0.0, 1.0, (1, 2)),
        (0.0, 0.0, (1, None)),  # exactly 0
    ],
)
def test_of_two_labels_the_sign_decides_and_a_score_within_its_tolerance_is_doubtful(
    monkeypatch, score, tolerance, expected
):
    assert decided(monkeypatch, [9.0, score], [9.0, tolerance], [0, 1, 0]) == expected
    assert decided(monkeypatch, [9.0, score], [9.0, tolerance], [0, 1, 0], doubtful=1)[1] == 1


@pytest.mark.parametrize(
    ("scores", "tolerances", "expected"),
    [
        ([0.0, 1.0, 0.5], [0.0, 0.25, 0.25], (1, 3)),  # as far apart as both tolerances together
        ([0.0, 1.0, 0.5], [0.0, 0.25, 0.25 - EPS], (1, None)),
        ([0.0, 1.0, 0.5], [0.0, 0.0, 0.5], (1, 3)),
        ([0.0, 1.0, 0.5], [0.0, 0.5, 0.0], (1, 3)),
        ([0.0, 1.0, 1.0], [0.5, 0.0, 0.0], (1, None)),  # exactly equal: the first of them
        ([0.0, 0.0, 1.0], [0.1, 0.1, 0.1], (2, None)),
    ],
)
def test_of_three_labels_the_largest_score_decides(monkeypatch, scores, tolerances, expected):
    assert decided(monkeypatch, scores, tolerances, [0, 1, 2, 0]) == expected


def test_labels_that_were_not_seen_have_the_same_score(monkeypatch):
    scores, tolerances = [0.0, 1.0, 1.0], [0.1, 0.1, 0.1]
    assert decided(monkeypatch, scores, tolerances, [0, 0]) == (1, None)  # neither 1 nor 2 was seen
    assert decided(monkeypatch, scores, tolerances, [2, 0]) == (1, 1)
    assert decided(monkeypatch, scores, tolerances, [1, 0]) == (1, 1)
    assert decided(monkeypatch, [1.0, 1.0, 0.0], tolerances, [0, 0]) == (0, 1)
    assert decided(monkeypatch, [0.95, 1.0, 1.0], tolerances, [0, 0]) == (1, 1)


@pytest.mark.parametrize("delay", [0, 2])
def test_labels_that_were_not_declared_are_known_after_their_first_row(monkeypatch, delay):
    scores, late = ([1.0, 2.0, 3.0], [0.1] * 3), {"declared": False, "delay": delay}
    padding = [2] * delay
    assert decided(monkeypatch, *scores, [0, *padding, 1], **late) == (0, None)
    assert decided(monkeypatch, *scores, [0, 1, *padding, 0], **late) == (1, None)
    assert decided(monkeypatch, *scores, [0, 1, 2, *padding, 0], **late) == (2, None)
    assert decided(monkeypatch, [-1.0, -1.0, 0.0], [0.1] * 3, [0, 1, *padding, 0], **late) == (0, None)


def test_scores_of_some_rows_are_doubtful_from_the_last_of_them_on():
    values = np.arange(20.0).reshape(2, 10)
    for doubtful, expected in ((None, None), (0, 0), (4, 0), (5, 1), (8, 1), (9, 2)):
        found = RowScores(values, values + 1, doubtful).at(np.array([0, 5, 9]))
        assert found.doubtful == expected
        assert found.values.tolist() == [[0, 5, 9], [10, 15, 19]]
        assert found.tolerances.tolist() == [[1, 6, 10], [11, 16, 20]]


# ---- worked examples: mixtures ---------------------------------------------------------------------------------------


def mixture(vote, members=3, decay=1.0, beta=0.5, **attributes):
    """A mixture in the middle of a run."""
    found = MixtureReplay(members, vote, decay, beta, 0.1)
    for name, value in attributes.items():
        setattr(found, name, value)
    return found


def test_the_leader_is_a_member_even_if_the_mixture_has_fewer_mistakes():
    for vote in ("leader", "majority"):
        assert mixture(vote, decayed=[3.0, 1.0, 2.0, 0.0]).choose(0, [7, 8, 9]) == 8
        for counts in ([5000.0, 1.0, 5000.0, 4000.0], [5001.0, 5000.0, 5002.0, 5003.0]):
            assert mixture(vote, decayed=counts).choose(0, [7, 8, 9]) == 8
    assert mixture("leader", decayed=[2.0, 1.0, 1.0, 1.0]).leader() == 1


def test_weights_of_a_majority_are_powers_of_the_decayed_mistakes():
    # 1/4 + 1/2 against 1; with a decay of 1/2, the weights are the square roots, of which two are the larger part
    assert mixture("majority", decayed=[2.0, 0.0, 1.0, 0.0]).choose(0, [7, 8, 7]) == 8
    assert mixture("majority", decay=0.5, decayed=[2.0, 0.0, 1.0, 0.0]).choose(0, [7, 8, 7]) == 7
    assert mixture("majority", beta=0.7, decayed=[2.0, 0.0, 1.0, 0.0]).choose(0, [7, 8, 7]) == 7


def test_a_vote_within_rounding_of_another_is_doubtful_unless_arithmetic_is_exact():
    halves, whole = [0.0, 1.0, 1.0, 0.0], [0.5, 1.5, 1.5, 0.0]
    assert mixture("majority", decayed=halves).choose(5, [7, 8, 8]) == 7
    for vote, attributes, expected in (
        ("majority", {"decayed": halves}, None),
        ("majority", {"decayed": whole}, 5),  # counts that are not integers
        ("majority", {"decayed": [0.0, 1.0, 1.0, 0.5]}, 5),
        ("majority", {"decayed": [0.0, 0.0, 9.0, 0.0], "beta": 0.25}, None),
        ("share", {"decayed": halves, "weights": np.array([1.0, 0.5, 0.5])}, 5),
        ("leader", {"decayed": halves, "weights": np.array([1.0, 0.5, 0.5])}, None),
    ):
        found = mixture(vote, **attributes)
        found.choose(5, [7, 8, 8])
        assert found.doubtful == expected, (vote, attributes)
    slow = mixture("majority", decay=0.5, decayed=[0.0, 2.0, 2.0, 0.0])
    slow.choose(5, [7, 8, 8])
    assert slow.doubtful == 5
    slow.choose(6, [7, 8, 8])
    assert slow.doubtful == 5  # the first


@pytest.mark.parametrize("row", [0, 16])
@pytest.mark.parametrize("first", [1.0, 2.0])
def test_votes_are_close_within_64_roundings_of_the_larger_for_every_row_and_sixteen_more(row, first):
    limit = 64 * (row + 16) * EPS * first
    for second, expected in ((first - limit, row), (np.nextafter(first - limit, 0.0), None)):
        found = mixture("share", 4, weights=np.array([second, first / 2, first / 2, 0.1]))
        assert found.choose(row, [9, 7, 7, 8]) == 7
        assert found.doubtful == expected
    one = mixture("share", 4, weights=np.array([second, first / 2, first / 2, 0.1]))
    assert one.choose(row, [4, 4, 4, 4]) == 4
    assert one.doubtful is None  # all members agree


def test_shares_and_the_fewest_mistakes_of_sequences_are_those_of_the_definition():
    found = mixture("share")  # beta is 1/2, and a tenth of a weight is shared
    found.learn([1, 0, 1], 0, 1, 0.5)
    expected = np.array([1.0, 0.5**0.5, 1.0])
    expected = 0.9 * expected + 0.05 * (expected.sum() - expected)
    np.testing.assert_allclose(found.weights, expected / expected[0], rtol=1e-14)
    assert found.decayed == found.mistakes == [0.0, 0.5, 0.0, 0.5]
    found.learn([0, 1, 0], 1, 1, 1.0)
    assert found.decayed == found.mistakes == [1.0, 0.5, 1.0, 0.5]
    assert found.fewest.tolist() == [[1.0, 0.5, 1.0]] + [[1.0, 0.0, 1.0]] * mixture_replay.MAX_CHANGES
    found.learn([0, 0, 0], 0, 1, 1.0)
    assert found.fewest.tolist()[:3] == [[2.0, 1.5, 2.0], [1.5, 1.0, 1.5], [1.0, 1.0, 1.0]]
    assert found.fewest.shape == (9, 3)


def test_scores_of_a_mixture_are_those_of_its_leader():
    def member(codes, score, doubtful):
        scores = np.full((2, 4), score) + np.arange(4)
        return Predictions(np.array(codes), doubtful, RowScores(scores, scores / 8, None))

    every = [member([NOBODY, 0, 1, 1], 10.0, 3), member([NOBODY, 1, 1, 1], 20.0, 2), member([NOBODY] * 4, 30.0, None)]
    found = leader_scores(every, np.array([0, 1, 1, 0]), np.ones(4), 0.5)
    assert found.values.tolist() == [[10.0, 11.0, 22.0, 23.0]] * 2
    assert found.tolerances.tolist() == [[10 / 8, 11 / 8, 22 / 8, 23 / 8]] * 2
    assert found.doubtful == 2
    assert leader_scores(every[2:], np.array([0, 1, 1, 0]), np.ones(4), 0.5).doubtful is None
