from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.engine.pending import OVERHEAD, Pending


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_prediction_waits_until_it_is_removed():
    pending = Pending(10, 100)
    pending.add(1, "a", b"text", 3, 7)
    found = pending.get(1, "a")
    assert (found.text, found.code, found.version) == (b"text", 3, 7)
    assert pending.get(2, "a") is None
    pending.remove(1, "a")
    pending.remove(1, "a")
    assert pending.get(1, "a") is None


def test_predictions_are_dropped_when_they_are_too_many_too_large_or_too_old():
    clock = Clock()
    pending = Pending(3, 10, max_bytes=5 * OVERHEAD, clock=clock)
    for place in range(4):
        pending.add(1, str(place), b"", 0, 0)
    assert [pending.get(1, str(place)) is not None for place in range(4)] == [False, True, True, True]
    pending.add(1, "large", b"x" * 4 * OVERHEAD, 0, 0)
    assert len(pending) == 1
    clock.now = 11.0
    assert pending.get(1, "large") is None
    assert len(pending) == 0
    assert pending.dropped == 5


def test_a_limit_of_0_keeps_nothing():
    pending = Pending(0, 10)
    pending.add(1, "a", b"", 0, 0)
    assert pending.get(1, "a") is None
    pending.restore([[1, "a", b"", 0, 0, 1e300]])
    assert len(pending) == 0


def test_restored_predictions_wait_as_before_without_those_that_are_too_old():
    clock = Clock()
    pending = Pending(10, 10, clock=clock)
    pending.add(1, "a", b"x", 0, 5)
    clock.now = 6.0
    pending.add(2, "b", b"y", 1, 6)
    other = Pending(10, 10, clock=clock)
    clock.now = 12.0
    other.restore(pending.state())
    assert other.get(1, "a") is None
    assert other.get(2, "b").version == 6


def test_predictions_of_a_deleted_model_are_forgotten():
    pending = Pending(10, 10)
    for model in (1, 1, 2):
        pending.add(model, str(len(pending)), b"", 0, 0)
    assert (pending.count_of(1), pending.count_of(2)) == (2, 1)
    pending.remove_model(1)
    assert (pending.count_of(1), pending.count_of(2)) == (0, 1)


@given(st.lists(st.tuples(st.sampled_from("ard"), st.integers(0, 4), st.integers(0, 30)), max_size=60))
def test_the_bytes_are_those_of_the_entries(steps):
    pending = Pending(3, 1e9, max_bytes=3 * OVERHEAD)
    for kind, id, size in steps:
        if kind == "a":
            pending.add(id % 2, str(id), b"x" * size, 0, 0)
        elif kind == "r":
            pending.remove(id % 2, str(id))
        else:
            pending.restore(pending.state())
        entries = pending.state()
        assert pending._bytes == sum(len(entry[2]) + OVERHEAD for entry in entries) <= 3 * OVERHEAD
        assert len(entries) <= 3
