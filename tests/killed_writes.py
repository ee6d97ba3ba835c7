"""Processes that write a file again and again and are killed: what they leave, as JSON.

    PYTHONPATH=tests:tests/cli python tests/killed_writes.py ACTION FOLDER SEED COUNT

The file has two versions. A child of this process writes one after the other until it is killed, half of the children
after a random time and the others before or after a random call of those that make a write atomic. Then the file must
be one of the two versions, byte for byte, and next to it there may only be hidden files, which no later write minds.
"""

import itertools
import json
import os
import random
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
from command import novikoff

import novikoff as nk

CALLS = ("open", "fchmod", "fsync", "replace", "close")  # of ``os``
HIDDEN = re.compile(r"\.out[\w.]*\.[0-9a-f]{16}")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 6))
LABELS = [np.where(X @ RNG.normal(size=6) > 0, "yes", "no") for _ in range(2)]


def command(*arguments):
    """Run a subcommand in this process."""
    done = novikoff(*arguments)
    assert done.code == 0, done.err


def inputs(folder):
    """Two versions of a data set and of a model."""
    data, models = [], []
    for version, y in enumerate(LABELS):
        data.append(folder / f"data{version}.svm")
        models.append(folder / f"model{version}.nvk")
        nk.write_svmlight(X, np.where(y == "yes", 1, -1), data[-1])
        nk.save(nk.LinearSVM(C=1.0).fit(X, np.where(y == "yes", 1, -1)), models[-1])
    return data, models


def save(folder, data, models):
    held = [nk.LinearClassifier.of(RNG.normal(size=(1, 200_000)), [0.0], [0, 1]) for _ in range(2)]
    return ".nvk", lambda version, path: nk.save(held[version], path)


def parquet(folder, data, models):
    return ".parquet", lambda version, path: nk.write((np.tile(X, (40, 1)), np.tile(LABELS[version], 40)), path)


def convert(folder, data, models):
    return ".csv", lambda version, path: command("convert", data[version], path)


def convert_compressed(folder, data, models):
    return ".ndjson.gz", lambda version, path: command("convert", data[version], path)


def convert_model(folder, data, models):
    return ".model", lambda version, path: command("convert", models[version], path)


def predictions(folder, data, models):
    return ".txt", lambda version, path: command("predict", models[version], data[version], "--scores", "-o", path)


def report(folder, data, models):
    arguments = ("--holdout", "0", "-q", "-o")
    return ".html", lambda version, path: command("report", models[version], data[version], *arguments, path)


def stream(folder, data, models):
    return ".nvk", lambda version, path: command("stream", data[version], "-q", "-o", path)


ACTIONS = {
    action.__name__: action
    for action in (save, parquet, convert, convert_compressed, convert_model, predictions, report, stream)
}


def kill_at(rng):
    """Have this process killed before or after one of the next calls that make a write atomic."""
    calls = [rng.randrange(1, 12)]
    is_before = rng.random() < 0.5

    def counted(call):
        def wrapper(*given, **options):
            calls[0] -= 1
            if calls[0] == 0 and is_before:
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*given, **options)
            if calls[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapper

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


def killed_child(work, rng, seconds):
    """Do work in a child that is killed; return the signal that ended it, or None."""
    is_timed = rng.random() < 0.5
    child = os.fork()
    if child == 0:
        if not is_timed:
            kill_at(rng)
        work()
        os._exit(0)
    if is_timed:
        time.sleep(rng.uniform(0, seconds))
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else None


def main(name, folder, seed, count):
    """Kill ``count`` children and print what they left."""
    place = Path(folder, "written")
    place.mkdir()
    suffix, write = ACTIONS[name](Path(folder), *inputs(Path(folder)))
    path, versions, rng = place / f"out{suffix}", [], random.Random(seed)
    start = time.monotonic()
    for version in (0, 1):
        write(version, path)
        versions.append(path.read_bytes())
    seconds = time.monotonic() - start

    def write_for_ever():
        for turn in itertools.count():
            write(turn % 2, path)

    left = {"signals": [], "torn": 0, "visible": [], "hidden": 0, "versions": len(set(versions))}
    for turn in range(count):
        if turn % 5 == 0:
            path.unlink(missing_ok=True)
        left["signals"].append(killed_child(write_for_ever, rng, seconds))
        left["torn"] += path.exists() and path.read_bytes() not in versions
        left["visible"] += [other for other in os.listdir(place) if other != path.name and not HIDDEN.fullmatch(other)]
    left["hidden"] = len(set(os.listdir(place)) - {path.name})
    write(0, path)
    left["torn"] += path.read_bytes() != versions[0]
    left["signals"] = sorted(set(left["signals"]))
    print(json.dumps(left))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
