"""Files that ``save`` did not write: each is refused with one clear error, or is a model that works. None runs code."""

import functools
import itertools
import json
import os
import pickle
import random
import re
import struct
import warnings
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as to_bytes
from sklearn.exceptions import NotFittedError

import novikoff as nk
from fuzz.containers import mutate_model
from novikoff.persistence import frame
from novikoff.persistence.frame import VERSION
from saved import READING, THREE, TWO, X, fitted, rewritten
from strategies import seeds

SENTENCE = re.compile(r".+\.nvk: the (model )?file (is|has) .+\.", re.DOTALL)
NAMES = ["perceptron", "averaged", "voted", "margin auto", "PA-I", "svm, probability", "svm, warm", "cross-validated"]
NAMES += ["path", "hard margin", "stream", "classes"]


@functools.cache
def saved(name):
    """The bytes of a small model."""
    if name == "stream":
        model = nk.VotedPerceptron(class_weight="balanced")
        for x, y in [({"a": 1.0, "b": 2.0}, "u"), ({"c": 1.0}, "v"), ({"a": -1.0, 7: 1.0}, "v"), ({"b": 1.0}, "w")]:
            model.learn_one(x, y)
    elif name == "classes":
        model = nk.AveragedPerceptron().partial_fit(X, THREE, classes=["one", "three", "two"])
    else:
        model = fitted(name, TWO if name != "averaged" else THREE)
    if name == "svm, warm":
        model.reading_ = READING
    return nk.dumps(model)


def check_survives(path, data):
    """The file is refused in a sentence that names it, or is a model that can do all that models do."""
    path.write_bytes(data)
    model, refusal = None, ""
    try:
        model = nk.load(path)
    except nk.InvalidInputError as error:
        refusal = str(error)
    if model is None:
        assert SENTENCE.fullmatch(refusal)
        assert path.name in refusal
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # numbers may be absurd
        use(model)
    return model


def use(model):
    rows = np.ones((4, getattr(model, "n_features_in_", 0)))
    labels = (model.classes_.tolist() * 4)[:4] if hasattr(model, "classes_") else []
    if labels and rows.size:
        for ask in ("predict", "predict_sign", "predict_proba"):
            if hasattr(model, ask):
                with suppress(nk.InvalidInputError, NotFittedError):  # the latter: fitted without probabilities
                    getattr(model, ask)(rows)
        found = getattr(model, "certificates_", getattr(model, "certificate_", []))
        for one in itertools.chain.from_iterable(row if isinstance(row, list) else [row] for row in _list(found)):
            assert str(one)
            assert one.to_json()
            assert str(one.generalization)
            one.verify(rows, labels)
            one.verify(np.ones((40, rows.shape[1])), np.resize(labels, 40))
    if hasattr(model, "learn_one"):
        for x in ({"a": 1.0, "new": 2.0}, [1.0] * rows.shape[1]):
            with suppress(nk.InvalidInputError):  # such as a dict where columns are many, and max_features
                model.predict_one(x)
                model.learn_one(x, labels[0] if labels else "a")
                model.score_one(x)


def _list(found):
    return found if isinstance(found, list) else [found]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "damaged.nvk"


@pytest.fixture(scope="module")
def one_path(tmp_path_factory):
    return tmp_path_factory.mktemp("damage") / "damaged.nvk"


# ---- each damage has its own sentence ------------------------------------------------------------------------------


def refused(path, data):
    path.write_bytes(data)
    with pytest.raises(nk.InvalidInputError) as caught:
        nk.load(path)
    return str(caught.value).replace(str(path), "FILE")


@pytest.mark.parametrize("name", ["perceptron", "path"])
def test_a_file_that_is_cut_short_is_said_to_be(path, name):
    data = saved(name)
    for size in (0, 1, 8, 9, 100, len(data) // 2, len(data) - 1):
        assert refused(path, data[:size]) == f"FILE: the model file is cut short after {size} bytes."


OTHERS = {
    "text": b"a,b\n1,2\n3,4\n5,6\n",
    "a pickle": pickle.dumps([1, 2, 3, 4, 5, 6, 7]),
    "an archive": b"PK\x03\x04" + bytes(100),
    "zeros": bytes(100),
    "other tensors": to_bytes({"a": np.zeros(3)}),
    "other tensors with metadata": to_bytes({"a": np.zeros(3)}, {"format": "pt"}),
    "metadata of another format": to_bytes({}, {"novikoff": '{"format": "novikoff rows", "version": 1}'}),
    "metadata that is a list": to_bytes({}, {"novikoff": "[]"}),
}


@pytest.mark.parametrize("data", OTHERS.values(), ids=OTHERS.keys())
def test_a_file_of_another_kind_is_said_to_be(path, data):
    assert refused(path, data) == "FILE: the file is not a model that novikoff.save wrote."


@pytest.mark.parametrize("version", [VERSION + 1, 10**30])
def test_another_version_is_refused_by_name(path, version):
    """Whatever else is in it: a file of another version may look quite different."""
    data = to_bytes(
        {"x": np.zeros(3, np.float16)}, {"novikoff": json.dumps({"format": "novikoff model", "version": version})}
    )
    assert refused(path, data) == (
        f"FILE: the model file has version {version}, but novikoff {nk.__version__} reads version {VERSION}. "
        "Fit the model again."
    )


@pytest.mark.parametrize("version", [0, -1, "1", 1.0, None, True, [1]])
def test_a_version_that_is_none_is_damage(path, version):
    data = rewritten(saved("svm, warm"), lambda tree: tree.update(version=version))
    assert f"the model file is damaged: its version is {version!r}." in refused(path, data)


def test_a_learner_that_there_is_not_is_named(path):
    for name in ("RandomForest", "OnlineClassifier", "os.system"):
        found = refused_state(path, "perceptron", lambda tree, name=name: tree.update(learner=name))
        assert found.startswith(f"learner: there is no learner named {name!r}; known: ")


def test_the_state_of_another_learner_is_refused(path):
    learners = (nk.Perceptron, nk.VotedPerceptron, nk.PassiveAggressiveI, nk.MarginPerceptron)
    for cls, other in itertools.permutations(learners, 2):
        swapped = {"learner": other.__name__, "parameters": other().get_params()}
        data = rewritten(nk.dumps(cls(max_iter=1).fit(X, TWO)), lambda tree, swapped=swapped: tree.update(swapped))
        assert f"is not a rule of {other.__name__}." in refused(path, data)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(nk.MissingFileError, match=r"the file cannot be read: .*No such file"):
        nk.load(tmp_path / "none.nvk")
    with pytest.raises(nk.FileError, match=r"the file cannot be read: .*Is a directory"):
        nk.load(tmp_path)
    with pytest.raises(nk.FileError, match=r"the file cannot be read: .*null"):
        nk.load("a\0b")


def test_a_pickle_in_any_place_is_not_executed(path):
    mark = path.parent / "executed"

    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(mark),))

    bomb = pickle.dumps(Bomb())
    data = saved("svm, warm")
    tree, tensors = frame.unpack("it", data)
    for hidden in (
        bomb,
        data + bomb,
        struct.pack("<Q", len(bomb)) + bomb,
        frame.pack(tree, {**tensors, "bomb": np.frombuffer(bomb, np.uint8)}),
        rewritten(data, lambda tree: tree["parameters"].update(class_weight=bomb.decode("latin-1"))),
    ):
        check_survives(path, hidden)
    assert not mark.exists()
    pickle.loads(bomb)
    assert mark.exists()  # it was a real one


def refused_state(path, name, change):
    """The refusal of a model whose header is changed."""
    return refused(path, rewritten(saved(name), change)).removeprefix("FILE: the model file is damaged: ")


def test_absurd_numbers_of_buckets_and_of_rows_are_refused(path):
    def set_buckets(tree):
        tree["state"]["buckets"] = 2**53

    assert refused_state(path, "stream", set_buckets).startswith(
        "state.buckets: the number must be from 0 to 2147483648"
    )
    assert refused_state(path, "classes", set_buckets).startswith("state.buckets: the number must be")


def test_class_counts_are_positive_and_one_per_class(path):
    tree, tensors = frame.unpack("it", saved("svm, warm"))
    for wrong in (-tensors["class_count"], np.ones(5)):
        data = frame.pack(tree, tensors | {"class_count": wrong})
        assert "class_count: there must be 2 positive numbers, one per class." in refused(path, data)


def nested(depth):
    tree = []
    for _ in range(depth):
        tree = [tree]
    return tree


@pytest.mark.parametrize("depth", [50, 500, 900])
@pytest.mark.parametrize("place", ["parameters", "state", "certificates", "reading", "sparse", "classes"])
def test_values_that_are_nested_deeply_are_refused_in_a_sentence(path, place, depth):
    def nest(tree):
        tree[place] = {"C": nested(depth)} if place == "parameters" else nested(depth)

    assert refused_state(path, "svm, warm", nest).endswith(".")


def header_with(data, change):
    """The same file with another outer header, of the same length."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


def set_entry(**fields):
    def change(header):
        header["state.support.rows"] |= fields

    return change


FORGED = {
    "a huge shape": set_entry(shape=[2**40]),
    "a negative shape": set_entry(shape=[-2, -1]),
    "a shape of a float": set_entry(shape=[2.0]),
    "a shape of a bool": set_entry(shape=[True]),
    "an absurd shape with a zero": set_entry(shape=[0, 2**62, 2**62], data_offsets=[0, 0]),
    "a hundred dimensions": set_entry(shape=[1] * 100),
    "an unknown type": set_entry(dtype="C128"),
    "a type that is a list": set_entry(dtype=["I64"]),
    "offsets that overlap": set_entry(data_offsets=[8, 8]),
    "offsets that are huge": set_entry(data_offsets=[2**62, 2**62 + 16]),
    "offsets that are negative": set_entry(data_offsets=[-16, 0]),
    "offsets that are text": set_entry(data_offsets=["0", "16"]),
    "three offsets": set_entry(data_offsets=[0, 8, 16]),
    "another field": set_entry(more=1),
    "no fields": lambda header: header.update({"state.support.rows": {}}),
    "a list": lambda header: header.update({"state.support.rows": []}),
    "a name that is not printable": lambda header: header.update({"\x1b[2J": {}}),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED.keys())
def test_an_array_with_a_forged_place_is_refused_before_memory_is_allocated(path, change):
    message = refused(path, header_with(saved("svm, warm"), change))
    assert message.startswith("FILE: the model file is ")
    assert message.isprintable()


def test_bytes_after_the_last_array_are_refused(path):
    assert refused(path, saved("svm, warm") + b"12345") == (
        "FILE: the model file is damaged: 5 bytes follow the last array."
    )


def test_bools_are_0_or_1(path):
    good = frame.pack({"format": frame.FORMAT, "version": frame.VERSION}, {"a": np.array([True, False])})
    assert frame.unpack("it", good)[1]["a"].tolist() == [True, False]
    with pytest.raises(nk.InvalidInputError, match="a bool is neither 0 nor 1"):
        frame.unpack("it", good[:-1] + b"\2")


# ---- any damage ----------------------------------------------------------------------------------------------------


@settings(max_examples=2 * settings().max_examples)
@given(seed=seeds, name=st.sampled_from(NAMES))
def test_any_damage_does_no_harm(one_path, seed, name):
    """Changed bytes, headers and arrays, with lengths that are right again."""
    check_survives(one_path, mutate_model(random.Random(seed), saved(name), [saved(other) for other in NAMES]))


def test_an_undamaged_file_survives(path):
    """What the tests above rely on: the models are used, not refused."""
    for name in NAMES:
        assert check_survives(path, rewritten(saved(name), lambda tree: None)) is not None
