"""The promised error rate of adaptive conformal sets, docs/theory.md T."""

from __future__ import annotations


def adaptive_conformal(rounds: int, rate: float, step: float, start: float) -> float:
    """Return how far the mean error of T adaptive conformal sets can be from the rate that was asked for (T1).

    It is max(s + g (1 - alpha), 1 - s + g alpha) / (g T), for every sequence of examples.

    Parameters
    ----------
    rounds : int
        The number T of sets.
    rate : float
        The error rate alpha that was asked for, between 0 and 1.
    step : float
        The step g of the level.
    start : float
        The first level s, between 0 and 1.

    Returns
    -------
    float
        The bound on |mean error - alpha|.

    References
    ----------
    Gibbs and Candes (2021), Adaptive conformal inference under distribution shift, proposition 4.1, whose bound is
    (max(s, 1 - s) + g) / (g T).

    Examples
    --------
    >>> round(adaptive_conformal(rounds=1000, rate=0.1, step=0.05, start=0.1), 6)
    0.0181
    """
    return max(start + step * (1 - rate), 1 - start + step * rate) / (step * rounds)
