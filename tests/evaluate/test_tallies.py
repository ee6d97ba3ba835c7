"""The counts of an evaluation go on from a state as if there had been no cut."""

import numpy as np
import pytest

from novikoff.evaluate import Adwin
from novikoff.evaluate._tallies import Tallies

rng = np.random.default_rng(71)
LABELS = rng.choice(["c", "a", "b"], size=400, p=[0.5, 0.3, 0.2]).tolist()
RIGHT = (rng.random(400) < np.where(np.arange(400) < 200, 0.9, 0.3)).tolist()


def counted(tallies, begin, end):
    for label, right in zip(LABELS[begin:end], RIGHT[begin:end], strict=True):
        tallies.seen[label] += 1
        tallies.right[label] += right
        tallies.guess.add([label])
        last = tallies.last_label.add(label)
        if tallies.window is not None:
            tallies.window.add([label], np.zeros(1, dtype=np.int32), np.array([right]), np.array([last]))
        if tallies.watch is not None:
            tallies.watch.add([not right])
    return tallies


@pytest.mark.parametrize("cut", [0, 1, 37, 250, 400])
def test_a_cut_changes_nothing(cut):
    whole = counted(Tallies.begin(50, Adwin(), None), 0, 400)
    first = counted(Tallies.begin(50, Adwin(), None), 0, cut)
    first.recorded = (cut, sum(not right for right in RIGHT[:cut]), 0)
    state = first.state(3, 5)
    again = Tallies.begin(50, Adwin(), state)
    assert again.state(3, 5) == state
    assert again.recorded == first.recorded
    counted(again, cut, 400)
    again.recorded = whole.recorded
    assert again.state(0, None) == whole.state(0, None)
    assert again.window.scores() == whole.window.scores()
    assert again.watch.drifts == whole.watch.drifts
    assert whole.watch.drifts


def test_a_window_of_another_size_has_the_latest_examples_that_are_known():
    state = counted(Tallies.begin(50, None, None), 0, 120).state(0, None)
    for size in (1, 20, 50, 80):
        found = Tallies.begin(size, None, state).window.examples()
        expected = counted(Tallies.begin(size, None, None), 120 - min(size, 50), 120).window.examples()
        assert [found[0][code] for code in found[1]] == [expected[0][code] for code in expected[1]]
        assert found[2] == expected[2]


def test_a_state_has_a_limited_number_of_latest_examples(monkeypatch):
    monkeypatch.setattr("novikoff.evaluate._tallies.MAX_STORED", 30)
    state = counted(Tallies.begin(50, None, None), 0, 120).state(0, None)
    assert state.window.right == tuple(RIGHT[90:120])
    assert [state.names[place] for place in state.window.labels] == LABELS[90:120]
    assert state.examples == 120


def test_what_the_state_does_not_have_begins_now():
    state = counted(Tallies.begin(None, None, None), 0, 100).state(0, None)
    assert (state.window, state.drift) == (None, None)
    own = counted(Tallies.begin(10, Adwin(), state), 100, 400)
    assert own.window.scores().examples == 10
    assert all(drift.since > 100 for drift in own.watch.drifts)  # numbers of the stream, not of the run
    assert own.watch.drifts


def test_new_labels_are_counted_in_the_order_of_their_first_examples():
    own = Tallies.begin(None, None, None)
    labels, codes = own.in_order(["a", "b", "c"], np.array([2, 0, 2, 1], dtype=np.int32))
    assert (labels, codes.tolist()) == (["c", "a", "b"], [0, 1, 0, 2])
    assert codes.dtype == np.int32
    own.seen.update(labels)
    assert own.in_order(["a", "b"], codes)[0] == ["a", "b"]  # as they come: none is new
