"""ROC and precision-recall curves of every class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff._report.subject import Subject
from novikoff._report.tables import Table, percent
from novikoff.theory.geometry import Floats

from ._plotly import axis, fractions, label, layout, line, numbers
from .figure import Figure

MAX_POINTS = 400  # of a curve; keeps the page small


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
    """Draw the receiver operating characteristic of all classes, one of them highlighted."""
    curves, chosen = _curves(subject)
    if chosen is None:
        return None
    data = [
        *_lines([(c.name, c.false_positives, c.true_positives, c.area) for c in curves], chosen.name, "AUC"),
        line([0, 1], [0, 1], "chance", "--muted", "dot", width=1, hoverinfo="skip"),
    ]
    return Figure(
        "roc",
        "ROC curve",
        "The fraction of the class that is found, against the fraction of other rows that are wrongly assigned to it, "
        f"for all thresholds. The area under the curve (AUC) of {chosen.name} is {chosen.area:.4f}; 1 is perfect.",
        data,
        layout(fractions(axis("false positive rate")), fractions(axis("true positive rate"))),
        section="predictions",
        table=_areas(curves) if len(curves) > 1 else None,
    )


def precision_recall(subject: Subject) -> Figure | None:
    """Draw precision and recall of all classes, one of them highlighted."""
    curves, chosen = _curves(subject)
    if chosen is None:
        return None
    data = [
        *_lines([(c.name, c.recall, c.precision, c.average_precision) for c in curves], chosen.name, "AP"),
        line([0, 1], [chosen.share, chosen.share], "chance", "--muted", "dot", width=1, hoverinfo="skip"),
    ]
    return Figure(
        "precision-recall",
        "Precision-recall curve",
        "The fraction of predictions of the class that are correct, against the fraction of the class that is found. "
        f"The average precision (AP) of {chosen.name} is {chosen.average_precision:.4f}; {percent(chosen.share)} of "
        "the rows belong to this class.",
        data,
        layout(fractions(axis("recall")), fractions(axis("precision"))),
        section="predictions",
    )


def _curves(subject: Subject) -> tuple[list[Curve], Curve | None]:
    """Return the curves of all classes that have both positive and negative rows, and the one to highlight."""
    X, y, _ = subject.scored
    labels = np.ravel(np.asarray(y))
    scores = np.asarray(subject.model.decision_function(X)).reshape(len(labels), -1)
    curves = [
        _curve(str(name), labels == name, own)
        for name, own in zip(subject.strategy.positives, scores.T, strict=True)
        if 0 < np.mean(labels == name) < 1
    ]
    chosen = next((curve for curve in curves if curve.name == str(subject.class_)), None)
    return curves, chosen or (curves[0] if curves else None)


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
    """Return at most ``MAX_POINTS`` indices, including the first and the last."""
    return np.unique(np.linspace(0, points - 1, min(points, MAX_POINTS)).astype(np.int64))


def _lines(curves: list[tuple[str, Any, Any, float]], chosen: str, measure: str) -> list[dict[str, Any]]:
    """Return one coloured line for the chosen class, above grey lines for the others, which have no legend entry."""
    data = []
    for name, x, y, value in sorted(curves, key=lambda curve: curve[0] == chosen):
        is_chosen = name == chosen
        colour, width = ("--positive", 2.5) if is_chosen else ("--right", 1.0)
        words = f"{label(name)}, {measure} {value:.4f}"
        look: dict[str, Any] = {"showlegend": is_chosen, "hovertemplate": "%{x:.3f}, %{y:.3f}"}
        data.append(line(numbers(x), numbers(y), words, colour, width=width, **look))
    return data


def _areas(curves: list[Curve]) -> Table:
    rows = [(c.name, f"{c.area:.4f}", f"{c.average_precision:.4f}", percent(c.share)) for c in curves]
    return Table("One-vs-rest curves", ["class", "AUC", "average precision", "fraction of rows"], rows)
