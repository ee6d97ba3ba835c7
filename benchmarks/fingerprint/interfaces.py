"""The areas of interfaces: command lines, the server, public signatures."""

import inspect
import json
import os
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import novikoff as nk

from .data import events, rounded, sets
from .entries import bits, document_entries, members, parameters
from .files import table_text

NOT_RECORDED = {"LinearSVMCV": {"selection"}}  # its default has changed
PLUMBING = {  # what the packages of the library use of each other's classes
    "added_parameters",
    "check_record",
    "from_record",
    "state_type",
    "record_",
    "predict_sign",
    "predict_many",
    "weights_",
    "fit_for",
    "snapshot",
    "watch",
    "state",
}
SKIPPED_KEYS = {  # times, paths, what leaves, and evidence of which there may be several kinds
    *(
        "seconds",
        "bytes",
        "file",
        "model",
        "report",
        "full",
        "vote",
        "beta",
        "share",
        "checks",
        "claims",
        "certificates",
        "drifts",
    ),
    *(
        "witness",
        "coef",
        "intercept",
        "numerators",
        "directions",
        "supports",
        "dependences",
        "statuses",
        "columns",
        "references",
    ),
    *(
        "served",
        "served_mistakes",
        "largest_delay",
        "served_bound",
        "server",
        "target",
        "response",
        "delay",
        "is_constant_delay",
    ),
    *(
        "words",
        "kept",
        "output",
        "time",
        "at",
        "path",
        "checksum",
        "state",
        "latency_ms",
        "novikoff",
        "version_of_novikoff",
    ),
}

COMMANDS = """
fit table.csv -o table.nvk --exclude note --json
fit table.csv --exclude note --learner arow --json
fit table.csv --text note --idf --norm l2 --holdout 0 --json
fit table.csv --features age --features income --missing median --no-indicator --scale robust --json
fit rows.csv -o rows.nvk --target y --json
fit rows.csv -o hinge.nvk --loss hinge --C 0.1 --holdout 0 --json
fit rows.csv -o proba.nvk --probability --holdout 0 --json
fit rows.csv --test rows.svm --json
fit rows.csv --test other.csv --json
fit rows.csv -o perceptron.nvk --learner perceptron --max-iter 20 --holdout 0 --json
fit rows.csv --learner margin-perceptron --max-iter 20 --scale none --json
fit rows.csv --learner averaged-perceptron --scale running --holdout 0 --json
fit rows.csv --learner hard-margin --json
fit apart.csv -o hard.nvk --learner hard-margin --json
fit three.csv -o three.nvk --json
fit three.csv -o class.nvk --learner multiclass-arow --holdout 0 --json
fit three.csv --learner linear-svm --multi-class crammer_singer --loss hinge --holdout 0 --json
fit rows.csv --cv 3
fit rows.svm -o svm.nvk --json
fit rows.svm --index-base 0 --class-weight balanced --json
fit rows.csv --on local:2 --json
fit - --format csv --json < rows.csv
fit "SELECT * FROM 'rows.csv' WHERE f0 > 12" --target y --json
fit rows.csv
fit rows.csv -q --certificates
fit missing.csv
fit rows.csv --target nothing
fit rows.csv --learner nothing
fit rows.csv --C -1
fit broken.csv
fit rows.csv --nothing
predict rows.nvk rows.csv
predict rows.nvk rows.csv --scores
predict proba.nvk rows.csv --proba
predict rows.nvk rows.csv --proba
predict three.nvk three.csv --json
predict table.nvk table.csv -o labels.txt
predict hard.nvk apart.csv --scores --json
predict rows.nvk table.csv
predict broken.csv rows.csv
score rows.nvk rows.csv --json
score three.nvk three.csv --json
score table.nvk table.csv --json
score rows.nvk other.csv
certify rows.nvk rows.csv --json
certify rows.nvk other.csv --json
certify hinge.nvk rows.csv --exact --json
certify perceptron.nvk rows.csv --json
certify table.nvk table.csv --json
certify hard.nvk apart.csv --json
certify class.nvk three.csv --certificates
report rows.nvk rows.csv -o page.html --json
report three.nvk three.csv -o page.html --holdout 0 --json
inspect rows.nvk --json
inspect three.nvk --top 2 --json
inspect class.nvk --certificates
inspect broken.csv
convert rows.csv rows.parquet --json
convert three.csv again.svm --to svmlight
convert rows.parquet rows.ndjson.zst --json
convert rows.nvk rows.onnx --json
convert rows.nvk rows.json
convert svm.nvk rows.model --to liblinear --json
convert rows.model from.nvk --json
convert rows.csv rows.nothing
separable rows.csv --json
separable apart.csv --json
separable quasi.csv --exact --json
separable quasi.csv --positive 0 --no-fit-intercept --json
separable counts.csv --counts good,bad --json
separable three.csv
stream rows.csv -o stream.nvk --json
stream rows.csv -o parts.nvk --learner arow --json
stream other.csv -i parts.nvk -o parts.nvk --json
stream rows.csv --learner perceptron --window 50 --every 100 --jsonl
stream rows.csv -o resumed.nvk --resume --learner perceptron --json
stream rows.csv -o resumed.nvk --resume --json
stream three.csv --learner multiclass-perceptron --json
stream bad.svm --on-bad skip --learner perceptron --json
stream bad.svm --learner perceptron --json
stream rows.csv --alarm "loss>0.01" --learner perceptron --quiet
stream rows.csv --delay 10 --learner perceptron --json
stream table.csv --exclude note --hash-bits 8 --missing zero --json
predict stream.nvk rows.csv --scores
certify parts.nvk rows.csv --json
log verify state --json
log show state --json
log show state --last 1
log replay state --learner arow --parameter r=0.5 -o replayed.nvk --json
log export state -o examples.ndjson --json
log compact state --json
log verify nothing
log nothing state
serve
serve --durability nothing --state other
--version
--help
nothing
"""


def store_inputs(folder):
    """The files that the command lines read."""
    X, y, _ = sets()["breast cancer"]
    three, kinds, _ = sets()["iris"]
    rows = {"rows": (X[:300, :6], np.array(["m", "b"])[y[:300]]), "other": (X[300:, :6], np.array(["m", "b"])[y[300:]])}
    rows |= {"three": (three, kinds), "apart": (three[:100], kinds[:100])}
    random = np.random.default_rng(4)
    age = random.integers(20, 60, size=80)
    rows["quasi"] = (np.c_[age, (age > 40) * random.integers(0, 2, size=80)], None)
    rows["quasi"] = (rows["quasi"][0], np.where(rows["quasi"][0][:, 1] > 0, 1, random.integers(0, 2, size=80)))
    for name, (values, labels) in rows.items():
        lines = [",".join([*(f"f{j}" for j in range(values.shape[1])), "y"])]
        lines += [",".join([*map(repr, row), str(label)]) for row, label in zip(values.tolist(), labels, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (folder / "counts.csv").write_text("dose,good,bad\n1,0,5\n2,3,4\n3,5,0\n")
    (folder / "table.csv").write_bytes(table_text())
    (folder / "broken.csv").write_bytes(b"a,b,y\n1,2,p\n1,2\n")
    (folder / "bad.svm").write_bytes(b"1 1:1\nwhat\n-1 2:1\n1 2:x\n1 3:1\n" * 20)
    nk.write((rounded(X[:200]), y[:200]), folder / "rows.svm")
    with server(folder / "state") as call:
        call("PUT", "/v1/models/default", {"learner": "perceptron"})
        for start in range(0, 300, 60):
            call("POST", "/v1/models/default/learn", [{"x": x, "y": y} for x, y in events()[start : start + 60]])


def commands():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store_inputs(folder)
        for line in COMMANDS.strip().splitlines():
            yield line, partial(ended, line, folder)
        yield "novikoff-check", lambda: ended("rows.nvk rows.csv", folder, "novikoff_check")
        yield "novikoff-check, other rows", lambda: ended("rows.nvk other.csv", folder, "novikoff_check")


def ended(line, folder, module="novikoff"):
    """How a command ended: its exit code, its predictions, its JSON."""
    line, _, source = line.partition(" < ")
    environment = os.environ | {"COLUMNS": "120", "NO_COLOR": "1"}
    given = (folder / source).read_bytes() if source else b""
    command = [sys.executable, "-m", module, *shlex.split(line)]
    done = subprocess.run(command, input=given, capture_output=True, cwd=folder, env=environment, timeout=600)
    found = {"code": done.returncode, "prints": bool(done.stdout.strip())}
    if module == "novikoff" and done.returncode in (0, 1) and ("--json" in line or "--jsonl" in line):
        for number, text in enumerate(done.stdout.decode().splitlines()):
            document = json.loads(text)
            if line.startswith("separable"):
                document |= {"statuses": None, "margin_upper_bound": document["margin_upper_bound"]}
            found |= {
                f"{number} {key}" if "--jsonl" in line else key: v
                for key, v in document_entries(document, SKIPPED_KEYS).items()
            }
    elif line.startswith("predict") and done.returncode == 0:
        found["lines"] = bits((folder / "labels.txt").read_text() if "-o labels.txt" in line else done.stdout.decode())
    return found


class server:
    """A server in this process: a context that gives a function which calls it."""

    def __init__(self, folder, **settings):
        from starlette.testclient import TestClient

        from novikoff.serve import create_app
        from novikoff.serve.settings import Settings

        self.client = TestClient(create_app(Settings(state=str(folder), **settings)), base_url="http://127.0.0.1:8765")

    def __enter__(self):
        self.client.__enter__()

        def call(method, path, body=None, **options):
            content = {"json": body} if body is not None and not isinstance(body, bytes) else {"content": body}
            return self.client.request(method, path, **content, **options)

        return call

    def __exit__(self, *error):
        self.client.__exit__(*error)


def examples(first, last):
    return [{"x": x, "y": y} for x, y in events()[first:last]]


ND = {"headers": {"content-type": "application/x-ndjson"}}
CALLS = {
    "make": ("PUT", "/v1/models/a", {"learner": "perceptron"}),
    "make again": ("PUT", "/v1/models/a", {"learner": "perceptron"}),
    "make another": ("PUT", "/v1/models/a", {"learner": "arow"}),
    "make with parameters": ("PUT", "/v1/models/b", {"learner": "arow", "parameters": {"r": 0.5}}),
    "make a tracker": ("PUT", "/v1/models/t", {"learner": "tracker"}),
    "make nothing": ("PUT", "/v1/models/c", {"learner": "nothing"}),
    "predict before": ("POST", "/v1/models/a/predict", {"x": {"f1": 1.0}}),
    "learn one": ("POST", "/v1/models/a/learn", {"x": {"f1": 1.0}, "y": "pos"}),
    "shadow": ("PUT", "/v1/models/a/shadows/s", {"learner": "arow"}),
    "learn many": ("POST", "/v1/models/a/learn", examples(0, 100)),
    "learn with weight": ("POST", "/v1/models/a/learn", {"x": {"f1": 1.0}, "y": "neg", "weight": 2.5}),
    "learn with id": ("POST", "/v1/models/a/learn", {"x": {"f1": 1.0}, "y": "neg", "id": "one"}),
    "learn the id again": ("POST", "/v1/models/a/learn", {"x": {"f1": 1.0}, "y": "neg", "id": "one"}),
    "predict with id": ("POST", "/v1/models/a/predict", {"x": {"f2": 1.0}, "id": "two"}),
    "label": ("POST", "/v1/models/a/learn", {"id": "two", "y": "pos"}),
    "learn in b": ("POST", "/v1/models/b/learn", examples(0, 100)),
    "learn in t": ("POST", "/v1/models/t/learn", examples(0, 100)),
    "stream": ("POST", "/v1/models/b/stream", "\n".join(map(json.dumps, examples(100, 150))).encode(), ND),
    "predict many": ("POST", "/v1/models/a/predict", [{"x": x} for x, _ in events()[200:]]),
    "predict in t": ("POST", "/v1/models/t/predict", [{"x": x} for x, _ in events()[200:]]),
    "predict in b": ("POST", "/v1/models/b/predict", [{"x": x} for x, _ in events()[200:]]),
    "not JSON": ("POST", "/v1/models/a/learn", b"what", {"headers": {"content-type": "application/json"}}),
    "other type": ("POST", "/v1/models/a/learn", b"what", {"headers": {"content-type": "text/plain"}}),
    "no label": ("POST", "/v1/models/a/learn", {"x": {"f1": 1.0}}),
    "other kind of label": ("POST", "/v1/models/a/learn", {"x": {"f1": 1.0}, "y": 3}),
    "no number": ("POST", "/v1/models/a/learn", {"x": {"f1": [1]}, "y": "pos"}),
    "models": ("GET", "/v1/models"),
    "describe": ("GET", "/v1/models/a"),
    "certificate": ("GET", "/v1/models/a/certificate"),
    "overview": ("GET", "/v1/models/a/overview"),
    "download": ("GET", "/v1/models/a/model"),
    "copy": ("POST", "/v1/models/a/copy", {"to": "d"}),
    "describe the copy": ("GET", "/v1/models/d"),
    "remove the shadow": ("DELETE", "/v1/models/a/shadows/s"),
    "delete": ("DELETE", "/v1/models/d"),
    "describe what is deleted": ("GET", "/v1/models/d"),
    "health": ("GET", "/healthz"),
    "ready": ("GET", "/readyz"),
    "metrics": ("GET", "/metrics"),
    "page": ("GET", "/"),
    "docs": ("GET", "/docs"),
    "no such path": ("GET", "/nothing"),
    "other method": ("PATCH", "/v1/models"),
}


def routes():
    """The paths, methods, status codes and fields of the description; and what a session is answered."""
    with tempfile.TemporaryDirectory() as folder, server(folder) as call:
        document = call("GET", "/openapi.json").json()
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                yield f"{method.upper()} {path}", partial(operation_entries, operation)
        for name, schema in document["components"]["schemas"].items():
            yield f"schema {name}", partial(schema_entries, schema)
        for name, request in CALLS.items():
            yield f"call, {name}", partial(answer, call, *request)


def operation_entries(operation):
    content = operation.get("requestBody", {}).get("content", {})
    return {
        "parameters": members(f"{p['in']} {p['name']}" for p in operation.get("parameters", [])),
        "bodies": members(content),
        "schemas": members(schema["schema"].get("$ref", "") for schema in content.values()),
        "status codes": members(operation["responses"]),
    }


def schema_entries(schema):
    """All properties in a schema, and those that are required."""
    fields, required = set(), set()

    def walk(part):
        if isinstance(part, dict):
            fields.update(part.get("properties", {}))
            required.update(part.get("required", []) if isinstance(part.get("required"), list) else [])
            for each in part.values():
                walk(each)
        elif isinstance(part, list):
            for each in part:
                walk(each)

    walk(schema)
    return {"fields": members(fields - {"served"}), "required": members(required - {"served"})}


def answer(call, method, path, body=None, options=None):
    response = call(method, path, body, **(options or {}))
    found = {"status": response.status_code, "type": response.headers.get("content-type", "").split(";")[0]}
    if found["type"] in ("application/json", "application/x-ndjson"):
        answers = [json.loads(line) for line in response.text.splitlines() if line]
        document = {"answers": answers} if len(answers) != 1 or not isinstance(answers[0], dict) else answers[0]
        found |= document_entries(document, SKIPPED_KEYS)
    if path.endswith("/model") and response.status_code == 200:
        found["scores"] = bits([nk.loads(response.content).score_one(x) for x, _ in events()[200:]])
    return found


def signatures():
    """The names that users can import, their parameters, methods and attributes."""
    modules = {"novikoff": nk} | {
        name: getattr(nk, name) for name in ("distributed", "evaluate", "export", "plot", "testing", "theory")
    }
    for place, module in modules.items():
        names = public_names(module)
        if place == "distributed":
            names -= {"separability"}
        yield place, partial(lambda found: {"names": members(found)}, names)
        for name in sorted(names):
            value = getattr(module, name)
            if callable(value) and not (inspect.isclass(value) and issubclass(value, BaseException)):
                yield f"{place}.{name}", partial(signature, name, value)


def public_names(module):
    listed = getattr(module, "__all__", None)
    names = listed or [
        name for name, value in vars(module).items() if getattr(value, "__module__", "").startswith("novikoff")
    ]
    return {name for name in names if not name.startswith("_")}


def signature(name, value):
    left = NOT_RECORDED.get(name, set())

    def given(function):
        return [
            text
            for text in parameters(function)
            if text.split(":")[-1].split("=")[0].lstrip("*") not in left | {"self", "served"}
        ]

    found = {"parameters": members(given(value))}
    if not inspect.isclass(value):
        return found
    methods = set()
    for attribute in dir(value):
        if attribute.startswith("_") or attribute in PLUMBING | left or attribute.endswith("_request"):
            continue
        methods.add(attribute)
        function = getattr(value, attribute, None)
        if inspect.isfunction(function) or inspect.ismethod(function):
            methods.update(f"{attribute}({each})" for each in given(function))
    return found | {"members": members(methods)}


AREAS = {"commands": commands, "server": routes, "signatures": signatures}
