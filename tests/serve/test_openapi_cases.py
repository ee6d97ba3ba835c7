"""Requests that schemathesis makes from the OpenAPI document: each is answered as the document says."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from server_process import SECONDS, ServerProcess
from share import share_of

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed (make test-slow)")
requests = pytest.importorskip("requests", reason="schemathesis is not installed (make test-slow)")

OPTIONS = ("--max-models", "50", "--models-in-memory", "3", "--durability", "off", "--max-body", "1MiB")
ENDLESS = ("events",)  # its answer has no end
CHECKS = (
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_headers_conformance,
    schemathesis.checks.response_schema_conformance,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ServerProcess(tmp_path_factory.mktemp("openapi") / "state", *OPTIONS) as made:
        made.json("POST", "/v1/models/default/learn", [{"x": {"a": 1}, "y": "yes"}, {"x": {"b": 1}, "y": "no"}])
        yield made


def run_cases(server, count):
    """Send some cases of every operation, and check the answers against the document."""
    document = server.json("GET", "/openapi.json")
    schema = schemathesis.openapi.from_dict(document)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if operation["operationId"] in ENDLESS:
                continue
            for mode in schemathesis.GenerationMode:
                run_operation(server, schema[path][method.upper()], mode, count)


def run_operation(server, operation, mode, count):
    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def answers_as_described(case):
        answer = case.call(base_url=f"http://127.0.0.1:{server.port}", timeout=SECONDS, session=session)
        text = answer.content[:100_000]
        assert b"Traceback" not in text
        assert answer.status_code < 500, (answer.status_code, text)
        case.validate_response(answer, checks=list(CHECKS))

    with requests.Session() as session, suppress(Unsatisfiable):  # an operation without parameters has no wrong ones
        answers_as_described()


def check_alive(server):
    assert isinstance(server.json("GET", "/v1/models")["models"], list)
    assert "Traceback" not in server.errors.read_text()
    assert json.loads(server.request("GET", "/healthz")[1]) == {"status": "ok"}


def test_cases_of_the_openapi_document_are_answered_as_it_says(server):
    run_cases(server, 2)
    check_alive(server)


@pytest.mark.slow
def test_many_cases_of_the_openapi_document_are_answered_as_it_says(server):
    run_cases(server, share_of(200))
    check_alive(server)
