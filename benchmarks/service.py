"""Calls that a service makes of an online learner, against those that they replace: ratios from one interleaved run.

python benchmarks/service.py            # the sizes of the published figures
python benchmarks/service.py --quick    # a tenth of them
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

from harness import interleave, report, share_of_rows, text_like

import novikoff as nk

MANY = 64
MOST_FOR_CLASS_WEIGHTS = 1.1  # times the price of learn_one without them
MOST_FOR_FIRST_EXAMPLE = 50e-6


def dicts_of(rows: int, nonzeros: int) -> tuple[list[dict[str, float]], list[bool]]:
    X, y = text_like(rows, 5000, nonzeros)
    parts = [(X.indices[a:b].tolist(), X.data[a:b].tolist()) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    return [{f"feature{j}": v for j, v in zip(*part, strict=True)} for part in parts], (y > 0).tolist()


def learned(model: Any, dicts: list[dict[str, float]], labels: list[Any]) -> Any:
    for x, y in zip(dicts, labels, strict=True):
        model.learn_one(x, y)
    return model


def predictions(dicts: list[dict[str, float]], labels: list[Any], what: str, rounds: int) -> dict[str, Any]:
    """One call for many dicts, and one call for each of them. The dicts are read anew in each call."""
    model, few = learned(nk.PassiveAggressiveI(), dicts, labels), dicts[:MANY]
    times = interleave(
        {
            "many": lambda: model.predict_many(few),
            "each": lambda: [model.predict_one(x) for x in few],
        },
        rounds,
    )
    name = f"predict_many of {MANY} dicts, {what}"
    return row(name, times["many"], f"{MANY} calls of predict_one", times["each"], most_ratio=1.0)


def learning(
    make: Callable[..., Any], dicts: list[dict[str, float]], labels: list[Any], what: str, rounds: int, weight: Any
) -> dict[str, Any]:
    """``learn_one`` with class weights, and without."""
    plain, weighed = (learned(make(class_weight=given), dicts, labels) for given in (None, weight))

    def learn(model: Any) -> Callable[[], None]:
        return lambda: [model.learn_one(x, y) for x, y in zip(dicts, labels, strict=True)]

    times = interleave({"weighed": learn(weighed), "plain": learn(plain)}, rounds)
    name = f"learn_one of {make.__name__}, class_weight={weight!r}, {what}"
    each = {kind: seconds / len(dicts) for kind, seconds in times.items()}
    return row(name, each["weighed"], "without class weights", each["plain"], most_ratio=MOST_FOR_CLASS_WEIGHTS)


def first_example(make: Callable[[], Any], rounds: int) -> dict[str, Any]:
    """``learn_one`` of a new learner, after other learners of the process, and the second one of the same learner."""
    first, second = [], []
    for _ in range(rounds):
        model = make()
        for seconds, y in ((first, "yes"), (second, "no")):
            x = {"a": 1.0, "b": 2.0}
            begin = time.thread_time()  # not the time in which other processes had the core
            model.learn_one(x, y)
            seconds.append(time.thread_time() - begin)
    name = f"first learn_one of {make.__name__}"
    times = (statistics.median(first), "second, with a new label", statistics.median(second))
    return row(name, *times, most=MOST_FOR_FIRST_EXAMPLE)


def row(
    work: str, ours: float, against: str, other: float, *, most: float = math.inf, most_ratio: float = math.inf
) -> dict[str, Any]:
    times = {"time": f"{1e6 * ours:.2f} us", "against": against, "its time": f"{1e6 * other:.2f} us"}
    bar = f"ratio <= {most_ratio:g}" if most_ratio < math.inf else f"time <= {1e6 * most:g} us"
    return {
        "work": work,
        **times,
        "ratio": ours / other,
        "bar": bar,
        "met": ours <= most and ours / other <= most_ratio,
    }


def main() -> None:
    share = share_of_rows(__doc__)
    table = []
    for nonzeros in (8, 57):
        dicts, labels = dicts_of(2000 // share, nonzeros)
        what = f"{nonzeros} features"
        table.append(predictions(dicts, labels, what, 2000 // share))
        table.append(predictions(dicts, [k % 10 for k in range(len(dicts))], f"{what}, 10 classes", 400 // share))
        for weight in ({False: 1.0, True: 2.0}, {False: 0.5, True: 1.0}, "balanced"):
            table.append(learning(nk.PassiveAggressiveI, dicts, labels, what, 40, weight))
        for make in (nk.PassiveAggressiveI, nk.AROW, nk.MulticlassPassiveAggressiveI):
            ten = (dicts, [k % 10 for k in range(len(dicts))], f"{what}, 10 classes")
            table.append(learning(make, *ten, 20, "balanced"))
    for make in (nk.Perceptron, nk.PassiveAggressiveI, nk.AROW):
        table.append(first_example(make, 2000 // share))
    report("service", share, table)


if __name__ == "__main__":
    main()
