"""The OpenAPI document: valid, complete, and with schemas that tell requests that the manual shows from others."""

import json

import openapi_spec_validator
import pytest
from asgi_calls import is_valid

from novikoff.serve.http.openapi import document
from novikoff.serve.http.operations import OPERATIONS
from novikoff.serve.settings import Settings


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


def test_it_is_served(local):
    answer = local.ask("GET", "/openapi.json")
    assert answer.json == json.loads(json.dumps(document(Settings())))


def test_limits_are_those_in_force():
    found = document(Settings(max_features_per_row=7))["components"]["schemas"]
    assert found["Features"]["maxProperties"] == 7


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("ExamplesToPredict", {"x": {"a": 1.5, "b": True, "c": "red"}, "id": "1"}, True),
        ("ExamplesToPredict", [{"text": "hello"}, {"x": {}}], True),
        ("ExamplesToLearn", {"x": {}, "y": "spam", "weight": 2}, True),
        ("ExamplesToLearn", [{"id": "1", "y": True}, {"text": "a", "y": -1}], True),
        ("Specification", {"learner": "arow", "parameters": {"r": 1}, "classes": [0, 1], "hashing": {}}, True),
        ("Copy", {"to": "a.b-c_d"}, True),
        ("ExamplesToPredict", {"x": {}, "text": "a"}, False),
        ("ExamplesToPredict", {"x": {}, "y": 1}, False),
        ("ExamplesToPredict", {"id": "1"}, False),
        ("ExamplesToPredict", {"x": {"a": None}}, False),
        ("ExamplesToPredict", {"x": {"a": [1]}}, False),
        ("ExamplesToPredict", {"x": {"": 1}}, False),
        ("ExamplesToLearn", {"x": {}}, False),
        ("ExamplesToLearn", {"x": {}, "y": 2**63}, False),
        ("ExamplesToLearn", {"x": {}, "y": 1, "weight": 0}, False),
        ("ExamplesToLearn", {"x": {}, "y": 1, "id": "i" * 201}, False),
        ("Specification", {"learner": "arow", "path": "x"}, False),
        ("Copy", {"to": "../a"}, False),
    ],
)
def test_schemas_fit_what_the_server_takes(name, value, expected):
    assert is_valid(name, value) == expected
