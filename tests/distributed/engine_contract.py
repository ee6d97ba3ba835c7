"""What every engine must do, whatever runs the steps. A test file of an engine defines the fixture ``engine``."""

import numpy as np
import pytest
from clusters import (
    SIZES,
    data_of,
    divide_by_zero,
    expected,
    killed_walk,
    refuse_one,
    rows,
    run,
    same_bits,
    slow_walk,
    walk,
)

from novikoff.distributed.engines.local import LocalEngine
from novikoff.distributed.survey import survey
from novikoff.errors import InvalidInputError


def assert_same_data(engine, data, *lists):
    """The partitions are those of threads on lists of arrays, or on arrays that are divided among as many threads."""
    threads, found = LocalEngine(engine.workers()), []
    for kind, each in ((engine, data), (threads, threads.data("t", *lists))):
        with kind.open(each) as rounds:
            found.append((survey("t", rounds), rounds.run(walk, 1.0)))
    assert found[0][0] == found[1][0]
    assert same_bits(found[0][1], found[1][1])


class EngineContract:
    @pytest.mark.parametrize("count", SIZES)
    def test_the_bits_are_those_of_threads(self, engine, count):
        with engine.open(data_of(SIZES[count])) as rounds:
            assert same_bits(run(rounds), expected(SIZES[count]))
            assert rounds.rounds == 4

    def test_blocks_that_are_not_kept_give_the_same_bits(self, engine):
        with engine.open(data_of(SIZES[3], is_kept=False)) as rounds:
            assert same_bits(run(rounds), expected(SIZES[3]))

    def test_arrays_in_memory_are_divided_as_threads_divide_them(self, engine):
        assert_same_data(engine, engine.data("t", *rows(40)), *rows(40))

    def test_states_are_restored(self, engine):
        with engine.open(data_of(SIZES[3])) as rounds:
            run(rounds, 2)
            halfway = rounds.states()
            end = run(rounds, 3)
            rounds.restore(halfway)
            assert same_bits(rounds.states(), halfway)
            assert same_bits(run(rounds, 3), end)
        with engine.open(data_of(SIZES[3])) as rounds:
            rounds.restore(halfway)
            assert same_bits(run(rounds, 3), end)

    def test_large_commands_arrive(self, engine):
        command = np.random.default_rng(1).normal(size=(2000, 3))
        with engine.open(data_of(SIZES[3])) as rounds, LocalEngine(2).open(data_of(SIZES[3])) as threads:
            for _ in range(2):
                assert same_bits(rounds.run(wide, command), threads.run(wide, command))

    def test_an_error_of_a_step_arrives_as_it_is_and_leaves_the_states(self, engine):
        with engine.open(data_of(SIZES[3])) as rounds:
            first = [rounds.run(walk, 1.0 / (1 + k)) for k in range(2)]
            before = rounds.states()
            with pytest.raises(InvalidInputError) as caught:
                rounds.run(refuse_one, 3.0)
            assert type(caught.value) is InvalidInputError
            assert str(caught.value) == "t: partition 1: row 0 is not usable."
            assert same_bits(rounds.states(), before)
            assert rounds.rounds == 2
            then = [rounds.run(walk, 1.0 / (1 + k)) for k in range(2, 4)]
            assert same_bits((first + then, rounds.states()), expected(SIZES[3]))

    def test_other_errors_name_the_partition(self, engine):
        with engine.open(data_of(SIZES[3])) as rounds:
            with pytest.raises(ZeroDivisionError) as caught:
                rounds.run(divide_by_zero)
            assert "This happened in t: partition 1." in caught.value.__notes__

    def test_bad_rows_are_refused_with_their_partition(self, engine):
        data = engine.data("t", [np.ones((2, 3)), np.array([[1.0, np.nan, 2.0]])], [[1, -1], [1]], None)
        with engine.open(data) as rounds, pytest.raises(InvalidInputError, match=r"t: partition 1.*NaN"):
            rounds.run(walk, 1.0)

    def test_a_slow_worker_changes_nothing(self, engine):
        with engine.open(data_of(SIZES[3])) as rounds:
            assert same_bits(run(rounds, 2, slow_walk), expected(SIZES[3], 2))


def killed_in_the_middle(engine, path, sizes=SIZES[8]):
    """Whether all bits are those of threads if a worker process is killed in the third of four rounds."""
    with engine.open(data_of(sizes)) as rounds:
        found = [rounds.run(walk, 1.0), rounds.run(walk, 1.0 / 2)]
        found += [rounds.run(killed_walk, (str(path), 1.0 / 3)), rounds.run(walk, 1.0 / 4)]
        assert path.exists()
        return same_bits((found, rounds.states()), expected(sizes))


def wide(block, state, command):
    """A step with a large command and a large reply."""
    return state, command * (1 + block.X.sum())
