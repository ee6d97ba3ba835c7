import numpy as np

import novikoff as nk
from novikoff._report.figures.boundary import boundary
from novikoff._report.subject import subject_of


def test_all_rows_and_support_vectors_are_drawn(svm, svm_subject, cancer):
    figure = boundary(svm_subject)
    support, negative, positive = figure.data[:3]  # the rings are below the markers
    assert len(negative["x"]) + len(positive["x"]) == len(cancer[1])
    assert len(support["x"]) == len(svm.support_)
    assert f"support vectors, {len(svm.support_)} of the rows shown" in figure.caption


def test_rows_far_away_do_not_make_the_others_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) + np.repeat([[-2.0], [2.0]], 200, axis=0) * [1.0, 0.0, 0.0]
    X[0, 2] = 500.0
    y = np.repeat(["a", "b"], 200)
    figure = boundary(subject_of(nk.LinearSVM(C=0.1).fit(X, y), X, y, None, None, None))
    low, high = figure.layout["yaxis"]["range"]
    assert -20 < low < high < 20
    low, high = figure.layout["xaxis"]["range"]
    assert -20 < low < X[:, 0].min() < X[:, 0].max() < high < 20
    assert figure.caption.endswith("Outside the figure: 1 of them.")


def test_two_columns_have_the_same_scale_and_lines_reach_beyond_the_frame():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    figure = boundary(subject_of(nk.LinearSVM().fit(X, y), X, y, None, None, None))
    assert figure.layout["yaxis"]["scaleanchor"] == "x"
    size = np.diff([figure.layout[name]["range"] for name in ("xaxis", "yaxis")]).max()
    for trace in figure.data[3:]:
        assert np.ptp(trace["x"]) + np.ptp(trace["y"]) > 2 * size


def test_columns_of_very_different_scales_have_axes_of_their_own():
    X, y = np.array([[0.0, 0.0], [1.0, 900.0], [0.5, 100.0], [0.2, 950.0]]), ["a", "b", "a", "b"]
    figure = boundary(subject_of(nk.LinearSVM().fit(X, y), X, y, None, None, None))
    assert "scaleanchor" not in figure.layout["yaxis"]
