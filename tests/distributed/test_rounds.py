"""Rounds: what is counted, and how a block is made for a step."""

import numpy as np
import pytest

from novikoff.distributed.block import checked_block
from novikoff.distributed.protocol import tree_sum
from novikoff.distributed.rounds import Data, Rounds, on_block


class Plain(Rounds):
    """Rounds in a loop."""

    def __init__(self, values):
        super().__init__(len(values))
        self.values, self.kept, self.is_closed = values, list(range(len(values))), False

    def _map(self, step, command):
        found = [step(value, state, command) for value, state in zip(self.values, self.kept, strict=True)]
        self.kept = [state for state, _ in found]
        return tree_sum([reply for _, reply in found])

    def states(self):
        return list(self.kept)

    def restore(self, states):
        self.kept = list(states)

    def close(self):
        self.is_closed = True


def step(value, state, command):
    if command is None:
        raise RuntimeError("no command")
    return state + 1, command * value


def test_rounds_and_bytes_are_counted():
    with Plain([1.0, 2.0, 3.0]) as rounds:
        assert rounds.run(step, np.array([1.0, 10.0])).tolist() == [6.0, 60.0]
        assert (rounds.rounds, rounds.bytes_sent, rounds.states()) == (1, 3 * (16 + 16), [1, 2, 3])
        rounds.run(step, 2.0)
        assert (rounds.rounds, rounds.bytes_sent) == (2, 3 * 32 + 3 * 16)
        assert not rounds.is_closed
    assert rounds.is_closed


def test_a_round_that_fails_is_not_counted_and_leaves_the_states():
    rounds = Plain([1.0, 2.0])
    with pytest.raises(RuntimeError):
        rounds.run(step)
    assert (rounds.rounds, rounds.bytes_sent, rounds.states()) == (0, 0, [0, 1])


class Unclosable(Plain):
    """Rounds that cannot be closed."""

    def close(self):
        raise OSError("the cluster is gone")


def test_an_error_while_closing_does_not_replace_the_first_one():
    with pytest.raises(RuntimeError, match="no command") as caught, Unclosable([1.0]) as rounds:
        rounds.run(step)
    assert caught.value.__notes__ == ["Closing the rounds failed, too: the cluster is gone"]
    with pytest.raises(OSError, match="gone"), Unclosable([1.0]):
        pass


def count_rows(block, state, command):
    return (state, command), block.count


def test_a_block_is_made_anew_if_it_is_not_kept():
    part = ("here", np.ones((4, 2)), np.zeros(4))
    assert on_block(count_rows, checked_block, False, part, 7, "c") == ((7, "c"), 4)
    assert on_block(count_rows, None, True, checked_block(*part), 7, "c") == ((7, "c"), 4)
    assert Data(checked_block, [part]).is_kept
