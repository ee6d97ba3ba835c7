"""The application: its lifespan, the models that it makes at the start, and what it refuses to be made of."""

import asyncio

import pytest
from asgi_calls import Local, asked

from novikoff.errors import InvalidInputError
from novikoff.serve import create_app
from novikoff.serve.errors import ServeError
from novikoff.serve.log.store import Store
from novikoff.serve.settings import ModelSettings, Settings

AROW, TRACKER = {"learner": "arow"}, {"learner": "tracker"}


def test_the_lifespan_starts_and_stops_the_engine(tmp_path):
    app = create_app(Settings(state=str(tmp_path)))

    async def run():
        early = await asked(app, "GET", "/readyz")
        assert (early.status, early.code, early.headers["retry-after"]) == (503, "starting", "1")
        assert (await asked(app, "GET", "/healthz")).status == 200
        async with app.router.lifespan_context(app):
            assert (await asked(app, "GET", "/readyz")).json == {"ready": True, "learning": "on"}
        assert (await asked(app, "POST", "/v1/models/default/learn", "{}")).status == 503

    asyncio.run(run())
    Store.open(tmp_path).close()  # which nothing else uses


def test_an_open_address_without_tokens_is_refused():
    with pytest.raises(InvalidInputError, match="tokens="):
        create_app(Settings(host="0.0.0.0"))


def test_a_server_without_a_state_directory_does_not_start():
    app = create_app(Settings())
    with pytest.raises(InvalidInputError, match="state="):
        asyncio.run(app.state.service.start())


def models(state, **settings):
    """Return the learners of the models of an application, each with its shadows."""
    with Local(state, **settings) as local:
        described = {name: local.ask("GET", f"/v1/models/{name}").json for name in local.engine.names()}
        return {
            name: (own["specification"]["learner"], [shadow["learner"] for shadow in own["shadows"]])
            for name, own in described.items()
        }


def test_models_of_the_settings_are_made_with_their_shadows_unless_they_exist(tmp_path, caplog):
    assert models(tmp_path, learner="arow") == {"default": ("arow", [])}
    assert models(tmp_path, models={"default": ModelSettings(AROW, {})}) == {"default": ("arow", [])}
    assert "keeps its specification" not in caplog.text
    given = {"default": ModelSettings(TRACKER, {"s": TRACKER}), "new": ModelSettings(AROW, {"s": TRACKER})}
    assert models(tmp_path, models=given) == {"default": ("arow", []), "new": ("arow", ["tracker"])}
    assert "The model 'default' keeps its specification" in caplog.text


@pytest.mark.parametrize("settings", [{"learner": "none"}, {"models": {"a": ModelSettings({"learner": "none"}, {})}}])
def test_an_engine_whose_models_cannot_be_made_is_stopped(tmp_path, settings):
    with pytest.raises(ServeError, match="learner 'none' is unknown"), Local(tmp_path, **settings):
        pass
    Store.open(tmp_path).close()
