"""What requests share."""

import asyncio

import pytest
from fake_engine import FakeEngine

from novikoff.serve.errors import ServeError
from novikoff.serve.http.service import Service, in_thread
from novikoff.serve.settings import ModelSettings, Settings


def started(engine, **settings):
    service = Service(Settings(**settings), lambda: engine)

    async def run():
        async with service.running():
            return service.engine.names()

    return asyncio.run(run())


def test_a_new_server_has_one_model_named_default():
    engine = FakeEngine()
    assert started(engine, learner="arow") == ["default"]
    assert engine.models["default"].specification == {"learner": "arow"}


def test_a_server_that_has_models_gets_no_other():
    engine = FakeEngine()
    engine.create("a", {"learner": "arow"})
    assert started(engine) == ["a"]


def test_models_of_the_settings_are_made_with_their_shadows_unless_they_exist():
    engine = FakeEngine()
    engine.create("old", {"learner": "perceptron"})
    new = ModelSettings({"learner": "arow"}, {"s": {"learner": "tracker"}})
    assert started(engine, models={"old": ModelSettings({"learner": "arow"}, {}), "new": new}) == ["old", "new"]
    assert engine.models["new"].shadows == {"s": {"learner": "tracker"}}
    assert engine.models["old"].specification == {"learner": "perceptron"}


@pytest.mark.parametrize(("learner", "is_told"), [("arow", False), ("perceptron", True)])
def test_a_model_that_exists_keeps_its_specification_with_a_warning(caplog, learner, is_told):
    engine = FakeEngine()
    engine.create("m", {"learner": "arow"})
    started(engine, models={"m": ModelSettings({"learner": learner}, {})})
    assert engine.models["m"].specification == {"learner": "arow"}
    assert ("The model 'm' keeps its specification" in caplog.text) == is_told


def test_an_engine_whose_models_cannot_be_made_is_stopped():
    engine = FakeEngine()
    with pytest.raises(ServeError, match="learner"):
        started(engine, learner="none")
    assert engine.calls == ["start", "stop"]


def test_before_the_start_and_after_the_end_requests_are_503():
    service = Service(Settings(), FakeEngine)
    with pytest.raises(ServeError) as caught:
        _ = service.engine
    assert (caught.value.status, caught.value.code) == (503, "starting")
    assert not service.is_started


def test_a_call_in_a_thread_returns_its_result():
    assert asyncio.run(in_thread(lambda a, b: a + b, 1, 2)) == 3
