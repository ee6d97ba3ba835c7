"""What is wrong with a model or its data, in sentences."""

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.evaluate import scores, scores_of_labels, similar_label, warnings_of

rng = np.random.default_rng(5)
X = rng.normal(size=(300, 3))
WEAK = np.where(X[:, 0] + 3 * rng.normal(size=300) > 2.5, "yes", "no")


class Constant:
    """A model that always predicts the same."""

    def __init__(self, classes, decision):
        self.classes_, self.decision = np.array(classes), decision

    def decision_function(self, X):
        return np.full(len(X), self.decision)


def test_a_good_model_has_no_warning():
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    model = nk.LinearSVM().fit(X, y)
    assert warnings_of(scores(model, X, y), model.record_, X, y) == []


def test_a_model_that_predicts_one_label_says_so_with_the_rows_and_the_baseline():
    found = scores(Constant(["no", "yes"], -1.0), X, WEAK)
    share = np.mean(WEAK == "no")
    assert warnings_of(found, rows="300 held-out rows") == [
        f"the model predicts 'no' for every row: {share:.2%} on 300 held-out rows (always 'no': {share:.2%})"
    ]


def test_a_model_that_is_worse_than_the_most_frequent_label_says_so():
    y = np.array(["a"] * 6 + ["b"] * 4)
    model = nk.LinearClassifier.of([[1.0]], [0.0], classes=["a", "b"])
    places = np.array([[1.0]] * 3 + [[-1.0]] * 3 + [[1.0]] * 2 + [[-1.0]] * 2)
    (sentence,) = warnings_of(scores(model, places, y))
    assert sentence == "the model is no better than always predicting 'a': 50.00% on these rows (always 'a': 60.00%)"


def test_with_class_weight_the_balanced_accuracy_is_compared_with_that_of_one_label():
    model = nk.LinearSVM(class_weight="balanced").fit(X, WEAK)
    found = scores(model, X, WEAK)
    assert found.accuracy < found.baseline
    assert warnings_of(found, model.record_, rows="300 rows") == []
    (sentence,) = warnings_of(scores(model, -X, WEAK), model.record_, rows="300 rows")
    assert re.fullmatch(
        r"the model is no better than always predicting 'no', by balanced accuracy: "
        r"\d\d\.\d\d% on 300 rows \(always 'no': 50.00%\)",
        sentence,
    )


def test_of_rows_with_one_label_nothing_is_said_about_guessing():
    assert warnings_of(scores(Constant(["no", "yes"], -1.0), X[:3], ["no", "no", "no"])) == []


def test_unknown_labels_are_named_with_their_rows_and_the_label_that_may_be_meant():
    model = nk.LinearSVM().fit(X, WEAK)
    other = ["no."] * 4 + ["Yes "] * 2 + ["maybe"] + ["no"] * 293
    sentence = warnings_of(scores(model, X, other), model.record_)[1]
    assert "'no.' (4 rows; it knows 'no'), 'Yes ' (2 rows; it knows 'yes'), 'maybe' (1 row)" in sentence


@pytest.mark.parametrize(
    ("label", "known", "expected"),
    [
        ("no.", ["no", "yes"], "no"),
        ("acc", ["good", "vgood"], None),
        ("vgod", ["good", "vgood"], "vgood"),
        (3, [1], None),
    ],
)
def test_a_label_is_compared_with_known_ones(label, known, expected):
    assert similar_label(label, known) == expected


def test_weights_of_0_are_named_by_class():
    model = nk.LinearClassifier.of(np.array([[1.0], [0.0], [0.0]]), [0.0, 0.0, 0.0], classes=["a", "b", "c"])
    assert warnings_of(None, model.record_) == [
        "2 of 3 weight vectors are 0, so their scores are the same for every row: b, c"
    ]
    binary = nk.LinearClassifier.of([[0.0]], [-1.0], classes=["a", "b"])
    assert warnings_of(None, binary.record_) == ["all weights are 0, so the score is the same for every row"]


@pytest.mark.parametrize("labels", [2, 3])
def test_a_gap_above_the_tolerance_is_named_with_its_problem(labels):
    y = rng.integers(0, labels, 300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = nk.LinearSVM(max_iter=1, tol=1e-9).fit(X, y)
    sentences = [sentence for sentence in warnings_of(None, model.record_) if sentence.startswith("not converged")]
    assert len(sentences) == 1
    assert "above the tolerance of 1e-09" in sentences[0]
    assert ("problems" in sentences[0]) == (labels > 2)


def test_a_column_that_predicts_the_label_alone_is_named():
    leaked = np.column_stack([X, WEAK == "yes"])
    model = nk.LinearSVM().fit(leaked, WEAK)
    (sentence,) = warnings_of(None, model.record_, leaked, WEAK)
    assert sentence.startswith("column 3 alone predicts the label: 100.00% on 150 rows (always 'no': ")


def test_labels_that_are_never_predicted_are_named_by_their_rows():
    known = np.array(["a", "b", "c", "d"])
    found = scores_of_labels("test", np.array(["a", "b", "c", "c", "a", "d"]), np.array(list("abaaab")), known)
    assert warnings_of(found) == ["labels that are never predicted: 'c' (2 rows), 'd' (1 row)"]
