"""Calls that a service makes of an online learner, against those that they replace."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import novikoff as nk

from .data.text import text_like
from .harness import Session, Suite, Timed

MANY = 64
Dicts = list[dict[str, float]]


def dicts_of(rows: int, nonzeros: int) -> tuple[Dicts, list[bool]]:
    """Return text-like rows as dicts, and their labels."""
    X, y = text_like(rows, 5000, nonzeros)
    parts = [(X.indices[a:b].tolist(), X.data[a:b].tolist()) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    return [{f"feature{j}": v for j, v in zip(*part, strict=True)} for part in parts], (y > 0).tolist()


def learned(model: Any, dicts: Dicts, labels: list[Any]) -> Any:
    """Return the model after it has learned all examples."""
    for x, y in zip(dicts, labels, strict=True):
        model.learn_one(x, y)
    return model


def predictions(session: Session, dicts: Dicts, labels: list[Any], what: str) -> None:
    """One call for many dicts, and one call for each of them. The dicts are read anew in each call."""
    model, few = learned(nk.PassiveAggressiveI(), dicts, labels), dicts[:MANY]
    right = [model.predict_one(x) for x in few]
    session.compare(
        f"predict_many of {MANY} dicts, {what}",
        {"predict_many": lambda: model.predict_many(few)},
        {f"novikoff, {MANY} calls of predict_one": lambda: [model.predict_one(x) for x in few]},
        rounds=session.size["calls"],
        cost=lambda found: float(list(found) != right),
    )


def learning(
    session: Session, make: Callable[..., Any], dicts: Dicts, labels: list[Any], what: str, weight: Any
) -> None:
    """``learn_one`` with class weights, and without."""
    plain, weighed = (learned(make(class_weight=given), dicts, labels) for given in (None, weight))
    session.compare(
        f"{len(dicts)} calls of learn_one, {make.__name__}, class_weight={weight!r}, {what}",
        {"with class weights": lambda: learned(weighed, dicts, labels)},
        {"novikoff, without": lambda: learned(plain, dicts, labels)},
        rounds=20,
    )


def first_example(session: Session, make: Callable[[], Any]) -> None:
    """``learn_one`` of a new learner, after other learners of the process, and the second one of the same learner."""
    models: list[Any] = []

    def call(label: str) -> Timed:
        x = {"a": 1.0, "b": 2.0}
        begin = time.thread_time()  # not the time in which other processes had the core
        models[-1].learn_one(x, label)
        return Timed(time.thread_time() - begin)

    def first() -> Timed:
        models[:] = [make()]
        return call("yes")

    session.compare(
        f"first learn_one of {make.__name__}",
        {"first": first},
        {"novikoff, second example with a new label": lambda: call("no")},
        rounds=session.size["calls"],
    )


def run(session: Session) -> None:
    """Measure all."""
    for nonzeros in (8, 57):
        dicts, labels = dicts_of(session.size["rows"], nonzeros)
        what, ten = f"{nonzeros} features", [k % 10 for k in range(len(dicts))]
        predictions(session, dicts, labels, what)
        predictions(session, dicts, ten, f"{what}, 10 classes")
        for weight in ({False: 1.0, True: 2.0}, {False: 0.5, True: 1.0}, "balanced"):
            learning(session, nk.PassiveAggressiveI, dicts, labels, what, weight)
        for make in (nk.PassiveAggressiveI, nk.AROW, nk.MulticlassPassiveAggressiveI):
            learning(session, make, dicts, ten, f"{what}, 10 classes", "balanced")
    for make in (nk.Perceptron, nk.PassiveAggressiveI, nk.AROW):
        first_example(session, make)


SUITE = Suite(
    name="service",
    measures="single calls of online learners with dicts: many predictions at once, class weights, the first example",
    contestants=("novikoff by other calls",),
    answers="predict_many returns what predict_one returns",
    limit="a ratio of 1: the call must not cost more than those that it replaces, class weights at most a tenth more",
    run=run,
    quick={"rows": 200, "calls": 200},
    full={"rows": 2000, "calls": 2000},
)
