"""Accuracy on streams of several classes, each example predicted before it is learned, against River and Vowpal Wabbit.

No parameter is chosen by stream: peers have those that their users begin with, and novikoff's trackers are the default
and the default with a third member, which learns all classes together. Labels are known at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import novikoff as nk

from .data.sets import DATA, mnist
from .data.streams import Stream, table_of
from .harness import Session, Suite
from .stream_accuracy import MAX_DENSE_COLUMNS, delayed, dicts, entries, last_label, measure, ours

MAX_ROWS = 20_000
MAX_SOFTMAX_COLUMNS = 1000  # with 62,061, River's softmax regression had not ended after ten minutes

# ---- the streams -----------------------------------------------------------------------------------------------------


def _coded(name: str, X: Any, y: NDArray[Any]) -> Stream:
    """Return the first rows of a stream, with labels from 0 on."""
    return Stream(name, sp.csr_array(X[:MAX_ROWS]), np.unique(y[:MAX_ROWS], return_inverse=True)[1].astype(np.int64))


def _covtype(is_shuffled: bool) -> Stream:
    X, y = table_of("covtype.csv.gz")
    order = np.random.default_rng(0).permutation(len(y)) if is_shuffled else np.arange(len(y))
    name = "covtype, 7 classes, shuffled" if is_shuffled else "covtype, 7 classes, file order"
    return _coded(name, X[order[:MAX_ROWS]], y[order[:MAX_ROWS]])


def _news20() -> Stream:
    return _coded("news20, 20 classes", *nk.read_svmlight(DATA / "news20.svm.gz"))


def _mnist() -> Stream:
    images, labels = mnist()
    return _coded("mnist, 10 classes", images[:10_000].astype(np.float64), labels[:10_000])


def _abalone() -> Stream:
    rows = [line.split(",") for line in (DATA / "raw" / "abalone.csv").read_text().split()]
    kinds = np.array([[row[0] == kind for kind in "MFI"] for row in rows], dtype=np.float64)
    numbers = np.array([list(map(float, row[1:])) for row in rows])
    return _coded("abalone, 28 classes", np.hstack([kinds, numbers[:, :-1]]), numbers[:, -1])


def _drawn(name: str, label: Callable[[np.random.Generator, NDArray[np.float64]], NDArray[Any]]) -> Stream:
    """Return ten normal columns in other units and with other means, and labels that depend on them before that."""
    random = np.random.default_rng(7)
    X = random.normal(size=(10_000, 10))
    y = label(random, X)
    units, means = np.exp(2 * random.normal(size=(2, 10)))
    return _coded(name, X * units + 3 * means, y)


def _logit(random: np.random.Generator, X: NDArray[np.float64]) -> NDArray[Any]:
    """Return the class of the largest of seven linear scores with noise."""
    return np.argmax(X @ random.normal(size=(10, 7)) + random.gumbel(size=(len(X), 7)), axis=1)


def _ordinal(random: np.random.Generator, X: NDArray[np.float64]) -> NDArray[Any]:
    """Return which of seven intervals one linear score with noise is in."""
    score = X @ random.normal(size=10) / np.sqrt(10) + 0.5 * random.normal(size=len(X))
    return np.searchsorted(np.quantile(score, np.arange(1, 7) / 7), score)


MAKERS: dict[str, Callable[[], Stream]] = {
    "covtype": lambda: _covtype(is_shuffled=False),
    "shuffled": lambda: _covtype(is_shuffled=True),
    "news20": _news20,
    "mnist": _mnist,
    "abalone": _abalone,
    "logit": lambda: _drawn("logit, 7 classes", _logit),
    "ordinal": lambda: _drawn("ordinal, 7 classes", _ordinal),
}

# ---- the programs ----------------------------------------------------------------------------------------------------


def with_joint_classes() -> nk.Tracker:
    """Return the default tracker with a third member, which learns all classes together."""
    own = [nk.PassiveAggressiveI(scale="centred"), nk.AROW(r=10, floor=0.01, scale="centred")]
    return nk.Tracker([*own, nk.MulticlassAROW(scale="centred")])


def vw(options: str) -> Callable[[Stream, int], float]:
    """Return the accuracy of Vowpal Wabbit with one problem per class."""

    def run(stream: Stream, delay: int) -> float:
        import vowpalwabbit

        model = vowpalwabbit.Workspace(f"--quiet --oaa {int(stream.y.max()) + 1} {options}")
        rows = [" ".join(map("{}:{:.8g}".format, *row)) for row in entries(stream)]

        def learn(t: int) -> None:
            model.learn(f"{stream.y[t] + 1} | {rows[t]}")

        found = delayed(stream, delay, lambda t: int(model.predict(f"| {rows[t]}")) - 1, learn)
        model.finish()
        return found

    return run


def river(is_softmax: bool) -> Callable[[Stream, int], float | None]:
    """Return the accuracy of River's StandardScaler with its logistic regressions or its softmax regression."""

    def run(stream: Stream, delay: int) -> float | None:
        from river import linear_model, multiclass, preprocessing

        if is_softmax and stream.X.shape[1] > MAX_SOFTMAX_COLUMNS:
            return None
        own = (
            linear_model.SoftmaxRegression()
            if is_softmax
            else multiclass.OneVsRestClassifier(linear_model.LogisticRegression())
        )
        model = preprocessing.StandardScaler() | own
        blank = dict.fromkeys(range(stream.X.shape[1]), 0.0) if stream.X.shape[1] <= MAX_DENSE_COLUMNS else {}
        rows, labels = dicts(stream), stream.y.tolist()

        def learn(t: int) -> None:
            model.learn_one(blank | rows[t], labels[t])

        def predict(t: int) -> int:
            label = model.predict_one(blank | rows[t])
            return -1 if label is None else int(label)

        return delayed(stream, delay, predict, learn)

    return run


def majority(stream: Stream, delay: int) -> float:
    """Return the accuracy of the most frequent label so far."""
    counts: Counter[int] = Counter()
    labels = stream.y.tolist()
    return delayed(stream, delay, lambda _: counts.most_common(1)[0][0], lambda t: counts.update([labels[t]]))


PROGRAMS: dict[str, Callable[[Stream, int], float | None]] = {
    "tracker": ours(nk.Tracker),
    "tracker with MulticlassAROW": ours(with_joint_classes),
    "MulticlassAROW": ours(lambda: nk.MulticlassAROW(scale="centred")),
    "River, one-vs-rest": river(is_softmax=False),
    "River, softmax": river(is_softmax=True),
    "VW": vw(""),
    "VW --coin": vw("--coin"),
    "VW --ftrl": vw("--ftrl"),
    "majority": majority,
    "last label": last_label,
}


def cases_of(raw: Stream) -> list[tuple[str, Stream, int]]:
    """Return a stream as it is, and scaled."""
    return [(f"{raw.name}, raw", raw, 0), (f"{raw.name}, scaled", raw.scaled(), 0)]


def run(session: Session) -> None:
    """Measure all."""
    measure(session, {name: MAKERS[name] for name in session.size["streams"]}, PROGRAMS, cases_of)


SUITE = Suite(
    name="class_streams",
    measures="the accuracy of predicting each example of a stream of several classes before learning from it",
    contestants=("River", "Vowpal Wabbit"),
    answers="the answers are what is measured",
    limit="the most frequent and the latest label are reported beside",
    run=run,
    quick={"streams": ("logit", "ordinal"), "share": 10},
    full={"streams": tuple(MAKERS), "share": 1},
    packages=("river", "vowpalwabbit"),
    files=("covtype.csv.gz", "news20.svm.gz", "mnist-train-images.idx.gz", "raw/abalone.csv"),
)
