"""Streams that save, are killed, and resume, until one of them comes to the end: what they leave, as JSON.

    PYTHONPATH=tests:tests/cli python tests/killed_streams.py NAME FOLDER SEED COUNT [OPTION ...]

Half of the processes are killed after a random time, the others before or after a random call of those that make a save
atomic. After COUNT kills the next process is left alone. The model must have the bits of one uninterrupted run.
Options, such as --delay 100, are those of all streams.
"""

import json
import random
import sys
import time
from pathlib import Path

import numpy as np
import sets
from command import novikoff

import novikoff as nk
from killed_writes import killed_child
from novikoff.persistence.model_file import load_position, load_stream

ROWS, COLUMNS = 20_000, 4


def written(name, folder):
    """A file of many batches, such as data.csv.gz."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(ROWS, COLUMNS)), 2)
    y = np.where(X @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS) > 0, 1, -1)
    kind = name.split(".")[1]
    nk.write((X, y), folder / name, format="svmlight" if kind == "svm" else kind)
    return folder / name


def learn(data, model, *options):
    run = novikoff("stream", data, "-o", model, "-q", *options)
    assert run.code == 0, run


def is_at_end(model):
    """Whether a model has learned all rows, and waits for no label."""
    if not model.exists():
        return False
    stored = load_stream(model)
    return stored.position.rows == ROWS and stored.unlearned is None


def main(name, folder, seed, count, *options):
    """Kill ``count`` streams, and print what is left at the end."""
    folder, rng = Path(folder), random.Random(seed)
    data, whole, model = written(name, folder), folder / "whole.nvk", folder / "m.nvk"
    start = time.monotonic()
    learn(data, whole, *options)
    seconds = time.monotonic() - start

    def resume():
        learn(data, model, "--resume", "--save-every", "0.01s", *options)

    kills = resumed = ends = 0
    same = True
    while kills < count:
        begun = load_position(model)[1].rows if model.exists() else 0
        was_killed = killed_child(resume, rng, seconds) is not None
        kills += was_killed
        resumed += begun > 0
        if not was_killed or is_at_end(model):
            same = same and sets.same_model(model, whole)
            model.unlink(missing_ok=True)
            ends += 1
    learn(data, model, "--resume", *options)
    same = same and sets.same_model(model, whole)
    print(json.dumps({"kills": kills, "resumed": resumed, "ends": ends, "same": same}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
