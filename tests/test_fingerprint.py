"""The fingerprint of rows: one for equal values in every form, and another one after every change."""

import hashlib
import json
import struct

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff import _fingerprint
from novikoff._fingerprint import RunningFingerprint, fingerprint

X = np.array([[0.0, 1.5, -2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.25], [1.0, 1.0, 1.0]])
Y = ["no", "yes", "no", "ä"]
W = [1.0, 2.0, 0.5, 0.0]


def by_definition(rows, labels, weights):
    """The fingerprint as docs/certificate-format.md defines it."""
    entries = [[(j, value) for j, value in enumerate(row) if value != 0] for row in rows]
    streams = [
        b"".join(struct.pack("<I", len(row)) for row in entries),
        b"".join(struct.pack("<I", j) for row in entries for j, _ in row),
        b"".join(struct.pack("<d", value) for row in entries for _, value in row),
        b"".join(json.dumps(label).encode() + b"\n" for label in labels),
    ]
    if any(weight != 1 for weight in weights):
        streams.append(b"".join(struct.pack("<d", weight) for weight in weights))
    digests = b"".join(hashlib.sha256(stream).digest() for stream in streams)
    return "sha256:" + hashlib.sha256(digests).hexdigest()


def test_it_is_the_hash_that_the_documentation_defines():
    assert fingerprint(X, Y) == by_definition(X, Y, [1.0] * 4)
    assert fingerprint(X, Y, W) == by_definition(X, Y, W)


def scrambled(table):
    """A sparse matrix with explicit zeros, duplicates and columns in descending order, which must not be changed."""
    rows, columns = np.nonzero(np.ones_like(table))
    order = np.argsort(-columns, kind="stable")
    halves = np.concatenate([table[rows, columns][order] / 2] * 2)
    twice = np.concatenate([rows[order]] * 2), np.concatenate([columns[order]] * 2)
    return sp.coo_array((halves, twice), shape=table.shape)


def unsorted(table):
    rows = sp.csr_array(table)
    for i in range(rows.shape[0]):
        a, b = rows.indptr[i : i + 2]
        rows.indices[a:b], rows.data[a:b] = rows.indices[a:b][::-1].copy(), rows.data[a:b][::-1].copy()
    rows.has_sorted_indices = rows.has_canonical_format = False
    rows.data.setflags(write=False)
    return rows


FORMS = {
    "list": np.ndarray.tolist,
    "columns first": np.asfortranarray,
    "float32": lambda table: table.astype(np.float32),
    "csr": sp.csr_array,
    "csr matrix": sp.csr_matrix,
    "csc": sp.csc_array,
    "unsorted, read-only": unsorted,
    "duplicates and explicit zeros": scrambled,
    "a column of zeros more": lambda table: np.hstack([table, np.zeros((len(table), 1))]),
    "negative zeros": lambda table: np.where(table == 0, -0.0, table),
}


@pytest.mark.parametrize("form", FORMS)
def test_equal_values_have_the_same_fingerprint_in_every_form(form):
    given_rows = FORMS[form](X)
    before = given_rows.copy() if sp.issparse(given_rows) else None
    assert fingerprint(given_rows, Y, W) == fingerprint(X, Y, W)
    if before is not None:
        assert np.array_equal(before.toarray(), given_rows.toarray())
        assert before.nnz == given_rows.nnz


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], np.array([0, 1, 1, 0], dtype=np.int8)])
def test_labels_that_are_whole_numbers_are_integers(labels):
    assert fingerprint(X, labels) == by_definition(X, [0, 1, 1, 0], [1.0] * 4)


@given(st.integers(1, 40), st.integers(1, 7), st.integers(1, 9), st.randoms(use_true_random=False))
def test_it_does_not_depend_on_batches_or_blocks(rows, columns, step, random):
    table = np.array([[random.choice([0.0, 1.0, -1e300, 5e-324]) for _ in range(columns)] for _ in range(rows)])
    labels = np.array([random.randrange(3) for _ in range(rows)])
    whole, parts = fingerprint(table, labels), RunningFingerprint()
    for start in range(0, rows, step):
        cut = slice(start, start + step)
        block = table[cut] if random.random() < 0.5 else sp.csr_array(table[cut])
        parts.add(block, labels[cut], None if random.random() < 0.5 else np.ones(len(labels[cut])))
    assert parts.text() == whole == by_definition(table, labels.tolist(), [1.0])
    assert parts.rows == rows


def test_it_does_not_depend_on_the_size_of_blocks(monkeypatch):
    before = fingerprint(X, Y, W)
    monkeypatch.setattr(_fingerprint, "BLOCK_ENTRIES", 2)
    assert fingerprint(X, Y, W) == fingerprint(sp.csr_array(X), Y, W) == before


def changes():
    yield X + np.eye(4, 3) * 5e-324, Y, W
    yield X[::-1], Y, W
    yield X[:, ::-1], Y, W
    yield X, ["no", "yes", "no", "a"], W
    yield X, Y[::-1], W
    yield X, Y, None
    yield X, Y, [1.0, 2.0, 0.5, 1e-30]
    yield X[:3], Y[:3], W[:3]


def test_every_change_of_rows_labels_and_weights_changes_it():
    assert fingerprint([[1.0, 2.0], [0.0, 0.0]], [0, 0]) != fingerprint([[1.0, 0.0], [0.0, 2.0]], [0, 0])
    found = [fingerprint(*change) for change in changes()]
    assert len({fingerprint(X, Y, W), *found}) == len(found) + 1


def test_what_is_not_rows_and_labels_is_refused():
    for rows, labels, words in (
        ([[1.0], [2.0]], [0], "label"),
        ([1.0, 2.0], [0, 1], "must be a matrix of numbers"),
        ([["a"]], [0], "must be a matrix of numbers"),
        (sp.csr_array((1, 2**33)), [0], "at most"),
    ):
        with pytest.raises(nk.InvalidInputError, match=words):
            fingerprint(rows, labels)
