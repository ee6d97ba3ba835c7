"""The one table of all calls of the HTTP interface; routes and the OpenAPI document are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from novikoff.serve.names import DEFAULT_MODEL

from .roles import Role

JSON, NDJSON, TEXT, HTML = "application/json", "application/x-ndjson", "text/plain", "text/html"
SVMLIGHT, BINARY = "text/x-svmlight", "application/octet-stream"
EVENTS = "text/event-stream"
FORMATS = {NDJSON: "ndjson", SVMLIGHT: "svmlight"}  # of streams, as the engine names them


@dataclass(frozen=True)
class Reply:
    """A successful answer: its description, and the schema of each type of content, by name; "" for bytes."""

    description: str
    content: Mapping[str, str]


@dataclass(frozen=True)
class Operation:
    """A call.

    Parameters
    ----------
    name : str
        The function in routes.py, and the operation id.
    method, path : str
        The request; ``{model}`` and ``{shadow}`` stand for names.
    role : Role
        Who may ask.
    summary, description : str
        What it does.
    replies : dict of int to Reply
        The successful answers, by status.
    errors : tuple of int, default=()
        Statuses of errors besides those that every call may have.
    request : dict of str to str, default={}
        The schema of the body for each of its types, by name.
    query : dict of str to dict, default={}
        The schemas of the parameters after "?" in the address.
    """

    name: str
    method: str
    path: str
    role: Role
    summary: str
    replies: Mapping[int, Reply]
    description: str = ""
    errors: tuple[int, ...] = ()
    request: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)


BODY_ERRORS = (400, 408, 413, 415)
MODEL = "/v1/models/{model}"
MODEL_PARAMETER = {
    "description": "The model that is watched.",
    "schema": {"$ref": "#/components/schemas/Name"},
    "default": DEFAULT_MODEL,
}

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "predict",
        "POST",
        f"{MODEL}/predict",
        Role.PREDICT,
        "Predict the label of an example, or of each example of an array.",
        {200: Reply("One prediction, or an array of them.", {JSON: "Predictions"})},
        "Before anything has been learned, the label is null. An example with an id waits for its label, which "
        "`/learn` takes later. The answer to two classes has a score, to more classes it has scores.",
        (*BODY_ERRORS, 404, 422),
        {JSON: "ExamplesToPredict"},
    ),
    Operation(
        "learn",
        "POST",
        f"{MODEL}/learn",
        Role.LEARN,
        "Learn an example, or all examples of an array or none of them.",
        {200: Reply("What had been predicted, for each example.", {JSON: "Learned"})},
        "The answer comes after the examples are in the log. An id is learned once: if it is sent again, the "
        "answer has what had been predicted, served and a mistake before, and `repeated`; it has no scores, and the "
        "version of now. An object of `id` and `y` alone gives the label of an earlier prediction.",
        (*BODY_ERRORS, 404, 409, 422, 429),
        {JSON: "ExamplesToLearn"},
    ),
    Operation(
        "stream",
        "POST",
        f"{MODEL}/stream",
        Role.LEARN,
        "Predict and then learn each example of a stream of any length.",
        {200: Reply("One line per example in the same order, and a summary as the last line.", {NDJSON: ""})},
        "Each line of the answer comes after its example is in the log. A line that cannot be learned is answered by "
        "an error in its place, and the stream goes on. Read the answers while you send: the server stops reading "
        "when the answers are not taken.",
        (*BODY_ERRORS, 404, 409, 422, 429),
        {NDJSON: "", SVMLIGHT: ""},
        {
            "answers": {
                "description": "Whether to answer with all lines or with the last one.",
                "schema": {"type": "string", "enum": ["all", "summary"]},
                "default": "all",
            }
        },
    ),
    Operation(
        "list_models",
        "GET",
        "/v1/models",
        Role.PREDICT,
        "Return the names of all models.",
        {200: Reply("The names.", {JSON: "Models"})},
    ),
    Operation(
        "describe_model",
        "GET",
        MODEL,
        Role.PREDICT,
        "Return the specification and the counts of a model.",
        {200: Reply("The model.", {JSON: "Model"})},
        errors=(404,),
    ),
    Operation(
        "create_model",
        "PUT",
        MODEL,
        Role.ADMIN,
        "Make a model.",
        {
            200: Reply("The model exists with the same specification.", {JSON: "Model"}),
            201: Reply("The model was made.", {JSON: "Model"}),
        },
        errors=(*BODY_ERRORS, 409, 422, 429),
        request={JSON: "Specification"},
    ),
    Operation(
        "delete_model",
        "DELETE",
        MODEL,
        Role.ADMIN,
        "Delete a model. Its examples remain in the log.",
        {200: Reply("The model was deleted.", {JSON: "Done"})},
        errors=(404, 409, 429),
    ),
    Operation(
        "copy_model",
        "POST",
        f"{MODEL}/copy",
        Role.ADMIN,
        "Copy a model with all that it has learned under another name.",
        {201: Reply("The model was copied.", {JSON: "Done"})},
        errors=(*BODY_ERRORS, 404, 409, 422, 429),
        request={JSON: "Copy"},
    ),
    Operation(
        "add_shadow",
        "PUT",
        f"{MODEL}/shadows/{{shadow}}",
        Role.ADMIN,
        "Add a shadow learner, which learns the same examples from now on, and predicts for comparison only.",
        {
            200: Reply("The shadow exists with the same specification.", {JSON: "Done"}),
            201: Reply("The shadow was added.", {JSON: "Done"}),
        },
        errors=(*BODY_ERRORS, 404, 409, 422, 429),
        request={JSON: "ShadowSpecification"},
    ),
    Operation(
        "remove_shadow",
        "DELETE",
        f"{MODEL}/shadows/{{shadow}}",
        Role.ADMIN,
        "Remove a shadow learner.",
        {200: Reply("The shadow was removed.", {JSON: "Done"})},
        errors=(404, 409, 429),
    ),
    Operation(
        "certificate",
        "GET",
        f"{MODEL}/certificate",
        Role.PREDICT,
        "Return the certificate of a model: its mistakes, and the bounds that hold for them.",
        {200: Reply("The certificate.", {JSON: "Any"})},
        errors=(404, 409),
    ),
    Operation(
        "download_model",
        "GET",
        f"{MODEL}/model",
        Role.PREDICT,
        "Return the model file, which `novikoff predict` and `novikoff.load` read.",
        {200: Reply("The file.", {BINARY: ""})},
        errors=(404, 409),
    ),
    Operation(
        "overview",
        "GET",
        f"{MODEL}/overview",
        Role.PREDICT,
        "Return what the page shows.",
        {200: Reply("Counts, curve, bounds, shadows, latest mistakes and largest weights.", {JSON: "Any"})},
        errors=(404,),
    ),
    Operation(
        "metrics",
        "GET",
        "/metrics",
        Role.PREDICT,
        "Return counts and latencies for Prometheus.",
        {200: Reply("The text format of Prometheus.", {TEXT: ""})},
    ),
    Operation(
        "health",
        "GET",
        "/healthz",
        Role.NOBODY,
        "Say that the process answers.",
        {200: Reply("It does.", {JSON: "Health"})},
    ),
    Operation(
        "readiness",
        "GET",
        "/readyz",
        Role.NOBODY,
        "Say whether the server can predict and learn.",
        {200: Reply("It predicts and learns.", {JSON: "Readiness"})},
        "503 while the log is read at the start, and while learning has stopped.",
    ),
    Operation(
        "events",
        "GET",
        "/events",
        Role.PREDICT,
        "Send the overview of a model whenever it changes, at most once a second.",
        {200: Reply("Server-sent events named `overview`.", {EVENTS: ""})},
        errors=(404, 422, 429),
        query={"model": MODEL_PARAMETER},
    ),
    Operation(
        "openapi",
        "GET",
        "/openapi.json",
        Role.NOBODY,
        "Return this document.",
        {200: Reply("An OpenAPI 3.1 document.", {JSON: "Any"})},
    ),
    Operation(
        "docs",
        "GET",
        "/docs",
        Role.NOBODY,
        "Show this document as a page.",
        {200: Reply("A page.", {HTML: ""})},
    ),
)
