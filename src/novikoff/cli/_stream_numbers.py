"""The numbers of a stream by name, as alarms, metrics and JSON records know them."""

from __future__ import annotations

from typing import Any

from novikoff import evaluate

NAMES = {
    "loss": "Fraction of wrong predictions.",
    "balanced_accuracy": "Mean recall over the labels.",
    "majority_loss": "Loss of predicting the most frequent label so far.",
    "last_label_loss": "Loss of predicting the label before.",
}
WINDOW_NAMES = {
    "window_loss": "Fraction of wrong predictions among the latest examples.",
    "window_balanced_accuracy": "Mean recall over the labels of the latest examples.",
    "window_min_recall": "Smallest recall of a label among the latest examples.",
    "window_kappa": "1 - loss / loss of predicting the label before, among the latest examples.",
}


def numbers_of(record: evaluate.Record) -> dict[str, float | None]:
    """Return the numbers of a record by name; None where one is not defined."""
    numbers: dict[str, float | None] = {
        "loss": record.loss,
        "balanced_accuracy": record.balanced_accuracy,
        "majority_loss": 1 - record.baseline,
        "last_label_loss": 1 - record.last_label_baseline,
    }
    if (window := record.window) is not None:
        numbers |= {
            "window_loss": window.loss,
            "window_balanced_accuracy": window.balanced_accuracy,
            "window_min_recall": min(window.recall.values()),
            "window_kappa": window.kappa,
        }
    return numbers


def window_numbers(window: evaluate.WindowScores) -> dict[str, Any]:
    """Return the scores of the latest examples as a JSON object."""
    return {
        "examples": window.examples,
        "mistakes": window.mistakes,
        "loss": window.loss,
        "balanced_accuracy": window.balanced_accuracy,
        "kappa": window.kappa,
        "recall": [[label, value] for label, value in window.recall.items()],
    }


def as_json(record: evaluate.Record) -> dict[str, Any]:
    """Return a record as one JSON object."""
    own = {"examples": record.examples, "mistakes": record.mistakes, "label": record.label}
    window = {} if record.window is None else {"window": window_numbers(record.window)}
    return {"record": "progress", **own, "prediction": record.prediction, **numbers_of(record), **window}
