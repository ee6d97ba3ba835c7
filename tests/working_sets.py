"""Data in partitions, some of them empty or of one class, and working sets that begin with few rows."""

import pickle
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

import novikoff.distributed.working_rows as working_rows
from novikoff.distributed.rounds import on_block


def cut(X, *others, at):
    """Lists of the parts of arrays, cut before the rows ``at``; equal places make empty parts."""
    places = [0, *sorted(at), X.shape[0]]
    return [[values[a:b] for a, b in pairwise(places)] for values in (X, *others)]


def cuts(count, rows, seed=0):
    """Places that make so many parts, of which the first two of seven are empty."""
    rng = np.random.default_rng(seed)
    return (
        [0, 0, *rng.integers(0, rows + 1, count - 3)] if count == 7 else rng.integers(0, rows + 1, count - 1).tolist()
    )


def few_rows(monkeypatch, first=(2, 2), added=(2, 6)):
    """Make working sets begin with few rows, and grow by few."""
    monkeypatch.setattr(working_rows, "FIRST_ROWS", first)
    monkeypatch.setattr(working_rows, "ADDED_ROWS", added)


def separable_rows(seed, rows=120, columns=3, is_sparse=False, is_integer=False, gap=0.3):
    """Rows of two classes that a random plane separates."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (4 * rows, columns)).astype(float) if is_integer else rng.normal(size=(4 * rows, columns))
    scores = X @ rng.normal(size=columns) + 0.1
    chosen = np.flatnonzero(np.abs(scores) > gap)[:rows]
    X, y = X[chosen], np.where(scores[chosen] > 0, 1, -1)
    return (sp.csr_matrix(X) if is_sparse else X), y


def as_parts(X, y, count):
    """X and y as so many parts."""
    return cut(X, y, at=cuts(count, X.shape[0]))


def send_pickled(monkeypatch):
    """Make the threads of this process get and return copies, as the workers of a cluster do."""

    def on_copies(step, make, is_kept, part, state, command):
        step, state, command = pickle.loads(pickle.dumps((step, state, command)))
        return pickle.loads(pickle.dumps(on_block(step, make, is_kept, part, state, command)))

    monkeypatch.setattr("novikoff.distributed.engines.local.on_block", on_copies)
