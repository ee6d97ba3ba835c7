"""novikoff serve: its settings, its tokens, and what it prints when it cannot start."""

import pytest
from command import assert_refused, done, novikoff

from novikoff.serve.http.roles import Role
from novikoff.serve.http.tokens import Tokens
from novikoff.serve.settings import SETTINGS


def test_check_prints_every_setting_with_its_source(tmp_path):
    (tmp_path / "s.toml").write_text('queue = 9\n[models.spam]\nlearner = "arow"\n')
    arguments = ("serve", "--settings", "s.toml", "--state", "d", "--check")
    run = done(*arguments, folder=tmp_path, NOVIKOFF_SERVE_PORT="7")
    lines = dict(line.split(None, 1) for line in run.out.splitlines())
    assert set(lines) == {*SETTINGS, "models.spam"}
    assert lines["state"] == "d  (--state)"
    assert lines["port"] == "7  (NOVIKOFF_SERVE_PORT)"
    assert lines["queue"] == "9  (s.toml)"
    assert lines["host"] == "127.0.0.1  (default)"
    found = done(*arguments, "--json", folder=tmp_path).json
    assert found["queue"] == {"value": 9, "source": "s.toml"}
    assert found["models"] == {"spam": {"learner": "arow"}}
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        ("", ["--learner", "foo"], ["--learner", "'foo'", "perceptron"]),
        ('learner = "foo"', [], ["s.toml", "'foo'"]),
        ('[models.a]\nlearner = "foo"', [], ["[models.a]", "'foo'"]),
        ('[models.a]\nlearner = "arow"\nparameters = { r = -1 }', [], ["[models.a]", "r must be"]),
        ('[models.a]\nlearner = "arow"\nhashing = { n_bts = 4 }', [], ["[models.a]", "'n_bts'"]),
        ('[models.a]\nlearner = "arow"\n[models.a.shadows.b]\nlearner = "foo"', [], ["[models.a.shadows.b]", "'foo'"]),
    ],
)
@pytest.mark.parametrize("check", [[], ["--check"]])
def test_models_that_cannot_be_made_are_refused_before_the_start(tmp_path, content, arguments, words, check):
    (tmp_path / "s.toml").write_text(content)
    given = ("serve", "--settings", "s.toml", "--state", "d", *arguments, *check)
    assert_refused(novikoff(*given, folder=tmp_path), *words)
    assert not (tmp_path / "d").exists()


def test_a_new_token_is_printed_once_and_stored_as_a_hash(tmp_path):
    found = done("serve", "--tokens", "t", "--new-token", "learn", "--json", folder=tmp_path).json
    assert Tokens(str(tmp_path / "t")).role(found["token"]) is Role.LEARN
    assert found["token"] not in (tmp_path / "t").read_text()
    assert found["token"] not in done("serve", "--tokens", "t", "--new-token", "admin", folder=tmp_path).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["--state"]),
        (["--state", __file__], ["is a file", "directory"]),
        (["--state", "d", "--port", "x"], ["--port", "whole number"]),
        (["--state", "d", "--durability", "some"], ["--durability", "full, normal or off"]),
        (["--state", "d", "--host", "0.0.0.0"], ["--host", "--tokens"]),
        (["--state", "d", "--tokens", "none", "--check"], ["none"]),
        (["--state", "d", "--tls-certificate", "none", "--tls-key", "k", "--check"], ["none", "cannot be read"]),
        (["--state", "d", "--tls-key", "k"], ["--tls-certificate"]),
        (["--settings", "none"], ["none"]),
        (["--new-token", "root", "--tokens", "t"], ["--new-token", "predict, learn, admin"]),
        (["--new-token", "admin"], ["--tokens"]),
    ],
)
def test_what_cannot_be_is_one_sentence_that_names_the_option(tmp_path, arguments, words):
    assert_refused(novikoff("serve", *arguments, folder=tmp_path), *words)
    assert list(tmp_path.iterdir()) == []
