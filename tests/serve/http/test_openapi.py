"""The OpenAPI document: valid, complete, and kept to when requests are made from it at random."""

import json

import openapi_spec_validator
import pytest
from asgi_calls import Local, served
from hypothesis import HealthCheck, given, settings

from novikoff.serve.http.openapi import document
from novikoff.serve.http.operations import OPERATIONS
from novikoff.serve.settings import Settings

LIMITED = Settings(max_features_per_row=5, max_name_length=20, max_id_length=20)  # so that requests are made quickly
ENDLESS = ("events",)


def test_the_document_is_valid():
    found = document(Settings())
    openapi_spec_validator.validate(found)
    assert found["openapi"] == "3.1.0"


def test_every_operation_is_in_it():
    paths = document(Settings())["paths"]
    found = {(method.upper(), path): entry for path, methods in paths.items() for method, entry in methods.items()}
    assert set(found) == {(operation.method, operation.path) for operation in OPERATIONS}
    for operation in OPERATIONS:
        entry = found[operation.method, operation.path]
        assert {"503", "421"} <= set(entry["responses"])
        assert ("401" in entry["responses"]) == bool(operation.role)
        assert ("requestBody" in entry) == bool(operation.request)


def test_it_is_served():
    answer = Local().ask("GET", "/openapi.json")
    assert answer.json == json.loads(json.dumps(document(Settings())))


def test_limits_are_those_in_force():
    found = document(Settings(max_features_per_row=7))["components"]["schemas"]
    assert found["Features"]["maxProperties"] == 7


@pytest.fixture(scope="module")
def server():
    with served() as running:
        yield running


def check_at_random(server, name, examples):
    """Make requests from the document, valid and not, and compare each answer with it."""
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed (make test-slow)")
    of = schemathesis.checks
    checks = (
        of.not_a_server_error,
        of.status_code_conformance,
        of.content_type_conformance,
        of.response_schema_conformance,
    )
    schema = schemathesis.openapi.from_dict(document(LIMITED))

    @given(case=schema.find_operation_by_id(name).as_strategy())
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def run(case):
        case.call_and_validate(base_url=server.address, checks=checks, timeout=10)

    run()


@pytest.mark.slow
@pytest.mark.parametrize("name", [o.name for o in OPERATIONS if o.name not in ENDLESS])
def test_many_random_requests_are_answered_as_described(server, name):
    check_at_random(server, name, 300)
