"""The calls of the HTTP interface, each as a client makes it."""

import gzip
import json

import pytest
from asgi_calls import Local, is_valid

from engines import held
from novikoff.persistence import loads
from novikoff.serve.http import predict
from novikoff.serve.http.operations import OPERATIONS
from novikoff.serve.log.errors import StoreError

MODEL = "/v1/models/default"
EXAMPLE = '{"x": {"a": 1}}'
LABELLED = '{"x": {"a": 1}, "y": "spam"}'
AROW = '{"learner": "arow"}'
HEADERS = {"content-type": "application/json", "x-content-type-options": "nosniff", "cache-control": "no-store"}


# ---- predicting and learning ---------------------------------------------------------------------------------------


def test_what_was_learned_is_predicted_and_labels_may_come_later(local):
    answer = local.ask("POST", f"{MODEL}/predict", EXAMPLE)
    assert (answer.status, answer.json) == (200, {"label": None, "version": 0})
    assert answer.headers.items() >= HEADERS.items()
    answer = local.ask("POST", f"{MODEL}/learn", f'[{LABELLED}, {{"x": {{"b": 1}}, "y": "ham"}}]')
    assert [own["version"] for own in answer.json] == [1, 2]
    assert answer.headers.items() >= HEADERS.items()
    assert local.ask("POST", f"{MODEL}/predict", f"[{EXAMPLE}]").json[0]["label"] == "spam"
    found = local.ask("POST", f"{MODEL}/predict", '{"x": {"a": 1}, "id": "m1"}').json
    assert (found["label"], found["version"], found["id"]) == ("spam", 2, "m1")
    late = local.ask("POST", f"{MODEL}/learn", '{"id": "m1", "y": "ham"}').json
    assert (late["served"], late["mistake"], late["version"]) == ("spam", True, 3)
    again = local.ask("POST", f"{MODEL}/learn", '{"id": "m1", "y": "ham"}').json
    assert (again["repeated"], again["version"]) == (True, 3)


def test_a_model_survives_the_server(tmp_path):
    with Local(tmp_path) as local:
        local.ask("POST", f"{MODEL}/learn", LABELLED)
        before = local.ask("POST", f"{MODEL}/predict", EXAMPLE).body
    with Local(tmp_path) as local:
        assert local.ask("POST", f"{MODEL}/predict", EXAMPLE).body == before


def test_a_model_that_is_asleep_is_woken(start):
    local = start(models_in_memory=1)
    local.ask("POST", f"{MODEL}/learn", LABELLED)
    for call, body in (("predict", EXAMPLE), ("learn", LABELLED), ("stream", LABELLED), ("overview", "")):
        local.ask("PUT", f"/v1/models/other-{call}", AROW)
        assert local.ask("POST" if body else "GET", f"{MODEL}/{call}", body).status == 200


@pytest.mark.parametrize("call", ["predict", "certificate"])
def test_a_model_that_cannot_be_kept_awake_is_503(start, monkeypatch, call):
    local = start(models_in_memory=1)
    local.ask("PUT", "/v1/models/other", AROW)
    monkeypatch.setattr(local.engine, "wake", lambda name: local.engine._commands.put(lambda: None))
    answer = local.ask("POST" if call == "predict" else "GET", f"{MODEL}/{call}", EXAMPLE)
    assert (answer.status, answer.code) == (503, "busy")


def test_a_long_body_is_read_in_another_thread(local):
    name = "a" * 900
    body = json.dumps([{"x": {name: 1}}] * 1000)
    assert len(body) > predict.LONG_BODY
    assert len(local.ask("POST", f"{MODEL}/predict", body).json) == 1000
    labelled = json.dumps([{"x": {name: 1}, "y": 1}] * 1000)
    assert len(local.ask("POST", f"{MODEL}/learn", labelled).json) == 1000


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded", "Application/JSON; charset=utf-8"])
def test_types_of_json_are_taken(local, kind):
    for call, body in (("predict", EXAMPLE), ("learn", LABELLED)):
        assert local.ask("POST", f"{MODEL}/{call}", body, {"content-type": kind}).status == 200
    body = gzip.compress(LABELLED.encode())
    headers = {"content-type": kind, "content-encoding": "gzip"}
    assert local.ask("POST", f"{MODEL}/learn", body, headers).json["version"] == 2


# ---- refusals ------------------------------------------------------------------------------------------------------

REFUSED = [
    ("POST", f"{MODEL}/predict", "{", 400, "bad_json"),
    ("POST", f"{MODEL}/predict", "", 400, "bad_json"),
    ("POST", f"{MODEL}/predict", "[[]]", 400, "bad_json"),
    ("POST", f"{MODEL}/predict", '[{"x": {}}, {"z": 1}]', 422, "bad_example"),
    ("POST", "/v1/models/other/predict", EXAMPLE, 404, "unknown_model"),
    ("POST", f"{MODEL}/learn", EXAMPLE, 422, "bad_example"),
    ("POST", f"{MODEL}/learn", '{"id": "unknown", "y": 1}', 404, "unknown_id"),
    ("POST", "/v1/models/other/learn", LABELLED, 404, "unknown_model"),
    ("POST", "/v1/models/other/stream", LABELLED, 404, "unknown_model"),
    ("POST", f"{MODEL}/stream?answers=none", LABELLED, 422, "bad_parameter"),
    ("POST", f"{MODEL}/stream?answers=all&answers=all", LABELLED, 422, "bad_parameter"),
    ("POST", f"{MODEL}/stream?a=%ff", LABELLED, 422, "bad_parameter"),
    ("POST", f"{MODEL}/stream?{'a=1&' * 30}", LABELLED, 422, "bad_parameter"),
    ("PUT", "/v1/models/-a", AROW, 422, "bad_name"),
    ("PUT", f"/v1/models/{'a' * 101}", AROW, 422, "bad_name"),
    ("PUT", "/v1/models/\u00e9", AROW, 422, "bad_name"),
    ("PUT", "/v1/models/a", "", 400, "bad_json"),
    ("PUT", "/v1/models/a", " \n", 400, "bad_json"),
    ("PUT", "/v1/models/a", b"\xff", 400, "bad_json"),
    ("PUT", "/v1/models/a", "NaN", 400, "bad_json"),
    ("PUT", "/v1/models/a", '{"learner": "arow", "learner": "arow"}', 400, "bad_json"),
    ("PUT", "/v1/models/a", "[" * 100_000, 400, "bad_json"),
    ("PUT", "/v1/models/a", "1" * 9999, 400, "bad_json"),
    ("PUT", "/v1/models/a", "[]", 422, "bad_body"),
    ("PUT", "/v1/models/a", '{"learner": "arow", "path": "/etc"}', 422, "bad_body"),
    ("PUT", "/v1/models/a", '{"learner": "none"}', 422, "bad_specification"),
    ("PUT", MODEL, AROW, 409, "exists"),
    ("POST", f"{MODEL}/copy", '{"to": "../x"}', 422, "bad_name"),
    ("POST", f"{MODEL}/copy", '{"to": null}', 422, "bad_name"),
    ("POST", f"{MODEL}/copy", "{}", 422, "bad_name"),
    ("POST", f"{MODEL}/copy", '{"to": "default"}', 409, "exists"),
    ("POST", f"{MODEL}/copy", '{"to": "x"}', 409, "too_many_models"),
    ("POST", "/v1/models/other/copy", '{"to": "x"}', 404, "unknown_model"),
    ("DELETE", "/v1/models/other", "", 404, "unknown_model"),
    ("PUT", f"{MODEL}/shadows/a b", AROW, 422, "bad_name"),
    ("PUT", f"{MODEL}/shadows/s", '{"learner": "arow", "hashing": {}}', 422, "bad_body"),
    ("DELETE", f"{MODEL}/shadows/s", "", 404, "unknown_shadow"),
    ("GET", f"{MODEL}/model", "", 409, "nothing_learned"),
    ("GET", "/v1/models/other/model", "", 404, "unknown_model"),
    ("GET", "/events?model=other", "", 404, "unknown_model"),
    ("GET", f"{MODEL}/", "", 404, "not_found"),
    ("GET", "/etc/passwd", "", 404, "not_found"),
    ("PATCH", MODEL, "", 405, "method_not_allowed"),
]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """An application whose requests are all refused; it may have one model."""
    with Local(tmp_path_factory.mktemp("state"), max_models=1) as local:
        yield local


def test_requests_that_cannot_be_answered_are_errors_in_json(untouched):
    for method, path, body, status, code in REFUSED:
        answer = untouched.ask(method, path, body)
        assert (answer.status, answer.code) == (status, code), (method, path, body[:80])
        assert is_valid("Error", answer.json)
    assert answer.headers["allow"] == "DELETE, GET, HEAD, PUT"  # of the last one
    page = untouched.ask("POST", "/")
    assert (page.status, page.json["error"]["code"]) == (405, "method_not_allowed")
    assert set(page.headers["allow"].split(", ")) == {"GET", "HEAD"}
    assert untouched.engine.names() == ["default"]
    assert untouched.engine.status()["sequence"] == 1


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        (f"{MODEL}/copy", "", "The body is empty."),
        (f"{MODEL}/copy", "{}", "must have the key to"),
        (f"{MODEL}/copy", '{"to": "/"}', "1 to 100 letters"),
    ],
)
def test_what_is_missing_in_a_body_is_named(untouched, path, body, words):
    assert words in untouched.ask("POST", path, body).json["error"]["message"]


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/xml"])
def test_another_type_of_body_is_415(untouched, kind):
    for call in ("predict", "learn", "stream"):
        answer = untouched.ask("POST", f"{MODEL}/{call}", LABELLED, {"content-type": kind})
        assert (answer.status, answer.code) == (415, "unsupported_type")


def test_learning_that_has_stopped_is_503_and_predicting_goes_on(local, monkeypatch):
    def fail(entries):
        raise StoreError("full", "The disk is full. Free space and restart.")

    monkeypatch.setattr(local.engine.store, "append", fail)
    for _ in range(2):
        answer = local.ask("POST", f"{MODEL}/learn", LABELLED)
        assert (answer.status, answer.code) == (503, "learning_stopped")
        assert answer.json["error"]["message"].endswith("The disk is full. Free space and restart.")
    assert local.ask("PUT", "/v1/models/a", AROW).code == "learning_stopped"
    assert local.ask("POST", f"{MODEL}/predict", EXAMPLE).json["version"] == 0
    ready = local.ask("GET", "/readyz")
    assert (ready.status, ready.code) == (503, "learning_stopped")
    assert local.ask("GET", "/healthz").status == 200


def test_a_full_queue_is_429_with_the_time_to_wait(start):
    local = start(queue=1)
    with held(local.engine):
        first = local.engine.learn("default", f"[{LABELLED}, {LABELLED}]".encode())  # alone it may be longer
        answer = local.ask("POST", f"{MODEL}/learn", LABELLED)
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (429, "queue_full", "1")
    assert len(json.loads(first.result(20))) == 2


@pytest.mark.parametrize("call", ["predict", "learn"])
def test_an_internal_error_says_nothing_of_itself(local, monkeypatch, call):
    def broken(*given):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(local.engine, call, broken)
    answer = local.ask("POST", f"{MODEL}/{call}", LABELLED)
    assert (answer.status, answer.code) == (500, "internal")
    assert b"secret" not in answer.body


def test_an_engine_that_is_not_ready_and_a_server_that_stops_say_so(local, monkeypatch):
    status = local.engine.status
    monkeypatch.setattr(local.engine, "status", lambda: status() | {"ready": False})
    assert local.ask("GET", "/readyz").code == "not_ready"
    local.service.stopping.set()
    assert local.ask("GET", "/readyz").code == "stopping"


# ---- models --------------------------------------------------------------------------------------------------------


def test_models_are_made_described_copied_and_deleted(local):
    specification = json.dumps({"learner": "arow", "parameters": {"r": 0.5}})
    assert local.ask("PUT", "/v1/models/a", specification).status == 201
    again = local.ask("PUT", "/v1/models/a", specification)
    assert (again.status, "created" in again.json) == (200, False)
    assert local.ask("POST", "/v1/models/a/copy", '{"to": "b"}').status == 201
    assert local.ask("GET", "/v1/models").json == {"models": ["a", "b", "default"]}
    assert local.ask("GET", "/v1/models/b").json["specification"]["learner"] == "arow"
    assert local.ask("DELETE", "/v1/models/a").status == 200
    assert local.ask("GET", "/v1/models").json == {"models": ["b", "default"]}


def test_shadows_are_added_and_removed(local):
    address = f"{MODEL}/shadows/s"
    assert [local.ask("PUT", address, AROW).status for _ in range(2)] == [201, 200]
    assert local.ask("PUT", address, '{"learner": "perceptron"}').code == "exists"
    assert [own["name"] for own in local.ask("GET", MODEL).json["shadows"]] == ["s"]
    assert local.ask("DELETE", address).status == 200
    assert local.ask("GET", MODEL).json["shadows"] == []


def test_certificate_model_file_and_overview(local):
    local.ask("POST", f"{MODEL}/learn", LABELLED)
    assert local.ask("GET", f"{MODEL}/certificate").json["version"] == 1
    file = local.ask("GET", f"{MODEL}/model")
    assert loads(file.body).classes_.tolist() == ["spam"]
    assert file.headers["content-disposition"] == 'attachment; filename="default.nvk"'
    overview = local.ask("GET", f"{MODEL}/overview").json
    assert overview["server"]["latency_ms"] == {"p50": None, "p99": None}
    assert overview["server"]["examples_per_second"] == 0.0


def test_every_operation_answers_as_it_is_described(local):
    local.ask("POST", f"{MODEL}/learn", LABELLED)
    bodies = {"predict": EXAMPLE, "learn": LABELLED, "stream": LABELLED, "copy_model": '{"to": "b"}'}
    for operation in sorted(OPERATIONS, key=lambda operation: (operation.method == "DELETE", -len(operation.path))):
        if operation.name == "events":  # without an end
            continue
        name = "new" if operation.name == "create_model" else "default"
        path = operation.path.replace("{model}", name).replace("{shadow}", "s")
        answer = local.ask(operation.method, path, bodies.get(operation.name, AROW))
        assert answer.status in operation.replies, operation
        content = operation.replies[answer.status].content
        kind = answer.headers["content-type"].partition(";")[0]
        assert kind in content
        assert not content[kind] or kind != "application/json" or is_valid(content[kind], answer.json), operation


def test_names_that_are_allowed_are_taken(local):
    for name in ("a", "a" * 100, "0.A_b-c"):
        assert local.ask("PUT", f"/v1/models/{name}", AROW).json["name"] == name
