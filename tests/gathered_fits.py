"""A plan for tests of data and checkpoints: all rows are gathered, and fitted here, after some rounds of sums."""

from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp

from novikoff.distributed.plan import PLANS
from novikoff.distributed.survey import in_width

NAME = "AROW"  # a learner that has no plan of its own
ROUNDS = 12


def gather(block, state, command):
    """Reply with the rows: a step."""
    return state, [(block.X, block.y, block.weights)] if block.count else []


def add_point(block, state, command):
    """Move the state of the partition towards the point of the command, and reply with it: a step."""
    before = np.zeros(3) if isinstance(state, int) else state["point"]
    point = 0.5 * before + np.sin(command["point"] + float(block.X.sum()))
    return {"point": point}, (point, block.count)


def descend(rounds, count=ROUNDS):
    """The points of some rounds, each of which depends on all before."""
    point, points = np.array([0.1, 0.2, 0.3]), []
    for number in range(count):
        total, rows = rounds.run(add_point, {"point": point, "number": number})
        point = point / 3 + total / rows
        points.append(point)
    return np.array(points)


def gathered(rounds, columns):
    """X, y and weights of all partitions in order."""
    found = [(in_width(X, columns), y, weights) for X, y, weights in rounds.run(gather)]
    parts = list(zip(*found, strict=True))
    X = sp.vstack(parts[0], "csr") if sp.issparse(parts[0][0]) else np.concatenate(parts[0])
    return X, *(None if values[0] is None else np.concatenate(values) for values in parts[1:])


def gathering_plan(fit):
    """Fit the learner to all rows, as on one machine."""
    descend(fit.rounds)
    fit.say("round 12, gap 0", 1.0)
    fit.model.fit(*gathered(fit.rounds, fit.survey.columns))


@contextmanager
def gathering():
    """Let ``distributed.fit`` fit ``AROW`` by this plan."""
    PLANS.register(NAME, gathering_plan)
    yield
    PLANS.unregister(NAME)
