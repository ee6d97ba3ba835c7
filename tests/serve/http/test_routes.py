"""The calls of the HTTP interface, each as a client makes it."""

import gzip
import json

import pytest
from asgi_calls import Local
from fake_engine import done

from novikoff.serve.http.operations import OPERATIONS
from novikoff.serve.http.predict import LONG_BODY

EXAMPLE = '{"x": {"a": 1}}'
LABELLED = '{"x": {"a": 1}, "y": "spam"}'


@pytest.fixture
def local():
    return Local()


def test_predict_answers_with_the_bytes_of_the_engine(local):
    answer = local.ask("POST", "/v1/models/default/predict", EXAMPLE)
    assert (answer.status, answer.json) == (200, {"label": None, "score": 0.0, "version": 0})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_learn_changes_what_is_predicted(local):
    answer = local.ask("POST", "/v1/models/default/learn", LABELLED)
    assert (answer.status, answer.json) == (200, {"predicted": None, "mistake": True, "version": 1})
    assert local.ask("POST", "/v1/models/default/predict", f"[{EXAMPLE}]").json[0]["label"] == "spam"


def test_an_id_is_learned_once(local):
    body = '{"x": {}, "y": 1, "id": "a"}'
    first, second = (local.ask("POST", "/v1/models/default/learn", body).json for _ in range(2))
    assert second == first | {"repeated": True}
    assert local.engine.models["default"].learned == 1


@pytest.mark.parametrize(
    ("method", "path", "body", "words"),
    [
        ("PUT", "/v1/models/a", "", "The body is empty."),
        ("PUT", "/v1/models/a", " \n", "The body is empty."),
        ("POST", "/v1/models/default/copy", "", "The body is empty."),
        ("POST", "/v1/models/default/copy", "{}", "must have the key to"),
    ],
)
def test_what_is_missing_in_a_body_is_named(local, method, path, body, words):
    assert words in local.ask(method, path, body).json["error"]["message"]


def test_a_model_that_is_asleep_is_woken(local):
    local.ask("POST", "/v1/models/default/learn", LABELLED)
    local.engine.asleep.add("default")
    assert local.ask("POST", "/v1/models/default/predict", EXAMPLE).status == 200
    assert local.engine.wakes == ["default"]


def test_a_model_that_cannot_be_kept_awake_is_503(local):
    local.ask("GET", "/healthz")
    local.engine.asleep.add("default")
    local.engine.wake = lambda name: done(None)
    answer = local.ask("POST", "/v1/models/default/predict", EXAMPLE)
    assert (answer.status, answer.code) == (503, "busy")


def test_a_long_body_is_read_in_another_thread(local):
    name = "a" * 900
    body = json.dumps([{"x": {name: 1}}] * 1000)
    assert len(body) > LONG_BODY
    assert len(local.ask("POST", "/v1/models/default/predict", body).json) == 1000
    labelled = json.dumps([{"x": {name: 1}, "y": 1}] * 1000)
    assert len(local.ask("POST", "/v1/models/default/learn", labelled).json) == 1000


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/v1/models/default/predict", "{", 400, "bad_json"),
        ("POST", "/v1/models/default/predict", "[[]]", 422, "bad_example"),
        ("POST", "/v1/models/other/predict", EXAMPLE, 404, "unknown_model"),
        ("POST", "/v1/models/default/learn", EXAMPLE, 422, "bad_example"),
        ("POST", "/v1/models/other/stream", LABELLED, 404, "unknown_model"),
        ("POST", "/v1/models/default/stream?answers=none", LABELLED, 422, "bad_parameter"),
        ("POST", "/v1/models/default/stream?answers=all&answers=all", LABELLED, 422, "bad_parameter"),
        ("PUT", "/v1/models/-a", '{"learner": "arow"}', 422, "bad_name"),
        ("PUT", "/v1/models/a", "[]", 422, "bad_body"),
        ("PUT", "/v1/models/a", '{"learner": "arow", "path": "/etc"}', 422, "bad_body"),
        ("PUT", "/v1/models/a", '{"learner": "arow", "learner": "arow"}', 400, "bad_json"),
        ("PUT", "/v1/models/a", "[" * 100_000, 400, "bad_json"),
        ("PUT", "/v1/models/a", '{"learner": "none"}', 422, "unknown_learner"),
        ("PUT", "/v1/models/default", '{"learner": "arow"}', 409, "exists"),
        ("POST", "/v1/models/default/copy", '{"to": "../x"}', 422, "bad_name"),
        ("POST", "/v1/models/default/copy", "{}", 422, "bad_name"),
        ("POST", "/v1/models/other/copy", '{"to": "x"}', 404, "unknown_model"),
        ("DELETE", "/v1/models/other", "", 404, "unknown_model"),
        ("PUT", "/v1/models/default/shadows/a b", '{"learner": "arow"}', 422, "bad_name"),
        ("DELETE", "/v1/models/default/shadows/s", "", 404, "unknown_model"),
        ("GET", "/v1/models/other/model", "", 404, "unknown_model"),
        ("GET", "/events?model=other", "", 404, "unknown_model"),
        ("GET", "/v1/models/default/", "", 404, "not_found"),
        ("GET", "/etc/passwd", "", 404, "not_found"),
    ],
)
def test_a_request_that_cannot_be_answered_is_an_error_in_json(local, method, path, body, status, code):
    answer = local.ask(method, path, body)
    assert (answer.status, answer.code) == (status, code)
    assert list(local.engine.models) == ["default"]


def test_another_method_is_405_and_names_those_that_exist(local):
    answer = local.ask("PATCH", "/v1/models/default")
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "DELETE, GET, HEAD, PUT"


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/xml"])
def test_another_type_of_body_is_415(local, kind):
    for call in ("predict", "learn", "stream"):
        answer = local.ask("POST", f"/v1/models/default/{call}", LABELLED, {"content-type": kind})
        assert (answer.status, answer.code) == (415, "unsupported_type")


def test_the_default_type_of_curl_is_taken(local):
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert local.ask("POST", "/v1/models/default/learn", LABELLED, headers).status == 200
    assert local.ask("POST", "/v1/models/default/stream", LABELLED, headers).status == 200


def test_a_compressed_body_is_taken(local):
    body = gzip.compress(LABELLED.encode())
    assert local.ask("POST", "/v1/models/default/learn", body, {"content-encoding": "gzip"}).json["version"] == 1


def test_models_are_made_described_copied_and_deleted(local):
    specification = {"learner": "arow", "parameters": {"r": 0.5}}
    assert local.ask("PUT", "/v1/models/a", json.dumps(specification)).status == 201
    again = local.ask("PUT", "/v1/models/a", json.dumps(specification))
    assert (again.status, "created" in again.json) == (200, False)
    assert local.ask("POST", "/v1/models/a/copy", '{"to": "b"}').status == 201
    assert local.ask("GET", "/v1/models").json == {"models": ["a", "b", "default"]}
    assert local.ask("GET", "/v1/models/b").json["learner"] == "arow"
    assert local.ask("DELETE", "/v1/models/a").status == 200
    assert local.ask("GET", "/v1/models").json == {"models": ["b", "default"]}


def test_shadows_are_added_and_removed(local):
    address = "/v1/models/default/shadows/s"
    assert [local.ask("PUT", address, '{"learner": "arow"}').status for _ in range(2)] == [201, 200]
    assert local.ask("GET", "/v1/models/default").json["shadows"] == {"s": {"learner": "arow"}}
    assert local.ask("DELETE", address).status == 200


def test_certificate_model_file_and_overview(local):
    local.ask("POST", "/v1/models/default/learn", LABELLED)
    assert local.ask("GET", "/v1/models/default/certificate").json == {"mistakes": 1}
    file = local.ask("GET", "/v1/models/default/model")
    assert file.body.startswith(b"nvk")
    assert file.headers["content-disposition"] == 'attachment; filename="default.nvk"'
    overview = local.ask("GET", "/v1/models/default/overview").json
    assert overview["server"]["latency_ms"] == {"p50": None, "p99": None}
    assert overview["server"]["examples_per_second"] == 0.0


def test_learning_that_has_stopped_is_503_and_predicting_goes_on(local):
    local.ask("GET", "/healthz")
    local.engine.stopped_because = "The disk is full. Free space and restart."
    answer = local.ask("POST", "/v1/models/default/learn", LABELLED)
    assert (answer.status, answer.code) == (503, "learning_stopped")
    assert local.ask("POST", "/v1/models/default/predict", EXAMPLE).status == 200
    ready = local.ask("GET", "/readyz")
    assert (ready.status, ready.code) == (503, "learning_stopped")
    assert local.ask("GET", "/healthz").status == 200


def test_a_full_queue_is_429_with_the_time_to_wait(local):
    local.ask("GET", "/healthz")
    local.engine.is_full = True
    answer = local.ask("POST", "/v1/models/default/learn", LABELLED)
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (429, "queue_full", "2")


def test_an_internal_error_says_nothing_of_itself(local):
    local.ask("GET", "/healthz")
    local.engine.broken = True
    answer = local.ask("POST", "/v1/models/default/predict", EXAMPLE)
    assert (answer.status, answer.code) == (500, "internal")
    assert b"secret" not in answer.body


def test_every_operation_answers_requests_that_are_as_described(local):
    """No operation of the table lacks its function, and none fails for a reason of its own."""
    bodies = {"predict": EXAMPLE, "learn": LABELLED, "stream": LABELLED, "copy_model": '{"to": "b"}'}
    for operation in OPERATIONS:
        if operation.name in ("events", "delete_model", "remove_shadow"):
            continue
        path = operation.path.replace("{model}", "default").replace("{shadow}", "s")
        answer = local.ask(operation.method, path, bodies.get(operation.name, '{"learner": "tracker"}'))
        assert answer.status in operation.replies, operation
        assert answer.headers["content-type"].partition(";")[0] in operation.replies[answer.status].content
