from novikoff.serve.engine.ids import LearnedIds


def test_an_id_has_its_prediction_and_whether_it_was_a_mistake():
    ids = LearnedIds(10)
    ids.add("a", 3, False)
    ids.add("b", -1, True)
    assert ids.get("a") == (3, False)
    assert ids.get("b") == (-1, True)
    assert ids.get("c") is None


def test_the_oldest_ids_are_forgotten():
    ids = LearnedIds(3)
    for place in range(5):
        ids.add(str(place), place, False)
    assert [ids.get(str(place)) is not None for place in range(5)] == [False, False, True, True, True]
    ids.add("2", 7, True)  # now the newest
    ids.add("5", 0, False)
    assert ids.get("2") == (7, True)
    assert ids.get("3") is None


def test_a_limit_of_0_remembers_nothing():
    ids = LearnedIds(0)
    ids.add("a", 1, True)
    assert ids.get("a") is None
    assert len(ids) == 0
    ids.restore([["a", "b"], [2, 4]])
    assert len(ids) == 0


def test_restored_ids_go_on_in_the_same_order():
    ids = LearnedIds(3)
    for place in range(3):
        ids.add(str(place), place, place == 1)
    other = LearnedIds(2)
    other.restore(ids.state())
    assert other.get("0") is None
    assert other.get("1") == (1, True)
    other.add("3", 0, False)
    assert other.get("1") is None
