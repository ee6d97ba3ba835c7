"""What a mixture counts if labels come late: the mistakes of the predictions that were served.

A row is served: the members and the mixture predict it. Later its label is learned, when other labels have been learned
in between. The mistakes of the members and of the mixture are those of the predictions that were served, because these
are what a service is judged by (docs/theory.md, P4 to P6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.geometry import Floats
from novikoff.theory.mixture_replay import NOBODY

from ._mixture import RIGHT, Codes, MixtureCounts, Vote

Places = NDArray[np.int64]


@dataclass
class ServedCodes:
    """What was served for some rows.

    Parameters
    ----------
    members : ndarray of int32, of shape (n_members, n_rows)
        The codes that the members predicted.
    mixture : ndarray of int32, of shape (n_rows,)
        The codes that the mixture predicted.
    known : ndarray of int64, of shape (n_rows,)
        The number of rounds that were learned before.
    """

    members: Codes
    mixture: Codes
    known: Places


@dataclass
class Events:
    """What happens to rows, in its order: they are served, or learned.

    Parameters
    ----------
    rows : ndarray of int64
        The row of each event.
    is_served : ndarray of bool
        Whether the row is served.
    amounts : ndarray of float64
        The weight with which it is learned, at most 1; 0 if it is not learned.
    predictions : ndarray of int32, of shape (n_members, n_events)
        The codes that the members predict at the time of the event.
    """

    rows: Places
    is_served: NDArray[np.bool_]
    amounts: Floats
    predictions: Codes


def count_served(
    counts: MixtureCounts, vote: Vote, served: ServedCodes, events: Events, labels: Codes
) -> tuple[MixtureCounts, Codes]:
    """Return the counts after some events, and what the mixture predicts at the time of each.

    Parameters
    ----------
    counts : MixtureCounts
        The counts before.
    vote : Vote
        How predictions become one.
    served : ServedCodes
        What was served. The rows that are served now are filled in.
    events : Events
        What happens.
    labels : ndarray of int32
        The codes of the labels of the rows that are learned, which come first.
    """
    rows, amounts, is_learned = events.rows, events.amounts, events.amounts > 0
    before = counts.rounds + np.cumsum(is_learned) - is_learned
    now: Codes = np.where(before > 0, events.predictions, NOBODY).astype(np.int32)  # at first, no label is known
    new = rows[events.is_served]
    served.members[:, new], served.known[new] = now[:, events.is_served], before[events.is_served]
    # an event that learns comes twice: with what is predicted now, of weight 0, and with what was served
    twice = np.repeat(np.arange(len(rows)), 1 + is_learned)
    is_count = np.diff(twice, prepend=-1) == 0
    codes = np.where(is_count, served.members[:, rows[twice]], now[:, twice]).astype(np.int32)
    right = np.zeros(len(twice), dtype=np.int32)
    right[is_count] = labels[rows[is_learned]]
    chosen = np.empty(len(twice), dtype=np.int32)
    held = counts.mixed(vote, codes, right, np.where(is_count, amounts[twice], 0.0), chosen)
    predicted = chosen[~is_count]
    served.mixture[new] = predicted[events.is_served]
    learned, own = rows[is_learned], amounts[is_learned]
    is_wrong = served.mixture[learned] != labels[learned]
    mistakes = _own_mistakes(counts, vote, is_wrong.tolist(), own.tolist())
    held["decayed"][-1], held["whole"][-1], held["part"][-1] = mistakes
    after = MixtureCounts(**held, **counts.rounds_after(own, before[is_learned] - served.known[learned]))
    return after, predicted


def count_one_served(
    counts: MixtureCounts, vote: Vote, label: Any, members: Sequence[Any], known: int, y: Any, amount: float
) -> MixtureCounts:
    """Return the counts after an example of label y was learned.

    Parameters
    ----------
    counts : MixtureCounts
        The counts before.
    vote : Vote
        How predictions become one.
    label, members, known : object
        What was served, as in ``Served``.
    y : object
        The label.
    amount : float
        Its weight, above 0 and at most 1.
    """
    codes = np.array([1 + members.index(own) if own is None or own != y else 0 for own in members], dtype=np.int32)
    amounts = np.array([amount])
    held = counts.mixed(vote, codes, RIGHT, amounts, np.empty(1, dtype=np.int32))
    is_wrong = label is None or bool(label != y)
    held["decayed"][-1], held["whole"][-1], held["part"][-1] = _own_mistakes(counts, vote, [is_wrong], [amount])
    return MixtureCounts(**held, **counts.rounds_after_one(amount, counts.rounds - known))


def _own_mistakes(
    counts: MixtureCounts, vote: Vote, is_wrong: list[bool], amounts: list[float]
) -> tuple[float, float, float]:
    """Return the mistakes of the mixture, decayed, of whole weight and of fractions, with the roundings of the kernel.

    The kernel has counted what the mixture would predict when it learns.
    """
    decayed, whole, part = (own[-1].item() for own in (counts.decayed, counts.whole, counts.part))
    for wrong, amount in zip(is_wrong, amounts, strict=True):
        decayed *= vote.decay
        if wrong:
            decayed += amount
            whole, part = (whole + 1, part) if amount == 1 else (whole, part + amount)
    return decayed, whole, part
