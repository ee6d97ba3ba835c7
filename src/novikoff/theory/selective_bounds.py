"""Bounds for a perceptron that asks for some labels only, docs/theory.md Q.

The selective perceptron asks for a label with probability b / (b + |score|), and learns as the perceptron does from the
labels that it gets.
"""

from __future__ import annotations


def asking_probability(score: float, b: float) -> float:
    """Return b / (b + |score|), the probability of asking for a label.

    Parameters
    ----------
    score : float
        The score v.u of the example.
    b : float
        The positive parameter b: the larger, the more labels.

    Returns
    -------
    float
        The probability, which is 1 for a score of 0.

    Examples
    --------
    >>> asking_probability(score=-3.0, b=1.0)
    0.25
    """
    return b / (b + abs(score))


def selective_perceptron(radius: float, b: float, length: float, margin: float, loss: float) -> float:
    """Return (1 + R^2/(2b)) L/gamma + |w|^2 (2b + R^2)^2 / (8 b gamma^2), the bound of the selective perceptron (Q1).

    The weighted count of mistakes, in which an asked mistake counts 1 / probability, never exceeds it. Its expectation
    is that of the number of all mistakes, asked or not (Q2).

    Parameters
    ----------
    radius : float
        The largest |u|.
    b : float
        The parameter b of the learner.
    length : float
        The length |w| of a comparator w.
    margin : float
        Any positive number gamma.
    loss : float
        L, the sum of max(0, gamma - y w.u) over the updates for the weighted count of one run, or the expectation of
        this sum for the expected number of mistakes.

    Returns
    -------
    float
        The bound.

    References
    ----------
    Cesa-Bianchi, Gentile and Zaniboni (2006), Worst-case analysis of selective sampling for linear classification,
    theorem 1.

    Examples
    --------
    >>> selective_perceptron(radius=1.0, b=0.5, length=1.0, margin=0.5, loss=0.0)
    4.0
    """
    size = 2 * b + radius * radius
    return size / (2 * b) * loss / margin + (length * size / margin) ** 2 / (8 * b)
