"""Rows, labels and weights that no learner can use, and words that the message must have."""

import re

import numpy as np
import scipy.sparse as sp

import novikoff as nk

SHAPE = re.compile(r"(?P<where>\w+): (?P<sentence>.+)\.", re.DOTALL)  # what is wrong, and what to do

X = np.array([[1.0, 2.0], [3.0, -1.0], [-2.0, 0.5], [0.0, -1.0]])
Y = np.array([1, 1, 0, 0])
NAN, INF = float("nan"), float("inf")


def with_entry(value, row=2, column=1, dtype=np.float64):
    bad = X.astype(dtype)
    with np.errstate(over="ignore"):
        bad[row, column] = value
    return bad


def broken_csr(**arrays):
    """A CSR matrix whose arrays contradict each other."""
    matrix = sp.csr_matrix(X)
    for name, change in arrays.items():
        array = getattr(matrix, name).copy()
        change(array)
        setattr(matrix, name, array)
    return matrix


def put(place, value):
    def change(array):
        array[place] = value

    return change


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


# what is wrong: (X, y, more arguments), and words that the message must have
BATCHES = {
    "NaN": (with_entry(NAN), Y, {}, "NaN in row 2, column 1"),
    "infinity": (with_entry(INF), Y, {}, "inf in row 2, column 1"),
    "minus infinity in float32": (with_entry(-INF, dtype=np.float32), Y, {}, "inf in row 2, column 1"),
    "NaN in a sparse row": (sp.csr_matrix(with_entry(NAN)), Y, {}, "NaN in row 2, column 1"),
    "infinity in a sparse row": (sp.csr_array(with_entry(INF)), Y, {}, "inf in row 2, column 1"),
    "a norm that overflows": (with_entry(1e200), Y, {}, "row 2"),
    "a sparse norm that overflows": (sp.csr_matrix(with_entry(1e200)), Y, {}, "row 2"),
    "no rows": (X[:0], Y[:0], {}, "0"),
    "no rows, sparse": (sp.csr_matrix(X)[:0], Y[:0], {}, "0"),
    "no columns": (X[:, :0], Y, {}, "0"),
    "a list of rows of different lengths": ([[1.0, 2.0], [1.0], [1.0, 2.0], [0.0, 1.0]], Y, {}, ""),
    "one dimension": (X[0], Y, {}, ""),
    "three dimensions": (X[None], Y, {}, ""),
    "words for numbers": (np.array([["a", "b"]] * 4), Y, {}, "a"),
    "complex numbers": (X + 1j, Y, {}, "omplex"),
    "fewer labels than rows": (X, Y[:3], {}, "3"),
    "more labels than rows": (X, np.append(Y, 1), {}, "5"),
    "labels in two columns": (X, np.stack([Y, Y], axis=1), {}, "(4, 2)"),
    "no labels": (X, None, {}, "None"),
    "sparse labels": (X, sp.csr_matrix(Y), {}, "sparse"),
    "a label that is NaN": (X, np.array([1.0, 0.0, NAN, 0.0]), {}, "NaN"),
    "a label that is None": (X, objects("a", "b", None, "a"), {}, "None"),
    "labels that are measurements": (X, [0.5, 1.5, 0.25, 3.0], {}, "0.5"),
    "labels that cannot be put in order": (X, objects("a", 1, "a", 1), {}, ""),
    "labels that are dates": (X, np.array(["2026-01-01", "2026-01-02"] * 2, dtype="datetime64[D]"), {}, "datetime"),
    "a negative weight": (X, Y, {"sample_weight": [1, 1, -1, 1]}, "-1"),
    "a weight that is NaN": (X, Y, {"sample_weight": [1, NAN, 1, 1]}, "nan"),
    "an infinite weight": (X, Y, {"sample_weight": [1, 1, 1, INF]}, "inf"),
    "a weight above what doubles can count": (X, Y, {"sample_weight": [1, 1, 1, 2.0**54]}, ""),
    "too few weights": (X, Y, {"sample_weight": [1, 1]}, "(2,)"),
    "weights in two dimensions": (X, Y, {"sample_weight": [[1, 1], [1, 1]]}, "(2, 2)"),
    "weights that are words": (X, Y, {"sample_weight": ["a", "b", "c", "d"]}, ""),
    "an index beyond the columns": (broken_csr(indices=put(1, 7)), Y, {}, "7 in row 0"),
    "a negative index": (broken_csr(indices=put(1, -1)), Y, {}, "-1 in row 0"),
    "row offsets beyond the data": (broken_csr(indptr=put(-1, 99)), Y, {}, ""),
    "row offsets that fall": (broken_csr(indptr=put(1, 6)), Y, {}, ""),
    "row offsets that start below 0": (broken_csr(indptr=put(0, -1)), Y, {}, ""),
}


def assert_refused(where, words, call, *arguments, **more):
    """A call refuses its arguments in sentences that begin with ``where`` and have the words."""
    message = None
    try:
        call(*arguments, **more)
    except nk.InvalidInputError as error:
        message = str(error)
    assert message is not None, f"not refused: {words} {arguments} {more}"
    match = SHAPE.fullmatch(message)
    assert match, message
    assert match["where"] == where
    assert str(words).lower() in match["sentence"].lower(), message
