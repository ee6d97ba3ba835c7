"""Schemas of requests and answers."""

import re

import msgspec
import pytest
from asgi_calls import Local
from jsonschema import Draft202012Validator

from novikoff.serve.http.openapi import document
from novikoff.serve.http.schemas import ref, schemas
from novikoff.serve.settings import Settings


def is_valid(name, value):
    validator = Draft202012Validator({**ref(name), "components": {"schemas": schemas(Settings())}})
    return validator.is_valid(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ExamplesToPredict", {"x": {"a": 1.5, "b": True, "c": "red"}, "id": "1"}),
        ("ExamplesToPredict", [{"text": "hello"}, {"x": {}}]),
        ("ExamplesToLearn", {"x": {}, "y": "spam", "weight": 2}),
        ("ExamplesToLearn", [{"id": "1", "y": True}, {"text": "a", "y": -1}]),
        ("Specification", {"learner": "arow", "parameters": {"r": 1}, "classes": [0, 1], "hashing": {}}),
        ("Copy", {"to": "a.b-c_d"}),
    ],
)
def test_requests_as_the_manual_shows_them_are_valid(name, value):
    assert is_valid(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ExamplesToPredict", {"x": {}, "text": "a"}),
        ("ExamplesToPredict", {"x": {}, "y": 1}),
        ("ExamplesToPredict", {"id": "1"}),
        ("ExamplesToPredict", {"x": {"a": None}}),
        ("ExamplesToPredict", {"x": {"a": [1]}}),
        ("ExamplesToPredict", {"x": {"": 1}}),
        ("ExamplesToLearn", {"x": {}}),
        ("ExamplesToLearn", {"x": {}, "y": 2**63}),
        ("ExamplesToLearn", {"x": {}, "y": 1, "weight": 0}),
        ("ExamplesToLearn", {"x": {}, "y": 1, "id": "i" * 201}),
        ("Specification", {"learner": "arow", "path": "x"}),
        ("Copy", {"to": "../a"}),
    ],
)
def test_other_requests_are_not(name, value):
    assert not is_valid(name, value)


def test_answers_are_as_the_document_says():
    local = Local()
    names = set(re.findall(r"schemas/(\w+)", msgspec.json.encode(document(Settings())).decode()))
    assert names <= set(schemas(Settings()))
    assert is_valid("Learned", local.ask("POST", "/v1/models/default/learn", '{"x": {}, "y": "a", "id": "1"}').json)
    assert is_valid("Predictions", local.ask("POST", "/v1/models/default/predict", '[{"x": {}}]').json)
    assert is_valid("Error", local.ask("POST", "/v1/models/none/predict", '{"x": {}}').json)
    assert is_valid("Models", local.ask("GET", "/v1/models").json)
