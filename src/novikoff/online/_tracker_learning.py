"""How the members of a mixture learn from the same examples, and the mixture counts their mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._draft import Draft, change_all
from novikoff._estimators import clone
from novikoff._validation import check_labels, check_number, check_weight, check_weights
from novikoff.data.batch import Batch
from novikoff.data.late import rows_at
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import Floats, copies_apart
from novikoff.theory.mixture_replay import NOBODY

from ._batch import CheckedBatch, check_batch, keep_reading, steps_of
from ._classifier import OnlineClassifier
from ._mixture import MixtureCounts, chosen_by, codes_of, codes_of_pieces, labels_of
from ._one_example import DEFAULT_WEIGHT
from ._sharing import in_step
from ._stream import Scored, refuse_labels_beside
from .arow import AROW
from .passive_aggressive import PassiveAggressiveI

MAX_COPIES = 10_000_000  # of the rows of a batch: each copy is predicted
Run = tuple[list[Any], Floats]  # labels, and the scores of some rows
BLOCK = 65_536  # copies of rows that are made at a time


def default_members() -> list[OnlineClassifier]:
    """Return the learners that a ``Tracker`` without arguments is made of.

    The first follows streams whose labels come in runs. The second is steady, so that it suits streams that hardly
    drift and labels that come late, but it never stops learning. Neither depends on the units or the means of the
    columns (`benchmarks/stream_accuracy.py`).
    """
    return [PassiveAggressiveI(scale="centred"), AROW(r=10.0, floor=0.01, scale="centred")]


def new_members(model: Any) -> list[OnlineClassifier]:
    """Return clones of the learners of a tracker, after checking them."""
    where, given = type(model).__name__, model.learners
    if given is None:
        return default_members()
    if not isinstance(given, list | tuple) or not given:
        raise input_error(where, f"learners must be a list of at least one online learner, but it is {quote(given)}.")
    for learner in given:
        if not isinstance(learner, OnlineClassifier):
            raise input_error(where, f"learners must be online learners, but one of them is {quote(learner)}.")
        if learner.class_weight is not None:
            raise input_error(where, "learners must not have class_weight. Use sample_weight, which all members see.")
    if any(np.asarray(learner.classes).tolist() != np.asarray(given[0].classes).tolist() for learner in given):
        raise input_error(where, "learners must all have the same classes.")
    return [clone(learner) for learner in given]


def learn_rows_of_all(
    model: Any,
    publish: Callable[[], None],
    X: Any,
    y: Any,
    classes: Any,
    sample_weight: Any,
    runs: list[Run] | None = None,
) -> NDArray[Any]:
    """Let all members learn from a batch, and count mistakes. Return the predictions.

    Parameters
    ----------
    model : Tracker
        The draft of the tracker.
    publish : callable
        Publishes the draft.
    X, y, classes, sample_weight : object
        As in ``partial_fit``.
    runs : list, default=None
        Where to put the scores of the leader before each row was learned, as ``score_then_learn`` returns them.
    """
    where = type(model).__name__
    if isinstance(X, Batch):
        refuse_labels_beside(where, y, sample_weight)
        y, sample_weight = X.y, X.weights
    with learning(model, publish) as learners:
        if _has_copies(sample_weight):
            index, amounts = _copies(learners[0], where, X, y, classes, sample_weight)
            parts = [_taken(X, y, index, amounts, first) for first in range(0, len(index), BLOCK)]
        else:
            index, parts = None, [(X, None, None) if isinstance(X, Batch) else (X, y, sample_weight)]
        found: list[list[Any]] = [[] for _ in learners]
        keep = Scored.labels if runs is None else _labels_and_decisions
        with all_or_none(model, publish) as begin:
            for part in parts:
                for own, pieces in zip(found, learn_part(learners, where, part, classes, begin, keep), strict=True):
                    own += pieces
        predicted = [[piece if runs is None else piece[0] for piece in own] for own in found]
        scored = [[] if runs is None else [run for piece in own for run in piece[1]] for own in found]
        rows = sum(map(len, predicted[0]))
        labels = check_labels(where, y, rows if index is None else len(y))
        if index is None:
            weights = check_weights(where, sample_weight, rows)
            amounts = np.ones(rows) if weights is None else weights
        labels = labels if index is None else labels[index]
        known = learners[0]._classes.strategy.classes
        codes = np.array([codes_of_pieces(known, pieces) for pieces in predicted])
        first_copies = slice(None) if index is None else np.flatnonzero(np.diff(index, prepend=-1))
        model._counts, leaders = model._counts.after(model._learned_decay, codes, codes_of(known, labels), amounts)
        if runs is not None:
            runs += _runs_of_leaders(scored, leaders, first_copies)
        chosen = chosen_by(leaders, codes)
        keep_reading(model, X)
    return labels_of(known, chosen[first_copies])


def _labels_and_decisions(scored: Scored) -> tuple[NDArray[Any], list[Run]]:
    return scored.labels(), scored.decisions()


def _runs_of_leaders(scored: list[list[Run]], leaders: NDArray[np.int32], kept: Any) -> list[Run]:
    """Return the scores of the leader of each row, of those of all members, for the rows that are kept.

    Before the first round, there is no leader, and no label is known.
    """
    is_kept = np.zeros(len(leaders), dtype=bool)
    is_kept[kept] = True
    runs: list[Run] = []
    begin = 0
    for of_members in zip(*scored, strict=True):  # all know the same labels
        count = len(of_members[0][1])
        own, rows = leaders[begin : begin + count], np.arange(count)
        values = np.array([decisions for _, decisions in of_members])[own, rows]
        kept_here, is_led = is_kept[begin : begin + count], own != NOBODY
        runs.append(([], np.zeros(int(np.count_nonzero(kept_here & ~is_led)))))
        runs.append((of_members[0][0], values[kept_here & is_led]))
        begin += count
    return [run for run in runs if len(run[1])]


def learn_example_of_all(model: Any, publish: Callable[[], None], x: Any, y: Any, sample_weight: float) -> None:
    """Let all members learn from one example, and count mistakes. Parameters as in ``learn_rows_of_all``."""
    where = type(model).__name__
    weight = 1.0 if sample_weight is DEFAULT_WEIGHT else check_weight(where, sample_weight)
    if weight > MAX_COPIES:
        raise too_many(where, weight)
    amounts = [1.0] if weight == 1.0 else copies_apart(np.array([weight]))[1].tolist()
    with learning(model, publish) as learners:
        for amount in amounts:
            labels: list[Any] = []
            with all_or_none(model, publish) as begin:
                for learner in learners:
                    label = learner.predict_one(x)
                    learner.learn_one(x, y, amount)
                    begin()
                    labels.append(label)
            model._counts = model._counts.after_one(model._learned_decay, labels, y, amount)


@contextmanager
def learning(model: Any, publish: Callable[[], None]) -> Iterator[list[OnlineClassifier]]:
    """Begin with new members if there are none, and publish them with the counts when they have learned."""
    if model._is_torn:
        message = "learning was interrupted when only some of its members had learned from an example."
        raise input_error(type(model).__name__, f"{message} Fit it again, or load a saved model.")
    learners = vars(model).get("learners_")
    if learners is None:
        learners = new_members(model)
        model._learned_decay = check_number(type(model).__name__, "decay", model.decay, above=0, at_most=1)
        model._counts = MixtureCounts.none(len(learners))
    yield learners
    model.learners_ = learners
    vars(model).pop("fingerprint_", None)  # of the rows before these
    publish()


@contextmanager
def all_or_none(model: Any, publish: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """Remember if some members have learned what others have not.

    Yields what to call when all members have checked what they are given, or the first one, which refuses what is
    refused, has learned it. An error before that has had no effect.
    """
    begun: list[bool] = []
    try:
        yield lambda: begun.append(True)
    except BaseException as error:
        is_refused = not begun and isinstance(error, ValueError | TypeError)
        if not is_refused and "learners_" in vars(model):
            model._is_torn = True
            publish()
        raise


def learn_part(
    learners: Sequence[OnlineClassifier],
    where: str,
    part: Any,
    classes: Any,
    begin: Callable[[], None],
    keep: Callable[[Scored], Any] = Scored.labels,
) -> list[list[Any]]:
    """Let all members learn from rows, labels and weights. Return the predictions of each, or what to keep, in pieces.

    All check the rows first, and then ``begin`` is called.
    """
    X, y, weights = part

    def learn(drafts: list[Draft]) -> list[list[Any]]:
        checked: list[CheckedBatch] = []
        for draft in drafts:
            other = checked[0] if checked else None
            checked.append(check_batch(draft.model, where, X, y, classes, weights, other))
        begin()
        steps = [steps_of(draft, where, X, batch, keep) for draft, batch in zip(drafts, checked, strict=True)]
        with ExitStack() as stack:
            return in_step([stack.enter_context(closing(own)) for own in steps])

    return change_all(learners, learn)


# ---- weights above 1 -------------------------------------------------------------------------------------------------


def _has_copies(sample_weight: Any) -> bool:
    """Return whether some weight is above 1; whether they are weights is checked later."""
    try:
        return sample_weight is not None and bool(np.any(np.asarray(sample_weight, dtype=np.float64) > 1))
    except (TypeError, ValueError):
        return False


def _copies(
    learner: OnlineClassifier, where: str, X: Any, y: Any, classes: Any, sample_weight: Any
) -> tuple[NDArray[np.int64], Floats]:
    """Check a batch before anything of it is learned. Return the row and the weight of each copy of a row."""
    given = (None, None) if isinstance(X, Batch) else (y, sample_weight)
    rows = check_batch(learner.snapshot(), where, X, given[0], classes, given[1]).given.rows.count
    weights = np.asarray(sample_weight, dtype=np.float64) * np.ones(rows)
    if (total := float(np.ceil(weights).sum())) > MAX_COPIES:
        raise too_many(where, total)
    return copies_apart(weights)


def too_many(where: str, copies: float) -> Exception:
    """Return the error for weights that add up to so much."""
    limit = f"at most {MAX_COPIES}, because each copy of a row is predicted"
    return input_error(where, f"the weights of a batch add up to {copies:g}, but they may add up to {limit}.")


def _taken(X: Any, y: Any, index: NDArray[np.int64], amounts: Floats, first: int) -> tuple[Any, Any, Any]:
    """Return some of the copies, with their labels and weights, as the learning of a batch takes them."""
    chosen, own = index[first : first + BLOCK], amounts[first : first + BLOCK]
    if isinstance(X, Batch):
        labels = np.asarray(X.y)[chosen]
        return Batch(rows_at(X.X, chosen), labels, own, **vars(X)), None, None
    return rows_at(X, chosen), np.asarray(y)[chosen], own
