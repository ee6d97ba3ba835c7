import inspect
import json

import httpx
import pytest

import novikoff as nk
from novikoff._client.methods import Methods

PUBLIC = [name for name in vars(Methods) if not name.startswith("_")]
SEEN = []


def echo(request):
    """Answers with the request."""
    SEEN.append(request)
    body = json.loads(request.content) if request.content else None
    return httpx.Response(200, json={"method": request.method, "path": request.url.path, "body": body})


@pytest.fixture
def client():
    with nk.Client(transport=httpx.MockTransport(echo), model="mail", retries=0) as made:
        yield made


X, XS = {"a": 1.0}, [{"a": 1.0}, "text"]
CALLS = {
    "predict": (lambda c: c.predict(X, id="i"), "POST", "/mail/predict", {"x": X, "id": "i"}),
    "predict_many": (lambda c: c.predict_many(XS), "POST", "/mail/predict", [{"x": X}, {"text": "text"}]),
    "learn": (lambda c: c.learn(X, 1, weight=2.0), "POST", "/mail/learn", {"x": X, "y": 1, "weight": 2.0}),
    "learn_many": (
        lambda c: c.learn_many(XS, ["a", "b"], ids=["1", "2"]),
        "POST",
        "/mail/learn",
        [{"x": X, "y": "a", "id": "1"}, {"text": "text", "y": "b", "id": "2"}],
    ),
    "label": (lambda c: c.label("i", False), "POST", "/mail/learn", {"id": "i", "y": False}),
    "label_many": (
        lambda c: c.label_many(["i", "j"], [0, 1]),
        "POST",
        "/mail/learn",
        [{"id": "i", "y": 0}, {"id": "j", "y": 1}],
    ),
    "create": (
        lambda c: c.create("new", "arow", parameters={"r": 1.0}, classes=["a", "b"], hashing={"bits": 18}),
        "PUT",
        "/new",
        {"learner": "arow", "parameters": {"r": 1.0}, "classes": ["a", "b"], "hashing": {"bits": 18}},
    ),
    "copy": (lambda c: c.copy("mail", "other"), "POST", "/mail/copy", {"to": "other"}),
    "add_shadow": (lambda c: c.add_shadow("s", "arow"), "PUT", "/mail/shadows/s", {"learner": "arow"}),
    "describe": (lambda c: c.describe(), "GET", "/mail", None),
    "certificate": (lambda c: c.certificate(model="other"), "GET", "/other/certificate", None),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_method_sends_the_request_of_its_call(name, client):
    act, method, path, body = CALLS[name]
    assert act(client) == {"method": method, "path": f"/v1/models{path}", "body": body}


@pytest.mark.parametrize("act", [lambda c: c.delete("mail"), lambda c: c.remove_shadow("s")])
def test_deleting_answers_nothing(act, client):
    assert act(client) == {}
    assert SEEN[-1].method == "DELETE"


@pytest.mark.parametrize("name", [*PUBLIC, "stream"])
def test_both_clients_have_the_same_methods(name):
    first, second = (inspect.signature(getattr(kind, name)) for kind in (nk.Client, nk.AsyncClient))
    assert list(first.parameters) == list(second.parameters)


@pytest.mark.parametrize("name", PUBLIC)
def test_the_methods_are_documented_as_numpydoc_wants_it(name):
    """tools/check_docstrings.py looks at what a class defines itself."""
    validate = pytest.importorskip("numpydoc.validate", reason="numpydoc is not installed (make lint)").validate
    wrong = validate(f"novikoff._client.methods.Methods.{name}")["errors"]
    assert [code for code, _ in wrong if code not in ("GL01", "ES01", "SA01", "EX01")] == []


def test_an_error_of_the_server_is_raised():
    def refuse(request):
        return httpx.Response(404, json={"error": {"code": "unknown_model", "message": "There is no model 'mail'."}})

    with nk.Client(transport=httpx.MockTransport(refuse)) as client, pytest.raises(nk.ServerError) as raised:
        client.describe()
    assert (raised.value.status, raised.value.code) == (404, "unknown_model")
