"""Every parameter of every learner is an option, and no option is passed over."""

import inspect
import json

import pytest
from command import assert_refused, done, novikoff

import novikoff as nk
from novikoff._learner_names import LEARNERS, ONLINE

VALUES = {  # another value than the default, as the command line writes it
    "C": ("0.25", 0.25),
    "lam": ("2.5", 2.5),
    "loss": ("hinge", "hinge"),
    "max_iter": ("77", 77),
    "max_time": ("60.5", 60.5),
    "tol": ("0.01", 0.01),
    "tie": ("positive", "positive"),
    "scale": ("running", "running"),
    "forget": ("0.125", 0.125),
    "half_life": ("50", 50.0),
    "slack_feature": ("0.75", 0.75),
    "max_features": ("64", 64),
    "multi_class": ("ovr", "ovr"),
    "n_iter_no_change": ("7", 7),
    "margin": ("0.125", 0.125),
    "epsilon": ("0.25", 0.25),
    "n_jobs": ("2", 2),
    "random_state": ("7", 7),
    "decay": ("0.5", 0.5),
    "beta": ("0.25", 0.25),
    "share": ("0.01", 0.01),
    "a": ("2.5", 2.5),
    "r": ("2.5", 2.5),
    "floor": ("0.25", 0.25),
    "eta": ("0.75", 0.75),
    "variant": ("II", "II"),
    "learning_rate": ("0.25", 0.25),
    "b": ("0.25", 0.25),
    "budget": ("20", 20),
    "class_weight": ('{"-1": 2, "1": 0.5}', {-1: 2, 1: 0.5}),
}
WITHOUT = ("verbose", "warm_start", "learners", "classes")  # the classes come from the data
PAIRS = [
    (name, parameter)
    for name, learner in LEARNERS.items()
    for parameter in inspect.signature(learner).parameters
    if parameter not in WITHOUT
]


def refusal(name, parameter):
    """Why a learner refuses a parameter of all online learners that only other ones can use; None if it does not."""
    words = {}
    if name.startswith("multiclass-"):
        words = {"probability": "because there are no binary problems", "n_jobs": "because all classes"}
    return words.get(parameter)


def option(name, parameter):
    """The option that sets a parameter to another value, and that value."""
    default = inspect.signature(LEARNERS[name]).parameters[parameter].default
    flag = parameter.replace("_", "-")
    if isinstance(default, bool):
        return ([f"--no-{flag}"], False) if default else ([f"--{flag}"], True)
    text, value = VALUES[parameter]
    return [f"--{flag}", text], value


@pytest.mark.parametrize(("name", "parameter"), PAIRS)
def test_every_parameter_of_fit_has_its_option(folder, name, parameter):
    words, value = option(name, parameter)
    run = novikoff("fit", "two.svm", "--learner", name, *words, "--json", folder=folder)
    if words := refusal(name, parameter):
        assert_refused(run, words)
        return
    if parameter == "probability" and name in ONLINE:  # fit knows the labels of the rows that it scores
        assert_refused(run, "--probability is for streams", "novikoff stream")
        return
    if run.code:
        assert_refused(run)
        pytest.fail(run.err)
    found = run.json["parameters"][parameter]
    expected = json.loads(json.dumps(value)) if not isinstance(value, dict) else {str(k): v for k, v in value.items()}
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [pair for pair in PAIRS if pair[0] in ONLINE and pair[1] != "max_features"],  # svmlight has no names to fold
)
def test_every_parameter_of_stream_has_its_option(folder, tmp_path, name, parameter):
    words, value = option(name, parameter)
    command = ("stream", "two.svm", "--learner", name, *words, "-q", "-o", tmp_path / "m.nvk")
    if words := refusal(name, parameter):
        assert_refused(novikoff(*command, folder=folder), words)
        return
    done(*command, folder=folder)
    assert nk.load(tmp_path / "m.nvk").get_params()[parameter] == value


def test_the_short_options_are_those_of_other_programs(folder):
    run = done("fit", "two.svm", "-c", "0.5", "-e", "0.001", "--passes", "99", "--json", folder=folder)
    parameters = run.json["parameters"]
    assert (parameters["C"], parameters["tol"], parameters["max_iter"]) == (0.5, 0.001, 99)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        (name, parameter)
        for name in ("linear-svm", "hard-margin", "perceptron", "passive-aggressive")
        for parameter in sorted({p for _, p in PAIRS} - set(inspect.signature(LEARNERS[name]).parameters))
    ],
)
def test_an_option_of_another_learner_is_refused(folder, name, parameter):
    owner = next(other for other, owned in PAIRS if owned == parameter)
    words, _ = option(owner, parameter)
    run = novikoff("fit", "two.svm", "--learner", name, *words, folder=folder)
    assert_refused(run, words[0], f"{name} does not have this option")
    offered = [word.strip(",.") for word in run.err.partition("It has")[2].split()]
    assert offered
    assert set(offered) <= {option(name, owned)[0][0] for other, owned in PAIRS if other == name}
