"""Who may ask what."""

import pytest
from asgi_calls import Local

from novikoff.serve.http.operations import OPERATIONS
from novikoff.serve.http.roles import ROLES, Role
from novikoff.serve.http.security import token_of
from novikoff.serve.http.tokens import add_token

LEARN = ("POST", "/v1/models/default/learn", '{"x": {}, "y": 1}')


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    file = str(tmp_path_factory.mktemp("tokens") / "tokens.txt")
    made = {word: add_token(file, role) for word, role in ROLES.items()}
    with Local(tmp_path_factory.mktemp("state"), tokens=file) as local:
        yield local, made


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """An application without tokens, which all tests share."""
    with Local(tmp_path_factory.mktemp("state")) as local:
        yield local


@pytest.mark.parametrize(
    "operation", [o for o in OPERATIONS if o.name != "events"], ids=lambda operation: operation.name
)
def test_an_operation_needs_its_role(guarded, operation):
    local, made = guarded
    path = operation.path.replace("{model}", "none").replace("{shadow}", "s")
    bare = local.ask(operation.method, path, "{}")
    if operation.role is Role.NOBODY:
        assert bare.status == 200
        return
    assert (bare.status, bare.code, bare.headers["www-authenticate"]) == (401, "token_needed", "Bearer")
    for word, token in made.items():
        answer = local.ask(operation.method, path, "{}", {"authorization": f"Bearer {token}"})
        assert (answer.status == 403) == (ROLES[word] < operation.role), word
        assert answer.status != 401
        if answer.status == 403:
            assert answer.code == "role_too_low"


@pytest.mark.parametrize("value", ["Bearer nvk_x", "Bearer", "Basic dTpw", "nvk_x", "", "Bearer \xff", "Digest x"])
def test_another_authorization_is_401(guarded, value):
    answer = guarded[0].ask("GET", "/v1/models", headers={"authorization": value})
    assert answer.status == 401


def test_the_token_is_what_follows_the_scheme():
    assert token_of(b"bearer  abc ") == "abc"
    assert token_of(b"Basic abc") == ""


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:1", "localhost."])
def test_names_of_this_machine_are_taken(local, host):
    assert local.ask("GET", "/v1/models", headers={"host": host}).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil", "", None, "a b", "[::1", "localhost:x", "\xff"]
)
def test_another_host_is_refused_because_names_can_be_rebound(local, host):
    answer = local.ask("GET", "/v1/models", headers={"host": host})
    assert (answer.status, answer.code) == (421, "wrong_host")


def test_the_host_may_be_allowed_by_a_setting_and_with_tokens_all_are(start, guarded):
    local = start(allowed_hosts="models.example, other.example")
    assert local.ask("GET", "/healthz", headers={"host": "Models.example"}).status == 200
    assert guarded[0].ask("GET", "/healthz", headers={"host": "models.example"}).status == 200


@pytest.mark.parametrize(("host", "header"), [("127.0.0.2", "127.0.0.2:1"), ("::1", "[::1]:1")])
def test_the_address_it_listens_on_is_a_host(start, host, header):
    assert start(host=host).ask("GET", "/healthz", headers={"host": header}).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_origin_may_not_change_anything(local, headers):
    before = local.engine.status()["examples"]
    answer = local.ask(*LEARN, headers)
    assert (answer.status, answer.code) == (403, "wrong_origin")
    assert local.ask("GET", "/v1/models", headers=headers).status == 200
    assert local.engine.status()["examples"] == before


def test_the_own_page_and_other_programs_may(local):
    headers = {"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-origin"}
    assert local.ask(*LEARN, headers).status == 200
    assert local.ask(*LEARN).status == 200


def test_a_token_in_a_header_comes_from_no_page_of_another_origin(guarded):
    local, made = guarded
    headers = {"origin": "https://app.example", "authorization": f"Bearer {made['learn']}"}
    assert local.ask(*LEARN, headers).status == 200


def test_preflight_requests_of_browsers_get_no_permission(local):
    headers = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    answer = local.ask("OPTIONS", LEARN[1], headers=headers)
    assert answer.status in (403, 405)
    assert not any(name.startswith("access-control") for name in answer.headers)
