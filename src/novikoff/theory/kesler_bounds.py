"""Bounds for online learners of several classes, by Kesler's construction, docs/theory.md J5 to J7.

The weights of all classes are one long vector w = (w_1, ..., w_K). R is the largest |x|. A comparator u has the length
|u| and, on an example of class y, the hinge loss max(0, 1 - min_k (u_y.x - u_k.x)) over all other classes k.
"""

from __future__ import annotations

import math

from . import bounds


def multiclass_perceptron(radius: float, margin: float) -> float:
    """Return 2 (R/gamma)^2, the largest number of mistakes of the multiclass perceptron (J6).

    Parameters
    ----------
    radius : float
        The largest |x|, with the intercept's 1 included.
    margin : float
        The margin gamma: for some u with |u| = 1, every example leads by u_y.x - u_k.x >= gamma for all other classes.

    Returns
    -------
    float
        The bound; infinity if the margin is not positive.

    Examples
    --------
    >>> multiclass_perceptron(radius=1.0, margin=0.5)
    8.0
    """
    return 2 * bounds.novikoff(radius, margin)


def multiclass_perceptron_loss(radius: float, length: float, loss: float) -> float:
    """Return the largest M with M <= D + |u| R sqrt(2 M), for a comparator that need not separate (J6).

    Parameters
    ----------
    radius : float
        The largest |x|.
    length : float
        The length |u| of the comparator.
    loss : float
        Its hinge loss D over the mistakes.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> round(multiclass_perceptron_loss(radius=1.0, length=2.0, loss=0.0), 12)
    8.0
    """
    K = math.sqrt(2) * radius * length
    root = (K + math.sqrt(K * K + 4 * loss)) / 2
    return root * root


def passive_aggressive_I(radius: float, length: float, loss: float, C: float) -> float:
    """Return max(2 R^2, 1/C) (|u|^2 + 2 C D), the largest number of mistakes of the multiclass PA-I (J7).

    Parameters
    ----------
    radius : float
        The largest |x|.
    length : float
        The length |u| of the comparator.
    loss : float
        Its hinge loss D over all updates.
    C : float
        The aggressiveness parameter.

    Returns
    -------
    float
        The bound.

    References
    ----------
    Crammer et al. (2006), Online passive-aggressive algorithms, theorem 4 and section 8.

    Examples
    --------
    >>> passive_aggressive_I(radius=1.0, length=2.0, loss=1.0, C=0.25)
    18.0
    """
    return max(2 * radius * radius, 1 / C) * (length * length + 2 * C * loss)


def passive_aggressive_II(radius: float, length: float, squared_loss: float, C: float) -> float:
    """Return (2 R^2 + 1/(2C)) (|u|^2 + 2 C Q), the largest number of mistakes of the multiclass PA-II (J7).

    Parameters
    ----------
    radius : float
        The largest |x|.
    length : float
        The length |u| of the comparator.
    squared_loss : float
        The sum Q of its squared hinge losses over all updates.
    C : float
        The aggressiveness parameter.

    Returns
    -------
    float
        The bound.

    References
    ----------
    Crammer et al. (2006), Online passive-aggressive algorithms, theorem 5 and section 8.

    Examples
    --------
    >>> passive_aggressive_II(radius=1.0, length=2.0, squared_loss=1.0, C=0.5)
    15.0
    """
    return (2 * radius * radius + 1 / (2 * C)) * (length * length + 2 * C * squared_loss)
