"""Values in files."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.distributed.block import checked_block
from novikoff.distributed.engines.kept_files import fingerprint, load, save


@pytest.mark.parametrize("X", [np.arange(12.0).reshape(4, 3), np.zeros((0, 3)), sp.csr_matrix(np.eye(4, 3))])
def test_a_block_is_read_as_it_was_written(tmp_path, X):
    count = X.shape[0]
    block = checked_block("t", X, np.array(["a", "b", "a", "b"])[:count], np.arange(1.0, 5.0)[:count])
    save(tmp_path / "folder" / "block", block)
    found = load(tmp_path / "folder" / "block")
    assert (found.X != block.X).sum() == 0
    assert found.X.shape == block.X.shape
    assert found.y.tolist() == block.y.tolist()
    assert (found.weights is None) == (block.weights is None)
    assert found.name == "t"
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["block"]


def test_arrays_are_aligned_and_cannot_be_written_to(tmp_path):
    save(tmp_path / "state", {"odd": np.arange(3, dtype=np.int8), "duals": np.arange(5.0), "text": "x"})
    found = load(tmp_path / "state")
    assert found["duals"].ctypes.data % 64 == 0
    assert not found["duals"].flags.writeable
    assert found["duals"].tolist() == [0, 1, 2, 3, 4]
    assert found["text"] == "x"


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")


def test_the_fingerprint_depends_on_each_value(tmp_path):
    first = np.arange(1000.0)
    save(tmp_path / "a", first)
    save(tmp_path / "b", first.copy())
    second = first.copy()
    second[500] = np.nextafter(second[500], np.inf)
    save(tmp_path / "c", second)
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b")
    assert fingerprint(tmp_path / "a") != fingerprint(tmp_path / "c")
