"""The learners of the command line."""

import inspect

import novikoff as nk
from learners import ONLINE_CLASSES
from novikoff._learner_names import LEARNERS, ONLINE


def test_every_public_learner_has_a_name():
    """Except those that hold no model or several, and the one that ``fit --cv`` stands for."""
    without = {"Hashing", "TableEncoder", "LinearClassifier", "LinearSVMPath", "LinearSVMCV"}
    public = {name for name in nk.__all__ if inspect.isclass(getattr(nk, name)) and hasattr(getattr(nk, name), "fit")}
    assert {learner.__name__ for learner in LEARNERS.values()} == public - without


def test_online_learners_are_those_that_learn_one_example():
    assert set(ONLINE.values()) == set(ONLINE_CLASSES)
    assert LEARNERS["linear-svm"] is nk.LinearSVM
    assert LEARNERS["hard-margin"] is nk.HardMarginSVM
    assert ONLINE["passive-aggressive-ii"] is nk.PassiveAggressiveII
