"""The contract that engines keep, also the one of the tests."""

from fake_engine import FakeEngine

from novikoff.serve.http.engine_contract import EngineContract, EngineStream


def test_the_engine_of_the_tests_keeps_the_contract():
    engine = FakeEngine()
    assert isinstance(engine, EngineContract)
    engine.create("a", {"learner": "arow"})
    assert isinstance(engine.open_stream("a", "ndjson"), EngineStream)


def test_another_object_does_not():
    assert not isinstance(object(), EngineContract)
