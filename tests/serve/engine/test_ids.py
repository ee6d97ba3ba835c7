from itertools import product

from novikoff.serve.engine.examples import NOT_SERVED
from novikoff.serve.engine.ids import LearnedIds, Remembered


def test_the_oldest_ids_are_forgotten():
    ids = LearnedIds(3)
    for place in range(5):
        ids.add(str(place), Remembered(place, False))
    assert [ids.get(str(place)) is not None for place in range(5)] == [False, False, True, True, True]
    ids.add("2", Remembered(7, True))  # now the newest
    ids.add("5", Remembered(0, False))
    assert ids.get("2") == Remembered(7, True)
    assert ids.get("3") is None


def test_a_limit_of_0_remembers_nothing():
    ids = LearnedIds(0)
    ids.add("a", Remembered(1, True))
    assert ids.get("a") is None
    assert len(ids) == 0
    ids.restore([["a", "b"], [2, 4]])
    assert len(ids) == 0


def test_restored_ids_go_on_in_the_same_order():
    ids = LearnedIds(3)
    for place in range(3):
        ids.add(str(place), Remembered(place, place == 1))
    other = LearnedIds(2)
    other.restore(ids.state())
    assert other.get("0") is None
    assert other.get("1") == Remembered(1, True)
    other.add("3", Remembered(0, False))
    assert other.get("1") is None


def test_all_of_an_answer_is_remembered():
    ids, other = LearnedIds(100), LearnedIds(100)
    answers = [Remembered(*own) for own in product((-1, 0, 99_999), (False, True), (NOT_SERVED, -1, 0, 99_999))]
    for place, answered in enumerate(answers):
        ids.add(str(place), answered)
    other.restore(ids.state())
    for own in (ids, other):
        assert [own.get(str(place)) for place in range(len(answers))] == answers
        assert own.get("other") is None


def test_ids_of_earlier_versions_were_not_served():
    ids = LearnedIds(2)
    ids.restore([["a", "b"], [-1, 7]])
    assert ids.get("a") == Remembered(-1, True)
    assert ids.get("b") == Remembered(3, True)
