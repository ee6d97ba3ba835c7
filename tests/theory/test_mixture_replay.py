"""Repeated runs of members and mixtures, against the learners and the references."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.online._mixture import MixtureCounts
from novikoff.testing._online_learner import make_stream
from novikoff.theory import mixture_replay
from novikoff.theory.mixture_replay import (
    NOBODY,
    MixtureReplay,
    RowScores,
    Scores,
    predictions_of,
    scores_of,
)
from novikoff.theory.replayed_run import EPS, Replay
from novikoff.theory.rules import Rule


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


@pytest.mark.parametrize("amount", [1.0, 0.375])
def test_a_mixture_counts_what_the_kernel_counts(amount):
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 200)
    predictions = np.where(random.random((4, 200)) < random.random((4, 1)), y, random.integers(0, 3, (4, 200)))
    predictions[:, 0] = NOBODY
    again = MixtureReplay(4, 0.97)
    leaders = again.run(predictions, y, np.full(200, amount))
    counts, found = MixtureCounts.none(4).after(
        0.97, predictions.astype(np.int32), y.astype(np.int32), np.full(200, amount)
    )
    assert leaders[1:] == found[1:].tolist()
    np.testing.assert_allclose(again.decayed, counts.decayed, rtol=1e-12)
    np.testing.assert_allclose(again.mistakes, counts.mistakes, rtol=1e-12)


# ---- worked examples: scores of known weights, with the bounds on their rounding -----------------------------------


def state_of(**attributes):
    """A run over two columns in which two rows were learned."""
    return Replay(
        np.array([2.0, -3.0]), bias=0.5, average_weights=np.array([4.0, 8.0]), average_bias=-2.0, **attributes
    )


def scored(rule, rows, run, one=1.0):
    """Scores of rows by the weights of a run, all before the same row is learned."""
    found = Scores(rule, np.array(rows))
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

    def repeated(*arguments, before, **options):
        before.__self__.values, before.__self__.tolerances = [0.0] * 4, [0.0] * 4
        return runs.pop()

    monkeypatch.setattr(mixture_replay, "replay", repeated)
    found = scores_of(np.zeros((4, 1)), np.array([0, 1, 2, 0]), np.ones(4), Rule("perceptron"), 3)
    assert found.doubtful == expected


# ---- worked examples: decisions by scores ----------------------------------------------------------------------------


def decided(monkeypatch, scores, tolerances, codes, *, declared=True, doubtful=None):
    """What the last row is predicted as by these scores, and whether rounding may have decided it."""
    rows, classes = len(codes), len(scores)
    values, errors = np.ones((classes, rows)) * np.arange(classes)[:, None], np.zeros((classes, rows))
    values[:, -1], errors[:, -1] = scores, tolerances
    monkeypatch.setattr(mixture_replay, "scores_of", lambda *arguments: RowScores(values, errors, doubtful))
    found = predictions_of(np.zeros((rows, 1)), np.array(codes), np.ones(rows), Rule("arow"), classes, declared)
    assert found.codes[0] == NOBODY
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


def test_labels_that_were_not_declared_are_known_after_their_first_row(monkeypatch):
    scores, late = ([1.0, 2.0, 3.0], [0.1] * 3), {"declared": False}
    assert decided(monkeypatch, *scores, [0, 1], **late) == (0, None)
    assert decided(monkeypatch, *scores, [0, 1, 0], **late) == (1, None)
    assert decided(monkeypatch, *scores, [0, 1, 2, 0], **late) == (2, None)
    assert decided(monkeypatch, [-1.0, -1.0, 0.0], [0.1] * 3, [0, 1, 0], **late) == (0, None)
