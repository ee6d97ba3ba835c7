import numpy as np

from novikoff._report.figures.boundary import boundary


def test_all_rows_and_support_vectors_are_drawn(svm, svm_subject, cancer):
    figure = boundary(svm_subject)
    support, negative, positive = figure.data[:3]  # the rings are below the markers
    assert len(negative["x"]) + len(positive["x"]) == len(cancer[1])
    assert len(support["x"]) == len(svm.support_)
    assert f"support vectors, {len(svm.support_)} of the rows shown" in figure.caption


def test_horizontal_axis_is_the_distance_from_the_hyperplane(svm, svm_subject, cancer):
    X, y = cancer
    distances = svm.decision_function(X[y == "malignant"]) / np.linalg.norm(svm.coef_)
    np.testing.assert_allclose(boundary(svm_subject).data[2]["x"], distances, rtol=1e-4, atol=1e-6)
