"""The bound on the mistakes of a mixture of learners by those of its best member, docs/theory.md N."""

from __future__ import annotations


def fewest_mistakes(mistakes: float, members: int) -> float:
    """Return N m + N - 1, the largest number of mistakes if the member with the fewest mistakes predicts (N1).

    The bound also holds if all counts are decayed alike before each prediction. Without decay, an adversary that
    contradicts only the leader attains it.

    Parameters
    ----------
    mistakes : float
        The mistakes m of a member, usually of the best one.
    members : int
        Their number N.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> fewest_mistakes(mistakes=10, members=4)
    43
    """
    return members * mistakes + members - 1
