"""Bounds on the mistakes of a mixture of learners by those of its best member, docs/theory.md N and P.

A mixture of N members predicts a label before it learns who was right. All bounds compare counts of mistakes, so they
can be checked without the data.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def weighted_majority(mistakes: float, members: int, beta: float, delay: int = 0, decay: float = 1.0) -> float:
    """Return (m log(1/beta) + log N) / log(2/(1 + beta)), the largest number of mistakes of the majority (N1, N2, P4).

    Hypotheses: a member with m_i mistakes has the weight beta^m_i, and the label with the largest total weight is
    predicted. If the counts are decayed, the bound is one of the decayed counts.

    Parameters
    ----------
    mistakes : float
        The mistakes m of a member, usually of the best one.
    members : int
        Their number N.
    beta : float
        The factor of a mistake, between 0 and 1.
    delay : int, default=0
        The largest number of labels that are learned between a prediction and its own label. The denominator is then
        -log(1 - (1 - beta) q), where q is the least part of the weight that must be wrong: beta^delay /
        (1 + beta^delay) if nothing decays.
    decay : float, default=1.0
        The factor of all counts before each label. It matters only if there is a delay.

    Returns
    -------
    float
        The bound; infinity if the denominator is too small for a number.

    References
    ----------
    Littlestone and Warmuth (1994), The weighted majority algorithm.

    Examples
    --------
    >>> round(weighted_majority(mistakes=10, members=4, beta=0.5), 3)
    28.913
    """
    own = majority_progress(beta, members, delay, decay)
    return (mistakes * -math.log(beta) + math.log(members)) / own if own > 0 else math.inf


def randomized_majority(mistakes: float, members: int, beta: float) -> float:
    """Return (m log(1/beta) + log N) / (1 - beta), the bound on the expected mistakes if a member is drawn (N3).

    Parameters
    ----------
    mistakes : float
        The mistakes m of a member, usually of the best one.
    members : int
        Their number N.
    beta : float
        The factor of a mistake, between 0 and 1.

    Returns
    -------
    float
        The bound on the sum over all predictions of the fraction of the weight that is wrong.

    Examples
    --------
    >>> round(randomized_majority(mistakes=10, members=4, beta=0.5), 3)
    16.636
    """
    return (mistakes * -math.log(beta) + math.log(members)) / (1 - beta)


def fewest_mistakes(mistakes: float, members: int, delay: int = 0, decay: float = 1.0) -> float:
    """Return N m + N - 1, the largest number of mistakes if the member with the fewest mistakes predicts (N4, P5).

    The bound also holds if all counts are decayed alike before each prediction. Without decay, an adversary that
    contradicts only the leader attains it.

    Parameters
    ----------
    mistakes : float
        The mistakes m of a member, usually of the best one.
    members : int
        Their number N.
    delay : int, default=0
        The largest number tau of labels that are learned between a prediction and its own label. The bound is then
        N m + (N - 1)(1 + decay + ... + decay^tau).
    decay : float, default=1.0
        The factor of all counts before each label. It matters only if there is a delay.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> fewest_mistakes(mistakes=10, members=4), fewest_mistakes(mistakes=10, members=4, delay=2)
    (43, 49)
    """
    return members * mistakes + (members - 1) * (1 + _decayed_sum(delay, decay))


def fixed_share(
    mistakes: float, switches: int, rounds: int, members: int, beta: float, alpha: float, delay: int = 0
) -> float:
    """Return the largest number of mistakes of a majority that shares weights, by its best sequence (N5, P6).

    Hypotheses: as in ``weighted_majority``, and after each of T labels every member gives the fraction alpha of its
    weight to the others, in equal parts. A sequence of members that makes m mistakes and changes k times has the bound
    (m log(1/beta) + log N + k log((N - 1)/alpha) + (T - 1 - k) log(1/(1 - alpha))) / log(2/(1 + beta)).

    Parameters
    ----------
    mistakes : float
        The mistakes m of the sequence.
    switches : int
        How often the member changes, k.
    rounds : int
        The number of labels T.
    members : int
        The number of members N, at least 2.
    beta : float
        The factor of a mistake, between 0 and 1.
    alpha : float
        The fraction that is shared, between 0 and 1.
    delay : int, default=0
        The largest number of labels that are learned between a prediction and its own label. The denominator is then
        -log(1 - (1 - beta) (beta (1 - alpha))^delay / 2).

    Returns
    -------
    float
        The bound; infinity if the denominator is too small for a number.

    References
    ----------
    Herbster and Warmuth (1998), Tracking the best expert.

    Examples
    --------
    >>> round(fixed_share(mistakes=5, switches=2, rounds=100, members=4, beta=0.5, alpha=0.02), 2)
    58.51
    """
    shares = switches * math.log((members - 1) / alpha) - (rounds - 1 - switches) * math.log1p(-alpha)
    own = share_progress(beta, alpha, delay)
    return (mistakes * -math.log(beta) + math.log(members) + shares) / own if own > 0 else math.inf


def best_sequence(errors: ArrayLike, switches: int) -> int:
    """Return the fewest mistakes of a sequence of members that changes at most ``switches`` times.

    Parameters
    ----------
    errors : array-like of shape (n_rounds, n_members)
        1 where a member was wrong, 0 elsewhere.
    switches : int
        How often the sequence may change its member.

    Returns
    -------
    int
        The number of mistakes.

    Examples
    --------
    >>> best_sequence([[0, 1], [0, 1], [1, 0]], switches=1)
    0
    """
    table = np.asarray(errors, dtype=np.int64)
    fewest = np.zeros((switches + 1, table.shape[1]), dtype=np.int64)  # by changes so far and present member
    for row in table:
        changed = np.vstack([fewest[0], np.minimum(fewest[1:], fewest[:-1].min(axis=1, keepdims=True))])
        fewest = changed + row
    return int(fewest.min())


def majority_progress(beta: float, members: int, delay: int = 0, decay: float = 1.0) -> float:
    """Return by how much the logarithm of the total weight falls at least with a mistake of the majority (N1, P4).

    Parameters
    ----------
    beta : float
        The factor of a mistake, between 0 and 1.
    members : int
        The number of members N.
    delay : int, default=0
        The largest number tau of labels that are learned between a prediction and its own label.
    decay : float, default=1.0
        The factor of all counts before each label.

    Returns
    -------
    float
        -log(1 - (1 - beta) q) with q = beta^e / (beta^e + (N - 1)^(1 - decay^tau)) and e = decay + ... + decay^tau.

    Examples
    --------
    >>> round(majority_progress(beta=0.5, members=2), 4), round(majority_progress(beta=0.5, members=2, delay=1), 4)
    (0.2877, 0.1823)
    """
    late = beta ** _decayed_sum(delay, decay)
    return -math.log1p(-(1 - beta) * late / (late + max(1, members - 1) ** (1 - decay**delay)))


def share_progress(beta: float, alpha: float, delay: int = 0) -> float:
    """Return by how much the logarithm of the total weight falls at least with a mistake of fixed share (N5, P6).

    Parameters
    ----------
    beta : float
        The factor of a mistake, between 0 and 1.
    alpha : float
        The fraction that is shared, between 0 and 1.
    delay : int, default=0
        The largest number of labels that are learned between a prediction and its own label.

    Returns
    -------
    float
        -log(1 - (1 - beta) (beta (1 - alpha))^delay / 2).

    Examples
    --------
    >>> round(share_progress(beta=0.5, alpha=0.01), 4), round(share_progress(beta=0.5, alpha=0.01, delay=1), 4)
    (0.2877, 0.1321)
    """
    return -math.log1p(-(1 - beta) * (beta * (1 - alpha)) ** delay / 2)


def _decayed_sum(delay: int, decay: float) -> float:
    """Return decay + decay^2 + ... + decay^delay."""
    return delay if decay == 1 else decay * (1 - decay**delay) / (1 - decay)
