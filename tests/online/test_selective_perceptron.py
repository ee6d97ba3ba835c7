"""The perceptron that asks for some labels only."""

import copy
import dataclasses
import itertools
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.theory.selective_rules import coin
from reference.selective import selective_perceptron
from share import share_of
from streams import SLACK, streams

rng = np.random.default_rng(19)
X = rng.normal(size=(300, 4))
Y = np.where(X @ [1.0, -1.0, 0.5, 0.0] + 0.4 * rng.normal(size=300) > 0.2, 1, 0)
GEOMETRIES = [{}, {"fit_intercept": False}, {"normalize": True}, {"scale": "running"}]
GEOMETRIES += [{"scale": "running", "normalize": True}, {"scale": "centred"}]


def make(**parameters):
    return nk.SelectivePerceptron(**{"b": 0.3, "random_state": 5} | parameters)


def bits(model, without=()):
    """Everything that a learner has learned."""
    certificate, left_out = model.certificate_, {"evidence", *without}
    names = [field.name for field in dataclasses.fields(certificate) if field.name not in left_out]
    fields = {name: getattr(certificate, name) for name in names}
    return repr((fields, model.coef_.tobytes(), model.intercept_.tobytes(), model.score_one([0.1, 0.2, 0.3, 0.4])))


def as_dict(x):
    return {f"c{j}": float(value) for j, value in enumerate(x)}


# ---- the rule ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [None, 25])
def test_it_follows_the_definition(budget):
    model = make(fit_intercept=False, budget=budget).fit(X, Y)
    coins = [coin(5, t) for t in range(300)]
    asked, mistakes, count, v = selective_perceptron(X, 2 * Y - 1, 0.3, coins, budget or math.inf)
    found = model.certificate_
    assert np.allclose(model.coef_[0], v)
    assert (found.asked, found.examples) == (len(asked), 300)
    assert found.estimate == pytest.approx(count)
    assert found.mistakes < mistakes  # of which some were not seen
    assert found.positives == Y[asked].sum()
    assert (found.unanswered > 0) == (budget is not None)
    assert found.complete == (300 if budget is None else asked[-1] + 1)
    assert found.missing_weight == 0


def test_a_large_b_asks_for_all_labels_and_a_small_one_for_few():
    every = make(b=1e9).fit(X, Y)
    assert every.certificate_.asked == 300
    assert np.array_equal(every.coef_, nk.Perceptron().partial_fit(X, Y).coef_)
    assert make(b=1e-6).fit(X, Y).certificate_.asked < 10


def test_seeds_throw_other_coins():
    assert bits(make(random_state=1).fit(X, Y)) != bits(make(random_state=2).fit(X, Y))


# ---- the same bits, however a stream is learned --------------------------------------------------------------------


@pytest.mark.parametrize("parameters", GEOMETRIES)
def test_batches_rows_dicts_and_threads_learn_the_same_bits(parameters):
    expected = bits(make(**parameters).partial_fit(X, Y))
    cut, single, by_name, sparse = (make(**parameters) for _ in range(4))
    for first in range(0, 300, 7):
        cut.partial_fit(X[first : first + 7], Y[first : first + 7])
        sparse.predict_then_learn(sp.csr_array(X[first : first + 7]), Y[first : first + 7])
    for x, y in zip(X, Y, strict=True):
        single.learn_one(x, y)
        by_name.learn_one(as_dict(x), y)
    assert bits(cut) == bits(single) == bits(by_name) == bits(sparse) == expected
    assert bits(make(n_jobs=4, **parameters).partial_fit(X, Y, classes=[0, 1])) == expected
    assert bits(make(**parameters, classes=[0, 1]).partial_fit(X, Y)) == expected


def test_fit_learns_once_in_order_and_continues_after_a_warm_start():
    assert bits(make(max_iter=5, shuffle=True).fit(X, Y)) == bits(make().partial_fit(X, Y))
    model = make(warm_start=True).fit(X[:100], Y[:100]).fit(X[100:], Y[100:])
    assert bits(model) == bits(make().partial_fit(X, Y))
    assert model.n_iter_ == 1


@pytest.mark.parametrize("parameters", GEOMETRIES)
def test_a_weight_is_as_many_copies_each_with_its_own_coin(parameters):
    weights = np.tile([1.0, 0.0, 3.0, 2.0], 75)
    index = np.repeat(np.arange(300), weights.astype(int))
    model = make(**parameters).partial_fit(X, Y, sample_weight=weights)
    single = make(**parameters)
    for x, y, weight in zip(X, Y, weights, strict=True):
        single.learn_one(x, y, weight)
    assert bits(model) == bits(single)
    apart = make(**parameters).partial_fit(X[index], Y[index])
    assert bits(model, ["energy"]) == bits(apart, ["energy"])  # a product is rounded otherwise than a sum
    assert apart.certificate_.energy == pytest.approx(model.certificate_.energy)


def test_a_saved_learner_goes_on_with_the_next_coin(tmp_path):
    expected = bits(make(budget=60).partial_fit(X, Y))
    begun = make(budget=60).partial_fit(X[:120], Y[:120])
    nk.save(begun, tmp_path / "m.nvk")
    for model in (nk.load(tmp_path / "m.nvk"), pickle.loads(pickle.dumps(begun)), copy.deepcopy(begun)):
        assert bits(model.partial_fit(X[120:], Y[120:])) == expected


# ---- labels that are asked for --------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [None, 30])
@pytest.mark.parametrize("parameters", GEOMETRIES)
@pytest.mark.parametrize("form", [np.asarray, as_dict, lambda x: sp.csr_array(x[None])])
def test_a_service_learns_what_a_simulation_with_all_labels_learns(parameters, budget, form):
    told, asking, count = make(budget=budget, **parameters), make(budget=budget, **parameters), 0
    for x, y in zip(map(form, X[:150]), Y, strict=False):
        told.learn_one(x, y)
        wanted = asking.wants_label(x)
        assert wanted is asking.wants_label(x)  # nothing has changed
        count += wanted
        if wanted:
            asking.learn_one(x, y)
        else:
            asking.skip_one(x)
    assert bits(asking) == bits(told)
    assert told.certificate_.asked == count < 120


@pytest.mark.parametrize("parameters", GEOMETRIES)
def test_questions_about_new_features_agree_with_learning(parameters):
    model, count = make(**parameters), 0
    for t in range(200):
        x = {f"word {rng.integers(3 * t + 1)}": float(rng.integers(1, 5)) for _ in range(4)}
        wanted = model.wants_label(x)
        count += wanted
        if wanted:
            model.learn_one(x, int(rng.integers(2)))
        else:
            model.skip_one(x)
    assert (model.certificate_.asked, model.certificate_.unanswered) == (count, 0)


def test_a_dict_is_asked_about_after_rows_with_names():
    import pandas as pd

    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(4)])
    model = make(normalize=True).partial_fit(frame[:100], Y[:100])
    for x, y in zip(X[100:140], Y[100:140], strict=True):
        given = as_dict(x) | {"new": 1.0}
        wanted, before = model.wants_label(given), model.certificate_.asked
        model.learn_one(given, y)
        assert model.certificate_.asked == before + wanted


def test_questions_about_wide_rows_agree_with_learning():
    model = make(normalize=True)
    for t in range(30):
        x = sp.csr_array(([1.0, 2.0], ([0, 0], [t % 7, 10**9 + t % 11])), shape=(1, 2 * 10**9))
        wanted, before = model.wants_label(x), model.certificate_.asked if t else 0
        model.learn_one(x, t % 2)
        assert model.certificate_.asked == before + wanted


def test_labels_that_were_not_asked_for_do_not_matter():
    right, wrong, before = make(), make(), 0
    for x, y in zip(X[:100], Y, strict=False):
        right.learn_one(x, y)
        was_asked, before = right.certificate_.asked > before, right.certificate_.asked
        wrong.learn_one(x, y if was_asked else 1 - y)
    assert bits(right) == bits(wrong)
    labels = np.where(rng.random(100) < 0.5, Y[:100], 1 - Y[:100])
    assert not nk.verify(right, X[:100], labels)


def test_a_new_learner_wants_a_label_and_may_skip_its_first_example():
    model = make()
    assert model.wants_label([1.0, 2.0]) is True
    model.skip_one([1.0, 2.0])
    assert model.wants_label([1.0, 2.0]) is True  # all scores are 0
    assert model.predict_one([1.0, 2.0]) is None
    model.learn_one([1.0, 2.0], "no")
    model.learn_one([-1.0, 2.0], "yes")
    found = model.certificate_
    assert (found.examples, found.unanswered, found.complete, found.estimate) == (3, 1, 1, 0)
    assert found.missing_weight == 1


@pytest.mark.parametrize("budget", [None, 150])
def test_a_label_that_is_not_given_ends_the_estimate_and_verify_says_so(budget):
    model = make(b=10.0, budget=budget)
    for t, (x, y) in enumerate(zip(X, Y, strict=True)):
        if t == 100:
            at = model.certificate_
        if 100 <= t < 120:
            model.skip_one(x)
        else:
            model.learn_one(x, y)
    found = model.certificate_
    assert 0 < found.unanswered <= (20 if budget is None else 200)
    assert budget is None or found.asked == budget
    assert 100 < found.complete <= 120
    assert found.estimate == at.estimate
    assert at.missing_weight == 0
    assert found.missing_weight > 1
    assert f"{found.estimate:.6g} to {found.estimate + found.missing_weight:.6g} mistakes" in str(found)
    assert found.asked > at.asked
    statuses = {check.claim: check.status for check in nk.verify(model, X, Y).checks}
    assert "open" in statuses.values()
    assert "fails" not in statuses.values()


def test_the_budget_ends_questions_and_not_predictions():
    model = make(budget=10, b=10.0).partial_fit(X, Y)
    assert model.certificate_.asked == 10
    assert not any(model.wants_label(x) for x in X)
    assert set(model.predict(X)) == {0, 1}
    assert nk.verify(model, X, Y)
    assert "budget 10" in dict(model.certificate_.claims())["labels asked for"]


# ---- mistakes, asked for or not ------------------------------------------------------------------------------------


@pytest.mark.parametrize("b", [0.1, 1.0])
def test_the_estimate_has_the_mean_of_all_mistakes(b):
    differences = []
    for seed in range(200):
        model = nk.SelectivePerceptron(b=b, random_state=seed, classes=[0, 1])
        scores = []
        for first in range(0, 60, 20):
            block = slice(first, first + 20)
            scores += zip(model.predict_then_learn(X[block], Y[block]), Y[block], strict=True)
        ties = 1  # the first score is 0, which counts as a mistake, and others are not
        wrong = sum(p != y for p, y in scores[1:]) + ties
        differences.append(model.certificate_.estimate - wrong)
    error = np.std(differences) / math.sqrt(len(differences))
    assert abs(np.mean(differences)) < 3 * error
    assert error < 1.0


SHORT = rng.normal(size=(5, 2))
SIGNS = np.array([1, -1, -1, 1, -1])


def every_run(budget, is_given):
    """Return of each run its probability, which complete examples were predicted wrongly, and its certificate.

    Seeds are tried until all sequences of coins that the examples can have were seen.
    """
    found, missed = {}, 1.0
    for seed in itertools.count():
        model = nk.SelectivePerceptron(b=1.0, budget=budget, random_state=seed, classes=[-1, 1], fit_intercept=False)
        path, probability, wrong, v, used = (), 1.0, [], np.zeros(2), 0
        for t, (x, sign) in enumerate(zip(SHORT, SIGNS, strict=True)):
            chance = 1 / (1 + abs(v @ x))
            asks = coin(seed, t) < chance
            path, probability = (*path, bool(asks)), probability * (chance if asks else 1 - chance)
            wrong.append(sign * (v @ x) <= 0)
            if is_given(t):
                model.learn_one(x, sign)
            else:
                model.skip_one(x)
            if asks and is_given(t) and used < budget:
                used, v = used + 1, v + sign * x * wrong[-1]
        if path not in found:
            found[path] = (probability, wrong[: int(model.certificate_.complete)], model.certificate_)
            missed -= probability
        if missed < 1e-9:
            return list(found.values())


@pytest.mark.parametrize("budget", [1, 2, 3, 9])
def test_the_estimate_is_unbiased_for_the_complete_examples_over_all_coins(budget):
    runs = every_run(budget, lambda t: True)
    assert sum(p * found.estimate for p, _, found in runs) == pytest.approx(sum(p * sum(wrong) for p, wrong, _ in runs))
    assert any(found.complete < 5 for *_, found in runs) == (budget < 9)
    assert all((found.complete < 5) <= (found.asked == budget) for *_, found in runs)


@pytest.mark.parametrize("is_given", [lambda t: t != 2, lambda t: SIGNS[t] > 0], ids=["one", "those of a class"])
def test_the_estimate_lacks_the_weight_of_the_missing_label_if_its_prediction_was_wrong(is_given):
    runs = every_run(2, is_given)
    mistakes = sum(p * sum(wrong) for p, wrong, _ in runs)
    estimate = sum(p * found.estimate for p, _, found in runs)
    lack = sum(p * found.missing_weight * wrong[-1] for p, wrong, found in runs)
    assert mistakes == pytest.approx(estimate + lack)
    assert lack > 0.01
    assert all((found.missing_weight > 0) <= (found.unanswered > 0) for *_, found in runs)


def test_the_estimate_never_exceeds_its_bound():
    w = np.array([1.0, -1.0, 0.5, 0.0, -0.2])
    margins = (2 * Y - 1) * (np.c_[X, np.ones(300)] @ w)
    for b in (0.01, 1.0, 100.0):
        found = make(b=b).fit(X, Y).certificate_
        for gamma in (0.1, 1.0):
            loss = np.maximum(0, gamma - margins).sum()
            assert found.estimate <= found.bound(gamma, loss, np.linalg.norm(w))


def runs_of(rows, labels, b, coins):
    """Run many streams at once: rows (n, t, d), signs (n, t) or 0 where an adversary contradicts every score, coins.

    Returns the signs and the weighted counts of mistakes of all streams.
    """
    weights, counts, signs = np.zeros(rows[:, 0].shape), np.zeros(len(rows)), labels.copy()
    for t in range(rows.shape[1]):
        scores = (weights * rows[:, t]).sum(axis=1)
        signs[:, t] = np.where(labels[:, t] == 0, np.where(scores <= 0, 1.0, -1.0), labels[:, t])
        chances = b / (b + abs(scores))
        learned = (coins[:, t] < chances) & (signs[:, t] * scores <= 0)
        weights += (learned * signs[:, t])[:, None] * rows[:, t]
        counts += learned / chances
    return signs, counts


@pytest.mark.slow
def test_the_bound_holds_on_1e5_streams_and_the_learner_has_these_counts():
    """All streams are run in NumPy, each fifth by the learner, too; some of these are verified."""
    cases = streams(share_of(100_000), 57, 10)
    while many := list(itertools.islice(cases, 1000)):
        rows = np.array([X for _, X, _ in many])
        labels = np.array([np.zeros(10) if callable(y) else y for _, _, y in many])
        b = np.array([10.0 ** rng.integers(-2, 3) for rng, _, _ in many])
        w = np.array([rng.normal(size=3) for rng, _, _ in many])
        seeds = [int(rng.integers(2**32)) for rng, _, _ in many]
        tried = range(0, len(many), 5)
        coins = np.array([rng.random(10) for rng, _, _ in many])
        coins[tried] = [[coin(seeds[place], t) for t in range(10)] for place in tried]
        signs, counts = runs_of(rows, labels, b, coins)
        square, length = (rows**2).sum(axis=2).max(axis=1), np.linalg.norm(w, axis=1)
        margins = signs * np.einsum("ntd,nd->nt", rows, w)
        for gamma in (0.1, 1.0):
            loss = np.maximum(0.0, gamma - margins).sum(axis=1)
            most = (1 + square / (2 * b)) * loss / gamma + (length * (2 * b + square)) ** 2 / (8 * b * gamma**2)
            assert np.all(counts <= most * SLACK)
        for place in tried:
            model = nk.SelectivePerceptron(b=b[place], random_state=seeds[place], classes=[-1, 1], fit_intercept=False)
            for x, sign in zip(rows[place], signs[place], strict=True):
                model.learn_one(x, int(sign))
            found = model.certificate_
            assert found.estimate == pytest.approx(counts[place], rel=1e-9)
            loss = np.maximum(0.0, 1.0 - margins[place]).sum()
            assert found.estimate <= found.bound(1.0, loss, length[place]) * SLACK
            if place % 100 == 0:
                assert not nk.verify(model, rows[place], signs[place].astype(int)).failures


# ---- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"b": 0.0}, "b must be a positive number, but it is 0.0"),
        ({"b": "1"}, "b must be a positive number"),
        ({"b": math.nan}, "b must be a positive number"),
        ({"budget": 0}, "budget must be an integer of at least 1"),
        ({"budget": 2.5}, "budget must be an integer of at least 1"),
        ({"random_state": None}, "random_state must be an integer of at least 0"),
        ({"random_state": 2**32}, "random_state must be at most"),
        ({"class_weight": "balanced"}, "class_weight depends on labels that are not asked for"),
        ({"class_weight": {0: 2.0}}, "class_weight depends on labels that are not asked for"),
        ({"probability": True}, "probability=True (needs the labels of all examples|is for streams)"),
        ({"classes": [0, 1, 2]}, "Only binary classification is supported"),
        ({"scale": "standard"}, "scale must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    for use in (
        lambda model: model.fit(X, Y),
        lambda model: model.partial_fit(X, Y),
        lambda model: model.learn_one(X[0], 1),
        lambda model: model.skip_one(X[0]),
    ):
        with pytest.raises(nk.InvalidInputError, match=words):
            use(nk.SelectivePerceptron(**parameters))


def test_a_third_class_is_refused_and_nothing_is_learned():
    model = make().partial_fit(X, Y)
    before = bits(model)
    for use in (
        lambda: model.partial_fit(X[:2], [1, 2]),
        lambda: model.learn_one(X[0], 2),
        lambda: model.predict_then_learn(X[:2], [0, 7]),
        lambda: make().fit(X, np.arange(300) % 3),
    ):
        with pytest.raises(nk.InvalidInputError, match="Only binary classification is supported"):
            use()
    assert bits(model) == before


def test_bad_examples_are_refused_and_nothing_is_learned():
    model = make().partial_fit(X, Y)
    before = bits(model)
    for use in (model.wants_label, model.skip_one):
        for x in ([math.nan, 0, 0, 0], [1.0], {"a": "b"}, {"a": math.inf}, [1e200, 0, 0, 0]):
            with pytest.raises(nk.InvalidInputError):
                use(x)
    with pytest.raises(nk.InvalidInputError, match="weights may be at most 1,000,000, because every copy"):
        model.learn_one(X[0], 1, 1e9)
    with pytest.raises(nk.InvalidInputError, match="a weight must be 0 or from"):
        model.skip_one(X[0], -1.0)
    model.skip_one(X[0], 0.0)
    assert bits(model) == before
    model.class_weight = {0: 2.0}
    with pytest.raises(nk.InvalidInputError, match="class_weight"):
        model.learn_one(X[0], 1)
