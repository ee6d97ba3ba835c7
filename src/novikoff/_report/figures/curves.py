"""ROC and precision-recall curves of one class against the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._report.subject import Subject
from novikoff.evaluate import percent
from novikoff.theory.geometry import Floats

from ._plotly import axis, fractions, label, layout, line, numbers
from .figure import Figure

MAX_POINTS = 200  # of a curve; keeps the page small
HEIGHT = "18rem"


@dataclass(frozen=True)
class Curve:
    """The curves of one class; ``share`` is the fraction of rows of this class."""

    name: str
    share: float
    false_positives: Floats
    true_positives: Floats
    area: float
    recall: Floats
    precision: Floats
    average_precision: float


def roc(subject: Subject) -> Figure | None:
    """Draw the receiver operating characteristic of the class; None if all rows or no rows are of this class."""
    curve = _curve(subject)
    if curve is None:
        return None
    words = f"{label(curve.name)}, AUC {curve.area:.4f}"
    return Figure(
        "roc",
        "ROC curve",
        f"On {subject.scored.words}: the fraction of {curve.name} that is found, against the fraction of other rows "
        f"that are wrongly assigned to it, for all thresholds. The area under the curve (AUC) is {curve.area:.4f}; "
        "1 is perfect, 0.5 is chance.",
        _lines(curve.false_positives, curve.true_positives, words, [0, 1]),
        layout(fractions(axis("false positive rate")), fractions(axis("true positive rate"))),
        section="predictions",
        height=HEIGHT,
        per_class=True,
    )


def precision_recall(subject: Subject) -> Figure | None:
    """Draw precision and recall of the class; None if all rows or no rows are of this class."""
    curve = _curve(subject)
    if curve is None:
        return None
    words = f"{label(curve.name)}, AP {curve.average_precision:.4f}"
    return Figure(
        "precision-recall",
        "Precision-recall curve",
        f"On {subject.scored.words}: the fraction of predictions of {curve.name} that are correct, against the "
        f"fraction of {curve.name} that is found. The average precision (AP) is {curve.average_precision:.4f}; "
        f"{percent(curve.share)} of the rows belong to this class.",
        _lines(curve.recall, curve.precision, words, [curve.share, curve.share]),
        layout(fractions(axis("recall")), fractions(axis("precision"))),
        section="predictions",
        height=HEIGHT,
        per_class=True,
        is_detail=True,
    )


def _curve(subject: Subject) -> Curve | None:
    from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_curve  # slow to import

    classes = np.asarray(subject.strategy.classes).tolist()
    is_positive = np.ravel(np.asarray(subject.scored.y)) == subject.class_
    if not 0 < np.mean(is_positive) < 1 or subject.class_ not in classes:
        return None
    decisions, code = subject.scored.decisions, classes.index(subject.class_)
    scores = decisions[:, code] if decisions.ndim == 2 else (decisions if code else -decisions)
    false_positives, true_positives, _ = roc_curve(is_positive, scores)
    precision, recall, _ = precision_recall_curve(is_positive, scores)
    few, some = _thin(len(false_positives)), _thin(len(recall))
    return Curve(
        name=str(subject.class_),
        share=float(np.mean(is_positive)),
        false_positives=false_positives[few],
        true_positives=true_positives[few],
        area=float(auc(false_positives, true_positives)),
        recall=recall[some],
        precision=precision[some],
        average_precision=float(average_precision_score(is_positive, scores)),
    )


def _thin(points: int) -> Any:
    """Return at most ``MAX_POINTS`` indices, including the first and the last."""
    return np.unique(np.linspace(0, points - 1, min(points, MAX_POINTS)).astype(np.int64))


def _lines(x: Floats, y: Floats, words: str, chance: list[float]) -> list[dict[str, Any]]:
    return [
        line(numbers(x), numbers(y), words, "--positive", width=2.5, hovertemplate="%{x:.3f}, %{y:.3f}"),
        line([0, 1], chance, "chance", "--muted", "dot", width=1, hoverinfo="skip"),
    ]
