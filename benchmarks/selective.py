"""Labels that a selective perceptron asks for, and its accuracy, on streams of mails and of text messages.

Each row is predicted before it is learned, and all numbers are means over the seeds. Beside the mistakes: their
estimate from the labels that were asked for. The perceptron uses all labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import novikoff as nk

from .data.streams import MAKERS
from .harness import Session, Suite
from .harness.session import show

NAMES = ("spam", "sms")
SEEDS = range(10)


def measured(make: Any, stream: Any, rows: int) -> tuple[float, float, float, float]:
    """The share of labels asked for, the accuracy, the mistakes and their estimate."""
    model = make(classes=[0, 1])
    wrong = int((model.predict_then_learn(stream.X[:rows], stream.y[:rows]) != stream.y[:rows]).sum())
    certificate = model.certificate_
    estimate = getattr(certificate, "estimate", wrong)
    return getattr(certificate, "asked", rows) / rows, 1 - wrong / rows, wrong, estimate


def run(session: Session) -> None:
    """Measure all."""
    table = []
    for name in NAMES:
        stream = MAKERS[name]()
        rows = len(stream.y) // session.size["share"]
        learners = {"Perceptron": [lambda classes: nk.Perceptron(classes=classes)]}
        for b in (0.1, 1.0, 10.0):
            learners[f"SelectivePerceptron, b = {b:g}"] = [
                lambda classes, b=b, seed=seed: nk.SelectivePerceptron(b=b, random_state=seed, classes=classes)
                for seed in SEEDS
            ]
        for learner, makers in learners.items():
            found = np.mean([measured(make, stream, rows) for make in makers], axis=0).tolist()
            columns = dict(zip(("asked", "accuracy", "mistakes", "estimate"), found, strict=True))
            table.append({"stream": name, "learner": learner, **columns})
    session.keep(streams=table)
    show(table)


SUITE = Suite(
    name="selective",
    measures="labels that a selective perceptron asks for, and its accuracy",
    contestants=("the perceptron, which uses all labels",),
    answers="the answers are what is measured",
    limit="the accuracy of the perceptron with all labels",
    run=run,
    quick={"share": 10},
    full={"share": 1},
    files=("spam_stream.svm.gz", "sms.tsv.gz"),
)
