"""Bad input: one sentence that says where, what is needed and what came, and a model that is as it was."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from bad_data import BATCHES, INF, NAN, X, Y, assert_refused, broken_csr, put, with_entry
from learners import LEARNERS
from snapshots import snapshot

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

MISFITS = [(X[:, :1], 1), (np.hstack([X, X]), 4), (sp.csr_matrix(X[:, :1]), 1)]  # rows of other widths
PARAMETERS = {
    nk.Perceptron: {
        "max_iter": [0, 1.5],
        "n_jobs": [0],
        "n_iter_no_change": [0, -1, 2.5, "5"],
        "tie": ["negative"],
        "slack_feature": [-1.0, NAN],
        "max_features": [0],
        "class_weight": ["even", [1, 2], {1: -1.0}, {1: NAN}, {1: 1e300}],
        "forget": [1.0, -0.1, "much"],
        "half_life": [0.5, NAN, INF],
    },
    nk.AveragedPerceptron: {"tie": [None]},
    nk.MarginPerceptron: {"epsilon": [0.0, 1.5], "margin": [0.0, INF, "best"]},
    nk.PassiveAggressiveI: {"C": [0.0]},
    nk.PassiveAggressiveII: {"C": [NAN]},
    nk.AROW: {"r": [0, -1.0, "1", 1e-200], "floor": [-0.1, 2.0, "a"]},
    nk.NormalizedAdaptive: {"learning_rate": [0, INF], "loss": ["log", 1]},
    nk.SoftConfidenceWeighted: {"C": [0, NAN], "eta": [0.5, 1.0, 2], "variant": ["III", 3]},
    nk.MulticlassPassiveAggressiveI: {"C": [0.0, -1.0, NAN, "much"]},
    nk.MulticlassPassiveAggressiveII: {"C": [0.0, "much"]},
    nk.MulticlassAROW: {"r": [0, "1", 1e-200], "floor": [-0.1, 2.0, "a"]},
    nk.Tracker: {"decay": [1.5, 0]},
}


def trained(model):
    """A stream in the middle of its life, met by columns."""
    return model.partial_fit(X, Y)


def declared(model):
    return model.partial_fit(X, Y, classes=[0, 1])


LIVES = {"new": lambda model: model, "in the middle": trained, "of declared classes": declared}
SOME = {name: LEARNERS[name] for name in ("perceptron", "voted", "margin auto", "multiclass perceptron")}
some = pytest.mark.parametrize("make", SOME.values(), ids=SOME.keys())


@pytest.mark.parametrize("make", [nk.Perceptron, nk.MarginPerceptron])
def test_fit_refuses(make):
    for bad, y, more, words in BATCHES.values():
        assert_refused(make.__name__, words, make().fit, bad, y, **more)


@pytest.mark.parametrize("life", LIVES)
@some
def test_partial_fit_refuses_and_leaves_the_model_as_it_was(make, life):
    model = LIVES[life](make())
    before = snapshot(model)
    for bad, y, more, words in BATCHES.values():
        assert_refused(type(model).__name__, words, model.partial_fit, bad, y, **more)
        assert snapshot(model) == before, words


@some
def test_what_does_not_fit_the_model_is_refused(make):
    model = trained(make())
    before = snapshot(model)
    for bad, count in MISFITS:
        for method, arguments in {
            "partial_fit": (bad, Y),
            "predict": (bad,),
            "decision_function": (bad,),
            "predict_sign": (bad,),
            "learn_one": (bad[[0]], 1),
            "score_one": (bad[[0]],),
            "predict_one": (bad[[0]],),
        }.items():
            assert_refused(type(model).__name__, count, getattr(model, method), *arguments)
    assert snapshot(model) == before


@some
def test_a_frame_without_one_of_the_columns_is_refused(make):
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b"])
    model = make().partial_fit(frame, Y)
    before = snapshot(model)
    for other in (frame[["a"]], frame[["b", "a"]], frame.rename(columns={"b": "c"})):
        assert_refused(type(model).__name__, "", model.partial_fit, other, Y)
    assert snapshot(model) == before


@some
def test_one_class_only_is_refused_by_fit_and_welcome_in_a_stream(make):
    assert_refused(make.func.__name__, "one class", make().fit, X, [1, 1, 1, 1])
    assert_refused(make.func.__name__, "one class", make().fit, X, Y, sample_weight=[1, 1, 0, 0])
    assert_refused(make.func.__name__, "weight", make().fit, X, Y, sample_weight=[0, 0, 0, 0])
    assert make().partial_fit(X, [1, 1, 1, 1]).predict(X).tolist() == [1, 1, 1, 1]


def test_declared_classes_that_are_none_are_refused():
    model = nk.Perceptron()
    before = snapshot(model)
    for classes in ([], [1], [1, 1], [NAN, 1.0], [None, 1], 7, [[0, 1]]):
        assert_refused("Perceptron", "", model.partial_fit, X, Y, classes=classes)
        assert snapshot(model) == before


@some
def test_a_label_never_declared_is_refused_by_row_and_leaves_no_trace(make):
    fresh = make()
    before = snapshot(fresh)
    assert_refused(type(fresh).__name__, "2 in row 3", fresh.partial_fit, X, [1, 0, 1, 2], classes=[0, 1])
    assert snapshot(fresh) == before

    model = declared(make())
    before = snapshot(model)
    assert_refused(type(model).__name__, "2 in row 2", model.partial_fit, X, [1, 0, 2, 0])
    assert_refused(type(model).__name__, "'new'", model.learn_one, X[0], "new")
    assert_refused(type(model).__name__, "[0, 1, 2]", model.partial_fit, X, Y, classes=[0, 1, 2])
    assert snapshot(model) == before


@pytest.mark.parametrize("cls", PARAMETERS)
def test_a_parameter_that_makes_no_sense_is_refused_at_fit_and_not_before(cls):
    for name, values in PARAMETERS[cls].items():
        for value in values:
            assert_refused(cls.__name__, name.removeprefix("class_"), cls(**{name: value}).fit, X, Y)


# ---- one example ----------------------------------------------------------------------------------------------------

# (x, y, more arguments, words)
EXAMPLES = {
    "NaN": ([NAN, 1.0], 1, {}, "NaN"),
    "infinity": ([1.0, INF], 1, {}, "inf"),
    "infinity in float32": (np.array([1.0, -INF], dtype=np.float32), 1, {}, "inf"),
    "a norm that overflows": ([1e200, 1.0], 1, {}, ""),
    "NaN in a sparse row": (sp.csr_matrix([[1.0, NAN]]), 1, {}, "NaN"),
    "words for numbers": (["one", "two"], 1, {}, "one"),
    "None for a number": ([None, 1.0], 1, {}, ""),
    "complex numbers": ([1j, 1.0], 1, {}, "omplex"),
    "nothing at all": (None, 1, {}, ""),
    "a number for an example": (3.0, 1, {}, "()"),
    "two examples": (X[:2], 1, {}, "(2, 2)"),
    "two sparse rows": (sp.csr_matrix(X[:2]), 1, {}, "(2, 2)"),
    "two sparse rows by column": (sp.csc_matrix(X[:2]), 1, {}, "(2, 2)"),
    "an index beyond the columns": (broken_csr(indices=put(1, 7))[[0]], 1, {}, "7"),
    "no features": ([], 1, {}, ""),
    "a label that is NaN": ([1.0, 2.0], NAN, {}, ""),
    "a label that is None": ([1.0, 2.0], None, {}, "None"),
    "a label that is a measurement": ([1.0, 2.0], 0.5, {}, "0.5"),
    "a label that is a list": ([1.0, 2.0], [1], {}, ""),
    "a label of another kind": ([1.0, 2.0], "one", {}, "one"),
    "a negative weight": ([1.0, 2.0], 1, {"sample_weight": -1.0}, "-1"),
    "a weight that is NaN": ([1.0, 2.0], 1, {"sample_weight": NAN}, "nan"),
    "an infinite weight": ([1.0, 2.0], 1, {"sample_weight": INF}, "inf"),
    "a weight that is a word": ([1.0, 2.0], 1, {"sample_weight": "many"}, "many"),
    "a weight that is None": ([1.0, 2.0], 1, {"sample_weight": None}, "None"),
    "NaN in a dict": ({0: 1.0, 1: NAN}, 1, {}, "nan"),
    "infinity in a dict": ({0: INF}, 1, {}, "inf"),
    "an integer too large for a double": ({0: 10**400}, 1, {}, "1000"),
    "a dict whose norm overflows": ({0: 1e200, 1: 1.0}, 1, {}, ""),
    "a word in a dict": ({0: 1.0, 1: "two"}, 1, {}, "'two'"),
    "None in a dict": ({0: None}, 1, {}, "None"),
    "a list in a dict": ({0: [1.0]}, 1, {}, "[1.0]"),
    "a complex number in a dict": ({0: 1j}, 1, {}, "1j"),
    "a key that is a float": ({0.5: 1.0}, 1, {}, "0.5"),
    "a key that is None": ({None: 1.0}, 1, {}, "None"),
    "a key that is a tuple": ({("a", 1): 1.0}, 1, {}, "('a', 1)"),
    "a key beyond 64 bits": ({2**70: 1.0}, 1, {}, str(2**70)),
    "a key that is not a text": ({"\ud800": 1.0}, 1, {}, "ud800"),
    "a new feature beside a bad one": ({"new": 1.0, "\udfff": 1.0}, 1, {}, "udfff"),
    "a bad example of a new class": ([NAN, 1.0], 5, {}, "NaN"),
    "a bad dict of a new class": ({"a": NAN}, 5, {}, "nan"),
    "a bad weight of a new class": ([1.0, 2.0], 5, {"sample_weight": -1.0}, "-1"),
}


def by_dict(model):
    """A stream in the middle of its life, met by name, on its short way."""
    for row, label in zip(X.tolist(), Y.tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), label)
    return model


each_life = pytest.mark.parametrize("life", ["in the middle", "by dict", "new"])


@each_life
@some
def test_learn_one_refuses_and_leaves_the_model_as_it_was(make, life):
    model = {**LIVES, "by dict": by_dict}[life](make())
    before = snapshot(model)
    for what, (x, y, more, words) in EXAMPLES.items():
        if (what, life) != ("a label of another kind", "new"):  # any label will do for the first
            assert_refused(type(model).__name__, words, model.learn_one, x, y, **more)
            assert snapshot(model) == before, what


@pytest.mark.parametrize("life", ["in the middle", "by dict"])
def test_predict_one_and_score_one_refuse_the_same_examples(life):
    model = {**LIVES, "by dict": by_dict}[life](nk.Perceptron())
    for x, y, more, words in EXAMPLES.values():
        for method in (model.predict_one, model.score_one, model.predict_and_score_one):
            if y == 1 and not more:
                assert_refused("Perceptron", words, method, x)


@some
def test_predict_refuses_rows_that_are_no_numbers(make):
    model = trained(make())
    for bad in (with_entry(NAN), with_entry(INF), sp.csr_matrix(with_entry(NAN)), with_entry(1e200)):
        for method in (model.predict, model.decision_function, model.predict_sign):
            assert_refused(type(model).__name__, "row 2", method, bad)


@some
def test_a_model_whose_first_example_was_refused_may_still_declare_its_classes(make):
    model = make()
    with pytest.raises(nk.InvalidInputError):
        model.learn_one([NAN, 1.0], 1)
    model.partial_fit(X, Y, classes=[0, 1])
    assert model.classes_.tolist() == [0, 1]


@some
def test_a_refused_example_leaves_the_stream_as_if_it_had_never_come(make):
    model, other = make(), make()
    for i, (row, label) in enumerate(zip(X.tolist(), Y.tolist(), strict=True)):
        x = {f"x{j}": value for j, value in enumerate(row)}
        with pytest.raises(nk.InvalidInputError):
            model.learn_one({**x, "bad": NAN, f"new {i}": 1.0}, label)
        model.learn_one(x, label)
        other.learn_one(x, label)
        assert model.score_one(x) == other.score_one(x)
    assert snapshot(model) == snapshot(other)


def test_errors_are_value_errors_and_novikoff_errors():
    assert issubclass(nk.InvalidInputError, ValueError)
    assert issubclass(nk.InvalidInputError, nk.NovikoffError)
