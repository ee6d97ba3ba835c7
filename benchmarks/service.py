"""Calls that a service makes of an online learner, against those that they replace: ratios from one interleaved run.

python benchmarks/service.py            # the sizes of the published figures
python benchmarks/service.py --quick    # a tenth of them
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from harness import interleave, report, share_of_rows, text_like

import novikoff as nk

MANY = 64


def dicts_of(rows: int, nonzeros: int) -> tuple[list[dict[str, float]], list[bool]]:
    X, y = text_like(rows, 5000, nonzeros)
    parts = [(X.indices[a:b].tolist(), X.data[a:b].tolist()) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    return [{f"feature{j}": v for j, v in zip(*part, strict=True)} for part in parts], (y > 0).tolist()


def learned(dicts: list[dict[str, float]], labels: list[Any], **parameters: Any) -> nk.PassiveAggressiveI:
    model = nk.PassiveAggressiveI(**parameters)
    for x, y in zip(dicts, labels, strict=True):
        model.learn_one(x, y)
    return model


def predictions(dicts: list[dict[str, float]], labels: list[Any], what: str, rounds: int) -> dict[str, Any]:
    """One call for many dicts, and one call for each of them. The dicts are read anew in each call."""
    model, few = learned(dicts, labels), dicts[:MANY]
    times = interleave(
        {
            "many": lambda: model.predict_many(few),
            "each": lambda: [model.predict_one(x) for x in few],
        },
        rounds,
    )
    return row(f"predict_many of {MANY} dicts, {what}", times["many"], f"{MANY} calls of predict_one", times["each"])


def learning(dicts: list[dict[str, float]], labels: list[Any], what: str, rounds: int, weight: Any) -> dict[str, Any]:
    """``learn_one`` with class weights, and without."""
    plain, weighed = learned(dicts, labels), learned(dicts, labels, class_weight=weight)

    def learn(model: Any) -> Callable[[], None]:
        return lambda: [model.learn_one(x, y) for x, y in zip(dicts, labels, strict=True)]

    times = interleave({"weighed": learn(weighed), "plain": learn(plain)}, rounds)
    name = f"learn_one, class_weight={weight!r}, {what}"
    return row(name, times["weighed"] / len(dicts), "without class weights", times["plain"] / len(dicts))


def first_example(rounds: int) -> dict[str, Any]:
    """``learn_one`` of a new learner, after other learners of the process, and the second one of the same learner."""
    first, second = [], []
    for _ in range(rounds):
        model = nk.PassiveAggressiveI()
        for seconds, y in ((first, "yes"), (second, "no")):
            x = {"a": 1.0, "b": 2.0}
            begin = time.perf_counter()
            model.learn_one(x, y)
            seconds.append(time.perf_counter() - begin)
    return row("first learn_one", statistics.median(first), "second, with a new label", statistics.median(second))


def row(work: str, ours: float, against: str, other: float) -> dict[str, Any]:
    times = {"time": f"{1e6 * ours:.2f} us", "against": against, "its time": f"{1e6 * other:.2f} us"}
    return {"work": work, **times, "ratio": ours / other}


def main() -> None:
    share = share_of_rows(__doc__)
    table = []
    for nonzeros in (8, 57):
        dicts, labels = dicts_of(2000 // share, nonzeros)
        what = f"{nonzeros} features"
        table.append(predictions(dicts, labels, what, 2000 // share))
        table.append(predictions(dicts, [k % 10 for k in range(len(dicts))], f"{what}, 10 classes", 400 // share))
        for weight in ({False: 1.0, True: 2.0}, {False: 0.5, True: 1.0}):
            table.append(learning(dicts, labels, what, 40, weight))
    table.append(first_example(2000 // share))
    report("service", share, table)


if __name__ == "__main__":
    main()
