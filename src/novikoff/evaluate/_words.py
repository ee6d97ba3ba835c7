"""Accuracies in words, with the rows they were measured on and the accuracy of guessing beside them."""

from __future__ import annotations

from typing import Any

from novikoff.errors import quote


def accuracy_words(accuracy: float, rows: str, baseline: float, baseline_label: Any) -> str:
    """Say an accuracy together with the rows it was measured on and what guessing would reach there.

    Parameters
    ----------
    accuracy : float
        Fraction of correct predictions.
    rows : str
        The rows, in words: "6,512 held-out rows".
    baseline : float
        Accuracy of predicting ``baseline_label`` for every row.
    baseline_label : object
        The most frequent label of these rows.

    Returns
    -------
    str
        The sentence, without a full stop.

    Examples
    --------
    >>> from novikoff.evaluate import accuracy_words
    >>> accuracy_words(0.849, "6,512 held-out rows", 0.759, "no")
    "84.90% on 6,512 held-out rows (always 'no': 75.90%)"
    """
    return f"{percent(accuracy)} on {rows} (always {quote(baseline_label)}: {percent(baseline)})"


def progressive_words(accuracy: float, rows: str, baseline: float, last_label_baseline: float) -> str:
    """Say the accuracy of predictions that were each made before the label was learned.

    Parameters
    ----------
    accuracy : float
        Fraction of correct predictions.
    rows : str
        The rows, in words: "5,574 rows, each predicted before it was learned".
    baseline : float
        Accuracy of predicting for each row the most frequent label of the rows before it.
    last_label_baseline : float
        Accuracy of predicting for each row the label of the row before it.

    Returns
    -------
    str
        The sentence, without a full stop.

    Examples
    --------
    >>> from novikoff.evaluate import progressive_words
    >>> progressive_words(0.9, "1,000 rows", 0.5, 0.6)
    '90.00% on 1,000 rows (always the most frequent label so far: 50.00%, the label before: 60.00%)'
    """
    guesses = (
        f"always the most frequent label so far: {percent(baseline)}, the label before: {percent(last_label_baseline)}"
    )
    return f"{percent(accuracy)} on {rows} ({guesses})"


def percent(fraction: float) -> str:
    """Return a fraction in percent; only 0 and 1 themselves are shown as 0% and 100%."""
    rounded = f"{fraction:.2%}"
    if fraction < 1 and rounded == "100.00%":
        return "99.99%"
    return "0.01%" if fraction > 0 and rounded == "0.00%" else rounded
