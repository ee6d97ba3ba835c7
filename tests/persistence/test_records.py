"""Records as JSON and tensors: what is written is read back, and nothing else is."""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import novikoff as nk
from novikoff._json import from_text, plain_from_tree, plain_to_tree, to_text
from novikoff.persistence.kinds import Speaker
from novikoff.persistence.records import INFINITE, Dimensions, Names, Plain, kind_of, read, refuse_unused, write
from snapshots import plain


@dataclass(frozen=True)
class Inner:
    number: float
    bound: Annotated[float, INFINITE]


@dataclass(frozen=True)
class Other:
    flag: bool


@dataclass(frozen=True)
class Outer:
    flag: bool
    whole: int
    words: str | None
    label: Any
    inner: Inner
    either: Inner | Other
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
    names: Names
    perhaps: NDArray[np.float64] | None
    parameter: Plain


def sample(**changed):
    fields = dict(
        flag=True,
        whole=10**5000,
        words="ü\ud800",
        label="yes",
        inner=Inner(-0.0, math.inf),
        either=Other(False),
        several=(Inner(0.1, -math.inf), Inner(5e-324, 1.0)),
        entries=[1, -(2**70)],
        table={"a b": 1.5},
        floats=np.array([0.1, -0.0]),
        bounds=np.array([np.inf, -np.inf, 1.0]),
        matrix=np.arange(6.0).reshape(2, 3),
        longs=np.array([2**62]),
        ints=np.array([3], dtype=np.int32),
        bytes=np.array([-1], dtype=np.int8),
        truths=np.array([True, False]),
        names=["a", 7, "ü"],
        perhaps=None,
        parameter={"a": (1, [2.0, None]), 3: "x", True: math.inf},
    )
    return Outer(**{**fields, **changed})


def written(value, annotation=Outer):
    speaker = Speaker("save")
    tree = write(annotation, value, "", speaker)
    return from_text(to_text(tree)), speaker.tensors


def again(tree, tensors, annotation=Outer):
    speaker = Speaker("load", "file", dict(tensors))
    value = read(annotation, tree, "", speaker)
    refuse_unused(speaker)
    return value


def test_a_record_of_every_kind_is_read_back_bit_for_bit():
    tree, tensors = written(sample())
    assert plain(again(tree, tensors)) == plain(sample())


def test_arrays_are_named_after_their_path():
    @dataclass(frozen=True)
    class Part:
        weights: NDArray[np.float64]

    speaker = Speaker("save")
    tree = write(list[Part], [Part(np.ones(1)), Part(np.zeros(2))], "state", speaker)
    assert tree == [{"weights": "state.0.weights"}, {"weights": "state.1.weights"}]
    assert list(speaker.tensors) == ["state.0.weights", "state.1.weights"]


def test_scalars_of_numpy_are_taken_for_those_of_python():
    value = sample(whole=np.int64(3), flag=np.bool_(True), label=np.str_("x"), inner=Inner(np.float64(0.5), 1))
    read_back = again(*written(value))
    held = (read_back.whole, read_back.flag, read_back.label, read_back.inner.number)
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
    "a label of another kind": (dict(label=(1, 2)), "label"),
    "a label that is infinite": (dict(label=math.inf), "label"),
    "a label of many digits": (dict(label=2**64), "label"),
    "a flag that is a number": (dict(flag=1), "flag"),
    "an integer that is a float": (dict(whole=1.0), "whole"),
    "an integer that is a flag": (dict(whole=True), "whole"),
    "a text that is a number": (dict(words=3), "words"),
    "a function": (dict(parameter=len), "parameter"),
    "a parameter too long to be shown": (dict(parameter=10**4000), "parameter"),
    "a parameter that is NaN": (dict(parameter=[math.nan]), "parameter"),
    "an object that has no repr": (dict(parameter=type("A", (), {"__repr__": lambda _: 1 / 0})()), "parameter"),
    "another record": (dict(inner=Other(True)), "inner"),
    "a record of no kind": (dict(either=3), "either"),
    "names that are floats": (dict(names=[1.5]), "names"),
}


@pytest.mark.parametrize(("changed", "path"), WRONG_VALUES.values(), ids=WRONG_VALUES.keys())
def test_what_no_file_can_hold_is_refused_by_name(changed, path):
    with pytest.raises(nk.InvalidInputError, match=rf"^\[save\] .* as {path}\. Got .*\.$"):
        written(sample(**changed))


WRONG_TREES = {
    "a missing field": lambda tree: tree.pop("flag"),
    "a field too much": lambda tree: tree.update(more=1),
    "a flag that is a number": lambda tree: tree.update(flag=1),
    "an integer that is a float": lambda tree: tree.update(whole=1.0),
    "an integer that is a flag": lambda tree: tree.update(whole=True),
    "an integer in no hexadecimal": lambda tree: tree.update(whole={"int": "zz"}),
    "an integer that is a text": lambda tree: tree.update(whole="1"),
    "a number that is a text": lambda tree: tree["inner"].update(number="inf"),
    "a number that is a flag": lambda tree: tree["inner"].update(number=True),
    "a number too large": lambda tree: tree["inner"].update(number=float("1e999")),
    "a bound that is another text": lambda tree: tree["inner"].update(bound="nan"),
    "an inner record that is a list": lambda tree: tree.update(inner=[]),
    "a kind that there is not": lambda tree: tree["either"].update(kind="Outer"),
    "a kind that is no text": lambda tree: tree["either"].update(kind=[]),
    "no kind": lambda tree: tree["either"].pop("kind"),
    "a list that is an object": lambda tree: tree.update(several={}),
    "an object that is a list": lambda tree: tree.update(table=[]),
    "a label that is a list": lambda tree: tree.update(label=[1]),
    "a label that is null": lambda tree: tree.update(label=None),
    "the name of another tensor": lambda tree: tree.update(floats="bounds"),
    "a tensor that is null": lambda tree: tree.update(floats=None),
    "an unhashable tensor": lambda tree: tree.update(floats=[]),
    "a tag that there is not": lambda tree: tree.update(parameter={"set": [1]}),
    "a parameter too long to be shown": lambda tree: tree.update(parameter={"int": hex(10**4000)}),
    "two tags": lambda tree: tree.update(parameter={"tuple": [], "dict": []}),
    "a dict of no pairs": lambda tree: tree.update(parameter={"dict": [1]}),
    "a dict whose key is a list": lambda tree: tree.update(parameter={"dict": [[[1], 2]]}),
    "a parameter too deep": lambda tree: tree.update(parameter=functools.reduce(lambda t, _: [t], range(700), 1)),
    "a parameter too large": lambda tree: tree.update(parameter=float("1e999")),
}


@pytest.mark.parametrize("change", WRONG_TREES.values(), ids=WRONG_TREES.keys())
def test_a_tree_of_another_form_is_refused(change):
    tree, tensors = written(sample())
    change(tree)
    with pytest.raises(nk.InvalidInputError, match=r"^\[load\] .* Got .* in file\.$"):
        again(tree, tensors)


WRONG_TENSORS = {
    "missing": lambda tensors: tensors.pop("floats"),
    "unused": lambda tensors: tensors.update(more=np.zeros(1)),
    "of another dtype": lambda tensors: tensors.update(longs=np.zeros(1)),
    "of another length of integer": lambda tensors: tensors.update(ints=np.zeros(1, np.int64)),
    "of two dimensions": lambda tensors: tensors.update(floats=np.zeros((1, 1))),
    "of no dimension": lambda tensors: tensors.update(floats=np.zeros(())),
    "with NaN": lambda tensors: tensors.update(floats=np.array([np.nan])),
    "with NaN among bounds": lambda tensors: tensors.update(bounds=np.array([np.nan])),
    "with an infinity": lambda tensors: tensors.update(matrix=np.array([[np.inf]])),
    "with names that are no JSON": lambda tensors: tensors.update(names=np.zeros(3, np.uint8)),
    "with names that are a number": lambda tensors: tensors.update(names=np.frombuffer(b"3", np.uint8)),
    "with names that are floats": lambda tensors: tensors.update(names=np.frombuffer(b"[1.5]", np.uint8)),
}


@pytest.mark.parametrize("change", WRONG_TENSORS.values(), ids=WRONG_TENSORS.keys())
def test_tensors_of_another_form_are_refused(change):
    tree, tensors = written(sample())
    change(tensors)
    with pytest.raises(nk.InvalidInputError, match=r"^\[load\] .* Got .* in file\.$"):
        again(tree, tensors)


@pytest.mark.parametrize("annotation", [complex, tuple[int, str], dict[int, int], set[int]])
def test_a_type_that_no_file_holds_is_a_mistake_in_the_program(annotation):
    with pytest.raises(TypeError, match="No file can hold"):
        kind_of(annotation)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN)
def test_plain_values_are_read_back(value):
    assert plain(plain_from_tree(from_text(to_text(plain_to_tree(value))))) == plain(value)


def test_the_order_of_a_dict_is_kept():
    value = {"b": 1, "a": 2}
    assert list(plain_from_tree(plain_to_tree(value))) == ["b", "a"]


@pytest.mark.parametrize("array", [np.array([1.5, 2.0]), np.array([[1], [2]]), np.array(["a"]), np.array([True])])
def test_arrays_among_plain_values_become_lists(array):
    assert plain_from_tree(plain_to_tree(array)) == array.tolist()


BAD_JSON = ["NaN", "Infinity", '{"a": 1, "a": 2}', "[" * 100_000, "1" * 5000, "{", ""]


@pytest.mark.parametrize("text", BAD_JSON, ids=["nan", "infinity", "twice", "deep", "long", "cut", "empty"])
def test_json_that_could_mean_several_things_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        from_text(text)


def test_every_state_of_a_learner_can_be_written_at_all():
    learners = [value for value in vars(nk).values() if isinstance(value, type) and hasattr(value, "_State")]
    for learner in {*learners, nk.Perceptron, nk.LinearSVM, nk.LinearSVMCV, nk.LinearSVMPath, nk.HardMarginSVM}:
        assert dataclasses.is_dataclass(learner._State)
        kind_of(learner._State)
