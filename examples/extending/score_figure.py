"""A figure of the report: how the scores of the rows are distributed in each class."""

import numpy as np

from novikoff._report.figures._plotly import axis, label, layout, numbers
from novikoff._report.figures.figure import Figure
from novikoff._report.subject import Subject


def score_distribution(subject: Subject) -> Figure | None:
    """Draw a histogram of the scores per class; None if there are more than two classes."""
    scores = np.asarray(subject.model.decision_function(subject.X))
    if scores.ndim != 1:
        return None
    edges = np.linspace(scores.min(), scores.max(), 31)
    data = [
        {
            "type": "bar",
            "x": numbers((edges[1:] + edges[:-1]) / 2),
            "y": np.histogram(scores[np.asarray(subject.y) == class_], edges)[0].tolist(),
            "name": label(str(class_)),
            "marker": {"color": colour},
        }
        for class_, colour in zip(subject.strategy.classes.tolist(), ("--negative", "--positive"), strict=True)
    ]
    caption = "Number of rows by score. Rows with positive scores are predicted as the second class."
    return Figure("scores", "Scores", caption, data, layout(axis("score"), axis("rows")), section="predictions")
