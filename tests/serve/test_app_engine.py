"""The application with the real engine: what the tests of tests/serve/http show with a fake one, end to end."""

import json

import httpx
import pytest
from asgi_calls import Local, served
from test_openapi import ENDLESS, check_at_random

from novikoff.serve.http.operations import OPERATIONS

MODEL = "/v1/models/default"
SPAM, HAM = {"x": {"free": 1, "length": 2.5}, "y": "spam"}, {"x": {"hello": 1}, "y": "ham"}


@pytest.fixture
def server(tmp_path):
    with served(state=str(tmp_path / "state")) as running, httpx.Client(base_url=running.address) as client:
        yield client


def test_what_was_learned_is_predicted_and_labels_may_come_later(server):
    assert server.post(f"{MODEL}/predict", json={"x": {"free": 1}}).json()["label"] is None
    answers = server.post(f"{MODEL}/learn", json=[SPAM, HAM]).json()
    assert [answer["mistake"] for answer in answers] == [True, True]
    found = server.post(f"{MODEL}/predict", json={"x": {"free": 1}, "id": "m1"}).json()
    assert (found["label"], found["version"], found["id"]) == ("spam", 2, "m1")
    late = server.post(f"{MODEL}/learn", json={"id": "m1", "y": "ham"}).json()
    assert (late["served"], late["mistake"], late["version"]) == ("spam", True, 3)
    again = server.post(f"{MODEL}/learn", json={"id": "m1", "y": "ham"}).json()
    assert (again["repeated"], again["version"]) == (True, 3)


def test_a_stream_is_answered_line_by_line(server):
    body = "".join(json.dumps(example) + "\n" for example in [SPAM, HAM] * 2000) + "wrong\n"
    lines = [json.loads(line) for line in server.post(f"{MODEL}/stream", content=body).text.splitlines()]
    assert len(lines) == 4002
    assert lines[4000]["line"] == 4001
    summary = lines[-1]["summary"]
    assert (summary["examples"], summary["errors"], summary["version"]) == (4000, 1, 4000)
    short = server.post(f"{MODEL}/stream?answers=summary", content=body).text.splitlines()
    assert json.loads(short[0])["summary"]["version"] == 8000
    assert len(short) == 1


def test_svmlight_streams_are_learned(server):
    headers = {"content-type": "text/x-svmlight"}
    lines = server.post(f"{MODEL}/stream", content="1 1:0.5 3:1\n-1 2:1\n", headers=headers).text.splitlines()
    assert json.loads(lines[-1])["summary"]["examples"] == 2


def test_a_model_survives_the_server(tmp_path):
    with served(state=str(tmp_path)) as running:
        httpx.post(f"{running.address}{MODEL}/learn", json=[SPAM, HAM])
        before = httpx.post(f"{running.address}{MODEL}/predict", json=HAM | {"y": None}).content
    with served(state=str(tmp_path)) as running:
        assert httpx.post(f"{running.address}{MODEL}/predict", json=HAM | {"y": None}).content == before
        assert httpx.get(f"{running.address}{MODEL}").json()["version"] == 2


def test_two_servers_on_one_directory_are_refused(tmp_path):
    with (
        served(state=str(tmp_path)),
        pytest.raises(Exception, match="another server"),
        served(state=str(tmp_path)),
    ):
        pass


def test_every_operation_answers_as_it_is_described(tmp_path):
    """Each call with a request that is valid, and its answer against the document."""
    bodies = {"predict": {"x": {}}, "learn": SPAM, "stream": SPAM, "copy_model": {"to": "b"}}
    with served(state=str(tmp_path)) as running, httpx.Client(base_url=running.address) as client:
        client.post(f"{MODEL}/learn", json=[SPAM, HAM])
        for operation in OPERATIONS:
            if operation.name in (*ENDLESS, "delete_model"):
                continue
            path = operation.path.replace("{model}", "default").replace("{shadow}", "s")
            body = json.dumps(bodies.get(operation.name, {"learner": "tracker"})) if operation.request else None
            kind = next(iter(operation.request), "application/json")
            answer = client.request(operation.method, path, content=body, headers={"content-type": kind})
            assert answer.status_code in operation.replies, (operation, answer.text)


def test_settings_that_the_engine_refuses_stop_the_server(tmp_path):
    with pytest.raises(Exception, match="none"), served(state=str(tmp_path), learner="none"):
        pass


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"x": {"a": NaN}, "y": 1}', '{"x": {"a": 1, "a": 2}, "y": 1}', "", "null"]
)
def test_hostile_json_is_an_error_of_the_client(tmp_path, body):
    local = Local(state=str(tmp_path / "state"))
    answers = [local.ask("POST", f"{MODEL}/{call}", body) for call in ("learn", "predict")]
    assert {answer.status for answer in answers} <= {400, 422}
    assert local.service.engine.describe("default")["version"] == 0
    local.service.engine.stop()


@pytest.mark.slow
@pytest.mark.parametrize("name", [o.name for o in OPERATIONS if o.name not in ENDLESS])
def test_random_requests_are_answered_as_described(tmp_path, name):
    with served(state=str(tmp_path / "state")) as running:
        check_at_random(running, name, 100)
