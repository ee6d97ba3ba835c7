"""What ``fit`` and ``verify`` begin with."""

import numpy as np
import pytest

from novikoff.distributed.opening import opened
from novikoff.errors import InvalidInputError

X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])


def count_rows(block, state, command):
    return state, block.count


def test_the_engine_the_data_and_the_rounds_are_given_and_closed():
    with opened("here", X, Y, None, "local:2", {}) as (engine, data, rounds):
        assert (engine.name, len(data.parts), rounds.run(count_rows)) == ("local", 2, 4)
    with pytest.raises(RuntimeError, match="shutdown"):
        rounds.run(count_rows)


def test_the_rounds_are_closed_after_an_error():
    with pytest.raises(KeyError), opened("here", X, Y, None, "local:2", {}) as (_, _, rounds):
        raise KeyError
    with pytest.raises(RuntimeError, match="shutdown"):
        rounds.run(count_rows)


def test_options_of_files_are_refused_for_arrays():
    message = r"^here: index_base is an option of files, but X is not a path\.$"
    with pytest.raises(InvalidInputError, match=message), opened("here", X, Y, None, None, {"index_base": 1}):
        pass


def test_files_are_read_with_their_options(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,label\n1,2,0\n3,4,1\n")
    with opened("here", str(path), None, None, "local:2", {"target": "label"}) as (_, data, rounds):
        assert rounds.run(count_rows) == 2
        assert data.reading is not None
