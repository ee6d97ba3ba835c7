"""Blocks and entries of the server's log for tests."""

import json

import numpy as np
from hypothesis import strategies as st

from novikoff.serve.log.blocks import Block, encode
from novikoff.serve.log.records import CREATE, EXAMPLES, Entry

INTEGERS = st.integers(-(2**63), 2**63 - 1)


def random_block(rng, n=3, features=4, *, is_full=False):
    """A block of n examples, each with at most as many features as told; with all optional parts if it is full."""
    lengths = rng.integers(0, features + 1, n)
    size = int(lengths.sum())
    ids = [None if i % 3 == 1 else f"id-ä{rng.integers(1000)}" for i in range(n)]
    return Block(
        int(rng.integers(5)),
        [f"name {i}" for i in range(rng.integers(3))],
        0,
        [["spam", 7, True][rng.integers(3)]],
        np.r_[0, np.cumsum(lengths)],
        rng.integers(0, 100, size).astype(np.int32),
        rng.normal(size=size),
        rng.integers(-1, 2, n).astype(np.int32),
        rng.random(n) if is_full else None,
        ids if is_full else None,
        (rng.integers(-2, 2, n).astype(np.int32), rng.integers(0, 2**40, n)) if is_full else None,
    )


@st.composite
def blocks(draw):
    """Any block with up to eight examples."""
    block = random_block(np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.integers(0, 8)))
    n = len(block.codes)
    block.names = draw(st.lists(st.text(max_size=5), max_size=4))
    block.labels = draw(st.lists(st.text(max_size=5) | INTEGERS | st.booleans(), max_size=4))
    if draw(st.booleans()):
        block.weights = np.array(draw(st.lists(st.floats(0, 1e300), min_size=n, max_size=n)), dtype=float)
    if draw(st.booleans()):
        block.ids = draw(st.lists(st.none() | st.text(max_size=5), min_size=n, max_size=n))
    if draw(st.booleans()):
        codes = draw(st.lists(st.integers(-2, 2**31 - 1), min_size=n, max_size=n))
        versions = draw(st.lists(st.integers(0, 2**63 - 1), min_size=n, max_size=n))
        block.served = np.array(codes, dtype=np.int32), np.array(versions, dtype=np.int64)
    return block


def same(one, other):
    """Whether two blocks are equal, labels also in their type."""
    served = [part for block in (one, other) for part in (block.served or (None, None))]
    arrays = [(one.indptr, other.indptr), (one.columns, other.columns), (one.values, other.values)]
    arrays += [(one.codes, other.codes), (one.weights, other.weights), (served[0], served[2]), (served[1], served[3])]
    lists = [(one.names, other.names), (one.ids, other.ids), (one.first_name, other.first_name)]
    lists += [(one.first_label, other.first_label)]
    lists += [([(type(label), label) for label in block.labels] for block in (one, other))]
    return all(np.array_equal(a, b) if a is not None else b is None for a, b in arrays) and all(
        a == b for a, b in lists
    )


def create(name="default"):
    return Entry(None, CREATE, 0, 0, json.dumps({"name": name, "specification": {}}).encode())


def examples(first, count=2, model=1, seed=None):
    """An entry with a random block."""
    block = random_block(np.random.default_rng(first if seed is None else seed), count)
    return Entry(model, EXAMPLES, first, count, encode(block))


def filled(store, groups=20, count=2, model=1):
    """Append a model and groups of examples to an empty store; return the records."""
    records = store.append([create()])
    for group in range(groups):
        records += store.append([examples(group * count, count, model)])
    return records
