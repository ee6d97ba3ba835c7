"""Sparse arrays of a file: they come back bit for bit, take the space of what occurs, and are refused if forged."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from learners import LEARNERS, REPRESENTATIVES
from novikoff._wide_array import WideArray
from novikoff.persistence import sparse_tensors
from novikoff.persistence.codec import Tensors
from novikoff.persistence.sparse_tensors import compress, expand
from saved import ALL, TWO, again, fitted
from share import slow_unless
from snapshots import plain

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

WIDTH = 2**20


def with_entries(shape, entries, dtype=np.float64):
    array = np.zeros(shape, dtype)
    for place, value in entries.items():
        array.reshape(-1)[place] = value
    return array


ARRAYS = {
    "weights": with_entries(1000, {3: 0.1, 999: -5e-324}),
    "a negative zero": with_entries(1000, {0: -0.0, 7: np.inf}),
    "zeros": np.zeros(500),
    "a matrix": with_entries((2, 300), {299: 1.0, 300: 2.0}),
    "integers": with_entries(2000, {5: -1}, np.int64),
    "single bytes": with_entries(3000, {2999: -1}, np.int8),
    "dense": np.arange(500.0),
    "short": np.zeros(10),
    "empty": np.zeros(0),
}


def test_arrays_come_back_bit_for_bit():
    shapes, stored = compress(ARRAYS)
    assert set(shapes) == set(ARRAYS) - {"dense", "short", "empty"}
    expand(shapes, stored)
    assert plain({name: stored[name] for name in ARRAYS}) == plain(ARRAYS)
    assert set(stored) == set(ARRAYS)


@given(st.dictionaries(st.integers(0, 4999), st.floats(allow_nan=False), max_size=40))
def test_any_sparse_array_comes_back(entries):
    array = with_entries(5000, entries)
    shapes, stored = compress({"a": array})
    assert sum(part.nbytes for part in stored.values()) <= 12 * len(entries)
    expand(shapes, stored)
    assert stored["a"].tobytes() == array.tobytes()


def test_an_array_is_sparse_only_if_that_is_smaller():
    for dtype in (np.float64, np.float32, np.int8):
        array = np.zeros(10_000, dtype)
        limit = (array.nbytes - sparse_tensors.OVERHEAD_BYTES) // (array.itemsize + 4)
        for count, is_sparse in ((limit, True), (limit + 1, False)):
            array[:count] = 1
            assert bool(compress({"a": array})[0]) == is_sparse


def test_beyond_the_limit_arrays_are_dense(monkeypatch):
    monkeypatch.setattr(sparse_tensors, "MAX_DENSE_BYTES", 20_000)
    shapes, _ = compress({name: np.zeros(1000) for name in "abc"})
    assert list(shapes) == ["a", "b"]


WIDE = {
    "a vector": ((2**31 - 1,), {3: 0.1, 2**31 - 2: -5e-324}),
    "a negative zero": ((2**40,), {0: -0.0, 7: 1.0}),
    "a matrix": ((2, 2**31), {5: 1.0, 2**31: 2.0, 2**32 - 1: -3.0}),
    "three dimensions": ((2, 2, 10**6), {0: 1.0, 3_999_999: 2.0}),
    "zeros": ((10**8,), {}),
}


@pytest.mark.parametrize(("shape", "entries"), WIDE.values(), ids=WIDE.keys())
def test_wide_arrays_stay_compact(shape, entries):
    positions, values = np.array(list(entries), np.int64), np.array(list(entries.values()), np.float64)
    shapes, stored = compress({"a": WideArray.of_positions(shape, positions, values)})
    assert shapes == {"a": list(shape)}
    assert sum(part.nbytes for part in stored.values()) <= 16 * len(entries)
    tensors = Tensors(stored, dense_bytes=1000)
    expand(shapes, tensors)
    assert isinstance(tensors["a"], WideArray)
    assert tensors["a"].shape == shape
    assert plain(tensors["a"].positions()) == plain((positions, values))


@pytest.mark.parametrize("name", ["svm", "svm, joint", "svm, warm", "path", "hard margin", "cross-validated"])
def test_models_of_wide_rows_are_saved_and_loaded_in_the_memory_of_their_columns(name):
    """A dense vector of weights would take 17 GB."""
    rows = sp.csr_array(([1.0, 2.0, -1.0, -2.0] * 3, [0, 2**31 - 2, 1, 2**30] * 3, range(0, 14, 2)), (6, 2**31 - 1))
    model = fitted(name, ["yes", "no"] * 3, rows, **({"cv": 2} if name == "cross-validated" else {}))
    data = nk.dumps(model)
    assert len(data) < 20_000
    copy = nk.loads(data)
    assert nk.dumps(copy) == data
    if name != "path":  # which has several models
        assert copy.predict(rows).tolist() == model.predict(rows).tolist()
    assert nk.verify(copy, rows, ["yes", "no"] * 3)


# ---- files ---------------------------------------------------------------------------------------------------------


def scattered(rows, width, seed=0):
    """A few entries in each of some rows, anywhere in a wide matrix."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.choice(width, size=(rows, 5)), axis=1)
    offsets = np.arange(0, 5 * rows + 1, 5)
    return sp.csr_array((rng.normal(size=5 * rows), places.ravel().astype(np.int32), offsets), shape=(rows, width))


@pytest.mark.parametrize("name", slow_unless(lambda name: name in REPRESENTATIVES or name not in LEARNERS, ALL))
def test_the_size_of_a_file_depends_on_what_occurs_and_not_on_the_width(tmp_path, name):
    sizes = []
    for width in (2**10, WIDTH):
        model = fitted(name, TWO, scattered(len(TWO), width))
        copy = again(model, tmp_path / "model.nvk")
        weights = "coef_" if hasattr(model, "coef_") else "coefs_"
        assert np.array_equal(getattr(copy, weights), getattr(model, weights))
        sizes.append((tmp_path / "model.nvk").stat().st_size)
    assert sizes[1] <= max(1.25 * sizes[0], sizes[0] + 2000)


# ---- forged files --------------------------------------------------------------------------------------------------

GOOD = {"a": [1000]}
NO_INDICES, NO_VALUES = np.zeros(0, np.int32), np.zeros(0)
EMPTY = {"b.indices": NO_INDICES, "b.values": NO_VALUES, "c.indices": NO_INDICES, "c.values": NO_VALUES}


def indices(*places, dtype=np.int32):
    return {"a.indices": np.array(places, dtype)}


FORGED = {  # shapes, and tensors in addition to those of a good array
    "not an object": ([], {}),
    "null": (None, {}),
    "a shape that is a number": ({"a": 1000}, {}),
    "a shape of floats": ({"a": [1000.0]}, {}),
    "a shape of bools": ({"a": [True]}, {}),
    "a negative shape": ({"a": [-1, -1000]}, {}),
    "an empty shape": ({"a": []}, {}),
    "too many dimensions": ({"a": [1] * 50 + [1000]}, {}),
    "an absurd length": ({"a": [2**63]}, {}),
    "an absurd product": ({"a": [2**40, 1000]}, {}),
    "a product that overflows": ({"a": [2**60, 2**60]}, {}),
    "a product that overflows, with a zero": ({"a": [0, 2**60, 2**60]}, {}),
    "many rows of a wide array": ({"a": [2**40, 2**20]}, {}),
    "an absurd sum": ({"b": [2**14, 1000], "c": [2**15, 1000]}, EMPTY),
    "an array without tensors": ({"d": [1000]}, {}),
    "an array without values": ({"d": [1000]}, {"d.indices": NO_INDICES}),
    "a dense array as well": (GOOD, {"a": np.zeros(1000)}),
    "indices of 16 bits": (GOOD, indices(1, 2, dtype=np.int16)),
    "indices that are floats": (GOOD, indices(1, 2, dtype=np.float64)),
    "indices of two dimensions": (GOOD, indices([1], [2])),
    "more indices than values": (GOOD, indices(1, 2, 3)),
    "an index twice": (GOOD, indices(1, 1)),
    "descending indices": (GOOD, indices(2, 1)),
    "a negative index": (GOOD, indices(-1, 1)),
    "an index beyond the end": (GOOD, indices(1, 1000)),
}


@pytest.mark.parametrize(("shapes", "more"), FORGED.values(), ids=FORGED.keys())
def test_forged_arrays_are_refused(shapes, more):
    _, tensors = compress({"a": with_entries(1000, {3: 1.0, 5: 2.0})})
    with pytest.raises(nk.InvalidInputError, match=r"^(sparse|a|c|d|sparse\.[ac]): .*\.$"):
        expand(shapes, Tensors({**tensors, **more}, dense_bytes=sparse_tensors.dense_allowance(0)))
