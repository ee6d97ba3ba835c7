"""Threads of this process: the contract of engines, the partitions of arrays, and what is counted and closed."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clusters import SIZES, data_of, run
from engine_contract import EngineContract

from novikoff.distributed.block import checked_block
from novikoff.distributed.engines.local import LocalEngine, LocalRounds, cut
from novikoff.distributed.rounds import Data
from novikoff.errors import InvalidInputError

X = np.arange(20.0).reshape(10, 2)
Y = np.arange(10) % 2


class TestThreads(EngineContract):
    @pytest.fixture(params=[1, 3])
    def engine(self, request):
        return LocalEngine(request.param)


@pytest.mark.parametrize("is_kept", [True, False])
def test_blocks_are_made_anew_if_they_are_not_kept(is_kept):
    made = []

    def make(*part):
        made.append(part[0])
        return checked_block(*part)

    with LocalRounds(Data(make, data_of(SIZES[8]).parts, is_kept), 2) as rounds:
        run(rounds, 3)
    assert len(made) == (8 if is_kept else 24)


def times(block, state, command):
    """A step whose reply has the size of its command."""
    return state, command * block.count


def test_the_bytes_of_commands_and_replies_are_counted():
    with LocalRounds(data_of(SIZES[3]), 2) as rounds:
        assert rounds.run(times, np.array([1.0, 10.0])).tolist() == [9.0, 90.0]
        assert rounds.bytes_sent == 3 * (16 + 16)
        rounds.run(times, 2.0)
        assert rounds.bytes_sent == 3 * 32 + 3 * 16


class Unclosable(LocalRounds):
    """Rounds that cannot be closed."""

    def close(self):
        super().close()
        raise OSError("the cluster is gone")


def test_an_error_while_closing_does_not_replace_the_first_one():
    with pytest.raises(TypeError) as caught, Unclosable(data_of(SIZES[3]), 2) as rounds:
        rounds.run(times, None)
    assert caught.value.__notes__[-1] == "Closing the rounds failed, too: the cluster is gone"
    with pytest.raises(OSError, match="gone"), Unclosable(data_of(SIZES[3]), 2):
        pass


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
