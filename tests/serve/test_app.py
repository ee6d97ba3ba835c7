"""The application: its lifespan, and what it refuses to be made of."""

import asyncio

import pytest
from asgi_calls import asked
from fake_engine import FakeEngine

from novikoff.errors import InvalidInputError
from novikoff.serve import create_app
from novikoff.serve.settings import Settings


def test_the_lifespan_starts_and_stops_the_engine():
    engine = FakeEngine()
    app = create_app(Settings(), engine)

    async def run():
        early = await asked(app, "GET", "/readyz")
        assert (early.status, early.code, early.headers["retry-after"]) == (503, "starting", "1")
        assert (await asked(app, "GET", "/healthz")).status == 200
        async with app.router.lifespan_context(app):
            assert (await asked(app, "GET", "/readyz")).json == {"ready": True, "learning": "on"}
        assert (await asked(app, "POST", "/v1/models/default/learn", "{}")).status == 503

    asyncio.run(run())
    assert engine.calls == ["start", "stop"]


def test_an_open_address_without_tokens_is_refused():
    with pytest.raises(InvalidInputError, match="tokens="):
        create_app(Settings(host="0.0.0.0"), FakeEngine())


def test_a_server_without_a_state_directory_does_not_start():
    app = create_app(Settings())
    with pytest.raises(InvalidInputError, match="state="):
        asyncio.run(app.state.service.start())
