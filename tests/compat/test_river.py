"""The adapter for River: its checks, its pipelines, and a clear error without it."""

import subprocess
import sys

import pytest

import novikoff as nk
from learners import CLASSES
from novikoff.compat.river import RiverClassifier
from novikoff.online._joint import JointClassifier

EXAMPLES = [({"a": 1.0, "b": 2.0}, "x"), ({"a": -1.0}, "y"), ({"b": 1.0}, "x"), ({"a": -2.0, "b": -1.0}, "y")]


@pytest.fixture
def river():
    return pytest.importorskip("river", reason="River is not installed (make peers)")


@pytest.mark.slow
@pytest.mark.parametrize("make", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("probability", [True, False])
def test_the_checks_of_river_pass(river, make, probability):
    from river.checks import check_estimator

    if probability and issubclass(make, JointClassifier):  # it has no binary problems, so it has no probabilities
        with pytest.raises(nk.InvalidInputError, match="probability=True needs binary problems"):
            RiverClassifier(make(probability=True)).learn_one(*EXAMPLES[0])
        return
    check_estimator(RiverClassifier(make(probability=probability)))


def test_the_short_checks_of_river_pass(river):
    from river.checks import yield_checks

    model = RiverClassifier(nk.PassiveAggressiveI(probability=True))
    for check in yield_checks(model):
        if "dataset" not in getattr(check, "keywords", {}):
            check(model.clone())


def test_it_works_in_a_pipeline_and_with_metrics(river):
    from river import evaluate, metrics, preprocessing

    model = preprocessing.StandardScaler() | RiverClassifier(nk.PassiveAggressiveI(C=0.1, probability=True))
    stream = [(x, y == "x") for x, y in EXAMPLES * 20]
    assert evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get() > 0.9
    assert evaluate.progressive_val_score(stream, model, metrics.LogLoss()).get() < 0.5


def test_it_predicts_what_the_learner_predicts(river):
    learner, adapter = nk.Perceptron(probability=True), RiverClassifier(nk.Perceptron(probability=True))
    for x, y in EXAMPLES:
        learner.learn_one(x, y, 2.0)
        adapter.learn_one(x, y, w=2.0)
        assert adapter.predict_one(x) == learner.predict_one(x)
        assert adapter.predict_proba_one(x) == learner.predict_proba_one(x)


def test_a_clone_has_learned_nothing_unless_it_is_asked_for(river):
    model = RiverClassifier(nk.Perceptron())
    for x, y in EXAMPLES:
        model.learn_one(x, y)
    assert model.clone().predict_one({"a": 1.0}) is None
    assert model.clone(include_attributes=True).predict_one({"a": 1.0}) == "x"
    assert type(model.clone({"learner": nk.PassiveAggressive()}).learner) is nk.PassiveAggressive
    assert model.predict_one({"a": 1.0}) == "x"


def test_what_is_no_learner_is_refused(river):
    with pytest.raises(nk.InvalidInputError, match="must be an online learner"):
        RiverClassifier("perceptron")


@pytest.mark.slow
def test_without_river_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['river'] = None; import novikoff; from novikoff.compat.river import RiverClassifier\n"
        "try: RiverClassifier(novikoff.Perceptron())\n"
        "except novikoff.InvalidInputError as error: print(error)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == (
        "RiverClassifier: the package river is not installed. Install it with: pip install 'novikoff[river]'.\n"
    )
