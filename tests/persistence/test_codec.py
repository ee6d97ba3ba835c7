"""Dataclasses as JSON and tensors: what is written is read back, and nothing else is accepted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

import novikoff as nk
from novikoff._json import from_text, to_text
from novikoff.persistence.codec import INFINITE, TREE, Dimensions, decode, encode, names_from_bytes, names_to_bytes
from snapshots import plain


@dataclass(frozen=True)
class Inner:
    number: float
    bound: Annotated[float, INFINITE]


@dataclass(frozen=True)
class Outer:
    flag: bool
    whole: int
    words: str | None
    label: Any
    inner: Inner
    several: tuple[Inner, ...]
    entries: list[int]
    table: dict[str, float]
    floats: NDArray[np.float64]
    bounds: Annotated[NDArray[np.float64], INFINITE]
    matrix: Annotated[NDArray[np.float64], Dimensions(2)]
    longs: NDArray[np.int64]
    ints: NDArray[np.int32]
    bytes: NDArray[np.int8]
    truths: NDArray[np.bool_]
    perhaps: NDArray[np.float64] | None
    tree: Annotated[Any, TREE]


def sample(**changed):
    fields = dict(
        flag=True,
        whole=2**62,
        words="ü",
        label="yes",
        inner=Inner(-0.0, math.inf),
        several=(Inner(0.1, -math.inf), Inner(5e-324, 1.0)),
        entries=[1, -(2**40)],
        table={"a b": 1.5},
        floats=np.array([0.1, -0.0]),
        bounds=np.array([np.inf, -np.inf, 1.0]),
        matrix=np.arange(6.0).reshape(2, 3),
        longs=np.array([2**62]),
        ints=np.array([3], dtype=np.int32),
        bytes=np.array([-1], dtype=np.int8),
        truths=np.array([True, False]),
        perhaps=None,
        tree={"dict": [["a", None]]},
    )
    return Outer(**{**fields, **changed})


def written(value, annotation=Outer):
    tensors = {}
    tree = encode(annotation, value, "", tensors)
    return from_text(to_text(tree)), tensors


def again(tree, tensors, annotation=Outer):
    left = dict(tensors)
    value = decode(annotation, tree, "", left)
    return value, left


def test_a_dataclass_of_every_type_of_field_is_read_back_bit_for_bit():
    value, left = again(*written(sample()))
    assert plain(value) == plain(sample())
    assert left == {}


def test_arrays_are_named_after_their_path():
    @dataclass(frozen=True)
    class Part:
        weights: NDArray[np.float64]

    tensors = {}
    globals()["Part"] = Part  # where annotations are looked up
    tree = encode(list[Part], [Part(np.ones(1)), Part(np.zeros(2))], "state", tensors)
    assert tree == [{"weights": "state.0.weights"}, {"weights": "state.1.weights"}]
    assert list(tensors) == ["state.0.weights", "state.1.weights"]


def test_numpy_scalars_become_python_scalars():
    value = sample(whole=np.int64(3), flag=np.bool_(True), label=np.str_("x"), inner=Inner(np.float64(0.5), 1))
    found, _ = again(*written(value))
    held = (found.whole, found.flag, found.label, found.inner.number)
    assert held == (3, True, "x", 0.5)
    assert [type(value) for value in held] == [int, bool, str, float]


WRONG_VALUES = {
    "NaN": (dict(inner=Inner(math.nan, 0.0)), "inner.number"),
    "an infinity": (dict(inner=Inner(math.inf, 0.0)), "inner.number"),
    "a bound that is NaN": (dict(inner=Inner(0.0, math.nan)), "inner.bound"),
    "NaN in an array": (dict(bounds=np.array([np.nan])), "bounds"),
    "an infinity in an array": (dict(floats=np.array([np.inf])), "floats"),
    "another dtype": (dict(floats=np.zeros(1, np.float32)), "floats"),
    "another shape": (dict(matrix=np.zeros(3)), "matrix"),
    "a list instead of an array": (dict(floats=[1.0]), "floats"),
    "a label of another kind": (dict(label=(1, 2)), "label"),
    "a label that is infinite": (dict(label=math.inf), "label"),
    "a label of many digits": (dict(label=2**64), "label"),
    "a label that has no repr": (dict(label=type("A", (), {"__repr__": lambda _: 1 / 0})()), "label"),
}


@pytest.mark.parametrize(("changed", "path"), WRONG_VALUES.values(), ids=WRONG_VALUES.keys())
def test_values_that_a_file_cannot_hold_are_refused_with_their_path(changed, path):
    with pytest.raises(nk.InvalidInputError, match=rf"^{path}: .*\.$"):
        written(sample(**changed))


WRONG_TREES = {
    "a missing field": lambda tree: tree.pop("flag"),
    "an unknown field": lambda tree: tree.update(more=1),
    "a flag that is a number": lambda tree: tree.update(flag=1),
    "an integer that is a float": lambda tree: tree.update(whole=1.0),
    "an integer that is a flag": lambda tree: tree.update(whole=True),
    "an integer that is a text": lambda tree: tree.update(whole="1"),
    "an integer that is an object": lambda tree: tree.update(whole={"int": "0x1"}),
    "a number that is a text": lambda tree: tree["inner"].update(number="1.5"),
    "a number that is infinite": lambda tree: tree["inner"].update(number="inf"),
    "a number that is too large": lambda tree: tree["inner"].update(number=float("1e999")),
    "a number that is a flag": lambda tree: tree["inner"].update(number=True),
    "a bound that is another text": lambda tree: tree["inner"].update(bound="nan"),
    "a bound in other letters": lambda tree: tree["inner"].update(bound="Infinity"),
    "a text that is a number": lambda tree: tree.update(words=3),
    "an inner dataclass that is a list": lambda tree: tree.update(inner=[]),
    "an inner dataclass with an unknown field": lambda tree: tree["several"][1].update(more=1),
    "a list that is an object": lambda tree: tree.update(several={}),
    "an object that is a list": lambda tree: tree.update(table=[]),
    "a label that is a list": lambda tree: tree.update(label=[1]),
    "the name of another tensor": lambda tree: tree.update(floats="bounds"),
    "a tensor that is null": lambda tree: tree.update(floats=None),
    "a tensor that is a list": lambda tree: tree.update(floats=[]),
}


@pytest.mark.parametrize("change", WRONG_TREES.values(), ids=WRONG_TREES.keys())
def test_a_tree_of_another_form_is_refused(change):
    tree, tensors = written(sample())
    change(tree)
    with pytest.raises(nk.InvalidInputError, match=r"^[\w.]+: .*\.$"):
        again(tree, tensors)


WRONG_TENSORS = {
    "missing": lambda tensors: tensors.pop("floats"),
    "of another dtype": lambda tensors: tensors.update(longs=np.zeros(1)),
    "of another length of integer": lambda tensors: tensors.update(ints=np.zeros(1, np.int64)),
    "of two dimensions": lambda tensors: tensors.update(floats=np.zeros((1, 1))),
    "of no dimension": lambda tensors: tensors.update(floats=np.zeros(())),
    "with NaN": lambda tensors: tensors.update(floats=np.array([np.nan])),
    "with NaN among bounds": lambda tensors: tensors.update(bounds=np.array([np.nan])),
    "with an infinity": lambda tensors: tensors.update(matrix=np.array([[np.inf]])),
}


@pytest.mark.parametrize("change", WRONG_TENSORS.values(), ids=WRONG_TENSORS.keys())
def test_tensors_of_another_form_are_refused(change):
    tree, tensors = written(sample())
    change(tensors)
    with pytest.raises(nk.InvalidInputError, match=r"^[\w.]+: .*\.$"):
        again(tree, tensors)


def test_a_tensor_that_no_field_names_is_left():
    tree, tensors = written(sample())
    _, left = again(tree, {**tensors, "more": np.zeros(1)})
    assert list(left) == ["more"]


def test_names_are_bytes_of_json():
    names = ["a", 7, "ü", np.str_("b")]
    assert names_from_bytes(names_to_bytes(names), "names") == ["a", 7, "ü", "b"]
    for wrong in (b"\0\0\0", b"3", b"[1.5]", b'["a"'):
        with pytest.raises(nk.InvalidInputError, match=r"^names: "):
            names_from_bytes(np.frombuffer(wrong, np.uint8), "names")


def test_arrays_are_known_when_their_type_is_an_alias_that_hides_what_it_stands_for(monkeypatch):
    """As NDArray is since NumPy 2.5."""

    class Alias(Generic[TypeVar("T")]):
        pass

    monkeypatch.setattr("novikoff.persistence.codec.NDArray", Alias)
    tensors = {}
    tree = encode(Alias[np.float64], np.array([0.1, 2.0]), "a", tensors)
    assert decode(Alias[np.float64], tree, "a", tensors).tolist() == [0.1, 2.0]
