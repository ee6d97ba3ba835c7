import numpy as np

from novikoff._report.figures.weights import weights


def test_bars_are_the_largest_weights(svm, svm_subject):
    figure = weights(svm_subject)
    drawn = sorted((abs(x) for trace in figure.data for x in trace["x"]), reverse=True)
    np.testing.assert_allclose(drawn, np.sort(np.abs(svm.coef_[0]))[::-1][:10], rtol=1e-4)
    assert len(figure.table.rows) == 20
