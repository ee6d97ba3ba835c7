"""Steps whose result depends on the order of additions, and clusters of real processes on this machine."""

import os
import signal
import time
import uuid
from pathlib import Path

import numpy as np
import pandas as pd

import novikoff as nk
import novikoff.distributed.engines.local as local
from novikoff.distributed.block import checked_block
from novikoff.distributed.rounds import Data
from novikoff.errors import input_error

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
WORKER_PATH = os.pathsep.join([str(HERE), str(SOURCE)])  # PYTHONPATH of workers, which import this module
COLUMNS = 3
HASHING = nk.Hashing(n_bits=10)
SIZES = {1: [7], 3: [5, 0, 4], 8: [3, 0, 1, 2, 1, 0, 6, 2]}  # rows of the partitions: some are empty, some have one row


def rows(count, seed=0):
    """Rows of very different magnitudes, so that each order of additions rounds differently; labels; weights."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, COLUMNS)) * 10.0 ** random.integers(-8, 8, size=(count, COLUMNS))
    return X, np.where(np.arange(count) % 3 == 0, -1, 1), random.uniform(0.5, 2, size=count)


def pieces(sizes):
    """The rows of partitions of these sizes, as lists of X, y and weights."""
    X, y, weights = rows(sum(sizes))
    ends = np.cumsum(sizes)[:-1]
    return np.split(X, ends), np.split(y, ends), np.split(weights, ends)


def data_of(sizes, is_kept=True):
    """A data set with partitions of these sizes."""
    parts = [(f"t: partition {k}", *part) for k, part in enumerate(zip(*pieces(sizes), strict=True))]
    return Data(checked_block, parts, is_kept=is_kept)


def noted_block(folder, name, *part):
    """Make a block, and leave a file in a folder."""
    (Path(folder) / uuid.uuid4().hex).touch()
    return checked_block(name, *part)


def walk(block, state, command):
    """A step: the sum of the rows times the command, plus the last sum; and a reply that depends on all states."""
    number, total = state if isinstance(state, tuple) else (state, np.zeros(COLUMNS))
    total = total * 0.3 + command * (block.X.T @ np.ones(block.count)) * (1 + number)
    return (number, total), (total, float(total.sum()) / 7, [int(number)])


def slow_walk(block, state, command):
    """The step ``walk``, for which the last partition takes its time."""
    number = state[0] if isinstance(state, tuple) else state
    time.sleep(0.5 if number == 2 else 0.0)
    return walk(block, state, command)


def sleep(block, state, command):
    """A step that takes some seconds."""
    time.sleep(command)
    return state, 1


def killed_walk(block, state, command):
    """The step ``walk``, in which the worker process of partition 1 kills itself once: if a file is not there yet."""
    path, factor = command
    number = state[0] if isinstance(state, tuple) else state
    if number == 1 and not Path(path).exists():
        Path(path).write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return walk(block, state, factor)


def walk_without_executor(block, state, command):
    """The step ``walk``, in which the Spark executor of partition 1, the process of Java, is killed once."""
    path, factor = command
    number = state[0] if isinstance(state, tuple) else state
    if number == 1 and not Path(path).exists():
        Path(path).write_text(str(os.getpid()))
        daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
        time.sleep(60)
    return walk(block, state, factor)


def refuse_one(block, state, command):
    """A step that refuses partition 1."""
    number = state[0] if isinstance(state, tuple) else state
    if number == 1:
        raise input_error(block.name, "row 0 is not usable.")
    return walk(block, state, command)


def divide_by_zero(block, state, command):
    """A step with an error that is not one of novikoff."""
    number = state[0] if isinstance(state, tuple) else state
    return state, 1 // (number - 1)


def process_id(block, state, command):
    """A step whose replies name the processes of the workers. It takes some seconds."""
    time.sleep(command or 0)
    return state, [os.getpid()]


def run(rounds, count=4, step=walk):
    """The replies of some rounds, and the states after them."""
    return [rounds.run(step, 1.0 / (1 + k)) for k in range(count)], rounds.states()


def expected(sizes, count=4):
    """What ``run`` gives on threads of this process."""
    with local.LocalRounds(data_of(sizes), 2) as rounds:
        return run(rounds, count)


def bits(value):
    """All numbers of a nested value, as bytes in hexadecimal."""
    if isinstance(value, tuple | list):
        return [bits(entry) for entry in value]
    return np.asarray(value).tobytes().hex()


def same_bits(first, second):
    """Whether two nested values have the same bits."""
    return bits(first) == bits(second)


def local_directory(block, state, command):
    """A step whose reply is the local directory of a Spark executor."""
    return state, [os.environ["SPARK_LOCAL_DIRS"].split(",")[0]]


def hashable_frame():
    """A table of numbers, categories, text and labels."""
    return pd.DataFrame(
        {
            "age": [39, 50, 38, 53, 28],
            "job": ["clerk", "smith", "clerk", "judge", "smith"],
            "note": ["a kind man", "man of iron", "iron", "a judge", "kind of iron man"],
            "y": [1, 0, 1, 1, 0],
        }
    )


def hashed_sums(frame):
    """The sums of the columns of the whole table: integers, whatever the order of the rows."""
    X, _ = nk.read(frame, target="y", hashing=HASHING, text=["note"])
    return X.sum(axis=0)


def column_sums(block, state, command):
    """A step whose reply is the sum of the rows."""
    return state, np.asarray(block.X.sum(axis=0)).ravel()
