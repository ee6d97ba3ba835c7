"""The file of tokens."""

import os
import stat
from pathlib import Path

import pytest

from novikoff.errors import InvalidInputError
from novikoff.serve.http import tokens
from novikoff.serve.http.roles import Role
from novikoff.serve.http.tokens import Tokens, add_token, read_tokens


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "tokens.txt")


def test_a_token_has_its_role_and_is_not_in_the_file(file):
    made = {role: add_token(file, role) for role in (Role.PREDICT, Role.LEARN, Role.ADMIN)}
    found = Tokens(file)
    assert {role: found.role(token) for role, token in made.items()} == {role: role for role in made}
    text = Path(file).read_text()
    assert not any(token in text or token[4:] in text for token in made.values())
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert len(set(made.values())) == 3


@pytest.mark.parametrize("token", ["", "x", "nvk_", "n" * 10_000, "nvk_\udcff", "\0"])
def test_other_tokens_have_no_role(file, token):
    add_token(file, Role.ADMIN)
    assert Tokens(file).role(token) is Role.NOBODY


def test_every_entry_is_compared_in_constant_time(file, monkeypatch):
    first, _ = add_token(file, Role.PREDICT), add_token(file, Role.ADMIN)
    compared = []
    monkeypatch.setattr(tokens.hmac, "compare_digest", lambda a, b: compared.append(1) or a == b)
    assert Tokens(file).role(first) is Role.PREDICT
    assert len(compared) == 2


def test_a_token_that_was_removed_is_not_valid_any_more(file, monkeypatch):
    monkeypatch.setattr(tokens, "REREAD_SECONDS", 0.0)
    token = add_token(file, Role.ADMIN)
    found = Tokens(file)
    assert found.role(token) is Role.ADMIN
    other = add_token(file, Role.LEARN)
    assert found.role(other) is Role.LEARN
    lines = Path(file).read_text().splitlines()
    Path(file).write_text("\n".join(line for line in lines if not line.startswith("admin")))
    assert (found.role(token), found.role(other)) == (Role.NOBODY, Role.LEARN)
    third = add_token(file, Role.LEARN)  # after a line without an end
    assert found.role(third) is Role.LEARN
    os.unlink(file)
    assert found.role(other) is Role.NOBODY


def test_a_file_without_tokens_is_refused(file):
    Path(file).write_text("# none\n")
    with pytest.raises(InvalidInputError, match="--new-token"):
        Tokens(file)


@pytest.mark.parametrize("text", ["admin\n", "root blake2b:" + "0" * 64, "admin blake2b:12", "admin nvk_secret"])
def test_an_invalid_line_is_refused_with_its_place(file, text):
    Path(file).write_text(text)
    with pytest.raises(InvalidInputError, match="line 1"):
        read_tokens(file)


def test_a_file_that_others_may_write_is_refused(file):
    add_token(file, Role.ADMIN)
    os.chmod(file, 0o666)
    with pytest.raises(InvalidInputError, match="chmod 600"):
        read_tokens(file)


def test_a_missing_file_is_refused(file):
    with pytest.raises(InvalidInputError, match="tokens"):
        Tokens(file)
    with pytest.raises(InvalidInputError, match="written"):
        add_token(file + "/x", Role.ADMIN)
