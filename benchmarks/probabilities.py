"""The log loss of probabilities that online learners give before they see the label.

Beside it: the log loss of the best logistic function of the same scores in hindsight, and of the frequency of the label
so far. The columns of elec2 are standardised by the moments so far.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

import novikoff as nk

from .data.sets import DATA
from .harness import Session, Suite
from .harness.session import show

LEARNERS = {
    "Perceptron": nk.Perceptron,
    "AveragedPerceptron": nk.AveragedPerceptron,
    "PassiveAggressiveI": nk.PassiveAggressiveI,
    "PassiveAggressiveII": nk.PassiveAggressiveII,
}


def elec2() -> tuple[Any, np.ndarray]:
    batch = nk.read(DATA / "elec2.csv.gz")
    return standardised(np.asarray(batch.X, dtype=np.float64)), np.asarray(batch.y) == np.asarray(batch.y).max()


def standardised(X: np.ndarray) -> np.ndarray:
    count = np.arange(1, len(X) + 1)[:, None]
    mean = np.cumsum(X, axis=0) / count
    deviation = np.sqrt(np.maximum(np.cumsum(X**2, axis=0) / count - mean**2, 0))
    return np.divide(X - mean, deviation, out=np.zeros_like(X), where=deviation > 1e-12)


def spam() -> tuple[Any, np.ndarray]:
    batch = nk.read(DATA / "spam_stream.svm.gz")
    return batch.X, np.asarray(batch.y) > 0


def progressive(make: Any, X: Any, y: np.ndarray) -> tuple[float, float]:
    """The log loss before learning, and that of the best logistic function of the same scores."""
    model, loss, scores = make(probability=True, classes=[False, True]), np.empty(len(y)), np.empty(len(y))
    model.partial_fit(X[:1], y[:1])
    loss[0], scores[0] = np.log(2), 0.0
    for i in range(1, len(y)):
        row = X[[i]]
        scores[i] = model.score_one(row)
        loss[i] = -np.log(model.predict_proba_one(row)[bool(y[i])])
        model.learn_one(row, bool(y[i]))
    return float(loss.mean()), best_in_hindsight(scores, y)


def best_in_hindsight(scores: np.ndarray, y: np.ndarray) -> float:
    signs, unit = np.where(y, 1.0, -1.0), np.abs(scores).mean()
    return float(minimize(lambda v: np.logaddexp(0, -signs * (v[0] * scores / unit + v[1])).mean(), [1.0, 0.0]).fun)


def of_frequency(y: np.ndarray) -> float:
    before = (np.cumsum(y) - y + 0.5) / np.arange(1, len(y) + 1)
    return float(-np.log(np.where(y, before, 1 - before)).mean())


def run(session: Session) -> None:
    """Measure all."""
    table = []
    for name, load in {"elec2": elec2, "spam_stream": spam}.items():
        X, y = load()
        rows = len(y) // session.size["share"]
        X, y = X[:rows], y[:rows]
        for learner, make in LEARNERS.items():
            loss, best = progressive(make, X, y)
            row = {"stream": name, "learner": learner, "log loss": loss, "best in hindsight": best}
            table.append({**row, "frequency": of_frequency(y)})
            session.keep(losses=table)
    show(table)


SUITE = Suite(
    name="probabilities",
    measures="the log loss of probabilities that online learners give before they see the label",
    contestants=("the best logistic function of the same scores in hindsight", "the frequency of the label so far"),
    answers="the answers are what is measured",
    limit="the best logistic function in hindsight",
    run=run,
    quick={"share": 20},
    full={"share": 1},
    files=("elec2.csv.gz", "spam_stream.svm.gz"),
)
