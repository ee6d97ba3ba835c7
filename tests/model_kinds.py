"""Small models of every kind, with what they predict and claim, as files of models hold them."""

import functools
import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone

import novikoff as nk
from novikoff.data.late_rows import LateRows
from novikoff.data.position import FileIdentity, Position
from novikoff.data.reading import Reading
from novikoff.distributed import fit
from novikoff.persistence.model_file import save_position

ROWS = [[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 0.5], [0.5, -3.0], [1.5, -2.0]]
TWO = ["yes", "yes", "no", "no", "no", "yes"]
THREE = [1, 1, 2, 2, 3, 3]
APART = ["yes", "yes", "no", "no", "no", "no"]
FRAME = pd.DataFrame(ROWS, columns=["size", "größe"])
EVENTS = [({"free": 1.0, "offer": 2.0}, "spam"), ({"lunch": 1.0, "free": 1.0}, "ham"), ({"offer": 1.0, 7: 2.0}, "spam")]


TABLE = b"age;job;note;y\n20,5;clerk;free lunch;no\n;smith;no offer;yes\n41;smith;;yes\n33;cook;free;no\n"


def stream(model):
    for x, y in EVENTS:
        model.learn_one(x, y)
    return model


def read_from_a_file(model):
    model.reading_ = Reading(target="label", features=("size", "größe"))
    return model


FITS = {  # learners, and the rows, labels and weights of their fit
    "perceptron-unit-length": (nk.Perceptron(normalize=True), ROWS, APART),
    "perceptron-scale": (nk.Perceptron(scale="running"), ROWS, APART),
    "averaged": (nk.AveragedPerceptron(), ROWS, THREE),
    "voted": (nk.VotedPerceptron(tie="positive"), ROWS, TWO, [1.0, 2.0, 0.0, 0.5, 1.0, 1.0]),
    "margin": (nk.MarginPerceptron(max_iter=50), ROWS, APART),
    "passive-aggressive": (nk.PassiveAggressive(), ROWS, TWO),
    "passive-aggressive-1": (nk.PassiveAggressiveI(C=0.5, max_features=4), ROWS, TWO),
    "passive-aggressive-2": (nk.PassiveAggressiveII(C=0.5), ROWS, [label == "yes" for label in TWO]),
    "arow": (nk.AROW(r=0.5, floor=0.25), ROWS, TWO),
    "soft-confidence": (nk.SoftConfidenceWeighted(variant="II"), ROWS, TWO),
    "multiclass-perceptron": (nk.MulticlassPerceptron(max_iter=20), ROWS, THREE),
    "multiclass-arow": (nk.MulticlassAROW(r=0.5, floor=0.125), ROWS, THREE),
    "svm": (nk.LinearSVM(C=0.5, warm_start=True), ROWS, TWO),
    "svm-pairs": (nk.LinearSVM(multi_class="ovo", warm_start=True), ROWS, THREE, [1.0, 2.0, 3.0, 1.0, 2.0, 1.0]),
    "svm-joint": (nk.LinearSVM(multi_class="crammer_singer", loss="hinge", warm_start=True), ROWS, THREE),
    "svm-joint-path": (nk.LinearSVMPath(Cs=[0.1, 1], multi_class="crammer_singer", loss="hinge"), ROWS, THREE),
    "svm-probability": (nk.LinearSVM(probability=True), ROWS * 3, TWO * 3),
    "svm-cross-validated": (nk.LinearSVMCV(Cs=(0.1, 1.0), cv=2), ROWS, TWO),
    "svm-path": (nk.LinearSVMPath(Cs=[0.1, 1.0]), ROWS, TWO),
    "hard-margin": (nk.HardMarginSVM(), ROWS, APART),
}
PARTIAL_FITS = {
    "perceptron-classes": (nk.Perceptron(), ROWS, THREE),
    "perceptron-forgetting": (nk.Perceptron(forget=0.25, half_life=3.0), ROWS, THREE),
    "perceptron-centred": (nk.Perceptron(scale="centred"), ROWS, THREE),
    "averaged-centred": (nk.AveragedPerceptron(scale="centred"), ROWS, THREE),
    "voted-centred": (nk.VotedPerceptron(scale="centred"), ROWS, TWO),
    "arow-centred": (nk.AROW(scale="centred"), ROWS, TWO),
    "soft-confidence-centred": (nk.SoftConfidenceWeighted(scale="centred"), ROWS, TWO),
    "passive-aggressive-1-probability": (
        nk.PassiveAggressiveI(probability=True, classes=["maybe", "no", "yes"]),
        *(ROWS, TWO),
    ),
    "normalized-adaptive": (nk.NormalizedAdaptive(loss="squared"), ROWS, THREE),
    "multiclass-passive-aggressive-1": (nk.MulticlassPassiveAggressiveI(C=0.5), ROWS, THREE),
    "multiclass-arow-centred": (nk.MulticlassAROW(scale="centred"), ROWS, THREE),
    "tracker-joint": (nk.Tracker([nk.PassiveAggressiveI(), nk.MulticlassAROW(scale="running")]), ROWS, THREE),
}
MODELS = {
    **{name: lambda case=case: clone(case[0]).fit(*case[1:]) for name, case in FITS.items()},
    **{name: lambda case=case: clone(case[0]).partial_fit(*case[1:]) for name, case in PARTIAL_FITS.items()},
    "perceptron": lambda: read_from_a_file(nk.Perceptron(slack_feature=0.5).fit(FRAME, TWO)),
    "perceptron-stream": lambda: stream(nk.Perceptron(class_weight="balanced")),
    "perceptron-mixing": lambda: fit(nk.Perceptron(), [np.array(ROWS[:4]), np.array(ROWS[4:])], [APART[:4], APART[4:]]),
    "averaged-mixing": lambda: fit(nk.AveragedPerceptron(), ROWS, THREE, on="local:3"),
    "passive-aggressive-scale": lambda: stream(nk.PassiveAggressiveI(scale="running", normalize=True)),
    "passive-aggressive-centred": lambda: stream(nk.PassiveAggressiveI(scale="centred")),
    "tracker": lambda: stream(nk.Tracker()),
    "tracker-late-labels": lambda: nk.Tracker([nk.Perceptron(), nk.AROW()]).partial_fit(ROWS, TWO),
    "arow-stream": lambda: stream(nk.AROW()),
    "multiclass-arow-stream": lambda: stream(nk.MulticlassAROW()),
    "multiclass-passive-aggressive-2": lambda: stream(nk.MulticlassPassiveAggressiveII(C=0.5)),
    "svm-classes": lambda: nk.LinearSVM(class_weight={1: 2.0}, multi_class="ovr").fit(FRAME, THREE),
    "table": lambda: nk.fit(TABLE, format="csv", encoder=nk.TableEncoder(text=["note"], idf=True))[-1],
    "table-stream": lambda: nk.Perceptron().partial_fit(nk.scan(TABLE, format="csv", scale="standard", missing="mean")),
    "table-stream-position": lambda: MODELS["table-stream"](),
    "weights": lambda: nk.LinearClassifier.of([[1.0, -2.0]], [0.5], [0.0, 1.0]),
}
ROWS_OF = {name: case[1:] for name, case in (FITS | PARTIAL_FITS).items()}  # rows, labels and weights that were learned
ROWS_OF |= {"perceptron": (ROWS, TWO), "perceptron-mixing": (ROWS, APART), "averaged-mixing": (ROWS, THREE)}
ROWS_OF |= {"svm-classes": (ROWS, THREE)}


POSITION = Position(4, (FileIdentity(len(TABLE), "0" * 64, "f" * 64),), {"scale": '"standard"'}, True)
POSITIONS = {"table-stream-position": POSITION}  # how far streams have come

UNLEARNED = {  # rows of streams that wait for their labels
    "tracker-late-labels": LateRows.of(np.array(ROWS[:2]), np.array(TWO[1:3]), np.array([1.0, 2.5]))
}


def told(model):
    """What a model says, in JSON: numbers as they are, so that any other digit shows. An online one learns on."""
    model = model[-1] if hasattr(model, "steps") else model  # the learner of a pipeline
    parameters = {name: repr(value) for name, value in model.get_params().items()}
    answers = {"learner": type(model).__name__, "parameters": parameters}
    certificates = getattr(model, "certificates_", getattr(model, "certificate_", []))
    answers["certificates"] = [
        json.loads(one.to_json()) for one in (certificates if isinstance(certificates, list) else [certificates])
    ]
    if (reading := getattr(model, "reading_", None)) is not None and (reading.encoding or reading.running):
        X = reading.read("golden", TABLE, format="csv").X
        return answers | {"rows": X.toarray().tolist(), "scores": model.decision_function(X).tolist()}
    if hasattr(model, "predict") and getattr(model, "n_features_in_", 0) == 2:
        answers["predict"] = model.predict(FRAME if hasattr(model, "feature_names_in_") else ROWS).tolist()
    if hasattr(model, "predict_proba_one"):
        answers["probabilities"] = model.predict_proba(ROWS).tolist()
    by_name = getattr(getattr(model, "learners_", [model])[0], "_by_name", False)
    if hasattr(model, "predict_one"):
        answers["scores"] = [_scores(model.score_one(x)) for x in ([EVENTS[0][0]] if by_name else ROWS)]
    if hasattr(model, "coef_"):
        answers["coef"] = model.coef_.tolist()
    if hasattr(model, "learn_one"):
        x, y = (EVENTS[1][0], "spam") if by_name else ([1.0, -4.0], model.classes_.tolist()[0])
        model.learn_one(x, y)
        members = model.learners_ if hasattr(model, "learners_") else [model]
        answers["coef after one more"] = [each for own in members for each in own.coef_.tolist()]
    return answers


def _scores(score):
    return [[str(label), value] for label, value in score.items()] if isinstance(score, dict) else score


@functools.cache
def model_files():
    """The bytes of the file of each kind, by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.nvk")
        found = {}
        for name, make in MODELS.items():
            known = nk.fingerprint(*ROWS_OF[name]) if name in ROWS_OF else None
            held = {"unlearned": UNLEARNED.get(name)}
            save_position(make(), path, POSITIONS.get(name), fingerprint=known, **held)
            found[name] = path.read_bytes()
        return found
