"""Alarms about the losses of a stream."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.evaluate._drift import Drift, DriftWatch


def losses(rates, each=1000):
    rng = np.random.default_rng(7)
    return (rng.random(len(rates) * each) < np.repeat(rates, each)).tolist()


def test_alarms_tell_where_and_how_the_loss_changed():
    watch = DriftWatch(nk.evaluate.Adwin())
    values = losses([0.1, 0.4])
    watch.add(values)
    (drift, *more) = watch.drifts
    assert 1000 < drift.example < 1300
    assert drift.example - 500 < drift.since <= drift.example
    assert drift.before == pytest.approx(0.1, abs=0.05)
    assert drift.after == pytest.approx(np.mean(values[drift.since - 1 : drift.example]))
    assert len(more) < 5


def test_alarms_do_not_depend_on_batches_and_steady_losses_have_none():
    values = losses([0.2, 0.6, 0.1])
    whole, cut = DriftWatch(nk.evaluate.Adwin()), DriftWatch(nk.evaluate.Adwin())
    whole.add(values)
    for begin in range(0, len(values), 37):
        cut.add(values[begin : begin + 37])
    assert whole.drifts == cut.drifts
    steady = DriftWatch(nk.evaluate.Adwin())
    steady.add(losses([0.3, 0.3]))
    assert steady.drifts == []


def stream():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(1200, 2))
    y = X[:, 0] > 0
    y[800:] = rng.random(400) < 0.5
    return X, y


@pytest.mark.parametrize("delay", [0, 10])
def test_records_have_the_alarms_since_the_record_before(delay):
    X, y = stream()
    found = []
    for examples in ([(X, y)], zip(X, y.tolist(), strict=True)):
        progress = nk.evaluate.progressive(nk.Perceptron(), examples, every=100, drift=True, delay=delay)
        records = list(progress)
        assert [drift for record in records for drift in record.drifts] == progress.drifts
        assert all(
            record.examples - 100 < drift.example <= record.examples for record in records for drift in record.drifts
        )
        assert progress.now().drifts == ()
        found.append(progress.drifts)
    assert found[0] == found[1]
    assert 800 < found[0][0].example < 900


def test_there_are_no_alarms_unless_they_are_asked_for():
    progress = nk.evaluate.progressive(nk.Perceptron(), [stream()])
    assert all(record.drifts == () for record in progress)
    assert progress.drifts == []


def test_a_detector_may_be_given_with_its_own_settings():
    first = []
    for delta in (0.5, 1e-9):
        progress = nk.evaluate.progressive(nk.Perceptron(), [stream()], drift=nk.evaluate.Adwin(delta=delta))
        list(progress)
        first.append(progress.drifts[0].example)
    assert first[0] < first[1]


@pytest.mark.parametrize("bad", [None, 1, "yes", nk.evaluate.Adwin])
def test_what_is_not_a_detector_is_refused(bad):
    with pytest.raises(nk.errors.InvalidInputError, match="drift must be True, False or an Adwin"):
        nk.evaluate.progressive(nk.Perceptron(), [], drift=bad)


def test_an_alarm_is_plain_data():
    assert Drift(9, 5, 0.25, 0.5) == Drift(example=9, since=5, before=0.25, after=0.5)
