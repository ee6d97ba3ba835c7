"""The registry of figures: which apply to which learner, and that plotly accepts them."""

import numpy as np
import plotly.graph_objects as go
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import confusion_matrix

import novikoff as nk
from novikoff._report.figures.figure import FIGURES, MAX_CHOICES, Figure, figures_of
from novikoff._report.subject import by_errors, subject_of

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

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
    assert found.lead.name == ("boundary" if "boundary" in expected else "margins")
    assert {figure.name for figure in found} == expected | {"roc", "precision-recall"}


@pytest.mark.slow
def test_plotly_accepts_every_figure(svm_subject, perceptron_subject):
    """Its Python package checks names and values of attributes."""

    def painted(value):
        if isinstance(value, dict):
            return {key: painted(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [painted(entry) for entry in value]
        return "#123456" if str(value).startswith("--") else value

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


@pytest.mark.slow
def test_of_many_classes_those_with_the_most_errors_can_be_chosen():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 3)
    X = rng.normal(size=(90, 5)) + y[:, None] % 7
    subject = subject_of(nk.Perceptron(max_iter=2).fit(X, y), X, y, 29, None, None)
    choices = figures_of(subject).choices
    offered = {*by_errors(subject.model, subject.scored.scores)[: MAX_CHOICES - 1], 29}
    assert {int(choice.name) for choice in choices} >= offered
    assert [choice.name for choice in choices if choice.is_default] == ["29"]
    names = [figure.name for figure in figures_of(subject)]
    assert len(set(names)) == len(names)


def test_class_with_weights_of_0_has_a_note():
    X, y = np.random.default_rng(0).normal(size=(90, 2)), np.repeat(["a", "b", "c"], 30)
    model = RidgeClassifier().fit(X, y)
    model.coef_[2] = 0
    choices = figures_of(subject_of(model, X, y, None, None, None)).choices
    assert [choice.note[:20] for choice in choices] == ["", "", "All weights of this "]


@pytest.mark.parametrize("strategy", ["ovo", "crammer_singer"])
def test_machines_of_pairs_show_a_class_against_the_one_it_is_confused_with(strategy):
    X, y = load_digits(return_X_y=True)
    X, y = X[:700] / 16, y[:700]
    model = nk.LinearSVM(C=1e-3, loss="hinge", multi_class=strategy).fit(X, y)
    subject = subject_of(model, X, y, 8, None, None)
    matrix = confusion_matrix(y, model.predict(X))
    errors = matrix[8] + matrix[:, 8]
    assert errors[subject.opponent] == np.delete(errors, 8).max() > 0
    (choice,) = (choice for choice in figures_of(subject).choices if choice.is_default)
    assert choice.note.startswith(f"8 is shown against {subject.opponent}, with which")
    margins = next(figure for figure in choice.figures if figure.name == "margins")
    assert f"of {np.isin(y, [8, subject.opponent]).sum()} rows of these two classes" in margins.caption
