"""The certificate of a learner that forgets, docs/theory.md M3."""

import dataclasses

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import Geometry, Margin, moving_bounds
from novikoff.theory.forgetting import Forgetting
from novikoff.theory.replay import replay
from novikoff.theory.rules import Rule
from reference.forgetting import forgetting_perceptron
from share import share_of
from streams import SLACK, rows_of

WAYS = [{"forget": 0.1}, {"half_life": 5.0}, {"forget": 0.5, "half_life": 1.0}, {"half_life": 1e5}]


def turning(rng, rows=60):
    """Rows whose plane turns in the middle, with some wrong labels."""
    X = rows_of(rng, rows)
    planes = np.repeat(rng.normal(size=(2, X.shape[1])), [rows // 2, rows - rows // 2], axis=0)
    y = np.where((X * planes).sum(axis=1) >= 0, 1, 0)
    return X, np.where(rng.random(rows) < 0.1, 1 - y, y)


def learned(X, y, **parameters):
    return nk.Perceptron(fit_intercept=False, **parameters).partial_fit(X, y, classes=[0, 1])


def comparators(rng, X, rows, signs):
    """One plane per update: at rest, at random, and one that is always right."""
    steps = rng.normal(size=(len(rows), X.shape[1]))
    squares = (X[rows] ** 2).sum(axis=1, keepdims=True)
    yield np.repeat(steps[:1], len(rows), axis=0)
    yield steps
    yield signs[:, None] * X[rows] / np.where(squares > 0, squares, 1.0)


def has_near_tie(X, y, way):
    """Whether a score is so close to 0 that rounding may decide: then two runs may make other updates."""
    signs, rule, orders = np.where(y == 1, 1.0, -1.0), Rule("perceptron").implementation(), [np.arange(len(X))]
    run = replay(X, signs, np.ones(len(X)), rule, Geometry(False), orders, forgetting=Forgetting(**way))
    return run.doubtful is not None


def check_M3(rng, X, y, **way):
    """Check the certificate of a run; return whether it was one that a second run repeats."""
    if has_near_tie(X, y, way):
        return False
    certificate = learned(X, y, **way).certificate_
    fade = 1.0 if way.get("half_life") is None else 0.5 ** (1 / way["half_life"])
    rows, signs, path, kept = forgetting_perceptron(X, np.where(y == 1, 1.0, -1.0), 1 - way.get("forget", 0.0), fade)
    assert certificate.updates == len(rows)
    if not len(rows):
        return True
    since = fade ** (len(X) - 1 - rows[-1])
    left = since * np.append(np.cumprod(kept[:0:-1])[::-1], 1.0)
    assert certificate.remembered == pytest.approx(left.sum(), rel=1e-9)
    assert certificate.remembered <= left.sum() * SLACK
    assert certificate.longest == pytest.approx(np.linalg.norm(path, axis=1).max(), rel=1e-9)
    for U in comparators(rng, X, rows, signs):
        loss = left @ np.maximum(0.0, 1.0 - signs * (X[rows] * U).sum(axis=1))
        last, moved = np.linalg.norm(U[-1]), np.linalg.norm(np.diff(U, axis=0), axis=1).sum()
        assert certificate.remembered <= moving_bounds.moving_target(loss, certificate.longest, last, moved) * SLACK
        assert certificate.least_movement(loss, last) <= moved * SLACK + 1e-9
    return True


@pytest.mark.parametrize("way", WAYS)
def test_M3_planes_move_at_least_as_far_as_the_certificate_says(way):
    checked = 0
    for k in range(12):
        rng = np.random.default_rng([81, k])
        checked += check_M3(rng, *turning(rng), **way)
    assert checked >= 6  # rows of small integers have ties


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_M3_holds_on_1e5_streams(way):
    checked, count = 0, share_of(25_000)
    for k in range(count):
        rng = np.random.default_rng([82, k])
        checked += check_M3(rng, *turning(rng, 10), **way)
    assert checked >= 0.7 * count


@pytest.mark.parametrize("learner", [nk.Perceptron, nk.PassiveAggressiveII])
def test_a_repeated_run_proves_all_claims(learner):
    rng = np.random.default_rng(83)
    X, y = turning(rng)
    weights = rng.choice([0.0, 0.25, 1.0, 3.0, 2.5], size=len(X))
    for way in WAYS:
        model = learner(**way).partial_fit(X, y, sample_weight=weights)
        found = nk.verify(model, X, y, sample_weight=weights)
        assert {check.status for check in found.checks} == {"holds", "on trust"}, (way, str(found))


def test_bounds_that_do_not_hold_are_not_offered():
    rng = np.random.default_rng(86)
    certificate = learned(*turning(rng), half_life=5.0).certificate_
    assert not hasattr(certificate, "bound")
    assert not hasattr(certificate, "comparator_bound")
    assert certificate.generalization is None


def test_a_plane_at_rest_without_loss_is_as_long_as_the_certificate_says():
    """x = (1, 1) and (1, -1) with labels of the plane (2, 0): it needs no movement if it is long enough."""
    X, y = np.tile([[1.0, 1.0], [-1.0, 1.0]], (10, 1)), np.tile([1, 0], 10)
    certificate = learned(X, y, forget=0.9).certificate_
    length = certificate.least_movement()
    assert 0 < length <= 1
    assert certificate.least_movement(last=1.0) == 0.0
    assert certificate.least_movement(loss=1e9) == 0.0


def test_words_name_what_is_forgotten():
    rng = np.random.default_rng(87)
    text = str(learned(*turning(rng), forget=0.1, half_life=1.0).certificate_)
    assert "forgetting 0.1 at each update and a half in 1 example;" in text
    assert "forgets (0.1 at each update)" in learned(*turning(rng), forget=0.1).certificate_.explain()


def small(**parameters):
    """The certificate of two updates, with labels that contradict each other."""
    return learned(np.array([[1.0], [1.0]]), np.array([1, 0]), **{"forget": 0.5} | parameters).certificate_


def test_the_least_movement_is_rounded_down():
    certificate, unit = dataclasses.replace(small(), remembered=3.0, longest=2.0), 2.0**-52
    assert certificate.least_movement() == 1.5 - 8 * unit * 1.5
    assert certificate.least_movement(1.0) == 1 - 8 * unit
    assert certificate.least_movement(0.0, 0.5) == 1 - 8 * unit * 1.5
    assert certificate.least_movement(last=1.5) == certificate.least_movement(loss=3.0) == 0.0


@pytest.mark.parametrize(("mistakes", "fails"), [(0.0, False), (0.5, False), (2.0, False), (-1.0, True), (2.5, True)])
def test_there_are_at_most_as_many_mistakes_as_examples(mistakes, fails):
    found = dataclasses.replace(small(), mistakes=mistakes).verify([[1.0], [1.0]], [1, 0])
    assert ("mistakes" in {check.claim for check in found.failures}) is fails


def test_there_is_at_most_one_update_for_each_example_of_a_stream():
    certificate = small()
    assert (certificate.passes, certificate.updates) == (1, 2)
    found = dataclasses.replace(certificate, updates=3).verify([[1.0], [1.0]], [1, 0])
    assert [check.claim for check in found.failures] == ["updates"]


def test_what_only_a_run_shows_is_on_trust():
    checks = small().verify([[1.0], [1.0]], [1, 0]).checks
    own = ["mistakes", "remembered", "longest weights", "rule", "parameter", "updates", "forgetting"]
    assert [check.claim for check in checks if check.status == "on trust"][-len(own) :] == own
    assert {check.claim for check in checks if check.status == "holds"} >= {"radius", "examples", "positives"}


def test_a_margin_that_is_not_a_number_is_kept_as_it_is():
    certificate = small()
    assert isinstance(certificate.margin_upper_bound, Margin)
    plain = dataclasses.replace(certificate, margin_upper_bound=0.5)
    assert isinstance(plain.margin_upper_bound, Margin)
    assert np.isnan(dataclasses.replace(certificate, margin_upper_bound=np.nan).margin_upper_bound)


def test_claims_say_how_rows_were_scaled():
    assert "geometry" not in dict(small().claims())
    assert dict(small(normalize=True).claims())["geometry"] == "examples scaled to unit length"
    words = dict(small(scale="running").claims())["geometry"]
    assert words == "columns scaled by what was seen of them"
    assert small(half_life=None).half_life is None
    assert dict(dataclasses.replace(small(), forget=0.0).claims())["forgetting"] == "nothing"
