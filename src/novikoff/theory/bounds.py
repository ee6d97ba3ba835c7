"""The mistake bounds of the perceptron family, as functions.

Examples are u_i with labels y_i in {-1, +1}; u_i = (x_i, 1) with an intercept. ``radius`` is R = max |u_i|, and the
``margin`` of a separator v is gamma = min y_i v.u_i / |v| > 0. A bound holds for every separator, so it is smallest for
the one with the largest margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import margin_value

SEARCHED_ROWS = 2048  # with which the best gamma of a bound is searched
SINGULAR_WIDTH = 1e-3  # of the interval around a = 1 in which the bound for a larger a is used
LARGEST_COUNT = 1e100  # of updates; a bound above it is infinite


def novikoff(radius: float, margin: float) -> float:
    """Return (R/gamma)^2, the largest number of mistakes of a perceptron on data with a separator of this margin.

    Hypotheses: |u| <= R for every example, and some v has y v.u >= gamma |v| with gamma > 0. The bound holds for any
    order and any number of passes. It also bounds the updates of the passive-aggressive algorithm that follow mistakes
    (Crammer et al. 2006, theorem 2).

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float or Margin
        The margin gamma of a separator. A ``Margin`` with a free intercept is refused: it is not one of vectors u.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive.

    References
    ----------
    Block (1962), The perceptron: a model for brain functioning.
    Novikoff (1962), On convergence proofs on perceptrons.

    Examples
    --------
    >>> novikoff(radius=2.0, margin=0.5)
    16.0
    """
    gamma = margin_value.margin_number("novikoff", margin)
    return _square(radius / gamma) if gamma > 0 else math.inf


def novikoff_unscaled(radius: float, norm: float, epsilon: float) -> float:
    """Return U^2 |w|^2 / eps^2, Novikoff's bound for a separator w of any length with y w.u >= eps.

    Parameters
    ----------
    radius : float
        An upper bound U on |u|.
    norm : float
        The length |w| of the separator.
    epsilon : float
        The smallest y w.u.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> novikoff_unscaled(radius=2.0, norm=3.0, epsilon=0.5)
    144.0
    """
    return novikoff(radius, epsilon / norm)


def margin_upper_bound(length: float, steps: float) -> float:
    """Return |v| / M, an upper bound on all margins if v is a sum of examples y u whose weights add up to M.

    Hypotheses: v = sum_i a_i y_i u_i with a >= 0 and M = sum a > 0. For a separator v* of unit length with margin
    gamma, |v| >= v*.v >= M gamma. After M perceptron updates |v| <= R sqrt(M), so the bound is at most R / sqrt(M).

    Parameters
    ----------
    length : float
        The length |v|.
    steps : float
        The sum M of the weights.

    Returns
    -------
    float
        The bound; infinity without steps.

    Examples
    --------
    >>> margin_upper_bound(length=3.0, steps=9)
    0.3333333333333333
    """
    return length / steps if steps > 0 else math.inf


def margin_perceptron(radius: float, margin: float, epsilon: float) -> float:
    """Return the largest number of updates of a margin perceptron with threshold (1 - eps) gamma.

    Hypotheses: |u| <= R, a separator of margin gamma exists, and v += y u whenever y v.u < (1 - eps) gamma |v|. The
    bound 2R/(eps gamma) + 2R^2/(eps^2 gamma^2) is below the 16/gamma^2 of the textbooks for R = 1 and eps = 1/2.

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float or Margin
        The margin gamma of a separator. A ``Margin`` with a free intercept is refused: it is not one of vectors u.
    epsilon : float
        The fraction of the margin that may be lost.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive.

    Examples
    --------
    >>> margin_perceptron(radius=1.0, margin=0.5, epsilon=0.5)
    40.0
    """
    gamma = margin_value.margin_number("margin_perceptron", margin)
    if gamma <= 0:
        return math.inf
    ratio = radius / (epsilon * gamma)
    return 2 * ratio + 2 * _square(ratio)


def margin_perceptron_length(radius: float, margin: float, epsilon: float, updates: ArrayLike) -> NDArray[np.float64]:
    """Return upper bounds on |v| after M updates of a margin perceptron with threshold (1 - eps) gamma.

    An update makes |v| longer by at most R^2 / (2 |v|) + (1 - eps) gamma, which is at most (1 - eps/2) gamma once |v|
    is R^2 / (eps gamma). So |v| <= R + R^2 / (eps gamma) + (1 - eps/2) gamma M. The bound of ``margin_perceptron`` is
    the M at which it meets the lower bound gamma M.

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float
        The margin gamma of a separator.
    epsilon : float
        The fraction of the margin that may be lost.
    updates : array-like of shape (n,)
        Numbers of updates M.

    Returns
    -------
    ndarray of shape (n,)
        The bounds; infinity if the margin is not positive.

    Examples
    --------
    >>> margin_perceptron_length(radius=1.0, margin=0.5, epsilon=0.5, updates=[1, 40])
    array([ 5.375, 20.   ])
    """
    M = np.asarray(updates, dtype=np.float64)
    if margin <= 0 or epsilon <= 0:
        return np.full_like(M, math.inf)
    first = radius + _square(radius) / (epsilon * margin)
    return np.where(M > 0, first + (1 - epsilon / 2) * margin * M, 0.0)


def dynamic_margin_length(radius: float, epsilon: float, updates: ArrayLike) -> NDArray[np.float64]:
    """Return upper bounds on |v| after M updates of the perceptron with dynamic margin.

    Hypotheses: |u| <= R, and v += y u whenever y v.u < (1 - eps) |v|^2 / M. So |v|^2 <= s_M, where s_1 = R^2 and
    s_(M+1) = (1 + a/M) s_M + R^2 with a = 2 (1 - eps). The solution is s_M = R^2 (P(M) - M) / (a - 1), where P(M) is
    Gamma(M + a) / (Gamma(M) Gamma(a)); it is R^2 M for eps = 1, and R^2 M^2 for eps = 0.

    Parameters
    ----------
    radius : float
        The largest |u|.
    epsilon : float
        The fraction of the margin that may be lost, above 0 and at most 1.
    updates : array-like of shape (n,)
        Numbers of updates M.

    Returns
    -------
    ndarray of shape (n,)
        The bounds.

    Examples
    --------
    >>> dynamic_margin_length(radius=2.0, epsilon=1.0, updates=[1, 4, 9])
    array([2., 4., 6.])
    """
    from scipy.special import poch, rgamma  # slow to import, and rarely needed

    M = np.asarray(updates, dtype=np.float64)
    a = 2 * (1 - epsilon)
    if abs(a - 1) < SINGULAR_WIDTH:  # the bound grows with a, and its formula has no value at a = 1
        a = 1 + SINGULAR_WIDTH
    with np.errstate(over="ignore"):
        squares = (poch(M, a) * rgamma(a) - M) / (a - 1)
    lengths: NDArray[np.float64] = radius * np.sqrt(np.maximum(squares, M))
    return lengths


def dynamic_margin_perceptron(radius: float, margin: float, epsilon: float) -> float:
    """Return the largest number of updates of the perceptron with dynamic margin.

    It is the largest M for which the upper bound on |v| of ``dynamic_margin_length`` is not below the lower bound
    gamma M. For small eps it grows like (R / gamma)^(1 / eps).

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float
        The margin gamma of a separator.
    epsilon : float
        The fraction of the margin that may be lost, above 0 and at most 1.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive, or if the bound exceeds 1e100.

    References
    ----------
    Panagiotakopoulos and Tsampouka (2011), The perceptron with dynamic margin.

    Examples
    --------
    >>> dynamic_margin_perceptron(radius=1.0, margin=0.5, epsilon=1.0)
    4.0
    """
    if margin <= 0:
        return math.inf

    def is_possible(M: float) -> bool:
        return float(dynamic_margin_length(radius, epsilon, [M])[0]) * (1 + 1e-12) >= margin * M

    low, high = 0.0, 1.0  # the ratio of the two bounds falls with M
    while is_possible(high):
        low, high = high, 2 * high
        if high > LARGEST_COUNT:
            return math.inf
    while high - low > max(1.0, 1e-12 * low):
        middle = math.floor((low + high) / 2)
        low, high = (middle, high) if is_possible(middle) else (low, middle)
    return float(low if high - low <= 1 else high)  # between two numbers that floats cannot resolve, the larger one


def freund_schapire(radius: float, margins: ArrayLike, weights: ArrayLike | None = None, passes: int = 1) -> float:
    """Return the largest number of mistakes of a perceptron on data that v may separate only in part.

    With m_i = y_i v.u_i / |v|, d_i = max(0, gamma - m_i) and D = sqrt(sum d_i^2), a pass makes at most
    ((R + D)/gamma)^2 mistakes, for every v and every gamma > 0 (theorem 2). The smallest value over gamma is returned.

    Parameters
    ----------
    radius : float
        The largest |u|.
    margins : array-like of shape (n_samples,)
        The margins m_i, of any sign.
    weights : array-like of shape (n_samples,), default=None
        Weights of the examples.
    passes : int, default=1
        Number of passes, which count as one stream that repeats itself.

    Returns
    -------
    float
        The bound.

    References
    ----------
    Freund and Schapire (1999), Large margin classification using the perceptron algorithm.

    Examples
    --------
    >>> freund_schapire(radius=1.0, margins=[0.5] * 100)
    4.0
    """
    m = np.asarray(margins, dtype=np.float64)
    copies = np.ones_like(m) if weights is None else np.asarray(weights, dtype=np.float64)
    # Every gamma gives a valid bound, so it may be searched with some of the rows.
    step = max(1, -(-len(m) // SEARCHED_ROWS))
    some = _deficits(radius, m[::step], copies[::step], step * passes)
    bound = some if step == 1 else _deficits(radius, m, copies, passes)
    positive = m[m > 0]
    ends = [float(positive.min()), float(positive.max())] if len(positive) else []
    # R + D(gamma) is convex and positive, so its ratio to gamma decreases and then increases, and a golden-section
    # search finds the minimum.
    scale = max(radius, 1e-150)  # if all examples are 0, every gamma is suitable
    low, high = math.log(1e-12 * scale), math.log(1e6 * scale)
    shrink = (math.sqrt(5) - 1) / 2
    for _ in range(80):
        left, right = high - shrink * (high - low), low + shrink * (high - low)
        if some(math.exp(left)) <= some(math.exp(right)):
            high = right
        else:
            low = left
    return min(map(bound, [*ends, math.exp((low + high) / 2)]))


def _deficits(radius: float, m: NDArray[Any], copies: NDArray[Any], passes: int) -> Callable[[float], float]:
    """Return the bound of ``freund_schapire`` as a function of gamma."""

    def bound(gamma: float) -> float:
        deficit = np.maximum(0.0, gamma - m)
        return _square((radius + math.sqrt(passes * float(copies @ (deficit * deficit)))) / gamma)

    return bound


def passive_aggressive_I(radius: float, margin: float, C: float) -> float:
    """Return max(R^2, 1/C) / gamma^2, the largest number of mistakes of PA-I on separable data.

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float or Margin
        The margin gamma of a separator. A ``Margin`` with a free intercept is refused: it is not one of vectors u.
    C : float
        The aggressiveness parameter of the algorithm.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive.

    References
    ----------
    Crammer et al. (2006), Online passive-aggressive algorithms, theorem 4.

    Examples
    --------
    >>> passive_aggressive_I(radius=1.0, margin=0.5, C=0.25)
    16.0
    """
    return _ratio(max(_square(radius), 1 / C), margin_value.margin_number("passive_aggressive_I", margin))


def passive_aggressive_II(radius: float, margin: float, C: float) -> float:
    """Return (R^2 + 1/(2C)) / gamma^2, the largest number of mistakes of PA-II on separable data.

    Parameters
    ----------
    radius : float
        The largest |u|.
    margin : float or Margin
        The margin gamma of a separator. A ``Margin`` with a free intercept is refused: it is not one of vectors u.
    C : float
        The aggressiveness parameter of the algorithm.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive.

    References
    ----------
    Crammer et al. (2006), Online passive-aggressive algorithms, theorem 5.

    Examples
    --------
    >>> passive_aggressive_II(radius=1.0, margin=0.5, C=0.5)
    8.0
    """
    return _ratio(_square(radius) + 1 / (2 * C), margin_value.margin_number("passive_aggressive_II", margin))


def _ratio(squares: float, margin: float) -> float:
    """Return squares / gamma^2; infinity if gamma is not positive or its square underflows."""
    square = _square(margin)
    return squares / square if margin > 0 and square > 0 else math.inf


def _square(x: float) -> float:
    """Return the square; it overflows to infinity where ``**`` would raise."""
    return x * x
