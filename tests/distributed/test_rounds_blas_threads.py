"""The bits of all sums are the same for any number of threads of BLAS."""

import pickle

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from novikoff import LinearSVM, distributed
from novikoff._one_core import one_core
from novikoff.distributed.block import checked_block
from novikoff.distributed.rounds import on_block
from novikoff.distributed.soft_margin.advance import advance
from novikoff.distributed.soft_margin.cocoa import CocoaCommand
from novikoff.distributed.soft_margin.newton import NewtonCommand
from novikoff.distributed.soft_margin.setup import Setup, begin
from novikoff.online.mixing import squared_length

ROWS, COLUMNS = 20_011, 10  # BLAS divides dot products of more than 10,000 numbers among its threads


def lengths(block, state, command):
    """Return the length of weights of many columns: a step of the online learners."""
    return state, squared_length(command, 1.0)


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    weights = random.uniform(0.5, 2.0, ROWS)
    return checked_block("rows", random.normal(size=(ROWS, COLUMNS)), random.integers(0, 2, ROWS), weights)


POINT = np.random.default_rng(1).normal(size=(2, COLUMNS + 1))


@pytest.mark.parametrize(
    ("step", "command"),
    [
        (advance, {0: NewtonCommand(POINT[0], 0.25, POINT[1], start=0.5)}),
        (advance, {0: CocoaCommand(POINT[0], 1.0, 1, 0.0625, 1.0, 0, np.zeros(1))}),
        (lengths, np.random.default_rng(2).normal(size=ROWS)),
    ],
    ids=["newton", "cocoa", "lengths"],
)
def test_the_reply_of_a_step_does_not_depend_on_the_threads_of_blas(rows, step, command):
    setup = Setup((0, 1), None, ((1, -1),), None, COLUMNS, (0,), 1.0, "hinge", "free", 0.25, 8.0)
    state, _ = on_block(begin, None, True, rows, 0, setup)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            found.append(pickle.dumps(on_block(step, None, True, rows, state, command)[1]))
    assert found[0] == found[1]


def test_blas_has_one_thread_between_the_rounds_of_a_fit():
    """The sums of the driver have the same bits, too, so that a fit can go on on another machine."""
    threads = []

    def look(message, fraction):
        with one_core:  # as the fit of a model in the callback does
            pass
        threads.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")

    rows, labels = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    with threadpool_limits(2, "blas"):
        distributed.fit(LinearSVM(C=1.0), rows, labels, on="local:2", progress=look)
    assert set(threads) == {1}
