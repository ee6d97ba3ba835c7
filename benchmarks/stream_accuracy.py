"""Accuracy of predicting each example of a stream before learning from it, against River and Vowpal Wabbit.

Every program has the parameters that its users begin with: none is chosen by stream. Streams are given raw, and with
their columns scaled beforehand. With a delay of 100 or 1,000, the label of an example is learned after so many further
examples were predicted; raw streams only.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import novikoff as nk

from .data import streams
from .data.streams import Stream
from .harness import Session, Suite
from .harness.session import show

BATCH = 1000
DELAYS = (0, 100, 1000)
MAX_DENSE_COLUMNS = 200  # up to which River gets the zeros of a row, too: its scaler takes them for values


def delayed(stream: Stream, delay: int, predict: Callable[[int], int], learn: Callable[[int], None]) -> float:
    """Return the share of right predictions if the label of row t is learned after the prediction of row t + delay.

    Predictions before the first label, which can only be guesses, do not count.
    """
    right, first = 0, delay + 1
    for t in range(len(stream.y)):
        right += t >= first and predict(t) == stream.y[t]
        if t >= delay:
            learn(t - delay)
    return right / (len(stream.y) - first)


# ---- the programs ----------------------------------------------------------------------------------------------------


def ours(make: Callable[[], Any]) -> Callable[[Stream, int], float]:
    """Return the accuracy of one of novikoff's learners."""

    def run(stream: Stream, delay: int) -> float:
        cuts = range(0, len(stream.y), BATCH)
        examples = ((stream.X[t : t + BATCH], stream.y[t : t + BATCH]) for t in cuts)
        *_, last = nk.evaluate.progressive(make(), examples, delay=delay, list_mistakes=False)
        rows = len(stream.y)
        return (rows - last.mistakes) / (rows - delay - 1)  # no label is known before, so all were wrong

    return run


def majority(stream: Stream, delay: int) -> float:
    """Return the accuracy of the most frequent label among those that are known."""
    counts = [0, 0]

    def learn(t: int) -> None:
        counts[stream.y[t]] += 1

    return delayed(stream, delay, lambda _: int(counts[1] > counts[0]), learn)


def last_label(stream: Stream, delay: int) -> float:
    """Return the accuracy of the latest label that is known."""
    held = deque([0], maxlen=1)
    return delayed(stream, delay, lambda _: held[0], lambda t: held.append(int(stream.y[t])))


def river(stream: Stream, delay: int) -> float:
    """Return the accuracy of River's StandardScaler and LogisticRegression."""
    from river import linear_model, preprocessing

    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    blank = dict.fromkeys(range(stream.X.shape[1]), 0.0) if stream.X.shape[1] <= MAX_DENSE_COLUMNS else {}
    rows = dicts(stream)

    def learn(t: int) -> None:
        model.learn_one(blank | rows[t], bool(stream.y[t]))

    return delayed(stream, delay, lambda t: int(model.predict_one(blank | rows[t]) or 0), learn)


def vw(options: str) -> Callable[[Stream, int], float]:
    """Return the accuracy of Vowpal Wabbit with its default loss."""

    def run(stream: Stream, delay: int) -> float:
        import vowpalwabbit

        model = vowpalwabbit.Workspace(f"--quiet {options}")
        rows = [" ".join(map("{}:{:.8g}".format, *row)) for row in entries(stream)]

        def learn(t: int) -> None:
            model.learn(f"{2 * stream.y[t] - 1} | {rows[t]}")

        found = delayed(stream, delay, lambda t: int(model.predict(f"| {rows[t]}") >= 0), learn)
        model.finish()
        return found

    return run


def entries(stream: Stream) -> Iterator[tuple[list[int], list[float]]]:
    """Yield the columns and the values of each row."""
    columns, values = stream.X.indices.tolist(), stream.X.data.tolist()
    for begin, end in itertools.pairwise(stream.X.indptr.tolist()):
        yield columns[begin:end], values[begin:end]


def dicts(stream: Stream) -> list[dict[int, float]]:
    """Return each row as a dict without zeros."""
    return [dict(zip(columns, values, strict=True)) for columns, values in entries(stream)]


PROGRAMS: dict[str, Callable[[Stream, int], float | None]] = {
    "tracker": ours(nk.Tracker),
    "perceptron": ours(nk.Perceptron),
    "averaged perceptron": ours(nk.AveragedPerceptron),
    "passive-aggressive I": ours(nk.PassiveAggressiveI),
    "River": river,
    "VW": vw(""),
    "VW --coin": vw("--coin"),
    "VW --ftrl": vw("--ftrl"),
    "majority": majority,
    "last label": last_label,
}


def measure(
    session: Session,
    makers: dict[str, Callable[[], Stream]],
    programs: dict[str, Callable[[Stream, int], float | None]],
    cases_of: Callable[[Stream], list[tuple[str, Stream, int]]],
) -> None:
    """Run programs on streams, and keep what they reach; a program that leaves a stream out returns None.

    ``cases_of`` returns the cases of a stream: the name of each, its rows and its delay.
    """
    accuracy: dict[str, dict[str, float]] = session.content.get("accuracy", {})
    for name in session.chosen(makers):
        whole = makers[name]()
        rows = len(whole.y) // session.size["share"]
        cases = cases_of(Stream(whole.name, whole.X[:rows], whole.y[:rows]))
        for (case, stream, delay), program in itertools.product(cases, session.chosen(programs)):
            if delay >= rows - 1 or (found := programs[program](stream, delay)) is None:
                continue
            accuracy.setdefault(case, {})[program] = round(100 * found, 3)
            session.keep(accuracy=accuracy)
    show([{"stream": case, **found} for case, found in accuracy.items()])


def cases_of(raw: Stream) -> list[tuple[str, Stream, int]]:
    """Return a stream with all delays, and scaled without one."""
    cases = [(raw, "raw", delay) for delay in DELAYS] + [(raw.scaled(), "scaled", 0)]
    return [(f"{raw.name}, {kind}, delay {delay}", stream, delay) for stream, kind, delay in cases]


def run(session: Session) -> None:
    """Measure all."""
    session.keep(covtype_rows=streams.MAX_ROWS // session.size["share"])
    measure(session, streams.MAKERS, PROGRAMS, cases_of)


SUITE = Suite(
    name="stream_accuracy",
    measures="the accuracy of predicting each example of a stream before learning from it",
    contestants=("River", "Vowpal Wabbit"),
    answers="the answers are what is measured",
    limit="the most frequent and the latest label are reported beside",
    run=run,
    quick={"share": 50},
    full={"share": 1},
    packages=("river", "vowpalwabbit"),
    files=("elec2.csv.gz", "spam_stream.svm.gz", "covtype.csv.gz", "sms.tsv.gz"),
)
