"""Every public learner, with parameters that reach each of its rules."""

from functools import partial

import pytest

import novikoff as nk

LEARNERS = {
    "perceptron": partial(nk.Perceptron),
    "perceptron, ties positive": partial(nk.Perceptron, tie="positive"),
    "perceptron, private features": partial(nk.Perceptron, slack_feature=0.5),
    "perceptron, unit length": partial(nk.Perceptron, normalize=True),
    "perceptron, forgetting": partial(nk.Perceptron, forget=0.1, half_life=20.0),
    "perceptron, private features and unit length": partial(nk.Perceptron, slack_feature=0.5, normalize=True),
    "averaged": partial(nk.AveragedPerceptron),
    "averaged, ties positive": partial(nk.AveragedPerceptron, tie="positive"),
    "averaged, unit length": partial(nk.AveragedPerceptron, normalize=True),
    "voted": partial(nk.VotedPerceptron),
    "voted, ties positive": partial(nk.VotedPerceptron, tie="positive"),
    "voted, unit length": partial(nk.VotedPerceptron, normalize=True),
    "margin auto": partial(nk.MarginPerceptron),
    "margin fixed": partial(nk.MarginPerceptron, margin=0.5, epsilon=0.25),
    "margin normalized": partial(nk.MarginPerceptron, normalize=True),
    "PA": partial(nk.PassiveAggressive),
    "PA-I": partial(nk.PassiveAggressiveI, C=0.125),
    "PA-I, forgetting": partial(nk.PassiveAggressiveI, C=0.125, half_life=5.0),
    "PA-II": partial(nk.PassiveAggressiveII, C=0.5),
    "AROW": partial(nk.AROW, r=0.5),
    "AROW, floor": partial(nk.AROW, floor=0.25),
    "normalized adaptive": partial(nk.NormalizedAdaptive),
    "normalized adaptive, hinge": partial(nk.NormalizedAdaptive, loss="hinge"),
    "normalized adaptive, squared": partial(nk.NormalizedAdaptive, loss="squared", learning_rate=0.25),
    "SCW-I": partial(nk.SoftConfidenceWeighted, C=0.5),
    "SCW-II": partial(nk.SoftConfidenceWeighted, variant="II", eta=0.75),
    "multiclass perceptron": partial(nk.MulticlassPerceptron),
    "multiclass PA-I": partial(nk.MulticlassPassiveAggressiveI, C=0.125),
    "multiclass PA-II": partial(nk.MulticlassPassiveAggressiveII, C=0.5),
    "multiclass AROW": partial(nk.MulticlassAROW, r=0.5),
    "multiclass AROW, floor": partial(nk.MulticlassAROW, floor=0.25),
}

# Learners whose scale is centred, for streams only: they have no ``fit``. They see a row of zeros as another one.
CENTRED = {
    f"{name}, centred": partial(make.func, **make.keywords, scale="centred")
    for name, make in LEARNERS.items()
    if name in ("perceptron", "averaged", "voted", "margin auto", "PA", "PA-I", "PA-II", "AROW")
    or name in ("normalized adaptive", "SCW-I", "SCW-II", "perceptron, ties positive")
    or name in ("multiclass PA-I", "multiclass AROW")
}

# Learners that divide columns by their root mean squares so far. Their ``fit`` divides by those of all rows.
RUNNING = {
    f"{name}, running": partial(LEARNERS[name].func, **LEARNERS[name].keywords, scale="running")
    for name in ("voted", "PA-I", "AROW, floor", "multiclass PA-II")
}

# Mixtures of learners. A label that appears late could not be predicted before, so that their mistakes may depend on
# when they learned of it; all other facts about learners are facts about these, too.
TRACKERS = {
    "tracker": partial(nk.Tracker),
    "tracker of all kinds": partial(
        nk.Tracker,
        [nk.VotedPerceptron(), nk.MarginPerceptron(), nk.AveragedPerceptron(), nk.PassiveAggressiveII(C=0.5)],
        decay=0.9,
    ),
    "tracker of scaled and unscaled rows": partial(
        nk.Tracker,
        [nk.VotedPerceptron(scale="running"), nk.Perceptron(scale="running", normalize=True), nk.Perceptron()],
    ),
    "tracker of classes learned together": partial(
        nk.Tracker, [nk.MulticlassPerceptron(), nk.AROW(scale="centred"), nk.MulticlassAROW(scale="centred")], decay=0.9
    ),
}


def forgets(make):
    """Whether a learner forgets: its fit learns from the rows once, in their order, as partial_fit does."""
    return make.keywords.get("half_life") is not None


LATE_CLASSES = "new_classes_may_come_later"
JOINT = {name for name in (*LEARNERS, *CENTRED) if name.startswith("multiclass")}  # all classes are learned together
# Learners with a matrix of all columns, which must be few; how they are numbered decides about the last bits.

# One of each kind of state and of rule; the others run in the slow tier.
REPRESENTATIVES = {
    "perceptron, ties positive",
    "averaged",
    "voted",
    "margin normalized",
    "PA-I",
    "multiclass PA-II",
    "multiclass AROW, floor",
    "AROW, floor",
    "normalized adaptive",
    "PA-I, centred",
}


def params_of(makers):
    """The learners as parameters of a fixture."""
    return [
        pytest.param(make, id=name, marks=() if name in REPRESENTATIVES else pytest.mark.slow)
        for name, make in makers.items()
    ]


MAKERS = params_of(LEARNERS)
STREAM_MAKERS = [*MAKERS, *params_of(CENTRED), *params_of(RUNNING)]

SEVERAL_PASSES = [param for param in MAKERS if not forgets(*param.values)]
ONE_VS_REST = [param for param in MAKERS if param.id not in JOINT]

CLASSES = tuple(dict.fromkeys(make.func for make in LEARNERS.values()))
ONLINE_CLASSES = (*CLASSES, nk.Tracker)
