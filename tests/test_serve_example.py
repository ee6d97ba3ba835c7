"""examples/serve_stream.py: a stream whose labels arrive late."""

import gzip
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from asgi_calls import served

import novikoff as nk

PATH = Path(__file__).parents[1] / "examples" / "serve_stream.py"
SPEC = importlib.util.spec_from_file_location(PATH.stem, PATH)
EXAMPLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(EXAMPLE)


@pytest.mark.parametrize("delay", [0, 7, 200, 1000])
def test_every_label_arrives_after_the_delay(delay, capsys, tmp_path):
    messages = list(EXAMPLE.random_messages(500))
    with served(tmp_path) as server, nk.Client(server.address, model="m") as client:
        client.create("m", EXAMPLE.LEARNER, hashing={"n_bits": EXAMPLE.HASH_BITS})
        counts = EXAMPLE.run(client, iter(messages), delay)
        found = client.describe()["counts"]
    assert counts["examples"] == found["served"] == 500
    assert counts["learning_mistakes"] == found["mistakes"]
    assert counts["served_mistakes"] == found["served_mistakes"]
    assert capsys.readouterr().out.splitlines()[-1].startswith("   500 labels: progressive accuracy ")
    if delay >= 500:
        assert counts["served_mistakes"] == 500  # nothing was known when the messages were predicted


def test_messages_are_read_from_a_compressed_file(tmp_path):
    path = tmp_path / "messages.tsv.gz"
    path.write_bytes(gzip.compress(b'ham\tsee you "soon"\nspam\t7\tfree prize\n'))
    assert list(EXAMPLE.read_messages(path)) == [('see you "soon"', "ham"), ("free prize", "spam")]


@pytest.mark.slow
def test_the_example_runs_as_a_script(tmp_path):
    command = [sys.executable, PATH, "--count", "1000", "--delay", "50"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    accuracy = re.findall(r"1000 labels: progressive accuracy ([\d.]+)%", done.stdout)
    assert float(accuracy[-1]) > 75, done.stdout
