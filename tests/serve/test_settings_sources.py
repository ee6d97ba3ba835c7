"""Where settings come from, and which source wins."""

import pytest

from novikoff.errors import InvalidInputError
from novikoff.serve.settings_sources import read_settings

FILE = """
port = 1
queue = 2
max_body = "1MiB"

[models.spam]
learner = "arow"
parameters = { r = 0.5 }
classes = ["ham", "spam"]
hashing = { n_bits = 20 }

[models.spam.shadows.simple]
learner = "perceptron"

[models.other]
learner = "tracker"
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(FILE)
    return str(path)


def test_the_command_line_comes_before_the_environment_before_the_file(file):
    found = read_settings({"port": "3", "host": None}, {"NOVIKOFF_SERVE_PORT": "2", "NOVIKOFF_SERVE_QUEUE": "9"}, file)
    assert (found.port, found.queue, found.max_body, found.host) == (3, 9, 1 << 20, "127.0.0.1")
    sources = [found.source(name) for name in ("port", "queue", "max_body", "host")]
    assert sources == ["--port", "NOVIKOFF_SERVE_QUEUE", file, "default"]


def test_the_environment_may_name_the_file(file):
    assert read_settings({}, {"NOVIKOFF_SERVE_SETTINGS": file}).queue == 2


def test_an_empty_variable_is_not_a_setting():
    assert read_settings({}, {"NOVIKOFF_SERVE_QUEUE": "", "NOVIKOFF_DATA": "x"}).queue == 65536


def test_models_and_their_shadows_are_read(file):
    models = read_settings({}, {}, file).models
    assert models["spam"].specification == {
        "learner": "arow",
        "parameters": {"r": 0.5},
        "classes": ["ham", "spam"],
        "hashing": {"n_bits": 20},
    }
    assert models["spam"].shadows == {"simple": {"learner": "perceptron"}}
    assert models["other"].shadows == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("port = ", "not valid TOML"),
        ("prot = 1", "'prot'"),
        ("port = 'x'", "port: a whole number"),
        ("models = 1", "[models.NAME]"),
        ("[models]\na = 1", "the key learner"),
        ("[models.a]\nlearner = 1", "the key learner is missing"),
        ("[models.a]\nlearner = 'x'\npath = 'y'", "'path'"),
        ("[models.'a/b']\nlearner = 'x'", "'a/b'"),
        ("[models.a]\nlearner = 'x'\nshadows = 1", "shadows must be tables"),
        ("[models.a]\nlearner = 'x'\n[models.a.shadows.'..']\nlearner = 'x'", "'..'"),
        ("[models.a]\nlearner = 'x'\n[models.a.shadows.b]\nclasses = []", "'classes'"),
    ],
)
def test_an_invalid_file_is_one_sentence_with_its_place(tmp_path, text, words):
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        read_settings({}, {}, str(path))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_errors(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff")
    for name in ("missing", "binary", "."):
        with pytest.raises(InvalidInputError, match=str(tmp_path)):
            read_settings({}, {}, str(tmp_path / name))


def test_an_unknown_variable_is_refused():
    with pytest.raises(InvalidInputError, match="NOVIKOFF_SERVE_PROT"):
        read_settings({}, {"NOVIKOFF_SERVE_PROT": "1"})
