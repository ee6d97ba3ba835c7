"""How a mixture serves predictions, and learns the labels later: methods of ``Tracker``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._moments import Draft, change, view_of
from novikoff._validation import check_labels, check_weight, check_weights
from novikoff.data.batch import Batch
from novikoff.data.late import late_order, rows_at
from novikoff.data.late_rows import Served
from novikoff.errors import input_error, quote
from novikoff.theory.geometry import copies_apart
from novikoff.theory.mixture_replay import NOBODY

from ._batch import keep_reading
from ._mixture import MixtureCounts, codes_of, codes_of_pieces, labels_of
from ._one_example import DEFAULT_WEIGHT
from ._served_counts import Events, ServedCodes, count_one_served, count_served
from ._stream import refuse_labels_beside
from ._tracker_learning import MAX_COPIES, all_or_none, learn_part, learning, new_members, too_many

# ---- serving ---------------------------------------------------------------------------------------------------------


def serve_one(self: Any, x: Any) -> Served:
    """Predict one example, and remember what the members predict until its label comes.

    Parameters
    ----------
    x : dict, array-like of shape (n_features,) or sparse matrix of one row
        The features.

    Returns
    -------
    Served
        The prediction of ``predict_one`` as ``label``, and those of the members. Give it to ``learn_one``, whenever
        the label comes; it can be pickled.
    """
    view = view_of(self)
    if not view.__sklearn_is_fitted__():
        return _unknown(self)
    counts: MixtureCounts = view._counts
    labels = tuple(learner.predict_one(x) for learner in view.learners_)
    if view._learned_vote.kind == "leader":
        return Served(labels[counts.leader()], labels, counts.rounds)
    codes = np.array([[labels.index(label)] for label in labels], dtype=np.int32)
    return Served(labels[int(counts.choose(view._learned_vote, codes)[0])], labels, counts.rounds)


def serve(self: Any, X: Any) -> list[Served]:
    """Predict rows, and remember what the members predict until the labels come.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    list of Served
        What is predicted for each row. Its ``label`` is that of ``predict``, or None if no label was seen before.
    """
    view = view_of(self)
    if not view.__sklearn_is_fitted__():
        return [_unknown(self)] * (X.shape[0] if hasattr(X, "shape") else len(X))
    predicted = [learner.predict(X) for learner in view.learners_]
    classes = view.learners_[0].classes_
    chosen = view._counts.choose(view._learned_vote, np.array([codes_of(classes, own) for own in predicted]))
    return _served(labels_of(classes, chosen).tolist(), [own.tolist() for own in predicted], view._counts.rounds)


def _unknown(model: Any) -> Served:
    """Return what is served before any label is known."""
    return Served(None, (None,) * len(new_members(model)), 0)


def _served(labels: list[Any], members: list[list[Any]], known: Any) -> list[Served]:
    counts = np.broadcast_to(known, len(labels)).tolist()
    return list(map(Served._make, zip(labels, zip(*members, strict=True), counts, strict=True)))


# ---- learning --------------------------------------------------------------------------------------------------------


def learn_served_example(
    model: Any, publish: Callable[[], None], x: Any, y: Any, sample_weight: float, served: Served
) -> None:
    """Let all members learn from one example that was served, and count the mistakes that were served.

    Parameters
    ----------
    model : Tracker
        The draft of the tracker.
    publish : callable
        Publishes the draft.
    x, y, sample_weight : object
        As in ``learn_one``.
    served : Served
        What was served.
    """
    where = type(model).__name__
    weight = 1.0 if sample_weight is DEFAULT_WEIGHT else check_weight(where, sample_weight)
    if weight > MAX_COPIES:
        raise too_many(where, weight)
    with learning(model, publish) as learners:
        _check_served(where, [served], len(learners), model._counts.rounds)
        with all_or_none(model, publish) as begin:
            for learner in learners:
                learner.learn_one(x, y, weight)
                begin()
        for amount in [1.0] if weight == 1.0 else copies_apart(np.array([weight] if weight else []))[1].tolist():
            model._counts = count_one_served(
                model._counts, model._learned_vote, served.label, served.members, served.known, y, amount
            )


def serve_then_learn(
    self: Any, X: Any, y: Any = None, sample_weight: Any = None, *, served: Sequence[Served]
) -> tuple[list[Served], NDArray[Any]]:
    """Learn labels that came late: serve new rows, and learn an earlier one after each of them.

    The mistakes are those of the predictions that were served.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features) or Batch
        First the rows that were served before, in the order in which their labels came; then new rows, if there
        are any.
    y : array-like of shape (n_labels,), default=None
        The labels of the first rows. After each new row is served, one is learned, and those that are left at the
        end; so there must be at least as many as new rows.
    sample_weight : array-like of shape (n_labels,), default=None
        Weights of the rows whose labels are given. A row of weight 2 was served once, and its mistakes count twice.
    served : list of Served
        What was served for the first rows, by ``serve``, ``serve_one`` or an earlier call.

    Returns
    -------
    served : list of Served
        What is served for the new rows, each by what was learned before it.
    predictions : ndarray of shape (n_labels,)
        What would have been predicted for each row of which a label is given, just before it was learned.
    """

    def learn(draft: Draft) -> tuple[list[Served], NDArray[Any]]:
        with draft.in_place():
            return _serve_then_learn(draft.model, draft.publish, X, y, sample_weight, served)

    return change(self, learn)


def _serve_then_learn(
    model: Any, publish: Callable[[], None], X: Any, y: Any, sample_weight: Any, served: Sequence[Served]
) -> tuple[list[Served], NDArray[Any]]:
    """Learn labels that came late in the draft of a tracker, which ``publish`` publishes."""
    where, batch = type(model).__name__, X if isinstance(X, Batch) else None
    if batch is not None:
        refuse_labels_beside(where, y, sample_weight)
        X, y, sample_weight = batch.X, batch.y, batch.weights
    if not isinstance(served, Sequence):
        raise input_error(where, f"served must be a list of what was served, but it is {quote(served)}.")
    rows, waiting, labelled = _length(X), len(served), _length(y)
    if not rows - waiting <= labelled <= rows:
        message = f"y must have from {rows - waiting} to {rows} labels, but it has {labelled}."
        raise input_error(where, f"{message} Some label must be known after each new row.")
    labels, weights = check_labels(where, y, labelled), check_weights(where, sample_weight, labelled)
    order, is_learned = late_order(waiting, rows, labelled)
    own = np.where(is_learned, 1.0, 0.0)
    if weights is not None:
        own[is_learned] = weights
    if (total := float(np.ceil(own).sum())) > MAX_COPIES:
        raise too_many(where, total)
    mine = np.where(is_learned, order, np.append(order[1:], 0))  # a row that is served has the label of the next one
    part: Any = (rows_at(X, order), labels[mine], own)
    part = part if batch is None else (Batch(*part, **vars(batch)), None, None)
    with learning(model, publish) as learners:
        _check_served(where, served, len(learners), model._counts.rounds)
        with all_or_none(model, publish) as begin:
            predicted = learn_part(learners, where, part, None, begin)
        classes = learners[0]._classes.strategy.classes
        now = np.array([codes_of_pieces(classes, pieces) for pieces in predicted])
        given = _codes_of_served(classes, served, rows, len(learners))
        index, amounts = copies_apart(own)
        events = Events(order[index], ~is_learned[index], amounts, now[:, index])
        model._counts, found = count_served(
            model._counts, model._learned_vote, given, events, codes_of(classes, labels)
        )
        if batch is not None:
            keep_reading(model, batch)
    tried = found[np.searchsorted(index, np.flatnonzero(is_learned))]
    new = [labels_of(classes, codes[waiting:]).tolist() for codes in (given.mixture, *given.members)]
    return _served(new[0], new[1:], given.known[waiting:]), labels_of(classes, tried)


def _length(values: Any) -> int:
    shape = np.shape(values) if not hasattr(values, "shape") else values.shape
    return int(shape[0]) if shape else 0


def _codes_of_served(classes: NDArray[Any], served: Sequence[Served], rows: int, members: int) -> ServedCodes:
    """Return what was served as codes, with places for all rows."""
    place_of = {label: place for place, label in enumerate(classes.tolist())}
    codes = ServedCodes(
        np.full((members, rows), NOBODY, dtype=np.int32),
        np.full(rows, NOBODY, dtype=np.int32),
        np.zeros(rows, dtype=np.int64),
    )
    for row, (label, labels, known) in enumerate(served):
        codes.mixture[row], codes.known[row] = place_of.get(label, NOBODY), known
        codes.members[:, row] = [place_of.get(own, NOBODY) for own in labels]
    return codes


def _check_served(where: str, served: Sequence[Any], members: int, rounds: int) -> None:
    """Refuse what this tracker cannot have served."""
    for own in served:
        if not isinstance(own, Served):
            raise input_error(where, f"served must be what serve_one has returned, but it is {quote(own)}.")
        if len(own.members) != members or own.label not in own.members or not 0 <= own.known <= rounds:
            raise input_error(where, "served is not from this tracker, or from a later time.")
