"""The registry of figures: which apply to which learner, and that plotly accepts them."""

import plotly.graph_objects as go
import pytest
from sklearn.datasets import load_digits

import novikoff as nk
from novikoff._report.figures.figure import FIGURES, Figure, figures_of
from novikoff._report.subject import subject_of

ONLINE = {"boundary", "margins", "mistakes", "weights"}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (nk.Perceptron, ONLINE),
        (nk.AveragedPerceptron, ONLINE),
        (nk.VotedPerceptron, ONLINE - {"boundary"}),
        (nk.MarginPerceptron, ONLINE),
        (nk.PassiveAggressiveI, ONLINE),
        (nk.HardMarginSVM, {"boundary", "margins", "weights"}),
        (nk.LinearSVM, {"boundary", "margins", "gap", "weights"}),
    ],
)
def test_every_learner_has_the_figures_that_apply_to_it(make, expected):
    X, digit = load_digits(return_X_y=True)
    X, y = X[:500], digit[:500] == 0
    found = figures_of(subject_of(make().fit(X, y), X, y, None, None, None))
    assert {figure.name for figure in found} == expected | {"roc", "precision-recall"}


def test_plotly_accepts_every_figure(svm_subject, perceptron_subject):
    """Its Python package checks names and values of attributes."""

    def painted(value):
        if isinstance(value, dict):
            return {key: "#123456" if str(entry).startswith("--") else painted(entry) for key, entry in value.items()}
        return [painted(entry) for entry in value] if isinstance(value, list) else value

    for figure in {figure.name: figure for s in (svm_subject, perceptron_subject) for figure in figures_of(s)}.values():
        go.Figure(painted({"data": figure.data, "layout": figure.layout}))


def test_registered_figure_appears_on_the_page(svm, cancer):
    def toy(subject):
        return Figure("toy", "A toy figure", f"{len(subject.y)} rows.", [], {}, section="certificate")

    FIGURES.register("toy", toy)
    try:
        page = nk.report(svm, *cancer)
    finally:
        FIGURES.unregister("toy")
    assert "<h3>A toy figure</h3>" in page
    assert "569 rows.</figcaption>" in page
