"""Threads of this process: the partitions of arrays, states, errors, and threads that end."""

import functools
import operator
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from novikoff.distributed.block import checked_block
from novikoff.distributed.engines.local import LocalEngine, LocalRounds, cut
from novikoff.distributed.rounds import Data
from novikoff.errors import InvalidInputError

X = np.arange(20.0).reshape(10, 2)
Y = np.arange(10) % 2


def rows_step(block, state, command):
    """Reply with all rows, and count the calls in the state."""
    return (state, 1) if isinstance(state, int) else (state[0], state[1] + 1), [block.X.tolist()]


def failing_step(block, state, command):
    if state == 1 or (isinstance(state, tuple) and state[0] == 1):
        raise RuntimeError("partition 1 fails")
    return "changed", 0


@pytest.mark.parametrize("threads", [1, 2, 3, 10, 64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix, pd.DataFrame, np.ndarray.tolist])
def test_arrays_become_one_partition_per_thread_in_order(threads, form):
    data = LocalEngine(threads).data("here", form(X), Y, None)
    assert len(data.parts) == min(threads, 10)
    blocks = [data.make(*part) for part in data.parts]
    rows = [block.X.toarray() if block.is_sparse else block.X for block in blocks]
    assert np.array_equal(np.concatenate(rows), X)
    assert np.array_equal(np.concatenate([block.y for block in blocks]), Y)
    assert max(map(len, rows)) - min(map(len, rows)) <= 1


def test_a_list_of_arrays_is_divided_as_it_is():
    data = LocalEngine(7).data("here", [X[:3], X[3:3], X[3:]], [Y[:3], Y[3:3], Y[3:]], None)
    blocks = [data.make(*part) for part in data.parts]
    assert [block.count for block in blocks] == [3, 0, 7]
    assert [block.name for block in blocks] == [f"here: partition {k}" for k in range(3)]
    assert all(block.weights is None for block in blocks)


def test_names_of_columns_are_kept():
    frame = pd.DataFrame(X, columns=["u", "v"])
    assert LocalEngine(2).data("here", frame, Y, None).feature_names == ("u", "v")


def test_columns_that_are_numbered_have_no_names():
    for given in (X, pd.DataFrame(X), pd.DataFrame(X, columns=["u", 5])):
        assert LocalEngine(2).data("here", given, Y, None).feature_names is None


@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        ([X, X], [Y], None, r"^here: X, y and sample_weight must be lists of the same length\."),
        ([X, X], [Y, Y], [None], r"^here: X, y and sample_weight must be lists of the same length\."),
        (X, Y[:9], None, r"^here: X has 10 rows, but y has 9\."),
        (X, Y, np.ones(11), r"^here: X has 10 rows, but sample_weight has 11\."),
        (X[0], Y, None, r"^here: X must have two dimensions, but its shape is \(2,\)\."),
    ],
)
def test_parts_that_do_not_fit_are_refused(X, y, weights, message):
    with pytest.raises(InvalidInputError, match=message):
        LocalEngine(2).data("here", X, y, weights)


def test_one_weight_for_all_rows_is_given_to_each_partition():
    parts = cut("here", X, Y, 2.0, 3)
    assert [part[3] for part in parts] == [2.0] * 3
    assert all(np.all(checked_block(*part).weights == 2.0) for part in parts)


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("threads", [1, 4])
def test_states_pass_from_round_to_round_in_the_order_of_partitions(threads, is_kept):
    made = []

    def make(*part):
        made.append(part[0])
        return checked_block(*part)

    with LocalRounds(Data(make, cut("here", X, Y, None, 5), is_kept), threads) as rounds:
        for number in range(1, 4):
            assert functools.reduce(operator.iadd, rounds.run(rows_step), []) == X.tolist()
            assert rounds.states() == [(k, number) for k in range(5)]
    assert len(made) == (5 if is_kept else 15)


def test_states_can_be_restored():
    with LocalRounds(Data(checked_block, cut("here", X, Y, None, 2)), 2) as rounds:
        rounds.restore([(7, 1), (8, 1)])
        rounds.run(rows_step)
        assert rounds.states() == [(7, 2), (8, 2)]


def test_a_step_that_fails_leaves_all_states():
    with LocalRounds(Data(checked_block, cut("here", X, Y, None, 3)), 2) as rounds:
        with pytest.raises(RuntimeError, match="partition 1 fails"):
            rounds.run(failing_step)
        assert (rounds.states(), rounds.rounds) == ([0, 1, 2], 0)


def test_threads_end_with_the_rounds():
    def count():
        return sum(thread.name.startswith("novikoff-partition") for thread in threading.enumerate())

    before = count()
    with LocalRounds(Data(checked_block, cut("here", X, Y, None, 4)), 4) as rounds:
        rounds.run(rows_step)
        assert count() > before
    assert count() == before


@pytest.mark.parametrize(("on", "threads"), [("local:1", 1), ("local:1024", 1024), ("dask", None), (None, None)])
def test_the_address_says_the_number_of_threads(on, threads):
    engine = LocalEngine.of("here", on)
    assert (engine and engine.workers()) == threads
    assert LocalEngine.of("here", "local").workers() >= 1
    assert LocalEngine(1).memory() is None
