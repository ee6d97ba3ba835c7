"""ROC and precision against recall, each class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.theory.geometry import Floats

MOST_POINTS = 400  # of a curve


@dataclass(frozen=True)
class Curve:
    """What one class's scores say."""

    name: str
    share: float  # of the rows
    false_positives: Floats
    true_positives: Floats
    area: float
    recall: Floats
    precision: Floats
    average_precision: float


def curves_of(model: Any, scores: Floats, y: Any) -> list[Curve]:
    """One curve a class, or one for two; classes that are not there, or alone, have none."""
    classes = np.asarray(model.classes_).tolist()
    questions = [(classes[1], scores)] if scores.ndim == 1 else list(zip(classes, scores.T, strict=True))
    labels = np.ravel(np.asarray(y))
    return [_curve(str(name), labels == name, own) for name, own in questions if 0 < np.mean(labels == name) < 1]


def _curve(name: str, is_positive: Any, scores: Floats) -> Curve:
    from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_curve  # slow to import

    false_positives, true_positives, _ = roc_curve(is_positive, scores)
    precision, recall, _ = precision_recall_curve(is_positive, scores)
    few, some = _thin(len(false_positives)), _thin(len(recall))
    return Curve(
        name=name,
        share=float(np.mean(is_positive)),
        false_positives=false_positives[few],
        true_positives=true_positives[few],
        area=float(auc(false_positives, true_positives)),
        recall=recall[some],
        precision=precision[some],
        average_precision=float(average_precision_score(is_positive, scores)),
    )


def _thin(points: int) -> Any:
    """At most so many places, the first and the last among them."""
    return np.unique(np.linspace(0, points - 1, min(points, MOST_POINTS)).astype(np.int64))
