"""JSON schemas of what the server reads and answers, made from the limits in force."""

from __future__ import annotations

from typing import Any

from novikoff.serve.names import MODEL_NAME
from novikoff.serve.settings import Settings

Schema = dict[str, Any]
INT64 = {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}


def ref(name: str) -> Schema:
    """Return a reference to a schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: list[str], /, **properties: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _one_or_many(name: str) -> Schema:
    return {"oneOf": [ref(name), {"type": "array", "items": ref(name)}]}


def schemas(settings: Settings) -> dict[str, Schema]:
    """Return all schemas by name."""
    return {**_names(settings), **_examples(), **_answers(), **_models(settings), **_states()}


def _names(settings: Settings) -> dict[str, Schema]:
    name: Schema = {"type": "string", "minLength": 1, "maxLength": settings.max_name_length}
    value = {"anyOf": [{"type": "number"}, {"type": "boolean"}, name]}
    return {
        "Any": {"type": "object"},
        "Name": {"type": "string", "pattern": f"^{MODEL_NAME.pattern}$", "description": "Name of a model or a shadow."},
        "Label": {
            "description": "All labels of a model are of one kind: text, integers of 64 bits, or booleans.",
            "anyOf": [{"type": "string", "maxLength": settings.max_name_length}, INT64, {"type": "boolean"}],
        },
        "Id": {"type": "string", "minLength": 1, "maxLength": settings.max_id_length},
        "Features": {
            "description": "A text v as a value means the feature `name=v` with the value 1.",
            "type": "object",
            "propertyNames": name,
            "additionalProperties": value,
            "maxProperties": settings.max_features_per_row,
        },
        "Weight": {"type": "number", "exclusiveMinimum": 0, "description": "How often the example counts."},
    }


def _examples() -> dict[str, Schema]:
    x, text, id, y = ref("Features"), {"type": "string"}, ref("Id"), ref("Label")
    weight = ref("Weight")
    return {
        "ExampleToPredict": {"oneOf": [_object(["x"], x=x, id=id), _object(["text"], text=text, id=id)]},
        "ExamplesToPredict": _one_or_many("ExampleToPredict"),
        "ExampleToLearn": {
            "oneOf": [
                _object(["x", "y"], x=x, y=y, weight=weight, id=id),
                _object(["text", "y"], text=text, y=y, weight=weight, id=id),
                _object(["id", "y"], id=id, y=y, weight=weight),
            ]
        },
        "ExamplesToLearn": _one_or_many("ExampleToLearn"),
    }


def _answers() -> dict[str, Schema]:
    label = {"anyOf": [ref("Label"), {"type": "null"}]}
    version = {"type": "integer", "minimum": 0, "description": "Examples that the model had learned."}
    scores = {"type": "object", "additionalProperties": {"type": "number"}}
    decided = {"score": {"type": ["number", "null"]}, "scores": scores, "version": version, "id": ref("Id")}
    prediction = _object(["label", "version"], label=label, **decided)
    learned = _object(
        ["predicted", "mistake", "version"],
        predicted=label,
        mistake={"type": "boolean"},
        served=label,
        repeated={"type": "boolean"},
        **decided,
    )
    text = {"type": "string"}
    return {
        "Prediction": prediction,
        "Predictions": _one_or_many("Prediction"),
        "LearnedExample": learned,
        "Learned": _one_or_many("LearnedExample"),
        "Error": _object(["error"], error={**_object(["code", "message"], code=text, message=text)}),
    }


def _models(settings: Settings) -> dict[str, Schema]:
    parameters = {"type": "object", "description": "Parameters of the learner, as in Python."}
    learner = {"type": "string", "examples": [settings.learner]}
    classes = {"type": "array", "items": ref("Label"), "minItems": 2, "maxItems": settings.max_classes}
    hashing = {"type": "object", "description": "Parameters of Hashing; the model then takes texts, too."}
    return {
        "Specification": _object(["learner"], learner=learner, parameters=parameters, classes=classes, hashing=hashing),
        "ShadowSpecification": _object(["learner"], learner=learner, parameters=parameters),
        "Copy": _object(["to"], to=ref("Name")),
        "Models": _object(["models"], models={"type": "array", "items": ref("Name")}),
        "Model": {"type": "object"},
        "Done": {"type": "object"},
    }


def _states() -> dict[str, Schema]:
    return {
        "Health": _object(["status"], status={"type": "string", "enum": ["ok"]}),
        "Readiness": {"type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"]},
    }
